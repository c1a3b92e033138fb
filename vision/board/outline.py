"""Finds the star board on the table: a square that carries two dividing lines each way.

The rectified table shows the board as a true square (it may be turned), so four numbers place it: turn, left, top, side.
Edges are gathered along every turn; combs of four evenly spaced lines (side, divider, divider, side) give candidates both
ways, each judged by how much of its eight lines shows an edge beyond what its neighbourhood shows by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.edges import find_edges
from vision.frame import Image
from vision.table import TablePose

COARSE_PX_PER_MM = 1.0
MIN_SIDE_MM = 160.0
MAX_SIDE_MM = 480.0
TURN_STEP_DEG = 0.75
SQUARE_TURN_DEG = 6.0
"""A board turned less than this against the table counts as lying square to it."""
ZONE_MARGIN_MM = 25.0
"""A board may reach this far out of the zone that the layout gives it."""
FAN_DEG = 15.0
MAX_EDGES = 4000
"""At most so many edge points of a fan of directions are kept, those that stand out most."""
MAX_PEAKS = 16
LEAST_COMB = 1.1
"""Edge length of a comb's four lines together, in sides."""
PLAIN_SCORE = 4.8
"""A square this well supported needs no rivals."""
CERTAIN_SCORE = 3.7
"""Of 6.8: boards in all light and on most grounds score above 4.5, the densest spreads of cards up to 3.0."""
LEAST_SCORE = 2.4
"""From here on a square may be a board on a loud ground: its magnets must tell."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """Edge points of the coarse table view: place in mm, direction of the gradient in degrees 0 to 180."""

    x: Floats
    y: Floats
    angle: Floats


@dataclass(frozen=True, slots=True)
class BoardSquare:
    """A square on the table with two dividers each way: its turn, and left, top and side along the turned axes, mm."""

    turn_deg: float
    """Clockwise, -45 to 45."""
    left: float
    top: float
    side: float
    score: float
    """Weighted sum of the support."""
    support: tuple[float, ...] = ()
    """Share of each of the eight lines that shows an edge: upright left to right, then level top to bottom."""

    @property
    def certain(self) -> bool:
        """Whether the outline alone makes it a board."""
        return self.score >= CERTAIN_SCORE


def find_square(
    image: Image, pose: TablePose, area_mm: tuple[float, float, float, float] | None = None
) -> BoardSquare | None:
    """The board as a square on the table, to about a millimetre, or None where no board lies.

    `area_mm` is x, y, width, height of the zone in which the board is expected; the whole table by default.
    """
    area = (0.0, 0.0, *pose.table_mm) if area_mm is None else _grown(area_mm, ZONE_MARGIN_MM)
    return _best_square(_edges(image, pose, area))


def _grown(area: tuple[float, float, float, float], by: float) -> tuple[float, float, float, float]:
    x, y, width, height = area
    return (x - by, y - by, width + 2 * by, height + 2 * by)


def _edges(image: Image, pose: TablePose, area: tuple[float, float, float, float]) -> _Edges:
    """Edge points at about 1 mm, thinned across the edge, above the noise of their surroundings."""
    fine = pose.rectify(image, 2 * COARSE_PX_PER_MM, area)
    edges = find_edges(np.asarray(cv2.pyrDown(fine), np.uint8), 0.7)
    size = edges.size
    local = cv2.blur(size, (41, 41))
    keep = edges.ridge & (size > np.maximum(1.0, 0.9 * local))
    keep[:2], keep[-2:], keep[:, :2], keep[:, -2:] = False, False, False, False
    v, u = np.nonzero(keep)
    angle = np.degrees(np.arctan2(edges.dy[v, u], edges.dx[v, u])).astype(np.float64) % 180
    # A grained table must not crowd out the edges that run across its grain.
    contrast = size[v, u] / (local[v, u] + 1.0)
    fan = (angle / FAN_DEG).astype(np.int64)
    clear = np.zeros(len(v), np.bool_)
    for direction in range(round(180 / FAN_DEG)):
        own = np.flatnonzero(fan == direction)
        clear[own if len(own) <= MAX_EDGES else own[np.argpartition(-contrast[own], MAX_EDGES)[:MAX_EDGES]]] = True
    v, u, angle = v[clear], u[clear], angle[clear]
    x, y = ((place.astype(np.float64) + 0.5) / COARSE_PX_PER_MM for place in (u, v))
    return _Edges(x + area[0], y + area[1], angle)


@dataclass(frozen=True, slots=True)
class _Comb:
    """Four evenly spaced lines: the first lies at `start`, the last `side` farther, mm along the turned axis."""

    start: float
    side: float


def _best_square(edges: _Edges) -> BoardSquare | None:
    """The best supported square, if any is good enough; boards that lie square to the table are tried first."""
    order = np.argsort(edges.angle)
    sorted_edges = _Edges(edges.x[order], edges.y[order], edges.angle[order])
    turns = np.arange(-45.0, 45.0, TURN_STEP_DEG)
    best: BoardSquare | None = None
    for group, tries in ((turns[np.abs(turns) <= SQUARE_TURN_DEG], 4), (turns[np.abs(turns) > SQUARE_TURN_DEG], 6)):
        best = _better(best, _squares(sorted_edges, group, tries))
        if best is not None and best.certain:
            return best
    if best is not None and best.score >= LEAST_SCORE:
        nearby = best.turn_deg + np.array([-0.5, -0.25, 0.25, 0.5]) * TURN_STEP_DEG
        best = _better(best, _squares(sorted_edges, nearby, len(nearby)))
    return best if best is not None and best.score >= LEAST_SCORE else None


def _better(best: BoardSquare | None, squares: list[BoardSquare]) -> BoardSquare | None:
    return max([*squares, *([] if best is None else [best])], key=lambda square: square.score, default=None)


def _squares(edges: _Edges, turns: Floats, tries: int) -> list[BoardSquare]:
    """Candidates among these turns, from those with the sharpest lines along either axis."""
    profiles = [(_profile(edges, turn, 0), _profile(edges, turn, 90)) for turn in turns]
    sharp = np.array([[_sharpness(across), _sharpness(down)] for across, down in profiles])
    squares: list[BoardSquare] = []
    for axis in (0, 1):
        for index in np.argsort(-sharp[:, axis])[:tries]:
            for comb in _combs(profiles[index][axis]):
                square = _complete(edges, float(turns[index]), axis, comb)
                if square is not None:
                    squares.append(square)
                    if square.score >= PLAIN_SCORE:
                        return squares
    return squares


@dataclass(frozen=True, slots=True, eq=False)
class _Profile:
    """Edge counts along one axis: `counts[i]` edges of that direction lie at `start` + i mm."""

    start: float
    counts: Floats


def _turned(x: Floats, y: Floats, turn_deg: float) -> tuple[Floats, Floats]:
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return x * c + y * s, y * c - x * s


def _facing(angle: Floats, direction: float, spread: float = 8.0) -> NDArray[np.intp]:
    """Indices of the sorted gradient angles within `spread` degrees of a direction, around the half turn."""
    low, high = (direction - spread) % 180, (direction + spread) % 180
    first, last = np.searchsorted(angle, [low, high])
    if low < high:
        return np.arange(first, last)
    return np.concatenate([np.arange(0, last), np.arange(first, len(angle))])


def _profile(edges: _Edges, turn: float, axis_deg: float) -> _Profile:
    take = _facing(edges.angle, turn + axis_deg)
    place = _turned(edges.x[take], edges.y[take], turn)[0 if axis_deg == 0 else 1]
    return _binned(place)


def _binned(place: Floats) -> _Profile:
    if len(place) == 0:
        return _Profile(0.0, np.zeros(1))
    start = np.floor(place.min()) - 2
    counts = np.bincount((place - start).astype(np.int64)).astype(np.float64)
    smooth = np.convolve(counts, [0.5, 1.0, 0.5], "same")
    return _Profile(float(start), smooth)


def _sharpness(profile: _Profile) -> float:
    """How far the strongest lines stand out from the rest."""
    counts = profile.counts
    peaks = counts[1:-1][(counts[1:-1] >= counts[:-2]) & (counts[1:-1] > counts[2:])]
    if len(peaks) < 4:
        return 0.0
    return float(np.sort(peaks)[-6:].sum() - 6 * np.median(counts))


def _combs(profile: _Profile, sides: tuple[float, float] = (MIN_SIDE_MM, MAX_SIDE_MM), best: int = 3) -> list[_Comb]:
    """The best combs of four evenly spaced lines. Two of the profile's strongest lines propose each, as any two of its teeth."""
    counts = profile.counts - np.median(profile.counts)
    # A line may fall a millimetre beside its even place.
    wide = np.maximum(counts, np.maximum(np.roll(counts, 1), np.roll(counts, -1)))
    peaks = np.nonzero((counts[1:-1] >= counts[:-2]) & (counts[1:-1] > counts[2:]))[0] + 1
    peaks = np.sort(peaks[np.argsort(-counts[peaks])[:MAX_PEAKS]])
    first, second = (peaks[index] for index in np.triu_indices(len(peaks), 1))
    starts, lengths = [], []
    for tooth, other in ((0, 3), (0, 2), (1, 3), (0, 1), (2, 3), (1, 2)):
        length = (second - first) * 3.0 / (other - tooth)
        starts.append(first - length * tooth / 3)
        lengths.append(length)
    start, length = np.concatenate(starts), np.concatenate(lengths)
    fits = (length >= sides[0]) & (length <= sides[1]) & (start >= -1) & (start + length <= len(wide))
    start, length = start[fits], length[fits]
    teeth = start[:, None] + length[:, None] * np.arange(4) / 3
    height = wide[np.clip(np.rint(teeth).astype(np.int64), 0, len(wide) - 1)]
    # One strong line must not carry a comb: every tooth counts by its root and up to the comb's own length.
    height = np.clip(height, 0.0, length[:, None])
    score = np.sqrt(height).sum(axis=1)
    chosen: list[_Comb] = []
    for index in np.argsort(-score):
        if height[index].sum() < LEAST_COMB * length[index] or len(chosen) == best:
            continue
        comb = _Comb(float(profile.start + start[index] + 0.5), float(length[index]))
        if all(abs(comb.start - other.start) + abs(comb.side - other.side) > 4 for other in chosen):
            chosen.append(comb)
    return chosen


