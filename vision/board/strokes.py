"""What the markers left on the board: each pixel's difference from the ground around it, without stars.

The ground is the median over a window wider than any stroke, so that light, shadows, glare and the board's own tone drop
out; light boards are compared by ratio, dark ones by difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.stars import Star
from vision.frame import Image

GROUND_PX_PER_MM = 0.8
GROUND_WINDOW_MM = 16.0
DARK_BELOW = 110.0
"""A board whose median grey level lies below this is dark: markers lighten it."""

DIVIDER_REACH_MM = 2.0
RIM_MM = 0.6
PLAIN_HUE, PLAIN_PIXELS = 45.0, 100
"""A pixel of this much hue is certainly a marker's; so many of them tell whether markers lighten the board or darken it."""
FOREIGN_HUE = 18.0
FOREIGN_LEAST_MM, FOREIGN_AREA_MM2 = 10.0, 400.0
"""A finger is wider than the first, strokes side by side are not; what lies wholly on the board is larger than the second."""

Layer = NDArray[np.float32]
Mask = NDArray[np.bool_]
Dividers = tuple[tuple[float, float], tuple[float, float]]
"""Board mm: x of the upright dividers, y of the level ones."""


@dataclass(frozen=True, slots=True, eq=False)
class StrokeView:
    """The board's view as the line tests see it. All layers are height x width."""

    px_per_mm: float
    dark: bool
    strength: Layer
    """How far the strongest channel lies from the local ground, levels of 255 (light boards: of a white ground)."""
    hue: Layer
    """Red's difference less blue's, levels: positive where a red marker drew, negative where a blue one did."""
    green: Layer
    """Green's difference less the mean of the other two: positive where a green marker drew."""
    noise: float
    """Spread of the strength on bare ground, levels."""
    magnets: Mask
    """True where a magnet's top and its rim are seen instead of the board."""
    hidden: Mask
    """True where something that is neither board nor marker nor magnet lies over the board."""


