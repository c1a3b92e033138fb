"""Hoshizora's cards that were not read, were taken away too early or lie there again: what is asked, and what waits."""

from __future__ import annotations

import pytest

from .seated import HAND_OVER_A, facts


def test_an_unread_card_is_asked_about_with_its_best_readings(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03")
    play.table.unsure("C", "red-06", "red-09", "red-03")
    play.look()
    (question,) = play.of_kind("question")
    assert [option["id"] for option in question["options"]] == ["red-06", "red-09"], "red-03 lies at B already"
    play.desk.answer(question["id"], "red-09", "C")
    view = play.desk.view()
    assert view["seats"][2]["card"]["id"] == "red-09"
    assert view["phase"] == "draw"


def test_a_card_read_meanwhile_closes_its_question(play):
    play.look()
    play.table.lay("BC")
    play.table.unsure("A", "red-06", "red-09")
    play.look()
    assert len(play.desk.view()["questions"]) == 1
    play.table.reveal(A="red-09")
    play.look()
    view = play.desk.view()
    assert view["questions"] == []
    assert view["seats"][0]["card"]["id"] == "red-09"


def test_a_card_on_the_table_twice_is_asked_about(play):
    play.look()
    play.table.reveal(A="red-10", B="red-10", C="red-04")
    play.look()
    (question,) = play.of_kind("question")
    assert "red 10" in question["text"]
    assert play.desk.view()["seats"][1]["card"] is None
    play.desk.answer(question["id"], "again", "referee")
    assert play.desk.view()["seats"][1]["card"]["id"] == "red-10"
    assert any(finding["level"] == "illegal" for finding in play.of_kind("finding"))


def test_cards_taken_away_unread_are_asked_for_and_the_next_ones_are_not_taken_for_them(play):
    play.look()
    play.table.lay()
    play.look()
    play.table.clear()
    play.look()
    (question,) = play.of_kind("question")
    assert "taken away" in question["text"]
    play.table.lay()
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    assert play.desk.view()["phase"] == "reveal"
    for seat, card in (("A", "blue-01"), ("B", "blue-02"), ("C", "blue-03")):
        play.desk.tell({"fact": "card-revealed", "seat": seat, "card": card}, "referee")
    assert play.desk.view()["tricks"][0]["played"]["A"]["id"] == "blue-01"
    assert play.desk.view()["questions"] == []


def test_cards_laid_open_once_more_are_read(play):
    play.look()
    play.table.lay()
    play.look()
    play.table.clear()
    play.look()
    play.desk.answer(play.of_kind("question")[0]["id"], "again", "A")
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    assert play.desk.view()["phase"] == "draw"


@pytest.mark.parametrize("promised", [False, True], ids=["asked", "promised"])
def test_the_next_cards_are_not_taken_for_one_that_was_never_read(play, promised):
    """One card lay under a hand; what lies there next is of another trick, and lines are not drawn out of turn."""
    play.look()
    play.table.lay()
    play.look()
    play.table.cards.pop("A")
    play.table.reveal(B="red-10", C="red-04")
    play.table.hidden = HAND_OVER_A
    play.look()
    play.table.hidden = ()
    if promised:
        play.table.clear()
        play.look()
        play.desk.answer(play.of_kind("question")[0]["id"], "again", "A")
    play.table.lay()
    play.table.draw(4, 10, "red")
    play.look()
    play.table.reveal(A="blue-05", B="blue-06", C="blue-07")
    play.look()
    view = play.desk.view()
    assert view["phase"] == "reveal"
    assert view["seats"][0]["card"] is None
    assert [question["text"] for question in view["questions"]] == (
        [] if promised else ["The cards of trick 1 were taken away before all were read. Lay them open once more?"]
    )
    assert all(found["level"] == "note" for found in play.of_kind("finding"))
    play.desk.tell({"fact": "card-revealed", "seat": "A", "card": "red-03"}, "A")
    assert play.desk.view()["tricks"][0]["played"]["A"]["id"] == "red-03"
    assert all(found["level"] == "note" for found in play.of_kind("finding"))


def test_a_card_that_can_not_be_read_beside_face_down_ones_is_not_asked_about(play):
    """The three are turned together: what a glass stands on lies face down as well."""
    play.look()
    play.table.lay()
    play.table.unsure("C")
    play.look()
    assert not play.desk.view()["prompts"]
    play.table.reveal(A="red-10", B="red-03")
    play.look()
    assert "C's card can't be read" in play.desk.view()["prompts"][0]["text"]


def test_a_line_waits_for_the_card_under_a_hand(play):
    """A line of the trick on the table, and one that was wiped: whose drawing it was tells the last card."""
    play.look()
    play.trick("red-05", "red-06", "red-07", (5, 6, "red"), (6, 7, "red"))
    play.table.lay()
    play.look()
    play.table.cards.pop("A")
    play.table.reveal(B="blue-10", C="blue-04")
    play.table.hidden = HAND_OVER_A
    play.table.draw(4, 10, "blue")
    del play.table.lines[5, 6]
    play.look()
    assert not play.of_kind("question")
    play.table.hidden = ()
    play.table.reveal(A="blue-03")
    play.look()
    assert [question["text"] for question in play.of_kind("question")] == [
        "No longer on the board: red 5\N{EN DASH}6. Was it wiped off?"
    ]
    assert not any("outside" in found["text"] for found in play.of_kind("finding"))
    assert "blue line 4\N{EN DASH}10 drawn" in facts(play)


def test_cards_and_their_line_seen_at_once_are_taken_in_their_order(play):
    play.look()
    play.table.lay()
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.table.draw(3, 10, "red")
    play.look()
    assert not play.of_kind("question")
    assert not play.of_kind("finding")
    assert facts(play)[-1] == "red line 3\N{EN DASH}10 drawn"


def test_a_line_that_no_open_card_calls_for_is_asked_about_before_the_cards_are_read(play):
    """They may be another trick's: the one that drew it passed unseen."""
    play.look()
    play.table.lay()
    play.look()
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.table.draw(2, 8, "blue")
    play.look()
    (question,) = play.of_kind("question")
    assert "blue 2\N{EN DASH}8" in question["text"]
    assert play.desk.view()["seats"][0]["card"] is None


def test_the_trick_goes_on_once_its_cards_lie_open_again(play):
    play.look()
    play.table.lay()
    play.look()
    play.table.reveal(A="red-10", C="red-04")
    play.table.unsure("B")
    play.look()
    play.table.clear()
    play.look()
    play.desk.answer(play.of_kind("question")[0]["id"], "again", "A")
    play.table.reveal(A="red-10", B="red-03", C="red-04")
    play.look()
    assert play.desk.view()["phase"] == "draw"
    assert not play.desk.view()["prompts"] or "once more" not in play.desk.view()["prompts"][0]["text"]


def test_an_unread_card_stays_asked_about_after_it_was_taken_away(play):
    play.look()
    play.table.reveal(A="red-10", B="red-03")
    play.table.unsure("C", "red-06", "red-09")
    play.look()
    asked = play.of_kind("question")[0]["id"]
    play.table.clear()
    play.look()
    assert asked in [question["id"] for question in play.desk.view()["questions"]]
    play.desk.answer(asked, "red-09", "C")
    view = play.desk.view()
    assert view["phase"] == "draw"
    assert view["questions"] == []


def test_a_card_of_the_last_trick_left_lying_is_not_played_again(play):
    play.look()
    play.trick("red-10", "red-03", "red-04", (3, 10, "red"), (4, 10, "red"))
    play.table.reveal(C="red-04")
    play.look()
    assert play.of_kind("question") == []
    assert any("still lies there" in prompt["text"] for prompt in play.desk.view()["prompts"])
