"""On which side of the string a die first touched the table.

What counts is the point of the table that the die touches first (Hoshi Battle, Rules of the Duel): not where its middle hangs,
which is up to two thirds of the die's size beside it. So the die's turn at the touch is read where a picture shows it, and where
none does every side is as likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from vision.arena import Arena, ArenaState
from vision.dice.eye import Eye
from vision.dice.track_flight import TOUCH_HEIGHT, Place, TouchDown
from vision.dice.track_still import Look
from vision.dice.track_turn import GRID, Sight, anywhere, axes_of, lowest_corner
from vision.observation import Point
from vision.table import TablePose

Floats = NDArray[np.float64]

SURE = 0.975
"""Chance above which a side of the string is told."""
_BAND = 2.3
"""The half-width of a touch's band of places, over its standard deviation."""
_LEAST_CHANCE = 2e-4
_SLOW_S = 0.012
"""With pictures farther apart a die may touch before it is seen often enough to tell."""
_TOGETHER_S = 0.009
_AGREE = 0.5
"""How far the chances read from two pictures must overlap, 1 where they are the same."""
_NEAR_S = 0.02
"""A picture farther from the touch does not show how the die was turned."""


@dataclass(frozen=True, slots=True)
class TrackedDie:
    """A die to be followed."""

    name: str
    bgr: tuple[int, int, int]
    """As the camera shows it (`track_colour.colour_at`)."""
    size_mm: float
    """Distance of two opposite faces."""
    sides: int | None = None
    """8 or 10; None where it isn't known: then its turn at the touch is not read."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A first touch of the table."""

    t_ns: int
    t_err_ns: int
    x_mm: float
    """Where the die's middle hung over the table."""
    y_mm: float
    err_mm: float
    """Half-width of the band of that."""
    contact_mm: Point
    """The likeliest point of the table that it touched."""
    inside: bool | None
    """Of that point; None where the string is too near to tell: to be asked."""
    depth_mm: float | None
    """How far inside the string's middle line it is; None without one Arena."""


@dataclass(frozen=True, slots=True)
class TouchJudge:
    """Tells on which side of the string touches were."""

    pose: TablePose
    eye: Eye

    def judged(
        self, found: TouchDown, way: Sequence[Place], looks: Sequence[Look], die: TrackedDie, arena: Arena | None
    ) -> Touch:
        """A touch found on a die's way, of which these pictures were kept."""
        chances = self._lowest(found, way, looks, die)
        across, down = np.meshgrid(GRID * die.size_mm, GRID * die.size_mm)
        contact = (
            found.x_mm + float((chances * across).sum()),
            found.y_mm + float((chances * down).sum()),
        )
        depth = inside = None
        if arena is not None and arena.state in {ArenaState.FOUND, ArenaState.HELD}:
            depth = arena.distance(*contact)
            inside = self._side(found, chances, across, down, arena)
            if inside is not None and not _on_one_side(found, way, arena, inside):
                inside = None
        t_ns, err_ns = round(found.t_s * 1e9), round(found.t_err_s * 1e9)
        return Touch(t_ns, err_ns, found.x_mm, found.y_mm, found.err_mm, contact, inside, depth)

    def _side(self, found: TouchDown, chances: Floats, across: Floats, down: Floats, arena: Arena) -> bool | None:
        likely = chances > _LEAST_CHANCE
        spread = found.err_mm / _BAND
        inside = outside = 0.0
        for chance, x, y in zip(chances[likely], across[likely], down[likely], strict=True):
            at = (found.x_mm + float(x), found.y_mm + float(y))
            if any(arena.unseen) and arena.inside(*at, 2 * spread) is None:
                # Beside a hidden stretch the string may lie elsewhere.
                continue
            depth, half = arena.distance(*at), arena.width_mm / 2
            inside += float(chance) * _share((depth - half) / spread)
            outside += float(chance) * _share((-depth - half) / spread)
        # What is hardly likely was left out: it may lie anywhere.
        if inside >= SURE:
            return True
        return False if outside >= SURE else None

    def _lowest(self, found: TouchDown, way: Sequence[Place], looks: Sequence[Look], die: TrackedDie) -> Floats:
        """Chances of where beside its middle the die touched."""
        read = []
        for place in sorted(way, key=lambda place: abs(place.t_s - found.t_s))[:2]:
            late = place.t_s - found.t_s
            sight = self._sight(place, looks, die) if abs(late) <= _NEAR_S else None
            if sight is not None and die.sides is not None:
                read.append((late, lowest_corner(die.sides, sight, late)))
        if not read:
            return anywhere()
        (first, near), (second, other) = read[0], read[-1]
        if first * second >= 0 or abs(first - second) > _TOGETHER_S or np.sqrt(near * other).sum() < _AGREE:
            return near
        # One just before and one just after it: together they tell more than either.
        both = near * other
        return np.asarray(both / both.sum())

    def _sight(self, place: Place, looks: Sequence[Look], die: TrackedDie) -> Sight | None:
        """The picture in which the die was seen there."""
        look = next((look for look in looks if abs(look.t_ns / 1e9 - place.t_s) < 1e-6 and look.own is not None), None)
        if look is None or look.own is None or not np.isfinite(self.eye.height):
            return None
        height = TOUCH_HEIGHT * die.size_mm
        foot = self.eye.foot(place.x_mm, place.y_mm, height)
        toward = np.array([self.eye.x - foot[0], self.eye.y - foot[1], self.eye.height - height])
        toward /= np.linalg.norm(toward)
        # Steps along the view's axes as they show on the table's plane, then in the picture.
        axes = axes_of(toward) * die.size_mm
        steps = self.eye.height / (self.eye.height - height) * (axes[:, :2] - axes[:, 2:] * toward[:2] / toward[2])
        points = [(place.x_mm, place.y_mm), *((place.x_mm + dx, place.y_mm + dy) for dx, dy in steps)]
        middle, first, second = self.pose.to_px(points)
        at = (float(middle[0]) - look.left, float(middle[1]) - look.top)
        return Sight(look.part, look.own, at, np.column_stack([first - middle, second - middle]), toward, die.bgr)


def _on_one_side(found: TouchDown, way: Sequence[Place], arena: Arena, inside: bool) -> bool:
    """Whether an earlier touch, which pictures far apart would not show, changed nothing."""
    if len(way) < 2 or way[1].t_s - way[0].t_s < _SLOW_S:
        return True
    earlier = [(2 * way[0].x_mm - way[1].x_mm, 2 * way[0].y_mm - way[1].y_mm)]
    earlier += [(place.x_mm, place.y_mm) for place in way if place.t_s < found.t_s]
    return all((arena.distance(x, y) > 0) == inside for x, y in earlier)


def _share(off: float) -> float:
    """Of a normal distribution, what lies below so many standard deviations."""
    return 0.5 * (1 + erf(off / sqrt(2)))
