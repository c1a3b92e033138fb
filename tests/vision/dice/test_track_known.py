"""A throw that is worked out ahead comes out as it would have, and sooner."""

from __future__ import annotations

from functools import cache

import pytest

from companion.bench.dice_moving import tracker_of
from companion.virtual.dice_film import roll_film
from vision.dice.track import DiceEventKind, DieState, TouchTask
from vision.dice.track_known import Known

AHEAD_EACH = 3


class _MoreUrgentError(Exception):
    """Something else is more urgent."""


@cache
def _tasks(number: int, dice: int = 1) -> tuple[list[TouchTask], list[TouchTask]]:
    """What was handed out of a film ahead, and at its throws' rest."""
    film = roll_film(9558, number, dice, 60.0)
    tracker = tracker_of(film)
    ahead, tasks = [], []
    for n, (picture, t_ns) in enumerate(film.pictures()):
        tracker.feed(picture, t_ns)
        tasks += tracker.tasks()
        ahead += tracker.ahead() if n % AHEAD_EACH == 0 else []
    return ahead, tasks


@pytest.mark.parametrize("number", [0, 3])
def test_what_was_worked_out_ahead_changes_nothing_and_is_not_worked_out_again(number: int) -> None:
    """Also of two dice in one film."""
    dice = 2 if number == 3 else 1
    ahead, tasks = _tasks(number, dice)
    assert len(tasks) == dice
    for task in tasks:
        plain = task.run()
        assert plain is not None
        known = Known()
        for sooner in (each for each in ahead if each.die == task.die):
            sooner.run(known)
        asked: list[int] = []
        known.before_each = lambda asked=asked: asked.append(1)
        assert task.run(known) == plain
        assert not asked


def test_what_breaks_off_keeps_what_it_has_worked_out() -> None:
    _, (task,) = _tasks(0)
    steps: list[int] = []

    def count() -> None:
        steps.append(1)
        if len(steps) == 2:
            raise _MoreUrgentError

    known = Known(count)
    with pytest.raises(_MoreUrgentError):
        task.run(known)
    known.before_each = lambda: steps.append(1)
    assert task.run(known) == task.run()
    whole: list[int] = []
    task.run(Known(lambda: whole.append(1)))
    assert len(steps) == len(whole) + 1, "the one that was broken off is begun again, the one before is not"


def test_a_way_on_one_side_of_the_string_is_told_at_once_and_as_it_would_be_worked_out() -> None:
    told = [(touch, task.run()) for number in (0, 2) for task in _tasks(number)[1] if (touch := task.at_once())]
    assert told
    for touch, worked_out in told:
        assert worked_out is not None
        assert worked_out.inside is touch.inside


def test_ahead_of_a_rest_nothing_is_told() -> None:
    film = roll_film(9558, 0, 1, 60.0)
    tracker, told = tracker_of(film), []
    for picture, t_ns in film.pictures():
        events = tracker.feed(picture, t_ns)
        if any(event.kind is DiceEventKind.SETTLED for event in events):
            break
        told += [event for task in tracker.ahead() for event in tracker.decided(task.number, None)]
    assert told == []
    assert tracker.state("0") is DieState.DECIDING
