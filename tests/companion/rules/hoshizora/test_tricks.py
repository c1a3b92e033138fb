"""Progression of the game, trick resolution: one test a sentence of the rulebook."""

from __future__ import annotations

import pytest

from companion.rules.core import Level
from companion.rules.hoshizora import RULES, Phase, stated_colour
from companion.rules.hoshizora.facts import BoardSet, CardLaid, CardRevealed, Colour, ColourStated, DrawingEnded
from companion.rules.hoshizora.state import decide


@pytest.mark.parametrize(
    ("cards", "majority", "winner"),
    [
        (("red-03", "red-05", "red-12"), "red", 0),  # one colour, two S: the lowest
        (("red-07", "red-02", "red-11"), "red", 2),  # one colour, two L: the highest
        (("blue-01", "blue-02", "blue-06"), "blue", 0),  # three S
        (("blue-12", "blue-09", "blue-07"), "blue", 0),  # three L
        (("red-06", "red-07", "red-08"), "red", 2),  # 6 is S, 7 is L
        (("red-06", "red-05", "red-07"), "red", 1),
        (("red-04", "blue-01", "red-05"), "red", 0),  # the minority's card counts for S and L and never wins
        (("red-08", "blue-12", "red-05"), "red", 0),  # L by the minority's card: the highest of the majority
        (("red-08", "blue-02", "red-05"), "red", 2),  # S by the minority's card: the lowest of the majority
        (("blue-08", "red-11", "red-09"), "red", 1),
        (("blue-08", "red-08", "blue-03"), "blue", 0),  # one number in both colours
    ],
)
def test_trick_resolution(table, cards, majority, winner) -> None:
    assert decide(table().setup, cards)[:2] == (majority, winner)


def test_stars_of_the_majority_are_those_of_its_cards(table) -> None:
    assert decide(table().setup, ("red-08", "blue-02", "red-05"))[2] == (5, 8)


def test_without_the_stated_colour_any_card_may_be_played(table) -> None:
    game = table()
    assert game.play("red-08", "blue-02", "red-05") == []  # B follows with neither number nor colour
    game.draw("5-8 red")
    game.end()
    assert game.play("blue-09", "red-07", "blue-04") == []  # C leads blue, A plays off it, B follows
    assert [claim.player for claim in game.state.hands.claims] == ["B", "A"]


def test_the_others_play_in_turn_after_the_leader(table) -> None:
    game = table(lead="B")
    asked = []
    for _ in range(3):
        (wanted,) = RULES.expects(game.state)
        asked.append(wanted.who)
        assert game.tell(CardLaid(wanted.who, look=len(asked))) == []
    assert asked == ["B", "C", "A"]
    assert [wanted.act for wanted in RULES.expects(game.state)] == ["reveal"]


def test_start_player_leads_and_the_drawer_leads_next(table) -> None:
    game = table()
    assert game.state.leader == "A"
    assert not game.play("red-08", "red-02", "red-05")
    assert game.state.drawer == "B"
    game.draw("2-5 red", "5-8 red")
    assert game.end() == []
    assert game.state.leader == "B"
    assert game.state.trick.number == 2


def test_phases_follow_from_what_happened(table) -> None:
    game = table(stars=None)
    assert game.state.phase is Phase.SETUP
    game.tell(BoardSet(table().state.board.stars))
    assert game.state.phase is Phase.LAY
    game.tell(CardLaid("A"), CardLaid("B"), CardLaid("C"))
    assert game.state.phase is Phase.REVEAL
    game.tell(CardRevealed("A", "red-01"), CardRevealed("B", "red-02"))
    assert game.state.phase is Phase.REVEAL
    game.tell(CardRevealed("C", "red-03"))
    assert game.state.phase is Phase.DRAW
    game.draw("1-2 red", "2-3 red")
    game.end()
    assert game.state.phase is Phase.LAY


