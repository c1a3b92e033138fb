"""What of a card's picture survives light, exposure and tone curves: local log contrast and colour ratios, in cells.

A card is compared in *canonical form*: upright portrait, CELL_PX square pixels a cell, cells of about CELL_MM on the card.
A landscape card is kept turned by a quarter, see `vision.cards.deck.Reference`.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

CELL_MM = 8.0
CELL_PX = 16
"""Pixels a cell along one side in full detail: about 2 px/mm."""
COARSE_PX = 4
"""Pixels a cell along one side in the shortlist's thumbnail: about 0.5 px/mm."""

CLOSE_PX_PER_MM = 4.0
"""Of a card's picture for the closer look: about what a good camera has of it."""

_CONTRAST_MM = 6.0
_DARK_FLOOR = 20.0
_CHROMA_BLUR_MM = 0.8
_CHROMA_WEIGHT = 0.9


@dataclass(frozen=True, slots=True)
class Grid:
    """How a card of one size is cut into cells."""

    columns: int
    rows: int
    width_mm: float
    height_mm: float

    @classmethod
    def of(cls, width_mm: float, height_mm: float) -> Grid:
        """The grid of a portrait card, mm."""
        return cls(max(3, round(width_mm / CELL_MM)), max(3, round(height_mm / CELL_MM)), width_mm, height_mm)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the canonical picture in full detail."""
        return self.columns * CELL_PX, self.rows * CELL_PX

    @property
    def close_size_px(self) -> tuple[int, int]:
        """Width and height of a card's picture for the closer look."""
        return round(self.width_mm * CLOSE_PX_PER_MM), round(self.height_mm * CLOSE_PX_PER_MM)

    @property
    def px_per_mm(self) -> float:
        """Mean scale of the canonical picture."""
        return (self.columns * CELL_PX / self.width_mm + self.rows * CELL_PX / self.height_mm) / 2


def describe(
    picture: NDArray[np.uint8], px_per_mm: float, blur_mm: float, seen: NDArray[np.bool_] | None = None
) -> Floats:
    """Height x width x 3 of local log contrast and two colour ratios, each about zero mean.

    A change of exposure moves none of it, a change of the light's colour almost none. `seen` tells which pixels count for
    the card's own typical colour; all do by default.
    """
    values = picture.astype(np.float32)
    step = 1 + picture.shape[0] // 60
    some = seen[::step, ::step] if seen is not None else None
    if some is not None and not some.any():
        some = None
    values *= 220.0 / max(bright_level(_sampled(values, step, some)), 8.0)
    if blur_mm > 0:
        soft = cv2.GaussianBlur(values, (0, 0), max(blur_mm * px_per_mm, 0.3), borderType=cv2.BORDER_REFLECT)
        values = np.asarray(soft, np.float32)
    logs = cv2.log(values + np.float32(_DARK_FLOOR))
    light = cv2.transform(logs, np.array([[0.15, 0.55, 0.3]], np.float32))
    wide = cv2.GaussianBlur(light, (0, 0), _CONTRAST_MM * px_per_mm, borderType=cv2.BORDER_REFLECT)
    contrast = np.clip(light - wide, -0.9, 0.9)
    ratios = cv2.transform(logs, np.array([[0, -1, 1], [1, -1, 0]], np.float32))
    ratios = cv2.GaussianBlur(ratios, (0, 0), _CHROMA_BLUR_MM * px_per_mm, borderType=cv2.BORDER_REFLECT)
    # A channel at a time: numpy is slow over a last axis this short.
    red, blue = (
        np.clip((ratio - usual_level(_sampled(ratio, step, some))) * np.float32(_CHROMA_WEIGHT), -1.2, 1.2)
        for ratio in cv2.split(np.asarray(ratios, np.float32))
    )
    return np.asarray(cv2.merge([contrast, red, blue]), np.float32)


def _sampled(values: NDArray[np.generic], step: int, some: NDArray[np.bool_] | None) -> Floats:
    """Every so many pixels of a picture, those that are seen, as one row."""
    sparse = np.asarray(values[::step, ::step], np.float32)
    return (sparse[some] if some is not None else sparse).ravel()


def bright_level(values: Floats) -> float:
    """What 95 % of values are below, as `numpy.percentile` says it; its care for all other cases costs ten times as much."""
    at = 0.95 * (len(values) - 1)
    below = int(at)
    parted = np.partition(values, below)
    low, share = parted[below], at - below
    high = parted[below + 1 :].min() if below + 1 < len(values) else low
    return float(low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share))


def usual_level(values: Floats) -> np.float32:
    """The median, as `numpy.median` says it, at a third of its cost."""
    middle = len(values) // 2
    parted = np.partition(values, middle)
    return np.float32(parted[middle] if len(values) % 2 else (parted[:middle].max() + parted[middle]) / np.float32(2))


def in_cells(described: Floats, grid: Grid) -> Floats:
    """Cells x (values of one cell), cells row by row, of a canonical description at any whole number of pixels a cell."""
    height, width = described.shape[:2]
    side_y, side_x = height // grid.rows, width // grid.columns
    split = described.reshape(grid.rows, side_y, grid.columns, side_x, 3).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(split.reshape(grid.rows * grid.columns, side_y * side_x * 3))


def thumbnail(described: Floats, grid: Grid) -> Floats:
    """The same description at COARSE_PX pixels a cell."""
    size = (grid.columns * COARSE_PX, grid.rows * COARSE_PX)
    return cv2.resize(described, size, interpolation=cv2.INTER_AREA).astype(np.float32, copy=False)