def _complete(edges: _Edges, turn: float, axis: int, comb: _Comb) -> BoardSquare | None:
    """The square that one axis's comb suggests, completed by the other axis's lines between its sides."""
    x, y, angle = edges.x, edges.y, edges.angle
    start, side = comb.start, comb.side
    upright, level = _facing(angle, turn), _facing(angle, turn + 90)
    along = level if axis == 0 else upright
    u, v = _turned(x[along], y[along], turn)
    place, between = (v, u) if axis == 0 else (u, v)
    inside = (between > start) & (between < start + side)
    combs = _combs(_binned(place[inside]), (side - 3, side + 3), 1)
    if not combs:
        return None
    other = combs[0].start
    left, top = (start, other) if axis == 0 else (other, start)
    uu, uv = _turned(x[upright], y[upright], turn)
    lu, lv = _turned(x[level], y[level], turn)
    cuts = np.array([0, side / 3, 2 * side / 3, side])
    support = [_support(uu, uv, left + cut, top, side) for cut in cuts]
    support += [_support(lv, lu, top + cut, left, side) for cut in cuts]
    weights = np.array([1.0, 0.7, 0.7, 1.0] * 2)
    score = float((np.array(support) * weights).sum())
    return BoardSquare(turn, left, top, side, score, tuple(support))


def _support(place: Floats, along: Floats, at: float, start: float, length: float) -> float:
    """Share of a line's length that shows an edge, less what its neighbourhood shows by chance."""
    bins = max(1, round(length / 2))

    def share(low: float, high: float) -> float:
        near = (place > at + low) & (place < at + high) & (along > start) & (along < start + length)
        hit = np.zeros(bins, np.bool_)
        hit[np.minimum(((along[near] - start) / length * bins).astype(np.int64), bins - 1)] = True
        return float(hit.mean())

    chance = (share(-9.0, -5.5) + share(5.5, 9.0)) / 2
    return max(0.0, share(-1.75, 1.75) - chance) / max(0.2, 1 - chance)
