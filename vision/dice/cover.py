"""What of a place a hand covers: pixels of the hand's own colour within what is told of it, so that dice beside it stay bare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.find import MARGIN_MM, PX_PER_MM, Overview
from vision.frame import Image
from vision.observation import Polygon

Singles = NDArray[np.float32]
Mask = NDArray[np.uint8]

_LIGHT_FLOOR = 12.0
_LEAST_PX = 150
_LEAST_LIKE = 0.13
"""Difference of colour, natural logarithm of light, that may still be the hand's."""
_NO_SHADOW = 0.08
"""What is darker than the table, and differs from its usual colour by less, may be a shadow on it."""
_LIGHTER = 0.15
_SPREADS = 3.0
_SHADE = 0.35
"""Natural logarithm of light by which a part of a hand may be darker or lighter than nearly all of it."""
_DARK = 0.5
"""Natural logarithm of light by which a hand of the ground's colour is darker than most shadows leave the ground."""
_MIXED = 0.2
"""Difference of colour, of most of what reaches in from its middle one, from which on it has several."""
_BIN, _BINS_REACH = 0.05, 1.6
"""Width and range of the steps in which colours are counted."""
_SLEEVE_MM2 = 1500.0
"""What is smaller may be a die or two."""
_BESIDE_MM = 6.0
"""How far from the table's edge a sleeve that comes in over it begins to be told."""
_ELSEWHERE = 0.25
"""Share of a hand's colour that may lie about elsewhere on the table."""
_SEAM_MM = 0.7
_THIN_MM = 8.0
"""A finger and an arm are wider: what is not may be a string or a rim."""
_GROWN_MM = 2.0
_SOFT_RIM_MM = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Tint:
    """A colour of what lies over a table, in any shade."""

    colour: Singles
    """Light of each channel, natural logarithm, without the mean of them: shade does not count."""
    like: float
    """How far what is the hand's may differ from that."""
    bright: tuple[float, float]
    """The mean of its channels' light, from dark to bright."""
    table: Singles
    """The bare table's colour: what is more like it is no hand."""

    @classmethod
    def of(cls, light: Singles, table: Singles) -> Tint | None:
        """That of some light (N, 3), of which most is the hand's, over a table of some light (3,); None where they are too alike
        to be told apart."""
        shades = _colour(light)
        colour = np.median(shades, axis=0)
        spread = 1.48 * float(np.median(np.linalg.norm(shades - colour, axis=1)))
        lighter = float(np.median(light.mean(axis=1)) - table.mean())
        alike = float(np.linalg.norm(colour - _colour(table))) < _NO_SHADOW
        if alike and -_DARK < lighter < _LIGHTER:
            return None
        dark, bright = (float(level) for level in np.percentile(light.mean(axis=1), (10, 90)))
        if alike:
            # Only their light tells them apart: half-way between the two.
            half_way = float(table.mean()) + lighter / 2
            dark, bright = (
                (max(dark, half_way + _SHADE), bright) if lighter > 0 else (dark, min(bright, half_way - _SHADE))
            )
        return cls(
            colour.astype(np.float32),
            max(_LEAST_LIKE, _SPREADS * spread),
            (dark - _SHADE, bright + _SHADE),
            (np.full(3, np.inf) if alike else _colour(table)).astype(np.float32),
        )

    def shows(self, light: Singles) -> NDArray[np.bool_]:
        """Where light (..., 3) is of this colour."""
        colour, mean = _colour(light), light.mean(axis=-1)
        off = np.linalg.norm(colour - self.colour, axis=-1)
        near = (off <= self.like) & (off <= np.linalg.norm(colour - self.table, axis=-1))
        return np.asarray(near & (mean >= self.bright[0]) & (mean <= self.bright[1]))


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Hands over a table, and their colours."""

    areas_mm: tuple[Polygon, ...]
    tints: tuple[Tint, ...]
    """Skin or glove, and what else comes in with it: a sleeve."""

    @classmethod
    def of(cls, view: Overview, areas_mm: Sequence[Polygon]) -> Cover | None:
        """The cover of what reaches in; None where there is nothing, or too little to tell its colour."""
        areas = view.filled(areas_mm)
        mask = cv2.erode(areas, np.ones((5, 5), np.uint8)).astype(np.uint8, copy=False)
        if cv2.countNonZero(mask) < _LEAST_PX:
            return None
        table = np.median(view.light[mask == 0], axis=0).astype(np.float32)
        light = view.light[mask > 0]
        if _is_mixed(light):
            light = _commonest(light)
        tints = [tint for tint in (Tint.of(light, table),) if tint is not None]
        mask[_like_table(view.light, table) | _shown(tints, view.light)] = 0
        part = _largest_from_beside(mask)
        sleeve = Tint.of(_commonest(view.light[part > 0]), table) if part is not None else None
        if sleeve is not None and _is_own(sleeve, view, areas):
            tints.append(sleeve)
        return cls(tuple(areas_mm), tuple(tints)) if tints else None

    def over(self, picture: Image, px_per_mm: float, origin_mm: tuple[float, float]) -> Mask | None:
        """255 where a hand covers a rectified picture; None where it nowhere does."""
        mask = np.zeros(picture.shape[:2], np.uint8)
        for area in self.areas_mm:
            corners = (np.asarray(area, np.float64) - np.array(origin_mm)) * px_per_mm - 0.5
            cv2.fillPoly(mask, [np.rint(corners).astype(np.int32)], 255)
        if not mask.any():
            return None
        mask = cv2.dilate(mask, _disc(_GROWN_MM * px_per_mm)).astype(np.uint8, copy=False)
        light = np.log(cv2.GaussianBlur(picture, (0, 0), 1.5).astype(np.float32) + np.float32(_LIGHT_FLOOR))
        mask[~_shown(self.tints, light)] = 0
        if len(self.tints) > 1:
            # Where a sleeve ends, its blurred rim has neither colour.
            mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _disc(_SEAM_MM * px_per_mm)).astype(np.uint8, copy=False)
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, _disc(px_per_mm)).astype(np.uint8, copy=False)
        mask = _without_islands(mask)
        mask = cv2.dilate(mask, _disc(_SOFT_RIM_MM * px_per_mm)).astype(np.uint8, copy=False)
        return mask if mask.any() else None


def _shown(tints: Sequence[Tint], light: Singles) -> NDArray[np.bool_]:
    """Where light (..., 3) is of one of these colours."""
    shown = np.zeros(light.shape[:-1], np.bool_)
    for tint in tints:
        shown |= tint.shows(light)
    return shown


def _is_mixed(light: Singles) -> bool:
    """Whether light (N, 3) is of several colours, of which the middle one may be nobody's."""
    shades = _colour(light)
    return _SPREADS * 1.48 * float(np.median(np.linalg.norm(shades - np.median(shades, axis=0), axis=1))) > _MIXED


