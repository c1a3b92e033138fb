"""From settled scenes to facts: what is recorded, what is asked, what waits."""

from __future__ import annotations

import pytest

from companion.errors import BadInputError
from vision.observation import DoubtReason

from .seated import HAND_OVER_A, facts

HAND_OVER_BOARD = (((300.0, 200.0), (420.0, 200.0), (420.0, 420.0), (300.0, 420.0)),)


def test_a_trick_is_read_from_three_settled_pictures(play):
    play.look()
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))
    (trick,) = play.of_kind("trick")
    assert trick["winner"] == "B"
    assert trick["played"] == {"A": "red-10", "B": "red-03", "C": "red-04"}
    assert trick["drawn"] == [{"a": 3, "b": 10, "colour": "red"}, {"a": 4, "b": 10, "colour": "red"}]
    assert trick["points"] == 2
    assert play.of_kind("finding") == play.of_kind("question") == []


def test_the_same_picture_twice_adds_nothing(play):
    play.look()
    play.table.lay()
    play.look()
    before = facts(play)
    play.look()
    assert facts(play) == before


def test_cards_taken_away_before_the_line_is_drawn_are_no_broken_rule(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="blue-04")
    play.look()
    play.table.clear()
    play.look()
    assert play.of_kind("trick") == [], "the drawer still has time"
    play.table.draw(3, 10, "red")
    play.look()
    assert [trick["drawn"] for trick in play.of_kind("trick")] == [[{"a": 3, "b": 10, "colour": "red"}]]
    assert play.of_kind("finding") == []


def test_no_line_though_one_could_be_drawn_is_found_when_the_next_card_lies_open(play):
    play.look()
    play.trick("red-10", "red-03", "blue-04")
    play.table.lay()
    play.look()
    assert play.of_kind("finding") == []
    play.table.reveal(B="blue-05", C="blue-01", A="blue-11")
    play.look()
    assert [finding["level"] for finding in play.of_kind("finding")] == ["illegal"]
    assert play.of_kind("finding")[0]["player"] == "B"


def test_cards_turned_over_again_before_the_drawing_are_no_next_cards(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="blue-04")
    play.look()
    play.table.lay()
    play.look()
    play.table.clear()
    play.table.draw(3, 10, "red")
    play.look()
    assert play.of_kind("trick")[0]["drawn"] == [{"a": 3, "b": 10, "colour": "red"}]
    assert play.of_kind("finding") == []


def test_a_hand_over_a_spot_is_not_an_empty_spot(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.table.draw(3, 10, "red")
    play.table.draw(4, 10, "red")
    play.table.clear()
    play.table.hidden = HAND_OVER_A
    play.look()
    assert play.of_kind("trick") == []
    play.table.hidden = ()
    play.look()
    assert len(play.of_kind("trick")) == 1


def test_a_hidden_corridor_waits_and_a_hidden_line_does_not_vanish(play):
    play.look()
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))
    play.table.reveal(B="blue-05", C="blue-01", A="blue-02")
    play.look()
    play.table.clear()
    del play.table.lines[3, 10]
    play.table.doubt(3, 10, DoubtReason.HIDDEN)
    play.table.draw(1, 5, "blue")
    play.table.doubt(2, 5, DoubtReason.HIDDEN)
    play.table.hidden = HAND_OVER_BOARD
    play.look()
    assert play.of_kind("question") == []
    assert len(play.of_kind("trick")) == 1
    play.table.doubts.clear()
    play.table.hidden = ()
    play.table.draw(3, 10, "red")
    play.table.draw(2, 5, "blue")
    play.look()
    assert play.of_kind("trick")[1]["drawn"] == [
        {"a": 1, "b": 5, "colour": "blue"},
        {"a": 2, "b": 5, "colour": "blue"},
    ]


def test_a_board_that_is_covered_says_nothing(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.table.clear()
    play.table.board_in_sight = False
    play.look()
    assert play.of_kind("trick") == play.of_kind("question") == []


def test_a_faint_stroke_that_may_be_drawn_is_asked_about_and_the_answer_goes_on(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="blue-04")
    play.look()
    play.table.clear()
    play.table.doubt(3, 10, DoubtReason.FAINT, "red")
    play.look()
    (question,) = play.of_kind("question")
    assert [option["id"] for option in question["options"]] == ["red", "blue", "none"]
    play.desk.answer(question["id"], "red", "A")
    assert play.desk.view()["questions"] == []
    assert play.of_kind("trick")[0]["drawn"] == [{"a": 3, "b": 10, "colour": "red"}]


def test_a_line_that_was_denied_is_not_asked_about_again(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="blue-04")
    play.look()
    play.table.clear()
    play.table.doubt(3, 10, DoubtReason.FAINT, "red")
    play.look()
    play.desk.answer(play.of_kind("question")[0]["id"], "none", "A")
    play.look()
    assert len(play.of_kind("question")) == 1
    assert "red line 3–10 drawn" not in facts(play)


def test_magnets_that_nearly_touch_are_asked_about_once_the_cards_are_gone(play):
    """Nothing covers the pair, so waiting would be for ever."""
    play.table.doubt(3, 10, DoubtReason.HIDDEN)
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="blue-04")
    play.look()
    assert play.of_kind("question") == [], "the drawer has not drawn yet"
    play.table.clear()
    play.look()
    (question,) = play.of_kind("question")
    play.desk.answer(question["id"], "red", "A")
    assert play.of_kind("trick")[0]["drawn"] == [{"a": 3, "b": 10, "colour": "red"}]


