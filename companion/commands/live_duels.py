"""Duels of the virtual table as a service has them, in real time: how long it takes from a touch to its ruling on the page.

Every process and picture is there: the camera at 60 pictures a second, the eyes and what works beside them, pad, desk, journal,
and a viewer that reads the page's stream. While dice roll the film goes at its own pace; between the rounds, where nothing is
ruled, as fast as it can be seen.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import struct
import tempfile
import threading
import time
import urllib.request
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.commands.table import virtual_session
from companion.journal import Journal
from companion.service.duel_run import DuelRun
from companion.service.session import open_desk
from companion.service.touching import PadEars
from companion.virtual.battle_arena import ARENA_FPS, directed
from companion.virtual.faults import faults_at_hand
from companion.virtual.table import VirtualTable
from companion.web.server import PageServer
from hardware.camera.base import Camera, CameraFactory, Shot

MS = 1000
BEFORE_US, AFTER_US = 1500 * MS, 2500 * MS
"""The film goes at its own pace from so long before play begins until so long after a round."""
LATE_MS = 250.0
"""A ruling is to be on the page within this of its touch."""
SEATS = ("Ami", "Ben")
_PICTURE = struct.Struct("<qq?")
Span = tuple[int, int]


@dataclass(slots=True)
class LiveTally:
    """How long rulings took, and how they came out, over games."""

    games: int = 0
    right: int = 0
    questions: int = 0
    wrong: int = 0
    untold: int = 0
    waited_ms: list[float] = field(default_factory=list)
    """From each touch to its ruling on the page."""
    asked_ms: list[float] = field(default_factory=list)
    """Of those the ones that came out as a question."""
    missing: int = 0
    """Touches whose ruling never came to the page."""
    pictures: int = 0
    seconds: float = 0.0
    """In which those were handed out while dice rolled."""
    slow: list[float] = field(default_factory=list)
    why: Counter[str] = field(default_factory=Counter)
    went_wrong: list[dict[str, Any]] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    """Of the machine, while each game went on: how many processes wanted a core."""

    def to_json(self) -> dict[str, Any]:
        """One JSON line."""
        return {
            "set": "live",
            "games": self.games,
            "touches": len(self.waited_ms),
            "right": self.right,
            "questions": self.questions,
            "wrong": self.wrong,
            "untold": self.untold,
            "missing": self.missing,
            "why": dict(self.why.most_common()),
            "ms_median": _at(self.waited_ms, 50),
            "ms_90": _at(self.waited_ms, 90),
            "ms_99": _at(self.waited_ms, 99),
            "ms_worst": _at(self.waited_ms, 100),
            "within_250_ms": round(float(np.mean(np.array(self.waited_ms) <= LATE_MS)), 4) if self.waited_ms else None,
            "pictures_a_second": round(self.pictures / self.seconds, 1) if self.seconds else None,
            "cores": os.cpu_count(),
            "load": [round(load, 1) for load in self.load],
            **({"went_wrong": self.went_wrong} if self.went_wrong else {}),
        }


def live(touches: int, first: int) -> Iterator[LiveTally]:
    """Whole games from a seed on, until there were so many touches; the tally after each."""
    tally = LiveTally()
    seed = first
    while len(tally.waited_ms) < touches:
        table = VirtualTable("hoshi-battle", seed, SEATS, mischief=(0, 60, 120)[seed % 3], short=True)
        with tempfile.TemporaryDirectory(prefix="hoshiban-live-") as folder:
            _play(table, Path(folder), tally)
        tally.games += 1
        tally.load.append(os.getloadavg()[0])
        seed += 1
        yield tally


def _play(table: VirtualTable, folder: Path, tally: LiveTally) -> None:
    """One game."""
    spans = [(bout.begin_us - BEFORE_US, bout.end_us + AFTER_US) for bout in directed(table).line.bouts]
    shown, seen = folder / "pictures", folder / "rulings"
    with ExitStack() as stack:
        faults = stack.enter_context(faults_at_hand(has_pad=True))
        journal = stack.enter_context(Journal.open(folder / "journal.db"))
        session = virtual_session(table, {}, speed=1.0, faults=faults)
        factory = partial(_open_paced, session.factory, tuple(spans), str(shown))
        session = replace(session, factory=factory, pace_s=0.0)
        desk, session, _ = open_desk(journal, session, announce=_unheard, warn=_unheard, resume=False)
        if not isinstance(desk, DuelDesk) or faults.pad_port is None:
            raise TypeError("no duel is played there")
        server = PageServer(desk, port=0)
        server.start()
        stack.callback(server.close)
        viewer = multiprocessing.get_context("spawn").Process(target=_watch, args=(server.url, str(seen)), daemon=True)
        viewer.start()
        stack.callback(viewer.terminate)
        duel = DuelRun(session, desk, faults.pad)
        with PadEars(faults.pad_port, desk, journal, duel.senses.pad, duel.senses.pad_alive):
            duel.run(_unheard, threading.Event())
        rulings = duel.table.rulings if duel.table is not None else None
        touches = desk.touches
        time.sleep(1.0)
    if rulings is not None:
        tally.right += rulings.right
        tally.questions += rulings.questions
        tally.wrong += rulings.wrong
        tally.untold += rulings.untold
        tally.why += rulings.why
        tally.went_wrong += rulings.went_wrong
    _count(_pictures(shown), _told(seen), touches, tally)


def _count(
    pictures: list[tuple[int, int, bool]],
    told: dict[str, int],
    touches: tuple[Mapping[str, Any], ...],
    tally: LiveTally,
) -> None:
    """From when each touch was in front of the camera to when its ruling was on the page."""
    times = [t_ns for t_ns, _, _ in pictures]
    for touch in touches:
        at_ns = touch["at_us"] * 1000
        after = bisect_left(times, at_ns)
        if touch["key"] not in told or after >= len(times):
            tally.missing += 1
            continue
        touched_ns = pictures[after][1] - (times[after] - at_ns)
        tally.waited_ms.append((told[touch["key"]] - touched_ns) / 1e6)
    for (_, before_ns, was_paced), (_, now_ns, is_paced) in pairwise(pictures):
        if was_paced and is_paced:
            tally.pictures += 1
            tally.seconds += (now_ns - before_ns) / 1e9


def _at(values: list[float], percentile: float) -> float | None:
    return round(float(np.percentile(values, percentile)), 1) if values else None


def _unheard(_said: object) -> None:
    """Nobody listens."""


# -- in the capture process -----------------------------------------------------------------------------------------------


class _PacedCamera:
    """A virtual camera that keeps its pace while dice roll, and writes down when it handed out each picture."""

    resumes = True

    def __init__(self, camera: Camera, spans: tuple[Span, ...], path: str) -> None:
        self._camera, self._spans = camera, spans
        self.name, self.time_kind, self.recorded = camera.name, camera.time_kind, camera.recorded
        self._written = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._last: tuple[int, bool] | None = None
        self._due_s = 0.0

    def read(self) -> Shot | None:
        """The next picture, once it is due."""
        if self._last is not None:
            # What was handed out before lies in front of the eyes by now.
            os.write(self._written, _PICTURE.pack(self._last[0], time.monotonic_ns(), self._last[1]))
        shot = self._camera.read()
        if shot is None:
            return None
        is_paced = any(since_us <= shot.t_ns // 1000 <= until_us for since_us, until_us in self._spans)
        now_s = time.monotonic()
        if is_paced and self._due_s > now_s:
            time.sleep(self._due_s - now_s)
        # A camera that is late does not make up for it.
        self._due_s = max(self._due_s, now_s - 1.0 / ARENA_FPS) + 1.0 / ARENA_FPS
        self._last = shot.t_ns, is_paced
        return shot

    def close(self) -> None:
        """Lets it go."""
        self._camera.close()
        os.close(self._written)


def _open_paced(factory: CameraFactory, spans: tuple[Span, ...], path: str) -> Camera:
    return _PacedCamera(factory(), spans, path)


def _pictures(path: Path) -> list[tuple[int, int, bool]]:
    """Of each picture its own time, when it was handed out, ns, and whether at its own pace."""
    data = path.read_bytes()
    return [*_PICTURE.iter_unpack(data[: len(data) // _PICTURE.size * _PICTURE.size])]


# -- in the viewer's process ------------------------------------------------------------------------------------------------


def _watch(url: str, path: str) -> None:
    """Reads the page's stream and writes down when each touch's ruling was first in it."""
    known: set[str] = set()
    with (
        suppress(OSError),
        urllib.request.urlopen(f"{url.rstrip('/')}/events", timeout=30) as stream,
        Path(path).open("a") as file,
    ):
        for line in stream:
            if not line.startswith(b"data:"):
                continue
            now_ns = time.monotonic_ns()
            said = json.loads(line[5:])
            for touch in said.get("touches", ()) if isinstance(said, dict) else ():  # a beat is no view
                if touch["key"] not in known:
                    known.add(touch["key"])
                    file.write(json.dumps([touch["key"], now_ns]) + "\n")
                    file.flush()


def _told(path: Path) -> dict[str, int]:
    """When each touch's ruling was first on the page, ns."""
    if not path.exists():
        return {}
    return dict(map(json.loads, path.read_text("utf-8").splitlines()))
