"""A string followed step by step, from where it shows to where something hides it.

What a hand is thought to cover is often more than it does: shadows, dice beside it, the gaps between fingers. The string itself
tells: it goes on as it came, in one colour against the ground on both its sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.course import runs

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
        left, right = self.sides(points, directions(points))
        return StringLook(np.median((left + right) / 2, axis=0))

    def follow(
        self, start: Points, heading: Points, look: StringLook, goals: Points | None = None
    ) -> tuple[Points, int]:
        """The string's middle from a point on, N x 2, up to where it is lost; and which of the goals (M, 2) it led to, or -1."""
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
            if goals is not None and number > 2 and lost == 0:
                off = np.linalg.norm(goals - place, axis=1)
                if off.min() < _CLOSED_MM:
                    return np.array(found), int(off.argmin())
        return np.array(found[: max(len(found) - lost, 1)]), -1

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
    if known.all() or known.sum() < 8:
        return points, known
    look = tracer.look(points[known])
    stretches = [points[run] for run in runs(known)]
    if any(len(stretch) < _LEAST_STRETCH for stretch in stretches):
        stretches = [stretch for stretch in stretches if len(stretch) >= _LEAST_STRETCH]
    if not stretches:
        return points, known
    pieces: list[tuple[Points, Known]] = []
    for number in range(len(stretches)):
        after = (number + 1) % len(stretches)
        stretches[number], between, seen, stretches[after] = _bridge(
            tracer, look, stretches[number], stretches[after], step_mm, alone=len(stretches) == 1
        )
        pieces.append((between, seen))
    course = [part for stretch, (between, _) in zip(stretches, pieces, strict=True) for part in (stretch, between)]
    shown = [
        part
        for stretch, (_, seen) in zip(stretches, pieces, strict=True)
        for part in (np.ones(len(stretch), np.bool_), seen)
    ]
    return np.vstack(course), np.concatenate(shown)


def _bridge(
    tracer: Tracer, look: StringLook, before: Points, after: Points, step_mm: float, *, alone: bool
) -> tuple[Points, Points, Known, Points]:
    """The known stretch before, what lies between, where it was seen, and the known stretch after.

    The ends of known stretches lead astray at times, along a shadow or a finger: they are left out where the string passes them.
    `alone`: both stretches are one and the same.
    """
    onward, cut, hit = _followed(tracer, look, before, after[:_GOALS])
    if hit >= 0:
        kept = before[: len(before) - cut]
        if alone:
            kept = kept[hit:]
        return kept, onward, np.ones(len(onward), np.bool_), kept if alone else after[hit:]
    back, cut_back, hit = _followed(tracer, look, after[::-1], before[::-1][:_GOALS])
    if hit >= 0:
        kept = after[cut_back:]
        if alone:
            kept = kept[: len(kept) - hit]
        between = back[::-1]
        return kept if alone else before[: len(before) - hit], between, np.ones(len(between), np.bool_), kept
    onward, back = _met(onward, back)
    kept, rest = before[: len(before) - cut], after[cut_back:]
    if alone:
        kept = rest = before[cut_back : len(before) - cut]
    gap = float(np.hypot(*(back[-1] - onward[-1])))
    count = max(int(1.15 * gap / step_mm), 1)
    share = (np.arange(1, count + 1) / (count + 1))[:, None]
    unseen = onward[-1] * (1 - share) + back[-1] * share
    seen = np.concatenate([np.ones(len(onward), np.bool_), np.zeros(count, np.bool_), np.ones(len(back), np.bool_)])
    return kept, np.vstack([onward, unseen, back[::-1]]), seen, rest


def _followed(tracer: Tracer, look: StringLook, known: Points, goals: Points) -> tuple[Points, int, int]:
    """The string from the end of a known stretch on, how many of the stretch's last points it leaves out, and the goal or -1."""
    best: tuple[Points, int, int] | None = None
    for cut in _CUTS:
        if len(known) - cut < 3:
            break
        end = len(known) - 1 - cut
        path, hit = tracer.follow(known[end], known[end] - known[end - 2], look, goals)
        if hit >= 0:
            return path, cut, hit
        if best is None or len(path) - 2 * cut > len(best[0]) - 2 * best[1]:
            best = path, cut, -1
    return best if best is not None else (known[-1:], 0, -1)


_LEAST_STRETCH = 3
_GOALS = 14
_CUTS = (0, 3, 7)
"""So many of a known stretch's last points may be wrong."""


def _met(first: Points, second: Points) -> tuple[Points, Points]:
    """Two ways cut off where they pass each other: one of them went astray there, or both are the same string."""
    off = np.linalg.norm(first[:, None] - second[None], axis=2)
    near = np.argwhere(off < _CLOSED_MM)
    if not len(near):
        return first, second
    i, j = near[np.argmin(near.sum(axis=1))]
    return first[: i + 1], second[: j + 1]


def directions(points: Points) -> Points:
    """Which way a closed course runs at each of its points, N x 2 of length 1."""
    along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    return np.asarray(along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9))


def _turned(way: Points, angle: float) -> Points:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([cosine * way[0] - sine * way[1], sine * way[0] + cosine * way[1]])