def test_a_strong_line_against_the_rules_is_recorded_and_judged(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.table.draw(1, 12, "red")
    play.look()
    assert "red line 1–12 drawn" in facts(play)
    assert {finding["level"] for finding in play.of_kind("finding")} == {"illegal"}


def test_a_weak_line_against_the_rules_is_asked_about(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.table.draw(1, 12, "red", confidence=0.6)
    play.look()
    assert "red line 1–12 drawn" not in facts(play)
    assert len(play.of_kind("question")) == 1


def test_the_number_of_a_twelfth_star_follows_from_the_others(play):
    play.table.unread = {9}
    play.look()
    assert play.desk.view()["phase"] == "lay"
    stars = {star["n"]: (star["x"], star["y"]) for star in play.desk.view()["board"]["stars"]}
    assert stars[9] == (253.6, 40.6)


@pytest.mark.parametrize(("answer", "six"), [("6-9", (272.6, 78.9)), ("9-6", (253.6, 40.6))])
def test_two_unread_stars_are_asked_about(play, answer, six):
    play.table.unread = {6, 9}
    play.look()
    (question,) = play.of_kind("question")
    options = {option["id"]: option["label"] for option in question["options"]}
    assert set(options) == {"6-9", "9-6"}
    play.desk.answer(question["id"], answer, "A")
    stars = {star["n"]: (star["x"], star["y"]) for star in play.desk.view()["board"]["stars"]}
    assert stars[6] == six


def test_three_unread_stars_are_a_prompt_for_better_light(play):
    play.table.unread = {6, 9, 12}
    play.look()
    assert play.of_kind("question") == []
    assert "9 of the 12 stars" in play.desk.view()["prompts"][0]["text"]


def test_a_nudged_board_moves_no_star(play):
    play.look()
    play.table.board_origin = (206.0, 57.0)
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))
    assert not any("moved" in text for text in facts(play))


def test_a_star_shifted_while_drawing_past_it_is_recorded(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.table.stars[2] = (138.0, 181.4, 4)
    play.look()
    assert "star 2 moved" in facts(play)
    assert {star["n"]: star["x"] for star in play.desk.view()["board"]["stars"]}[2] == 138.0


def test_a_wiped_line_is_asked_about_without_line_elimination(play):
    play.look()
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))
    del play.table.lines[3, 10]
    play.table.lay("B")
    play.look()
    (question,) = play.of_kind("question")
    assert "wiped" in question["text"]
    assert play.desk.view()["points"] == 2, "the record stands until somebody says so"
    play.desk.answer(question["id"], "keep", "A")
    play.look()
    assert len(play.of_kind("question")) == 1


def test_line_elimination_is_recognised_without_a_question(new_play):
    play = new_play(line_elimination=True)
    play.look()
    play.trick("red-10", "red-03", "blue-04", (3, 10, "red"))
    # Stars 2 and 4 lie on either side of the line 3–10: the segment 2–4 crosses it.
    play.table.reveal(B="blue-02", C="blue-11", A="red-04")
    play.look()
    del play.table.lines[3, 10]
    play.look()
    assert play.of_kind("question") == []
    assert "wiped off: red 3–10" in facts(play)
    assert play.desk.view()["points"] == 0
    assert play.of_kind("finding") == []


def test_a_game_whose_beginning_nobody_saw_is_not_judged(play):
    """Lines on the board before the first card: old ones, or a service that was switched on late."""
    play.table.draw(1, 5, "red")
    play.table.lay()
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="blue-04")
    play.look()
    assert play.desk.view()["board"] is None
    assert play.of_kind("finding") == []
    (question,) = play.of_kind("question")
    play.desk.answer(question["id"], "ignore", "A")
    view = play.desk.view()
    assert view["phase"] == "draw"
    assert view["board"]["lines"] == []
    assert play.of_kind("finding") == []


