"""Where dice may lie: places around which edges run on all sides, and spots of a die's size that stand out from the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.observation import Polygon
from vision.table import TablePose, marker_papers

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]

PX_PER_MM = 1.5
MARGIN_MM = 12.0
"""How far beyond the table's rectangle is looked."""
RADII_MM = (5.0, 16.0)
"""From a die's middle to the edges of its outline."""
_DIRECTIONS = 8
_FULL_VOTES = 90.0
"""Edge pixels in one direction that are as good as any more."""
LEAST_ROUND = 0.42
"""Share of the directions in which a place must have edges."""
_APART_MM = 7.0
_CLEAR = 0.5
_LEAST_EDGE = 0.03
"""Change of light a pixel, natural logarithm, from which on it is no texture of an even ground."""
_EDGE_NOISES = 4.0
_STANDS_OUT = 0.10
_STRING_MM = 3.5
"""Half of this is what a spot is thinned by: strings vanish, dice don't."""
_SPOT_MM2 = (70.0, 1200.0)
_MARKER_RIM_MM = 7.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a die may lie: what shows there on the table's plane, mm."""

    x: float
    y: float
    likely: float
    """0 to 1: how much of its surroundings has edges all round."""


class Overview:
    """A table from straight above, or any picture, small, with what stands out from the ground.

    `picture` has PX_PER_MM pixels a millimetre; its pixel (0, 0) begins at `origin_mm`. In a picture without a table a
    millimetre is what the caller makes it.
    """

    def __init__(
        self, picture: Image, origin_mm: tuple[float, float] = (0.0, 0.0), blocked: Sequence[Polygon] = ()
    ) -> None:
        self.origin = origin_mm
        self.picture = picture
        self.light: Floats = np.log(cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.float32) + np.float32(12))
        self.blocked = self.filled(blocked)
        self.off = np.asarray(np.abs(self.light - _ground(self.light)).max(axis=2), np.float32)
        self.usual_off = float(np.median(self.off))
        """How much the ground itself varies."""

    @classmethod
    def of_table(cls, image: Image, pose: TablePose) -> Overview:
        """The whole table and a rim around it; nothing is looked for on its markers."""
        width, height = pose.table_mm
        area = (-MARGIN_MM, -MARGIN_MM, width + 2 * MARGIN_MM, height + 2 * MARGIN_MM)
        return cls(
            pose.rectify(image, PX_PER_MM, area), (-MARGIN_MM, -MARGIN_MM), marker_papers(pose.table_mm, _MARKER_RIM_MM)
        )

    def is_blocked(self, point_mm: NDArray[np.float64]) -> bool:
        """Whether a point of the table lies where nothing is looked for; nothing is beyond the picture."""
        u, v = np.rint(self.px(point_mm)).astype(int)
        height, width = self.blocked.shape
        return bool(0 <= u < width and 0 <= v < height and self.blocked[v, u] > 0)

    def px(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Pixels of points on the table."""
        return np.asarray((points_mm - np.array(self.origin)) * PX_PER_MM - 0.5)

    def mm(self, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points of the table of pixels."""
        return np.asarray((points_px + 0.5) / PX_PER_MM + np.array(self.origin))

    def filled(self, areas_mm: Sequence[Polygon]) -> Mask:
        """255 where areas of the table lie."""
        mask = np.zeros(self.picture.shape[:2], np.uint8)
        for area in areas_mm:
            cv2.fillPoly(mask, [np.rint(self.px(np.asarray(area, np.float64))).astype(np.int32)], 255)
        return mask


def _ground(light: Floats) -> Floats:
    """The light of the ground around each pixel: the median over some 6 cm."""
    low, high = float(light.min()), float(light.max())
    scale = 255.0 / max(high - low, 1e-6)
    small = cv2.resize(light, None, fx=1 / 3, fy=1 / 3, interpolation=cv2.INTER_AREA)
    coded = np.clip((small - low) * scale, 0, 255).astype(np.uint8)
    smooth = cv2.medianBlur(coded, 31).astype(np.float32)
    whole = cv2.resize(smooth, (light.shape[1], light.shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(whole / scale + low, np.float32)


def find_places(view: Overview, most: int = 16) -> list[Place]:
    """Where dice may lie, likeliest first."""
    blocked = view.blocked > 0
    round_about = _round_about(view.light)
    round_about[blocked] = 0
    reach = int(_APART_MM * PX_PER_MM)
    peak = cv2.dilate(round_about, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1)))
    rows, columns = np.nonzero((round_about >= peak) & (round_about >= LEAST_ROUND))
    spots = _spots(view, blocked)
    found = [(float(c), float(r), float(round_about[r, c])) for r, c in zip(rows, columns, strict=True)]
    found = [place for place in found if _stands_out(view, place[0], place[1])]
    found += [(x, y, float(round_about[round(y), round(x)])) for x, y in spots]
    places: list[Place] = []
    for u, v, likely in sorted(found, key=lambda place: -place[2]):
        x, y = view.mm(np.array([u, v]))
        if all(np.hypot(x - other.x, y - other.y) > _APART_MM for other in places):
            places.append(Place(float(x), float(y), likely))
    return places[:most]


def _round_about(light: Floats) -> Floats:
    """For each pixel, in which share of the directions an edge crosses at a die's distance."""
    strength, turn = _edges(light)
    rows, columns = np.nonzero(strength > _CLEAR)
    weight, angle = strength[rows, columns], turn[rows, columns]
    height, width = strength.shape
    votes = np.zeros((_DIRECTIONS, height * width), np.float32)
    radii = np.arange(RADII_MM[0], RADII_MM[1], 1.0)[:, None]
    for side in (0.0, np.pi):
        direction = ((angle + side) % (2 * np.pi)) / (2 * np.pi) * _DIRECTIONS
        sector = np.tile(direction.astype(np.intp) % _DIRECTIONS, (len(radii), 1))
        u = np.rint(columns + np.cos(angle + side) * radii * PX_PER_MM).astype(np.intp)
        v = np.rint(rows + np.sin(angle + side) * radii * PX_PER_MM).astype(np.intp)
        inside = (u >= 0) & (v >= 0) & (u < width) & (v < height)
        at = (sector * height + v) * width + u
        every = np.broadcast_to(weight, at.shape)
        counted = np.bincount(at[inside], every[inside], minlength=votes.size)
        votes += counted.reshape(votes.shape).astype(np.float32)
    spread = 2.0 * PX_PER_MM
    total = np.zeros((height, width), np.float32)
    for sector_votes in votes:
        near = cv2.GaussianBlur(sector_votes.reshape(height, width), (0, 0), spread) * (2 * np.pi * spread**2)
        total += np.minimum(near / np.float32(_FULL_VOTES), 1)
    return total / np.float32(_DIRECTIONS)


def _edges(light: Floats) -> tuple[Floats, Floats]:
    """How clear an edge is at each pixel, 0 to 1, and the angle of its normal."""
    across = cv2.Scharr(light, cv2.CV_32F, 1, 0, scale=1 / 32)
    down = cv2.Scharr(light, cv2.CV_32F, 0, 1, scale=1 / 32)
    a, b, c = (across * across).sum(axis=2), (across * down).sum(axis=2), (down * down).sum(axis=2)
    power = a + c
    level = (_EDGE_NOISES * float(np.sqrt(np.median(power)))) ** 2 + _LEAST_EDGE**2
    return power / (power + np.float32(level)), np.asarray(0.5 * np.arctan2(2 * b, a - c), np.float32)


def _spots(view: Overview, blocked: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Middles of spots of a die's size that stand out from the ground, px."""
    limit = max(_STANDS_OUT, 3.0 * view.usual_off)
    mask = np.where((view.off > limit) & ~blocked, np.uint8(255), np.uint8(0))
    thin = 2 * round(_STRING_MM * PX_PER_MM / 2) + 1
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (thin, thin)))
    count, _, stats, middles = cv2.connectedComponentsWithStats(mask)
    least, most = (area * PX_PER_MM**2 for area in _SPOT_MM2)
    return [
        (float(middles[i][0]), float(middles[i][1]))
        for i in range(1, count)
        if least <= stats[i, cv2.CC_STAT_AREA] <= most
    ]


def _stands_out(view: Overview, u: float, v: float) -> bool:
    """Whether enough around a pixel differs from the ground at all."""
    reach = round(6.0 * PX_PER_MM)
    row, column = round(v), round(u)
    part = view.off[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1]
    return float((part > max(0.06, 2.0 * view.usual_off)).mean()) > 0.3
