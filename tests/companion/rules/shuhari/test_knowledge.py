"""What plays prove of hidden hands: hardly ever anything, and then exactly."""

from __future__ import annotations

from itertools import permutations

import pytest

from companion.rules.core import Level
from companion.rules.shuhari import RULES, candidates, likelihood
from companion.rules.shuhari.facts import CardDrawn, CardPlayed, CardShown, CardTaken, DeckRenewed, Play
from companion.rules.shuhari.knowledge import explained, no_room
from companion.virtual.chance import Chance


def rested(game, *, slot: int | None = None) -> None:
    """Two players: A leads ikebana, B rests on it and draws; `slot` is the place of B's hand that both concern."""
    game.play("7-ikebana")
    game.tell(CardPlayed("B", "3-koto", Play.REST, slot), CardDrawn("B", slot))


# -- What proves nothing ------------------------------------------------------------------------------------------------------


def test_a_hidden_draw_explains_the_next_card(table, proved) -> None:
    game = table(2)
    rested(game)
    game.play("8-ikebana", "9-ikebana")
    assert proved(game.findings) == []


def test_a_draw_of_each_turn_explains_a_card_of_each_turn(table, proved) -> None:
    game = table(2)
    rested(game)
    game.play("8-ikebana", "9-ikebana", "10-ikebana", "11-ikebana", "12-ikebana", "1-ikebana")
    assert proved(game.findings) == []
    assert len(game.state.hands[1].rests) == 1


def test_a_rest_claims_nothing_of_the_other_rings(table, card, proved) -> None:
    game = table(2)
    rested(game, slot=3)
    game.tell(CardShown("B", card(9, 1, "ikebana"), 5))
    assert proved(game.findings) == []


def test_a_break_claims_nothing(table, card) -> None:
    game = table(2)
    game.play("7-ikebana", f"{card(9, 1, 'ikebana')} break")
    assert game.state.hands[1].rests == ()


def test_a_draw_that_nobody_saw_explains_as_well(table, proved) -> None:
    game = table(2)
    game.play("7-ikebana")
    game.tell(CardPlayed("B", "3-koto", Play.REST), CardPlayed("A", "8-ikebana"), CardDrawn("A"))
    assert proved(game.tell(CardPlayed("B", "9-ikebana"))) == []


# -- Publicly in the hand -----------------------------------------------------------------------------------------------------


def test_a_card_taken_by_review_proves_a_rest_at_once(table, proved) -> None:
    game = table(2)
    game.play(*(f"{rank}-ikebana" for rank in range(1, 9)))
    game.clear()
    game.play("1-koto")  # B leads
    game.tell(CardPlayed("A", "review"), CardTaken("A", "5-ikebana"))
    game.play("2-koto", "3-koto", "4-koto", "5-koto", "6-koto", "7-koto")
    game.clear()
    assert game.findings == []
    game.play("9-koto")  # A leads; the next trick is led by B
    game.play(*(f"{rank}-koto" for rank in (10, 11, 12, 8)), "1-chado rest", "2-chado rest", "3-chado rest")
    game.clear()
    game.play("9-ikebana")
    (finding,) = game.tell(CardPlayed("A", "4-chado", Play.REST))
    assert (finding.level, finding.player, finding.trick, finding.proved_at) == (Level.PROVED, "A", 4, 4)
    assert finding.evidence == (
        "trick 2: A took 5 ikebana/koto/chado from the discard pile",
        "trick 4: A rested with 4 chado/ikebana/shodo, claiming no ikebana in the Obey ring",
    )
    assert finding.rule == "Playing an art card (common): practise if you can, or break the mold"
    assert [rest.trick for rest in game.state.hands[0].rests] == [3]  # told once


def test_a_known_card_of_another_suit_proves_nothing(table, proved) -> None:
    game = table(2)
    game.tell(CardShown("B", "5-chado"))
    rested(game)
    assert proved(game.findings) == []