def _commonest(light: Singles) -> Singles:
    """What of light (N, 3) is of the colour that most of it has."""
    shades = _colour(light)
    bins = np.arange(-_BINS_REACH, _BINS_REACH + _BIN, _BIN)
    counts, _, _ = np.histogram2d(
        shades[:, 0].clip(-_BINS_REACH, _BINS_REACH), shades[:, 2].clip(-_BINS_REACH, _BINS_REACH), [bins, bins]
    )
    smooth = cv2.GaussianBlur(counts, (0, 0), 1.0)
    row, column = np.unravel_index(int(smooth.argmax()), smooth.shape)
    blue, red = bins[row] + _BIN / 2, bins[column] + _BIN / 2
    near = np.hypot(shades[:, 0] - blue, shades[:, 2] - red) < _LEAST_LIKE
    return np.asarray(light[near], np.float32)


def _like_table(light: Singles, table: Singles) -> NDArray[np.bool_]:
    """Where light (..., 3) may be that of the bare table or of a shadow on it."""
    off = np.linalg.norm(_colour(light) - _colour(table), axis=-1)
    lighter = light.mean(axis=-1) - table.mean()
    return np.asarray((off < _NO_SHADOW) & (lighter > -_DARK) & (lighter < _LIGHTER))


def _largest_from_beside(mask: Mask) -> Mask | None:
    """The largest part of a mask of the table, where it is larger than any die and comes in over the table's edge."""
    rim = round((MARGIN_MM + _BESIDE_MM) * PX_PER_MM)
    inner = np.zeros(mask.shape, np.bool_)
    inner[rim:-rim, rim:-rim] = True
    thick = cv2.morphologyEx(mask, cv2.MORPH_OPEN, _disc(_THIN_MM / 2 * PX_PER_MM)).astype(np.uint8, copy=False)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(thick)
    if count < 2:
        return None
    number = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    part = np.where(labels == number, np.uint8(255), np.uint8(0))
    large = int(stats[number, cv2.CC_STAT_AREA]) > _SLEEVE_MM2 * PX_PER_MM**2
    return part if large and part[~inner].any() else None


def _is_own(tint: Tint, view: Overview, areas: Mask) -> bool:
    """Whether a colour is the hand's: what lies about on the table as well is the table's."""
    shown = tint.shows(view.light)
    beside = shown & (areas == 0) & (view.blocked == 0)
    return int(beside.sum()) < _ELSEWHERE * int((shown & (areas > 0)).sum())


def _without_islands(mask: Mask) -> Mask:
    """The mask without parts that touch no side of the picture: fingers come in from beside, dice and symbols of a hand's colour
    don't."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    kept = mask.copy()
    for number in range(1, count):
        x, y, across, down, _ = (int(value) for value in stats[number])
        if x > 0 and y > 0 and x + across < mask.shape[1] and y + down < mask.shape[0]:
            kept[labels == number] = 0
    return kept


def _colour(light: Singles) -> Singles:
    return np.asarray(light - light.mean(axis=-1, keepdims=True), np.float32)


def _disc(radius: float) -> Mask:
    side = 2 * max(round(radius), 1) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
