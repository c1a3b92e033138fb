"""Which point of the table a die touched first, and on which side of the string that was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.arena import NO_ARENA, Arena, ArenaState
from vision.dice.eye import Eye
from vision.dice.track_body import FALL, NUMBERS, PLACE, TIME, Body, Flight, Lights
from vision.dice.track_contacts import SURE, Contacts
from vision.dice.track_fit import Ways
from vision.dice.track_flight import Place, TouchDown, find_touch
from vision.dice.track_touch import TouchJudge, TrackedDie, _Guess
from vision.table import pose_of_corners

SIZE = 17.0
BGR = (40, 60, 190)
POSE = pose_of_corners(((0, 0), (420, 0), (420, 250), (0, 250)), (420.0, 250.0))
EYE = Eye(210.0, 125.0, 650.0)
SQUARE = ((110.0, 45.0), (310.0, 45.0), (310.0, 205.0), (110.0, 205.0))
ARENA = Arena(SQUARE, 2.0, ArenaState.FOUND)


def _judged(x: float, arena: Arena | None = ARENA, err: float = 3.0, way: list[Place] | None = None) -> bool | None:
    found = TouchDown(0.1, 0.001, x, 125.0, err)
    return TouchJudge(POSE, EYE, 1.0).judged(found, way or [], (), TrackedDie("a", BGR, SIZE), arena).inside


def test_what_counts_is_the_corner_not_the_middle() -> None:
    """The middle is 5 mm inside the string: a corner may have touched outside all the same."""
    assert _judged(115.0) is None
    assert _judged(110.0 + 0.72 * SIZE + 6.0) is True
    assert _judged(110.0 - 0.72 * SIZE - 6.0) is False


def test_a_place_that_is_hardly_known_is_asked() -> None:
    assert _judged(140.0, err=3.0) is True
    assert _judged(140.0, err=40.0) is None


@pytest.mark.parametrize("arena", [None, NO_ARENA, Arena(SQUARE, 2.0, ArenaState.SEVERAL)])
def test_without_one_loop_nothing_is_inside(arena: Arena | None) -> None:
    assert _judged(200.0, arena) is None


def test_beside_a_stretch_under_a_hand_it_is_asked() -> None:
    left = [(110.0, 205.0 - 4.0 * n) for n in range(40)]
    dense = ((110.0, 45.0), (310.0, 45.0), (310.0, 205.0), *left)
    hidden = Arena(dense, 2.0, ArenaState.FOUND, (False, False, False, *[True] * 40))
    assert _judged(135.0) is True
    assert _judged(135.0, hidden) is None


def test_with_few_pictures_a_second_an_earlier_touch_must_lie_on_the_same_side() -> None:
    crossing = [Place(0.1 + (n - 5) / 60, 80.0 + 15.0 * n, 125.0, 0.15) for n in range(8)]
    assert _judged(155.0, way=crossing) is None
    quick = [Place(0.1 + (n - 5) / 120, 80.0 + 15.0 * n, 125.0, 0.15) for n in range(8)]
    assert _judged(155.0, way=quick) is True


def test_the_threshold_leaves_little_to_chance() -> None:
    assert SURE > 0.95


def test_a_knock_narrows_the_band_of_the_touch() -> None:
    random = np.random.default_rng(4)
    way = []
    for n in range(30):
        late = n / 90 - 0.1043
        vx, vy, rise = (220.0, -90.0, -700.0) if late <= 0 else (160.0, -60.0, 300.0)
        height = 0.66 * SIZE + rise * late - 9810.0 / 2 * late**2
        place = np.array([[290.0 + vx * late, 90.0 + vy * late, max(height, SIZE / 2)]])
        x, y = EYE.shown(place)[0] + random.normal(0, 0.35, 2)
        way.append(Place(n / 90, float(x), float(y), 0.35))
    seen = find_touch(way, EYE, SIZE)
    felt = find_touch(way, EYE, SIZE, [(0.1043, 0.0005)])
    assert felt is not None
    assert felt.t_s == pytest.approx(0.1043, abs=0.0006)
    assert np.hypot(felt.x_mm - 290.0, felt.y_mm - 90.0) < felt.err_mm
    if seen is not None:
        assert felt.t_err_s < seen.t_err_s
        assert felt.err_mm <= seen.err_mm


def test_where_it_touched_is_told_as_wide_as_it_is_known() -> None:
    near, wide = (
        TouchJudge(POSE, EYE, 1.0).judged(
            TouchDown(0.1, 0.001, 200.0, 125.0, err), [], (), TrackedDie("a", BGR, SIZE), None
        )
        for err in (1.0, 12.0)
    )
    assert near.contact_err_mm > 0.7 * SIZE
    assert wide.contact_err_mm > near.contact_err_mm + 5


def test_points_of_which_so_many_lie_within() -> None:
    points = Contacts(np.array([(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 9.0), (0.0, -9.0)]), np.full(5, 0.2))
    assert points.within(0.5) == ((0.0, 0.0), 1.0)
    assert points.within(0.999) == ((0.0, 0.0), 9.0)


class _Judge(TouchJudge):
    """One that is given a way instead of pictures."""

    def _guesses(self, *_: object) -> tuple[list[_Guess], _Guess | None]:
        return [_guess()], None


class _DoubtfulJudge(TouchJudge):
    """One that is given a way so strange that the next bounce may have been the first touch."""

    def _guesses(self, *_: object) -> tuple[list[_Guess], _Guess | None]:
        return [_guess()], _guess(x=150.0)


def _guess(fall: float = -1471.5, x: float = 130.0) -> _Guess:
    """A die that comes down at (x, 125), 20 mm or more inside the string, at 0.1 s, and crossed the string in the air."""
    numbers = np.zeros((1, NUMBERS))
    numbers[0, TIME], numbers[0, PLACE], numbers[0, FALL] = 0.1, (x, 125.0), (600.0, 0.0, fall)
    turns = np.eye(3)[None]
    # Its outlines are hardly known: nothing about them is strange.
    flight = Flight(Body.of(8, SIZE), EYE, np.array([0.09, 0.11]), np.zeros((2, 20)), np.full(2, 1e4), 1.0)
    lights = Lights(np.zeros((2, 1, 3)), np.zeros((2, 1)), np.zeros((2, 1)))
    ways = Ways(numbers, turns, np.zeros(1), np.zeros(1), 1e8 * np.eye(NUMBERS)[None])
    return _Guess(ways, flight, lights, np.zeros(1))


def _unseen(first_s: float, unseen_s: float | None, fall: float) -> bool | None:
    class Judge(TouchJudge):
        def _guesses(self, *_: object) -> tuple[list[_Guess], _Guess | None]:
            return [_guess(fall=fall)], None

    way = [Place(first_s + n / 120, 130.0 - 600.0 * (0.1 - first_s - n / 120), 125.0, 0.15) for n in range(30)]
    found = TouchDown(0.1, 0.001, 130.0, 125.0, 1.0)
    return Judge(POSE, EYE, 1.0).judged(found, way, (), TrackedDie("a", BGR, SIZE, 8), ARENA, unseen_s).inside


def test_the_next_bounce_after_a_strange_way_lies_within_the_band() -> None:
    found, die = TouchDown(0.1, 0.001, 130.0, 125.0, 1.0), TrackedDie("a", BGR, SIZE, 8)
    plain, doubtful = (each(POSE, EYE, 1.0).judged(found, [], (), die, ARENA) for each in (_Judge, _DoubtfulJudge))
    assert doubtful.contact_err_mm > plain.contact_err_mm + 5
    assert plain.inside is doubtful.inside is True


def test_a_fall_is_as_long_as_it_is_fast() -> None:
    """980 mm/s are reached in 100 ms, and 100 ms more went up: it can't have left the table in the last 120 ms."""
    assert _unseen(first_s=0.05, unseen_s=None, fall=-981.0) is True
    assert _unseen(first_s=0.05, unseen_s=0.07, fall=-981.0) is True
    # It may have bounced 200 ms before under a hand: outside the string.
    assert _unseen(first_s=0.05, unseen_s=0.3, fall=-981.0) is None