def test_a_card_that_was_played_is_known_no_more(table, proved) -> None:
    game = table(2)
    game.tell(CardShown("B", "5-ikebana"))
    game.play("7-ikebana", "5-ikebana", "8-ikebana", "3-koto rest")
    assert proved(game.findings) == []
    assert game.state.hands[1].known == ()


def test_a_card_shown_before_the_next_draw_proves_the_rest(table, proved) -> None:
    game = table(2)
    game.play("7-ikebana")
    game.tell(CardPlayed("B", "3-koto", Play.REST))
    (finding,) = proved(game.tell(CardShown("B", "9-ikebana")))
    assert (finding.player, finding.trick) == ("B", 1)


def test_hands_laid_open_prove_by_number(table, proved) -> None:
    """One draw since the rest: one ikebana card is explained, the second is not."""
    game = table(2)
    rested(game)
    assert proved(game.tell(CardShown("B", "9-ikebana"))) == []
    (finding,) = proved(game.tell(CardShown("B", "10-ikebana")))
    assert (finding.player, finding.trick) == ("B", 1)


def test_shown_cards_use_up_the_draws_of_later_plays(table, proved) -> None:
    game = table(2)
    rested(game)
    game.tell(CardShown("B", "9-ikebana"))  # explained by the only draw
    game.play("8-ikebana")
    (finding,) = proved(game.tell(CardPlayed("B", "10-ikebana")))
    assert finding.player == "B"


def test_two_rests_that_can_not_both_be_true(table, card, proved) -> None:
    """Each alone leaves a draw for its card; together they need the one draw between them twice."""
    game = table(2)
    game.play("7-ikebana", "3-koto rest", "8-ikebana")
    game.clear()
    game.play("7-chado", "1-chado")  # B leads chado, A follows
    game.clear()
    assert proved(game.findings) == []
    # A leads buyo, B rests, draws once more.
    game.play("7-buyo", "2-koto rest", "8-buyo")
    shown = [card(5, 0, "ikebana"), card(6, 0, "ikebana"), card(5, 0, "buyo")]
    found = proved(game.tell(*(CardShown("B", name) for name in shown)))
    assert found == []  # three draws since the first rest, one since the second
    found = proved(game.tell(CardShown("B", card(6, 0, "buyo"))))
    assert [finding.trick for finding in found] == [3]  # two buyo cards, one draw since the rest on buyo
    assert [rest.trick for rest in game.state.hands[1].rests] == [1]


def test_a_joint_proof_names_no_single_trick(table, card, proved) -> None:
    game = table(2)
    game.play("7-ikebana", "3-koto rest", "8-ikebana")
    game.clear()
    game.play("4-koto rest")  # B leads koto
    game.clear()
    game.play("7-buyo", "2-shodo rest", "8-buyo")
    # Draws of B: after the rest on ikebana, after leading, after the rest on buyo.
    game.tell(*(CardShown("B", card(rank, 0, "ikebana")) for rank in (5, 6)))
    assert proved(game.findings) == []
    found = proved(game.tell(CardShown("B", card(9, 0, "buyo")), CardShown("B", card(9, 0, "ikebana"))))
    (finding,) = found
    assert finding.trick is None
    assert "all of the tricks 1, 3" in finding.text
    assert len(finding.evidence) == 3


# -- Places of the hand that were followed ------------------------------------------------------------------------------------


def test_a_followed_place_filled_before_the_rest_proves_it(table, proved) -> None:
    game = table(2)
    rested(game, slot=3)
    game.tell(CardPlayed("A", "8-ikebana", slot=1), CardDrawn("A", 1))
    (finding,) = proved(game.tell(CardPlayed("B", "9-ikebana", slot=5)))
    assert (finding.player, finding.trick, finding.proved_at) == ("B", 1, 1)
    assert finding.evidence[1] == "9 ikebana/chado/shodo came from a place of the hand that was filled before"


