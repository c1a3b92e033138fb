"""Closed courses of points, a step apart, of which stretches may be unknown: evened out, and led over what is unknown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Known = NDArray[np.bool_]


def even(points: Points, step: float) -> Points:
    """A closed course, points a step apart, its pixels' staircase smoothed."""
    closed = np.vstack([points, points[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    count = max(8, round(length[-1] / step))
    at = np.arange(count) * length[-1] / count
    even = np.column_stack([np.interp(at, length, closed[:, i]) for i in range(2)])
    return np.asarray((np.roll(even, 1, axis=0) + 2 * even + np.roll(even, -1, axis=0)) / 4)


def normals(points: Points) -> Points:
    """Unit normals of a course, N x 2."""
    along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    return np.column_stack([along[:, 1], -along[:, 0]])


def bridged(points: Points, known: Known) -> Points:
    """The course with unknown stretches led from end to end in a curve that leaves both as they point."""
    count = len(points)
    if known.all() or known.sum() < 6:
        return points
    course = points.copy()
    start = int(np.flatnonzero(known)[0])
    order = [(start + i) % count for i in range(count + 1)]
    last = order[0]
    gap: list[int] = []
    for i in order[1:]:
        if not known[i]:
            gap.append(i)
            continue
        if gap:
            course[gap] = _curve(points, known, last, i, len(gap))
            gap = []
        last = i
    return course


def _curve(points: Points, known: Known, start: int, end: int, steps: int) -> Points:
    """Points of a cubic from one known point to the next known one."""
    length = float(np.linalg.norm(points[end] - points[start]))
    leaving = _direction(points, known, start, -1) * length
    arriving = -_direction(points, known, end, 1) * length
    t = (np.arange(1, steps + 1) / (steps + 1))[:, None]
    return np.asarray(
        (2 * t**3 - 3 * t**2 + 1) * points[start]
        + (t**3 - 2 * t**2 + t) * leaving
        + (-2 * t**3 + 3 * t**2) * points[end]
        + (t**3 - t**2) * arriving
    )


def _direction(points: Points, known: Known, at: int, way: int) -> Points:
    """Where the course points at a known point, judged by the known ones on its side, away from them."""
    count = len(points)
    behind = at
    for step in range(1, 5):
        if not known[(at + way * step) % count]:
            break
        behind = (at + way * step) % count
    off = points[at] - points[behind]
    length = float(np.linalg.norm(off))
    return np.asarray(off / length) if length > 0 else np.zeros(2)


def narrowed(known: Known) -> Known:
    """Without the outermost point of each known stretch."""
    return np.asarray(known & np.roll(known, 1) & np.roll(known, -1))


def widened(hidden: Known) -> Known:
    """With the next point on each side of each stretch."""
    return np.asarray(hidden | np.roll(hidden, 1) | np.roll(hidden, -1))


def detours(points: Points, beside: Known, most: float) -> Known:
    """Where a course runs along what lies `beside` it, off the way on from both ends by more than `most`: it goes round that."""
    led = bridged(points, ~widened(beside))
    off = np.linalg.norm(led - points, axis=1) > most
    told = np.zeros(len(points), np.bool_)
    runs = np.cumsum(beside & ~np.roll(beside, 1))
    # The stretch over the course's seam is one.
    runs[runs == 0] = runs[-1]
    for run in np.unique(runs[beside & off]):
        told |= widened(beside & (runs == run))
    return told


def runs(marked: Known) -> list[NDArray[np.intp]]:
    """The stretches of a closed course that are marked: the numbers of their points, in order; over its seam one is one."""
    count = len(marked)
    if not marked.any():
        return []
    first = int(np.flatnonzero(marked & ~np.roll(marked, 1))[0]) if not marked.all() else 0
    order = (first + np.arange(count)) % count
    ends = np.flatnonzero(np.diff(marked[order].astype(np.int8))) + 1
    return [part for part in np.split(order, ends) if marked[part[0]]]


_GLIMPSE = 5
"""So many corners in a row, of a few mm each, are a glimpse."""


def without_glimpses(unseen: Sequence[bool]) -> list[bool]:
    """Where a course was hidden, or shows for so short a stretch between two hidden ones that it may be another thing's edge."""
    count, told = len(unseen), list(unseen)
    if all(unseen) or not any(unseen):
        return told
    start = next(n for n in range(count) if unseen[n - 1] and not unseen[n])
    at = 0
    while at < count:
        end = at
        while end < count and not unseen[(start + end) % count]:
            end += 1
        if end - at <= _GLIMPSE:
            for n in range(at, end):
                told[(start + n) % count] = True
        at = max(end, at + 1)
    return told
