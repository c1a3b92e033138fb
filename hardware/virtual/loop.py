"""The closed string that makes the Arena, as a plain value and as the camera sees it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.virtual.lens import Points
from hardware.virtual.paint import Easel

_OVER = 4


@dataclass(frozen=True, slots=True)
class LoopOnTable:
    """A string on the table, closed or not."""

    polygon_mm: tuple[tuple[float, float], ...]
    """Its middle line, in order; dense enough to look round."""
    width_mm: float = 2.6
    bgr: tuple[int, int, int] = (40, 40, 200)
    closed: bool = True
    ply_mm: float = 0.0
    """Length of a twist of its strands, 0 for a smooth cord."""

    def __post_init__(self) -> None:
        if len(self.polygon_mm) < 2:
            raise ValueError("a string needs two points")


def depth_mm(loop: LoopOnTable, x_mm: float, y_mm: float) -> float:
    """How far a point lies inside the string's middle line; negative outside."""
    outline = np.asarray(loop.polygon_mm, np.float32).reshape(-1, 1, 2)
    return float(cv2.pointPolygonTest(outline, (float(x_mm), float(y_mm)), True))


def lay_loop(easel: Easel, picture: Image, loop: LoopOnTable, shadow: float) -> None:
    """Paints the string and its shadow into the picture. `shadow`: darkness of shadows, 0 to 1."""
    line = np.asarray(loop.polygon_mm, np.float64)
    half = loop.width_mm / 2
    shown = easel.camera.project(line, half)
    fallen = easel.camera.project(line + np.array([0.35, 0.5]) * half)
    box = easel.box(np.concatenate([shown, fallen]) + np.array([[-8.0], [8.0]]).repeat(len(line), 0))
    if box is None:
        return
    left, top, right, bottom = box
    area = picture[top:bottom, left:right]
    scale = easel.camera.px_per_mm
    corner = np.array([left, top], np.float64)
    dark = _band(fallen - corner, (right - left, bottom - top), loop.width_mm * scale * 1.5, loop.closed)
    dark = cv2.GaussianBlur(dark, (0, 0), max(0.4, 0.5 * scale)).astype(np.uint8, copy=False)
    _blend(area, np.zeros_like(area), cv2.convertScaleAbs(dark, alpha=min(1.0, 0.9 * shadow)))
    body = _band(shown - corner, (right - left, bottom - top), loop.width_mm * scale, loop.closed)
    _blend(area, _cord(shown - corner, area, loop, scale), body)


def _cord(shown: Points, area: Image, loop: LoopOnTable, scale: float) -> Image:
    """The string's own colours around its middle line: lighter along the middle, banded where it is twisted."""
    rounded = _band(shown, (area.shape[1], area.shape[0]), loop.width_mm * scale * 0.5, loop.closed)
    light = 0.8 + 0.25 * cv2.GaussianBlur(rounded, (0, 0), 0.18 * loop.width_mm * scale + 0.2).astype(np.float32) / 255
    if loop.ply_mm > 0:
        light *= _twist(shown, light.shape, loop.ply_mm * scale, loop.width_mm * scale)
    return np.clip(light[..., None] * np.array(loop.bgr, np.float32), 0, 255).astype(np.uint8)


def _twist(shown: Points, shape: tuple[int, ...], ply_px: float, width_px: float) -> NDArray[np.float32]:
    bands = np.ones(shape, np.float32)
    ring = np.vstack([shown, shown[:1]])
    steps = np.hypot(*np.diff(ring, axis=0).T)
    way = np.concatenate([[0.0], np.cumsum(steps)])
    for at in np.arange(0, way[-1], ply_px):
        n = min(int(np.searchsorted(way, at, side="right")) - 1, len(steps) - 1)
        along = (ring[n + 1] - ring[n]) / max(steps[n], 1e-6)
        middle = ring[n] + along * (at - way[n])
        across = np.array([-along[1], along[0]]) * width_px * 0.6 + along * ply_px * 0.3
        a, b = (np.round((middle + sign * across) * 16).astype(int) for sign in (-1, 1))
        cv2.line(bands, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), 0.78, 1, cv2.LINE_AA, 4)
    return bands


def _band(line: Points, size: tuple[int, int], width_px: float, closed: bool) -> NDArray[np.uint8]:
    """Coverage of a line of a width, exact to a fraction of a pixel."""
    over = _OVER if size[0] * size[1] < 500_000 else 2
    mask = np.zeros((size[1] * over, size[0] * over), np.uint8)
    fixed = np.round(((line + 0.5) * over - 0.5) * 16).astype(np.int32)
    cv2.polylines(mask, [fixed.reshape(-1, 1, 2)], closed, 255, max(1, round(width_px * over)), cv2.LINE_AA, 4)
    return cv2.resize(mask, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def _blend(area: Image, colour: Image, cover: NDArray[np.generic]) -> None:
    cover3 = cv2.merge([np.asarray(cover, np.uint8)] * 3)
    over = cv2.multiply(colour, cover3, scale=1 / 255)
    area[:] = cv2.add(cv2.multiply(area, cv2.bitwise_not(cover3), scale=1 / 255), over)
