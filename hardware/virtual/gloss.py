"""What glossy cards and sleeves mirror: the lamps over the table, seen in surfaces that lean, bend and wave a little."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual.look import Lamp, Photo
from hardware.virtual.paint import Box, Easel, cover_of
from hardware.virtual.placing import Lying, outline_px
from hardware.virtual.scene import Finish

ROOM_LEVEL = 0.7
"""Brightness of the ceiling, in units of white paper: what a surface mirrors where it mirrors no lamp."""
WAVE_MM = 28.0
"""Length of a film's waves."""

Plane = NDArray[np.float32]


class Mirror:
    """Adds up the mirrored light over a picture, card by card, from the table up."""

    def __init__(self, easel: Easel, photo: Photo) -> None:
        self._easel = easel
        self._photo = photo
        width, height = easel.camera.size
        self.light: Plane = np.zeros((height, width), np.float32)
        """Light in units of white paper, to be added to what the surfaces scatter."""

    def lay(self, card: Lying) -> None:
        """A card, with its sleeve where it has one, over all that was laid before."""
        self._lay(card, card.size_mm, card.finish)
        if card.finish.sleeve_mm is not None:
            grow = 2 * card.finish.sleeve_mm
            self._lay(card, (card.size_mm[0] + grow, card.size_mm[1] + grow), card.finish)

    def cover(self, polygons_px: Sequence[NDArray[np.float64]]) -> None:
        """Something matt that lies over everything."""
        for polygon in polygons_px:
            box = self._easel.box(polygon)
            if box is not None:
                self._mix(box, polygon, np.zeros((1, 1), np.float32))

    def _lay(self, card: Lying, size_mm: tuple[float, float], finish: Finish) -> None:
        outline = outline_px(self._easel.camera, card, size_mm)
        box = self._easel.box(outline)
        if box is None:
            return
        own = self._easel.own_mm(box, card.place_mm, card.angle_deg, card.bow)
        self._mix(box, outline, self._mirrored(box, card, own, finish))

    def _mix(self, box: Box, outline: NDArray[np.float64], light: Plane) -> None:
        left, top, right, bottom = box
        cover = cover_of(outline - np.array([left, top]), (right - left, bottom - top)).astype(np.float32) / 255
        area = self.light[top:bottom, left:right]
        area += (light - area) * cover

    def _mirrored(self, box: Box, card: Lying, own: NDArray[np.float32], finish: Finish) -> Plane:
        if finish.gloss <= 0:
            return np.zeros((1, 1), np.float32)
        slope = _slopes(card, own, finish)
        left, top, right, bottom = box
        place = self._easel.camera.table_map[top:bottom, left:right]
        light = np.full(own.shape[:2], ROOM_LEVEL, np.float32)
        for lamp in self._photo.lamps:
            light += lamp.level * _seen(lamp, place, slope, self._easel.camera.eye_mm, finish.rough)
        return np.asarray(finish.gloss * light, np.float32)


def _slopes(card: Lying, own: NDArray[np.float32], finish: Finish) -> NDArray[np.float32]:
    """Rise of the surface for a step to the right and down on the table (last axis)."""
    slope = np.zeros_like(own)
    if card.bow is not None:
        slope += card.bow.slope(own)
    slope += np.tan(np.radians(np.array(finish.lean_deg, np.float32)))
    if finish.wavy_deg > 0:
        slope += math.tan(math.radians(finish.wavy_deg)) * _waves(own, finish.seed)
    turn = math.radians(card.angle_deg)
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]], np.float32)
    return np.asarray(slope @ rotation.T, np.float32)


def _waves(own: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """Smooth lumps with spread 1 in both directions, fixed to the surface."""
    rng = np.random.default_rng((seed, 41))
    lumps = rng.normal(0, 1, (16, 16, 2)).astype(np.float32)
    places = own / np.float32(WAVE_MM) + np.float32(8)
    across, down = cv2.split(places)
    return np.asarray(cv2.remap(lumps, across, down, cv2.INTER_CUBIC, borderMode=cv2.BORDER_WRAP), np.float32)


def _seen(
    lamp: Lamp, place_mm: NDArray[np.float32], slope: NDArray[np.float32], eye: tuple[float, float, float], rough: float
) -> Plane:
    """Share of a lamp that each point mirrors into the lens: 1 inside its image, falling off at the image's soft edge."""
    to_eye = np.array([eye[0], eye[1]], np.float32) - place_mm
    depth = np.float32(eye[2])
    # The eye's ray, mirrored about a normal that leans by the slope, up to the lamp's height.
    normal = np.stack([-slope[..., 0], -slope[..., 1]], axis=-1)
    twice = 2 * ((normal * to_eye).sum(axis=-1) + depth) / (1 + (normal**2).sum(axis=-1))
    flat = twice[..., None] * normal - to_eye
    up = np.maximum(twice - depth, np.float32(1.0))
    hit = place_mm + flat * (np.float32(lamp.height_mm) / up)[..., None]
    soft = max(8.0, rough * lamp.height_mm)
    shares = []
    for axis, (middle, side) in enumerate(((lamp.x_mm, lamp.width_mm), (lamp.y_mm, lamp.depth_mm))):
        away = np.abs(hit[..., axis] - np.float32(middle))
        inside = _step((np.float32(side / 2) - away) / np.float32(soft))
        # An image smeared over more than the lamp's own size is the fainter for it.
        shares.append(inside * np.float32(min(1.0, side / (1.5 * soft))))
    return np.asarray(shares[0] * shares[1], np.float32)


def _step(x: Plane) -> Plane:
    """0 well below 0, 1 well above: a soft step about 0 of width 1."""
    return np.asarray(0.5 + 0.5 * np.tanh(1.5 * x), np.float32)
