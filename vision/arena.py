"""The Arena: a loop of string on the table, found on any ground and in any colour.

A string is a narrow band that differs from the ground on both its sides alike; the Arena is what such a band encloses. Dice and
hands may hide parts of it: there its course is carried on from what shows, and said to be unseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arena_band import PX_PER_MM, bands, log_light
from vision.arena_trace import STEP_MM, StringLook, Tracer, carried_on
from vision.course import bridged, detours, even, narrowed, normals, widened, without_glimpses
from vision.frame import Image
from vision.observation import Polygon
from vision.table import TablePose, marker_papers

Floats = NDArray[np.float32]
Points = NDArray[np.float64]
Mask = NDArray[np.uint8]

FINE_PX_PER_MM = 3.0
_MARGIN_MM = 10.0
LEAST_AREA_MM2 = 2500.0
"""Of a loop that dice are thrown into."""
LEAST_SEEN = 0.45
"""Share of a loop's course that must show."""
LEAST_BORNE_OUT = 0.88
"""Share of its course, where nothing hides it, along which a string must show."""
_MARKER_RIM_MM = 8.0
_DIE_MM = 14.0
_SHADOW_MM = 9.0
_BY_HAND_MM = 10.0
_STEP_MM = 4.0
_DETOUR_MM = 3.0
_REACH_MM = 5.0
LEAST_ONE_COLOUR = 0.5
_LEVELS = (9.0, 6.0, 4.0, 2.8, 2.0)
"""Evidence of a band over what the bare ground shows, at which loops are sought."""
_LEAST_LEVEL = 0.02
_SECOND_LEVEL = 0.35
"""Share of the strongest loop's evidence below which nothing else is a string: a ground's grain closes too, in the end."""


class ArenaState(StrEnum):
    """What is known of the Arena."""

    FOUND = "found"
    NONE = "none"
    """No closed string in sight."""
    SEVERAL = "several"
    """Two or more: which one counts can't be told. The polygon is the largest's."""
    HELD = "held"
    """Too much of it is hidden now: the polygon is that of an earlier picture."""


@dataclass(frozen=True, slots=True)
class Arena:
    """The loop on the table."""

    polygon_mm: Polygon
    """The middle of the string, corners in order, the last joined to the first; empty without a loop."""
    width_mm: float
    """The string's own width: so near to its middle, nothing is said to be inside or outside."""
    state: ArenaState
    unseen: tuple[bool, ...] = ()
    """For each corner whether the string was hidden there and its course is a guess; empty: all was seen."""
    colour: tuple[int, int, int] | None = None
    """Red, green, blue of the string as it shows in the picture."""
    confidence: float = 1.0

    def distance(self, x: float, y: float) -> float:
        """How far a point of the table is inside the loop (positive) or outside (negative), mm to the string's middle.

        Raises ValueError without a loop.
        """
        if len(self.polygon_mm) < 3:
            raise ValueError("there is no loop to be inside of")
        contour = np.asarray(self.polygon_mm, np.float32).reshape(-1, 1, 2)
        return float(cv2.pointPolygonTest(contour, (float(x), float(y)), measureDist=True))

    def inside(self, x: float, y: float, give_mm: float = 0.0) -> bool | None:
        """Whether a point is inside the loop; None where that can't be told: on the string or nearer to it than `give_mm` more
        than its own width, beside a hidden stretch of it, or where there is no loop or more than one."""
        if not self.is_one:
            return None
        off = self.distance(x, y)
        if abs(off) <= self.width_mm + give_mm or abs(off) <= self._doubt_at(x, y):
            return None
        return off > 0

    @property
    def is_one(self) -> bool:
        """Whether there is a loop, and only one."""
        return self.state in {ArenaState.FOUND, ArenaState.HELD}

    def _doubt_at(self, x: float, y: float) -> float:
        """How far off the string may be where it is nearest to a point, mm: more in the middle of a long hidden stretch."""
        if not any(self.unseen):
            return 0.0
        corners, unseen = np.asarray(self.polygon_mm), without_glimpses(self.unseen)
        nearest = int(np.argmin(np.hypot(corners[:, 0] - x, corners[:, 1] - y)))
        if not unseen[nearest]:
            return 0.0
        count, run = len(corners), 1
        for way in (1, -1):
            at = nearest
            while run < count and unseen[(at + way) % count]:
                at, run = at + way, run + 1
        share = _UNSEEN_SHARE if run < _MUCH_UNSEEN * count else _MUCH_UNSEEN_SHARE
        return max(share * run * _STEP_MM, _LEAST_DOUBT_MM)


