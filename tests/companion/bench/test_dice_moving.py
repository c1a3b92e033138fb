"""How films of throws are counted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from companion.bench.dice_moving import MovingTally, count_throws
from companion.virtual.dice_film import RollFilm
from vision.dice.track import DiceEvent, DiceEventKind
from vision.dice.track_touch import Touch

FPS = 100.0


def counted(
    *, inside: bool | None = True, rest_s: float = 1.0, rest_err_s: float = 0.005, depth_mm: float = 4.0
) -> MovingTally:
    """A film of one die that first touched at 0.5 s and came to rest at 1 s, of which that was told."""
    truth: dict[str, Any] = {"touch_s": 0.5, "settle_s": 1.0, "touch_mm": (100.0, 100.0)}
    film = SimpleNamespace(fps=FPS, truth=lambda: [truth | {"contact_mm": (101.0, 100.0), "depth_mm": depth_mm}])
    touch = Touch(500_000_000, 2_000_000, 100.0, 100.0, 1.0, (101.0, 100.5), 1.0, inside, depth_mm)
    at, err = round(rest_s * 1e9), round(rest_err_s * 1e9)
    told = [DiceEvent(DiceEventKind.SETTLED, "0", at, err), DiceEvent(DiceEventKind.DECIDED, "0", at, err, touch=touch)]
    tally = MovingTally()
    count_throws("film 7", cast(RollFilm, film), told, tally)
    return tally


def test_what_is_right_is_no_miss() -> None:
    tally = counted()
    assert (tally.inside_right, tally.settle_right, tally.in_band, tally.misses) == (1, 1, 1, [])


@pytest.mark.parametrize(("inside", "depth_mm", "told"), [(False, 4.0, "outside"), (True, -2.5, "inside")])
def test_a_wrong_side_is_named_with_its_film(inside: bool, depth_mm: float, told: str) -> None:
    tally = counted(inside=inside, depth_mm=depth_mm)
    assert (tally.wrong, tally.inside_right, tally.unsure) == (1, 0, 0)
    assert tally.misses == [f"film 7, die 0: told {told}, first touched {depth_mm:+.1f} mm inside"]


def test_a_side_that_is_left_open_is_unsure_and_no_miss() -> None:
    tally = counted(inside=None)
    assert (tally.unsure, tally.wrong, tally.misses) == (1, 0, [])


def test_a_rest_beyond_its_own_band_is_named_and_one_within_a_wide_band_is_told_unsure() -> None:
    late = counted(rest_s=1.03)
    assert (late.settle_right, late.settle_unsure) == (0, 0)
    assert late.misses == ["film 7, die 0: told at rest +3.0 frames late"]
    unsure = counted(rest_s=1.03, rest_err_s=0.2)
    assert (unsure.settle_right, unsure.settle_unsure, unsure.misses) == (0, 1, [])
