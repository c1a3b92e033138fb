"""Edges of a colour picture: each pixel's strongest change in any channel, and where it is higher than its neighbours across."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Layer = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The gradient of the channel that changes most, height x width each."""

    dx: Layer
    dy: Layer
    size: Layer
    """Levels a pixel."""
    ridge: Mask
    """True where no neighbour across the edge is stronger."""


def find_edges(picture: Image, sigma: float) -> Edges:
    """Edges of a blue-green-red picture, smoothed by `sigma` px first."""
    view = cv2.GaussianBlur(picture, (0, 0), sigma)
    # Whichever channel shows the edge best speaks for it: a thing may differ from its ground in hue alone.
    dx, dy, size = _gradient(cv2.extractChannel(view, 0))
    for channel in (1, 2):
        gx, gy, strength = _gradient(cv2.extractChannel(view, channel))
        better = strength > size
        for best, layer in ((dx, gx), (dy, gy), (size, strength)):
            np.copyto(best, layer, where=better)
    padded = np.pad(size, 1, mode="edge")
    level = np.maximum(padded[1:-1, :-2], padded[1:-1, 2:])
    upright = np.maximum(padded[:-2, 1:-1], padded[2:, 1:-1])
    return Edges(dx, dy, size, size >= np.where(np.abs(dx) >= np.abs(dy), level, upright))


def _gradient(channel: NDArray[np.generic]) -> tuple[Layer, Layer, Layer]:
    plane = np.asarray(channel, np.uint8)
    gx = cv2.Scharr(plane, cv2.CV_32F, 1, 0, scale=1 / 32)
    gy = cv2.Scharr(plane, cv2.CV_32F, 0, 1, scale=1 / 32)
    return np.asarray(gx, np.float32), np.asarray(gy, np.float32), np.asarray(cv2.magnitude(gx, gy), np.float32)
