"""What the cards say of the hands: revokes found by later cards, and the count of the deals still possible."""

from __future__ import annotations

from math import comb, factorial

import pytest

from companion.rules.core import Level
from companion.rules.hoshizora import playable, worlds
from companion.rules.hoshizora.facts import CardLaid, CardRevealed, Colour, ColourStated

ALL_DEALS = factorial(24) // factorial(8) ** 3


def revokes(findings):
    return [x for x in findings if x.level is Level.PROVED]


def test_a_later_card_proves_a_revoke(table) -> None:
    game = table()
    assert game.play("red-08", "red-10", "blue-05") == []
    game.end()
    lead = game.state.leader
    assert lead == "B"
    assert not revokes(game.play("red-02", "blue-04", "red-01"))  # B, C, A: C off again
    game.end()
    (first, second) = revokes(game.play(*{"A": ("red-06", "red-09", "red-07")}.get(game.state.leader, ())))
    assert game.findings[-1].level is Level.PROVED
    assert (first.player, first.trick, first.proved_at) == ("C", 1, 3)
    assert first.evidence == ("trick 1: C played blue 5 on red", "trick 3: C played red 7")
    assert (second.player, second.trick, second.proved_at) == ("C", 2, 3)
    assert "follow the stated colour" in first.rule


def test_a_revoke_is_told_once(table) -> None:
    game = table()
    game.play("red-08", "red-10", "blue-05")
    game.end()
    game.play("red-02", "red-04", "red-01")  # B, C, A
    game.end()
    for cards in (("red-05", "red-06", "red-07"),):
        game.play(*cards)
    assert len(revokes(game.findings)) == 1


def test_the_bid_proves_a_revoke(table) -> None:
    game = table()
    game.play("red-08", "red-10", "blue-05")
    for trick in range(2, 8):
        game.end()
        blues = [f"blue-{n:02d}" for n in (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12)]
        if trick < 5:
            game.play(*blues[(trick - 2) * 3 : (trick - 1) * 3])
        else:
            game.tell(*(CardLaid(seat) for seat in "ABC"), CardRevealed("A", f"red-{trick:02d}"))
    game.end()
    (finding,) = revokes(game.bid(C="red-09"))
    assert (finding.player, finding.trick, finding.proved_at) == ("C", 1, 8)
    assert finding.evidence == ("trick 1: C played blue 5 on red", "bids: C showed red 9")


def test_the_colour_said_counts_for_following(table) -> None:
    game = table()
    game.tell(*(CardLaid(seat) for seat in "ABC"), ColourStated("A", Colour.BLUE))
    game.tell(CardRevealed("A", "red-08"), CardRevealed("B", "red-10"), CardRevealed("C", "blue-05"))
    assert [claim.act for claim in game.state.hands.claims] == ["trick 1: B played red 10 on blue"]


def test_the_order_of_revealing_does_not_matter(table) -> None:
    game = table()
    game.tell(*(CardLaid(seat) for seat in "ABC"))
    game.tell(CardRevealed("C", "blue-05"), CardRevealed("B", "red-10"), CardRevealed("A", "red-08"))
    assert [claim.player for claim in game.state.hands.claims] == ["C"]


def test_the_leader_claims_nothing(table) -> None:
    game = table()
    game.play("red-08", "blue-10", "blue-05")
    assert {claim.player for claim in game.state.hands.claims} == {"B", "C"}


def test_a_doubtful_card_accuses_nobody(table) -> None:
    game = table()
    game.play("red-08", "red-10", "blue-05")
    game.end()
    # C is seen with a card that B had played: one of the two readings is wrong, so it proves nothing.
    game.play("red-02", "red-10", "red-01")
    assert not revokes(game.findings)
    # ... and a second card beside the first proves nothing either.
    game.tell(CardRevealed("C", "red-07"))
    assert not revokes(game.findings)


