"""The tally says what a reader did right and wrong: above all, it never takes a wrong answer for a right one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.bench.cards_tally import Fault, ShownCard, Tally, fault_of, matched
from vision.observation import CardReading, Face

SQUARE = ((10.0, 10.0), (20.0, 10.0), (20.0, 24.0), (10.0, 24.0))
UP = ShownCard("red-06", 100.0, 200.0, 30.0, 1.0, SQUARE)
DOWN = ShownCard(None, 300.0, 200.0, 0.0, 1.0, SQUARE)
RIGHT = CardReading("red-06", Face.UP, 100.5, 199.0, 30.5, SQUARE, 0.99)
BACK = CardReading(None, Face.DOWN, 300.0, 200.0, None, SQUARE, 0.99)


def counted(*pairs: tuple[ShownCard, CardReading | None]) -> dict:
    tally = Tally()
    tally.add([card for card, _ in pairs], [reading for _, reading in pairs if reading is not None])
    return tally.line("test")


def test_all_right_is_counted_as_right() -> None:
    line = counted((UP, RIGHT), (DOWN, BACK))
    assert (line["cards"], line["found"], line["detection"]) == (2, 2, 1.0)
    assert (line["up"], line["identity"], line["orientation"]) == (1, 1.0, 1.0)
    assert (line["down"], line["face_down"]) == (1, 1.0)
    assert (line["wrong"], line["turned"], line["invented"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("card", "reading"),
    [
        (UP, replace(RIGHT, card="red-09")),
        (UP, replace(RIGHT, card=None, face=Face.DOWN, angle_deg=None)),
        (DOWN, replace(BACK, card="red-06", face=Face.UP, angle_deg=0.0)),
    ],
    ids=["another card", "up called down", "down called up"],
)
def test_a_wrong_reading_is_counted_as_wrong_and_as_not_right(card: ShownCard, reading: CardReading) -> None:
    line = counted((card, reading))
    assert (line["found"], line["wrong"]) == (1, 1)
    assert (line["identity_right"], line["orientation_right"], line["face_down_right"]) == (0, 0, 0)


@pytest.mark.parametrize("off", [3.2, -3.2, 90.0, 180.0, None])
def test_a_right_name_turned_wrong_is_named_but_not_turned_right(off: float | None) -> None:
    line = counted((UP, replace(RIGHT, angle_deg=None if off is None else 30.0 + off)))
    assert (line["identity_right"], line["orientation_right"], line["turned"], line["wrong"]) == (1, 0, 1, 0)


@pytest.mark.parametrize("angle", [27.1, 32.9, 392.0, -329.0])
def test_three_degrees_are_allowed_round_the_circle(angle: float) -> None:
    assert fault_of(UP, replace(RIGHT, angle_deg=angle)) is None


@pytest.mark.parametrize(
    ("corners", "right"), [(SQUARE, True), (SQUARE[2:] + SQUARE[:2], True), (SQUARE[1:] + SQUARE[:1], False)]
)
def test_a_card_without_a_top_is_right_either_way_but_not_sideways(corners: tuple, right: bool) -> None:
    reading = replace(RIGHT, angle_deg=None, corners_px=corners)
    assert (fault_of(replace(UP, either_way=True), reading) is None) == right


def test_an_unsure_reading_is_found_but_neither_right_nor_wrong() -> None:
    unsure = replace(RIGHT, card=None, face=None, angle_deg=None, confidence=0.4)
    line = counted((UP, unsure))
    assert (line["found"], line["identity_right"], line["wrong"], line["invented"]) == (1, 0, 0, 0)
    assert fault_of(UP, unsure) is Fault.UNSURE


def test_a_reading_more_than_10_mm_away_is_no_reading_of_the_card_but_an_invented_one() -> None:
    near, far = replace(RIGHT, x_mm=109.9, y_mm=200.0), replace(RIGHT, x_mm=110.1, y_mm=200.0)
    assert counted((UP, near))["found"] == 1
    line = counted((UP, far))
    assert (line["found"], line["invented"], line["identity_right"]) == (0, 1, 0)


def test_an_unsure_reading_of_nothing_is_not_invented() -> None:
    assert counted((UP, RIGHT), (DOWN, replace(BACK, face=None, x_mm=500.0)))["invented"] == 0


def test_one_reading_serves_one_card_and_the_nearest_pairs_come_first() -> None:
    beside = replace(UP, card="red-07", x_mm=108.0)
    pairs, left = matched([UP, beside], [replace(RIGHT, x_mm=106.0)])
    assert [pair is not None for pair in pairs] == [False, True]
    assert left == []
    pairs, left = matched([UP], [RIGHT, replace(RIGHT, x_mm=103.0)])
    assert pairs == [RIGHT]
    assert len(left) == 1


def test_cards_count_by_how_much_of_them_is_in_sight() -> None:
    shares = [1.0, 0.5, 0.49, 0.34, 0.33, 0.0]
    shown = [replace(UP, visible=share, x_mm=100.0 * n) for n, share in enumerate(shares)]
    line = counted(*((card, replace(RIGHT, x_mm=card.x_mm)) for card in shown))
    assert (line["cards"], line["identity_right"]) == (2, 2)
    assert (line["third"]["cards"], line["third"]["identity_right"]) == (2, 2)


def test_a_wrong_reading_of_a_hardly_visible_card_is_still_wrong() -> None:
    assert counted((replace(UP, visible=0.1), replace(RIGHT, card="red-09")))["wrong"] == 1


def test_any_name_for_a_card_never_shown_before_is_wrong_and_silence_costs_nothing() -> None:
    stranger = replace(UP, known=False)
    line = counted((stranger, RIGHT))
    assert (line["wrong"], line["strangers"], line["cards"], line["identity_right"]) == (1, 1, 0, 0)
    assert counted((stranger, None))["wrong"] == 0


def test_of_a_card_that_nothing_in_sight_tells_from_another_no_name_is_asked() -> None:
    hidden = replace(UP, decidable=False)
    line = counted((hidden, None))
    assert (line["cards"], line["undecidable"], line["up"]) == (1, 1, 0)
    # A guess is a guess, though.
    assert counted((hidden, replace(RIGHT, card="red-09")))["wrong"] == 1


def test_a_table_that_was_not_found_loses_all_its_cards() -> None:
    tally = Tally()
    misses = tally.add([UP, DOWN], None)
    line = tally.line("test")
    assert (line["lost"], line["cards"], line["found"], line["identity_right"], line["face_down_right"]) == (
        1,
        2,
        0,
        0,
        0,
    )
    assert [miss.fault for miss in misses] == [Fault.LOST, Fault.LOST]


def test_figures_by_kind_count_right_and_wrong() -> None:
    tally = Tally()
    tally.add([UP], [RIGHT], ("glare", "hand"))
    tally.add([UP], [replace(RIGHT, card="red-09"), replace(RIGHT, x_mm=500.0)], ("glare",))
    assert tally.line("test")["by_kind"] == {
        "glare": {"cards": 2, "right": 1, "wrong": 2},
        "hand": {"cards": 1, "right": 1, "wrong": 0},
    }


def test_nothing_shown_gives_no_shares() -> None:
    line = Tally().line("empty")
    assert line["detection"] is None
    assert line["ms"] is None
