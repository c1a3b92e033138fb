"""Dice cut from the empty table by their enrolled colours, picture by picture, fast enough for every frame.

A die's faces show one colour under more or less light: a ray through black. A shadow does the same to the ground's own
colour, pixel by pixel, and so is told from a die. What is neither ground, shadow nor die is foreign: a hand, a sleeve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Mask = NDArray[np.uint8]
Floats = NDArray[np.float32]

_LEAST_CHANGE = 13.0
_NOISES = 5.0
LIGHT_RANGE = (0.5, 1.3)
"""Of a die's faces, beside the light on its enrolled colour."""
_TOLERANCE = (15.0, 0.11)
"""Distance from a die's ray in grey levels: as it is, and more for each grey level of the colour."""
_SHADOW = (0.34, 1.03)
"""Light that a shadow leaves of the ground, from deep under a die to none taken."""
_SHADOW_SPREAD = 0.12
"""By which the three channels of a shadow may differ in what they leave."""
_BITS = 5
FOREIGN = 255
"""Label of what is no ground, shadow or enrolled die."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The empty table, string and all, as the camera shows it."""

    mean: Image
    noise: float
    """Standard deviation of a pixel from one picture to the next, grey levels."""

    @classmethod
    def of(cls, pictures: Sequence[Image]) -> Ground:
        """From one or more pictures of it. Raises ValueError for none."""
        if not pictures:
            raise ValueError("the empty table needs a picture")
        stack = np.stack(pictures).astype(np.float32)
        noise = float(np.sqrt(np.mean(stack.var(axis=0, ddof=1)))) if len(pictures) > 1 else 2.5
        return cls(np.rint(stack.mean(axis=0)).astype(np.uint8), max(noise, 0.5))

    def changed(self, image: Image) -> Mask:
        """255 where a picture differs from the empty table."""
        blue, green, red = cv2.split(cv2.absdiff(image, self.mean))
        most = cv2.max(cv2.max(blue, green), red)
        limit = max(_LEAST_CHANGE, _NOISES * self.noise)
        return cv2.threshold(most, limit, 255, cv2.THRESH_BINARY)[1].astype(np.uint8, copy=False)


def colour_at(image: Image, ground: Ground, middle_px: tuple[float, float], radius_px: float) -> tuple[int, int, int]:
    """The body colour, blue-green-red, of a die that lies around a place: that whose ray passes through most of its pixels."""
    u, v = middle_px
    rows, columns = np.mgrid[: image.shape[0], : image.shape[1]]
    disc = ((columns - u) ** 2 + (rows - v) ** 2 <= radius_px**2) & (ground.changed(image) > 0)
    pixels = image[disc].astype(np.float32)
    if len(pixels) < 8:
        pixels = image[(columns - u) ** 2 + (rows - v) ** 2 <= radius_px**2].astype(np.float32)
    shadow = shadow_like(pixels, ground.mean[disc].astype(np.float32)) if len(pixels) == int(disc.sum()) else None
    if shadow is not None and (~shadow).sum() >= 8:
        pixels = pixels[~shadow]
    picked = pixels[:: max(1, len(pixels) // 150)]
    counts = [int((_from_ray(pixels, colour) < _TOLERANCE[0]).sum()) for colour in picked]
    best = picked[int(np.argmax(counts))]
    of_body = pixels[_from_ray(pixels, best) < _TOLERANCE[0]]
    blue, green, red = (round(float(part)) for part in np.median(of_body, axis=0))
    return blue, green, red


class Palette:
    """Which enrolled colour each pixel of a picture shows."""

    def __init__(self, ground: Ground, colours: Sequence[tuple[int, int, int]]) -> None:
        self._ground = ground
        self._table = _table(colours)

    def labels(self, image: Image) -> tuple[Mask, Mask]:
        """For each pixel 0 (ground, shadow), the number of a colour from 1 on, or FOREIGN; and 255 where anything changed."""
        changed = self._ground.changed(image)
        labels = np.zeros(changed.shape, np.uint8)
        where = np.flatnonzero(changed)
        if len(where) == 0:
            return labels, changed
        pixels = image.reshape(-1, 3)[where]
        code = pixels >> (8 - _BITS)
        index = (code[:, 0].astype(np.uint16) << (2 * _BITS)) | (code[:, 1].astype(np.uint16) << _BITS) | code[:, 2]
        found = self._table[index]
        shadow = shadow_like(pixels.astype(np.float32), self._ground.mean.reshape(-1, 3)[where].astype(np.float32))
        found[shadow] = 0
        labels.reshape(-1)[where] = found
        return labels, changed


def shadow_like(pixels: Floats, ground: Floats) -> NDArray[np.bool_]:
    """Which pixels (N x 3) may be the ground's (N x 3) in a shadow."""
    left = (pixels + 4) / (ground + 4)
    blue, green, red = left[:, 0], left[:, 1], left[:, 2]
    high = np.maximum(np.maximum(blue, green), red)
    low = np.minimum(np.minimum(blue, green), red)
    return np.asarray((low > _SHADOW[0]) & (high < _SHADOW[1]) & (high - low < _SHADOW_SPREAD))


def _from_ray(pixels: Floats, colour: NDArray[np.float32]) -> Floats:
    """How far pixels are from what a colour becomes under less or more light."""
    length = float(colour @ colour) + 1e-6
    light = np.clip(pixels @ colour / length, *LIGHT_RANGE)
    return np.asarray(np.linalg.norm(pixels - light[:, None] * colour, axis=1), np.float32)


def _table(colours: Sequence[tuple[int, int, int]]) -> Mask:
    """The label of every colour a picture can hold, in steps of 8 grey levels a channel."""
    step = 1 << (8 - _BITS)
    axis = (np.arange(1 << _BITS, dtype=np.float32) + 0.5) * step
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    labels = np.full(len(grid), FOREIGN, np.uint8)
    nearest = np.full(len(grid), np.inf, np.float32)
    for number, bgr in enumerate(colours, 1):
        colour = np.array(bgr, np.float32)
        away = _from_ray(grid, colour) / np.float32(_TOLERANCE[0] + _TOLERANCE[1] * float(np.linalg.norm(colour)))
        mine = (away < 1) & (away < nearest)
        labels[mine], nearest[mine] = number, away[mine]
    return labels