_UNSEEN_SHARE = 0.13
"""A string that is hidden for so long may lie this share of the length off the guess."""
_MUCH_UNSEEN, _MUCH_UNSEEN_SHARE = 0.45, 0.3
"""And where nearly half of the loop is hidden in one stretch: the guess cuts short what may bulge as far as the rest does."""
_LEAST_DOUBT_MM = 8.0
"""Where even a short stretch is hidden: by a die that may lie on it."""
NO_ARENA = Arena((), 0.0, ArenaState.NONE, (), None, 0.0)


def find_arena(
    image: Image, pose: TablePose, hidden_mm: Sequence[Polygon] = (), dice_mm: Sequence[Polygon] = ()
) -> Arena:
    """The loop on the table. `hidden_mm`: what hands cover; `dice_mm`: outlines of dice as they show on the table's plane."""
    view = _View(image, pose, hidden_mm, dice_mm)
    loops = _loops(view)
    if not loops:
        return NO_ARENA
    state = ArenaState.FOUND if len(loops) == 1 else ArenaState.SEVERAL
    return view.arena(max(loops, key=lambda loop: loop.area), state)


def arena_at(
    image: Image,
    pose: TablePose,
    at_mm: tuple[float, float],
    hidden_mm: Sequence[Polygon] = (),
    dice_mm: Sequence[Polygon] = (),
) -> Arena:
    """The one loop that somebody points at: on its string, or anywhere inside of it; no arena where none is there."""
    view = _View(image, pose, hidden_mm, dice_mm)
    meant = _meant(_loops(view), view.px(np.array(at_mm)))
    return NO_ARENA if meant is None else view.arena(meant, ArenaState.FOUND)


def _meant(loops: Sequence[_Loop], at_px: Points) -> _Loop | None:
    """The loop on whose string a point lies, else the smallest one around it."""
    off = [
        cv2.pointPolygonTest(loop.points.astype(np.float32), (float(at_px[0]), float(at_px[1])), measureDist=True)
        for loop in loops
    ]
    tried = list(zip(off, loops, strict=True))
    near = min(tried, key=lambda each: abs(each[0]), default=None)
    if near is not None and abs(near[0]) <= _POINTED_MM * PX_PER_MM:
        return near[1]
    return min((loop for inside, loop in tried if inside > 0), key=lambda loop: loop.area, default=None)


_POINTED_MM = 7.0
"""A finger points no more precisely."""


