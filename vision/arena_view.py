"""A table's picture as the search for loops of string needs it: small, how much of a string shows where, and what hides it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arena_band import PX_PER_MM, bands, log_light
from vision.course import even, normals
from vision.frame import Image
from vision.observation import Polygon
from vision.table import TablePose, marker_papers

Floats = NDArray[np.float32]
Points = NDArray[np.float64]
Mask = NDArray[np.uint8]

FINE_PX_PER_MM = 3.0
_MARGIN_MM = 10.0
LEAST_AREA_MM2 = 2500.0
"""Of a loop that dice are thrown into."""
LEAST_SEEN = 0.45
"""Share of a loop's course that must show."""
LEAST_LEVEL = 0.02
"""Natural logarithm of light: less evidence of a band than this is none, however smooth the ground."""
COURSE_STEP_MM = 4.0
"""Between the points of a loop's course."""
_LEAST_BORNE_OUT = 0.88
"""Share of its course, where nothing hides it, along which a string must show."""
LEAST_ONE_COLOUR = 0.5
_MARKER_RIM_MM = 8.0
_SHADOW_MM = 9.0
_BY_HAND_MM = 10.0
_REACH_MM = 5.0
HAND_REACH_MM = 40.0
"""So far from what is told of a hand the rest of it may lie."""
NEAR_MM = 6.0
"""What runs so near to a loop's course runs along it."""
_SHARED = 0.35
"""Share of a course that two strings that cross may have in common."""


class View:
    """The table small, how much of a string shows at each place, and what hides the table."""

    def __init__(self, image: Image, pose: TablePose, hidden_mm: Sequence[Polygon], dice_mm: Sequence[Polygon]) -> None:
        width, height = pose.table_mm
        self.origin = np.array([-_MARGIN_MM, -_MARGIN_MM])
        area = (-_MARGIN_MM, -_MARGIN_MM, width + 2 * _MARGIN_MM, height + 2 * _MARGIN_MM)
        fine = pose.rectify(image, FINE_PX_PER_MM, area)
        self.fine = log_light(fine)
        self.fine_picture = fine
        small = cv2.resize(
            fine, None, fx=PX_PER_MM / FINE_PX_PER_MM, fy=PX_PER_MM / FINE_PX_PER_MM, interpolation=cv2.INTER_AREA
        )
        self.band, self.turn = bands(log_light(small.astype(np.uint8, copy=False)))
        self.shape = self.band.shape
        rim = np.ones((5, 5), np.uint8)
        self.hands = cv2.dilate(self.filled(hidden_mm), rim).astype(np.uint8, copy=False)
        self.by_hands = cv2.dilate(self.hands, disc(_BY_HAND_MM)).astype(np.uint8, copy=False)
        self.on_dice = self.filled(dice_mm)
        self.dice = dice = cv2.dilate(self.on_dice, rim).astype(np.uint8, copy=False)
        self.by_dice = cv2.dilate(dice, disc(_SHADOW_MM)).astype(np.uint8, copy=False)
        self.hidden = cv2.bitwise_or(self.hands, dice).astype(np.uint8, copy=False)
        markers = self.filled(marker_papers(pose.table_mm, _MARKER_RIM_MM))
        self.band[(markers > 0) | (dice > 0)] = 0
        self.clear = np.where((markers == 0) & (self.hidden == 0), np.uint8(255), np.uint8(0))
        self.noise = float(np.median(self.band[self.clear > 0])) if self.clear.any() else 1.0

    def px(self, points_mm: Points) -> Points:
        return np.asarray((points_mm - self.origin) * PX_PER_MM - 0.5)

    def mm(self, points_px: Points) -> Points:
        return np.asarray((points_px + 0.5) / PX_PER_MM + self.origin)

    def filled(self, areas_mm: Sequence[Polygon]) -> Mask:
        mask = np.zeros(self.shape, np.uint8)
        for area in areas_mm:
            cv2.fillPoly(mask, [np.rint(self.px(np.asarray(area, np.float64))).astype(np.int32)], 255)
        return mask


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    points: Points
    """Around the loop, px, a step apart."""
    seen: NDArray[np.bool_]
    """Where nothing hides it."""
    area: float
    borne_out: float
    share_seen: float
    one_colour: float
    """1 where all of it differs from the ground in one way, 0 where in every way."""
    strength: float
    """How much it differs, natural logarithm of light."""

    @property
    def plausible(self) -> bool:
        return self.borne_out >= _LEAST_BORNE_OUT and self.one_colour >= LEAST_ONE_COLOUR

    @property
    def quality(self) -> float:
        """By what courses of one string are compared."""
        return self.borne_out * self.one_colour * (1 + self.share_seen) / 2


def apart(loop: Loop, other: Loop) -> bool:
    """Whether two loops are different strings: neither's middle course runs along the other's."""
    off = off_course(loop.points[::3], other)
    near = NEAR_MM * PX_PER_MM
    return float(np.median(off)) > near and float(np.mean(off < near)) < _SHARED


def off_course(points: Points, loop: Loop) -> Points:
    """How far each point is from a loop's course, px."""
    contour = loop.points.astype(np.float32).reshape(-1, 1, 2)
    return np.array([abs(cv2.pointPolygonTest(contour, (float(x), float(y)), measureDist=True)) for x, y in points])


def evenly(points: Points, known: NDArray[np.bool_]) -> tuple[Points, NDArray[np.bool_]]:
    """The course in even steps again, with what is known of it."""
    course = even(points, COURSE_STEP_MM * PX_PER_MM)
    nearest = np.linalg.norm(course[:, None] - points[None], axis=2).argmin(axis=1)
    return course, known[nearest]


def disc(radius_mm: float) -> Mask:
    side = 2 * round(radius_mm * PX_PER_MM) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)


def nearest_band(view: View, points: Points) -> tuple[Points, Points]:
    """The strongest band near each point across the course, and where it is."""
    offsets = np.arange(-_REACH_MM, _REACH_MM + 0.1, 0.5) * PX_PER_MM
    grid = points[:, None] + normals(points)[:, None] * offsets[None, :, None]
    strengths = sampled(view.band, grid)
    best = strengths.argmax(axis=1)
    rows = np.arange(len(points))
    return strengths[rows, best], grid[rows, best]


def sampled(picture: Floats, grid: Points) -> Points:
    across, down = grid[..., 0].astype(np.float32), grid[..., 1].astype(np.float32)
    flat = cv2.remap(picture, across.reshape(len(across), -1), down.reshape(len(down), -1), cv2.INTER_LINEAR)
    return np.asarray(flat.reshape(*grid.shape[:-1], *picture.shape[2:]), np.float64)


def under(mask: Mask, points: Points) -> NDArray[np.bool_]:
    height, width = mask.shape
    u = np.rint(points[:, 0]).astype(np.intp).clip(0, width - 1)
    v = np.rint(points[:, 1]).astype(np.intp).clip(0, height - 1)
    return np.asarray(mask[v, u] > 0)
