"""Symbols for dice, drawn by code, and numbers; each as the share of ink in a square.

Shapes that have nothing to do with any printed die, so that what is measured on them holds for others too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual.glyphs import stamp

Mask = NDArray[np.uint8]
"""Square; 255 where there is ink."""
Ring = NDArray[np.float64]
"""N x 2: a polygon in a square from -1 to 1, x right, y down."""

SIDE_PX = 96
_OVER = 4


@lru_cache(maxsize=256)
def symbol_mask(name: str) -> Mask | None:
    """The symbol of this name: one of SYMBOLS, or a number up to 99; None for any other name."""
    if name in _SYMBOLS:
        return cv2.resize(_SYMBOLS[name](), (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA).astype(
            np.uint8, copy=False
        )
    if name.isascii() and name.isdigit() and len(name) <= 2:
        tall = 0.62 if len(name) == 1 else 0.5
        return stamp(
            (SIDE_PX, SIDE_PX),
            name,
            (SIDE_PX / 2, SIDE_PX * 0.47),
            SIDE_PX * tall,
            pen=0.17,
            underline=name in {"6", "9"},
        ).astype(np.uint8, copy=False)
    return None


def _drawn(*parts: tuple[int, Ring]) -> Mask:
    """Polygons filled one over the other: ink (1) or none (0)."""
    side = SIDE_PX * _OVER
    mask = np.zeros((side, side), np.uint8)
    for filled, ring in parts:
        fixed = np.round((ring + 1) / 2 * side * 16 - 8).astype(np.int32)
        cv2.fillPoly(mask, [fixed.reshape(-1, 1, 2)], 255 * filled, cv2.LINE_8, 4)
    return mask


def _spokes(count: int, inner: float, outer: float = 0.98, start_deg: float = -90.0) -> Ring:
    """A star."""
    angles = np.radians(start_deg + np.arange(2 * count) * 180.0 / count)
    reach = np.where(np.arange(2 * count) % 2 == 0, outer, inner)
    return np.asarray(np.stack([np.cos(angles), np.sin(angles)], axis=1) * reach[:, None], np.float64)


def _regular(count: int, reach: float, start_deg: float = -90.0) -> Ring:
    angles = np.radians(start_deg + np.arange(count) * 360.0 / count)
    return np.asarray(np.stack([np.cos(angles), np.sin(angles)], axis=1) * reach, np.float64)


def _disc(x: float, y: float, reach: float) -> Ring:
    return np.asarray(_regular(48, reach) + np.array([x, y]), np.float64)


def _poly(*points: tuple[float, float]) -> Ring:
    return np.array(points, np.float64)


def _box(x: float, y: float, half_width: float, half_height: float) -> Ring:
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (half_width, half_height)
    return np.asarray(corners + np.array([x, y]), np.float64)


def _petals(count: int) -> Ring:
    turn = np.linspace(0, 2 * math.pi, 240, endpoint=False)
    reach = 0.62 + 0.34 * np.cos(count * turn)
    return np.asarray(np.stack([np.sin(turn), -np.cos(turn)], axis=1) * reach[:, None], np.float64)


def _heart() -> Mask:
    turn = np.linspace(0, 2 * math.pi, 120, endpoint=False)
    x = 16 * np.sin(turn) ** 3
    y = 13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn)
    return _drawn((1, np.stack([x / 17, -y / 17], axis=1)))


def _drop() -> Mask:
    turn = np.linspace(0, 2 * math.pi, 120, endpoint=False)
    x, y = np.sin(turn) * np.sin(turn / 2) ** 2, -np.cos(turn)
    return _drawn((1, np.stack([0.85 * x, 0.95 * y], axis=1)))


def _spiral() -> Mask:
    turn = np.linspace(0.6, 4.2 * math.pi, 200)
    way = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (turn / turn[-1] * 0.84)[:, None]
    side = SIDE_PX * _OVER
    mask = np.zeros((side, side), np.uint8)
    points = np.round((way + 1) / 2 * side).astype(np.int32)
    cv2.polylines(mask, [points.reshape(-1, 1, 2)], False, 255, round(side * 0.1))
    return mask


_SYMBOLS: dict[str, Callable[[], Mask]] = {
    "star4": lambda: _drawn((1, _spokes(4, 0.3))),
    "star5": lambda: _drawn((1, _spokes(5, 0.42))),
    "star6": lambda: _drawn((1, _spokes(6, 0.55))),
    "sun": lambda: _drawn((1, _spokes(12, 0.66)), (0, _disc(0, 0, 0.3))),
    "moon": lambda: _drawn((1, _disc(0, 0, 0.92)), (0, _disc(0.42, -0.16, 0.74))),
    "ring": lambda: _drawn((1, _disc(0, 0, 0.9)), (0, _disc(0, 0, 0.52))),
    "target": lambda: _drawn((1, _disc(0, 0, 0.95)), (0, _disc(0, 0, 0.66)), (1, _disc(0, 0, 0.34))),
    "shield": lambda: _drawn(
        (1, _poly((-0.8, -0.85), (0.8, -0.85), (0.8, 0.05), (0.5, 0.6), (0, 0.95), (-0.5, 0.6), (-0.8, 0.05)))
    ),
    "heart": _heart,
    "drop": _drop,
    "bolt": lambda: _drawn(
        (1, _poly((0.25, -0.98), (-0.6, 0.15), (-0.05, 0.15), (-0.3, 0.98), (0.6, -0.25), (0.05, -0.25)))
    ),
    "arrow": lambda: _drawn(
        (1, _poly((0, -0.95), (0.75, -0.1), (0.28, -0.1), (0.28, 0.9), (-0.28, 0.9), (-0.28, -0.1), (-0.75, -0.1)))
    ),
    "cross": lambda: _drawn((1, _box(0, 0, 0.28, 0.92)), (1, _box(0, 0, 0.92, 0.28))),
    "bars": lambda: _drawn((1, _box(0, -0.6, 0.85, 0.2)), (1, _box(0, 0, 0.85, 0.2)), (1, _box(0, 0.6, 0.85, 0.2))),
    "diamond": lambda: _drawn(
        (1, _poly((0, -0.98), (0.66, 0), (0, 0.98), (-0.66, 0))), (0, _poly((0, -0.4), (0.27, 0), (0, 0.4), (-0.27, 0)))
    ),
    "triangle": lambda: _drawn((1, _regular(3, 0.98)), (0, _regular(3, 0.42))),
    "eye": lambda: _drawn(
        (1, _poly(*[(math.cos(a) * 0.95, math.sin(a) ** 3 * 0.62) for a in np.linspace(0, 2 * math.pi, 80)])),
        (0, _disc(0, 0, 0.4)),
        (1, _disc(0, 0, 0.2)),
    ),
    "flower": lambda: _drawn((1, _petals(5)), (0, _disc(0, 0, 0.2))),
    "clover": lambda: _drawn((1, _petals(3))),
    "key": lambda: _drawn(
        (1, _disc(0, -0.5, 0.45)),
        (0, _disc(0, -0.5, 0.2)),
        (1, _box(0, 0.4, 0.13, 0.58)),
        (1, _box(0.25, 0.8, 0.25, 0.13)),
        (1, _box(0.2, 0.4, 0.2, 0.13)),
    ),
    "spiral": _spiral,
    "hourglass": lambda: _drawn((1, _poly((-0.75, -0.9), (0.75, -0.9), (-0.75, 0.9), (0.75, 0.9)))),
}
SYMBOLS: tuple[str, ...] = tuple(_SYMBOLS)
"""Names of all shapes."""
