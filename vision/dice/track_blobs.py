"""Spots of one colour and a die's size in a labelled picture, and whether something else touches them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]

_AREA = (0.4, 2.1)
"""Of a spot's outline, over what a die of that size shows lying."""
_WHOLE = (0.7, 2.1)
"""As far as a die shows that is thrown from 150 mm over the table."""
_LEAST_PART = 0.1
_SOLID = 0.72
_CLOSE = np.ones((3, 3), np.uint8)
_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
_LEAST_PEEP = 0.04
_COVERS = 0.85
_HAND = 1.6
_TOUCHING_SHARE = 0.12
"""Of the ring around a spot, that something else may cover by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Blob:
    """A spot that may be a die."""

    u: float
    v: float
    """Middle of its outline, px: a die's outline is as symmetric about its middle as the die is."""
    area: float
    """Of its outline, px^2."""
    touched: bool
    """Something that is no ground, shadow or die lies beside it: a hand may hide a part of it."""
    whole: bool
    """Its outline is as large as a die's, and nothing of its own colour goes on beside it."""
    hull: NDArray[np.int32]
    """The outline, px, N x 1 x 2."""


def without_threads(own: Mask) -> Mask:
    """A spot's mask without what is thinner than a die anywhere is: pixels of a string or a shadow beside it that happen to have
    its colour, in a row that leads away from it."""
    solid = cv2.morphologyEx(own, cv2.MORPH_OPEN, _CROSS)
    return cv2.bitwise_and(own, cv2.dilate(solid, _CLOSE)).astype(np.uint8, copy=False)


def find_blobs(labels: Mask, number: int, usual_area: float) -> list[Blob]:
    """Spots labelled `number` that are as large as a die whose outline covers `usual_area` px^2 lying on the table."""
    mask = cv2.inRange(labels, number, number)
    x, y, width, height = cv2.boundingRect(mask)
    if width == 0:
        return []
    left, top = max(0, x - 4), max(0, y - 4)
    part = mask[top : y + height + 4, left : x + width + 4]
    closed = cv2.dilate(part, _CLOSE)
    count, parts, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    found = []
    for n in range(1, count):
        bx, by, bw, bh, area = (int(value) for value in stats[n])
        if area < _LEAST_PART * usual_area or max(bw, bh) > 2.6 * usual_area**0.5:
            continue
        own = np.where(parts[by : by + bh, bx : bx + bw] == n, part[by : by + bh, bx : bx + bw], np.uint8(0))
        blob = _blob(without_threads(own), bx + left, by + top, labels, number, usual_area)
        if blob is not None:
            found.append(blob)
    return found


def _blob(own: Mask, left: int, top: int, labels: Mask, number: int, usual_area: float) -> Blob | None:
    if cv2.countNonZero(own) < 6:
        return None
    points = cv2.findNonZero(own)
    hull = cv2.convexHull(points)
    moments = cv2.moments(hull)
    outline = moments["m00"]
    # A polygon through pixel middles leaves half a pixel out all round.
    area = outline + cv2.arcLength(hull, True) / 2 + 1
    if outline < 4 or not _AREA[0] * usual_area <= area <= _AREA[1] * usual_area or len(points) < _SOLID * 0.8 * area:
        return None
    ring_top, ring_left = max(0, top - 3), max(0, left - 3)
    around = labels[ring_top : top + own.shape[0] + 3, ring_left : left + own.shape[1] + 3]
    shape = np.zeros(around.shape, np.uint8)
    shifted = hull + np.array([left - ring_left, top - ring_top])
    cv2.fillConvexPoly(shape, shifted.astype(np.int32), 255)
    ring = (cv2.dilate(shape, np.ones((5, 5), np.uint8)) > 0) & (shape == 0)
    strange = around != 0
    goes_on = float(((around == number) & ring).sum()) > _TOUCHING_SHARE * max(1, int(ring.sum()))
    # The die's own blurred rim passes for foreign here and there; a hand covers a whole stretch of the ring.
    rim = cv2.erode(np.where(strange, np.uint8(255), np.uint8(0)), np.ones((2, 2), np.uint8)) > 0
    touched = float((rim & ring).sum()) > _TOUCHING_SHARE * max(1, int(ring.sum()))
    # What the picture's border cuts off goes on beyond it: a thumb that comes in.
    cut_off = (
        left <= 1 or top <= 1 or left + own.shape[1] >= labels.shape[1] - 1 or top + own.shape[0] >= labels.shape[0] - 1
    )
    whole = not goes_on and not cut_off and _WHOLE[0] * usual_area <= area <= _WHOLE[1] * usual_area
    place = (left + moments["m10"] / outline, top + moments["m01"] / outline)
    return Blob(*place, area, touched, whole, (hull + np.array([left, top])).astype(np.int32))


