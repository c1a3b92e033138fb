"""The Arena: a loop of string on the table, found on any ground and in any colour.

A string is a narrow band that differs from the ground on both its sides alike; the Arena is what such a band encloses. Dice and
hands may hide parts of it: there its course is carried on from what shows, and said to be unseen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arena_band import PX_PER_MM
from vision.arena_closed import closed_loops
from vision.arena_open import of_one_string, open_loops
from vision.arena_view import COURSE_STEP_MM, FINE_PX_PER_MM, Loop, Points, View, sampled
from vision.course import bridged, normals, without_glimpses
from vision.frame import Image
from vision.observation import Polygon
from vision.table import TablePose


class ArenaState(StrEnum):
    """What is known of the Arena."""

    FOUND = "found"
    NONE = "none"
    """No closed string in sight."""
    SEVERAL = "several"
    """Two or more: which one counts can't be told. The polygon is the largest's."""
    HELD = "held"
    """Too much of it is hidden now: the polygon is that of an earlier picture."""


@dataclass(frozen=True, slots=True)
class Arena:
    """The loop on the table."""

    polygon_mm: Polygon
    """The middle of the string, corners in order, the last joined to the first; empty without a loop."""
    width_mm: float
    """The string's own width: so near to its middle, nothing is said to be inside or outside."""
    state: ArenaState
    unseen: tuple[bool, ...] = ()
    """For each corner whether the string was hidden there and its course is a guess; empty: all was seen."""
    colour: tuple[int, int, int] | None = None
    """Red, green, blue of the string as it shows in the picture."""
    confidence: float = 1.0

    def distance(self, x: float, y: float) -> float:
        """How far a point of the table is inside the loop (positive) or outside (negative), mm to the string's middle.

        Raises ValueError without a loop.
        """
        if len(self.polygon_mm) < 3:
            raise ValueError("there is no loop to be inside of")
        contour = np.asarray(self.polygon_mm, np.float32).reshape(-1, 1, 2)
        return float(cv2.pointPolygonTest(contour, (float(x), float(y)), measureDist=True))

    def inside(self, x: float, y: float, give_mm: float = 0.0) -> bool | None:
        """Whether a point is inside the loop; None where that can't be told: on the string or nearer to it than `give_mm` more
        than its own width, beside a hidden stretch of it, or where there is no loop or more than one."""
        if not self.is_one:
            return None
        off = self.distance(x, y)
        if abs(off) <= self.width_mm + give_mm or abs(off) <= self._doubt_at(x, y):
            return None
        return off > 0

    @property
    def is_one(self) -> bool:
        """Whether there is a loop, and only one."""
        return self.state in {ArenaState.FOUND, ArenaState.HELD}

    def _doubt_at(self, x: float, y: float) -> float:
        """How far off the string may be where it is nearest to a point, mm: more in the middle of a long hidden stretch."""
        if not any(self.unseen):
            return 0.0
        corners, unseen = np.asarray(self.polygon_mm), without_glimpses(self.unseen)
        nearest = int(np.argmin(np.hypot(corners[:, 0] - x, corners[:, 1] - y)))
        if not unseen[nearest]:
            return 0.0
        count, run = len(corners), 1
        for way in (1, -1):
            at = nearest
            while run < count and unseen[(at + way) % count]:
                at, run = at + way, run + 1
        share = _UNSEEN_SHARE if run < _MUCH_UNSEEN * count else _MUCH_UNSEEN_SHARE
        return max(share * run * COURSE_STEP_MM, _LEAST_DOUBT_MM)


_UNSEEN_SHARE = 0.13
"""A string that is hidden for so long may lie this share of the length off the guess."""
_MUCH_UNSEEN, _MUCH_UNSEEN_SHARE = 0.45, 0.3
"""And where nearly half of the loop is hidden in one stretch: the guess cuts short what may bulge as far as the rest does."""
_LEAST_DOUBT_MM = 8.0
"""Where even a short stretch is hidden: by a die that may lie on it."""
NO_ARENA = Arena((), 0.0, ArenaState.NONE, (), None, 0.0)


def find_arena(
    image: Image, pose: TablePose, hidden_mm: Sequence[Polygon] = (), dice_mm: Sequence[Polygon] = ()
) -> Arena:
    """The loop on the table. `hidden_mm`: what hands cover; `dice_mm`: outlines of dice as they show on the table's plane."""
    view = View(image, pose, hidden_mm, dice_mm)
    loops = _loops_of(view)
    if not loops:
        return NO_ARENA
    state = ArenaState.FOUND if len(loops) == 1 else ArenaState.SEVERAL
    return _arena(view, max(loops, key=lambda loop: loop.area), state)


def arena_at(
    image: Image,
    pose: TablePose,
    at_mm: tuple[float, float],
    hidden_mm: Sequence[Polygon] = (),
    dice_mm: Sequence[Polygon] = (),
) -> Arena:
    """The one loop that somebody points at: on its string, or anywhere inside of it; no arena where none is there."""
    view = View(image, pose, hidden_mm, dice_mm)
    meant = _meant(_loops_of(view), view.px(np.array(at_mm)))
    return NO_ARENA if meant is None else _arena(view, meant, ArenaState.FOUND)