def test_a_followed_place_filled_after_the_rest_explains_it(table, proved) -> None:
    game = table(2)
    rested(game, slot=3)
    game.tell(CardPlayed("A", "8-ikebana"), CardDrawn("A"))
    assert proved(game.tell(CardPlayed("B", "9-ikebana", slot=3))) == []


def test_places_are_unsure_after_a_draw_that_nobody_followed(table, proved) -> None:
    game = table(2)
    rested(game)
    game.play("8-ikebana")
    assert proved(game.tell(CardPlayed("B", "9-ikebana", slot=5))) == []


def test_a_followed_place_that_can_not_hold_the_card_is_a_wrong_reading(table, proved) -> None:
    """The card went through the pile into the deck after the place was filled."""
    game = table(2)
    game.play("7-ikebana", slots=[1])
    game.clear()
    game.run_out("7-koto")
    game.tell(CardPlayed("B", "7-koto", slot=2), CardDrawn("B", 2))
    game.tell(CardPlayed("A", "7-ikebana", slot=6))
    assert proved(game.findings) == []
    assert not game.state.pool.certain


# -- The deck has run out -----------------------------------------------------------------------------------------------------


def test_a_card_that_was_in_no_deck_any_more_proves_a_rest(table, proved) -> None:
    game = table(2)
    game.play("1-ikebana", "2-ikebana")
    game.clear()
    game.run_out("9-ikebana", "1-koto", "2-koto")
    game.play("1-koto", "2-koto")
    game.clear()
    game.play("7-ikebana", "3-koto rest", "8-ikebana")
    (finding,) = proved(game.tell(CardPlayed("B", "9-ikebana")))
    assert (finding.player, finding.trick, finding.proved_at) == ("B", 3, 3)
    assert "the deck ran out while 9 ikebana/chado/shodo was in a hand" in finding.evidence


def test_a_card_of_the_new_deck_proves_nothing(table, proved) -> None:
    game = table(2)
    game.play("1-ikebana", "2-ikebana")
    game.clear()
    game.run_out("9-ikebana", "1-koto", "2-koto")
    game.play("1-koto", "2-koto")
    game.clear()
    game.play("7-ikebana", "3-koto rest", "8-ikebana")
    assert proved(game.tell(CardPlayed("B", "2-ikebana"))) == []


def test_a_rest_before_the_deck_ran_out_is_explained_by_its_last_draws(table, proved) -> None:
    game = table(2)
    rested(game)
    game.clear()
    game.run_out("9-ikebana", "1-koto", "2-koto")
    game.play("1-koto", "2-koto")
    assert proved(game.tell(CardPlayed("B", "9-ikebana"))) == []


def test_earliest_deadline_two_old_cards_for_one_draw(table, proved) -> None:
    """One draw between the rest and the end of the deck explains one old card, not two."""
    game = table(2)
    rested(game)
    game.clear()
    game.run_out("9-ikebana", "10-ikebana", "4-koto", "2-koto")
    game.play("4-koto", "2-koto", "9-ikebana", "5-koto")
    assert proved(game.findings) == []
    (finding,) = proved(game.tell(CardPlayed("B", "10-ikebana")))
    assert (finding.player, finding.trick) == ("B", 1)


def test_an_uncounted_draw_takes_the_end_of_the_deck_from_the_argument(table, proved) -> None:
    game = table(2)
    game.play("1-ikebana", "2-ikebana")
    game.tell(CardPlayed("A", "3-ikebana"), CardPlayed("B", "4-ikebana"), CardDrawn("B"))
    game.clear()
    game.run_out("9-ikebana")
    assert game.state.pool.ends == ()
    game.play("1-koto", "2-koto")
    game.clear()
    game.play("7-ikebana", "3-koto rest", "8-ikebana")
    assert proved(game.tell(CardPlayed("B", "9-ikebana"))) == []


# -- No room elsewhere --------------------------------------------------------------------------------------------------------


