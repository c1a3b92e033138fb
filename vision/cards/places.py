"""How two placements of a card stand to one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.cards.outlines import Placement

_SAME_CARD_MM = 9.0


def first_of_each_place(raw: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of rows in order, those that no earlier one lies beside; about, on a lattice."""
    places = np.round(raw[order] / (2.0, 2.0, 4.0))
    return order[np.sort(np.unique(places, axis=0, return_index=True)[1])]


def distinct(placements: Sequence[Placement]) -> list[Placement]:
    """The first of each place."""
    kept: list[Placement] = []
    for placement in placements:
        if not any(_near(placement, other) for other in kept):
            kept.append(placement)
    return kept


def _near(a: Placement, b: Placement) -> bool:
    turn = abs((a.angle_deg - b.angle_deg + 90) % 180 - 90)
    return abs(a.x_mm - b.x_mm) < 2.5 and abs(a.y_mm - b.y_mm) < 2.5 and turn < 4


def half_turned(placement: Placement) -> Placement:
    turned = placement.angle_deg + 180
    return Placement(placement.x_mm, placement.y_mm, turned, placement.support, placement.weakest)


def distance(a: Placement, b: Placement) -> float:
    return float(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm))


def very_near(a: Placement, b: Placement) -> bool:
    turn = abs((a.angle_deg - b.angle_deg + 180) % 360 - 180)
    return abs(a.x_mm - b.x_mm) < 1.2 and abs(a.y_mm - b.y_mm) < 1.2 and turn < 1.5


def same_place(a: Placement, b: Placement, width_mm: float) -> bool:
    """Whether two placements can't be two cards."""
    turn = abs((a.angle_deg - b.angle_deg + 90) % 180 - 90)
    return distance(a, b) < min(_SAME_CARD_MM, width_mm / 6) and turn < 12
