"""Dice followed through films whose truth is known, and a first touch told from a way that was reckoned by hand."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from companion.bench.dice_moving import tracker_of
from companion.virtual.dice_film import Act, RollFilm, roll_film, touched_film
from vision.dice.eye import Eye
from vision.dice.track import DiceEvent, DiceEventKind, DiceTracker, DieState, TouchTask, TrackedDie
from vision.dice.track_colour import Ground, Palette
from vision.dice.track_flight import GRAVITY, TOUCH_HEIGHT, Place, find_touch

EYE = Eye(210.0, 125.0, 600.0)
SIZE = 17.0


def _watched(film: RollFilm) -> tuple[DiceTracker, list[DiceEvent]]:
    tracker = tracker_of(film)
    told = [event for picture, t_ns in film.pictures() for event in tracker.feed(picture, t_ns)]
    return tracker, told + tracker.decide()


def _way(
    touch_s: float, at: tuple[float, float], after: tuple[float, float], noise_mm: float = 0.05, fall: float = -900.0
) -> list[Place]:
    """A fall to a place, then a bounce that goes on with another speed, as the camera shows both."""
    random = np.random.default_rng(4)
    way = []
    for n in range(30):
        t = n / 120
        late = t - touch_s
        vx, vy, up = (420.0, -150.0, fall) if late <= 0 else (*after, -fall / 2)
        height = TOUCH_HEIGHT * SIZE + up * late - GRAVITY / 2 * late**2
        place = np.array([[at[0] + vx * late, at[1] + vy * late, max(height, SIZE / 2)]])
        x, y = EYE.shown(place)[0] + random.normal(0, noise_mm, 2)
        way.append(Place(t, float(x), float(y), 0.15))
    return way


def test_a_first_touch_is_where_the_fall_ends() -> None:
    found = find_touch(_way(0.1043, (290.0, 90.0), (300.0, -240.0)), EYE, SIZE)
    assert found is not None
    assert found.t_s == pytest.approx(0.1043, abs=0.003)
    assert np.hypot(found.x_mm - 290.0, found.y_mm - 90.0) < min(1.5, found.err_mm)


def test_a_die_that_shows_outward_of_its_place_is_set_right_by_its_height() -> None:
    """At the touch the middle hangs 11 mm over the table: 80 mm off the camera's foot that is 1.5 mm in the picture."""
    way = _way(0.1, (290.0, 125.0), (100.0, 200.0), noise_mm=0.0)
    found = find_touch(way, EYE, SIZE)
    assert found is not None
    shown = min(way, key=lambda place: abs(place.t_s - 0.1)).x_mm
    assert abs(found.x_mm - 290.0) < abs(shown - 290.0)


@pytest.mark.parametrize("off_at", [5, 7, 9])
def test_a_place_off_the_way_is_no_touch_and_hides_none(off_at: int) -> None:
    """An outline cut 2 mm aside in one picture: the fall goes on through it, and its end is found all the same."""
    way = _way(0.1043, (290.0, 90.0), (-100.0, 240.0))
    way[off_at] = replace(way[off_at], x_mm=way[off_at].x_mm + 1.4, y_mm=way[off_at].y_mm + 1.4)
    found = find_touch(way, EYE, SIZE)
    assert found is not None
    assert found.t_s == pytest.approx(0.1043, abs=max(0.004, found.t_err_s))
    assert np.hypot(found.x_mm - 290.0, found.y_mm - 90.0) < found.err_mm


@pytest.mark.parametrize("at", [(380.0, 220.0), (60.0, 30.0)])
@pytest.mark.parametrize("touch_s", [0.13, 0.16])
def test_far_off_the_cameras_foot_a_fast_fall_is_not_broken_before_its_end(
    at: tuple[float, float], touch_s: float
) -> None:
    """A fall that came down sooner would go on below the table: that it explains the way badly speaks for no touch there."""
    found = find_touch(_way(touch_s, at, (-200.0, 200.0), fall=-1300.0), EYE, SIZE)
    assert found is not None
    assert found.t_s == pytest.approx(touch_s, abs=0.004)


def test_places_off_a_curve_one_after_another_are_no_fall() -> None:
    """Far off the camera's foot a bounce away from it looks like the fall going on: where it ended is not told."""
    assert find_touch(_way(0.08, (400.0, 20.0), (-200.0, 200.0), fall=-1300.0), EYE, SIZE) is None


def test_a_fall_that_never_ends_tells_no_touch() -> None:
    assert find_touch(_way(1.0, (290.0, 90.0), (0.0, 0.0))[:12], EYE, SIZE) is None


def test_a_knock_says_when() -> None:
    way = _way(0.1043, (290.0, 90.0), (300.0, -240.0), noise_mm=0.3)
    found = find_touch(way, EYE, SIZE, knocks_s=[(0.1043, 0.0005)])
    assert found is not None
    assert found.t_s == pytest.approx(0.1043, abs=0.0006)
    assert found.t_err_s <= 0.0011


@pytest.mark.parametrize("number", [0, 8, 13])
def test_a_throw_is_told_once_with_its_rest_and_side_of_the_string(number: int) -> None:
    film = roll_film(1, number)
    (truth,) = film.truth()
    tracker, told = _watched(film)
    (settled,) = [event for event in told if event.kind is DiceEventKind.SETTLED]
    assert abs(settled.t_ns / 1e9 - truth["settle_s"]) * film.fps <= 2
    assert np.hypot(*np.subtract((settled.x_mm, settled.y_mm), truth["rest_mm"])) < 2.5
    (decided,) = [event for event in told if event.kind is DiceEventKind.DECIDED]
    assert (decided.t_ns, decided.x_mm, decided.y_mm) == (settled.t_ns, settled.x_mm, settled.y_mm)
    assert decided.touch is not None
    assert decided.touch.inside in {None, truth["depth_mm"] > 0}
    assert np.hypot(*np.subtract(decided.touch.contact_mm, truth["contact_mm"])) <= decided.touch.contact_err_mm
    assert tracker.state("0") is DieState.SETTLED