def test_a_rest_is_false_where_the_deck_and_the_others_have_no_room(table, proved) -> None:
    """Eleven ikebana cards are hidden; a deck of three and a hand of seven hold ten."""
    for deck, false in ((3, True), (4, False)):
        game = table(2)
        game.play("7-ikebana")
        game.state = game.state._replace(pool=game.state.pool._replace(deck=deck))
        found = proved(game.tell(CardPlayed("B", "3-koto", Play.REST)))
        assert bool(found) is false
        if found:
            assert "11 such cards are hidden" in found[0].evidence[1]
            assert game.state.hands[1].rests == ()


def test_known_cards_of_the_others_leave_less_room(table) -> None:
    game = table(2)
    game.play("7-ikebana")
    game.state = game.state._replace(pool=game.state.pool._replace(deck=4))
    assert not no_room(game.setup, game.state.pool, game.state.hands, 1, 0)
    game.tell(CardShown("A", "5-koto"))
    assert no_room(game.setup, game.state.pool, game.state.hands, 1, 0)


def test_the_others_room_for_old_cards_shrinks_with_what_they_show(table, proved) -> None:
    """After the deck ran out, A shows seven old cards; the old ikebana card that nobody showed is then B's."""
    game = table(2)
    game.play("1-ikebana", "2-ikebana")
    game.clear()
    game.run_out("7-ikebana", "9-ikebana", *(f"{rank}-koto" for rank in range(1, 8)))
    game.play("1-buyo", "2-buyo")  # B leads, cards of the new deck
    game.clear()
    game.play("7-ikebana")  # A shows the first old card
    game.tell(CardPlayed("B", "3-buyo", Play.REST), CardDrawn("B"))
    assert proved(game.findings) == []
    found = proved(game.tell(*(CardShown("A", f"{rank}-koto") for rank in range(1, 7))))
    (finding,) = found
    assert (finding.player, finding.trick) == ("B", 3)
    assert game.state.hands[1].rests == ()


# -- Doubt --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["pile", "field", "other hand", "no deck"])
def test_a_card_that_can_not_be_there_is_told_and_proves_nothing(table, where) -> None:
    game = table(2)
    game.play("1-ikebana", "2-ikebana")
    game.clear()
    game.tell(CardShown("A", "5-koto"))
    if where != "other hand":
        game.play("3-ikebana")
    name = {"pile": "1-ikebana", "field": "3-ikebana", "other hand": "5-koto", "no deck": "13-koto"}[where]
    found = game.tell(CardPlayed("B" if where == "other hand" else "A", name))
    assert found[0].rule.startswith("Components")
    assert found[0].level is Level.ILLEGAL
    assert not game.state.pool.certain
    assert all(hand.rests == () for hand in game.state.hands)


def test_nothing_rests_on_what_was_read_before_a_contradiction(table, proved) -> None:
    game = table(2)
    rested(game, slot=3)
    game.tell(CardPlayed("A", "3-koto", slot=1), CardDrawn("A", 1))  # B played that card: one reading is wrong
    assert proved(game.tell(CardPlayed("B", "9-ikebana", slot=5))) == []


def test_a_sixth_preparation_card(table) -> None:
    game = table(2)
    game.play("7-ikebana")
    for _ in range(5):
        assert game.tell(CardShown("B", "preparation")) == []
    (finding, *_) = game.tell(CardShown("A", "preparation"))
    assert finding.rule.startswith("Components")


# -- Suspicion ----------------------------------------------------------------------------------------------------------------


def test_a_likely_revoke_is_suspect_where_the_table_wants_to_hear_it(table) -> None:
    for limit, levels in ((0, []), (200, [Level.SUSPECT])):
        game = table(2, suspect_per_mille=limit)
        rested(game)
        game.play("8-ikebana")
        found = game.tell(CardPlayed("B", "9-ikebana"))
        assert [finding.level for finding in found] == levels