class _View:
    """The table small, how much of a string shows at each place, and what hides the table."""

    def __init__(self, image: Image, pose: TablePose, hidden_mm: Sequence[Polygon], dice_mm: Sequence[Polygon]) -> None:
        width, height = pose.table_mm
        self.origin = np.array([-_MARGIN_MM, -_MARGIN_MM])
        area = (-_MARGIN_MM, -_MARGIN_MM, width + 2 * _MARGIN_MM, height + 2 * _MARGIN_MM)
        fine = pose.rectify(image, FINE_PX_PER_MM, area)
        self.fine = log_light(fine)
        self.fine_picture = fine
        small = cv2.resize(
            fine, None, fx=PX_PER_MM / FINE_PX_PER_MM, fy=PX_PER_MM / FINE_PX_PER_MM, interpolation=cv2.INTER_AREA
        )
        self.band, self.turn = bands(log_light(small.astype(np.uint8, copy=False)))
        self.shape = self.band.shape
        rim = np.ones((5, 5), np.uint8)
        self.hands = cv2.dilate(self.filled(hidden_mm), rim).astype(np.uint8, copy=False)
        self.by_hands = cv2.dilate(self.hands, _disc(_BY_HAND_MM)).astype(np.uint8, copy=False)
        self.dice = dice = cv2.dilate(self.filled(dice_mm), rim).astype(np.uint8, copy=False)
        self.by_dice = cv2.dilate(dice, _disc(_SHADOW_MM)).astype(np.uint8, copy=False)
        self.hidden = cv2.bitwise_or(self.hands, dice).astype(np.uint8, copy=False)
        markers = self.filled(marker_papers(pose.table_mm, _MARKER_RIM_MM))
        self.band[(markers > 0) | (dice > 0)] = 0
        clear = (markers == 0) & (self.hidden == 0)
        self.noise = float(np.median(self.band[clear])) if clear.any() else 1.0

    def px(self, points_mm: Points) -> Points:
        return np.asarray((points_mm - self.origin) * PX_PER_MM - 0.5)

    def mm(self, points_px: Points) -> Points:
        return np.asarray((points_px + 0.5) / PX_PER_MM + self.origin)

    def filled(self, areas_mm: Sequence[Polygon]) -> Mask:
        mask = np.zeros(self.shape, np.uint8)
        for area in areas_mm:
            cv2.fillPoly(mask, [np.rint(self.px(np.asarray(area, np.float64))).astype(np.int32)], 255)
        return mask

    def arena(self, loop: _Loop, state: ArenaState) -> Arena:
        """A loop's course at full sharpness."""
        points, seen = _sharpened(self, loop)
        width, colour = _string(self, points, seen)
        corners = tuple((round(float(x), 2), round(float(y), 2)) for x, y in self.mm(points))
        unseen = tuple(bool(not s) for s in seen)
        return Arena(corners, width, state, unseen if any(unseen) else (), colour, loop.borne_out)


@dataclass(frozen=True, slots=True, eq=False)
class _Loop:
    points: Points
    """Around the loop, px, a step apart."""
    seen: NDArray[np.bool_]
    """Where nothing hides it."""
    area: float
    borne_out: float
    share_seen: float
    one_colour: float
    """1 where all of it differs from the ground in one way, 0 where in every way."""
    strength: float
    """How much it differs, natural logarithm of light."""

    @property
    def plausible(self) -> bool:
        return self.borne_out >= LEAST_BORNE_OUT and self.one_colour >= LEAST_ONE_COLOUR

    @property
    def quality(self) -> float:
        """By what courses of one string are compared."""
        return self.borne_out * self.one_colour * (1 + self.share_seen) / 2


def _loops(view: _View) -> list[_Loop]:
    """Closed strings, the best borne out first. What closes only where dice lie on the string counts as well."""
    found: list[_Loop] = []
    for walls in (view.hands, view.hidden) if view.dice.any() else (view.hands,):
        for factor in _LEVELS:
            found += _closed(view, max(factor * view.noise, _LEAST_LEVEL), walls)
    strongest = max((loop.strength for loop in found if loop.plausible), default=0.0)
    kept: list[_Loop] = []
    for loop in sorted(found, key=lambda each: -each.quality):
        if not loop.plausible or loop.strength < _SECOND_LEVEL * strongest:
            continue
        if all(_apart(loop, other) for other in kept):
            whole = _carried_on(view, loop)
            kept += [whole] if whole.share_seen >= LEAST_SEEN else []
    return kept or _open_loops(view)


def _carried_on(view: _View, loop: _Loop) -> _Loop:
    """The loop followed into what is thought to be hidden, as far as its string shows."""
    tracer = Tracer(view.fine, FINE_PX_PER_MM)
    known = narrowed(loop.seen)
    # What shows for a moment beside a die, all else being hidden, may be its shadow: the course is not led by it.
    glimpses = known & np.asarray(without_glimpses([not shown for shown in known]), np.bool_)
    known &= ~(glimpses & _at(view.by_dice, loop.points))
    if known.all() or known.sum() < 12:
        return loop
    points, seen = carried_on(tracer, (loop.points + 0.5) / PX_PER_MM, known, _STEP_MM)
    course, seen = _evenly(bridged(points * PX_PER_MM - 0.5, seen), seen)
    area = float(cv2.contourArea(course.astype(np.float32)))
    return replace(loop, points=course, seen=seen, area=area, share_seen=float(seen.mean()))


