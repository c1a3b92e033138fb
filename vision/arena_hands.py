"""Hands over the Arena, picture by picture: whose, how fast they close in on each other, whether they are raised, who closed in.

The contact pad says when two hands touched, never who touched whom; that is told here from the last 150 ms before it. What the
pictures do not tell is said to be unknown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.eye import eye_of
from vision.dice.track_colour import Ground
from vision.frame import Image
from vision.hand_shape import HandCutter, HandShape
from vision.observation import Point, Polygon
from vision.table import TablePose

Floats = NDArray[np.float64]

WINDOW_NS = 150_000_000
"""What counts as "just before a touch"."""
CLOSED_MM = 25.0
"""A hand that came so far toward the other within the window closed in."""
KEPT_MM = 8.0
"""One that came less far did not."""
_SLIGHT = 6.0
"""One that drifted a little did not either where the other came so many times as far ..."""
_DRIFT_MM = 16.0
"""... and it drifted no farther than this."""
_STILL_MM = 2.0
_LATEST_NS = 100_000_000
"""Hands that have overlapped in the picture for longer do not tell any more who closed in."""
_SPEED_NS = 50_000_000
_LEAST_PLACES = 4
_FRONT_NOISE_MM = 1.0
USUAL_HEIGHT_MM = (45.0, 30.0)
"""Of a hand over the Arena, and its spread: what is higher shows faster than it is."""
_EVEN_MM = 1.0
"""A hand's front lies so near to an even way."""
_BENDS_SHARE = 0.25
"""Of how much its pace changed over the last few pictures, by which it may have changed otherwise than evenly."""
_GATE_MM = 90.0
_FASTEST = 4000.0
"""mm a second."""
_LOST_NS = 150_000_000
_KEPT_NS = 600_000_000
_OUTWARD_MM = 260.0
"""From where an arm comes in over the border, back to where its player sits."""
_SURE_SEAT = 1.35
"""By how many times the next seat must be farther off."""
_MOSTLY = 0.7
_RAISED = 1.13
"""A hand that shows so many times as large as one that was busy on the table is raised ..."""
_NOT_RAISED = 1.06
"""... and one that shows less than this is not."""
_SHADE_RAISED = 1.7
_SHADE_NOT_RAISED = 1.3
_SIZES = 9
_BESIDE_MM = 6.0
_OLD = 12
"""Pictures in which a hand was seen."""


class Closing(StrEnum):
    """Which of two hands moved into the other."""

    ONE = "one"
    OTHER = "other"
    BOTH = "both"
    NEITHER = "neither"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a player sits."""

    name: str
    x_mm: float
    """Of the player's place at the table's edge or beyond, in the table frame."""
    y_mm: float


@dataclass(frozen=True, slots=True)
class ArenaHand:
    """A hand in a picture."""

    number: int
    """The same hand keeps it from picture to picture."""
    seat: str | None
    """Whose; None where it comes in between two seats."""
    t_ns: int
    hand_mm: Polygon
    """Fingers and palm, to the wrist: what may be touched. As of the last picture in which it was apart from other hands."""
    forearm_mm: Polygon
    """What is no fair target; empty where the wrist is not in the picture."""
    palm_mm: Point
    front_mm: Point
    """Middle of the foremost part."""
    speed: float | None = None
    """Toward the nearest hand of another seat, mm a second; None without one or with too few pictures."""
    speed_err: float | None = None
    """Standard deviation of it."""
    raised: bool | None = None
    """Lifted off the table in defence; None where size and shadow don't tell."""
    overlaps: bool = False
    """It lies over or under another hand in this picture."""


@dataclass(frozen=True, slots=True)
class _Sample:
    t_ns: int
    front: Point
    palm: Point


@dataclass(slots=True)
class _Track:
    number: int
    samples: deque[_Sample] = field(default_factory=lambda: deque(maxlen=128))
    votes: dict[str | None, int] = field(default_factory=dict)
    sizes: deque[tuple[float, float | None]] = field(default_factory=lambda: deque(maxlen=_SIZES))
    seen_ns: int = 0
    overlaps: bool = False
    shape: HandShape | None = None
    entry: Point = (0.0, 0.0)

    def seat(self) -> str | None:
        total = sum(self.votes.values())
        best = max(self.votes, key=lambda name: self.votes[name], default=None)
        return best if best is not None and self.votes[best] >= _MOSTLY * total else None

    def place(self, t_ns: int) -> Floats:
        """Where its front is, by the way it went."""
        last = self.samples[-1]
        front = np.array(last.front)
        if len(self.samples) < 3:
            return front
        before = self.samples[-3]
        late = min(t_ns - last.t_ns, _LOST_NS) / max(last.t_ns - before.t_ns, 1)
        return np.asarray(front + late * (front - np.array(before.front)))


