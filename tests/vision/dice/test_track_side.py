"""On which side of the string a whole way lies, where the first touch itself was hidden."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vision.arena import Arena, ArenaState
from vision.dice.eye import Eye
from vision.dice.track_flight import Place, TouchDown
from vision.dice.track_side import EVEN_REACH, reach_of_way, side_of_way
from vision.dice.track_still import Look
from vision.dice.track_task import TouchTask
from vision.dice.track_touch import Touch, TouchJudge, TrackedDie
from vision.dice.track_way import flown
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


class _Sure(TouchJudge):
    """Takes any break of a way for a touch that is sure."""

    def judged(
        self,
        found: TouchDown,
        way: Sequence[Place],
        looks: Sequence[Look],
        die: TrackedDie,
        arena: Arena | None,
        unseen_s: float | None = None,
        heard: tuple[float, float] | None = None,
    ) -> Touch:
        at = (found.x_mm, found.y_mm)
        return Touch(round(found.t_s * 1e9), 10**6, *at, 3.0, at, 5.0, True, 40.0)


@pytest.mark.parametrize(("start", "told"), [(60.0, None), (172.0, True)])
def test_a_die_seen_to_fly_before_a_hand_hid_it_may_have_come_down_there(start: float, told: bool | None) -> None:
    """Three pictures of it beside the hand it left, then a fifth of a second under another one; what turns back after that is no
    first touch for sure, and counts only where the die flew on the same side of the string."""
    flew = [Place(n / 120, start + 6.0 * n, 125.0, 0.3) for n in range(3)]
    after = [
        Place(0.22 + n / 120, 200.0 + 1.5 * abs(n - 8), 125.0, 0.15, peeped_s=0.058 if n == 0 else 0.0)
        for n in range(16)
    ]
    task = TouchTask(
        1,
        TrackedDie("a", (40, 60, 190), SIZE),
        round(1e9),
        (*flew, *after),
        (),
        _Sure(POSE, EYE, 1.0),
        ARENA,
        0.15,
        (420, 250),
    )
    touch = task.run()
    assert touch is not None
    assert touch.inside is told


def test_what_lay_still_before_a_hand_hid_it_did_not_fly() -> None:
    still = [Place(n / 120, 60.0 + 0.3 * n, 125.0, 0.3) for n in range(5)]
    fast = [Place(0.1 + n / 120, 60.0 + 6.0 * n, 125.0, 0.3) for n in range(3)]
    assert flown(still) == []
    assert flown([*still, *fast]) == fast