def test_no_bounce_of_a_thrown_die_is_as_fast_as_a_fall_from_a_hand() -> None:
    """1470 mm/s up took twice that down: a fall from half a metre."""
    assert _unseen(first_s=0.05, unseen_s=0.3, fall=-1471.5) is True


def test_what_bounced_unseen_may_have_bounced_before() -> None:
    """It left the table 60 ms before it touched, inside the string; 300 ms before it may have come from beyond it."""

    class Judge(TouchJudge):
        def _guesses(self, *_: object) -> tuple[list[_Guess], _Guess | None]:
            return [_guess(fall=-294.0, x=190.0)], None

    way = [Place(0.05 + n / 120, 190.0 - 600.0 * (0.05 - n / 120), 125.0, 0.15) for n in range(30)]
    found, die = TouchDown(0.1, 0.001, 190.0, 125.0, 1.0), TrackedDie("a", BGR, SIZE, 8)
    judge = Judge(POSE, EYE, 1.0)
    assert judge.judged(found, way, (), die, ARENA, 0.02).inside is True
    assert judge.judged(found, way, (), die, ARENA, 0.3).inside is None


@pytest.mark.parametrize(
    ("fall", "peeped_s", "told"), [(-294.0, 0.02, None), (-294.0, 0.0, True), (-1200.0, 0.02, True)]
)
def test_what_comes_out_from_under_a_hand_low_over_the_table_may_have_bounced_there(
    fall: float, peeped_s: float, told: bool | None
) -> None:
    """A hand that lets it go is higher; what left it without being under it before was let go."""

    class Judge(TouchJudge):
        def _guesses(self, *_: object) -> tuple[list[_Guess], _Guess | None]:
            return [_guess(fall=fall, x=150.0)], None

    way = [Place(0.05 + n / 120, 150.0 - 600.0 * (0.05 - n / 120), 125.0, 0.15) for n in range(30)]
    way[0] = replace(way[0], peeped_s=peeped_s)
    found, die = TouchDown(0.1, 0.001, 150.0, 125.0, 1.0), TrackedDie("a", BGR, SIZE, 8)
    assert Judge(POSE, EYE, 1.0).judged(found, way, (), die, ARENA).inside is told


@pytest.mark.parametrize(("broke_s", "told"), [(0.1, True), (0.11, True), (0.16, True), (0.06, None)])
def test_where_two_moments_may_be_the_touchs_all_between_must_lie_on_one_side(
    broke_s: float, told: bool | None
) -> None:
    """The die's turns and falls have it come down 20 mm inside the string; its way breaks at another moment, before which it was
    outside."""
    way = [Place(0.05 + n / 120, 130.0 - 600.0 * (0.05 - n / 120), 125.0, 0.15) for n in range(30)]
    found = TouchDown(broke_s, 0.001, 130.0, 125.0, 1.0)
    assert _Judge(POSE, EYE, 1.0).judged(found, way, (), TrackedDie("a", BGR, SIZE, 8), ARENA).inside is told