def peeps(labels: Mask, number: int, middle_px: tuple[float, float], usual_area: float) -> bool:
    """Whether a part of a die shows where its middle comes to be, or right beside it: a spot no larger than the die.

    A larger one is a hand of the die's colour, and a rim that passes for that colour is thin.
    """
    near = 0.75 * usual_area**0.5
    return any(
        away <= near and _LEAST_PEEP * usual_area <= area <= usual_area
        for away, area in _spots(labels, number, middle_px, usual_area)
    )


def hand_alike(labels: Mask, number: int, middle_px: tuple[float, float], usual_area: float) -> bool:
    """Whether a hand of the die's own colour is around a place: what it hides of the die can't be told."""
    return any(area > _HAND * usual_area for _, area in _spots(labels, number, middle_px, usual_area))


def _spots(labels: Mask, number: int, middle_px: tuple[float, float], usual_area: float) -> list[tuple[float, float]]:
    """Spots of a colour around a place: how far their middles are from it, and their areas, rims left out."""
    wide = round(2.0 * usual_area**0.5)
    left, top = max(0, round(middle_px[0]) - wide), max(0, round(middle_px[1]) - wide)
    own = cv2.inRange(labels[top : top + 2 * wide + 1, left : left + 2 * wide + 1], number, number)
    solid = cv2.erode(own, np.ones((3, 3), np.uint8))
    count, _, stats, middles = cv2.connectedComponentsWithStats(solid, connectivity=8)
    return [
        (
            float(np.hypot(middles[n][0] + left - middle_px[0], middles[n][1] + top - middle_px[1])),
            float(stats[n][cv2.CC_STAT_AREA]),
        )
        for n in range(1, count)
    ]


def covers(labels: Mask, hull: NDArray[np.int32]) -> bool:
    """Whether something lies over nearly all of an outline: a hand, of the die's colour or another."""
    x, y, width, height = cv2.boundingRect(hull)
    inside = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(inside, hull - np.array([x, y], np.int32), 255)
    shown = labels[y : y + height, x : x + width][inside > 0]
    return float((shown != 0).mean()) > _COVERS if len(shown) else False


class Strangers:
    """Watches for dice of no enrolled colour: foreign spots as large as a die that lie alone and still."""

    EVERY = 6
    """Pictures from look to look: hands are foreign too, and their parts take time."""
    LOOKS = 4
    STILL_PX = 1.5

    def __init__(self, usual_area: float) -> None:
        self._area = usual_area
        self._pictures = 0
        self._seen: list[tuple[float, float, int]] = []
        """Place and number of looks of each spot."""

    def look(self, labels: Mask, foreign: int) -> list[Blob]:
        """The spots that have become certain with this picture."""
        self._pictures += 1
        if self._pictures % self.EVERY:
            return []
        spots = [blob for blob in find_blobs(labels, foreign, self._area) if blob.whole and not blob.touched]
        kept, certain = [], []
        for blob in spots:
            before = max((n for u, v, n in self._seen if np.hypot(u - blob.u, v - blob.v) <= self.STILL_PX), default=0)
            kept.append((blob.u, blob.v, before + 1))
            certain += [blob] if before + 1 == self.LOOKS else []
        self._seen = kept
        return certain
