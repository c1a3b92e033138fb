"""How much of a string shows at each place of a small picture: a narrow band that differs from what lies on both its sides."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

Floats = NDArray[np.float32]

PX_PER_MM = 1.0
"""Of the small picture in which the loop is sought; millimetres and its pixels are the same but for the origin."""
_WIDTHS_MM = (2.0, 3.5, 5.5)
_DIRECTIONS = 8
_LINE_MM = 9
"""Along so much of the string light is averaged."""


def log_light(picture: Image) -> Floats:
    return np.asarray(np.log(picture.astype(np.float32) + np.float32(16)), np.float32)


def bands(light: Floats) -> tuple[Floats, Floats]:
    """How much each place differs from both its sides alike, in the direction where it does most, and that direction's normal."""
    height, width = light.shape[:2]
    best = np.zeros((height, width), np.float32)
    turn = np.zeros((height, width), np.float32)
    for number in range(_DIRECTIONS):
        angle = np.pi * number / _DIRECTIONS
        along = cv2.filter2D(light, cv2.CV_32F, _line(angle), borderType=cv2.BORDER_REPLICATE)
        wide = cv2.copyMakeBorder(along, _RIM, _RIM, _RIM, _RIM, cv2.BORDER_REPLICATE)
        planes = np.ascontiguousarray(np.moveaxis(wide, 2, 0), np.float32)
        for string in _WIDTHS_MM:
            reach = (0.5 * string + 1.6) * PX_PER_MM
            response = _both_sides(planes, round(-np.sin(angle) * reach), round(np.cos(angle) * reach))
            more = response > best
            np.copyto(best, response, where=more)
            np.copyto(turn, np.float32(angle + np.pi / 2), where=more)
    return np.sqrt(best), turn


_RIM = 6
"""Pixels, beyond which no side of a string lies."""


def _line(angle: float) -> Floats:
    side = _LINE_MM
    kernel = np.zeros((side, side), np.float32)
    middle = (side - 1) / 2
    for step in np.linspace(-middle, middle, 4 * side):
        x, y = middle + step * np.cos(angle), middle + step * np.sin(angle)
        u, v = int(x), int(y)
        for i in (0, 1):
            for j in (0, 1):
                if u + i < side and v + j < side:
                    kernel[v + j, u + i] += (1 - abs(x - u - i)) * (1 - abs(y - v - j))
    return np.asarray(kernel / kernel.sum(), np.float32)


def _both_sides(planes: Floats, across: int, down: int) -> Floats:
    """Square of the lesser of the differences to what lies so far on either side, where both go the same way.

    `planes`: 3 channels with a rim of _RIM pixels.
    """
    height, width = (length - 2 * _RIM for length in planes.shape[1:])
    middle = planes[:, _RIM : _RIM + height, _RIM : _RIM + width]
    left, right = (
        middle - planes[:, _RIM + v : _RIM + v + height, _RIM + u : _RIM + u + width]
        for u, v in ((across, down), (-across, -down))
    )
    both, first, second = (
        np.einsum("chw,chw->hw", one, other) for one, other in ((left, right), (left, left), (right, right))
    )
    return np.asarray(np.minimum(np.minimum(first, second), both), np.float32)
