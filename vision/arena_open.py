"""Strings that do not close by themselves in the picture: a hand hides a part, a shadow or the ground's grain outdoes another.

They are followed from where they show most, each by its own colour against the ground. What comes round so far that it must be a
loop is one; two bends of one string, on both sides of an arm that lies across, are one loop too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np

from vision.arena_band import PX_PER_MM
from vision.arena_trace import STEP_MM, StringLook, Tracer
from vision.arena_view import (
    FINE_PX_PER_MM,
    HAND_REACH_MM,
    LEAST_AREA_MM2,
    LEAST_LEVEL,
    LEAST_SEEN,
    Floats,
    Loop,
    Mask,
    Points,
    View,
    disc,
    evenly,
    sampled,
    under,
)
from vision.course import Known, bridged, runs

_LEVELS = (16.0, 4.0)
"""Evidence of a band over what the bare ground shows, at which a string is begun with."""
_SURE = 2.0
"""So much over that level a string's own difference stands out from the ground; weaker ones count only where they close."""
_TRIED = 4
"""Bands, the widest reaching first."""
_PLACES = 6
_APART_MM = 25.0
"""A string's light side may show less than its shadow does: it is begun with at several places of a band, so far apart."""
_NEARLY_CLOSED = 0.78
"""Share of a course that must show where no hand is known to hide the rest: fingers of the ground's colour are not seen."""
_MOST_GROUND, _BEYOND = 0.85, 1.8
"""What is so much farther from the ground's usual hue than this share of what shows is something else; a hand that is not told
from the ground is a part of what shows."""
_COVERED_MM, _LEAST_COVERED = 6.0, 0.6
"""Over so much hue is averaged; share of a gap that must be of another hue for something to lie there."""
_LEAST_OFF = 3.0
_LEAST_SPREAD = 0.006
"""Of hue, natural logarithm of a ratio of light: what a camera's noise leaves of it on one plain colour."""
_CLOSED = 0.97
_LEAST_BEND = 200.0
"""Degrees by which what shows of an open loop must go round."""
_LEAST_POINTS, _LEAST_PART = 40, 15
"""Steps of a bend that tells a loop, and of one that tells it together with another."""
_SHORT_GAP_MM = 60.0
"""What a finger hides that is not told from the ground."""
_ALIKE = 0.8
"""Cosine between two differences in colour of one string."""
_ROUND = 0.6
"""Share of its convex hull that a loop of two bends fills."""


@dataclass(frozen=True, slots=True, eq=False)
class _Bend:
    """What shows of a string in one piece."""

    points: Points
    """From end to end, mm from the picture's corner, a step apart."""
    look: StringLook

    @property
    def turn(self) -> float:
        """By how many degrees it goes round, clockwise or the other way by its sign."""
        along = np.diff(self.points, axis=0)
        return float(np.degrees(np.diff(np.unwrap(np.arctan2(along[:, 1], along[:, 0]))).sum()))

    def shows(self, place: Points, look: StringLook) -> bool:
        """Whether a string of that look at a place is this one."""
        return _alike(self.look, look) and float(np.linalg.norm(self.points - place, axis=1).min()) < 2 * STEP_MM

    def turned_round(self) -> _Bend:
        return _Bend(self.points[::-1], self.look)


def open_loops(view: View) -> list[Loop]:
    """The loop of which the strongest string is a part, or the loop of two such parts; nothing where neither is to be seen."""
    tracer = Tracer(view.fine, FINE_PX_PER_MM)
    near_hands = cv2.dilate(view.hands, disc(HAND_REACH_MM)).astype(np.uint8, copy=False)
    bends: list[_Bend] = []
    for factor in _LEVELS:
        level = max(factor * view.noise, LEAST_LEVEL)
        for start, way, look in _strong_places(view, tracer, level):
            if any(bend.shows(start, look) for bend in bends):
                continue
            bend = _followed(tracer, start, way, look)
            loop = _bent_round(view, bend)
            sure = look.strength >= _SURE * level
            if loop is not None and (_is_enough(view, loop, near_hands) if sure else loop.share_seen >= _CLOSED):
                return [loop]
            bends += [bend] if sure else []
    return _of_two(view, bends, near_hands)


