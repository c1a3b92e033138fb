"""What the Arena's eyes ask beside them: tops of dice at rest, each until it is told, and never of a rest that is no more."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.duel.reports import DieNews, DieReport
from companion.rules.hoshi_battle.facts import Face
from companion.service.arena_beside import ArenaConfig, TopAsked, TopTold
from companion.service.arena_eyes import READ_EACH, READ_TRIES, ArenaWatch, Heard
from companion.virtual.battle_writing import write_symbols
from vision.dice.track import DiceEvent, DiceEventKind

IMAGE = np.zeros((360, 640, 3), np.uint8)
REST_NS = 1_000_000_000


@dataclass
class Beside:
    """Keeps what it is asked; the test answers."""

    works_ahead: bool = True
    is_lost: bool = False
    asked: list[Any] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)

    def ask(self, asked: Any) -> None:
        self.asked.append(asked)

    def told(self) -> list[Any]:
        told, self.answers = self.answers, []
        return told


@dataclass
class Watched:
    """A die that the eyes follow, without pictures."""

    watch: ArenaWatch
    tops: Beside

    def happens(self, kind: DiceEventKind, t_ns: int = REST_NS) -> None:
        event = DiceEvent(kind, "A/0", t_ns, 0, 200.0, 100.0)
        assert self.watch._dice_ears is not None
        self.watch._dice_ears.hear(event)
        self.watch._expect_top(event)

    def pictures(self, count: int) -> None:
        for _ in range(count):
            self.watch._ask_tops(IMAGE, 0)

    def answer(self, face: Face) -> None:
        asked: TopAsked = self.tops.asked[-1]
        self.tops.answers.append(TopTold(asked.table, asked.die, asked.rest_ns, face))
        self.watch._hear_beside()

    def read(self) -> list[tuple[int, Face | None]]:
        """The throws of which a face was told."""
        entries = [values[0] for name, values in self.watch._mouth.calls if name == "tell"]
        reports = [entry.report for entry in entries if isinstance(entry.report, DieReport)]
        return [(report.throw, report.face) for report in reports if report.news is DieNews.READ]


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    from companion.duel.hearing import DiceHearing

    write_symbols(tmp_path)
    said: list[Heard] = []
    tops = Beside()
    config = ArenaConfig((420.0, 250.0), ({}, {}), 17.0, str(tmp_path))
    watch = ArenaWatch(config, said.append, Beside(), tops)  # type: ignore[arg-type]
    watch._names = {"A/0": ("A", 0, 10)}
    watch._dice_ears = DiceHearing(watch._mouth, watch._names)
    return Watched(watch, tops)


def test_a_top_is_asked_once_at_a_time_until_it_is_read(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(3 * READ_EACH)
    assert len(watched.tops.asked) == 1
    watched.answer(Face.UNKNOWN)
    watched.pictures(1)
    assert len(watched.tops.asked) == 2
    assert watched.read() == []
    watched.answer(Face.STRIKE)
    watched.pictures(3 * READ_EACH)
    assert watched.read() == [(1, Face.STRIKE)]
    assert len(watched.tops.asked) == 2


def test_a_top_that_is_never_read_is_told_as_such_in_the_end(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    for _ in range(READ_TRIES + 3):
        watched.pictures(READ_EACH)
        if watched.read():
            break
        watched.answer(Face.UNKNOWN)
    assert watched.read() == [(1, Face.UNKNOWN)]
    assert len(watched.tops.asked) == READ_TRIES + 1


def test_of_a_rest_that_was_withdrawn_no_top_is_told(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(1)
    watched.happens(DiceEventKind.UNSETTLED, REST_NS + 1)
    watched.happens(DiceEventKind.SETTLED, REST_NS + 5)
    watched.answer(Face.STRIKE)
    assert watched.read() == []
    watched.pictures(1)
    watched.answer(Face.BLANK)
    assert watched.read() == [(1, Face.BLANK)]


def test_a_die_that_was_taken_up_is_told_by_what_was_asked_before(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(1)
    watched.happens(DiceEventKind.TAKEN_UP, REST_NS + 5)
    watched.pictures(3 * READ_EACH)
    assert watched.read() == []
    watched.answer(Face.STRIKE)
    assert watched.read() == [(1, Face.STRIKE)]


def test_a_die_that_was_taken_up_unread_is_told_as_unread_at_once(watched: Watched) -> None:
    """Nobody waits for what can't come any more."""
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(1)
    watched.happens(DiceEventKind.TAKEN_UP, REST_NS + 5)
    watched.answer(Face.UNKNOWN)
    watched.pictures(1)
    assert watched.read() == [(1, Face.UNKNOWN)]
    assert len(watched.tops.asked) == 1


def test_a_late_top_of_the_throw_before_is_told_of_that_one(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(1)
    watched.happens(DiceEventKind.TAKEN_UP, REST_NS + 5)
    watched.happens(DiceEventKind.APPEARED, REST_NS + 7)
    watched.happens(DiceEventKind.SETTLED, REST_NS + 9)
    watched.answer(Face.STRIKE)
    assert watched.read() == [(1, Face.STRIKE)]
    watched.pictures(1)
    watched.answer(Face.BLANK)
    assert watched.read() == [(1, Face.STRIKE), (2, Face.BLANK)]