class ArenaHands:
    """Follows hands over a table that was seen empty. Feed it every picture, in order."""

    def __init__(self, pose: TablePose, ground: Ground, seats: Sequence[Seat]) -> None:
        """Raises ValueError for no seats."""
        if not seats:
            raise ValueError("there is no seat that a hand may belong to")
        self._cutter = HandCutter(pose, ground)
        height, width = ground.mean.shape[:2]
        self._height = eye_of(pose, width, height).height
        self._seats = tuple(seats)
        self._tracks: list[_Track] = []
        self._next = 0
        self._low: dict[str, tuple[float, float | None]] = {}

    def feed(self, image: Image, t_ns: int) -> list[ArenaHand]:
        """Looks at a picture taken at this time; the hands in it, in the order in which they came in."""
        known = [(track.entry, track.shape.front) for track in self._tracks if track.shape and not track.overlaps]
        shapes = self._cutter.cut(image, known)
        self._tracks = [track for track in self._tracks if t_ns - track.seen_ns <= _KEPT_NS]
        merged = [shape for shape in shapes if shape.arms > 1]
        self._overlapped(merged, t_ns)
        single = [shape for shape in shapes if shape.arms <= 1 and not self._of_two(shape, t_ns)]
        self._matched(single, t_ns)
        live = [track for track in self._tracks if track.seen_ns == t_ns and track.shape is not None]
        return [self._told(track, live, t_ns) for track in live]

    def at_table(self, seat: str) -> None:
        """Says that this seat's hand is busy on the table now (it takes up a die): how large it shows there is kept."""
        track = self._of(seat)
        if track is not None and track.sizes:
            self._low[seat] = _typical(track.sizes)

    def closing(self, one: str, other: str, t_ns: int) -> Closing:
        """Which of two seats' hands moved into the other's within WINDOW_NS before a moment at which they touched."""
        first, second = self._of(one), self._of(other)
        if first is None or second is None:
            return Closing.UNSURE
        ways = [[s for s in track.samples if t_ns - WINDOW_NS <= s.t_ns <= t_ns] for track in (first, second)]
        if any(len(way) < _LEAST_PLACES or t_ns - way[-1].t_ns > _LATEST_NS for way in ways):
            return Closing.UNSURE
        toward = np.subtract(ways[1][-1].palm, ways[0][-1].palm)
        apart = float(np.linalg.norm(toward))
        if apart < 1e-6:
            return Closing.UNSURE
        came = [_came(way, sign * toward / apart, t_ns) for way, sign in zip(ways, (1.0, -1.0), strict=True)]
        return _who(*came)

    def _of(self, seat: str) -> _Track | None:
        """A seat's only hand; None where it has none or two."""
        mine = [track for track in self._tracks if track.seat() == seat and track.samples]
        latest = max((track.seen_ns for track in mine), default=0)
        mine = [track for track in mine if latest - track.seen_ns < _LOST_NS]
        # What came only now may be a part of the first, or a second hand that did nothing yet.
        old = [track for track in mine if len(track.samples) >= _OLD]
        return mine[0] if len(mine) == 1 else old[0] if len(old) == 1 else None

    # Which shape is which hand

    def _overlapped(self, merged: Sequence[HandShape], t_ns: int) -> None:
        """Hands that hang together in the picture are followed no farther; their arms say that they are there."""
        for shape in merged:
            for entry in shape.entries:
                near = [track for track in self._tracks if t_ns - track.seen_ns <= _LOST_NS and track.seen_ns != t_ns]
                track = min(near, key=lambda track: _apart(track.entry, entry), default=None)
                if track is not None and _apart(track.entry, entry) < _GATE_MM:
                    track.seen_ns, track.overlaps, track.entry = t_ns, True, entry

    def _of_two(self, shape: HandShape, t_ns: int) -> bool:
        """Whether two hands that were apart hang together in this, one of them by a sleeve that can't be told from the table."""
        both = []
        for track in self._tracks:
            if track.seen_ns != t_ns and t_ns - track.seen_ns <= _LOST_NS and track.samples and len(track.samples) >= 3:
                front = track.place(t_ns)
                palm = np.array(track.samples[-1].palm) + front - np.array(track.samples[-1].front)
                if any(_within(shape, place) for place in (front, palm)):
                    both.append(track)
        if len(both) < 2 or len({track.seat() for track in both}) < 2:
            return False
        for track in both:
            track.seen_ns, track.overlaps = t_ns, True
        return True

    def _matched(self, shapes: Sequence[HandShape], t_ns: int) -> None:
        pairs = sorted(
            (
                (float(np.hypot(*(track.place(t_ns) - np.array(shape.front)))), n, m)
                for n, track in enumerate(self._tracks)
                if track.seen_ns != t_ns and track.samples
                for m, shape in enumerate(shapes)
            ),
            key=lambda pair: pair[0],
        )
        taken: set[int] = set()
        for away, n, m in pairs:
            track = self._tracks[n]
            gate = _GATE_MM + _FASTEST * min(t_ns - track.seen_ns, _LOST_NS) / 1e9
            if m not in taken and track.seen_ns != t_ns and away <= gate and self._may_be(track, shapes[m]):
                taken.add(m)
                self._seen(track, shapes[m], t_ns)
        for m, shape in enumerate(shapes):
            if m not in taken:
                track = _Track(self._next)
                self._next += 1
                self._tracks.append(track)
                self._seen(track, shape, t_ns)

    def _may_be(self, track: _Track, shape: HandShape) -> bool:
        seat = self._seat(shape)
        return seat is None or track.seat() in {None, seat}

    def _seen(self, track: _Track, shape: HandShape, t_ns: int) -> None:
        if track.overlaps:
            # What it did while it was hidden is not known.
            track.samples.clear()
            track.overlaps = False
        track.seen_ns, track.shape, track.entry = t_ns, shape, shape.entry
        track.samples.append(_Sample(t_ns, shape.front, shape.palm))
        if shape.palm_radius is not None:
            track.sizes.append((shape.palm_radius, shape.shadow_mm))
        if shape.arms:
            seat = self._seat(shape)
            track.votes[seat] = track.votes.get(seat, 0) + 1

    def _seat(self, shape: HandShape) -> str | None:
        """Whose arm comes from there."""
        x = shape.entry[0] + _OUTWARD_MM * shape.outward[0]
        y = shape.entry[1] + _OUTWARD_MM * shape.outward[1]
        away = sorted((float(np.hypot(seat.x_mm - x, seat.y_mm - y)), seat.name) for seat in self._seats)
        if len(away) > 1 and away[1][0] < _SURE_SEAT * away[0][0]:
            return None
        return away[0][1]

    # What is told of it

    def _told(self, track: _Track, live: Sequence[_Track], t_ns: int) -> ArenaHand:
        shape = track.shape
        if shape is None:
            raise ValueError("a hand without a shape was never seen")
        speed, err = self._speed(track, live, t_ns)
        return ArenaHand(
            track.number,
            track.seat(),
            t_ns,
            shape.hand,
            shape.forearm,
            shape.palm,
            shape.front,
            speed,
            err,
            self._raised(track),
            track.overlaps,
        )

    def _speed(self, track: _Track, live: Sequence[_Track], t_ns: int) -> tuple[float | None, float | None]:
        others = [o for o in live if o is not track and o.shape is not None and o.seat() != track.seat()]
        way = [s for s in track.samples if t_ns - s.t_ns <= _SPEED_NS]
        if not others or len(way) < _LEAST_PLACES or track.overlaps:
            return None, None
        here = np.array(way[-1].palm)
        there = min((np.array(o.shape.palm) for o in others if o.shape), key=lambda p: float(np.hypot(*(p - here))))
        apart = float(np.linalg.norm(there - here))
        if apart < 1.0:
            return None, None
        t = np.array([s.t_ns for s in way]) / 1e9
        came = np.array([s.front for s in way]) @ ((there - here) / apart)
        slope, noise = _slope(t - t[-1], came)
        lower, spread = (part / self._height if np.isfinite(self._height) else 0.0 for part in USUAL_HEIGHT_MM)
        err = float(np.hypot(noise, spread * slope))
        return slope * (1 - lower), err

    def _raised(self, track: _Track) -> bool | None:
        """By how large it shows and how far its shadow falls, beside what they were when it was busy on the table."""
        low = self._low.get(track.seat() or "")
        if low is None or len(track.sizes) < _SIZES or track.shape is None or track.shape.palm_radius is None:
            return None
        size, shade = _typical(track.sizes)
        by_size = _beyond(size / max(low[0], 1e-6), _RAISED, _NOT_RAISED)
        by_shade = None
        if shade is not None and low[1] is not None:
            by_shade = _beyond(shade / max(low[1], 1.0), _SHADE_RAISED, _SHADE_NOT_RAISED)
        if by_size is None or by_shade is None:
            return by_size if by_shade is None else by_shade
        return by_size if by_size == by_shade else None


