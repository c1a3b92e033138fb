"""Where a card may lie, whatever it shows: rectangles of its size that segments of the table view fix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.cards.outlines import EdgeMap, Floats, Placement, outline_support, quarter
from vision.cards.places import distinct

_SQUARE_TOLERANCE_DEG = 5.0
_CORNER_GAP_MM, _BROKEN_GAP_MM = 9.0, 20.0
"""Between a segment's end and a corner: as a rule, and where something lies over the one side there."""
_WHOLE_SIDE = 0.9
"""Share of a card's side from which on a segment is all of it, its ends lost in the round corners."""
_STRIP_TOLERANCE_MM, _SLIDE_MM = 2.0, 4.0
"""Of the gap between two opposite sides; and how far apart along them a card is tried."""


def propose(edges: EdgeMap, width_mm: float, height_mm: float, min_support: float = 0.3) -> list[Placement]:
    """Placements of a portrait card, best supported first, each at an angle from 0 up to 180 (or 90 for a square card)."""
    ways = (_from_corners, _from_whole_sides, _from_opposite_sides)
    raw = np.concatenate([propose_by(edges.segments, width_mm, height_mm) for propose_by in ways])
    if not len(raw):
        return []
    raw = raw[_distinct_order(raw)]
    support, weakest = outline_support(edges, raw, width_mm, height_mm)
    rank = np.argsort(-(support + 0.3 * weakest), kind="stable")
    rank = rank[support[rank] >= min_support]
    placed = np.column_stack([raw, support, weakest])[rank]
    return distinct([Placement(*row) for row in placed.tolist()])


def _distinct_order(raw: Floats) -> NDArray[np.intp]:
    keys = np.stack([raw[:, 0].round(), raw[:, 1].round(), (raw[:, 2] / 1.5).round()], axis=1)
    return np.unique(keys, axis=0, return_index=True)[1]


def _from_corners(segments: Floats, width_mm: float, height_mm: float) -> Floats:
    """Every rectangle that two square segments fix: N x (x, y, angle in 0 to 180).

    One of them ends where they meet, and the other not far from there.
    """
    if len(segments) < 2:
        return np.zeros((0, 3))
    start, end = segments[:, :2], segments[:, 2:]
    along = end - start
    length = np.hypot(along[:, 0], along[:, 1])
    along /= length[:, None]
    cosine = np.abs(along @ along.T)
    first, second = np.nonzero(np.triu(cosine < np.sin(np.radians(_SQUARE_TOLERANCE_DEG)), 1))
    p, q, u, v = start[first], start[second], along[first], along[second]
    cross = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    gap = q - p
    s = (gap[:, 0] * v[:, 1] - gap[:, 1] * v[:, 0]) / cross
    t = (gap[:, 0] * u[:, 1] - gap[:, 1] * u[:, 0]) / cross
    # The card reaches from the corner towards the segments' other ends. A neighbour's card may lie over one of them there.
    near_s, broken_s, sign_s = _at_end(s, length[first])
    near_t, broken_t, sign_t = _at_end(t, length[second])
    keep = (near_s & broken_t) | (broken_s & near_t)
    keep &= (length[first] < height_mm * 1.1) & (length[second] < height_mm * 1.1)
    corner = (p + s[:, None] * u)[keep]
    leg_u = (u * sign_s[:, None])[keep]
    leg_v = (v * sign_t[:, None])[keep]
    length_u, length_v = length[first][keep], length[second][keep]
    placed = []
    for side_u, side_v in ((width_mm, height_mm), (height_mm, width_mm)):
        fits = (length_u < side_u * 1.06 + 2) & (length_v < side_v * 1.06 + 2)
        middle = corner[fits] + leg_u[fits] * side_u / 2 + leg_v[fits] * side_v / 2
        # The angle of the long side, from the longer of the two segments.
        along_u = np.where((length_u[fits] >= length_v[fits])[:, None], leg_u[fits], quarter(leg_v[fits]))
        along_long = along_u if side_u == height_mm else quarter(along_u)
        angle = (np.degrees(np.arctan2(along_long[:, 1], along_long[:, 0])) - 90) % 180
        placed.append(np.column_stack([middle, angle]))
    return np.concatenate(placed)


def propose_from_ends(edges: EdgeMap, width_mm: float, height_mm: float) -> Floats:
    """Every rectangle with a corner at an end of a segment: N x (x, y, angle in 0 to 180).

    Where cards lie over cards of one colour, one side against the ground may be all that shows without doubt.
    """
    segments = edges.segments
    if not len(segments):
        return np.zeros((0, 3))
    start, end = segments[:, :2], segments[:, 2:]
    length = np.hypot(*(end - start).T)
    along = (end - start) / length[:, None]
    placed = []
    for side, across in ((width_mm, height_mm), (height_mm, width_mm)):
        fits = length < side * 1.06 + 2
        for corner, leg in ((start[fits], along[fits]), (end[fits], -along[fits])):
            for other in (quarter(leg), -quarter(leg)):
                long_leg = leg if side == height_mm else other
                angle = (np.degrees(np.arctan2(long_leg[:, 1], long_leg[:, 0])) - 90) % 180
                placed.append(np.column_stack([corner + leg * side / 2 + other * across / 2, angle]))
    return np.concatenate(placed)


