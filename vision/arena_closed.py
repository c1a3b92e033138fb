"""Closed strings: what narrow bands that differ from the ground alike on both their sides enclose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.arena_band import PX_PER_MM
from vision.arena_trace import StringLook, Tracer, carried_on, directions
from vision.arena_view import (
    COURSE_STEP_MM,
    FINE_PX_PER_MM,
    LEAST_AREA_MM2,
    LEAST_LEVEL,
    LEAST_ONE_COLOUR,
    LEAST_SEEN,
    NEAR_MM,
    Loop,
    Mask,
    Points,
    View,
    apart,
    disc,
    evenly,
    nearest_band,
    off_course,
    sampled,
    under,
)
from vision.course import Known, bridged, detours, even, narrowed, normals, runs, widened, without_glimpses

_DIE_MM = 14.0
_DETOUR_MM = 3.0
_LEVELS = (9.0, 6.0, 4.0, 2.8, 2.0)
"""Evidence of a band over what the bare ground shows, at which loops are sought."""
_SECOND_LEVEL = 0.35
"""Share of the strongest loop's evidence below which nothing else is a string: a ground's grain closes too, in the end."""
_MOST_WINDING = 900.0
"""Degrees by which a second string turns in all; a plain loop turns by 360, one pushed about by twice that."""
_MOSTLY_OWN, _SURELY_ONE_COLOUR = 0.8, 0.8
"""A second string that has less of its course to itself must be so surely of one colour there: grain is light and dark."""
_SHORT = 12
"""Points of a stretch that tells nothing by itself."""
_SURELY_STRING, _LEAST_LIKE = 0.33, 0.4
"""Share of a course, where it shows most, that is its string; and how much of that difference to the ground all of it shows."""
_LEAST_OWN = 10
"""Points of its course that a second string has to itself."""


def closed_loops(view: View) -> list[Loop]:
    """Closed strings, the best borne out first. What closes only where dice lie on the string counts as well."""
    found: list[Loop] = []
    for walls in (view.hands, view.hidden) if view.dice.any() else (view.hands,):
        for factor in _LEVELS:
            found += _closed(view, max(factor * view.noise, LEAST_LEVEL), walls)
    strongest = max((loop.strength for loop in found if loop.plausible), default=0.0)
    kept: list[Loop] = []
    for loop in sorted(found, key=lambda each: -each.quality):
        if not loop.plausible or loop.strength < _SECOND_LEVEL * strongest:
            continue
        if not kept or _is_another(view, loop, kept, _SECOND_LEVEL * strongest):
            whole = _carried_on(view, loop)
            kept += [whole] if whole.share_seen >= LEAST_SEEN else []
    return kept


def _is_another(view: View, loop: Loop, others: Sequence[Loop], least: float) -> bool:
    """Whether a loop is a string beside others, and shows as one where it runs along none of them.

    The ground's grain closes with a part of a string, too; such a course winds, and is of every colour.
    """
    if not all(apart(loop, other) for other in others) or _winding(loop.points) > _MOST_WINDING:
        return False
    own = loop.seen.copy()
    for other in others:
        own &= off_course(loop.points, other) > NEAR_MM * PX_PER_MM
    strength, middle = nearest_band(view, loop.points)
    if own.sum() < _LEAST_OWN or float(np.median(strength[own])) < least:
        return False
    shares = own.sum() < _MOSTLY_OWN * loop.seen.sum()
    return _one_colour(view, middle[own]) >= (_SURELY_ONE_COLOUR if shares else LEAST_ONE_COLOUR)


def _winding(points: Points) -> float:
    """By how many degrees a closed course turns in all, each way counted; small waves are not."""
    course = even(points, 2 * COURSE_STEP_MM * PX_PER_MM)
    course = (np.roll(course, 1, axis=0) + 2 * course + np.roll(course, -1, axis=0)) / 4
    along = np.roll(course, -1, axis=0) - course
    way = np.arctan2(along[:, 1], along[:, 0])
    turns = np.roll(way, -1) - way
    return float(np.degrees(np.abs(np.angle(np.exp(1j * turns)))).sum())


def _one_colour(view: View, points: Points) -> float:
    """1 where a string differs from the ground in one way at all points of its middle, 0 where in every way."""
    steps = _steps(view, points)
    # The strands of a twisted string are of two colours, by turns.
    steps = sum((np.roll(steps, shift, axis=0) for shift in range(-2, 3)), np.zeros_like(steps)) / 5
    return float(np.linalg.norm(steps.mean(axis=0)) / max(np.linalg.norm(steps, axis=1).mean(), 1e-6))


def _carried_on(view: View, loop: Loop) -> Loop:
    """The loop followed into what is thought to be hidden, as far as its string shows."""
    tracer = Tracer(view.fine, FINE_PX_PER_MM)
    known = narrowed(loop.seen)
    # What shows for a moment beside a die, all else being hidden, may be its shadow: the course is not led by it.
    glimpses = known & np.asarray(without_glimpses([not shown for shown in known]), np.bool_)
    known &= ~(glimpses & under(view.by_dice, loop.points))
    known &= ~_led_astray(tracer, loop, known)
    if known.all() or known.sum() < 12:
        return loop
    points, seen = carried_on(tracer, (loop.points + 0.5) / PX_PER_MM, known, COURSE_STEP_MM)
    points = points * PX_PER_MM - 0.5
    # What goes on over a die is its symbol or an edge of it.
    seen = seen & ~under(view.on_dice, points)
    course, seen = evenly(bridged(points, seen), seen)
    area = float(cv2.contourArea(course.astype(np.float32)))
    return replace(loop, points=course, seen=seen, area=area, share_seen=float(seen.mean()))


def _led_astray(tracer: Tracer, loop: Loop, known: Known) -> Known:
    """Where a course runs along what is no part of its string: a bit of the ground's grain between two hidden stretches, or
    the rim of a glove of the ground's colour while the string itself goes on elsewhere.

    A string may look otherwise over another ground as well: there it goes on nowhere else.
    """
    astray = np.zeros(len(known), np.bool_)
    if known.sum() < _LEAST_OWN:
        return astray
    points = (loop.points + 0.5) / PX_PER_MM
    left, right = tracer.sides(points, directions(points))
    # The strands of a twisted string are of two colours, by turns.
    both = sum((np.roll((left + right) / 2, shift, axis=0) for shift in range(-2, 3)), np.zeros_like(left)) / 5
    strength = np.linalg.norm(both, axis=1)
    strong = known & (strength >= np.quantile(strength[known], 1 - _SURELY_STRING))
    look = StringLook(np.median(both[strong], axis=0))
    share = both @ look.step / max(look.strength**2, 1e-9)
    for run in runs(known & (share < _LEAST_LIKE)):
        before, after = int(run[0]) - 1, (int(run[-1]) + 1) % len(known)
        if not known[before] and not known[after]:
            astray[run] = len(run) <= _SHORT
        else:
            ends = ((before, before - 2), (after, (after + 2) % len(known)))
            astray[run] = any(_goes_on_elsewhere(tracer, look, points[end], points[last], loop) for end, last in ends)
    return astray


def _goes_on_elsewhere(tracer: Tracer, look: StringLook, end: Points, before: Points, loop: Loop) -> bool:
    """Whether a string leads away from a loop's course."""
    path, _ = tracer.follow(end, end - before, look)
    return float(off_course(path * PX_PER_MM - 0.5, loop).max()) > 2 * NEAR_MM * PX_PER_MM


