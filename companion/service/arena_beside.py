"""What takes longer than a picture is worked out beside the Arena's eyes: where throws first touched, what lies on top of dice.

Each has a process of its own, which the service starts with the eyes, so that neither waits for the other and no picture for
either. Whoever sees a film at its own pace works both out at once instead.
"""

from __future__ import annotations

import logging
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import cv2

from companion.rules.hoshi_battle.facts import Face
from hardware.process import die_with_parent
from vision.dice.enrolled import enrol_die
from vision.dice.reader import DiceReader
from vision.dice.track import Touch, TouchTask
from vision.dice.track_known import Known
from vision.errors import VisionError
from vision.frame import Image
from vision.table import TablePose, locate_table

log = logging.getLogger("companion.service.arena")

AskedT_contra = TypeVar("AskedT_contra", contravariant=True)
AnyAskedT = TypeVar("AnyAskedT")
AnyToldT = TypeVar("AnyToldT")

TOO_LATE_S = 1.5
"""A first touch that is not worked out so long after it was asked for is told as unsure: nobody waits longer."""
KEPT_THROWS = 8
"""Of so many throws is remembered what was worked out ahead."""
SWITCH_S = 0.001
"""What comes in is taken from the pipe so soon, however busy the process is."""


class Stills(Protocol):
    """Larger pictures of the same moments."""

    def at(self, t_ns: int) -> Image | None:
        """The picture taken at a picture's time; None where there is none."""


@dataclass(frozen=True, slots=True)
class ArenaConfig:
    """What the processes over the Arena must know. Passes between processes."""

    table_mm: tuple[float, float]
    colours: tuple[Mapping[int, tuple[int, int, int]], Mapping[int, tuple[int, int, int]]]
    """Of the dice of the left and of the right chair, by their sides: blue, green, red."""
    die_mm: float
    symbols: str
    """The directory of the dice's enrolled faces."""
    stills: Callable[[], Stills] | None = None
    """Makes larger pictures where the camera's own are small; it pickles."""
    source: str = "arena"
    is_live: bool = False
    """Pictures come in their own time: what takes longer than one is worked out beside the eyes."""


# -- what is asked, and what comes of it -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class TouchAsked:
    """Where did this throw first touch?"""

    table: int
    """Counts how often the table was learned anew: throws are numbered within it."""
    task: TouchTask
    is_ahead: bool = False
    """It goes on still: nothing is told of it."""


@dataclass(frozen=True, slots=True)
class TouchTold:
    """Where a throw first touched; None where that was not in sight, or was not worked out in time."""

    table: int
    number: int
    touch: Touch | None


@dataclass(frozen=True, slots=True, eq=False)
class TopAsked:
    """What lies on top of this die?"""

    table: int
    die: str
    rest_ns: int
    """When it came to rest: of that rest the top is told."""
    x_mm: float
    y_mm: float
    t_ns: int
    """Of the picture."""
    large: Image | None
    """None where larger pictures are made."""


@dataclass(frozen=True, slots=True)
class TopTold:
    """What lies on top; UNKNOWN where that can't be read in this picture."""

    table: int
    die: str
    rest_ns: int
    face: Face


class Beside(Protocol[AskedT_contra, AnyToldT]):
    """Where something is worked out."""

    @property
    def works_ahead(self) -> bool:
        """Whether there is time to work out what may not be asked."""

    @property
    def is_lost(self) -> bool:
        """Whether nothing comes any more."""

    def ask(self, asked: AskedT_contra) -> None:
        """Gives something to be worked out. Does not wait for it."""

    def told(self) -> list[AnyToldT]:
        """What was worked out since this was last asked."""