def propose_in_strips(edges: EdgeMap, width_mm: float, height_mm: float) -> Floats:
    """Rectangles of which only two opposite sides show, each in part, a step apart along them: N x (x, y, angle in 0 to 180).

    Where a card's ends lie under others of its colour no corner of it shows, and what is printed tells how far along it lies.
    """
    placed = [np.zeros((0, 3))]
    for long, strips in _strips(edges.segments, width_mm, height_mm):
        low, high = strips.low.min(axis=1), strips.high.max(axis=1)
        for step in np.arange(-long / 2, long / 2 + _SLIDE_MM, _SLIDE_MM):
            place = (low + high) / 2 + step
            here = (high - low < long) & (place + long / 2 > high - 2) & (place - long / 2 < low + 2)
            placed.append(strips.at(place)[here])
    return np.concatenate(placed)


def _from_opposite_sides(segments: Floats, width_mm: float, height_mm: float) -> Floats:
    """Every rectangle that two opposite sides fix, one of which ends where the card does: N x (x, y, angle in 0 to 180).

    White cards over white ones show no edge across a row.
    """
    placed = [np.zeros((0, 3))]
    for long, strips in _strips(segments, width_mm, height_mm):
        low, high = strips.low.min(axis=1), strips.high.max(axis=1)
        fits = high - low < long * 1.06 + 2
        placed += [strips.at(low + long / 2)[fits], strips.at(high - long / 2)[fits]]
    return np.concatenate(placed)


@dataclass(frozen=True, slots=True, eq=False)
class _Strips:
    """Pairs of segments that may lie along opposite sides of a card."""

    origin: Floats
    """N x 2: a point of each strip's middle line, mm."""
    along: Floats
    """N x 2: the strip's direction."""
    low: Floats
    high: Floats
    """N x 2: where both segments begin and end, mm along the strip from its origin."""
    angle: Floats
    """Of a card that lies in it."""

    def at(self, place: Floats) -> Floats:
        """N x (x, y, angle) of a card whose middle lies so far along each strip."""
        return np.column_stack([self.origin + self.along * place[:, None], self.angle])


def _strips(segments: Floats, width_mm: float, height_mm: float) -> list[tuple[float, _Strips]]:
    """With the card's length along them: a card may lie in a strip as wide as it is, or as long."""
    if len(segments) < 2:
        return []
    ways = segments[:, 2:] - segments[:, :2]
    length = np.hypot(*ways.T)
    ways = ways / length[:, None]
    middle = (segments[:, :2] + segments[:, 2:]) / 2
    first, second = np.nonzero(np.triu(np.abs(ways @ ways.T) > np.cos(np.radians(_SQUARE_TOLERANCE_DEG)), 1))
    first, second = np.where(length[first] >= length[second], (first, second), (second, first))
    way, gap = ways[first], middle[second] - middle[first]
    apart = np.abs((gap * quarter(way)).sum(axis=1))
    found = []
    for long, across in ((width_mm, height_mm), (height_mm, width_mm)):
        fits = np.flatnonzero((np.abs(apart - across) < _STRIP_TOLERANCE_MM) & (length[first] < long * 1.06 + 2))
        u, g = way[fits], gap[fits]
        # Both segments lie between the rectangle's ends.
        at = np.column_stack([np.zeros(len(fits)), (g * u).sum(axis=1)])
        shares = np.abs((ways[second][fits] * u).sum(axis=1))
        half = np.column_stack([length[first][fits], shares * length[second][fits]]) / 2
        aside = quarter(u)
        origin = middle[first][fits] + aside * (g * aside).sum(axis=1)[:, None] / 2
        upright = u if long == height_mm else quarter(u)
        angle = (np.degrees(np.arctan2(upright[:, 1], upright[:, 0])) - 90) % 180
        found.append((long, _Strips(origin, u, at - half, at + half, angle)))
    return found


def _from_whole_sides(segments: Floats, width_mm: float, height_mm: float) -> Floats:
    """Every rectangle with a side that is about as long as a segment, which lies in its middle: N x (x, y, angle in 0 to 180)."""
    if not len(segments):
        return np.zeros((0, 3))
    way = segments[:, 2:] - segments[:, :2]
    length = np.hypot(*way.T)
    placed = []
    for side, across in ((width_mm, height_mm), (height_mm, width_mm)):
        whole = (length > side * _WHOLE_SIDE) & (length < side * 1.06 + 2)
        u, middle = way[whole] / length[whole, None], (segments[whole, :2] + segments[whole, 2:]) / 2
        long_leg = u if side == height_mm else quarter(u)
        angle = (np.degrees(np.arctan2(long_leg[:, 1], long_leg[:, 0])) - 90) % 180
        placed += [np.column_stack([middle + quarter(u) * across / 2 * sign, angle]) for sign in (1, -1)]
    return np.concatenate(placed)


def _at_end(place: Floats, length: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Floats]:
    """Whether a place along a segment is at one of its ends, whether it is where the segment may have ended had it not broken up,
    and the direction from there into the segment."""
    gap = np.minimum(np.abs(place), np.abs(place - length))
    slack = np.minimum(_CORNER_GAP_MM, 0.35 * length + 2)
    broken = np.minimum(_BROKEN_GAP_MM, length + 2)
    sign = np.where(np.abs(place) <= np.abs(place - length), 1.0, -1.0)
    return gap <= slack, gap <= broken, sign
