"""Whether what a picture shows of a card sets it apart from all others of its deck: half a card may look like half another.

Reckoned from the drawn decks, the scene and the lens alone; no reader has a part in it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.virtual.card_tables import CardTable
from hardware.camera.base import Image
from hardware.virtual.dice_paint import silhouette_px
from hardware.virtual.placing import corners_px, lying, outline_px, sizes_of
from hardware.virtual.render import Renderer
from hardware.virtual.sprites import hand_outline

PX_PER_MM = 2
LEAST_BLUR_PX = 1.0
"""Print is not laid down more exactly than this, nor pictures of it."""
APART_LEVELS = 24
"""Grey levels of 255 by which a place must differ to be told apart."""
APART_MM2 = 2.0
"""And how much of the card must do so."""
BLIND = 0.6
"""Mirrored light, in units of white paper, behind which print can't be seen."""

Shades = NDArray[np.int16]
"""A deck's pictures as the lens passes them on: number x height x width x 3, landscape ones turned upright."""


class Witness:
    """Says of each card of a table whether what is in sight of it tells which card it is, and which way round."""

    def __init__(self, art: Mapping[str, Image], card_mm: tuple[float, float]) -> None:
        self._art = art
        self._card_mm = card_mm
        self._names = list(art)
        size = (round(min(card_mm) * PX_PER_MM), round(max(card_mm) * PX_PER_MM))
        self._small = [_small(picture, size) for picture in art.values()]

    def tells(self, table: CardTable, renderer: Renderer) -> list[tuple[bool, bool]]:
        """For each card of the scene: whether its identity, and whether its way round, can be told."""
        labels = _labels(table, sizes_of(self._art, self._card_mm))
        blind = renderer.mirrored(table.scene) > BLIND
        blur = max(LEAST_BLUR_PX, _blur_mm(table) * PX_PER_MM)
        shades = np.stack([np.asarray(cv2.GaussianBlur(small, (0, 0), blur), np.int16) for small in self._small])
        return [self._told(table, n, labels, blind, shades) for n in range(len(table.scene.cards))]

    def _told(
        self, table: CardTable, number: int, labels: NDArray[np.int16], blind: NDArray[np.bool_], shades: Shades
    ) -> tuple[bool, bool]:
        card = table.scene.cards[number]
        lies = lying(card, sizes_of({card.art: self._art[card.art]}, self._card_mm)[card.art])
        quad = corners_px(table.camera, lies).astype(np.float32)
        if lies.size_mm[0] > lies.size_mm[1]:
            # Pictures are compared upright: a landscape print's own top is its right side then.
            quad = np.roll(quad, 1, axis=0)
        height, width = shades.shape[1:3]
        flat = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - np.float32(0.5)
        to_px = cv2.getPerspectiveTransform(flat, quad)
        seen = ((labels == number) & ~blind).astype(np.uint8)
        mask = cv2.warpPerspective(
            seen, to_px, (width, height), flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP, borderValue=0
        )
        mask = cv2.erode(np.pad(mask, 1), np.ones((3, 3), np.uint8))[1:-1, 1:-1]
        part = mask > 0
        own = self._names.index(card.art)
        ours = shades[own][part]
        needed = APART_MM2 * PX_PER_MM**2
        upright = _apart(shades[:, part], ours)
        turned = _apart(shades[:, ::-1, ::-1][:, part], ours)
        others = np.arange(len(self._names)) != own
        identity = bool((upright[others] >= needed).all() and (turned[others] >= needed).all())
        return identity, bool(turned[own] >= needed)


def _small(picture: Image, size: tuple[int, int]) -> Image:
    upright = cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE) if picture.shape[1] > picture.shape[0] else picture
    return np.asarray(cv2.resize(upright, size, interpolation=cv2.INTER_AREA), np.uint8)


def _apart(shades: Shades, ours: Shades) -> NDArray[np.intp]:
    """How many places of each picture differ from our own's; both are lists of places."""
    far = np.abs(shades - ours) > APART_LEVELS
    return np.asarray(np.count_nonzero(far[..., 0] | far[..., 1] | far[..., 2], axis=-1), np.intp)


def _blur_mm(table: CardTable) -> float:
    """Standard deviation of all the blur of a table's picture."""
    photo, camera = table.look.photo, table.camera
    defocus, motion = (photo.defocus_px, math.hypot(*photo.motion_px)) if photo is not None else (0.0, 0.0)
    px = math.sqrt(table.look.blur_px**2 + (defocus / 2) ** 2 + motion**2 / 12) * camera.size[0] / 1280
    return math.hypot(px, 0.4) / camera.px_per_mm


def _labels(table: CardTable, sizes: Mapping[str, tuple[float, float]]) -> NDArray[np.int16]:
    """Which card's number each pixel shows; -1 for none."""
    labels = np.full((table.camera.size[1], table.camera.size[0]), -1, np.int16)
    for number, card in enumerate(table.scene.cards):
        _fill(labels, [outline_px(table.camera, lying(card, sizes[card.art]))], number)
    for hand in table.scene.hands:
        outlines = hand_outline(hand.tip_x_mm, hand.tip_y_mm, hand.from_deg)
        _fill(labels, [table.camera.project(outline, hand.height_mm) for outline in outlines], -1)
    _fill(labels, [silhouette_px(table.camera, die) for die in table.scene.dice], -1)
    return labels


def _fill(labels: NDArray[np.int16], polygons: Sequence[NDArray[np.float64]], value: int) -> None:
    for polygon in polygons:
        cv2.fillPoly(labels, [np.round(polygon).astype(np.int32).reshape(-1, 1, 2)], value)