def stroke_view(
    picture: Image, px_per_mm: float, stars: Sequence[Star], dividers: Dividers, covered: Mask | None = None
) -> StrokeView:
    """Takes the ground and the dividers out of a view of the board. `covered` marks what is known to be hidden."""
    without = _without_stars(picture, px_per_mm, stars)
    factor = GROUND_PX_PER_MM / px_per_mm
    small = cv2.resize(without, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    window = round(GROUND_WINDOW_MM * GROUND_PX_PER_MM) // 2 * 2 + 1
    padded = cv2.copyMakeBorder(small, window, window, window, window, cv2.BORDER_REPLICATE)
    middle = np.asarray(cv2.medianBlur(padded, window)[window:-window, window:-window], np.uint8)
    dark = float(np.median(cv2.cvtColor(middle, cv2.COLOR_BGR2GRAY))) < DARK_BELOW
    hidden = (
        cv2.resize(
            _foreign(np.asarray(small, np.uint8)).astype(np.uint8),
            picture.shape[1::-1],
            interpolation=cv2.INTER_NEAREST,
        )
        > 0
    )
    if covered is not None:
        hidden |= covered
    ground = cv2.resize(middle, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR).astype(np.float32)
    difference: Layer = np.asarray(cv2.subtract(picture, ground, dtype=cv2.CV_32F), np.float32)
    tops = np.zeros(picture.shape[:2], np.uint8)
    for star in stars:
        at = (round(star.x * px_per_mm - 0.5), round(star.y * px_per_mm - 0.5))
        cv2.circle(tops, at, round((star.radius + RIM_MM) * px_per_mm), 1, -1)
    magnets = tops > 0
    difference[magnets] = 0.0
    if not dark:
        cv2.divide(difference, cv2.max(ground, np.full_like(ground, 90.0)), difference, 255.0)
    for axis, cuts in enumerate(dividers):
        for cut in cuts:
            _take_out_divider(difference, axis, cut * px_per_mm, DIVIDER_REACH_MM * px_per_mm)
    low, mid, high = cv2.split(cv2.absdiff(difference, np.zeros_like(difference)))
    strength = np.asarray(cv2.max(cv2.max(low, mid), high), np.float32)
    noise = 1.48 * float(np.median(strength[::4, ::4]))
    hue = np.asarray(cv2.transform(difference, np.array([[-1.0, 0.0, 1.0]], np.float32)), np.float32)
    green = np.asarray(cv2.transform(difference, np.array([[-0.5, 1.0, -0.5]], np.float32)), np.float32)
    return StrokeView(
        px_per_mm, _lightened(difference, hue, hidden, dark), strength, hue, green, max(noise, 1.0), magnets, hidden
    )


def _lightened(difference: Layer, hue: Layer, hidden: Mask, default: bool) -> bool:
    """Whether the board is dark: there markers lighten the ground, whatever a glare makes of its tone."""
    coloured = (np.abs(hue[::2, ::2]) > PLAIN_HUE) & ~hidden[::2, ::2]
    if coloured.sum() < PLAIN_PIXELS:
        return default
    return float(np.median(difference[::2, ::2][coloured].mean(axis=1))) > 0


def _foreign(small: Image) -> Mask:
    """Where a wide thing's colour is not the board's: a hand, a sleeve. Light and glare change tone, hardly hue."""
    lab = cv2.cvtColor(cv2.medianBlur(small, 3), cv2.COLOR_BGR2LAB).astype(np.float32)
    usual = np.median(lab.reshape(-1, 3), axis=0)
    hue = np.hypot(lab[..., 1] - usual[1], lab[..., 2] - usual[2])
    strange = hue > FOREIGN_HUE
    if usual[0] > DARK_BELOW:
        strange |= lab[..., 0] < 0.4 * usual[0]
    reach = round(FOREIGN_LEAST_MM * GROUND_PX_PER_MM) | 1
    solid = cv2.morphologyEx(strange.astype(np.uint8), cv2.MORPH_OPEN, np.ones((reach, reach), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(solid, np.ones((5, 5), np.uint8)))
    edge = np.zeros(labels.shape, np.bool_)
    edge[:3], edge[-3:], edge[:, :3], edge[:, -3:] = True, True, True, True
    from_outside = np.isin(np.arange(count), labels[edge])
    large = stats[:, cv2.CC_STAT_AREA] >= FOREIGN_AREA_MM2 * GROUND_PX_PER_MM**2
    keep = from_outside | large
    keep[0] = False
    return np.asarray(keep[labels], np.bool_)


def _take_out_divider(difference: Layer, axis: int, at: float, reach: float) -> None:
    """Takes away, row by row along it, what a divider adds everywhere: the median over its length."""
    low, high = max(0, round(at - reach)), round(at + reach) + 1
    band = difference[:, low:high] if axis == 0 else difference[low:high]
    band -= np.median(band[::3] if axis == 0 else band[:, ::3], axis=axis, keepdims=True)


def _without_stars(picture: Image, px_per_mm: float, stars: Sequence[Star]) -> Image:
    """The view with each magnet and its rim painted over by the ground around it."""
    result = picture.copy()
    height, width = picture.shape[:2]
    for star in stars:
        u, v = star.x * px_per_mm - 0.5, star.y * px_per_mm - 0.5
        inner, outer = 1.25 * star.radius * px_per_mm, 2.0 * star.radius * px_per_mm
        left, right = max(0, int(u - outer)), min(width, int(u + outer) + 1)
        top, bottom = max(0, int(v - outer)), min(height, int(v + outer) + 1)
        patch = result[top:bottom, left:right]
        gu, gv = np.meshgrid(np.arange(left, right) - u, np.arange(top, bottom) - v)
        far = np.hypot(gu, gv)
        ring = picture[top:bottom, left:right][(far > inner) & (far < outer)]
        if len(ring):
            patch[far <= inner] = np.median(ring, axis=0)
    return result
