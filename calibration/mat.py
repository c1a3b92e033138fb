"""The four table markers on one sheet of paper, at true size, to cut out and lay on the table's corners."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.table import CORNER_NAMES, MARKER_MM

CELLS = 6
"""A marker's width in cells: four of code and a black one on each side."""
MARGIN_MM = 10.0
"""White around a marker; without it a marker is not found."""
RULER_MM = 100.0


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet, mm."""

    width_mm: float
    height_mm: float


PAPERS = {"a4": Paper(210.0, 297.0), "letter": Paper(215.9, 279.4)}


def marker_cells(number: int) -> list[tuple[int, int]]:
    """Column and row of each black cell of a marker, from its top left corner."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    # Drawn at one pixel a cell, the picture is the code itself.
    picture = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, CELLS)).reshape(CELLS, CELLS)
    return [(int(x), int(y)) for y, x in np.argwhere(picture < 128)]


def mat_svg(paper: Paper, marker_mm: float = MARKER_MM) -> str:
    """The sheet as SVG, in millimetres: each marker in a white square to cut out, with a ruler to check the print."""
    tile = marker_mm + 2 * MARGIN_MM
    left, top = (paper.width_mm - 2 * tile) / 3, 30.0
    step_x, step_y = left + tile, tile + 15
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{paper.width_mm:g}mm" height="{paper.height_mm:g}mm" '
        f'viewBox="0 0 {paper.width_mm:g} {paper.height_mm:g}">',
        f'<rect width="{paper.width_mm:g}" height="{paper.height_mm:g}" fill="#fff"/>',
        _text(15, 14, "Hoshiban: the table's markers. Print at 100 %, cut along the grey lines.", 4.5),
        _text(15, 21, "Lay each on its corner of the table; the black corner at the red dot is the table's corner.", 4),
    ]
    for number, where in enumerate(CORNER_NAMES):
        x = left + (number in (1, 2)) * step_x
        y = top + (number in (2, 3)) * step_y
        parts += _tile(number, where, x, y, marker_mm)
    parts += _ruler(15, top + 2 * step_y + 15)
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _tile(number: int, where: str, x: float, y: float, marker_mm: float) -> list[str]:
    tile, cell = marker_mm + 2 * MARGIN_MM, marker_mm / CELLS
    mx, my = x + MARGIN_MM, y + MARGIN_MM
    # Cells of one row that touch are one rectangle, so that no printer leaves a white hair between them.
    runs = [
        f'<rect class="marker-{number}" x="{mx + start * cell:.4f}" y="{my + row * cell:.4f}" '
        f'width="{length * cell:.4f}" height="{cell:.4f}" fill="#000"/>'
        for start, row, length in _runs(marker_cells(number))
    ]
    dot_x = mx + (number in (1, 2)) * marker_mm + (2 if number in (1, 2) else -2)
    dot_y = my + (number in (2, 3)) * marker_mm + (2 if number in (2, 3) else -2)
    return [
        f'<rect x="{x:g}" y="{y:g}" width="{tile:g}" height="{tile:g}" fill="none" stroke="#bbb" stroke-width="0.2"/>',
        f'<g shape-rendering="crispEdges">{"".join(runs)}</g>',
        f'<circle cx="{dot_x:g}" cy="{dot_y:g}" r="0.8" fill="#d00"/>',
        _text(x + 2, y + tile - 1.5, f"marker {number}: {where}", 3),
    ]


def _runs(cells: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """First column, row and length of each run of black cells in a row."""
    runs: list[tuple[int, int, int]] = []
    for x, y in cells:
        if runs and runs[-1][1] == y and runs[-1][0] + runs[-1][2] == x:
            runs[-1] = (runs[-1][0], y, runs[-1][2] + 1)
        else:
            runs.append((x, y, 1))
    return runs


def _ruler(x: float, y: float) -> list[str]:
    ticks = [
        f'<path d="M{x + mm:g} {y:g}v{-4 if mm % 50 == 0 else -2}" stroke="#000" stroke-width="0.2"/>'
        for mm in range(0, int(RULER_MM) + 1, 10)
    ]
    return [
        f'<path d="M{x:g} {y:g}h{RULER_MM:g}" stroke="#000" stroke-width="0.2"/>',
        *ticks,
        _text(x + RULER_MM + 4, y, f"{RULER_MM:g} mm: measure it", 4),
    ]


def _text(x: float, y: float, text: str, size_mm: float) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-family="sans-serif" font-size="{size_mm:g}">{text}</text>'
