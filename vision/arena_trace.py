"""A string followed step by step, from where it shows to where something hides it.

What a hand is thought to cover is often more than it does: shadows, dice beside it, the gaps between fingers. The string itself
tells: it goes on as it came, in one colour against the ground on both its sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Points = NDArray[np.float64]
Known = NDArray[np.bool_]

STEP_MM = 2.0
_SIDE_MM = 3.7
"""So far beside its middle the ground shows."""
_AHEAD_MM = (1.0, 2.0, 3.0, 4.0)
"""What lies so far ahead is averaged: twisted strings change their colour along the way."""
_BENDS = np.radians(np.arange(-24.0, 25.0, 6.0))
_LIKE = (0.5, 1.9)
"""How strongly what goes on may differ from the ground, beside what is known of the string."""
_LIKE_SIDE = 0.3
_STRAY = 0.75
"""How far what goes on may differ in colour, as a share of the string's own difference to the ground."""
_GAP_STEPS = 3
"""Steps without a string after which it is lost."""
_CLOSED_MM = 5.0
_MOST_STEPS = 800


@dataclass(frozen=True, slots=True, eq=False)
class StringLook:
    """How a string differs from the ground, natural logarithm of light, 3 channels."""

    step: Points

    @property
    def strength(self) -> float:
        return float(np.linalg.norm(self.step))


class Tracer:
    """Follows strings in a picture of the table from straight above. Points are mm from its corner."""

    def __init__(self, light: Singles, px_per_mm: float) -> None:
        self.light, self.px_per_mm = light, px_per_mm

    def sides(self, points: Points, along: Points) -> tuple[Points, Points]:
        """How the picture at points (N, 2) differs from its left and from its right, N x 3 each."""
        normal = np.column_stack([along[:, 1], -along[:, 0]])
        grid = points[:, None] + normal[:, None] * np.array([-_SIDE_MM, -0.4, 0.4, _SIDE_MM])[None, :, None]
        place = (grid * self.px_per_mm - 0.5).astype(np.float32)
        flat = np.asarray(cv2.remap(self.light, place[..., 0], place[..., 1], cv2.INTER_LINEAR), np.float64)
        middle = (flat[:, 1] + flat[:, 2]) / 2
        return middle - flat[:, 0], middle - flat[:, 3]

    def look(self, points: Points) -> StringLook:
        """What is usual of a string along a known stretch of it."""
        left, right = self.sides(points, _directions(points))
        return StringLook(np.median((left + right) / 2, axis=0))

    def follow(
        self, start: Points, heading: Points, look: StringLook, goal: Points | None = None
    ) -> tuple[Points, bool]:
        """The string's middle from a point on, N x 2, up to where it is lost; and whether it led to the goal."""
        height, width = self.light.shape[:2]
        place, way = start.astype(np.float64), heading / max(float(np.linalg.norm(heading)), 1e-9)
        found, lost = [place], 0
        for number in range(_MOST_STEPS):
            bend, like = self._best_bend(place, way, look)
            lost = 0 if like else lost + 1
            if lost > _GAP_STEPS:
                break
            way = _turned(way, bend) if like else way
            place = place + STEP_MM * way
            if not (0 < place[0] < width / self.px_per_mm and 0 < place[1] < height / self.px_per_mm):
                lost += 1
                break
            found.append(place)
            if goal is not None and number > 2 and float(np.hypot(*(place - goal))) < _CLOSED_MM and lost == 0:
                return np.array(found), True
        return np.array(found[: max(len(found) - lost, 1)]), False

    def _best_bend(self, place: Points, way: Points, look: StringLook) -> tuple[float, bool]:
        """By how much the string bends at a place, and whether it is there at all."""
        ways = np.array([_turned(way, bend) for bend in _BENDS])
        ahead = np.array(_AHEAD_MM)
        points = place + ways[:, None] * ahead[None, :, None]
        left, right = self.sides(points.reshape(-1, 2), np.repeat(ways, len(ahead), axis=0))
        left, right = (side.reshape(len(ways), len(ahead), 3).mean(axis=1) for side in (left, right))
        both = (left + right) / 2
        square = look.strength**2
        share = both @ look.step / square
        least = np.minimum(left @ look.step, right @ look.step) / square
        stray = np.linalg.norm(both - share[:, None] * look.step, axis=1) / look.strength
        worth = share - 0.5 * stray - 0.1 * np.abs(_BENDS)
        best = int(np.argmax(worth))
        like = _LIKE[0] <= share[best] <= _LIKE[1] and least[best] >= _LIKE_SIDE and stray[best] <= _STRAY
        return float(_BENDS[best]), bool(like)


def carried_on(tracer: Tracer, points: Points, known: Known, step_mm: float) -> tuple[Points, Known]:
    """A closed course (N, 2) whose unknown stretches are followed from both ends as far as the string shows.

    What is still unknown comes in points about a step apart, not yet led as a curve.
    """
    count = len(points)
    if known.all() or known.sum() < 8:
        return points, known
    look = tracer.look(points[known])
    start = int(np.flatnonzero(known & ~np.roll(known, -1))[0])
    order = [(start + 1 + i) % count for i in range(count)]
    new_points: list[Points] = []
    new_known: list[Known] = []
    i = 0
    while i < count:
        j = i
        while j < count and known[order[j]] == known[order[i]]:
            j += 1
        if known[order[i]]:
            new_points.append(points[order[i:j]])
            new_known.append(np.ones(j - i, np.bool_))
        else:
            before, after = points[order[i - 1]], points[order[j % count]]
            stretch, seen = _bridge(
                tracer,
                look,
                before,
                before - points[order[i - 3]],
                after,
                after - points[order[(j + 2) % count]],
                step_mm,
            )
            new_points.append(stretch)
            new_known.append(seen)
        i = j
    return np.vstack(new_points), np.concatenate(new_known)


def _bridge(
    tracer: Tracer, look: StringLook, one: Points, leaving: Points, other: Points, back: Points, step_mm: float
) -> tuple[Points, Known]:
    """What lies between two known points of the string."""
    first, closed = tracer.follow(one, leaving, look, other)
    if closed:
        return first, np.ones(len(first), np.bool_)
    second, closed = tracer.follow(other, back, look, one)
    if closed:
        return second[::-1], np.ones(len(second), np.bool_)
    first, second = _met(first, second)
    gap = float(np.hypot(*(second[-1] - first[-1])))
    count = max(int(1.15 * gap / step_mm), 1)
    share = (np.arange(1, count + 1) / (count + 1))[:, None]
    between = first[-1] * (1 - share) + second[-1] * share
    seen = np.concatenate([np.ones(len(first), np.bool_), np.zeros(count, np.bool_), np.ones(len(second), np.bool_)])
    return np.vstack([first, between, second[::-1]]), seen


def _met(first: Points, second: Points) -> tuple[Points, Points]:
    """Two ways cut off where they pass each other: one of them went astray there, or both are the same string."""
    off = np.linalg.norm(first[:, None] - second[None], axis=2)
    near = np.argwhere(off < _CLOSED_MM)
    if not len(near):
        return first, second
    i, j = near[np.argmin(near.sum(axis=1))]
    return first[: i + 1], second[: j + 1]


def _directions(points: Points) -> Points:
    along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    return np.asarray(along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9))


def _turned(way: Points, angle: float) -> Points:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([cosine * way[0] - sine * way[1], sine * way[0] + cosine * way[1]])