def test_likelihood_is_a_share_of_the_hidden_cards(table) -> None:
    game = table(2)
    assert likelihood(game.state, 1, "9-ikebana") == 1000
    rested(game)
    game.play("8-ikebana")
    # 10 ikebana cards among the 67 cards that nobody has seen.
    assert likelihood(game.state, 1, "9-ikebana") == 10 * 1000 // 67


# -- What a hand may hold -----------------------------------------------------------------------------------------------------


def test_candidates_follow_from_rests_and_places(table) -> None:
    game = table(2)
    game.play("7-ikebana")
    game.tell(CardPlayed("B", "3-koto", Play.REST))
    assert not [name for name in candidates(game.state, "B") if name.endswith("-ikebana")]
    assert "9-ikebana" in candidates(game.state, "A")
    game.tell(CardDrawn("B"))
    assert "9-ikebana" in candidates(game.state, "B")
    assert "7-ikebana" not in candidates(game.state, "B")


# -- Earliest deadline first --------------------------------------------------------------------------------------------------


def test_serving_the_earliest_deadline_is_exact() -> None:
    """Against trying every way to give the cards draws of their own."""
    chance = Chance(5)
    yes = no = 0
    for _ in range(1500):
        draws = sorted({chance.below(9) for _ in range(5)})
        jobs = []
        for _ in range(1 + chance.below(4)):
            after = chance.below(8) - 1
            jobs.append((after, after + 1 + chance.below(6)))
        tried = any(
            all(after < draw < before for (after, before), draw in zip(jobs, chosen, strict=True))
            for chosen in permutations(draws, len(jobs))
        )
        assert explained(jobs, sum(1 << draw for draw in draws)) is tried, (jobs, draws)
        yes, no = yes + tried, no + (not tried)
    assert min(yes, no) > 200


def test_renewal_with_an_empty_pile_changes_nothing(table) -> None:
    game = table(2)
    before = game.state
    game.tell(DeckRenewed())
    assert game.state == before


def test_a_card_said_to_be_taken_that_goes_to_the_pile_is_known_in_no_hand(table) -> None:
    """It lay in the field when it was seen taken: one reading is wrong."""
    game = table(2)
    game.play("7-ikebana")
    game.tell(CardTaken("B", "7-ikebana"))
    game.clear()
    assert [hand.known for hand in game.state.hands] == [(), ()]


def test_a_card_judged_at_one_table_is_worked_out_anew_at_another(table) -> None:
    """The same fact, judged where it proves a rest false, is applied where it proves nothing, and the other way round."""
    fact = CardPlayed("B", "9-ikebana")
    proves, proves_not = table(2), table(2)
    for game in (proves, proves_not):
        game.play("7-ikebana", "3-koto rest" if game is proves else "3-ikebana", "8-ikebana")
    proves.tell(CardShown("B", "5-ikebana"))  # explained by the only draw, so the next is not
    for judged, applied in ((proves, proves_not), (proves_not, proves)):
        fresh = RULES.apply(applied.state, CardPlayed("B", "9-ikebana"))
        RULES.judge(judged.state, fact)
        assert RULES.apply(applied.state, fact) == fresh
    assert [finding.level for finding in RULES.judge(proves.state, fact)] == [Level.PROVED]
    assert RULES.judge(proves_not.state, fact) == ()
    assert RULES.apply(proves.state, fact).hands[1].rests == ()


def test_judging_and_applying_change_no_state_that_a_caller_holds(table) -> None:
    game = table(3)
    states = [(game.state, repr(game.state))]
    for text in ("7-ikebana", "3-koto rest", "9-ikebana", "preparation", "5-buyo rest"):
        seat = game.state.turn
        name, _, how = text.partition(" ")
        game.tell(CardPlayed(seat, name, Play(how) if how else None))
        states.append((game.state, repr(game.state)))
        game.tell(CardDrawn(seat))
        states.append((game.state, repr(game.state)))
    assert all(repr(state) == said for state, said in states)
