"""How a card lies: its size, its bend and its outline in the picture, for whoever draws it, lights it or says where it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hardware.camera.base import Image
from hardware.virtual.lens import Points, VirtualCameraModel
from hardware.virtual.paint import Bow, Place
from hardware.virtual.scene import CardOnTable, Finish

MATT = Finish()
Size = tuple[float, float]
"""Width and height of a card in its own frame, mm."""


@dataclass(frozen=True, slots=True)
class Lying:
    """A card as it lies on the table."""

    place_mm: Place
    angle_deg: float
    size_mm: Size
    lift_mm: float
    finish: Finish
    bow: Bow | None


def size_of(art: Image, card_mm: Size) -> Size:
    """A card's sides in its own frame: a deck may hold landscape prints beside portrait ones."""
    upright, landscape = card_mm[1] >= card_mm[0], art.shape[1] > art.shape[0]
    return (card_mm[1], card_mm[0]) if upright == landscape else card_mm


def sizes_of(art: Mapping[str, Image], card_mm: Size) -> dict[str, Size]:
    """The sides of every card of a deck, by its art."""
    return {name: size_of(picture, card_mm) for name, picture in art.items()}


def lying(card: CardOnTable, size_mm: Size) -> Lying:
    """How a card of these sides lies."""
    finish = card.finish or MATT
    bow = None
    if finish.bow_mm != 0 and card.lift_mm <= 0:
        turn = math.radians(finish.bow_turn_deg)
        span = size_mm[0] * abs(math.cos(turn)) + size_mm[1] * abs(math.sin(turn))
        bow = Bow(finish.bow_mm, finish.bow_turn_deg, span)
    return Lying((card.x_mm, card.y_mm), card.angle_deg, size_mm, max(0.0, card.lift_mm), finish, bow)


def corners_mm(card: Lying) -> Points:
    """Where its corners lie on the table: top left, top right, bottom right, bottom left of its own frame, 4 x 2."""
    return _on_table(card, _corners(card.size_mm))


def corners_px(camera: VirtualCameraModel, card: Lying) -> Points:
    """Top left, top right, bottom right, bottom left of the card's own frame, where the picture shows them, 4 x 2."""
    return _seen(camera, card, _corners(card.size_mm))


def outline_px(camera: VirtualCameraModel, card: Lying, size_mm: Size | None = None) -> Points:
    """The polygon that the picture shows of the card, or of a piece of another size that lies as it does."""
    corners = _corners(size_mm or card.size_mm)
    steps = 1 if card.bow is None else 12
    share = (np.arange(steps) / steps)[:, None]
    sides = [corners[n] + (corners[(n + 1) % 4] - corners[n]) * share for n in range(4)]
    return _seen(camera, card, np.concatenate(sides))


def _corners(size_mm: Size) -> Points:
    return np.asarray(np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(size_mm) / 2, np.float64)


def _on_table(card: Lying, own_mm: Points) -> Points:
    turn = math.radians(card.angle_deg)
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    return np.asarray(own_mm @ rotation.T + np.array(card.place_mm), np.float64)


def _seen(camera: VirtualCameraModel, card: Lying, own_mm: Points) -> Points:
    places = _on_table(card, own_mm)
    if card.bow is None:
        return camera.project(places, card.lift_mm)
    heights = card.bow.height(own_mm.astype(np.float32))
    return np.concatenate([camera.project(place, float(h)) for place, h in zip(places, heights, strict=True)])
