"""What a card would look like in the light that lies on it: a lamp's sheen and a hand's shade, laid over a reference.

A glossy or sleeved card adds light of its own to everything printed on it, and a shadow takes some away. In linear light
both are one smooth gain and one smooth offset a channel. They are found by regressing the picture on the reference, cell by
cell and then smoothly over several cells, so that nothing as small as what tells two cards apart can hide in them.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.features import CELL_PX, Floats, Grid
from vision.frame import Image

_GAMMA = 2.2
"""Of picture and scan alike; an error in it is a smooth change of tone, which gain and offset take up."""
_LIGHT = ((np.arange(256, dtype=np.float32) / 255) ** _GAMMA).astype(np.float32)
"""Of each grey level."""
_REACH_CELLS = 2.0
"""How far the light may differ from the card's own mean light (sigma); traits are smaller."""
_PRIOR = 0.3
"""Weight of the whole card's gain beside a cell's neighbourhood, as a share of the reference's variance."""
_LEAST_GAIN, _MOST_GAIN = 0.3, 3.0
"""Of the whole card's gain."""
_PICTURE_BLUR_PX = 2.0
"""Of both sides before they are regressed, so that neither noise nor another sharpness lowers the gain."""
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Veil:
    """The light on a card, canonical height x width x 3, in linear light with white at 1."""

    gain: Floats
    offset: Floats

    def over(self, reference: Image) -> Image:
        """The reference's picture as the camera would see it in this light."""
        light = self.gain * _linear(reference) + self.offset
        return np.asarray(255 * cv2.pow(np.clip(light, 0, 1), 1 / _GAMMA), np.uint8)


def veil_of(picture: Image, reference: Image, visible: Mask, grid: Grid) -> Veil:
    """The light in which `picture` would be `reference`; both canonical. Only visible cells count."""
    soft = [_linear(_softened(one)) for one in (picture, reference)]
    shown = visible.reshape(grid.rows, grid.columns).astype(np.float32)
    maps = [_light(soft[0][..., c], soft[1][..., c], shown, grid) for c in range(3)]
    size = grid.size_px
    gain, offset = (
        np.dstack([cv2.resize(one[part], size, interpolation=cv2.INTER_LINEAR) for one in maps]) for part in (0, 1)
    )
    return Veil(gain.astype(np.float32), offset.astype(np.float32))


def _light(picture: Floats, reference: Floats, shown: Floats, grid: Grid) -> tuple[Floats, Floats]:
    """Gain and offset of one channel, rows x columns of cells."""
    sums = [_mean_in_cells(x, grid) * shown for x in (picture, reference, reference**2, picture * reference)]
    count = max(float(shown.sum()), 1.0)
    p, r, rr, pr = (float(x.sum()) / count for x in sums)
    variance = max(rr - r * r, 1e-6)
    whole = max((pr - p * r) / variance, 1e-3)
    weight = _near(shown) + 1e-6
    near_p, near_r, near_rr, near_pr = (_near(x) / weight for x in sums)
    gain = (near_pr - near_p * near_r + _PRIOR * variance * whole) / (near_rr - near_r**2 + _PRIOR * variance)
    gain = np.clip(gain, _LEAST_GAIN * whole, _MOST_GAIN * whole).astype(np.float32)
    return gain, np.asarray(np.maximum(near_p - gain * near_r, 0), np.float32)


def _mean_in_cells(values: Floats, grid: Grid) -> Floats:
    split = values.reshape(grid.rows, CELL_PX, grid.columns, CELL_PX)
    return np.asarray(split.mean(axis=(1, 3)), np.float32)


def _near(values: Floats) -> Floats:
    near = cv2.GaussianBlur(values, (0, 0), _REACH_CELLS, borderType=cv2.BORDER_REFLECT)
    return np.asarray(near, np.float32)


def _softened(picture: Image) -> Image:
    return cv2.GaussianBlur(picture, (0, 0), _PICTURE_BLUR_PX).astype(np.uint8, copy=False)


def _linear(picture: Image) -> Floats:
    return np.asarray(cv2.LUT(picture, _LIGHT), np.float32)