@dataclass(slots=True)
class AtOnce(Generic[AnyAskedT, AnyToldT]):
    """Works everything out when it is asked."""

    work_out: Callable[[AnyAskedT], AnyToldT]
    works_ahead: bool = False
    is_lost: bool = False
    _told: list[AnyToldT] = field(default_factory=list)

    def ask(self, asked: AnyAskedT) -> None:
        """Works it out."""
        self._told.append(self.work_out(asked))

    def told(self) -> list[AnyToldT]:
        """What was worked out since this was last asked."""
        told, self._told = self._told, []
        return told


class InAProcess(Generic[AnyAskedT, AnyToldT]):
    """Hands everything to a process at the other end of a pipe. A full pipe holds up nobody."""

    works_ahead = True

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._asked: queue.SimpleQueue[AnyAskedT] = queue.SimpleQueue()
        self._is_lost = False
        threading.Thread(target=self._send, name="asks", daemon=True).start()

    @property
    def is_lost(self) -> bool:
        """Whether the process has ended."""
        return self._is_lost

    def ask(self, asked: AnyAskedT) -> None:
        """Puts it in line for the process."""
        self._asked.put(asked)

    def told(self) -> list[AnyToldT]:
        """What the process has told since this was last asked."""
        found: list[AnyToldT] = []
        try:
            while self._pipe.poll():
                found.append(self._pipe.recv())
        except (EOFError, OSError, pickle.UnpicklingError):
            self._is_lost = True
        return found

    def _send(self) -> None:
        with suppress(OSError):
            while True:
                self._pipe.send(self._asked.get())
        self._is_lost = True


# -- where throws first touched -----------------------------------------------------------------------------------------------


def touch_of(asked: TouchAsked) -> TouchTold:
    """Works a throw's first touch out."""
    return TouchTold(asked.table, asked.task.number, asked.task.run())


class _MoreUrgentError(Exception):
    """What is being worked out has to wait."""


