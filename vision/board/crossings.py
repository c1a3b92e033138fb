"""Crossings and points by exact geometry on star centres: integers of a tenth of a millimetre, no rounding on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from vision.observation import LineReading, Point

Grid = tuple[int, int]


def count_crossings(lines: Sequence[LineReading], centres_mm: Mapping[int, Point]) -> int:
    """Pairs of lines of one colour that cross properly. Shared ends, touching ends and overlaps are no crossings."""
    grid = {n: (round(x * 10), round(y * 10)) for n, (x, y) in centres_mm.items()}
    return sum(
        first.colour is second.colour and crosses(grid[first.a], grid[first.b], grid[second.a], grid[second.b])
        for first, second in combinations(lines, 2)
    )


def crosses(p: Grid, q: Grid, r: Grid, s: Grid) -> bool:
    """Whether the open segments p-q and r-s meet in one inner point of both."""
    return _side(p, q, r) * _side(p, q, s) < 0 and _side(r, s, p) * _side(r, s, q) < 0


def _side(p: Grid, q: Grid, r: Grid) -> int:
    """Sign of the turn from p over q to r."""
    turn = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    return (turn > 0) - (turn < 0)
