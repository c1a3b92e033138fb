"""A thrown die's way: from where it left the hand, and where it was out of sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from vision.dice.track_flight import Place

_FIRST_NOISE = 8.0
"""How much worse a die's first place is known, a part of it may be hidden."""
_TOUCHED_PLACES = 60
_NEAR_MM = 45.0
_LONGEST_GAP_S = 0.06
_SHORT_GAP_S, _SHORT_GAP = 0.028, 2.2
"""A die may touch in a gap longer than this, and longer than so many pictures."""
_FLEW = 3
"""Places in which a spot was seen, to be more than a finger for a moment."""
_FLIES = 250.0
"""mm a second: what goes on as fast from picture to picture is no finger at rest."""
_BEFORE_S = 0.05
"""What went on before anything was seen of it."""
_SWERVE = 1100.0
"""mm a second: by more a die in flight does not change its way from one picture to the next."""


def out_of_hand(way: Sequence[Place], sure_mm: float) -> list[Place]:
    """A die's way from where it left the hand: the first places that are known well, and those before that lead up to them.

    What looked like a die earlier, in the hand or of it, may have been a finger. The first of them may show a part of the die.
    """
    way = _led_up_to(way, sure_mm)
    return [replace(way[0], noise_mm=_FIRST_NOISE * way[0].noise_mm), *way[1:]] if way else []


def gap_before(way: Sequence[Place], touch_s: float) -> int:
    """The first place after the last stretch before a touch in which the die did not show; 0 without one."""
    usual = min(later.t_s - place.t_s for place, later in pairwise(way))
    longest = max(_SHORT_GAP_S, _SHORT_GAP * usual)
    gaps = [n for n in range(1, len(way)) if way[n].t_s - way[n - 1].t_s > longest and way[n].t_s <= touch_s]
    return gaps[-1] if gaps else 0


def flown(way: Sequence[Place]) -> list[Place]:
    """The places of a way at which a die flew: in pictures that follow one another it went on fast and evenly."""
    usual = min((later.t_s - place.t_s for place, later in pairwise(way)), default=0.0)
    found: set[int] = set()
    for n in range(2, len(way)):
        (x0, y0, t0), (x1, y1, t1), (x2, y2, t2) = ((p.x_mm, p.y_mm, p.t_s) for p in way[n - 2 : n + 1])
        if t2 - t0 > 3 * usual:
            continue
        first = np.array([x1 - x0, y1 - y0]) / (t1 - t0)
        second = np.array([x2 - x1, y2 - y1]) / (t2 - t1)
        if min(np.linalg.norm(first), np.linalg.norm(second)) > _FLIES and np.linalg.norm(second - first) < _SWERVE:
            found |= {n - 2, n - 1, n}
    return [way[n] for n in sorted(found)]


def _led_up_to(way: Sequence[Place], sure_mm: float) -> list[Place]:
    gaps = [n for n in range(1, len(way)) if way[n].t_s - way[n - 1].t_s > _LONGEST_GAP_S and n < len(way) // 2]
    if gaps:
        # It may have been the die that flew there, and have touched while nothing showed.
        flew = gaps[-1] >= _FLEW
        way = _unseen_since(way, gaps[-1], way[gaps[-1] - 1].t_s) if flew else way[gaps[-1] :]
    first = next((n for n, place in enumerate(way) if place.noise_mm < sure_mm), 0)
    start = first
    while start > max(0, first - _TOUCHED_PLACES) and start + 2 < len(way):
        here, then, after = way[start - 1], way[start], way[start + 1]
        pace = (then.t_s - here.t_s) / (after.t_s - then.t_s)
        off_x = then.x_mm + pace * (then.x_mm - after.x_mm) - here.x_mm
        off_y = then.y_mm + pace * (then.y_mm - after.y_mm) - here.y_mm
        if float(np.hypot(off_x, off_y)) > _SWERVE * (then.t_s - here.t_s) or then.t_s - here.t_s > _LONGEST_GAP_S:
            # What was so near before may have been the die all the same, and have touched.
            near = float(np.hypot(here.x_mm - then.x_mm, here.y_mm - then.y_mm)) < _NEAR_MM
            return _unseen_since(way, start, way[0].t_s) if near else list(way[start:])
        start -= 1
    return list(way[start:])


def _unseen_since(way: Sequence[Place], start: int, since_s: float) -> list[Place]:
    """The way from a place on, before which it may have been in the air since a moment."""
    first = way[start]
    unseen = max(first.peeped_s, first.t_s - since_s + _BEFORE_S)
    return [replace(first, peeped_s=unseen), *way[start + 1 :]]
