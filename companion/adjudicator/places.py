"""Where cards lie on a table, by its zones: the same for every game."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from calibration.zones import Zone
from vision.observation import CardReading, Face, Polygon, SceneReading

Shares = NDArray[np.float64]
UNREADABLE = "can't be read: straighten it, or tell which it is"
"""What is said of a card for which nothing speaks."""
APART_MM = 60.0
"""Two cards whose middles are nearer than this lie over each other: they are 63 mm wide."""
MARGIN_MM = 10.0
"""A card counts as lying in a zone whose edge its middle passes by no more than this."""


class Shows(StrEnum):
    """What lies on a spot for one card, or what is on top of a pile."""

    EMPTY = "empty"
    DOWN = "down"
    UP = "up"
    UNREAD = "unread"
    """A card of which face or identity is not sure."""
    CROWDED = "crowded"
    """More than one card."""
    HIDDEN = "hidden"
    """Something lies over the spot."""


@dataclass(frozen=True, slots=True)
class OnSpot:
    """A spot for one card."""

    shows: Shows
    index: int | None = None
    """Of its card in the scene."""
    reading: CardReading | None = None

    @property
    def card(self) -> str | None:
        """The card that lies open, if it was read."""
        return self.reading.card if self.shows is Shows.UP and self.reading is not None else None


def on_spot(scene: SceneReading, zone: Zone, but: Collection[int] = ()) -> OnSpot:
    """What a scene shows of a spot for one card; `but` are cards of the scene that count for nothing.

    Beside a card that was read, a thing of which neither face nor card can be told is none.
    """
    lying = [(index, card) for index, card in cards_in(scene, zone) if index not in but]
    told = [(index, card) for index, card in lying if card.card is not None or card.face is not None]
    if any(card.card is not None or card.face is Face.DOWN for _, card in told):
        lying = told
    if len(lying) > 1:
        return OnSpot(Shows.CROWDED)
    if not lying:
        return OnSpot(Shows.HIDDEN if is_hidden(scene, zone) else Shows.EMPTY)
    index, card = lying[0]
    if card.face is Face.DOWN:
        return OnSpot(Shows.DOWN, index, card)
    return OnSpot(Shows.UP if card.card is not None else Shows.UNREAD, index, card)


def cards_in(scene: SceneReading, zone: Zone, margin_mm: float = MARGIN_MM) -> list[tuple[int, CardReading]]:
    """The cards whose middle lies in a zone, each after its place in the scene."""
    return [(index, card) for index, card in enumerate(scene.cards) if lies_in(card, zone, margin_mm)]


def lies_in(card: CardReading, zone: Zone, margin_mm: float = MARGIN_MM) -> bool:
    """Whether a card's middle lies in a zone."""
    m = margin_mm
    return zone.x_mm - m <= card.x_mm <= zone.x_mm + zone.width_mm + m and (
        zone.y_mm - m <= card.y_mm <= zone.y_mm + zone.height_mm + m
    )


def unclear(scene: SceneReading) -> frozenset[int]:
    """Things that could not be read and lie where a card was read: none of its own where cards lie side by side."""
    cards = scene.cards
    unread = [index for index, card in enumerate(cards) if card.card is None and card.face is not Face.DOWN]
    read = [card for index, card in enumerate(cards) if index not in unread]
    return frozenset(
        index
        for index in unread
        if any(math.hypot(cards[index].x_mm - card.x_mm, cards[index].y_mm - card.y_mm) < APART_MM for card in read)
    )


def is_hidden(scene: SceneReading, *zones: Zone) -> bool:
    """Whether something lies over any of the zones, so that what is not seen there may still be there."""
    return any(_overlaps(polygon, zone) for zone in zones for polygon in scene.hidden_mm)


def hidden_mm2(scene: SceneReading, zone: Zone) -> float:
    """How much of a zone something lies over, in mm²: what lies there unseen can't be larger."""
    x, y = _grid(zone, _FINE)
    covered = np.zeros(x.shape, bool)
    for polygon in scene.hidden_mm:
        covered |= _inside(polygon, x, y)
    return float(covered.mean()) * zone.width_mm * zone.height_mm


_COARSE = np.linspace(0.1, 0.9, 5)
_FINE = (np.arange(24) + 0.5) / 24


def _overlaps(polygon: Polygon, zone: Zone) -> bool:
    """Whether a polygon covers any part of a zone worth speaking of: a corner of it inside, or a point of a grid on the zone."""
    return any(zone.contains(x, y) for x, y in polygon) or bool(_inside(polygon, *_grid(zone, _COARSE)).any())


def _grid(zone: Zone, steps: Shares) -> tuple[Shares, Shares]:
    """Points of a zone at shares of its sides, mm: x and y."""
    u, v = np.meshgrid(steps, steps)
    return zone.x_mm + u * zone.width_mm, zone.y_mm + v * zone.height_mm


def _inside(polygon: Polygon, x: Shares, y: Shares) -> NDArray[np.bool_]:
    """Which points lie in a polygon, even-odd rule."""
    inside = np.zeros(x.shape, bool)
    for (x1, y1), (x2, y2) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        if y1 != y2:
            inside ^= ((y1 > y) != (y2 > y)) & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
    return inside