def _loops_of(view: View) -> list[Loop]:
    """Closed strings, the best borne out first; without any, one that shows in part."""
    return of_one_string(view, closed_loops(view)) or open_loops(view)


def _meant(loops: Sequence[Loop], at_px: Points) -> Loop | None:
    """The loop on whose string a point lies, else the smallest one around it."""
    off = [
        cv2.pointPolygonTest(loop.points.astype(np.float32), (float(at_px[0]), float(at_px[1])), measureDist=True)
        for loop in loops
    ]
    tried = list(zip(off, loops, strict=True))
    near = min(tried, key=lambda each: abs(each[0]), default=None)
    if near is not None and abs(near[0]) <= _POINTED_MM * PX_PER_MM:
        return near[1]
    return min((loop for inside, loop in tried if inside > 0), key=lambda loop: loop.area, default=None)


_POINTED_MM = 7.0
"""A finger points no more precisely."""


def _arena(view: View, loop: Loop, state: ArenaState) -> Arena:
    """A loop's course at full sharpness."""
    points, seen = _sharpened(view, loop)
    width, colour = _string(view, points, seen)
    corners = tuple((round(float(x), 2), round(float(y), 2)) for x, y in view.mm(points))
    unseen = tuple(bool(not s) for s in seen)
    return Arena(corners, width, state, unseen if any(unseen) else (), colour, loop.borne_out)


def _sharpened(view: View, loop: Loop) -> tuple[Points, NDArray[np.bool_]]:
    """The course led along the middle of the string in the sharp picture, smooth, and where it was seen."""
    points, seen = loop.points, loop.seen
    scale = FINE_PX_PER_MM / PX_PER_MM
    for _ in range(2):
        offsets = np.arange(-3.0, 3.01, 0.25)
        normal = normals(points)
        grid = points[:, None] + normal[:, None] * (offsets * PX_PER_MM)[None, :, None]
        profile = sampled(view.fine, (grid + 0.5) * scale - 0.5)
        profile = (np.roll(profile, 1, axis=0) + 2 * profile + np.roll(profile, -1, axis=0)) / 4
        strength = _profile_band(profile)
        at = _peak(strength, offsets)
        at = np.where(seen, at, 0.0)
        at = (np.roll(at, 1) + 2 * at + np.roll(at, -1)) / 4
        points = bridged(points + normal * (at * PX_PER_MM)[:, None], seen)
    return points, seen


def _profile_band(profile: Points) -> Points:
    """For profiles (N, M, 3) across the string, how like the middle of a band each place is, (N, M)."""
    best = np.zeros(profile.shape[:2])
    count = profile.shape[1]
    for reach in (6, 9):
        for i in range(count):
            left, right = max(i - reach, 0), min(i + reach, count - 1)
            near = profile[:, max(i - 2, 0) : i + 3].mean(axis=1)
            a, b = near - profile[:, left], near - profile[:, right]
            both = (a * b).sum(axis=1)
            value = np.sqrt(np.clip(np.minimum(np.minimum((a * a).sum(axis=1), (b * b).sum(axis=1)), both), 0, None))
            best[:, i] = np.maximum(best[:, i], value)
    return best


def _peak(strength: Points, offsets: Points) -> Points:
    """Where the profiles are strongest, the middle of what is nearly so."""
    top = strength.max(axis=1, keepdims=True)
    weight = np.clip(strength - 0.7 * top, 0, None)
    total = weight.sum(axis=1)
    return np.asarray(np.where(total > 1e-6, (weight * offsets).sum(axis=1) / np.maximum(total, 1e-6), 0.0))


def _string(view: View, points: Points, seen: NDArray[np.bool_]) -> tuple[float, tuple[int, int, int] | None]:
    """The string's width, mm, and colour."""
    scale = FINE_PX_PER_MM / PX_PER_MM
    offsets = np.arange(-6.0, 6.01, 0.2)
    grid = points[:, None] + normals(points)[:, None] * (offsets * PX_PER_MM)[None, :, None]
    profile = np.median(sampled(view.fine, (grid + 0.5) * scale - 0.5)[seen], axis=0)
    middle = profile[np.abs(offsets) < 0.5].mean(axis=0)
    ground = profile[np.abs(offsets) > 4.5].mean(axis=0)
    step = middle - ground
    share = ((profile - ground) @ step) / max(float(step @ step), 1e-9)
    wide = 0.0
    for way in (1, -1):
        side = share[offsets * way >= 0][::way]
        below = np.flatnonzero(side < 0.5)
        wide += float(below[0] if len(below) else len(side)) * 0.2
    colours = sampled(view.fine_picture.astype(np.float32), (points[:, None] + 0.5) * scale - 0.5)[:, 0]
    blue, green, red = (round(float(value)) for value in np.median(colours[seen], axis=0))
    return float(np.clip(wide, 1.0, 8.0)), (red, green, blue)
