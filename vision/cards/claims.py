"""Who owns which part of the table view: what is hidden, and what a card already read accounts for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.features import Grid
from vision.cards.outlines import VIEW_PX_PER_MM, Placement
from vision.cards.places import on_table
from vision.observation import Polygon

Mask = NDArray[np.bool_]
_PROBES = 3
_ENOUGH = 0.6


class Claims:
    """A map of the view, VIEW_PX_PER_MM, of what is still free to be part of a card."""

    def __init__(self, size_px: tuple[int, int], origin_mm: tuple[float, float]) -> None:
        """`size_px` is width and height of the view whose first pixel starts at `origin_mm`."""
        self.origin_mm = origin_mm
        self.free = np.ones((size_px[1], size_px[0]), bool)
        self._plain = np.zeros_like(self.free)

    def block(self, polygons_mm: Sequence[Polygon]) -> None:
        """Takes polygons of the table out of the map."""
        mask = np.zeros(self.free.shape, np.uint8)
        for polygon in polygons_mm:
            points = (np.asarray(polygon, np.float64).reshape(-1, 2) - self.origin_mm) * VIEW_PX_PER_MM - 0.5
            if len(points) >= 3:
                cv2.fillPoly(mask, [points.round().astype(np.int32)], 1)
        self.free &= mask == 0

    def take(self, placement: Placement, grid: Grid, cells: Mask, plain: Mask | None = None) -> Mask:
        """Gives some cells of a card at a placement to that card; returns the part of the map that they cover.

        `plain` are those of them that show nothing but paper: they may as well belong to a card that lies over it.
        """
        covered = self._cover(placement, grid, cells)
        self.free &= ~covered
        if plain is not None and plain.any():
            self._plain |= self._cover(placement, grid, cells & plain) & covered
            self._plain &= ~self._cover(placement, grid, cells & ~plain)
        else:
            self._plain &= ~covered
        return covered

    def release_plain(self) -> bool:
        """Frees again what was taken for mere paper; whether there was any."""
        released = bool(self._plain.any())
        self.free |= self._plain
        self._plain = np.zeros_like(self.free)
        return released

    def _cover(self, placement: Placement, grid: Grid, cells: Mask) -> Mask:
        mask = np.zeros(self.free.shape, np.uint8)
        places = ((_lattice(placement, grid) - self.origin_mm) * VIEW_PX_PER_MM - 0.5).round().astype(np.int32)
        for top, bottom, left, right in _blocks(cells.reshape(grid.rows, grid.columns)):
            quad = places[[top, top, bottom, bottom], [left, right, right, left]]
            cv2.fillConvexPoly(mask, quad, 1)
        covered: Mask = mask > 0
        return covered

    def visible(self, placement: Placement, grid: Grid) -> Mask:
        """Which cells of a card at a placement are mostly free; cells row by row."""
        places = on_table(placement, _probes(grid)) - self.origin_mm
        u, v = np.floor(places * VIEW_PX_PER_MM).astype(int).T
        height, width = self.free.shape
        inside = (u >= 0) & (v >= 0) & (u < width) & (v < height)
        free = self.free.ravel()[np.where(inside, v * width + u, 0)] & inside
        count = np.count_nonzero(free.reshape(-1, _PROBES**2), axis=1)
        seen: Mask = count >= _ENOUGH * _PROBES**2
        return seen

    def free_share(self, raw: NDArray[np.float64], grid: Grid) -> NDArray[np.float64]:
        """How much of each card, of placements x (x, y, angle), is free; about, by a lattice of places."""
        x, y = np.meshgrid((np.arange(4) - 1.5) / 4 * grid.width_mm, (np.arange(6) - 2.5) / 6 * grid.height_mm)
        turn = np.radians(raw[:, 2:])
        across, down = x.ravel()[None], y.ravel()[None]
        u = raw[:, :1] + across * np.cos(turn) - down * np.sin(turn)
        v = raw[:, 1:2] + across * np.sin(turn) + down * np.cos(turn)
        column = np.floor((u - self.origin_mm[0]) * VIEW_PX_PER_MM).astype(int)
        row = np.floor((v - self.origin_mm[1]) * VIEW_PX_PER_MM).astype(int)
        height, width = self.free.shape
        inside = (column >= 0) & (row >= 0) & (column < width) & (row < height)
        free = self.free[row.clip(0, height - 1), column.clip(0, width - 1)] & inside
        return np.asarray(free.mean(axis=1), np.float64)

    def in_view(self, placement: Placement, grid: Grid, pixels: Mask) -> Mask:
        """Where pixels of a card's canonical picture at a placement lie in the map."""
        height, width = self.free.shape
        to_view = self._to_view(placement, grid)
        shown = cv2.warpPerspective(pixels.astype(np.uint8), to_view, (width, height), flags=cv2.INTER_NEAREST)
        mask: Mask = shown > 0
        return mask

    def pixels(self, placement: Placement, grid: Grid, where: Mask | None = None) -> Mask:
        """Which pixels of a card's canonical picture at a placement are free, or lie in a part of the map."""
        flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
        part = (self.free if where is None else where).astype(np.uint8)
        seen: Mask = cv2.warpPerspective(part, self._to_view(placement, grid), grid.size_px, flags=flags) > 0
        return seen

    def _to_view(self, placement: Placement, grid: Grid) -> NDArray[np.float64]:
        """From pixels of a card's canonical picture at a placement to those of the map."""
        corners = (placement.corners_mm(grid.width_mm, grid.height_mm) - self.origin_mm) * VIEW_PX_PER_MM - 0.5
        width, height = grid.size_px
        own = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
        return np.asarray(cv2.getPerspectiveTransform(own, corners.astype(np.float32)), np.float64)


@lru_cache(maxsize=8)
def _probes(grid: Grid) -> NDArray[np.float64]:
    """Cells x probes, in a row, x 2: mm from a card's middle."""
    x = ((np.arange(grid.columns * _PROBES) + 0.5) / (grid.columns * _PROBES) - 0.5) * grid.width_mm
    y = ((np.arange(grid.rows * _PROBES) + 0.5) / (grid.rows * _PROBES) - 0.5) * grid.height_mm
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(grid.rows, _PROBES, grid.columns, _PROBES, 2)
    return np.ascontiguousarray(points.transpose(0, 2, 1, 3, 4).reshape(-1, 2))


def _lattice(placement: Placement, grid: Grid) -> NDArray[np.float64]:
    """Where the cells' corners lie: rows + 1 x columns + 1 x 2, mm on the table."""
    x = (np.arange(grid.columns + 1) / grid.columns - 0.5) * grid.width_mm
    y = (np.arange(grid.rows + 1) / grid.rows - 0.5) * grid.height_mm
    points = np.stack(np.meshgrid(x, y), axis=-1)
    return on_table(placement, points.reshape(-1, 2)).reshape(grid.rows + 1, grid.columns + 1, 2)


def _blocks(cells: Mask) -> list[tuple[int, int, int, int]]:
    """Rectangles that make up the cells of a mask: first row, row after the last, first column, column after the last."""
    found: list[tuple[int, int, int, int]] = []
    open_runs: dict[tuple[int, int], int] = {}
    for row in range(cells.shape[0] + 1):
        padded = np.zeros(cells.shape[1] + 2, np.int8)
        if row < cells.shape[0]:
            padded[1:-1] = cells[row]
        steps = np.diff(padded)
        runs = set(zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True))
        ended = [run for run in open_runs if run not in runs]
        found += [(open_runs.pop(run), row, *run) for run in ended]
        for run in runs:
            open_runs.setdefault(run, row)
    return found
