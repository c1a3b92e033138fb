"""A die's outline by colour: what differs from the ground otherwise than a shadow on it does.

Edges alone tell a die badly from the die with its shadow, and one half of a die from the whole of a smaller one. Where a die has
a colour of its own, it shows as one convex spot; dice of the ground's own colour have none, and edges must do.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Mask = NDArray[np.uint8]

_WAYS = 24
_ANGLES = np.arange(_WAYS) * 2 * np.pi / _WAYS
TOWARD = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])
"""2 x directions in which an outline's reach is measured."""
PX_PER_MM = 2.0
_SOFT_PX = 1.0
_LIGHT_FLOOR = 16.0
_SHADOW = 0.3
"""Least light that a shadow leaves of the ground."""
_LIGHTEST, _USUALLY_LIGHTEST = 1.03, 95
"""The ground's own light varies at least so much, else to so many percent of its pixels."""
_LEAST_OFF = 0.14
"""Natural logarithm of light by which a die differs from every shadow of the ground."""
_TEXTURES = 1.6
_TEXTURE = 80
"""Percentile of what differs of the bare ground."""
_HALF_WAY = 0.4
"""Of the die's own difference, where its blurred rim is cut."""
_RING_MM = 14.0
"""Beyond it lies the ground."""
_LEAST_RING_PX = 50
_NEAR_MM = 14.0
_LEAST_MM2, _MOST_MM2 = 60.0, 900.0
_STRINGS_MM = (4.5, 7.0)
"""What is thinner is no die; and as wide as a thick or blurred string may be, where one hangs together with that."""
_LEADS_MM2 = 3.0
"""Of what is thinner than a die, beyond its rim: a string that it lies on."""
_SOLID = 0.88
"""Share of its convex hull, where nothing lies over that, that a die's spot fills: less, and something hangs together with it."""
_BESIDE_COVER_MM = 1.5
_ALONG = 9
"""Places looked at along a side of the hull."""
_OWN_SIDE = 0.6
"""Share of them that must be free of covers."""
_LEAST_TOLD = 7
_MOST_OFF_MM = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Silhouette:
    """What shows of a die, as a convex outline on the table's plane."""

    hull_mm: Floats
    """N x 2."""
    reach_mm: Floats
    """How far it goes from the table's corner in each of the directions TOWARD."""
    told: Singles
    """1 where that is the die's own rim, 0 where something that lies over it ends it."""

    @property
    def middle_mm(self) -> tuple[float, float]:
        """Half-way between its ends."""
        half = _WAYS // 2
        across, down = (self.reach_mm[n] - self.reach_mm[n + half] for n in (0, _WAYS // 4))
        return float(across / 2), float(down / 2)

    @property
    def area_mm2(self) -> float:
        return float(cv2.contourArea(self.hull_mm.astype(np.float32)))

    @property
    def whole(self) -> bool:
        """Whether nothing lies over a part of it."""
        return bool(self.told.all())

    @property
    def sized(self) -> float:
        """Share of the directions in which both of its ends, or nearly opposite ones, are its own: how well its size is known."""
        half = _WAYS // 2
        opposite = np.max([np.roll(self.told, half + turn) for turn in (-1, 0, 1)], axis=0)
        return float((self.told * opposite).mean())

    def misfits(self, shown: Floats, shifts_mm: Floats | None = None) -> Floats:
        """By how many mm the outlines of bodies whose corners show at (M, N, 2) are off it, M values; with K shifts (K, 2) of
        each, M x K."""
        reach = (shown @ TOWARD).max(axis=1) - self.reach_mm
        if shifts_mm is not None:
            reach = reach[:, None] + shifts_mm @ TOWARD
        off = np.minimum(np.abs(reach), _MOST_OFF_MM)
        return np.asarray(off @ self.told / self.told.sum(), np.float64)


def silhouette_in(
    picture: Image,
    px_per_mm: float,
    origin_mm: tuple[float, float],
    middle_mm: tuple[float, float],
    cover: Mask | None = None,
) -> Silhouette | None:
    """The die's around a place in a rectified picture; None where none is to be told from ground, shadows and other things.

    `cover`: 255 where something lies over it.
    """
    scale = PX_PER_MM / px_per_mm
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    light = cv2.GaussianBlur(small, (0, 0), _SOFT_PX).astype(np.float32)
    height, width = light.shape[:2]
    bare = np.full((height, width), 255, np.uint8)
    if cover is not None:
        bare[cv2.resize(cover, (width, height), interpolation=cv2.INTER_NEAREST) > 0] = 0
    middle = (np.array(middle_mm) - origin_mm) * PX_PER_MM - 0.5
    away = np.hypot(*np.meshgrid(np.arange(width) - middle[0], np.arange(height) - middle[1]))
    ring = (away > _RING_MM * PX_PER_MM) & (bare > 0)
    if ring.sum() < _LEAST_RING_PX:
        return None
    off = _off_ground(light, ring)
    limit = max(_LEAST_OFF, _TEXTURES * float(np.percentile(off[ring], _TEXTURE)))
    strange = np.where(off > limit, bare, np.uint8(0))
    for string_mm in _STRINGS_MM:
        spot = _spot_near(strange, middle, string_mm)
        if spot is None:
            continue
        own = float(np.median(off[(spot > 0) & (strange > 0)]))
        clear = np.where(off > max(limit, _HALF_WAY * own), bare, np.uint8(0))
        # Cut by the die's own colour a string that it lies on is thinner.
        finer = _spot_near(clear, middle, string_mm)
        found = _cut_out(clear, spot if finer is None else finer, bare, origin_mm)
        if found is not None:
            return found
    return None


def _cut_out(clear: Mask, spot: Mask, bare: Mask, origin_mm: tuple[float, float]) -> Silhouette | None:
    """What is clearly a die's, at a spot and right beside it."""
    own = np.where(_leading_away(clear, spot, bare), np.uint8(0), clear)
    cut = _filled(own & _beside(spot))
    cut = cv2.morphologyEx(cut, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)
    if not cut.any():
        return None
    hull = cv2.convexHull(cv2.findNonZero(cut)).reshape(-1, 2).astype(np.float64)
    return _trusted(hull, cut, bare, origin_mm)


def _beside(spot: Mask) -> Mask:
    """A spot and its blurred rim."""
    return cv2.dilate(spot, np.ones((5, 5), np.uint8)).astype(np.uint8, copy=False)


def _off_ground(light: Singles, ring: NDArray[np.bool_]) -> Singles:
    """How much each pixel differs from the likeliest light on the ground, natural logarithm."""
    ground = np.median(light[ring], axis=0)
    share = light @ ground / max(float(ground @ ground), 1.0)
    lightest = max(float(np.percentile(share[ring], _USUALLY_LIGHTEST)), _LIGHTEST)
    share = np.clip(share, _SHADOW, lightest)
    floor = np.float32(_LIGHT_FLOOR)
    off = np.log(light + floor) - np.log(share[..., None] * ground + floor)
    return np.asarray(np.linalg.norm(off, axis=2), np.float32)


def _spot_near(strange: Mask, middle: Floats, string_mm: float) -> Mask | None:
    """The spot of a die's size nearest to a place, without what is thinner than strings are."""
    closed = cv2.morphologyEx(strange, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)
    side = round(string_mm * PX_PER_MM) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    opened = cv2.morphologyEx(_filled(closed), cv2.MORPH_OPEN, kernel).astype(np.uint8, copy=False)
    count, labels, stats, middles = cv2.connectedComponentsWithStats(opened)
    best: tuple[float, int] | None = None
    for number in range(1, count):
        x, y, across, down, area = (int(value) for value in stats[number])
        at_rim = x == 0 or y == 0 or x + across == opened.shape[1] or y + down == opened.shape[0]
        away = float(np.hypot(*(middles[number] - middle))) / PX_PER_MM
        fits = _LEAST_MM2 <= area / PX_PER_MM**2 <= _MOST_MM2 and away < _NEAR_MM
        if fits and not at_rim and (best is None or away < best[0]):
            best = (away, number)
    return None if best is None else np.where(labels == best[1], np.uint8(255), np.uint8(0))


def _leading_away(clear: Mask, spot: Mask, bare: Mask) -> NDArray[np.bool_]:
    """Where strings run from under a spot: they go on beyond its rim, as a die's corners do not.

    Beside what lies over it a die's own parts may be as thin.
    """
    _, labels = cv2.connectedComponents(np.where(spot > 0, np.uint8(0), clear))
    beyond = np.bincount(labels[_beside(spot) == 0], minlength=int(labels.max()) + 1)
    leads = beyond >= _LEADS_MM2 * PX_PER_MM**2
    leads[np.unique(labels[cv2.erode(bare, np.ones((5, 5), np.uint8), borderValue=255) == 0])] = False
    leads[0] = False
    return np.asarray(leads[labels])


def _filled(mask: Mask) -> Mask:
    """With its holes: a symbol may have the ground's colour."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros_like(mask)
    cv2.drawContours(whole, contours, -1, 255, -1)
    return whole


def _trusted(hull: Floats, spot: Mask, bare: Mask, origin_mm: tuple[float, float]) -> Silhouette | None:
    within = np.zeros_like(bare)
    cv2.fillConvexPoly(within, hull.astype(np.int32), 255)
    within &= bare
    # A finger's round tip bites into it: what that hides is missing from no die, nor is a symbol that it touches.
    whole = _filled(np.where(bare > 0, spot, np.uint8(255))) & within
    if cv2.countNonZero(whole) < _SOLID * cv2.countNonZero(within):
        return None
    told = _told(hull, bare)
    if told.sum() < _LEAST_TOLD:
        return None
    hull_mm = (hull + 0.5) / PX_PER_MM + np.array(origin_mm)
    reach = (hull_mm @ TOWARD).max(axis=0) + 0.5 / PX_PER_MM
    return Silhouette(hull_mm, reach, told)


def _told(hull: Floats, bare: Mask) -> Singles:
    """1 for each of the directions TOWARD in which the hull ends at the thing's own rim, else 0.

    A side of the hull that runs along a cover or across it says nothing of how far the thing goes under it, and so a corner
    between such a side and another one tells only what the other one does.
    """
    width = 2 * round(_BESIDE_COVER_MM * PX_PER_MM) + 1
    free = cv2.erode(bare, np.ones((width, width), np.uint8), borderValue=255) > 0
    along = np.roll(hull, -1, axis=0) - hull
    places = np.rint(hull[:, None] + np.linspace(0, 1, _ALONG)[:, None] * along[:, None]).astype(np.intp)
    own = free[places[..., 1], places[..., 0]].mean(axis=1) > _OWN_SIDE
    corner = (hull @ TOWARD).argmax(axis=0)
    outward = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.maximum(np.linalg.norm(along, axis=1), 1e-6)[:, None]
    if float((outward * (hull - hull.mean(axis=0))).sum()) < 0:
        outward = -outward
    faced = (outward[own] @ TOWARD > np.cos(np.pi / _WAYS)).any(axis=0)
    return np.asarray((own & np.roll(own, 1))[corner] | faced, np.float32)


def overlap(first: Floats, second: Floats) -> float:
    """Shared area of two convex polygons over the area of both together."""
    one, two = first.astype(np.float32), second.astype(np.float32)
    shared, _ = cv2.intersectConvexConvex(one, two)
    return float(shared / max(cv2.contourArea(one) + cv2.contourArea(two) - shared, 1e-6))