def of_one_string(view: View, loops: list[Loop]) -> list[Loop]:
    """Two loops, of each of which a part is a guess, as one where what shows of them are bends of one string."""
    if len(loops) != 2 or any(loop.seen.all() for loop in loops):
        return loops
    tracer = Tracer(view.fine, FINE_PX_PER_MM)
    near_hands = cv2.dilate(view.hands, disc(HAND_REACH_MM)).astype(np.uint8, copy=False)
    bends = []
    for loop in loops:
        shown = (loop.points[max(runs(loop.seen), key=len)] + 0.5) / PX_PER_MM
        bends.append(_Bend(shown, tracer.look(shown)))
    return _of_two(view, bends, near_hands) or loops


def _is_enough(view: View, loop: Loop, near_hands: Mask) -> bool:
    """Whether what shows of a loop is enough to say that there is one: the rest is short, or something lies over it."""
    gap = loop.points[~loop.seen]
    return loop.share_seen >= _NEARLY_CLOSED or bool(under(near_hands, gap).any()) or _is_covered(view, loop, gap)


def _is_covered(view: View, loop: Loop, gap: Points) -> bool:
    """Whether something of another hue than the ground's lies where a loop is not seen: a hand as light as the ground is not told
    from it by what reaches in, and a string that does not close is no loop."""
    hue = np.dstack([view.fine[..., 0] - view.fine[..., 1], view.fine[..., 2] - view.fine[..., 1]])
    side = round(_COVERED_MM * FINE_PX_PER_MM)
    hue = cv2.resize(cv2.blur(hue, (side, side)), view.shape[::-1], interpolation=cv2.INTER_AREA).astype(np.float32)
    bare = view.clear.copy()
    cv2.polylines(bare, [np.rint(loop.points).astype(np.int32)], True, 0, round(4 * _COVERED_MM * PX_PER_MM))
    ground = hue[bare > 0]
    if not len(ground):
        return False
    usual = np.median(ground, axis=0)
    spread = 1.4826 * np.median(np.abs(ground - usual), axis=0) + _LEAST_SPREAD
    usually = float(np.quantile(np.linalg.norm((ground - usual) / spread, axis=1), _MOST_GROUND))
    off = np.linalg.norm((sampled(hue, gap[:, None])[:, 0] - usual) / spread, axis=1)
    return float(np.mean(off >= max(_BEYOND * usually, _LEAST_OFF))) >= _LEAST_COVERED


def _strong_places(view: View, tracer: Tracer, level: float) -> Iterator[tuple[Points, Points, StringLook]]:
    """Where the widest reaching bands show most strongly: a point, mm, the band's direction and look there."""
    # A hand's rim is stronger than any string.
    bare = np.where(view.hidden > 0, np.float32(0), view.band)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(np.where(bare >= level, np.uint8(255), np.uint8(0)))
    extent = stats[:, cv2.CC_STAT_WIDTH] + stats[:, cv2.CC_STAT_HEIGHT]
    for number in sorted(range(1, count), key=lambda n: -float(extent[n]))[:_TRIED]:
        strength = np.where(labels == number, bare, np.float32(0)).astype(np.float32)
        for row, column in _strongest(strength):
            normal = float(view.turn[row, column])
            way = np.array([-np.sin(normal), np.cos(normal)])
            start = (np.array([column, row], np.float64) + 0.5) / PX_PER_MM
            left, right = tracer.sides(start + np.arange(-6.0, 7.0)[:, None] * way, np.tile(way, (13, 1)))
            look = StringLook(np.median((left + right) / 2, axis=0))
            if look.strength >= LEAST_LEVEL:
                yield start, way, look