def _closed(view: View, level: float, walls: Mask) -> list[Loop]:
    """What bands of at least this evidence enclose."""
    wall = np.where(view.band >= level, np.uint8(255), np.uint8(0))
    wall = cv2.morphologyEx(wall, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)).astype(np.uint8, copy=False)
    wall |= walls
    free = cv2.subtract(np.full_like(wall, 255), wall)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(free, connectivity=4)
    height, width = wall.shape
    found = []
    for number in range(1, count):
        x, y, across, down, area = stats[number]
        if area < 0.7 * LEAST_AREA_MM2 or x == 0 or y == 0 or x + across == width or y + down == height:
            continue
        inner = np.where(labels == number, np.uint8(255), np.uint8(0))
        found.append(_loop_around(view, inner, level))
    return [loop for loop in found if loop is not None]


def _loop_around(view: View, inner: Mask, level: float) -> Loop | None:
    """The loop whose inside this is: its outline, moved out to the middle of the band."""
    inner = cv2.morphologyEx(inner, cv2.MORPH_OPEN, disc(4.0)).astype(np.uint8, copy=False)
    # A die beside the string, or its shadow, hangs together with it: the loop does not go around it.
    whole = cv2.morphologyEx(inner, cv2.MORPH_CLOSE, disc(_DIE_MM)).astype(np.uint8, copy=False)
    inner |= whole & view.by_dice
    contours, _ = cv2.findContours(inner, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    contour = max(contours, key=cv2.contourArea).reshape(-1, 2).astype(np.float64)
    points = even(contour, COURSE_STEP_MM * PX_PER_MM)
    if len(points) < 20:
        return None
    strength, moved = nearest_band(view, points)
    hidden = under(view.hidden, points) | under(view.hidden, moved)
    # Beside what hides it the string's middle is drawn toward the other's rim.
    # A string that a die lies on leads on under it: what goes round the two is the rim of the die's shadow.
    rim = detours(moved, under(view.by_dice, moved), _DETOUR_MM * PX_PER_MM)
    borne = narrowed((strength >= level) & ~hidden) & ~rim
    # What the region runs along beside a hand may be the hand's own rim or shadow: it speaks neither for nor against.
    free = ~widened(hidden) & ~rim & ~under(view.by_hands, points)
    counted = borne & free
    if borne.sum() < 10:
        return None
    course, seen = evenly(bridged(moved, borne), borne)
    area = float(cv2.contourArea(course.astype(np.float32)))
    if area < LEAST_AREA_MM2:
        return None
    borne_out = float(counted.sum() / max(free.sum(), 1))
    return Loop(
        course,
        seen,
        area,
        borne_out,
        float(seen.mean()),
        _one_colour(view, moved[borne]),
        float(np.median(strength[borne])),
    )


def _steps(view: View, points: Points) -> Points:
    """How the string's middle differs from what lies on both its sides, N x 3."""
    scale = FINE_PX_PER_MM / PX_PER_MM
    normal = normals(points)
    at = np.array([-3.5, 0.0, 3.5]) * PX_PER_MM
    values = sampled(view.fine, (points[:, None] + normal[:, None] * at[None, :, None] + 0.5) * scale - 0.5)
    return np.asarray(values[:, 1] - (values[:, 0] + values[:, 2]) / 2)