def _slope(t: Floats, came: Floats) -> tuple[float, float]:
    """The pace at the end of a way (t = 0) and its standard deviation: by as many of its last places as lie on a line, or by the
    bend of the last of them."""
    for count in range(len(t), _LEAST_PLACES - 1, -1):
        slope, err, off = _fitted(t[-count:], came[-count:], 1)
        if off <= _EVEN_MM:
            return slope, err
    slope, err, _ = _fitted(t[-_LEAST_PLACES:], came[-_LEAST_PLACES:], 2)
    began = float(came[1 - _LEAST_PLACES] - came[-_LEAST_PLACES]) / float(t[1 - _LEAST_PLACES] - t[-_LEAST_PLACES])
    return slope, float(np.hypot(err, _BENDS_SHARE * (slope - began)))


def _fitted(t: Floats, came: Floats, degree: int) -> tuple[float, float, float]:
    """Pace at t = 0, its standard deviation, and how far the places lie off the curve, mm, root mean square."""
    terms = np.stack([t**n for n in range(degree + 1)], axis=1)
    normal = np.linalg.inv(terms.T @ terms)
    answer = normal @ (terms.T @ came)
    left = came - terms @ answer
    off = float(np.sqrt((left**2).sum() / max(len(t) - degree - 1, 1)))
    return float(answer[1]), max(off, _FRONT_NOISE_MM) * float(np.sqrt(normal[1, 1])), off


