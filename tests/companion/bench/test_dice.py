"""How readings of dice are counted, on truths and readings written here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from companion.bench.dice import DiceShot, DiceTally, count, drawn_die
from vision.arena import NO_ARENA, Arena, ArenaState
from vision.dice.reader import DiceReading
from vision.observation import DieReading

SQUARE = ((100.0, 50.0), (300.0, 50.0), (300.0, 200.0), (100.0, 200.0))
LOOP = Arena(SQUARE, 3.0, ArenaState.FOUND)


def truth(*dice: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"table_mm": (420.0, 250.0), "loop_mm": SQUARE, "dice": list(dice), **more}


def lying(x: float, y: float, symbol: str = "moon", visible: float = 1.0, **more: Any) -> dict[str, Any]:
    inside = 100 < x < 300 and 50 < y < 200
    return {"x": x, "y": y, "sides": 8, "symbol": symbol, "visible": visible, "inside": inside, **more}


def told(x: float, y: float, symbol: str | None, inside: bool | None = True, sides: int | None = 8) -> DieReading:
    return DieReading(sides, symbol, x, y, inside, None, 0.9)


def counted(of: dict[str, Any], *dice: DieReading, arena: Arena = LOOP, oddity: str | None = None) -> DiceTally:
    tally = DiceTally()
    shot = DiceShot("drawn", np.zeros((4, 4, 3), np.uint8), drawn_die(["moon"]), of, oddity)
    count(tally, shot, DiceReading(dice, arena))
    return tally


def test_a_die_read_right_counts_for_everything() -> None:
    line = counted(truth(lying(200, 120)), told(201, 121, "moon")).line("set")
    assert [line[key] for key in ("found", "sides", "top_face", "inside", "loop")] == [1.0] * 5
    assert line["wrong"] == line["invented"] == 0


@pytest.mark.parametrize("reading", [told(200, 120, "ring"), told(200, 120, "moon", sides=10)])
def test_another_symbol_or_number_of_sides_is_wrong_and_none_of_them_is_not(reading: DieReading) -> None:
    assert counted(truth(lying(200, 120)), reading).wrong == 1
    assert counted(truth(lying(200, 120)), told(200, 120, None, sides=None)).wrong == 0


def test_beside_the_string_no_side_is_asked_for_but_a_wrong_one_is_counted() -> None:
    tally = counted(truth(lying(101, 120)), told(101, 120, "moon", inside=False))
    assert (tally.clear_of_string, tally.wrong_side) == (0, 1)


def test_what_a_hand_hides_and_what_does_not_lie_flat_is_asked_for_nothing_but_may_be_wrong() -> None:
    hidden = counted(truth(lying(200, 120, visible=0.3)), told(200, 120, "ring"))
    assert (hidden.dice, hidden.hidden, hidden.hidden_told, hidden.wrong) == (0, 1, 1, 1)
    leaning = counted(truth(lying(200, 120, resting=False)), told(200, 120, "ring"))
    assert (leaning.dice, leaning.wrong) == (0, 1)


def test_where_nothing_lies_a_die_is_made_up() -> None:
    assert counted(truth(), told(200, 120, None)).invented == 1


def test_a_truth_without_a_string_wants_none_told() -> None:
    bare = truth(lying(200, 120, inside=None)) | {"loop_mm": []}
    assert counted(bare, told(200, 120, "moon", inside=None), arena=NO_ARENA).loops == 1
    assert counted(bare, told(200, 120, "moon", inside=None)).loops == 0
    assert counted(truth(loops=2), arena=Arena(SQUARE, 3.0, ArenaState.SEVERAL)).loops == 1


def test_an_odd_picture_wants_its_state_named_and_no_other() -> None:
    three = truth(*(lying(x, 120) for x in (150, 200, 250)))
    all_told = [told(x, 120, "moon") for x in (150, 200, 250)]
    right = counted(three, *all_told, oddity="third-die")
    assert (right.odd, right.named, right.misnamed) == (1, 1, 0)
    assert right.line("odd")["state_named"] == 1.0
    missed = counted(three, *all_told[:2], oddity="third-die")
    assert (missed.named, missed.misnamed) == (0, 0)
    misnamed = counted(three, *all_told, arena=NO_ARENA, oddity="third-die")
    assert (misnamed.named, misnamed.misnamed) == (1, 1)
    assert counted(truth(), oddity="empty").named == 1


def test_a_plain_picture_is_asked_for_no_state() -> None:
    assert "state_named" not in counted(truth(lying(200, 120)), told(200, 120, "moon")).line("stills")
