"""The string followed once it was found: nudged along, kept while hands cover it, sought anew when it is where it was no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arena import Arena, ArenaState, find_arena
from vision.frame import Image
from vision.observation import Polygon
from vision.table import TablePose

Floats = NDArray[np.float64]

REACH_MM = 9.0
"""The string is looked for so far on both sides of where it lay: more than hands nudge it between two looks."""
_STEP_MM = 0.5
_SAMPLES = 96
_LEAST_SEEN = 0.3
"""Share of the string's course that must be in sight to be followed; below, it is kept as it was."""
_LEAST_BORNE_OUT = 0.6
"""Share of what is in sight along which the string must show; below, it is sought anew."""
_CONTRAST = 0.35
"""Of the string's first contrast to the ground beside it, that still counts as the string."""
_STILL_MM = 0.6
"""Less is no nudge: the course stays as it was measured with care."""


class ArenaFollower:
    """Keeps an Arena up to date, a few looks a second."""

    def __init__(self, pose: TablePose, arena: Arena, image: Image, hidden_mm: Sequence[Polygon] = ()) -> None:
        """`image`: the one in which the arena was found. Raises ValueError for an arena without one loop."""
        if len(arena.polygon_mm) < 3 or arena.state is not ArenaState.FOUND:
            raise ValueError("only one loop that was found can be followed")
        self._pose = pose
        self.arena = arena
        course = _evenly(np.asarray(arena.polygon_mm, np.float64))
        seen = ~self._hidden(course, hidden_mm)
        profile = self._profile(image, course, arena.width_mm)
        middle = profile[:, profile.shape[1] // 2]
        self._colour = np.median(middle[seen] if seen.any() else middle, axis=0)
        ground = np.median(profile[:, [0, -1]].reshape(-1, 3), axis=0)
        self._contrast = max(float(np.linalg.norm(self._colour - ground)), 8.0)

    def look(self, image: Image, hidden_mm: Sequence[Polygon] = ()) -> Arena:
        """Where the loop is in a picture of which hands cover these areas."""
        course = _evenly(np.asarray(self.arena.polygon_mm, np.float64))
        seen = ~self._hidden(course, hidden_mm)
        if float(seen.mean()) < _LEAST_SEEN:
            self.arena = replace(self.arena, state=ArenaState.HELD)
            return self.arena
        profile = self._profile(image, course, self.arena.width_mm)
        off = np.linalg.norm(profile - self._colour, axis=2)
        best = off.argmin(axis=1)
        offsets = (best - off.shape[1] // 2) * _STEP_MM
        shows = seen & (off.min(axis=1) < (1 - _CONTRAST) * self._contrast)
        if float(shows.sum()) < _LEAST_BORNE_OUT * float(seen.sum()):
            return self._sought(image, hidden_mm)
        moved = _smooth(offsets, shows)
        unseen = () if seen.all() else tuple(bool(not part) for part in seen)
        if float(np.abs(moved[shows]).max(initial=0.0)) < _STILL_MM and not unseen:
            self.arena = replace(self.arena, state=ArenaState.FOUND)
            return self.arena
        placed = course + _normals(course) * moved[:, None]
        polygon = tuple((round(float(x), 2), round(float(y), 2)) for x, y in placed)
        self.arena = replace(self.arena, polygon_mm=polygon, state=ArenaState.FOUND, unseen=unseen)
        return self.arena

    def _sought(self, image: Image, hidden_mm: Sequence[Polygon]) -> Arena:
        found = find_arena(image, self._pose, hidden_mm)
        if found.state is ArenaState.FOUND:
            self.arena = found
            return found
        # Gone or doubled in sight is told; behind hands it is only not known.
        if found.state is ArenaState.NONE and hidden_mm:
            self.arena = replace(self.arena, state=ArenaState.HELD)
            return self.arena
        return found

    def _hidden(self, course: Floats, hidden_mm: Sequence[Polygon]) -> NDArray[np.bool_]:
        """Which points something covers, or nearly."""
        hidden = np.zeros(len(course), bool)
        for area in hidden_mm:
            outline = np.asarray(area, np.float32).reshape(-1, 1, 2)
            hidden |= np.array([cv2.pointPolygonTest(outline, (float(x), float(y)), True) > -4.0 for x, y in course])
        return hidden

    def _profile(self, image: Image, course: Floats, width_mm: float) -> Floats:
        """Colours across the string, from outside to inside or the other way, points x steps x 3; averaged over its width."""
        steps = np.arange(-REACH_MM, REACH_MM + _STEP_MM / 2, _STEP_MM)
        grid = course[:, None, :] + _normals(course)[:, None, :] * steps[None, :, None]
        at = self._pose.to_px(grid.reshape(-1, 2)).reshape(*grid.shape).astype(np.float32)
        across, down = cv2.split(at)
        colours = cv2.remap(image, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        wide = max(1, round(0.6 * width_mm / _STEP_MM))
        return np.asarray(cv2.blur(colours.astype(np.float32), (wide, 1)), np.float64)


def _evenly(polygon: Floats) -> Floats:
    """Points at even distances along a closed course."""
    ring = np.vstack([polygon, polygon[:1]])
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(ring, axis=0).T))])
    at = np.linspace(0, way[-1], _SAMPLES, endpoint=False)
    return np.column_stack([np.interp(at, way, ring[:, 0]), np.interp(at, way, ring[:, 1])])


def _normals(course: Floats) -> Floats:
    along = np.roll(course, -2, axis=0) - np.roll(course, 2, axis=0)
    normals = np.column_stack([along[:, 1], -along[:, 0]])
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9))


def _smooth(offsets: Floats, shows: NDArray[np.bool_]) -> Floats:
    """The shift at every point: the median of what shows around it, carried on where nothing does."""
    count = len(offsets)
    at = np.arange(count)
    moved = np.zeros(count)
    for n in range(count):
        away = np.minimum((at - n) % count, (n - at) % count)
        near = shows & (away <= max(2, int(np.sort(away[shows])[:5].max(initial=2))))
        moved[n] = float(np.median(offsets[near])) if near.any() else 0.0
    return moved
