"""Which card lies at a placement: descriptions compared cell by cell, placements pulled onto the reference, rivals told apart.

A comparison never assumes that the whole card is seen: cells that something covers are left out where that is known, and
count little where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.deck import EnrolledDeck, Reference
from vision.cards.features import CELL_PX, Floats, Grid, describe, in_cells, thumbnail
from vision.cards.outlines import Placement
from vision.frame import Image
from vision.table import TablePose

_NOISE = 0.0015
"""Energy of a pixel's description that noise alone explains."""
REFERENCE_BLUR_MM = 0.45
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """All sides of all decks of one card size, described for comparison."""

    grid: Grid
    references: tuple[Reference, ...]
    decks: tuple[str, ...]
    """The deck's name of each reference."""
    coarse: Floats
    """References x cells x values."""
    detail: NDArray[np.float16]
    """References x cells x values."""

    @classmethod
    def of(cls, decks: Sequence[EnrolledDeck]) -> Catalogue:
        """Of decks that share one card size."""
        grid = decks[0].grid
        references = tuple(reference for deck in decks for reference in deck.references)
        names = tuple(deck.name for deck in decks for _ in deck.references)
        described = [describe(r.picture, grid.px_per_mm, REFERENCE_BLUR_MM) for r in references]
        coarse = np.stack([in_cells(thumbnail(d, grid), grid) for d in described])
        detail = np.stack([in_cells(d, grid).astype(np.float16) for d in described])
        return cls(grid, references, names, coarse, detail)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How well a description agrees with references, cell by cell; arrays are references x cells."""

    similarity: Floats
    """-1 to 1; near 0 where a cell has nothing to show."""
    weight: Floats

    def scores(self, visible: Mask) -> Floats:
        """Mean similarity over the visible cells, a number for each reference."""
        weight = self.weight * visible
        total: Floats = (self.similarity * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-6)
        return total


def compare(cells: Floats, references: NDArray[np.float32] | NDArray[np.float16]) -> Likeness:
    """Cells x values against references x cells x values."""
    stored = references.astype(np.float32, copy=False)
    noise = _NOISE * cells.shape[1]
    dot = np.matmul(stored.transpose(1, 0, 2), cells[:, :, None])[..., 0].T
    own = (cells * cells).sum(axis=1)[None]
    theirs = np.einsum("ncd,ncd->nc", stored, stored)
    energy = own + theirs + noise
    return Likeness((2 * dot / energy).astype(np.float32), np.sqrt(energy).astype(np.float32))


def turn_half(cells: Floats, grid: Grid) -> Floats:
    """The cells of the same card turned by 180 degrees."""
    side = round((cells.shape[1] // 3) ** 0.5)
    turned = cells.reshape(grid.rows * grid.columns, side, side, 3)[::-1, ::-1, ::-1]
    return np.ascontiguousarray(turned.reshape(cells.shape))


def crop(image: Image, pose: TablePose, placement: Placement, grid: Grid, size_px: tuple[int, int]) -> Image:
    """The placement's rectangle of a picture in canonical form at `size_px`."""
    corners = pose.to_px(placement.corners_mm(grid.width_mm, grid.height_mm)).astype(np.float32)
    return warp_quad(image, corners, size_px)