@pytest.mark.parametrize("card", ["blue-05", "red-08"])
def test_a_claim_that_rests_on_a_card_seen_again_elsewhere_is_dropped(table, card) -> None:
    game = table()
    game.play("red-08", "red-10", "blue-05")
    game.end()
    game.play(card, "red-04", "red-01")  # B shows the card that C played, or that A led, in trick 1
    game.end()
    game.tell(*(CardLaid(seat) for seat in "ABC"), CardRevealed("C", "red-07"))
    assert not revokes(game.findings)


def test_a_lead_in_doubt_makes_no_claim(table) -> None:
    game = table()
    game.play("red-08", "red-10", "red-05")
    game.end()
    game.play("red-10", "blue-04", "red-01")  # B leads a card that it has played already
    assert game.state.hands.claims == ()


def test_a_bid_shown_too_early_is_remembered(table) -> None:
    game = table()
    game.bid(C="red-07")
    game.tell(*(CardLaid(seat) for seat in "ABC"))
    game.tell(CardRevealed("A", "red-08"), CardRevealed("B", "red-10"))
    (finding,) = game.tell(CardRevealed("C", "blue-05"))
    assert (finding.level, finding.player, finding.trick, finding.proved_at) == (Level.PROVED, "C", 1, 1)
    assert game.state.hands.claims == ()


def test_all_deals_are_possible_at_the_start(table) -> None:
    assert worlds(table().state) == ALL_DEALS


def test_worlds_after_a_trick(table) -> None:
    game = table()
    game.play("red-08", "red-10", "red-05")
    assert worlds(game.state) == factorial(21) // factorial(7) ** 3


def test_worlds_know_who_can_hold_no_red(table) -> None:
    game = table()
    game.play("red-08", "red-10", "blue-05")
    # C's seven are among the eleven blue cards left; the other fourteen go to A and B.
    assert worlds(game.state) == comb(11, 7) * comb(14, 7)


def test_a_disproved_claim_is_dropped_from_the_count(table) -> None:
    game = table()
    game.play("red-08", "red-10", "blue-05")
    game.end()
    game.play("red-02", "red-07", "red-01")
    assert worlds(game.state) == factorial(18) // factorial(6) ** 3


def test_a_card_that_nobody_saw_is_no_part_of_the_hand(table) -> None:
    game = table()
    game.tell(*(CardLaid(seat) for seat in "ABC"), CardRevealed("A", "red-08"), CardRevealed("B", "red-10"))
    game.end()
    game.tell(*(CardLaid(seat) for seat in "ABC"), ColourStated("A", Colour.RED))
    game.tell(CardRevealed("A", "red-01"), CardRevealed("B", "red-02"), CardRevealed("C", "blue-05"))
    # C: seven cards unknown, of which the one played unseen in trick 1 may be red.
    hidden_red, hidden_blue = 8, 11
    ways = sum(comb(hidden_red, r) * comb(hidden_blue, 7 - r) * comb(12, 6) for r in (0, 1))
    assert worlds(game.state) == ways


def test_claims_that_can_not_all_be_true_leave_no_deal(table) -> None:
    game = table()
    for cards in (("red-01", "blue-01", "blue-02"),):
        game.play(*cards)
    game.end()
    assert game.state.leader == "B"
    game.play("blue-03", "blue-04", "blue-05")  # B, C, A follow
    assert worlds(game.state) == 0  # eleven red cards are hidden, and A alone may hold them, with six left


@pytest.mark.parametrize(
    ("hand", "stated", "allowed"),
    [
        (("red-01", "blue-02"), Colour.RED, ("red-01",)),
        (("red-01", "blue-02"), None, ("red-01", "blue-02")),
        (("blue-03", "blue-02"), Colour.RED, ("blue-03", "blue-02")),
    ],
)
def test_playable_cards_of_a_known_hand(table, hand, stated, allowed) -> None:
    assert playable(table().setup, hand, stated) == allowed