def _came(way: Sequence[_Sample], toward: Floats, t_ns: int) -> tuple[float, float]:
    """How far a hand came toward the other, from where it was farthest off to the touch; and how much of that it came after it
    was last seen apart, at the pace that it had then."""
    along = np.array([sample.front for sample in way]) @ toward
    pace = float(along[-1] - along[-2]) / max(way[-1].t_ns - way[-2].t_ns, 1)
    unseen = max(pace, 0.0) * (t_ns - way[-1].t_ns)
    return max(float(along[-1] - np.sort(along)[:2].mean()), 0.0) + unseen, unseen


def _who(first: tuple[float, float], second: tuple[float, float]) -> Closing:
    """By how far, mm, each came, and how much of it unseen."""
    states = []
    one, other = first[0], second[0]
    for mine, its in ((one, other), (other, one)):
        if mine >= CLOSED_MM:
            states.append(True)
        elif mine <= KEPT_MM or (mine <= _DRIFT_MM and its >= _SLIGHT * mine):
            states.append(False)
        else:
            return Closing.UNSURE
    match states:
        case [True, True]:
            return Closing.BOTH
        case [True, False]:
            return Closing.ONE
        case [False, True]:
            return Closing.OTHER
        case _:
            # Hands in motion that came no way worth the name were seen too short a time.
            return Closing.NEITHER if max(first[1], second[1]) < _STILL_MM else Closing.UNSURE


def _typical(sizes: Sequence[tuple[float, float | None]]) -> tuple[float, float | None]:
    shades = [shade for _, shade in sizes if shade is not None]
    shade = float(np.median(shades)) if len(shades) > len(sizes) / 2 else None
    return float(np.median([size for size, _ in sizes])), shade


def _beyond(share: float, high: float, low: float) -> bool | None:
    if share >= high:
        return True
    return False if share <= low else None


def _within(shape: HandShape, place: Floats) -> bool:
    """Whether a place lies in a shape, or right beside it."""
    return any(
        cv2.pointPolygonTest(np.asarray(area, np.float32), (float(place[0]), float(place[1])), True) > -_BESIDE_MM
        for area in (shape.hand, shape.forearm)
        if len(area) >= 3
    )


def _apart(one: Point, other: Point) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))
