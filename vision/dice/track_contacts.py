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
    """On which side of the string all but a small share of the points are."""
    inside = outside = 0.0
    half = arena.width_mm / 2
    for chance, (x, y) in zip(contacts.chances, contacts.points, strict=True):
        at = (float(x), float(y))
        if any(arena.unseen) and arena.inside(*at, 2 * spread_mm) is None:
            # Beside a hidden stretch the string may lie elsewhere.
            continue
        depth = arena.distance(*at)
        inside += float(chance) * (depth > half)
        outside += float(chance) * (depth < -half)
    if inside >= SURE * contacts.chances.sum():
        return True
    return False if outside >= SURE * contacts.chances.sum() else None