def test_where_a_throw_touched_is_worked_out_beside_the_pictures() -> None:
    """The picture in which the die has settled waits for nothing: what takes longer is handed out, and may go elsewhere."""
    film = roll_film(1, 8)
    tracker = tracker_of(film)
    tasks, states = [], []
    for picture, t_ns in film.pictures():
        told = tracker.feed(picture, t_ns)
        tasks += tracker.tasks()
        states.append(tracker.state("0"))
        assert [event.touch for event in told if event.touch is not None] == []
    (task,) = tasks
    assert states[-1] is DieState.DECIDING
    sent: TouchTask = pickle.loads(pickle.dumps(task))
    (decided,) = tracker.decided(sent.number, sent.run())
    assert decided.touch is not None
    assert tracker.state("0") is DieState.SETTLED
    assert tracker.decided(sent.number, None) == []


@pytest.mark.parametrize(
    ("seed", "number", "dice", "fps", "fault"),
    [
        (6007, 14, 1, 60, "two pictures before the touch: a later bounce passed for it"),
        (6007, 63, 2, 60, "one picture before the touch, near the string: a later bounce was told"),
        (5001, 32, 1, 120, "a hand that drew back looked like a touch"),
    ],
)
def test_what_is_told_of_a_touch_is_the_first(seed: int, number: int, dice: int, fps: int, fault: str) -> None:
    film = roll_film(seed, number, dice, fps)
    _, told = _watched(film)
    for n, truth in enumerate(film.truth()):
        touches = [event.touch for event in told if event.kind is DiceEventKind.DECIDED and event.die == str(n)]
        for touch in touches:
            if touch is not None and touch.inside is not None:
                assert touch.inside == (truth["depth_mm"] > 0), fault
                assert abs(touch.t_ns / 1e9 - truth["touch_s"]) < max(0.03, touch.t_err_ns / 1e9), fault


@pytest.mark.parametrize(("number", "fps"), [(9, 120), (55, 90)])
def test_a_touch_that_broke_clearly_is_not_given_up_for_the_next(number: int, fps: int) -> None:
    """The next bounce's fall was thought to be as fast as if the die had been high over the table at the first."""
    film = roll_film(9558, number, 2 if number % 4 == 3 else 1, fps)
    _, told = _watched(film)
    truth = film.truth()[0]
    touch = next(event.touch for event in told if event.kind is DiceEventKind.DECIDED and event.die == "0")
    assert touch is not None
    assert touch.inside is (truth["depth_mm"] > 0)
    assert abs(touch.t_ns / 1e9 - truth["touch_s"]) < 0.01


def test_a_die_that_first_shows_at_rest_may_have_come_to_rest_at_any_time_before() -> None:
    """Thrown and come to rest under a hand that then drew back: it was told to rest since then, to a picture."""
    film = roll_film(9611, 199, 2, 90)
    _, told = _watched(film)
    (settled,) = (event for event in told if event.kind is DiceEventKind.SETTLED and event.die == "0")
    truth_ns = film.truth()[0]["settle_s"] * 1e9
    assert abs(settled.t_ns - truth_ns) < settled.t_err_ns
    assert settled.t_err_ns > 5e8


def test_a_rest_that_a_hand_hid_in_mid_track_is_as_uncertain_as_that_took() -> None:
    film = roll_film(9604, 183, 2, 90)
    _, told = _watched(film)
    (settled,) = [event for event in told if event.kind is DiceEventKind.SETTLED and event.die == "0"]
    assert abs(settled.t_ns / 1e9 - film.truth()[0]["settle_s"]) <= settled.t_err_ns / 1e9


def test_a_pushed_die_is_no_roll() -> None:
    _, told = _watched(touched_film(3, 0, Act.PUSHED))
    kinds = [event.kind for event in told]
    assert DiceEventKind.PUSHED in kinds
    # It was seen lying at first; that tells of no touch.
    assert [event.touch for event in told if event.kind is DiceEventKind.DECIDED] == [None]


def test_a_die_that_is_taken_away_is_told_so() -> None:
    tracker, told = _watched(touched_film(3, 1, Act.TAKEN_UP))
    assert [event.kind for event in told][-2:] == [DiceEventKind.TAKEN_UP, DiceEventKind.DECIDED]
    assert tracker.state("0") is DieState.AWAY
    assert tracker.place("0") is None


def test_an_empty_table_tells_nothing() -> None:
    film = roll_film(1, 2)
    tracker = tracker_of(film)
    assert [event for n in range(12) for event in tracker.feed(film.empty(500 + n), n * 8_333_333)] == []


def test_a_shadow_is_no_die() -> None:
    """A grey die on a grey table: what is darker by a third in all channels is the table's shadow."""
    ground = Ground.of([np.full((60, 80, 3), 150, np.uint8)])
    picture = np.full((60, 80, 3), 150, np.uint8)
    picture[10:30, 10:30] = 100
    picture[10:30, 50:70] = 235
    labels, _ = Palette(ground, [(235, 235, 235)]).labels(picture)
    assert not labels[12:28, 12:28].any()
    assert (labels[12:28, 52:68] == 1).all()


def test_no_die_to_follow_is_refused() -> None:
    film = roll_film(1, 2)
    with pytest.raises(ValueError, match="no die"):
        DiceTracker(tracker_of(film)._pose, Ground.of([film.empty()]), ())
    assert TrackedDie("a", (0, 0, 0), 16.0).size_mm == 16.0
