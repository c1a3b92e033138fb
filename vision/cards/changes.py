"""Where a picture of the table differs from an earlier one, finely enough to tell a 6 from a 9.

Both are compared pixel by pixel. Allowed for are the light, as far as it varies smoothly over the picture; the noise that this
pair of pictures shows; and at edges what a wobble by a third of a pixel makes. What is left must stand together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.settle import Plane, light_between, reduce

Mask = NDArray[np.uint8]

_WIDEST_PX = 1920
"""Wider pictures are shrunk to less than this first."""
_HALF = 2
"""Picture px a side of one pixel of the map."""
_WOBBLE = 0.3
"""Share of the contrast between neighbours that a pixel may differ by."""
_NOISES = 2.5
_LOWER_FOUR_FIFTHS = 0.5587
"""Mean size of the smaller four fifths of a normal deviate, in its standard deviations."""
_HINT_LEVEL = 4
_SURE_LEVEL = 9
"""Grey levels, summed over the channels, by which a patch of about 6 x 6 px differs beyond what is allowed for."""
_LEAST_PX = 4
"""Pixels of the map that must hint at a change together."""
_STEADY_LIGHT = 0.012
"""Share by which the light may change without being reckoned with."""
_MUCH = 0.05
"""Share of the map from which on a change tells upon the light that is reckoned beside it: some cards taken away at once."""
_RIM_PX = 6
_KERNEL = np.ones((3, 3), np.uint8)
_SUM = np.ones((1, 3), np.float32)

Rect = tuple[int, int, int, int]
"""x, y, width, height in pixels of the map."""


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Where a picture differs."""

    hint: Mask
    """255 where it may, a pixel for `px` of the picture."""
    sure: Mask
    """255 where it does."""
    px: float
    """Picture px a side of one pixel of the masks."""
    light: Plane | None = None
    """How much brighter the picture is, reduced; None where the light has not changed."""

    @property
    def any(self) -> bool:
        """Whether anything may differ."""
        return cv2.countNonZero(self.hint) > 0

    @property
    def brighter(self) -> float:
        """How many times brighter the picture is than the kept one, or darker, on the whole; at least 1."""
        if self.light is None:
            return 1.0
        usual = max(float(np.median(self.light)), 1e-3)
        return max(usual, 1.0 / usual)

    @property
    def upset_light(self) -> bool:
        """Whether so much changed that the light, which is told by what did not, can't be trusted to be the kept one's."""
        return self.light is not None and cv2.countNonZero(self.hint) > _MUCH * self.hint.size

    def parts(self) -> list[Rect]:
        """The places of change, boxes of what hangs together."""
        near = cv2.dilate(self.hint, np.ones((5, 5), np.uint8))
        _, _, stats, _ = cv2.connectedComponentsWithStats(near, connectivity=8)
        return [(int(x), int(y), int(w), int(h)) for x, y, w, h, _ in stats[1:]]


@dataclass(slots=True, eq=False)
class Backdrop:
    """A picture kept for comparison."""

    _image: Image
    _shape: tuple[int, ...]
    _factor: int
    _tolerance: Image = field(init=False)
    _small: Plane = field(init=False)

    def __init__(self, image: Image) -> None:
        self._shape, self._factor = image.shape, -(-image.shape[1] // _WIDEST_PX)
        self._image = _shrunk(image, self._factor).copy()
        self._tolerance = _tolerance_of(self._image)
        self._small = reduce(self._image).plane

    def changes(self, image: Image) -> Changes | None:
        """Where a picture differs from this one; None for a picture of another shape."""
        if image.shape != self._shape:
            return None
        now = _shrunk(image, self._factor)
        light = light_between(self._small, reduce(now).plane)
        steady = float(np.abs(light - 1.0).max()) <= _STEADY_LIGHT
        gap = cv2.absdiff(now, self._image if steady else _lit(self._image, light)).astype(np.uint8, copy=False)
        beyond = cv2.subtract(gap, self._tolerance)
        slack = min(255, round(_NOISES * _noise_of(gap) + 1.0))
        # A picture of one level: OpenCV takes ten times as long over a plain number.
        beyond = cv2.subtract(beyond, np.full(now.shape, slack, np.uint8))
        height, width = now.shape[:2]
        size = (max(1, width // _HALF), max(1, height // _HALF))
        excess = cv2.resize(beyond, size, interpolation=cv2.INTER_AREA)
        level = cv2.blur(cv2.transform(excess, _SUM), (3, 3))
        hint, sure = (
            np.asarray(cv2.threshold(level, least - 1, 255, cv2.THRESH_BINARY)[1], np.uint8)
            for least in (_HINT_LEVEL, _SURE_LEVEL)
        )
        return Changes(_without_specks(hint), sure, float(_HALF * self._factor), None if steady else light)

    def renew(self, image: Image, changes: Changes) -> None:
        """Takes the picture over where it has changed, in the light of the kept one."""
        now = _shrunk(image, self._factor)
        height, width = now.shape[:2]
        if changes.light is not None:
            now = _lit(now, np.asarray(1.0 / np.maximum(changes.light, 0.05), np.float32))
        for x, y, w, h in changes.parts():
            x0, y0 = max(0, _HALF * x - _RIM_PX), max(0, _HALF * y - _RIM_PX)
            x1, y1 = min(width, _HALF * (x + w) + _RIM_PX), min(height, _HALF * (y + h) + _RIM_PX)
            self._image[y0:y1, x0:x1] = now[y0:y1, x0:x1]
            self._tolerance[y0:y1, x0:x1] = _tolerance_of(self._image[y0:y1, x0:x1])
        self._small = reduce(self._image).plane


def _without_specks(hint: Mask) -> Mask:
    if not cv2.countNonZero(hint):
        return hint
    _, labels, stats, _ = cv2.connectedComponentsWithStats(hint, connectivity=8)
    large = stats[:, cv2.CC_STAT_AREA] >= _LEAST_PX
    large[0] = False
    return np.where(large[labels], np.uint8(255), np.uint8(0))


def _shrunk(image: Image, factor: int) -> Image:
    if factor == 1:
        return image
    size = (image.shape[1] // factor, image.shape[0] // factor)
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def _tolerance_of(image: Image) -> Image:
    contrast = cv2.morphologyEx(image, cv2.MORPH_GRADIENT, _KERNEL)
    return cv2.convertScaleAbs(contrast, alpha=_WOBBLE).astype(np.uint8, copy=False)


def _lit(image: Image, light: Plane) -> Image:
    """The picture in another light, given in small."""
    height, width = image.shape[:2]
    whole = cv2.resize(light, (width, height), interpolation=cv2.INTER_LINEAR)
    return cv2.multiply(image, whole, dtype=cv2.CV_8U).astype(np.uint8, copy=False)


def _noise_of(gap: Image) -> float:
    """Standard deviation of the difference where nothing has changed, grey levels."""
    some = gap[3::13, 2::11].ravel()
    lower = some[some <= np.percentile(some, 80)]
    return float(lower.mean()) / _LOWER_FOUR_FIFTHS
