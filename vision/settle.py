"""Whether the picture moves: each reduced picture is held against the first one of the present stillness.

Comparing with the start of the stillness, and not with the picture before, is what catches slow movement: a hand that
creeps a tenth of a pixel a frame has left its place after half a second. What the light does is taken out first (a gain
that varies slowly over the picture, a colour channel at a time), and what is left is measured in units of the noise that
this stream itself shows at this place, so that flicker, JPEG noise and a grainy night picture need no setting.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Plane = NDArray[np.float32]
Mask = NDArray[np.uint8]

REDUCED_WIDTH = 320
"""Width in px that pictures are reduced to, about: a 2 mm stroke on a 700 mm table is still two thirds of a pixel wide."""
_CELL = 16
"""Side in reduced px of the cells over which the light is measured."""
_PARTS = 4
"""Of a cell, each way: parts of 4 reduced px, about 9 mm of a table of 700 mm."""
_UNLIKE = 0.25
"""By how much the logarithms of a cell's parts may differ under changing light: shadows have soft edges."""
_CALM = 0.05
"""Change of a cell that can mislead nobody."""
_MOST_BY_PARTS = 0.95
"""With a larger share of such cells nothing is known of the light but what most cells say."""
_LEAST_AROUND = 3
"""Cells of the 25 around that must not have changed by parts."""
_FLOOR = 1.2
"""Noise in grey levels that is always granted."""
_FIRST_NOISE = 2.0
"""Noise in grey levels that is assumed until the stream has shown its own."""
_SCORE = 6.0
"""Mean over nine neighbours of the squared difference, in units of its own usual size, that counts as a change."""
_HINT_SCORE = 3.0
"""The same where a hint of change is enough, and a false one costs a look."""
_MIN_PX = 12
"""Reduced px that must change together; one wild pixel touches nine."""
_CLIPPED = 248.0
"""Grey level from which on a pixel may hide more light than it shows."""
_SUM = np.ones((1, 3), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """A picture in small: float32, height x width x 3."""

    plane: Plane
    factor: int
    """Picture px a side of one reduced pixel."""


def reduce(image: Image) -> Reduced:
    """A picture at about REDUCED_WIDTH px, each the mean of a whole square of the picture's."""
    height, width = image.shape[:2]
    factor = max(1, round(width / REDUCED_WIDTH))
    size = (max(1, width // factor), max(1, height // factor))
    small = image[: size[1] * factor, : size[0] * factor]
    left = factor
    while left % 2 == 0:
        # Halving is OpenCV's quick case.
        small = _shrunk(small, (small.shape[1] // 2, small.shape[0] // 2))
        left //= 2
    if left > 1:
        # An odd share: a moving mean read at the middles of its squares is several times quicker than resizing.
        small = np.ascontiguousarray(cv2.blur(small, (left, left))[left // 2 :: left, left // 2 :: left])
    return Reduced(small.astype(np.float32), factor)


def _shrunk(image: Image, size: tuple[int, int]) -> Image:
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def light_between(before: Plane, after: Plane) -> Plane:
    """How much brighter `after` is than `before`: a smooth factor for each pixel and channel, the same shape as both.

    A cell's own factor is taken only where most cells around agree, so that a card or a hand does not pass for light; and cells
    that change by parts have no say, for light changes them as a whole: many cards that are taken away at once are no dusk.
    """
    height, width = before.shape[:2]
    cells = (max(1, width // _CELL), max(1, height // _CELL))
    ratio = _ratio(before, after, cells)
    if min(cells) >= 5:
        # Where no cell changed by much none can have been misled, and most pictures are such.
        is_calm = abs(float(ratio.max()) - 1.0) < _CALM and abs(float(ratio.min()) - 1.0) < _CALM
        by_parts = None if is_calm else _changed_by_parts(before, after, cells)
        ratio = _median(ratio) if by_parts is None or not by_parts.any() else _median_of_whole(ratio, by_parts)
    return cv2.resize(ratio, (width, height), interpolation=cv2.INTER_LINEAR).astype(np.float32, copy=False)


def _ratio(before: Plane, after: Plane, size: tuple[int, int]) -> Plane:
    low = cv2.resize(before, size, interpolation=cv2.INTER_AREA) + 4.0
    high = cv2.resize(after, size, interpolation=cv2.INTER_AREA) + 4.0
    return np.ascontiguousarray(high / low, dtype=np.float32)


def _median(ratio: Plane) -> Plane:
    return cv2.medianBlur(ratio, 5).astype(np.float32, copy=False)


def _changed_by_parts(before: Plane, after: Plane, cells: tuple[int, int]) -> NDArray[np.bool_]:
    """Which cells hold parts that change unlike each other, in any channel."""
    columns, rows = cells
    parts = np.log(_ratio(before, after, (columns * _PARTS, rows * _PARTS)))
    blocks = parts.reshape(rows, _PARTS, columns, _PARTS, 3)
    spread = blocks.max(axis=(1, 3)) - blocks.min(axis=(1, 3))
    changed: NDArray[np.bool_] = spread.max(axis=2) > _UNLIKE
    return changed


def _median_of_whole(ratio: Plane, by_parts: NDArray[np.bool_]) -> Plane:
    """The median over five by five cells of those that did not change by parts; of all of those where too few are near."""
    rows, columns = by_parts.shape
    known = np.where(by_parts[..., None], np.float32(np.nan), ratio)
    if by_parts.sum() > _MOST_BY_PARTS * by_parts.size:
        return _median(ratio)
    around = np.lib.stride_tricks.sliding_window_view(
        np.pad(known, ((2, 2), (2, 2), (0, 0)), mode="edge"), (5, 5), axis=(0, 1)
    ).reshape(rows, columns, 3, 25)
    ordered = np.sort(around, axis=3)  # what is not known comes last
    count = np.count_nonzero(~np.isnan(ordered), axis=3)
    middle = np.maximum(count - 1, 0)[..., None] // 2
    median = np.take_along_axis(ordered, middle, axis=3)[..., 0]
    whole = np.nanmedian(known.reshape(-1, 3), axis=0)
    return np.where(count >= _LEAST_AROUND, median, whole).astype(np.float32)


def difference(before: Plane, after: Plane, light: Plane) -> Plane:
    """`after` less what `before` would show in its light, grey levels; 0 where clipping leaves no say."""
    expected = np.minimum(cv2.multiply(before, light), np.float32(255))
    return _without_clipped(before, after, after - expected)


def _without_clipped(before: Plane, after: Plane, delta: Plane) -> Plane:
    """Where white was full before, more light can't show, and what is full in both can't differ."""
    full = before >= _CLIPPED
    if full.any():
        full &= (delta > 0) | (after >= _CLIPPED)
        np.copyto(delta, np.float32(0), where=full)
    return delta


def _energy(delta: Plane) -> Plane:
    """Squares summed over the channels, height x width."""
    return cv2.transform(cv2.multiply(delta, delta), _SUM).astype(np.float32, copy=False)


@dataclass(slots=True, eq=False)
class Stillness:
    """Holds the start of the present stillness and the noise of this stream."""

    _anchor: Plane | None = None
    _anchor_pictures: int = 0
    _noise: Plane | None = None
    """Usual size of the summed squares, grey levels squared, height x width; None until a still pair was seen."""
    _still_since_ns: int = 0
    _changed: Mask = field(default_factory=lambda: np.zeros((0, 0), np.uint8))

    @property
    def still_since_ns(self) -> int:
        """Time of the first picture of the present stillness."""
        return self._still_since_ns

    @property
    def mean(self) -> Plane | None:
        """The still picture, its noise averaged out."""
        return self._anchor

    @property
    def changed(self) -> Mask:
        """255 where the last picture differed from the stillness before it, reduced px."""
        return self._changed

    def restart(self, small: Reduced, t_ns: int) -> None:
        """Begins a stillness with this picture."""
        self._anchor = small.plane.copy()
        self._anchor_pictures = 1
        self._still_since_ns = t_ns

    def feed(self, small: Reduced, t_ns: int, within: Mask | None = None) -> bool:
        """Takes a picture; True where it moved. `within` is 255 where movement counts (reduced px)."""
        now = small.plane
        if self._anchor is None or self._anchor.shape != now.shape:
            self._noise = None
            self.restart(small, t_ns)
            return True
        light = light_between(self._anchor, now)
        delta = difference(self._anchor, now, light)
        square = _energy(delta)
        self._changed = self._blobs(square, within)
        if self._changed.any():
            self.restart(small, t_ns)
            return True
        self._learn(square)
        self._settle_in(now, light)
        return False

    def differences(self, before: Plane, after: Plane, within: Mask | None = None) -> tuple[Mask, Mask]:
        """255 where two still pictures differ by more than light and noise, reduced px; and where they may, if `within`."""
        energy = _energy(difference(before, after, light_between(before, after)))
        return self._blobs(energy, None), self._blobs(energy, within, _HINT_SCORE)

    def _blobs(self, square: Plane, within: Mask | None, least: float = _SCORE) -> Mask:
        noise = self._noise if self._noise is not None else self._first_noise(square)
        score = cv2.blur(square / (noise + 3 * _FLOOR * _FLOOR), (3, 3))
        hot = np.where(score > least, np.uint8(255), np.uint8(0))
        if within is not None and within.shape == hot.shape:
            hot = cv2.bitwise_and(hot, within)
        if cv2.countNonZero(hot) < _MIN_PX:
            return np.zeros_like(hot)
        _, labels, stats, _ = cv2.connectedComponentsWithStats(hot, connectivity=8)
        big = stats[:, cv2.CC_STAT_AREA] >= _MIN_PX
        big[0] = False
        return np.where(big[labels], np.uint8(255), np.uint8(0))

    @staticmethod
    def _first_noise(square: Plane) -> Plane:
        """A noise for every pixel alike from the quieter half of one difference, while the stream's own is unknown."""
        typical = float(np.median(square[::2, ::2]))
        return np.full(square.shape, max(typical, 3 * _FIRST_NOISE**2), np.float32)

    def _learn(self, square: Plane) -> None:
        if self._noise is None:
            self._noise = self._first_noise(square)
        # One picture may not teach much: what is new on the table must not become noise before it counts as a change.
        capped = np.minimum(square, 9.0 * self._noise + 12.0)
        cv2.accumulateWeighted(capped, self._noise, 0.03)

    def _settle_in(self, now: Plane, light: Plane) -> None:
        """Averages the stillness's first pictures; later ones only pass on the light, so that nothing creeps in."""
        if self._anchor is None:
            return
        if self._anchor_pictures < 8:
            self._anchor_pictures += 1
            cv2.accumulateWeighted(now, self._anchor, 1.0 / self._anchor_pictures)
        else:
            self._anchor *= 1.0 + (light - 1.0) * np.float32(1 / 16)