def _open_loops(view: _View) -> list[_Loop]:
    """Strings that show as one long bend, of which a hand hides the rest that was not well told from the ground."""
    near_hands = cv2.dilate(view.hands, _disc(_HAND_REACH_MM)).astype(np.uint8, copy=False)
    for factor in _OPEN_LEVELS:
        level = max(factor * view.noise, _LEAST_LEVEL)
        for start, way, look in _strong_stretches(view, level):
            loop = None if look.strength < 2 * level else _bent_round(start, way, look, view)
            if loop is None:
                continue
            if loop.share_seen >= _NEARLY_CLOSED or _at(near_hands, loop.points[~loop.seen]).any():
                return [loop]
    return []


def _strong_stretches(view: _View, level: float) -> Iterator[tuple[Points, Points, StringLook]]:
    """Where the widest reaching bands show most strongly: a point, mm, the band's direction and look there."""
    tracer = Tracer(view.fine, FINE_PX_PER_MM)
    # A hand's rim is stronger than any string.
    bare = np.where(view.hidden > 0, np.float32(0), view.band)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(np.where(bare >= level, np.uint8(255), np.uint8(0)))
    extent = stats[:, cv2.CC_STAT_WIDTH] + stats[:, cv2.CC_STAT_HEIGHT]
    for number in sorted(range(1, count), key=lambda n: -float(extent[n]))[:_OPEN_TRIED]:
        strength = np.where(labels == number, bare, np.float32(0))
        row, column = np.unravel_index(int(np.argmax(strength)), strength.shape)
        normal = float(view.turn[row, column])
        way = np.array([-np.sin(normal), np.cos(normal)])
        start = (np.array([column, row], np.float64) + 0.5) / PX_PER_MM
        left, right = tracer.sides(start + np.arange(-6.0, 7.0)[:, None] * way, np.tile(way, (13, 1)))
        yield start, way, StringLook(np.median((left + right) / 2, axis=0))


_OPEN_LEVELS = (16.0, 4.0)
_OPEN_TRIED = 4
_NEARLY_CLOSED = 0.78
"""Share of a course that must show where no hand is known to hide the rest: fingers of the ground's colour are not seen."""
_HAND_REACH_MM = 40.0
"""So far from what is told of a hand the rest of it may lie."""
_LEAST_BEND = 200.0
"""Degrees by which what shows of an open loop must go round."""


def _bent_round(start: Points, way: Points, look: StringLook, view: _View) -> _Loop | None:
    """The loop of which the string through a point is a part; None where it does not go round far enough."""
    tracer = Tracer(view.fine, FINE_PX_PER_MM)
    ahead, closed = tracer.follow(start, way, look, start[None])
    behind = start[None] if closed >= 0 else tracer.follow(start, -way, look, ahead[-1:])[0]
    points = np.vstack([behind[::-1], ahead[1:]])
    along = np.diff(points, axis=0)
    turns = np.diff(np.unwrap(np.arctan2(along[:, 1], along[:, 0])))
    if len(points) < 40 or abs(np.degrees(turns.sum())) < _LEAST_BEND:
        return None
    gap = float(np.hypot(*(points[-1] - points[0])))
    count = int(1.15 * gap / STEP_MM)
    share = (np.arange(1, count + 1) / (count + 1))[:, None]
    whole = np.vstack([points, points[-1] * (1 - share) + points[0] * share])
    known = np.arange(len(whole)) < len(points)
    course, seen = _evenly(bridged(whole * PX_PER_MM - 0.5, known), known)
    area = float(cv2.contourArea(course.astype(np.float32)))
    if area < LEAST_AREA_MM2 or seen.mean() < LEAST_SEEN:
        return None
    return _Loop(course, seen, area, 1.0, float(seen.mean()), 1.0, look.strength)


def _apart(loop: _Loop, other: _Loop) -> bool:
    """Whether two loops are different strings: neither's middle course runs along the other's."""
    contour = other.points.astype(np.float32).reshape(-1, 1, 2)
    off = [abs(cv2.pointPolygonTest(contour, (float(x), float(y)), measureDist=True)) for x, y in loop.points[::3]]
    return float(np.median(off)) > 6.0 and float(np.mean(np.array(off) < 6.0)) < 0.35


