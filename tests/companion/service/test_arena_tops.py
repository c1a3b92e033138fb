"""Tops of dice at rest: each is asked until it is told, also ahead of its rest, and never told of a rest that is no more."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion.rules.hoshi_battle.facts import Face
from companion.service.arena_beside import TopAsked, TopTold
from companion.service.arena_tops import READ_EACH, READ_TRIES, STILL_AHEAD, TopsWanted
from vision.dice.track import DiceEvent, DiceEventKind, DieState

IMAGE = np.zeros((360, 640, 3), np.uint8)
DIE = "A/0"
REST_NS, FRAME_NS = 1_000_000_000, 16_666_667


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
    """A die of which tops are wanted."""

    tops: Beside = field(default_factory=Beside)
    t_ns: int = REST_NS
    told: list[tuple[Face, int]] = field(default_factory=list)
    wanted: TopsWanted = field(init=False)

    def __post_init__(self) -> None:
        self.wanted = TopsWanted(self.tops, lambda _die, face, rest_ns: self.told.append((face, rest_ns - REST_NS)))

    def happens(self, kind: DiceEventKind, t_ns: int = REST_NS) -> None:
        self.wanted.expect(DiceEvent(kind, DIE, t_ns, 0, 200.0, 100.0))

    def rolls(self, count: int, x_mm: float = 200.0, state: DieState = DieState.MOVING) -> None:
        """So many pictures of a die that shows there and is not told to be at rest."""
        tracker: Any = SimpleNamespace(place=lambda _die: (x_mm, 100.0), state=lambda _die: state)
        for _ in range(count):
            self.t_ns += FRAME_NS
            self.wanted.ask_ahead([DIE], tracker, IMAGE, self.t_ns)

    def pictures(self, count: int) -> None:
        for _ in range(count):
            self.wanted.ask(IMAGE, 0)

    def answer(self, face: Face) -> None:
        asked: TopAsked = self.tops.asked[-1]
        self.tops.answers.append(TopTold(asked.table, asked.die, asked.rest_ns, face))
        self.wanted.hear()


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_a_top_is_asked_once_at_a_time_until_it_is_read(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(3 * READ_EACH)
    assert len(watched.tops.asked) == 1
    watched.answer(Face.UNKNOWN)
    watched.pictures(1)
    assert len(watched.tops.asked) == 2
    assert watched.told == []
    watched.answer(Face.STRIKE)
    watched.pictures(3 * READ_EACH)
    assert watched.told == [(Face.STRIKE, 0)]
    assert len(watched.tops.asked) == 2


def test_a_top_that_is_never_read_is_told_as_such_in_the_end(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    for _ in range(READ_TRIES + 3):
        watched.pictures(READ_EACH)
        if watched.told:
            break
        watched.answer(Face.UNKNOWN)
    assert watched.told == [(Face.UNKNOWN, 0)]
    assert len(watched.tops.asked) == READ_TRIES + 1


def test_of_a_rest_that_was_withdrawn_no_top_is_told(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(1)
    watched.happens(DiceEventKind.UNSETTLED, REST_NS + 1)
    watched.happens(DiceEventKind.SETTLED, REST_NS + 5)
    watched.answer(Face.STRIKE)
    assert watched.told == []
    watched.pictures(1)
    watched.answer(Face.BLANK)
    assert watched.told == [(Face.BLANK, 5)]


def test_a_die_that_was_taken_up_is_told_by_what_was_asked_before(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(1)
    watched.happens(DiceEventKind.TAKEN_UP, REST_NS + 5)
    watched.pictures(3 * READ_EACH)
    assert watched.told == []
    watched.answer(Face.STRIKE)
    assert watched.told == [(Face.STRIKE, 0)]


def test_a_die_that_was_taken_up_unread_is_told_as_unread_at_once(watched: Watched) -> None:
    """Nobody waits for what can't come any more."""
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(1)
    watched.happens(DiceEventKind.TAKEN_UP, REST_NS + 5)
    watched.answer(Face.UNKNOWN)
    watched.pictures(1)
    assert watched.told == [(Face.UNKNOWN, 0)]
    assert len(watched.tops.asked) == 1


def test_a_late_top_of_the_throw_before_is_told_of_that_one(watched: Watched) -> None:
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(1)
    watched.happens(DiceEventKind.TAKEN_UP, REST_NS + 5)
    watched.happens(DiceEventKind.APPEARED, REST_NS + 7)
    watched.happens(DiceEventKind.SETTLED, REST_NS + 9)
    watched.answer(Face.STRIKE)
    assert watched.told == [(Face.STRIKE, 0)]
    watched.pictures(1)
    watched.answer(Face.BLANK)
    assert watched.told == [(Face.STRIKE, 0), (Face.BLANK, 9)]


def test_a_top_that_was_read_before_its_rest_was_told_is_told_with_it(watched: Watched) -> None:
    watched.happens(DiceEventKind.APPEARED)
    watched.rolls(3 * STILL_AHEAD)
    assert len(watched.tops.asked) == 1
    watched.answer(Face.STRIKE)
    assert watched.told == [], "it may move yet"
    watched.happens(DiceEventKind.SETTLED)
    assert watched.told == [(Face.STRIKE, 0)]
    watched.pictures(3 * READ_EACH)
    assert len(watched.tops.asked) == 1


def test_a_top_that_is_still_read_when_its_rest_is_told_is_not_asked_again(watched: Watched) -> None:
    watched.happens(DiceEventKind.APPEARED)
    watched.rolls(STILL_AHEAD)
    watched.happens(DiceEventKind.SETTLED)
    watched.pictures(3 * READ_EACH)
    assert len(watched.tops.asked) == 1
    watched.answer(Face.STRIKE)
    assert watched.told == [(Face.STRIKE, 0)]


def test_a_top_that_was_read_before_the_rest_itself_says_nothing_of_it(watched: Watched) -> None:
    """A die that stood still for a moment and tipped over shows another face."""
    watched.happens(DiceEventKind.APPEARED)
    watched.rolls(STILL_AHEAD)
    watched.answer(Face.STRIKE)
    watched.happens(DiceEventKind.SETTLED, REST_NS + 20 * FRAME_NS)
    assert watched.told == []
    watched.pictures(1)
    assert len(watched.tops.asked) == 2
    watched.answer(Face.BLANK)
    assert watched.told == [(Face.BLANK, 20 * FRAME_NS)]


def test_a_die_that_goes_on_is_not_read_where_it_stood(watched: Watched) -> None:
    watched.happens(DiceEventKind.APPEARED)
    watched.rolls(STILL_AHEAD, 150.0)
    watched.answer(Face.STRIKE)
    watched.rolls(STILL_AHEAD - 1, 200.0)
    watched.happens(DiceEventKind.SETTLED)
    assert watched.told == []


def test_a_die_that_moves_is_not_read_ahead(watched: Watched) -> None:
    for n in range(3 * STILL_AHEAD):
        watched.rolls(1, 100.0 + 2.0 * n)
    assert watched.tops.asked == []
