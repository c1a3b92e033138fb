"""What a picture of the Arena is called that shows no plain throw, on readings written here."""

from __future__ import annotations

import pytest

from vision.arena import NO_ARENA, Arena, ArenaState
from vision.dice.states import ThrowState, throw_states
from vision.observation import DieDoubt, DieReading

SQUARE = ((100.0, 50.0), (300.0, 50.0), (300.0, 200.0), (100.0, 200.0))
LOOP = Arena(SQUARE, 3.0, ArenaState.FOUND)


def _die(x: float, *doubts: DieDoubt) -> DieReading:
    return DieReading(8, None if doubts else "moon", x, 120.0, True, None, 0.9, doubts=doubts)


def test_two_dice_that_were_read_in_one_loop_are_a_plain_throw() -> None:
    assert throw_states([_die(150), _die(250)], LOOP) == ()
    assert throw_states([_die(150)], LOOP) == ()


def test_an_empty_table_and_a_table_without_a_loop_say_so() -> None:
    assert throw_states([], LOOP) == (ThrowState.EMPTY,)
    assert throw_states([], LOOP, covered=True) == (ThrowState.COVERED,)
    # What is in sight is told, whatever else a hand may hide.
    assert throw_states([_die(150)], LOOP, covered=True) == ()
    assert throw_states([_die(150)], NO_ARENA) == (ThrowState.NO_LOOP,)
    assert throw_states([], NO_ARENA) == (ThrowState.EMPTY, ThrowState.NO_LOOP)


def test_where_no_loop_was_looked_for_nothing_is_said_of_it() -> None:
    assert throw_states([_die(150)], None) == ()


def test_two_loops_are_named_whatever_lies_there() -> None:
    assert throw_states([_die(150)], Arena(SQUARE, 3.0, ArenaState.SEVERAL)) == (ThrowState.TWO_LOOPS,)


def test_a_third_die_is_one_too_many_unless_so_many_are_thrown() -> None:
    three = [_die(120), _die(200), _die(280)]
    assert throw_states(three, LOOP) == (ThrowState.THIRD_DIE,)
    assert throw_states(three, LOOP, most=4) == ()


@pytest.mark.parametrize(
    ("doubt", "state"),
    [
        (DieDoubt.ON_STRING, ThrowState.ON_STRING),
        (DieDoubt.TILTED, ThrowState.LEANING),
        (DieDoubt.FOREIGN, ThrowState.FOREIGN),
        (DieDoubt.UNCLEAR, ThrowState.UNREAD),
    ],
)
def test_what_is_doubtful_of_one_die_is_a_state_of_the_whole(doubt: DieDoubt, state: ThrowState) -> None:
    assert throw_states([_die(150), _die(250, doubt)], LOOP) == (state,)


def test_every_doubt_has_a_state() -> None:
    for doubt in DieDoubt:
        assert len(throw_states([_die(150, doubt)], LOOP)) == 1
