"""Points of the table where a die may have touched first, drawn by chance, and on which side of the string they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arena import Arena
from vision.dice.track_flight import TouchDown
from vision.dice.track_side import EVEN_REACH
from vision.observation import Point

Floats = NDArray[np.float64]

SURE = 0.98
"""Chance above which a side of the string is told."""
BAND = 2.3
"""The half-width of a touch's band of places, over its standard deviation."""


@dataclass(frozen=True, slots=True, eq=False)
class Contacts:
    """Points where a die may have touched first, drawn by chance."""

    points: Floats
    """N x 2, mm."""
    chances: Floats

    def mixed(self, other: Contacts | None) -> Contacts:
        """These or others, whose chances say how likely it was one of them."""
        if other is None:
            return self
        less = self.chances * (1 - other.chances.sum()) / self.chances.sum()
        return Contacts(np.concatenate([self.points, other.points]), np.concatenate([less, other.chances]))

    def within(self, share: float) -> tuple[Point, float]:
        """Their middle, and how far from it so much of them lies, mm."""
        middle = (self.points * self.chances[:, None]).sum(axis=0) / self.chances.sum()
        away = np.hypot(*(self.points - middle).T)
        order = np.argsort(away)
        held = int(np.searchsorted(np.cumsum(self.chances[order]), share * self.chances.sum()))
        return (float(middle[0]), float(middle[1])), float(away[order][min(held, len(order) - 1)])


def anywhere(found: TouchDown, size_mm: float) -> Contacts:
    """Where a die may have touched of whose turn nothing is known."""
    across, down = np.meshgrid(np.linspace(-1, 1, 25), np.linspace(-1, 1, 25))
    even = np.hypot(across, down) <= 1
    reach = EVEN_REACH * size_mm
    points = np.column_stack([found.x_mm + reach * across[even], found.y_mm + reach * down[even]])
    off = np.random.default_rng(3).normal(0, found.err_mm / BAND, points.shape)
    return Contacts(points + off, np.full(len(points), 1 / len(points)))


def side_of(contacts: Contacts, arena: Arena, spread_mm: float) -> bool | None:
    """On which side of the string's middle line all but a small share of the points are; None where that can't be told, and where
    the point that as many are farther in as farther out lies on the string itself."""
    depths = np.array([arena.distance(float(x), float(y)) for x, y in contacts.points])
    known = np.array([not _may_lie_elsewhere(arena, point, spread_mm) for point in contacts.points])
    least = SURE * contacts.chances.sum()
    middle, half = _weighed_median(depths, contacts.chances), arena.width_mm / 2
    if middle > half and contacts.chances[known & (depths > 0)].sum() >= least:
        return True
    return False if middle < -half and contacts.chances[known & (depths < 0)].sum() >= least else None


def _may_lie_elsewhere(arena: Arena, point: Floats, spread_mm: float) -> bool:
    """Whether a hidden stretch of the string is so near that it may run on the point's other side."""
    return any(arena.unseen) and arena.inside(float(point[0]), float(point[1]), 2 * spread_mm) is None


def _weighed_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values)
    sums = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(sums, 0.5 * sums[-1])])
