"""Settled cards as sheets that lie over or under what else may lie there: which of them hides a card between them.

White paper over white paper shows little: of two sheets the upper one's rim is an edge where it crosses the lower one, and its
drawing is there where both are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.cards.features import Floats, Grid
from vision.cards.outlines import VIEW_PX_PER_MM, EdgeMap, Placement, rim_edges, rim_points
from vision.cards.places import on_table

Mask = NDArray[np.bool_]
Places = NDArray[np.float64]
"""... x 2, mm on the table."""

_DRAWN = 0.003
"""Mean square of what is drawn in a cell from which on it says something."""
_NOISE = 0.0005
_RIM_WEIGHT = 1.0
_INNER = 0.94
_MIN_RIM = 12
_EVEN = 0.05
"""By so much more must speak for the settled sheet to lie over the other one."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A settled card."""

    placement: Placement
    drawn: Mask
    """Cells that show what is drawn there."""
    missing: Mask
    """Cells that were in sight, and don't show what they would."""


class Sheets:
    """Those of one size in a scene."""

    def __init__(self, edges: EdgeMap, grid: Grid) -> None:
        self._edges = edges
        self._grid = grid
        self._sheets: list[Sheet] = []
        self._middles = _middles(grid)
        self._centres: list[Places] = []
        self._rims: list[tuple[Places, Mask]] = []

    def add(self, sheet: Sheet) -> None:
        """A further settled card."""
        raw = _raw([sheet.placement])
        size = (self._grid.width_mm, self._grid.height_mm)
        self._sheets.append(sheet)
        self._centres.append(on_table(sheet.placement, self._middles))
        self._rims.append((rim_points(raw, *size)[0], rim_edges(self._edges, raw, *size)[0]))

    def covering(self, placements: Sequence[Placement]) -> Mask:
        """Placements x sheets: which sheets lie over which placement."""
        over = np.zeros((len(placements), len(self._sheets)), bool)
        raw = _raw(placements)
        near = self._near(raw)
        if not near.any():
            return over
        size = (self._grid.width_mm, self._grid.height_mm)
        points, edge = rim_points(raw, *size), rim_edges(self._edges, raw, *size)
        for j in np.flatnonzero(near.any(axis=0)):
            rows = np.flatnonzero(near[:, j])
            over[rows, j] = self._lies_over(int(j), raw[rows], points[rows], edge[rows])
        return over

    def _near(self, raw: Places) -> Mask:
        """Placements x sheets: which may meet at all."""
        sheets = _raw([sheet.placement for sheet in self._sheets])
        away = raw[:, None, :2] - sheets[None, :, :2]
        near: Mask = np.hypot(away[..., 0], away[..., 1]) < np.hypot(self._grid.width_mm, self._grid.height_mm)
        return near

    def _lies_over(self, j: int, raw: Places, points: Places, edge: Mask) -> Mask:
        """Over which placements a sheet lies, whose outlines go through these points and are an edge there."""
        sheet, (own_points, own_edge) = self._sheets[j], self._rims[j]
        within = self._inside(raw, self._centres[j][None])
        drawn, missing = within @ sheet.drawn.astype(float), within @ sheet.missing.astype(float)
        inner = self._inside(raw, own_points[None])
        crossing = self._inside(_raw([sheet.placement]), points.reshape(1, -1, 2)).reshape(len(raw), -1)
        mine = _share(inner, own_edge[None] & inner)
        theirs = _share(crossing, edge & crossing)
        says = (drawn - missing) / (drawn + missing + 1) + _RIM_WEIGHT * (mine - theirs)
        over: Mask = within.any(axis=1) & (says > _EVEN)
        return over

    def own_support(self, placements: Sequence[Placement], free: Mask) -> NDArray[np.float64]:
        """Of each outline, the share that is edge where it is in sight: free in the view, and under no sheet over it."""
        if not placements:
            return np.zeros(0)
        raw, size = _raw(placements), (self._grid.width_mm, self._grid.height_mm)
        points, edge = rim_points(raw, *size), rim_edges(self._edges, raw, *size)
        # A little inside: what lies beyond the rim is another's.
        inner = raw[:, None, :2] + (points - raw[:, None, :2]) * _INNER
        place = ((inner - np.array(self._edges.origin_mm)) * VIEW_PX_PER_MM).astype(int)
        height, width = free.shape
        within = ((place >= 0) & (place < [width, height])).all(axis=2)
        shown = within & free[place[..., 1].clip(0, height - 1), place[..., 0].clip(0, width - 1)]
        over = self.covering(placements)
        for j, sheet in enumerate(self._sheets):
            rows = np.flatnonzero(over[:, j])
            if len(rows):
                shown[rows] &= ~self._inside(_raw([sheet.placement]), inner[rows].reshape(1, -1, 2)).reshape(
                    len(rows), -1
                )
        count = shown.sum(axis=1)
        support: NDArray[np.float64] = np.where(
            count >= _MIN_RIM, (edge & shown).sum(axis=1) / np.maximum(count, 1), 0.0
        )
        return support

    def over(self, placement: Placement) -> list[Placement]:
        """The sheets that lie over a card at a placement."""
        return [self._sheets[j].placement for j in np.flatnonzero(self.covering([placement])[0])]

    def hidden_cells(self, placement: Placement) -> Mask:
        """Cells of a card at a placement that lie under sheets over it."""
        over = self.covering([placement])[0]
        centres = on_table(placement, self._middles)
        hidden = np.zeros(len(centres), bool)
        for j in np.flatnonzero(over):
            hidden |= self._inside(_raw([self._sheets[j].placement]), centres[None])[0]
        return hidden

    def _inside(self, raw: Places, points: Places) -> Mask:
        """Placements x points: which points, each placement's own or shared by all, lie within which rectangles."""
        turn = np.radians(raw[:, 2])[:, None]
        away = points - raw[:, None, :2]
        x = away[..., 0] * np.cos(turn) + away[..., 1] * np.sin(turn)
        y = away[..., 1] * np.cos(turn) - away[..., 0] * np.sin(turn)
        inside: Mask = (np.abs(x) < self._grid.width_mm / 2) & (np.abs(y) < self._grid.height_mm / 2)
        return inside


def drawn_alike(cells: Floats, reference: Floats) -> tuple[Floats, Mask]:
    """How alike what is drawn in each cell is, -1 to 1, and whether anything is drawn on either side; of full descriptions."""
    count = len(cells)
    a, b = (side.reshape(count, -1, 3) for side in (cells, reference))
    # A cell's own mean is light, and the halo of what is drawn beside it.
    a, b = (side - side.mean(axis=1, keepdims=True) for side in (a, b))
    mine, theirs = (a * a).mean(axis=(1, 2)), (b * b).mean(axis=(1, 2))
    like = 2 * (a * b).mean(axis=(1, 2)) / (mine + theirs + _NOISE)
    return np.asarray(like, np.float32), np.maximum(mine, theirs) >= _DRAWN


def _share(of: Mask, which: Mask) -> NDArray[np.float64]:
    """Of each row's points; half where there are too few to tell."""
    count = of.sum(axis=1)
    return np.where(count >= 4, which.sum(axis=1) / np.maximum(count, 1), 0.5)


def _raw(placements: Sequence[Placement]) -> Places:
    return np.array([(p.x_mm, p.y_mm, p.angle_deg) for p in placements], np.float64).reshape(-1, 3)


def _middles(grid: Grid) -> Places:
    x = ((np.arange(grid.columns) + 0.5) / grid.columns - 0.5) * grid.width_mm
    y = ((np.arange(grid.rows) + 0.5) / grid.rows - 0.5) * grid.height_mm
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
