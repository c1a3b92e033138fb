"""Throws that were reckoned once, and the films made of them: what their truth says is what they show."""

from __future__ import annotations

import math

import numpy as np
import pytest

from companion.virtual.dice_film import SPREAD_MM, Act, roll_film, touched_film
from companion.virtual.dice_stills import Oddity, dice_still, odd_still
from companion.virtual.throws import SETTLED_MM, throws
from hardware.virtual.dice import DieOnTable, corners_mm, die_solid, matrix_of


def _corners(sides: int, size: float, at: object) -> np.ndarray:
    return corners_mm(DieOnTable(sides, at, size), at)  # type: ignore[arg-type]


def test_a_die_first_touches_the_table_when_the_throw_says() -> None:
    for throw in throws():
        lowest = [
            _corners(throw.sides, throw.size_mm, throw.at(throw.touch_s + late))[:, 2].min() for late in (-0.012, 0.0)
        ]
        assert lowest[0] > 0.2
        assert abs(lowest[1]) < 1.0


def test_a_settled_die_lies_on_a_face_and_moves_no_more() -> None:
    for throw in throws():
        rest = throw.at(99.0)
        corners = _corners(throw.sides, throw.size_mm, rest)
        for late in (0.0, 0.02, 0.04):
            moved = np.abs(_corners(throw.sides, throw.size_mm, throw.at(throw.settle_s + late)) - corners).max()
            assert moved < SETTLED_MM + 0.1
        # A die that rocks passes through its rest on the way.
        earlier = [_corners(throw.sides, throw.size_mm, throw.at(throw.settle_s - n / 500)) for n in range(1, 6)]
        assert max(np.abs(moment - corners).max() for moment in earlier) > SETTLED_MM - 0.1
        assert (die_solid(throw.sides).normals @ matrix_of(rest.turn)[2]).max() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_throw_put_elsewhere_is_the_same_motion(mirrored: bool) -> None:
    throw = throws()[70]
    put = throw.put((200.0, 100.0), 2.0, mirrored)
    assert put.contact_mm != throw.contact_mm
    for seconds in (0.0, throw.touch_s, throw.settle_s):
        here, there = throw.at(seconds), put.at(seconds)
        assert there.height_mm == pytest.approx(here.height_mm)
        away = math.dist((here.x_mm, here.y_mm), throw.touch_mm)
        assert math.dist((there.x_mm, there.y_mm), (200.0, 100.0)) == pytest.approx(away, abs=1e-6)
        heights = [_corners(throw.sides, throw.size_mm, at)[:, 2] for at in (here, there)]
        assert np.sort(heights[0]) == pytest.approx(np.sort(heights[1]), abs=1e-4)


def test_touch_downs_are_spread_on_both_sides_of_the_string() -> None:
    depths = np.array([film["depth_mm"] for n in range(40) for film in roll_film(5, n).truth()])
    assert np.abs(depths).max() < SPREAD_MM + 1
    counts, _ = np.histogram(depths, 4, (-SPREAD_MM, SPREAD_MM))
    assert counts.min() >= 4


def test_a_film_shows_the_die_where_its_truth_says() -> None:
    film = roll_film(5, 1)
    (told,) = film.truth()
    *_, (picture, t_ns) = film.pictures()
    assert t_ns > told["settle_s"] * 1e9
    u, v = np.rint(film.camera.project_solid(np.array([[*told["rest_mm"], film.dice[0].die.size_mm]]))[0]).astype(int)
    empty = film.empty()
    assert np.abs(picture[v, u].astype(int) - empty[v, u]).max() > 30


def test_a_pushed_die_keeps_its_face_and_a_taken_one_is_gone() -> None:
    pushed = touched_film(5, 0, Act.PUSHED).dice[0]
    before, after = pushed.at(0.0), pushed.at(9.0)
    assert before is not None
    assert after is not None
    assert before.height_mm == after.height_mm
    assert matrix_of(before.turn)[2] == pytest.approx(matrix_of(after.turn)[2])
    assert touched_film(5, 0, Act.TAKEN_UP).dice[0].at(9.0) is None


def test_stills_follow_from_seed_and_number() -> None:
    assert dice_still(1, 7) == dice_still(1, 7)
    assert dice_still(1, 7) != dice_still(2, 7)


@pytest.mark.parametrize(("oddity", "dice", "loops"), [
    (Oddity.EMPTY, 0, 1), (Oddity.NO_LOOP, 2, 0), (Oddity.TWO_LOOPS, 2, 2), (Oddity.THIRD_DIE, 3, 1), (Oddity.ON_STRING, 1, 1),
    (Oddity.LEANING, 1, 1),
])  # fmt: skip
def test_odd_arenas_show_what_they_are_called_after(oddity: Oddity, dice: int, loops: int) -> None:
    scene = odd_still(oddity, 1, 0).scene
    assert (len(scene.dice), len(scene.loops)) == (dice, loops)
