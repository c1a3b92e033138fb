"""End of the game and determining the winner; what is expected at each point."""

from __future__ import annotations

import pytest

from companion.rules.core import Level
from companion.rules.hoshizora import RULES, Phase, TrickRecord
from companion.rules.hoshizora.facts import CardRevealed, Colour
from companion.rules.hoshizora.settings import BidSource, FinalTie


@pytest.fixture
def at_the_end(table):
    """A table after seven tricks that A, B and C won as often as told, with these lines on the board."""

    def make(won: str, *lines: str, **settings):
        game = table(**settings)
        game.stand(*lines)
        done = tuple(TrickRecord(n, "A", {}, Colour.RED, Colour.RED, seat, (), (), 0) for n, seat in enumerate(won, 1))
        game.state = game.state._replace(done=done, trick=game.state.trick._replace(number=8, lead=0))
        return game

    return make


def test_closest_bid_wins(at_the_end) -> None:
    game = at_the_end("AAABBCC", "1-2 red", "2-3 red", "3-6 blue")
    assert game.state.phase is Phase.BID
    assert game.outcome() is None
    assert game.bid(A="red-01", B="red-02", C="red-12") == []
    outcome = game.outcome()
    assert (outcome.winners, outcome.decided_by, outcome.points) == (("B",), "closest bid", 3)
    assert outcome.bids == {"A": 1, "B": 2, "C": 12}


def test_too_high_is_as_far_as_too_low(at_the_end) -> None:
    game = at_the_end("AAABBCC", "1-2 red", "2-3 red", "3-6 blue")
    game.bid(A="red-01", B="red-05", C="red-12")
    assert game.outcome().decided_by == "fewest tricks"  # A and B are two off, both bid red
    assert game.outcome().winners == ("B",)


def test_tie_goes_to_the_bid_card_of_the_colour_with_most_lines(at_the_end) -> None:
    game = at_the_end("BBBBBBB", "1-2 red", "2-3 red", "3-6 blue", "4-5 red", "5-8 red", "5-6 red", "6-9 red", "8-9 red",
                      "7-8 red", "1-10 red", "1-4 red", "4-12 red")  # fmt: skip
    assert game.state.points == 12
    game.bid(A="blue-01", B="red-11", C="red-01")  # 11, 11, 1 against 12
    assert (game.outcome().winners, game.outcome().decided_by) == (("B",), "bid card's colour has most lines")


@pytest.mark.parametrize(("won", "winner"), [("BBBAACC", "A"), ("BBAAACC", "B")])
def test_equal_colours_are_skipped(at_the_end, won, winner) -> None:
    game = at_the_end(won, "1-2 red", "3-6 blue", bid_source=BidSource.NUMBER)
    game.bid(A="blue-03", B="red-01", C="blue-12")  # both are one off, in either colour
    assert (game.outcome().winners, game.outcome().decided_by) == ((winner,), "fewest tricks")


def test_colour_is_skipped_when_no_tied_bid_has_it(at_the_end) -> None:
    game = at_the_end("BBBAACC", "1-2 blue", "3-6 blue", "2-3 red")
    game.bid(A="red-02", B="red-04", C="red-12")
    assert game.outcome().decided_by == "fewest tricks"


def test_fewest_tricks_among_those_whose_colour_matches(at_the_end) -> None:
    game = at_the_end("ABBBBBB", "1-2 red", "2-3 red", "4-5 red", bid_source=BidSource.NUMBER)
    game.bid(A="red-02", B="red-04", C="blue-02")  # all are one off; C won no trick, but bid the lesser colour
    assert (game.outcome().winners, game.outcome().decided_by) == (("A",), "fewest tricks")


def test_a_last_tie_is_shared(at_the_end) -> None:
    game = at_the_end("AABBCCC", "1-2 red", "2-3 red", "4-5 red")
    game.bid(A="red-02", B="red-04", C="blue-12")
    assert (game.outcome().winners, game.outcome().decided_by) == (("A", "B"), "shared")


def test_a_last_tie_can_be_set_to_be_won_by_nobody(at_the_end) -> None:
    game = at_the_end("AABBCCC", "1-2 red", "2-3 red", "4-5 red", final_tie=FinalTie.NOBODY)
    game.bid(A="red-02", B="red-04", C="blue-12")
    assert (game.outcome().winners, game.outcome().decided_by) == ((), "nobody: still level")
    clear = at_the_end("ABBBBBB", "1-2 red", "2-3 red", "4-5 red", final_tie=FinalTie.NOBODY)
    clear.bid(A="red-02", B="red-04", C="blue-12")
    assert clear.outcome().winners == ("A",)