def warp_quad(image: Image, corners: NDArray[np.float32], size_px: tuple[int, int]) -> Image:
    """The part of a picture between four corners, TL, TR, BR, BL."""
    width, height = size_px
    own = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]], np.float32)
    matrix = cv2.getPerspectiveTransform(own, corners)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warped = cv2.warpPerspective(image, matrix, size_px, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return warped.astype(np.uint8, copy=False)


def look_at(image: Image, pose: TablePose, placement: Placement, grid: Grid, visible: Mask | None = None) -> Floats:
    """The full canonical description of what lies at a placement."""
    seen = None if visible is None or visible.all() else pixels_of(visible, grid)
    return describe(crop(image, pose, placement, grid, grid.size_px), grid.px_per_mm, 0.2, seen)


def pixels_of(cells: Mask, grid: Grid, side: int = CELL_PX) -> Mask:
    """A mask of cells as a mask of canonical pixels."""
    return cells.reshape(grid.rows, grid.columns).repeat(side, axis=0).repeat(side, axis=1)


@lru_cache(maxsize=8)
def _pixel_places(columns: int, rows: int, side: int, width_mm: float, height_mm: float) -> tuple[Floats, Floats]:
    x = ((np.arange(columns * side) + 0.5) / (columns * side) - 0.5) * width_mm
    y = ((np.arange(rows * side) + 0.5) / (rows * side) - 0.5) * height_mm
    across, down = np.meshgrid(x.astype(np.float32), y.astype(np.float32))
    return across, down


def align(
    image: Image, pose: TablePose, placement: Placement, catalogue: Catalogue, reference: int, visible: Mask
) -> tuple[Placement, Floats]:
    """Pulls a placement onto a reference by least squares on the visible cells that agree, from coarse to fine.

    Returns the placement and the full description there.
    """
    grid = catalogue.grid
    target = _as_picture(catalogue.detail[reference], grid)
    described = look_at(image, pose, placement, grid, visible)
    for side, rounds in ((CELL_PX // 4, 3), (CELL_PX // 2, 2), (CELL_PX, 2)):
        system = _System.of(target, grid, side)
        for _ in range(rounds):
            step = system.step(described, visible)
            placement = _moved(placement, step)
            described = look_at(image, pose, placement, grid, visible)
            if abs(step[0]) + abs(step[1]) < 0.03 and abs(step[2]) < 0.0005:
                break
    return placement, described


def _as_picture(cells: NDArray[np.float16], grid: Grid) -> Floats:
    split = cells.astype(np.float32).reshape(grid.rows, grid.columns, CELL_PX, CELL_PX, 3).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(split.reshape(grid.rows * CELL_PX, grid.columns * CELL_PX, 3))


@dataclass(frozen=True, slots=True, eq=False)
class _System:
    """The reference's slopes at one scale, for moves (x mm, y mm, radians)."""

    target: Floats
    slopes: Floats
    """Pixels x channels x 3."""
    grid: Grid
    side: int

    @classmethod
    def of(cls, target: Floats, grid: Grid, side: int) -> _System:
        size = (grid.columns * side, grid.rows * side)
        small = target if side == CELL_PX else cv2.resize(target, size, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), 0.8)
        step_x, step_y = grid.width_mm / size[0], grid.height_mm / size[1]
        across = cv2.Scharr(small, cv2.CV_32F, 1, 0) / (32 * step_x)
        down = cv2.Scharr(small, cv2.CV_32F, 0, 1) / (32 * step_y)
        x, y = _pixel_places(grid.columns, grid.rows, side, grid.width_mm, grid.height_mm)
        turn = down * x[..., None] - across * y[..., None]
        return cls(small, np.stack([across, down, turn], axis=-1), grid, side)

    def step(self, described: Floats, visible: Mask) -> NDArray[np.float64]:
        """How far the placement must move for the picture to agree with the reference."""
        size = (self.target.shape[1], self.target.shape[0])
        small = described if self.side == CELL_PX else cv2.resize(described, size, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), 0.8)
        like = compare(in_cells(small, self.grid), in_cells(self.target, self.grid)[None])
        trust = np.clip(like.similarity[0], 0.05, 1.0) * visible
        weights = trust.reshape(self.grid.rows, self.grid.columns).repeat(self.side, 0).repeat(self.side, 1)
        residual = np.clip(small - self.target, -0.35, 0.35)
        slopes = self.slopes.reshape(-1, 3)
        weighted = (self.slopes * weights[..., None, None]).reshape(-1, 3)
        normal = slopes.T @ weighted + np.diag([1e-3, 1e-3, 1.0])
        # Picture minus reference grows where the picture's content lies to the left: the placement must follow it.
        move = np.linalg.solve(normal.astype(np.float64), (weighted.T @ residual.reshape(-1)).astype(np.float64))
        return np.clip(-move, [-1.5, -1.5, -0.035], [1.5, 1.5, 0.035])


def _moved(placement: Placement, step: NDArray[np.float64]) -> Placement:
    turn = np.radians(placement.angle_deg)
    x = placement.x_mm + step[0] * np.cos(turn) - step[1] * np.sin(turn)
    y = placement.y_mm + step[0] * np.sin(turn) + step[1] * np.cos(turn)
    angle = placement.angle_deg + float(np.degrees(step[2]))
    return Placement(float(x), float(y), angle, placement.support, placement.weakest)
