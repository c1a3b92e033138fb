"""What of a place a hand covers: pixels of the hand's own colour within what is told of it, so that dice beside it stay bare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.find import Overview
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
_THIN_MM = 8.0
"""A finger is wider: what is not, and hangs together with nothing that comes in from beside, is a symbol of a hand's colour."""
_GROWN_MM = 2.0
_SOFT_RIM_MM = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Hands over a table, and their colour."""

    areas_mm: tuple[Polygon, ...]
    colour: Singles
    """Light of each channel, natural logarithm, without the mean of them: shade does not count."""
    like: float
    """How far what is the hand's may differ from that."""
    bright: tuple[float, float]
    """The mean of its channels' light, from dark to bright."""
    table: Singles
    """The bare table's colour: what is more like it is no hand."""

    @classmethod
    def of(cls, view: Overview, areas_mm: Sequence[Polygon]) -> Cover | None:
        """The cover of what reaches in; None where there is nothing, or too little to tell its colour."""
        mask = view.filled(areas_mm)
        mask = cv2.erode(mask, np.ones((5, 5), np.uint8)).astype(np.uint8, copy=False)
        light = view.light[mask > 0]
        if len(light) < _LEAST_PX:
            return None
        shades = _colour(light)
        colour = np.median(shades, axis=0)
        spread = 1.48 * float(np.median(np.linalg.norm(shades - colour, axis=1)))
        table = np.median(view.light[mask == 0], axis=0)
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
            tuple(areas_mm),
            colour.astype(np.float32),
            max(_LEAST_LIKE, _SPREADS * spread),
            (dark - _SHADE, bright + _SHADE),
            (np.full(3, np.inf) if alike else _colour(table)).astype(np.float32),
        )

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
        colour, mean = _colour(light), light.mean(axis=2)
        off = np.linalg.norm(colour - self.colour, axis=2)
        mask[(off > self.like) | (off > np.linalg.norm(colour - self.table, axis=2))] = 0
        mask[(mean < self.bright[0]) | (mean > self.bright[1])] = 0
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, _disc(px_per_mm)).astype(np.uint8, copy=False)
        mask = _without_islands(mask, _THIN_MM * px_per_mm)
        mask = cv2.dilate(mask, _disc(_SOFT_RIM_MM * px_per_mm)).astype(np.uint8, copy=False)
        return mask if mask.any() else None


def _without_islands(mask: Mask, wide_px: float) -> Mask:
    """The mask without parts that are nowhere so wide and touch no side of the picture."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    depth = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    kept = mask.copy()
    for number in range(1, count):
        x, y, across, down, _ = (int(value) for value in stats[number])
        inside = x > 0 and y > 0 and x + across < mask.shape[1] and y + down < mask.shape[0]
        if inside and 2 * float(depth[labels == number].max()) < wide_px:
            kept[labels == number] = 0
    return kept


def _colour(light: Singles) -> Singles:
    return np.asarray(light - light.mean(axis=-1, keepdims=True), np.float32)


def _disc(radius: float) -> Mask:
    side = 2 * max(round(radius), 1) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