def test_record_of_a_trick(table) -> None:
    game = table(lead="B")
    game.play("red-08", "blue-02", "red-05")
    game.draw("5-8 red")
    game.end()
    (record,) = game.state.done
    assert (record.number, record.lead, record.stated, record.majority, record.winner) == (1, "B", "red", "red", "A")
    assert list(record.played.items()) == [("B", "red-08"), ("C", "blue-02"), ("A", "red-05")]
    assert (record.drawn[0].a, record.drawn[0].b, record.erased, record.points) == (5, 8, (), 1)


def test_stated_colour_is_the_lead_cards_unless_it_was_said(table) -> None:
    game = table()
    assert stated_colour(game.state) is None
    game.tell(CardLaid("A"), ColourStated("A", Colour.BLUE))
    assert stated_colour(game.state) is Colour.BLUE
    silent = table()
    silent.play("red-08", "red-02", "red-05")
    assert stated_colour(silent.state) is Colour.RED


def test_leader_must_play_the_colour_said(table) -> None:
    game = table()
    game.tell(CardLaid("A"), ColourStated("A", Colour.BLUE), CardLaid("B"), CardLaid("C"))
    (finding,) = game.tell(CardRevealed("A", "red-08"))
    assert finding.level is Level.ILLEGAL
    assert finding.rule.startswith("Progression of the game")
    assert finding.player == "A"
    assert stated_colour(game.state) is Colour.BLUE  # the others heard blue and follow it


def test_a_leader_who_plays_the_colour_said_is_right(table) -> None:
    game = table()
    assert game.tell(CardLaid("A"), ColourStated("A", Colour.RED), CardLaid("B"), CardLaid("C")) == []
    assert game.tell(CardRevealed("A", "red-08")) == []
    assert game.tell(ColourStated("A", Colour.RED)) == []


def test_colour_said_after_the_card_was_seen_is_checked_too(table) -> None:
    game = table()
    game.tell(CardLaid("A"), CardLaid("B"), CardLaid("C"), CardRevealed("A", "red-08"))
    (finding,) = game.tell(ColourStated("A", Colour.BLUE))
    assert finding.level is Level.ILLEGAL


def test_leader_can_not_change_the_colour(table) -> None:
    game = table()
    assert not game.tell(CardLaid("A"), ColourStated("A", Colour.BLUE), ColourStated("A", Colour.BLUE))
    (finding,) = game.tell(ColourStated("A", Colour.RED))
    assert finding.level is Level.ILLEGAL
    assert stated_colour(game.state) is Colour.BLUE


def test_only_the_leader_states_a_colour(table) -> None:
    game = table()
    (finding,) = game.tell(ColourStated("C", Colour.RED))
    assert finding.level is Level.NOTE
    assert stated_colour(game.state) is None


def test_playing_out_of_turn_is_seen_where_the_order_is_known(table) -> None:
    game = table()
    assert not game.tell(CardLaid("C", look=1))
    (finding,) = game.tell(CardLaid("A", look=2))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "C")
    assert finding.rule.startswith("Progression of the game: play in turn")
    assert not game.tell(CardLaid("B", look=3))  # told once


@pytest.mark.parametrize("looks", [(1, 1, 1), (1, 2, 3), (1, 1, 2), (None, None, None), (2, None, 2)])
def test_cards_of_one_look_have_no_order(table, looks) -> None:
    game = table()
    seats = ("B", "A", "C") if looks[0] == looks[1] else ("A", "B", "C")
    assert not game.tell(*(CardLaid(seat, look) for seat, look in zip(seats, looks, strict=True)))


def test_both_who_did_not_wait_are_told(table) -> None:
    game = table()
    game.tell(CardLaid("C", 1), CardLaid("B", 2), CardLaid("A", 3))
    assert sorted(finding.player for finding in game.findings) == ["B", "C"]


def test_a_second_card_in_one_trick(table) -> None:
    game = table()
    (finding,) = game.tell(CardLaid("A"), CardLaid("A"))
    assert finding.level is Level.ILLEGAL
    assert "one card each" in finding.rule
    game.tell(CardLaid("B"), CardLaid("C"), CardRevealed("A", "red-01"))
    (finding,) = game.tell(CardRevealed("A", "red-02"))
    assert finding.level is Level.ILLEGAL
    assert game.state.played == {"A": "red-01"}
    seen_open = table()
    seen_open.tell(CardRevealed("A", "red-01"))
    (finding,) = seen_open.tell(CardLaid("A"))
    assert finding.level is Level.ILLEGAL