def _strongest(strength: Floats) -> Iterator[tuple[int, int]]:
    """The strongest places, row and column, no two near each other. What is taken is wiped out of `strength`."""
    for _ in range(_PLACES):
        row, column = (int(at) for at in np.unravel_index(int(np.argmax(strength)), strength.shape))
        if strength[row, column] <= 0:
            return
        yield row, column
        cv2.circle(strength, (column, row), round(_APART_MM * PX_PER_MM), 0, -1)


def _followed(tracer: Tracer, start: Points, way: Points, look: StringLook) -> _Bend:
    """The string through a point, as far as it shows both ways."""
    ahead, closed = tracer.follow(start, way, look, start[None])
    behind = start[None] if closed >= 0 else tracer.follow(start, -way, look, ahead[-1:])[0]
    return _Bend(np.vstack([behind[::-1], ahead[1:]]), look)


def _bent_round(view: View, bend: _Bend) -> Loop | None:
    """The loop that a bend is a part of; None where it does not go round far enough."""
    if len(bend.points) < _LEAST_POINTS or abs(bend.turn) < _LEAST_BEND:
        return None
    gap = _between(bend.points[-1], bend.points[0])
    known = np.arange(len(bend.points) + len(gap)) < len(bend.points)
    return _closed_by(view, np.vstack([bend.points, gap]), known, bend.look)


def _of_two(view: View, bends: list[_Bend], near_hands: Mask) -> list[Loop]:
    """The loop whose parts show on both sides of an arm: two bends that go on in each other where hands are."""
    long = sorted((bend for bend in bends if len(bend.points) >= _LEAST_PART), key=lambda bend: -len(bend.points))
    for one, other in combinations(long, 2):
        if not _alike(one.look, other.look):
            continue
        onward = min(
            (other, other.turned_round()),
            key=lambda way: _gap(one.points[-1], way.points[0]) + _gap(way.points[-1], one.points[0]),
        )
        if one.turn * onward.turn <= 0 or abs(one.turn + onward.turn) < _LEAST_BEND:
            continue
        joints = ((one.points[-1], onward.points[0]), (onward.points[-1], one.points[0]))
        if not all(_may_be_hidden(near_hands, *joint) for joint in joints):
            continue
        across, back = (_between(*joint) for joint in joints)
        pieces = (one.points, across, onward.points, back)
        known = np.concatenate([np.full(len(piece), number % 2 == 0) for number, piece in enumerate(pieces)])
        loop = _closed_by(view, np.vstack(pieces), known, one.look)
        if loop is None or not _is_enough(view, loop, near_hands):
            continue
        if loop.area >= _ROUND * cv2.contourArea(cv2.convexHull(loop.points.astype(np.float32))):
            return [loop]
    return []


def _may_be_hidden(near_hands: Mask, end: Points, start: Points) -> bool:
    """Whether a string that ends at one point may go on at another: under a hand, or a short way on."""
    return bool(under(near_hands, np.vstack([end, start]) * PX_PER_MM - 0.5).all()) or _gap(end, start) <= _SHORT_GAP_MM


def _closed_by(view: View, points: Points, known: Known, look: StringLook) -> Loop | None:
    """A course, mm, of which a part is a guess, as a loop; None where it is too small or too little of it shows."""
    points = points * PX_PER_MM - 0.5
    known = known & ~under(view.on_dice, points)
    course, seen = evenly(bridged(points, known), known)
    area = float(cv2.contourArea(course.astype(np.float32)))
    if area < LEAST_AREA_MM2 or seen.mean() < LEAST_SEEN:
        return None
    return Loop(course, seen, area, 1.0, float(seen.mean()), 1.0, look.strength)


def _between(start: Points, end: Points) -> Points:
    """Points on the straight way between two, about a step apart, without them."""
    count = int(1.15 * _gap(start, end) / STEP_MM)
    share = (np.arange(1, count + 1) / (count + 1))[:, None]
    return np.asarray(start * (1 - share) + end * share)


def _gap(start: Points, end: Points) -> float:
    return float(np.hypot(*(end - start)))


def _alike(one: StringLook, other: StringLook) -> bool:
    product = one.strength * other.strength
    return bool(product > 0 and one.step @ other.step >= _ALIKE * product)