def test_bid_figure_or_number(at_the_end) -> None:
    game = at_the_end("AAABBCC", "1-2 red", bid_source=BidSource.NUMBER)
    game.bid(A="blue-03", B="red-12", C="red-11")
    assert game.outcome().bids == {"A": 3, "B": 12, "C": 11}
    printed = at_the_end("AAABBCC", "1-2 red")
    printed.bid(A="blue-03", B="red-12", C="red-11")
    assert printed.outcome().bids["A"] == 13


def test_a_card_shown_open_at_the_end_is_the_bid(at_the_end) -> None:
    game = at_the_end("AAABBCC", "1-2 red")
    game.tell(*(CardRevealed(seat, card) for seat, card in (("A", "red-01"), ("B", "red-02"), ("C", "red-03"))))
    assert game.state.phase is Phase.OVER


def test_the_game_ends_after_the_seventh_card_and_its_lines(table) -> None:
    game = table()
    reds, blues = ([f"{colour}-{n:02d}" for n in range(1, 13)] for colour in ("red", "blue"))
    tricks = [reds[n : n + 3] for n in (0, 3, 6, 9)] + [blues[n : n + 3] for n in (0, 3, 6)]
    for cards in tricks[:6]:
        game.play(*cards)
        game.end()
    game.play(*tricks[6])
    before = game.state.points
    assert game.state.phase is Phase.DRAW
    assert not any(finding.rule.startswith("Rules for") for finding in game.draw("7-8 blue"))
    assert game.state.points == before + 1  # what the seventh card draws counts
    game.end()
    assert [wanted.act for wanted in RULES.expects(game.state)] == ["show your bid"] * 3
    game.bid(A="blue-10", B="blue-11", C="blue-12")
    assert game.outcome().points == before + 1
    assert game.state.hands.shown[2].bit_count() == 8  # every card of every hand has come to light


def test_winning_tricks_and_drawing_lines_score_nothing_for_a_player(at_the_end) -> None:
    game = at_the_end("AAAAAAA", "1-2 red", "2-3 red", "3-6 blue")
    game.bid(A="red-01", B="red-03", C="red-12")
    assert game.outcome().winners == ("B",)


def test_a_second_bid(at_the_end) -> None:
    game = at_the_end("AAABBCC", "1-2 red")
    game.bid(A="red-01")
    (finding,) = game.bid(A="red-02")
    assert finding.level is Level.ILLEGAL
    assert finding.rule.startswith("End of the game")
    assert game.bid(A="red-01") == []


def test_a_bid_before_the_seventh_trick(table) -> None:
    game = table()
    (finding,) = game.bid(A="red-01")
    assert (finding.level, finding.player) == (Level.ILLEGAL, "A")
    assert game.outcome() is None


def test_a_bid_that_is_in_no_deck_is_asked_for_again(at_the_end) -> None:
    game = at_the_end("AAABBCC", "1-2 red")
    (finding,) = game.bid(A="green-01")
    assert finding.level is Level.ILLEGAL
    assert [wanted.who for wanted in RULES.expects(game.state)] == ["A", "B", "C"]


def test_expectations_through_a_trick(table) -> None:
    game = table(stars=None)
    assert [x.act for x in RULES.expects(game.state)] == ["place the stars"]
    game = table()
    (lead,) = RULES.expects(game.state)
    assert (lead.who, lead.act) == ("A", "lay a card")
    game.tell(*table().facts)
    game.play("red-02", "blue-08", "red-04")
    (draw,) = RULES.expects(game.state)
    assert (draw.who, draw.act, draw.options, draw.must) == ("A", "draw", ("2-4 red",), True)
    game.draw("2-4 red")
    (end,) = RULES.expects(game.state)
    assert (end.act, end.must) == ("end the drawing", True)
    game.end()
    assert RULES.expects(game.state)[0].who == "A"


def test_follow_is_expected_as_a_condition_on_a_hidden_hand(table) -> None:
    from companion.rules.hoshizora.facts import CardLaid, ColourStated

    game = table()
    game.tell(CardLaid("A"), ColourStated("A", Colour.RED))
    (wanted,) = RULES.expects(game.state)
    assert wanted.who == "B"
    assert "if you hold red" in wanted.text
    assert wanted.options == ()


def test_a_second_line_may_be_drawn_but_need_not(table) -> None:
    game = table()
    game.play("red-01", "red-02", "red-05")
    game.draw("1-2 red")
    wanted = RULES.expects(game.state)
    assert [(x.act, x.must) for x in wanted] == [("draw", False), ("end the drawing", False)]


def test_erasing_is_offered(table) -> None:
    game = table(line_elimination=True)
    game.stand("1-5 red")
    game.play("red-02", "red-08", "blue-04")
    erase = RULES.expects(game.state)[0]
    assert (erase.act, erase.must, erase.options) == ("erase", False, ("1-5 red",))


def test_nothing_is_expected_after_the_end(at_the_end) -> None:
    game = at_the_end("AAABBCC", "1-2 red")
    game.bid(A="red-01", B="red-02", C="red-12")
    assert RULES.expects(game.state) == ()
