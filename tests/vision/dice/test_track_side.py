"""On which side of the string a whole way lies, where the first touch itself was hidden."""

from __future__ import annotations

import numpy as np
import pytest

from vision.arena import Arena, ArenaState
from vision.dice.eye import Eye
from vision.dice.track_flight import Place
from vision.dice.track_side import EVEN_REACH, reach_of_way, side_of_way
from vision.dice.track_task import TouchTask
from vision.dice.track_touch import TouchJudge, TrackedDie
from vision.table import pose_of_corners

SIZE = 17.0
EYE = Eye(210.0, 125.0, 650.0)
SQUARE = ((110.0, 45.0), (310.0, 45.0), (310.0, 205.0), (110.0, 205.0))
ARENA = Arena(SQUARE, 2.0, ArenaState.FOUND)
POSE = pose_of_corners(((0, 0), (420, 0), (420, 250), (0, 250)), (420.0, 250.0))


def _way(start: float, end: float, hidden: tuple[int, int] = (0, 0)) -> list[Place]:
    """Along the table's middle, 24 pictures, some of them hidden."""
    places = [Place(n / 120, float(x), 125.0, 0.15) for n, x in enumerate(np.linspace(start, end, 24))]
    return [place for n, place in enumerate(places) if not hidden[0] <= n < hidden[1]]


@pytest.mark.parametrize(
    ("start", "end", "side"), [(200, 150, True), (80, 40, False), (200, 80, None), (150, 118, None)]
)
def test_a_way_that_keeps_to_one_side_tells_it(start: float, end: float, side: bool | None) -> None:
    assert side_of_way(_way(start, end), EYE, SIZE, ARENA, None) is side


def test_behind_a_hand_it_may_have_strayed() -> None:
    assert side_of_way(_way(150, 124.5), EYE, SIZE, ARENA, None) is True
    assert side_of_way(_way(150, 124.5, (3, 22)), EYE, SIZE, ARENA, None) is None


def test_before_it_came_into_sight_it_may_have_come_from_beyond_the_string() -> None:
    """120 mm in 0.2 s: 0.1 s before it was 60 mm back."""
    assert side_of_way(_way(160, 280), EYE, SIZE, ARENA, None) is True
    assert side_of_way(_way(160, 280), EYE, SIZE, ARENA, 0.1) is None


def test_too_few_places_tell_nothing() -> None:
    assert side_of_way(_way(200, 150)[:4], EYE, SIZE, ARENA, None) is None


def test_the_band_holds_the_whole_way() -> None:
    x, y, reach = reach_of_way(_way(200, 150), EYE, SIZE, None)
    assert (x, y) == pytest.approx((175, 125), abs=2)
    assert reach >= 25 + EVEN_REACH * SIZE - 2


def _told(way: list[Place], arena: Arena | None = ARENA) -> bool | None:
    """Of a die whose ways before and after a hand hid it show no touch."""
    judge, die = TouchJudge(POSE, EYE, 1.0), TrackedDie("a", (40, 60, 190), SIZE)
    touch = TouchTask(1, die, round(1e9), tuple(way), (), judge, arena, 0.15, (420, 250)).run()
    return None if touch is None else touch.inside


def test_a_hidden_touch_is_told_where_nothing_else_is_possible() -> None:
    assert _told(_way(240, 190, (10, 14))) is True
    assert _told(_way(150, 100, (10, 14))) is None
    assert _told(_way(240, 190, (10, 14)), None) is None
