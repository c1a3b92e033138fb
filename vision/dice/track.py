"""Dice followed at the camera's rate: thrown, touched down, settled, pushed, taken up, hidden.

The tracker knows the empty table and each die's colour. It reads no symbols: what lies on top is read from a settled, larger
picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from vision.arena import Arena
from vision.dice.eye import eye_of
from vision.dice.solids import LYING_AREA
from vision.dice.track_blobs import Blob, Strangers, find_blobs
from vision.dice.track_colour import FOREIGN, Ground, Mask, Palette
from vision.dice.track_flight import Place
from vision.dice.track_past import Past
from vision.dice.track_still import Look, Looks, moved_px, rest_of, same_face
from vision.dice.track_task import TouchTask
from vision.dice.track_touch import Touch, TouchJudge, TrackedDie
from vision.frame import Image
from vision.table import TablePose

__all__ = ["DiceEvent", "DiceEventKind", "DiceTracker", "DieState", "Touch", "TouchTask", "TrackedDie"]

NOISE_MM = 0.15
"""Spread of a die's place from picture to picture."""
SAME_COLOUR = 24.0
"""Grey levels by which dice's colours differ at least, to be told apart by them."""
_TOUCHED_NOISE = 2.0
"""How much worse a place is known beside which there is a hand."""
_GATE_MM = 30.0
_SPEED_GATE = 2500.0
"""mm a second: a die out of sight for a moment may have gone so far."""
_LEFT_REST_MM = 1.3
_LEAST_MOVED_PX = 0.7
_LOST_S = 0.25
_FLIGHT_S = 0.5
"""So much of a way since a die came into sight is searched for its first touch."""
_LEAST_AHEAD = 8
"""Places of a throw by which something can be worked out ahead."""
_SAME_FACE = 0.72
_EXTRA_FRAMES = 6
_STANDS_NS = 1_500_000_000
"""A die does not stand on an edge for longer."""
_SHOWN_STILL_NS, _HIDDEN_NS = 40_000_000, 1_000_000_000
"""A die that lies still so soon after it came into sight may have done so before, since it was last in sight or for so long."""
_COVERED = 0.25
_GONE = 0.15


class DieState(StrEnum):
    """What a die is doing."""

    AWAY = "away"
    """Not on the table, as far as can be seen: in a hand, or beside it."""
    MOVING = "moving"
    DECIDING = "deciding"
    """It has settled, and where it first touched is being worked out (`DiceTracker.tasks`)."""
    SETTLED = "settled"
    LEANING = "leaning"
    """It lies still, with something at its side that may hold it: it has not settled."""
    HIDDEN = "hidden"
    """Something covers it; where it lay is all that is known."""


class DiceEventKind(StrEnum):
    """What happened to a die."""

    APPEARED = "appeared"
    SETTLED = "settled"
    """After a throw, or lying there when it was first seen. DECIDED follows."""
    DECIDED = "decided"
    """Where the throw that settled first touched: `touch`, None where that was not in sight."""
    UNSETTLED = "unsettled"
    """It had come to a stand, on an edge perhaps, and went on by itself: what was told of its rest is withdrawn."""
    PUSHED = "pushed"
    """It slid and shows the same face: no roll."""
    TIPPED = "tipped"
    """It left its rest in plain sight and shows another face, or may: no throw was seen."""
    TAKEN_UP = "taken-up"
    HIDDEN = "hidden"
    SHOWN = "shown"
    """It lies as it did before it was hidden."""
    LOST = "lost"
    """It went out of sight while it moved."""
    THIRD_DIE = "third-die"
    """More dice of this colour than are enrolled; of no enrolled colour where the die's name is empty."""


_UNSETTLED = frozenset({DieState.MOVING, DieState.LEANING})


@dataclass(frozen=True, slots=True)
class DiceEvent:
    """Something that happened to a die."""

    kind: DiceEventKind
    die: str
    t_ns: int
    """When it happened, which may be some frames before it is told."""
    t_err_ns: int
    x_mm: float | None = None
    y_mm: float | None = None
    touch: Touch | None = None
    """Of a throw that was DECIDED."""
    on_string: bool = False
    """It lies on the string, at least in part."""