def _closed(view: _View, level: float, walls: Mask) -> list[_Loop]:
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


def _loop_around(view: _View, inner: Mask, level: float) -> _Loop | None:
    """The loop whose inside this is: its outline, moved out to the middle of the band."""
    inner = cv2.morphologyEx(inner, cv2.MORPH_OPEN, _disc(4.0)).astype(np.uint8, copy=False)
    # A die beside the string, or its shadow, hangs together with it: the loop does not go around it.
    whole = cv2.morphologyEx(inner, cv2.MORPH_CLOSE, _disc(_DIE_MM)).astype(np.uint8, copy=False)
    inner |= whole & view.by_dice
    contours, _ = cv2.findContours(inner, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    contour = max(contours, key=cv2.contourArea).reshape(-1, 2).astype(np.float64)
    points = even(contour, _STEP_MM * PX_PER_MM)
    if len(points) < 20:
        return None
    strength, moved = _nearest_band(view, points)
    hidden = _at(view.hidden, points) | _at(view.hidden, moved)
    # Beside what hides it the string's middle is drawn toward the other's rim.
    # A string that a die lies on leads on under it: what goes round the two is the rim of the die's shadow.
    rim = detours(moved, _at(view.by_dice, moved), _DETOUR_MM * PX_PER_MM)
    borne = narrowed((strength >= level) & ~hidden) & ~rim
    # What the region runs along beside a hand may be the hand's own rim or shadow: it speaks neither for nor against.
    free = ~widened(hidden) & ~rim & ~_at(view.by_hands, points)
    counted = borne & free
    if borne.sum() < 10:
        return None
    course, seen = _evenly(bridged(moved, borne), borne)
    area = float(cv2.contourArea(course.astype(np.float32)))
    if area < LEAST_AREA_MM2:
        return None
    steps = _steps(view, moved[borne])
    # The strands of a twisted string are of two colours, by turns.
    steps = sum((np.roll(steps, shift, axis=0) for shift in range(-2, 3)), np.zeros_like(steps)) / 5
    one_colour = float(np.linalg.norm(steps.mean(axis=0)) / max(np.linalg.norm(steps, axis=1).mean(), 1e-6))
    borne_out = float(counted.sum() / max(free.sum(), 1))
    return _Loop(course, seen, area, borne_out, float(seen.mean()), one_colour, float(np.median(strength[borne])))


def _steps(view: _View, points: Points) -> Points:
    """How the string's middle differs from what lies on both its sides, N x 3."""
    scale = FINE_PX_PER_MM / PX_PER_MM
    normal = normals(points)
    at = np.array([-3.5, 0.0, 3.5]) * PX_PER_MM
    values = _sampled(view.fine, (points[:, None] + normal[:, None] * at[None, :, None] + 0.5) * scale - 0.5)
    return np.asarray(values[:, 1] - (values[:, 0] + values[:, 2]) / 2)


def _evenly(points: Points, known: NDArray[np.bool_]) -> tuple[Points, NDArray[np.bool_]]:
    """The course in even steps again, with what is known of it."""
    course = even(points, _STEP_MM * PX_PER_MM)
    nearest = np.linalg.norm(course[:, None] - points[None], axis=2).argmin(axis=1)
    return course, known[nearest]


def _disc(radius_mm: float) -> Mask:
    side = 2 * round(radius_mm * PX_PER_MM) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)


def _nearest_band(view: _View, points: Points) -> tuple[Points, Points]:
    """The strongest band near each point across the course, and where it is."""
    offsets = np.arange(-_REACH_MM, _REACH_MM + 0.1, 0.5) * PX_PER_MM
    grid = points[:, None] + normals(points)[:, None] * offsets[None, :, None]
    strengths = _sampled(view.band, grid)
    best = strengths.argmax(axis=1)
    rows = np.arange(len(points))
    return strengths[rows, best], grid[rows, best]