@dataclass(slots=True)
class _Line:
    """What waits to be worked out, of all throws."""

    asked: list[tuple[TouchAsked, float]] = field(default_factory=list)
    """With the moment when it came, s; in order."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    came: threading.Event = field(default_factory=threading.Event)

    def put(self, asked: TouchAsked) -> None:
        """Something comes in; of a throw that goes on only what was seen last counts."""
        with self.lock:
            self.asked = [each for each in self.asked if not (each[0].is_ahead and _throw(each[0]) == _throw(asked))]
            self.asked.append((asked, time.monotonic()))
            self.came.set()

    def next(self) -> tuple[TouchAsked, float] | None:
        """What is most urgent; None where nothing waits."""
        with self.lock:
            if not self.asked:
                self.came.clear()
                return None
            chosen = min(self.asked, key=self._urgency)
            self.asked.remove(chosen)
            return chosen

    def is_urgent_beside(self, asked: TouchAsked) -> bool:
        """Whether a throw that is over waits while one that goes on is worked out ahead."""
        with self.lock:
            return asked.is_ahead and any(not other.is_ahead for other, _ in self.asked)

    def _urgency(self, one: tuple[TouchAsked, float]) -> tuple[bool, bool, float]:
        """Throws that are over come first, and of those the last of each die."""
        asked, at_s = one
        is_past = any(
            other is not asked
            and other.task.die.name == asked.task.die.name
            and other.task.settled_ns > asked.task.settled_ns
            for other, _ in self.asked
        )
        return asked.is_ahead, is_past, at_s


def _throw(asked: TouchAsked) -> tuple[int, str, float]:
    """Names a throw by where its way begins."""
    return asked.table, asked.task.die.name, asked.task.way[0].t_s


def work_out_touches(line: _Line, tell: Callable[[TouchTold], None], is_over: Callable[[], bool]) -> None:
    """Works out what comes in until `is_over`: throws that are over first, those that go on ahead in what time there is."""
    known: dict[tuple[int, str, float], Known] = {}
    while not is_over():
        chosen = line.next()
        if chosen is None:
            line.came.wait(0.2)
            continue
        asked, came_s = chosen
        if not asked.is_ahead and time.monotonic() - came_s > TOO_LATE_S:
            tell(TouchTold(asked.table, asked.task.number, None))
            continue
        mine = known.setdefault(_throw(asked), Known())
        mine.before_each = _breaks_off(line, asked)
        try:
            touch = asked.task.run(mine)
        except _MoreUrgentError:
            continue  # the next picture of it asks again, or the throw's end does
        except Exception:
            # As in the eyes: one throw must not end a duel.
            log.exception("a first touch could not be worked out")
            touch = None
        if not asked.is_ahead:
            tell(TouchTold(asked.table, asked.task.number, touch))
        while len(known) > KEPT_THROWS:
            del known[next(iter(known))]


def _breaks_off(line: _Line, asked: TouchAsked) -> Callable[[], None]:
    def look() -> None:
        if line.is_urgent_beside(asked):
            raise _MoreUrgentError

    return look


def run_touches(_config: ArenaConfig, pipe: Connection, parent_pid: int) -> None:
    """Entry point of the process that works out where throws first touched; ends with the eyes, and with the service."""
    _begin(parent_pid)
    line = _Line()
    ended = threading.Event()
    _listen(pipe, line.put, ended)
    with suppress(OSError):
        work_out_touches(line, pipe.send, ended.is_set)


# -- what lies on top ---------------------------------------------------------------------------------------------------------


class Tops:
    """Reads what lies on top of dice at rest, in larger pictures."""

    def __init__(self, config: ArenaConfig) -> None:
        """Raises VisionError where the dice's faces can't be used."""
        self._reader = DiceReader([enrol_die(Path(config.symbols), "dice")])
        self._stills = config.stills() if config.stills is not None else None
        self._table_mm = config.table_mm
        self._pose: tuple[int, TablePose] | None = None
        """Of the table as it was learned last."""

    def read(self, asked: TopAsked) -> TopTold:
        """What lies on top of a die."""
        large = asked.large
        if large is None and self._stills is not None:
            large = self._stills.at(asked.t_ns)
        face = Face.UNKNOWN
        try:
            face = face if large is None else self._face(large, asked)
        except VisionError as error:
            log.debug("a top could not be read: %s", error)  # a hand over a marker: the next picture shows more
        return TopTold(asked.table, asked.die, asked.rest_ns, face)

    def _face(self, large: Image, asked: TopAsked) -> Face:
        if self._pose is None or self._pose[0] != asked.table:
            self._pose = asked.table, locate_table(large, self._table_mm)
        found = self._reader.read_top(large, self._pose[1], asked.x_mm, asked.y_mm)
        return Face(found.symbol) if found is not None and found.symbol in set(Face) else Face.UNKNOWN


def run_tops(config: ArenaConfig, pipe: Connection, parent_pid: int) -> None:
    """Entry point of the process that reads tops; ends with the eyes, and with the service."""
    _begin(parent_pid)
    tops = Tops(config)
    asked: queue.SimpleQueue[TopAsked] = queue.SimpleQueue()
    ended = threading.Event()
    _listen(pipe, asked.put, ended)
    with suppress(OSError):
        while not ended.is_set():
            with suppress(queue.Empty):
                pipe.send(tops.read(asked.get(timeout=0.2)))


BESIDE = (run_touches, run_tops)
"""The processes beside the eyes, in the order of the eyes' pipes."""


def _begin(parent_pid: int) -> None:
    die_with_parent(parent_pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the service ends us in order
    cv2.setNumThreads(1)
    sys.setswitchinterval(SWITCH_S)


def _listen(pipe: Connection, put: Callable[[Any], None], ended: threading.Event) -> None:
    """Takes in what comes through a pipe, in a thread; the eyes have ended where it does."""

    def take() -> None:
        with suppress(EOFError, OSError):
            while True:
                put(pipe.recv())
        ended.set()

    threading.Thread(target=take, name="asked", daemon=True).start()
