"""What of a card's canonical picture is in sight, and what is measured over it, pixel by pixel and patch by patch."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.cards.features import Floats, Grid
from vision.cards.matching import Mask

PATCH_PX = 4
"""A patch of a canonical picture, along one side: what is told apart is weighed in these."""
_PATCH_SPREAD = 0.75
"""How far a patch looks around, in patches (sigma)."""
_DRAWN_PX = 7.0
"""What changes over more than this is light, and how a camera mixes colours; what changes over less is drawn (sigma)."""


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """What of a canonical picture is in sight, in pixels, cells and patches."""

    pixels: Floats
    """1 where it is, a pixel from its rim on; height x width."""
    cells: Mask
    patches: Floats
    """Share of each patch; rows x columns."""
    near: Floats
    """The same, as smoothed as what is measured in patches."""

    @classmethod
    def of(cls, seen: Mask, grid: Grid) -> Scale:
        pixels = cv2.erode(seen.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.float32)
        cells = cv2.resize(pixels, (grid.columns, grid.rows), interpolation=cv2.INTER_AREA).ravel() > 0.5
        patches = in_patches(pixels)
        return cls(pixels, cells, patches, spread(patches) + np.float32(1e-3))

    def mean(self, energy: Floats) -> Floats:
        """Around each patch, over what is in sight: rows x columns, of a value for each pixel."""
        return np.asarray(spread(in_patches(energy * self.pixels)) / self.near, np.float32)


def in_patches(values: Floats) -> Floats:
    size = (values.shape[1] // PATCH_PX, values.shape[0] // PATCH_PX)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), np.float32)


def spread(values: Floats) -> Floats:
    soft = cv2.GaussianBlur(values, (0, 0), _PATCH_SPREAD, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(soft.reshape(values.shape), np.float32)


def drawn(values: Floats, shown: Floats | None = None) -> Floats:
    """Without what changes slowly over what is shown: what lies over a card says nothing of it."""
    height, width = values.shape[:2]
    size = (width // PATCH_PX, height // PATCH_PX)
    sigma = _DRAWN_PX / PATCH_PX
    if shown is None or shown.all():
        small = cv2.resize(values, size, interpolation=cv2.INTER_AREA)
        slow = cv2.GaussianBlur(small, (0, 0), sigma)
    else:
        small = cv2.resize(values * in_channels(shown), size, interpolation=cv2.INTER_AREA)
        weight = cv2.GaussianBlur(cv2.resize(shown, size, interpolation=cv2.INTER_AREA), (0, 0), sigma)
        slow = cv2.GaussianBlur(small, (0, 0), sigma) / in_channels(np.maximum(weight, 1e-3).astype(np.float32))
    return np.asarray(values - cv2.resize(slow, (width, height)), np.float32)


def energy_of(values: Floats) -> Floats:
    """Of each pixel, over the channels."""
    a, b, c = cv2.split(values)
    return np.asarray(a * a + b * b + c * c, np.float32)


def in_channels(values: Floats) -> Floats:
    """Three times the same: numpy is slow where it has to repeat a short last axis by itself."""
    return np.asarray(cv2.merge([values, values, values]), np.float32)


def blurred(picture: Floats, sigma_px: float, shown: Floats | None = None) -> Floats:
    """Smoothed, over what is shown alone."""
    if sigma_px <= 0:
        return picture
    if shown is None or shown.all():
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px), np.float32)
    weight = np.maximum(cv2.GaussianBlur(shown, (0, 0), sigma_px), 1e-3).astype(np.float32)
    return np.asarray(
        cv2.GaussianBlur(picture * in_channels(shown), (0, 0), sigma_px) / in_channels(weight), np.float32
    )