def test_lines_of_an_earlier_game_are_waited_for_until_they_are_wiped(play):
    play.table.draw(1, 5, "blue")
    play.look()
    play.desk.answer(play.of_kind("question")[0]["id"], "wipe", "A")
    play.look()
    assert play.desk.view()["phase"] == "setup"
    assert len(play.of_kind("question")) == 1
    play.table.lines.clear()
    play.look()
    assert play.desk.view()["phase"] == "lay"


def test_a_line_of_a_trick_that_nobody_saw_is_asked_about_and_accuses_nobody(play):
    play.look()
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))
    play.table.lay()
    play.look()
    play.table.draw(7, 12, "red")
    play.table.reveal(A="blue-11", B="blue-03", C="blue-04")
    play.look()
    assert play.of_kind("finding") == []
    assert "7–12" in play.of_kind("question")[0]["text"]
    for seat, card in (("C", "red-07"), ("A", "blue-10"), ("B", "red-12")):
        play.desk.tell({"fact": "card-revealed", "seat": seat, "card": card}, "referee")
    view = play.desk.view()
    assert [line["a"] for line in view["tricks"][1]["drawn"]] == [7]
    assert view["questions"] == []
    assert view["seats"][0]["card"]["id"] == "blue-11", "the trick on the table is read on"
    assert play.of_kind("finding") == []


def test_a_card_that_is_most_like_a_back_is_not_asked_about(play):
    play.look()
    play.table.lay()
    play.look()
    play.table.unsure("A", "back", "red-06")
    play.look()
    assert play.of_kind("question") == []
    assert play.desk.view()["phase"] == "reveal"


def test_the_order_of_laid_cards_is_not_told_where_a_spot_was_hidden(play):
    """B's spot is seen first while A, the leader, may long have laid under a hand: no accusation."""
    play.look()
    play.table.lay("B")
    play.table.hidden = HAND_OVER_A
    play.look()
    play.table.hidden = ()
    play.table.lay("AC")
    play.look()
    assert play.of_kind("finding") == []


def test_a_whole_game_ends_with_its_bids(play):
    play.look()
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))
    play.trick("red-11", "red-05", "red-01", (1, 5, "red"), (1, 11, "red"))
    play.trick("blue-10", "red-12", "red-07", (7, 12, "red"))
    play.trick("blue-11", "blue-03", "blue-04", (3, 11, "blue"), (4, 11, "blue"))
    play.trick("blue-12", "red-08", "red-06")
    play.trick("blue-08", "blue-06", "blue-09", (6, 9, "blue"))
    play.trick("blue-07", "blue-05", "red-02", (5, 7, "blue"))
    play.table.reveal(A="blue-02", B="blue-01", C="red-09")
    play.look()
    assert [trick["points"] for trick in play.of_kind("trick")] == [2, 5, 6, 8, 8, 9, 10]
    (outcome,) = play.of_kind("outcome")
    assert outcome["bids"] == {"A": 2, "B": 1, "C": 9}
    assert outcome["winners"] == ["C"]
    assert play.desk.over


@pytest.mark.parametrize("unread", [{9}, {6, 9}])
def test_stars_that_can_no_longer_be_read_stay_where_they_are_recorded(play, unread):
    play.look()
    play.table.unread = unread
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))
    play.table.lay()
    play.look()
    assert play.of_kind("question") == []
    assert len(play.of_kind("trick")) == 1


def test_a_star_out_of_sight_takes_no_line_off_the_board_and_is_asked_about_where_it_may_be_joined(play):
    play.look()
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))
    away = play.table.stars.pop(10)
    hidden = {pair: play.table.lines.pop(pair) for pair in [(3, 10), (4, 10)]}
    play.trick("blue-12", "blue-08", "red-02", (8, 12, "blue"))
    assert not any("wiped" in text for text in facts(play))
    assert len(play.of_kind("trick")) == 2
    play.table.stars[10] = away
    play.table.lines |= hidden
    play.table.lay()
    play.look()
    assert play.of_kind("question") == []
    assert play.of_kind("trick")[-1]["points"] == 3


def test_a_board_that_cannot_be_read_whole_is_said_before_the_game_goes_on(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    play.table.unread = {3, 6, 9}
    play.table.clear()
    play.look()
    assert play.of_kind("trick") == []
    assert "9 of the 12 stars can be read" in play.desk.view()["prompts"][0]["text"]


def test_a_bid_is_told_from_the_seventh_trick_on(play):
    play.look()
    play.table.lay()
    play.look()
    with pytest.raises(BadInputError, match="seventh trick"):
        play.desk.tell({"fact": "bid-revealed", "seat": "A", "card": "red-10"}, "B")
