"""What is worked out beside the Arena's eyes: the most urgent first, in time or not at all, and no process left waiting."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion.rules.hoshi_battle.facts import Face
from companion.service import arena_beside
from companion.service.arena_beside import InAProcess, TopAsked, Tops, TouchAsked, TouchTold, _Line, work_out_touches
from vision.dice.track_known import Known

PATIENCE_S = 10.0


@dataclass
class Task:
    """A throw that is worked out as it is told."""

    die: Any
    number: int
    settled_ns: int
    way: tuple[Any, ...]
    run: Any


def asked(
    die: str, number: int, settled_ns: int = 0, begun_s: float = 0.0, *, is_ahead: bool = False, run: Any = None
) -> Any:
    task = Task(
        SimpleNamespace(name=die), number, settled_ns, (SimpleNamespace(t_s=begun_s),), run or (lambda _known: None)
    )
    return TouchAsked(1, task, is_ahead)  # type: ignore[arg-type]


def worked_out(line: _Line, most: int = 20) -> list[int]:
    """The numbers of what was told, in the order of telling."""
    told: list[TouchTold] = []
    work_out_touches(line, told.append, lambda: len(told) >= most or not line.asked)
    return [each.number for each in told]


def test_throws_that_are_over_come_before_those_that_go_on_and_each_dies_last_before_its_others() -> None:
    line = _Line()
    for each in (
        asked("a", 0, begun_s=3.0, is_ahead=True),
        asked("a", 1, settled_ns=1),
        asked("b", 2, settled_ns=2),
        asked("a", 3, settled_ns=3),
    ):
        line.put(each)
    assert worked_out(line) == [2, 3, 1]


def test_of_a_throw_that_goes_on_only_what_was_seen_last_is_worked_out_ahead() -> None:
    line = _Line()
    runs: list[int] = []
    for n in range(3):
        line.put(asked("a", 0, is_ahead=True, run=lambda _known, n=n: runs.append(n)))
    line.put(asked("a", 7, run=lambda _known: runs.append(7)))
    assert worked_out(line) == [7]
    assert runs == [7]


def test_what_is_worked_out_ahead_makes_room_and_is_remembered() -> None:
    line = _Line()
    told: list[TouchTold] = []
    remembered: list[Known] = []

    def ahead(known: Known) -> None:
        remembered.append(known)
        known.of("first", lambda: 1)
        line.put(asked("b", 5, run=lambda _known: line.put(asked("a", 6, begun_s=1.0, run=own))))
        known.of("second", lambda: 2)
        pytest.fail("it went on although a throw that is over waits")

    def own(known: Known) -> None:
        remembered.append(known)

    line.put(asked("a", 0, begun_s=1.0, is_ahead=True, run=ahead))
    work_out_touches(line, told.append, lambda: len(told) == 2)
    assert [each.number for each in told] == [5, 6]
    assert remembered[0] is remembered[1]


def test_a_touch_that_comes_too_late_is_told_as_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_beside, "TOO_LATE_S", -1.0)
    line = _Line()
    told: list[TouchTold] = []
    line.put(asked("a", 4, run=lambda _known: pytest.fail("nobody waits for it")))
    work_out_touches(line, told.append, lambda: bool(told))
    assert told == [TouchTold(1, 4, None)]


def test_a_throw_that_can_not_be_worked_out_ends_nothing() -> None:
    line = _Line()

    def fails(_known: Known) -> None:
        raise ValueError("a picture that nobody thought of")

    line.put(asked("a", 1, run=fails))
    line.put(asked("b", 2))
    assert worked_out(line) == [1, 2]


def test_asking_waits_for_nobody_and_a_process_that_ended_is_noticed() -> None:
    mine, its = Pipe()
    beside: InAProcess[bytes, str] = InAProcess(mine)
    began = time.monotonic()
    for _ in range(40):
        beside.ask(b"x" * 200_000)  # far more than a pipe holds
    assert time.monotonic() - began < 1.0
    its.send("told")
    until = time.monotonic() + PATIENCE_S
    told: list[str] = []
    while not told and time.monotonic() < until:
        told = beside.told()
    assert told == ["told"]
    assert not beside.is_lost
    its.close()
    while not beside.is_lost and time.monotonic() < until:
        beside.told()
    assert beside.is_lost


def test_the_process_ends_with_its_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_beside, "_begin", lambda _parent: None)
    mine, its = Pipe()
    thread = threading.Thread(target=arena_beside.run_touches, args=(None, its, 0), daemon=True)
    thread.start()
    _ask(mine, asked_by_pipe())
    assert mine.poll(PATIENCE_S)
    assert mine.recv() == TouchTold(1, 9, None)
    mine.close()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()


class Nothing:
    """A throw of which nothing can be told; it pickles."""

    number, settled_ns = 9, 0
    die = SimpleNamespace(name="a")
    way = (SimpleNamespace(t_s=0.0),)

    def run(self, _known: Known) -> None:
        """Nothing."""


def asked_by_pipe() -> TouchAsked:
    return TouchAsked(1, Nothing())  # type: ignore[arg-type]


def _ask(pipe: Connection, what: TouchAsked) -> None:
    pipe.send(what)


def test_a_picture_without_its_markers_tells_no_top_and_the_next_one_is_asked() -> None:
    tops = Tops.__new__(Tops)
    tops._pose, tops._stills, tops._table_mm = None, None, (420.0, 250.0)
    told = tops.read(TopAsked(1, "a", 5, 200.0, 100.0, 7, np.zeros((720, 1280, 3), np.uint8)))
    assert (told.die, told.rest_ns, told.face) == ("a", 5, Face.UNKNOWN)
