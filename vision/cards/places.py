"""How two placements of a card stand to one another."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.cards.outlines import Placement

_SAME_CARD_MM = 9.0
_SAME_MM = 2.5
_SAME_DEG = 4.0


class Spots:
    """Placements that are kept, one a spot. Most of thousands lie beside none: they are looked for in squares of a lattice."""

    def __init__(self) -> None:
        self._squares: dict[tuple[int, int], list[Placement]] = {}

    def has(self, x: float, y: float, angle: float) -> bool:
        """Whether one that is kept proposes the same card."""
        column, row = _square(x, y)
        return any(
            same_spot(other, x, y, angle)
            for i in (column - 1, column, column + 1)
            for j in (row - 1, row, row + 1)
            for other in self._squares.get((i, j), ())
        )

    def keep(self, placement: Placement) -> None:
        self._squares.setdefault(_square(placement.x_mm, placement.y_mm), []).append(placement)


def _square(x: float, y: float) -> tuple[int, int]:
    return math.floor(x / _SAME_MM), math.floor(y / _SAME_MM)


def same_spot(other: Placement, x: float, y: float, angle: float) -> bool:
    """Whether a placement, half turns aside, is so near that it proposes the same card."""
    turn = abs((other.angle_deg - angle + 90) % 180 - 90)
    return abs(other.x_mm - x) < _SAME_MM and abs(other.y_mm - y) < _SAME_MM and turn < _SAME_DEG


def first_of_each_place(raw: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of rows in order, those that no earlier one lies beside; about, on a lattice."""
    places = np.round(raw[order] / (2.0, 2.0, 4.0))
    return order[np.sort(np.unique(places, axis=0, return_index=True)[1])]


def distinct(placements: Sequence[Placement]) -> list[Placement]:
    """The first of each place."""
    kept, spots = [], Spots()
    for placement in placements:
        if not spots.has(placement.x_mm, placement.y_mm, placement.angle_deg):
            kept.append(placement)
            spots.keep(placement)
    return kept


def on_table(placement: Placement, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of a card, mm from its middle (... x 2), where they lie on the table, mm."""
    turn = np.radians(placement.angle_deg)
    cos, sin = np.cos(turn), np.sin(turn)
    turned = points @ np.array([[cos, sin], [-sin, cos]])
    return np.asarray(turned + np.array([placement.x_mm, placement.y_mm]), np.float64)


def half_turned(placement: Placement) -> Placement:
    """The same rectangle, its top where its bottom was."""
    turned = placement.angle_deg + 180
    return Placement(placement.x_mm, placement.y_mm, turned, placement.support, placement.weakest)


def distance(a: Placement, b: Placement) -> float:
    """Between the middles, mm."""
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def very_near(a: Placement, b: Placement) -> bool:
    """Whether the two are one place, pulled there twice; the top is told too."""
    turn = abs((a.angle_deg - b.angle_deg + 180) % 360 - 180)
    return abs(a.x_mm - b.x_mm) < 1.2 and abs(a.y_mm - b.y_mm) < 1.2 and turn < 1.5


def same_place(a: Placement, b: Placement, width_mm: float) -> bool:
    """Whether two placements can't be two cards."""
    reach = min(_SAME_CARD_MM, width_mm / 6)
    # Most of the pairs that are asked about lie far apart.
    if abs(a.x_mm - b.x_mm) >= reach or abs(a.y_mm - b.y_mm) >= reach:
        return False
    return distance(a, b) < reach and abs((a.angle_deg - b.angle_deg + 90) % 180 - 90) < 12