@dataclass(slots=True)
class _Track:
    die: TrackedDie
    looks: Looks
    state: DieState = DieState.AWAY
    x: float = 0.0
    y: float = 0.0
    seen_ns: int = 0
    way: list[Place] = field(default_factory=list)
    start_ns: int = 0
    shown_ns: int = 0
    """When it came into sight last."""
    gone_ns: int = 0
    """When it was seen last before that."""
    rest: Look | None = None
    rest_mm: tuple[float, float] | None = None
    from_table: bool = False
    """Its present movement began from its rest, and not from a hand."""
    left_rest: int = 0
    thrown_ns: int = 0
    """When the throw settled by which it lies where it does."""
    handled: bool = False
    """A hand was beside it since, or it lay there from the first."""
    hidden_since_ns: int = 0
    task: int | None = None
    """By which its last throw's first touch is being worked out."""


class DiceTracker:
    """Follows dice over a table that was seen empty. Feed it every picture, in order.

    What takes longer than a picture is handed out: take `tasks()` after each `feed`, run them beside it (`TouchTask.run`, in
    another thread or process), and give what comes of them to `decided`. Who has the time calls `decide()` instead.
    """

    def __init__(
        self,
        pose: TablePose,
        ground: Ground,
        dice: Sequence[TrackedDie],
        arena: Arena | None = None,
        noise_mm: float = NOISE_MM,
    ) -> None:
        """`ground`: the empty table in pictures of the size that will be fed. Raises ValueError for no dice."""
        if not dice:
            raise ValueError("there is no die to follow")
        height, width = ground.mean.shape[:2]
        self.arena = arena
        self._pose, self._ground = pose, ground
        self._eye = eye_of(pose, width, height)
        middle = (pose.table_mm[0] / 2, pose.table_mm[1] / 2)
        ends = pose.to_px([middle, (middle[0] + 1.0, middle[1])])
        self._px_per_mm = float(np.linalg.norm(ends[1] - ends[0]))
        self._judge = TouchJudge(pose, self._eye, 1 / self._px_per_mm)
        self._noise_mm = max(noise_mm, 0.15 / self._px_per_mm)
        self._groups = _by_colour(dice)
        self._palette = Palette(ground, [group[0].bgr for group in self._groups])
        self._tracks = {die.name: _Track(die, Looks(self._reach_px(die), self._px_per_mm)) for die in dice}
        self._extra = [0] * len(self._groups)
        usual = float(np.mean([die.size_mm for die in dice]))
        self._strangers = Strangers(LYING_AREA * (usual * self._px_per_mm) ** 2)
        self._knocks: list[tuple[float, float]] = []
        self._tasks: list[TouchTask] = []
        self._tasks_made = 0
        self._deciding: dict[int, DiceEvent] = {}
        """What was told of the rest of each throw whose first touch is open, by its task's number."""
        self._changed = np.zeros((height, width), np.uint8)
        self._past = Past(self._px_per_mm)

    def state(self, die: str) -> DieState:
        """What a die is doing now. Raises KeyError for one that is not followed."""
        track = self._tracks[die]
        deciding = track.state is DieState.SETTLED and track.task in self._deciding
        return DieState.DECIDING if deciding else track.state

    def place(self, die: str) -> tuple[float, float] | None:
        """Where its middle stands, mm; None while it is away."""
        track = self._tracks[die]
        return None if track.state is DieState.AWAY else (track.x, track.y)

    def knock(self, t_ns: int, err_ns: int) -> None:
        """Something knocked on the table, as a sensor felt it; told before the die settles, it makes its touch sharper."""
        self._knocks.append((t_ns / 1e9, err_ns / 1e9))
        del self._knocks[:-64]

    def tasks(self) -> list[TouchTask]:
        """The throws that have settled since this was last asked, each to be worked out and told to `decided`."""
        taken, self._tasks = self._tasks, []
        return taken

    def ahead(self) -> list[TouchTask]:
        """The throws that still go on, as far as they have been seen: whoever works a task out ahead, and keeps what came of it
        (`vision.dice.track_known`), is sooner done with the throw's own. Nothing is told of it."""
        thrown = [track for track in self._tracks.values() if track.state in _UNSETTLED and not track.from_table]
        return [self._task(track, 0, track.seen_ns) for track in thrown if len(track.way) >= _LEAST_AHEAD]

    def decided(self, number: int, touch: Touch | None) -> list[DiceEvent]:
        """Takes what came of a task. Nothing is told where the die's rest was withdrawn since."""
        settled = self._deciding.pop(number, None)
        return [] if settled is None else [replace(settled, kind=DiceEventKind.DECIDED, touch=touch)]

    def decide(self) -> list[DiceEvent]:
        """Works out here and now what is to be worked out."""
        return [event for task in self.tasks() for event in self.decided(task.number, task.run())]

    def feed(self, image: Image, t_ns: int) -> list[DiceEvent]:
        """Looks at a picture taken at this time; what it shows to have happened."""
        labels, self._changed = self._palette.labels(image)
        events: list[DiceEvent] = []
        for number, group in enumerate(self._groups):
            size = max(die.size_mm for die in group)
            blobs = find_blobs(labels, number + 1, LYING_AREA * (size * self._px_per_mm) ** 2)
            tracks = [self._tracks[die.name] for die in group]
            taken, extra = self._assigned(tracks, blobs, t_ns)
            events += self._third(number, group[0], extra, t_ns)
            for track, blob in zip(tracks, taken, strict=True):
                events += self._follow(track, blob, image, labels, t_ns)
        for blob in self._strangers.look(labels, FOREIGN):
            x, y = self._pose.to_mm([(blob.u, blob.v)])[0]
            events.append(DiceEvent(DiceEventKind.THIRD_DIE, "", t_ns, 0, float(x), float(y)))
        self._past.keep(t_ns, labels, self._changed)
        return events

    # Which spot is which die

    def _assigned(
        self, tracks: Sequence[_Track], blobs: Sequence[Blob], t_ns: int
    ) -> tuple[list[Blob | None], list[Blob]]:
        left = list(blobs)
        taken: list[Blob | None] = [None] * len(tracks)
        known = [n for n, track in enumerate(tracks) if track.state is not DieState.AWAY]
        pairs = sorted(
            ((self._apart(tracks[n], blob), n, m) for n in known for m, blob in enumerate(left)),
            key=lambda pair: pair[0],
        )
        used: set[int] = set()
        for apart, n, m in pairs:
            gate = _GATE_MM + _SPEED_GATE * min((t_ns - tracks[n].seen_ns) / 1e9, _LOST_S)
            if taken[n] is None and m not in used and apart <= gate:
                taken[n] = left[m]
                used.add(m)
        free = [blob for m, blob in enumerate(left) if m not in used]
        # What comes out of a hand begins where nothing touches it any more.
        for n, track in enumerate(tracks):
            clear = [blob for blob in free if blob.whole]
            if track.state is DieState.AWAY and clear:
                taken[n] = max(clear, key=lambda blob: (not blob.touched, blob.area))
                free.remove(taken[n])  # type: ignore[arg-type]
            held = taken[n]
            free_ones = [blob for blob in clear if not blob.touched]
            if track.state in _UNSETTLED and held is not None and (held.touched or not held.whole) and free_ones:
                # What was followed so far is a part of a hand: the die lies free.
                taken[n] = free_ones[0]
                free.remove(free_ones[0])
                track.state = DieState.AWAY
        return taken, [blob for blob in free if blob.whole and not blob.touched]

    def _apart(self, track: _Track, blob: Blob) -> float:
        x, y = self._stands(track.die, blob)
        return float(np.hypot(x - track.x, y - track.y))

    def _third(self, number: int, die: TrackedDie, extra: Sequence[Blob], t_ns: int) -> list[DiceEvent]:
        self._extra[number] = self._extra[number] + 1 if extra else 0
        if self._extra[number] != _EXTRA_FRAMES:
            return []
        x, y = self._stands(die, extra[0])
        return [DiceEvent(DiceEventKind.THIRD_DIE, die.name, t_ns, 0, x, y)]

    # One die

    def _follow(self, track: _Track, blob: Blob | None, image: Image, labels: Mask, t_ns: int) -> list[DiceEvent]:
        if blob is None:
            return self._unseen(track, image, labels, t_ns)
        place = self._stands(track.die, blob)
        before_ns, track.seen_ns = track.seen_ns, t_ns
        match track.state:
            case DieState.SETTLED | DieState.HIDDEN:
                return self._resting(track, blob, place, image, labels, t_ns)
            case DieState.AWAY:
                track.state, track.start_ns, track.from_table = DieState.MOVING, t_ns, False
                track.shown_ns, track.gone_ns = t_ns, before_ns
                gap = t_ns - before_ns
                track.way.clear()
                track.looks.clear()
                self._step(track, blob, place, image, labels, t_ns)
                return [DiceEvent(DiceEventKind.APPEARED, track.die.name, t_ns, gap if gap < 10**9 else 0, *place)]
            case _:
                if before_ns < (self._past.last_ns or 0):
                    track.shown_ns, track.gone_ns = t_ns, before_ns
                self._step(track, blob, place, image, labels, t_ns)
                return self._settling(track, blob, image)

    def _step(
        self, track: _Track, blob: Blob, place: tuple[float, float], image: Image, labels: Mask, t_ns: int
    ) -> None:
        track.x, track.y = place
        track.looks.keep(image, (blob.u, blob.v), t_ns, labels, self._number(track), self._changed)
        if blob.whole and (t_ns - track.start_ns) / 1e9 <= _FLIGHT_S:
            x, y = self._pose.to_mm([(blob.u, blob.v)])[0]
            noise = self._noise_mm * (_TOUCHED_NOISE if blob.touched else 1.0)
            by_hand, peeped = self._by_hand(track, blob, labels), self._peeped(track, blob, t_ns)
            track.way.append(Place(t_ns / 1e9, float(x), float(y), noise, by_hand, peeped))

    def _settling(self, track: _Track, blob: Blob, image: Image) -> list[DiceEvent]:
        since = track.looks.still_since((blob.u, blob.v), blob.hull)
        if since is None:
            track.state = DieState.MOVING
            return []
        if blob.touched:
            track.state = DieState.LEANING
            return []
        before, after = since
        if after - track.shown_ns < _SHOWN_STILL_NS:
            # It came to rest while something hid it, or as it came out.
            before = min(before, max(track.gone_ns, track.shown_ns - _HIDDEN_NS))
        settled_ns = (before + after) // 2
        track.state = DieState.SETTLED
        was, track.rest = track.rest, rest_of(image, (blob.u, blob.v), self._reach_px(track.die))
        track.rest_mm, track.left_rest = (track.x, track.y), 0
        if track.from_table and was is not None:
            alike = same_face(was.part, track.rest.part)
            kind = DiceEventKind.PUSHED if alike >= _SAME_FACE else DiceEventKind.TIPPED
            return [self._event(kind, track, settled_ns, after - before)]
        track.thrown_ns, track.handled = settled_ns, settled_ns <= track.start_ns
        settled = self._event(DiceEventKind.SETTLED, track, settled_ns, after - before)
        self._hand_out(track, settled)
        return [settled]

    def _hand_out(self, track: _Track, settled: DiceEvent) -> None:
        """Makes a task of the throw that has settled."""
        self._tasks_made += 1
        track.task = self._tasks_made
        self._deciding[track.task] = settled
        self._tasks.append(self._task(track, track.task, settled.t_ns))

    def _task(self, track: _Track, number: int, settled_ns: int) -> TouchTask:
        """All that was seen of a throw."""
        height, width = self._ground.mean.shape[:2]
        # Of the pictures those of its rest tell nothing of its way.
        times = {round(place.t_s * 1e9) for place in track.way}
        return TouchTask(
            number=number,
            die=track.die,
            settled_ns=settled_ns,
            way=tuple(track.way),
            looks=tuple(look for look in track.looks.kept() if look.t_ns in times),
            judge=self._judge,
            arena=self.arena,
            noise_mm=self._noise_mm,
            size_px=(width, height),
            knocks=tuple(self._knocks),
            alone=len(self._tracks) == 1,
        )

    def _resting(
        self, track: _Track, blob: Blob, place: tuple[float, float], image: Image, labels: Mask, t_ns: int
    ) -> list[DiceEvent]:
        was_hidden = track.state is DieState.HIDDEN
        track.handled |= was_hidden or blob.touched
        if blob.touched:
            # A hand beside it hides a part: its middle can't be told well.
            return []
        x, y = track.rest_mm or place
        if np.hypot(place[0] - x, place[1] - y) <= _LEFT_REST_MM:
            track.left_rest = 0
            track.state = DieState.SETTLED
            return [self._event(DiceEventKind.SHOWN, track, t_ns, t_ns - track.hidden_since_ns)] if was_hidden else []
        if track.rest is not None and moved_px(track.rest, image, self._ground.noise) < _LEAST_MOVED_PX:
            # Its shadow passed for its colour: what shows there has not moved.
            track.left_rest = 0
            return []
        track.left_rest += 1
        if track.left_rest < 2:
            return []
        track.state = DieState.MOVING
        if t_ns - track.thrown_ns < _STANDS_NS and not track.handled:
            self._withdraw(track)
            self._step(track, blob, place, image, labels, t_ns)
            return [self._event(DiceEventKind.UNSETTLED, track, t_ns, 0)]
        track.start_ns, track.from_table = t_ns, True
        track.way.clear()
        track.looks.clear()
        self._step(track, blob, place, image, labels, t_ns)
        return []

    def _withdraw(self, track: _Track) -> None:
        """Asks no more where its last throw touched."""
        self._tasks = [task for task in self._tasks if task.number != track.task]
        if track.task is not None:
            self._deciding.pop(track.task, None)

    def _unseen(self, track: _Track, image: Image, labels: Mask, t_ns: int) -> list[DiceEvent]:
        match track.state:
            case DieState.SETTLED | DieState.HIDDEN | DieState.LEANING if track.rest is not None:
                track.handled = True
                return self._covered(track, track.rest, image, labels, t_ns)
            case DieState.MOVING | DieState.LEANING if (t_ns - track.seen_ns) / 1e9 > _LOST_S:
                track.state = DieState.AWAY
                return [self._event(DiceEventKind.LOST, track, track.seen_ns, t_ns - track.seen_ns)]
            case _:
                return []

    def _covered(self, track: _Track, rest: Look, image: Image, labels: Mask, t_ns: int) -> list[DiceEvent]:
        """What became of a die at rest that shows no more: covered, or taken away."""
        part = labels[rest.top : rest.top + rest.part.shape[0], rest.left : rest.left + rest.part.shape[1]]
        if track.state is not DieState.HIDDEN and moved_px(rest, image, self._ground.noise) < 1.0:
            return []
        if float((part != 0).mean()) < _GONE:
            since = track.hidden_since_ns if track.state is DieState.HIDDEN else track.seen_ns
            track.state = DieState.AWAY
            event = self._event(DiceEventKind.TAKEN_UP, track, since, t_ns - since)
            track.rest = track.rest_mm = None
            return [event]
        if track.state is DieState.HIDDEN or float((part == FOREIGN).mean()) < _COVERED:
            return []
        track.state, track.hidden_since_ns = DieState.HIDDEN, track.seen_ns
        return [self._event(DiceEventKind.HIDDEN, track, track.seen_ns, t_ns - track.seen_ns)]

    def _event(self, kind: DiceEventKind, track: _Track, t_ns: int, err_ns: int) -> DiceEvent:
        on_string = False
        if self.arena is not None and len(self.arena.polygon_mm) >= 3:
            reach = self.arena.width_mm / 2 + track.die.size_mm / 2
            on_string = abs(self.arena.distance(track.x, track.y)) < reach
        return DiceEvent(kind, track.die.name, t_ns, err_ns, track.x, track.y, on_string=on_string)

    def _peeped(self, track: _Track, blob: Blob, t_ns: int) -> float:
        """For how long a part of it showed where it came whole into sight just now, s; 0 where it was in sight."""
        last_ns = self._past.last_ns
        if last_ns is None or (track.way and track.way[-1].t_s >= last_ns / 1e9):
            return 0.0
        return self._past.peeped_s(blob, self._number(track), self._usual_area(track.die), t_ns)

    def _by_hand(self, track: _Track, blob: Blob, labels: Mask) -> bool:
        if self._past.beside(blob, self._usual_area(track.die), labels, self._changed):
            return True
        return not track.way and self._past.was_beside(blob, self._number(track))

    def _usual_area(self, die: TrackedDie) -> float:
        """What a lying die's outline covers, px^2."""
        return LYING_AREA * (die.size_mm * self._px_per_mm) ** 2

    def _stands(self, die: TrackedDie, blob: Blob) -> tuple[float, float]:
        """Where a lying die stands that shows here."""
        x, y = self._pose.to_mm([(blob.u, blob.v)])[0]
        return self._eye.foot(float(x), float(y), die.size_mm / 2)

    def _number(self, track: _Track) -> int:
        """The label of its colour."""
        return next(n for n, group in enumerate(self._groups, 1) if track.die in group)

    def _reach_px(self, die: TrackedDie) -> int:
        return max(6, round(0.85 * die.size_mm * self._px_per_mm))


def _by_colour(dice: Sequence[TrackedDie]) -> list[list[TrackedDie]]:
    """Dice whose colours can't be told apart share a label."""
    groups: list[list[TrackedDie]] = []
    for die in dice:
        for group in groups:
            if float(np.linalg.norm(np.subtract(die.bgr, group[0].bgr))) < SAME_COLOUR:
                group.append(die)
                break
        else:
            groups.append([die])
    return groups