def test_a_card_seen_again_is_nothing_new(table) -> None:
    game = table()
    game.tell(CardLaid("A"), CardLaid("B"), CardLaid("C"), CardRevealed("A", "red-01"))
    before = game.state
    assert not game.tell(CardRevealed("A", "red-01"))
    assert game.state == before


def test_cards_are_revealed_together(table) -> None:
    game = table()
    (finding,) = game.tell(CardLaid("A"), CardRevealed("A", "red-01"))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "A")
    assert "reveal" in finding.rule


def test_cards_first_seen_open_are_no_breach(table) -> None:
    game = table()
    assert not game.tell(CardRevealed("C", "red-01"), CardRevealed("A", "red-02"), CardRevealed("B", "red-03"))
    assert game.state.drawer == "C"


def test_a_card_that_is_on_the_table_twice(table) -> None:
    game = table()
    game.tell(CardLaid("A"), CardLaid("B"), CardLaid("C"), CardRevealed("A", "red-01"))
    (finding,) = game.tell(CardRevealed("B", "red-01"))
    assert finding.level is Level.ILLEGAL
    assert "A had shown" in finding.text
    game.tell(CardRevealed("C", "red-02"))
    assert game.state.trick.majority is Colour.RED
    assert game.state.drawer is None  # two cards are the lowest


def test_a_card_played_again_in_a_later_trick(table) -> None:
    game = table()
    game.play("red-08", "red-02", "red-05")
    game.draw("2-5 red", "5-8 red")
    game.end()
    (finding,) = game.play("red-08", "red-03", "red-06")
    assert (finding.level, finding.player, finding.trick) == (Level.ILLEGAL, "B", 2)


def test_a_card_of_no_deck_leaves_the_trick_open(table) -> None:
    game = table()
    (finding,) = game.play("red-08", "green-02", "red-05")
    assert (finding.level, finding.player) == (Level.ILLEGAL, "B")
    assert game.state.trick.majority is None
    assert game.end() == []
    assert game.state.leader is None
    game.tell(CardLaid("C"), ColourStated("C", Colour.RED))
    assert game.state.leader == "C"  # whoever states the colour leads


def test_a_stranger_at_the_table(table) -> None:
    game = table()
    facts = (CardLaid("D"), CardRevealed("D", "red-01"), ColourStated("D", Colour.RED))
    for fact in facts:
        before = game.state
        (finding,) = game.tell(fact)
        assert finding.level is Level.ILLEGAL
        assert game.state == before


def test_a_card_laid_before_the_drawing_ended_is_kept_for_the_next_trick(table) -> None:
    game = table()
    game.play("red-08", "red-02", "red-05")
    (finding,) = game.tell(CardLaid("B"))
    assert finding.level is Level.NOTE
    game.draw("2-5 red", "5-8 red")
    game.end()
    assert game.state.trick.laid == 0b010


def test_the_last_card_may_lie_down_before_the_last_drawing_ended(table) -> None:
    game = table()
    game.state = game.state._replace(trick=game.state.trick._replace(number=7))
    game.play("red-08", "red-02", "red-05")
    assert game.tell(CardLaid("B")) == []


def test_end_of_a_drawing_without_a_trick(table) -> None:
    game = table()
    (finding,) = game.tell(DrawingEnded())
    assert finding.level is Level.NOTE
    assert game.state.trick.number == 1


def test_a_trick_that_ended_before_all_cards_were_seen(table) -> None:
    game = table()
    game.tell(CardLaid("A"), CardLaid("B"), CardLaid("C"), CardRevealed("A", "red-01"))
    (finding,) = game.end()
    assert finding.level is Level.NOTE
    assert "B, C" in finding.text
    assert game.state.done[0].winner is None


def test_cards_before_the_stars_are_noted(table) -> None:
    game = table(stars=None)
    (finding,) = game.tell(CardLaid("A"))
    assert finding.level is Level.NOTE