def _sampled(picture: Floats, grid: Points) -> Points:
    across, down = grid[..., 0].astype(np.float32), grid[..., 1].astype(np.float32)
    flat = cv2.remap(picture, across.reshape(len(across), -1), down.reshape(len(down), -1), cv2.INTER_LINEAR)
    return np.asarray(flat.reshape(*grid.shape[:-1], *picture.shape[2:]), np.float64)


def _at(mask: Mask, points: Points) -> NDArray[np.bool_]:
    height, width = mask.shape
    u = np.rint(points[:, 0]).astype(np.intp).clip(0, width - 1)
    v = np.rint(points[:, 1]).astype(np.intp).clip(0, height - 1)
    return np.asarray(mask[v, u] > 0)


def _sharpened(view: _View, loop: _Loop) -> tuple[Points, NDArray[np.bool_]]:
    """The course led along the middle of the string in the sharp picture, smooth, and where it was seen."""
    points, seen = loop.points, loop.seen
    scale = FINE_PX_PER_MM / PX_PER_MM
    for _ in range(2):
        offsets = np.arange(-3.0, 3.01, 0.25)
        normal = normals(points)
        grid = points[:, None] + normal[:, None] * (offsets * PX_PER_MM)[None, :, None]
        profile = _sampled(view.fine, (grid + 0.5) * scale - 0.5)
        profile = (np.roll(profile, 1, axis=0) + 2 * profile + np.roll(profile, -1, axis=0)) / 4
        strength = _profile_band(profile)
        at = _peak(strength, offsets)
        at = np.where(seen, at, 0.0)
        at = (np.roll(at, 1) + 2 * at + np.roll(at, -1)) / 4
        points = bridged(points + normal * (at * PX_PER_MM)[:, None], seen)
    return points, seen


def _profile_band(profile: Points) -> Points:
    """For profiles (N, M, 3) across the string, how like the middle of a band each place is, (N, M)."""
    best = np.zeros(profile.shape[:2])
    count = profile.shape[1]
    for reach in (6, 9):
        for i in range(count):
            left, right = max(i - reach, 0), min(i + reach, count - 1)
            near = profile[:, max(i - 2, 0) : i + 3].mean(axis=1)
            a, b = near - profile[:, left], near - profile[:, right]
            both = (a * b).sum(axis=1)
            value = np.sqrt(np.clip(np.minimum(np.minimum((a * a).sum(axis=1), (b * b).sum(axis=1)), both), 0, None))
            best[:, i] = np.maximum(best[:, i], value)
    return best


def _peak(strength: Points, offsets: Points) -> Points:
    """Where the profiles are strongest, the middle of what is nearly so."""
    top = strength.max(axis=1, keepdims=True)
    weight = np.clip(strength - 0.7 * top, 0, None)
    total = weight.sum(axis=1)
    return np.asarray(np.where(total > 1e-6, (weight * offsets).sum(axis=1) / np.maximum(total, 1e-6), 0.0))


def _string(view: _View, points: Points, seen: NDArray[np.bool_]) -> tuple[float, tuple[int, int, int] | None]:
    """The string's width, mm, and colour."""
    scale = FINE_PX_PER_MM / PX_PER_MM
    offsets = np.arange(-6.0, 6.01, 0.2)
    grid = points[:, None] + normals(points)[:, None] * (offsets * PX_PER_MM)[None, :, None]
    profile = np.median(_sampled(view.fine, (grid + 0.5) * scale - 0.5)[seen], axis=0)
    middle = profile[np.abs(offsets) < 0.5].mean(axis=0)
    ground = profile[np.abs(offsets) > 4.5].mean(axis=0)
    step = middle - ground
    share = ((profile - ground) @ step) / max(float(step @ step), 1e-9)
    wide = 0.0
    for way in (1, -1):
        side = share[offsets * way >= 0][::way]
        below = np.flatnonzero(side < 0.5)
        wide += float(below[0] if len(below) else len(side)) * 0.2
    colours = _sampled(view.fine_picture.astype(np.float32), (points[:, None] + 0.5) * scale - 0.5)[:, 0]
    blue, green, red = (round(float(value)) for value in np.median(colours[seen], axis=0))
    return float(np.clip(wide, 1.0, 8.0)), (red, green, blue)
