"""Playing Preparation/Review cards, and a deck that runs out: one test a sentence of the rulebook."""

from __future__ import annotations

import pytest

from companion.rules.core import Level
from companion.rules.shuhari import RULES, Due, Phase, playable
from companion.rules.shuhari.facts import (
    CardDrawn,
    CardPlayed,
    CardTaken,
    DeckRenewed,
    DeckSearched,
    Play,
    PlayDeclared,
)
from companion.rules.shuhari.settings import ReviewNeeds, ShortDeck


@pytest.fixture
def second_trick(table):
    """Two players; ranks 1 to 8 of ikebana lie in the discard pile, B has led 9-ikebana."""

    def make(**settings):
        game = table(2, **settings)
        game.play(*(f"{rank}-ikebana" for rank in range(1, 9)))
        game.clear()
        game.play("9-ikebana")
        return game

    return make


def with_deck(game, count: int) -> None:
    game.state = game.state._replace(pool=game.state.pool._replace(deck=count))


# -- Preparation Card ---------------------------------------------------------------------------------------------------------


def test_preparation_looks_at_four_in_place_of_the_draw(second_trick) -> None:
    game = second_trick()
    deck = game.state.pool.deck
    assert game.tell(CardPlayed("A", "preparation")) == []
    assert game.state.trick.due is Due.SEARCH
    (wanted,) = RULES.expects(game.state)
    assert wanted.text == "A: look at the top 4 cards, keep one, put the others under the deck."
    assert game.tell(DeckSearched("A")) == []
    assert (game.state.hands[0].size, game.state.pool.deck) == (7, deck - 1)
    assert game.state.turn == "B"  # the turn has ended


def test_aids_bypass_the_duty_to_practise_and_never_rank(second_trick) -> None:
    game = second_trick()
    assert {"Preparation", "Review"} <= set(RULES.expects(game.state)[-1].options)
    assert game.play("preparation") == []
    assert game.state.trick.cards[-1].play is Play.AID
    assert game.state.hands[0].rests == ()
    assert game.state.trick.best == 9
    assert "aid" in playable(game.state, ["preparation", "10-ikebana"])


def test_aids_count_as_cards_of_the_trick_unless_the_table_says_no(second_trick) -> None:
    for count, phase in ((True, Phase.CLEAR), (False, Phase.PLAY)):
        game = second_trick(aids_count=count)
        game.tell(CardPlayed("A", "preparation"), DeckSearched("A"))
        game.play("10-ikebana", "11-ikebana", "12-ikebana", "1-koto", "2-koto", "3-koto")
        assert game.state.phase is phase
    game.play("4-koto")
    assert game.state.phase is Phase.CLEAR


def test_looking_without_preparation(second_trick) -> None:
    game = second_trick()
    (finding,) = game.tell(DeckSearched("A"))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "A")


@pytest.mark.parametrize(("looked", "level"), [(5, Level.ILLEGAL), (4, None), (3, Level.NOTE)])
def test_four_cards_are_looked_at(second_trick, looked, level) -> None:
    game = second_trick()
    game.tell(CardPlayed("A", "preparation"))
    assert [finding.level for finding in game.tell(DeckSearched("A", looked))] == ([level] if level else [])


def test_a_plain_draw_after_preparation_is_worth_a_note(second_trick) -> None:
    game = second_trick()
    game.tell(CardPlayed("A", "preparation"))
    (finding,) = game.tell(CardDrawn("A"))
    assert finding.level is Level.NOTE
    assert game.state.turn == "B"


def test_preparation_with_fewer_than_four_left_shuffles_the_pile(second_trick) -> None:
    game = second_trick()
    game.tell(CardPlayed("A", "preparation"))
    with_deck(game, 2)
    (wanted,) = RULES.expects(game.state)
    assert wanted.act == "shuffle the discard pile"
    assert game.tell(DeckRenewed(), DeckSearched("A")) == []
    assert game.state.pool.deck == 2 + 8 - 1
    assert game.state.pool.ends == ()  # two cards of the old deck are in the new one, so nobody knows the hands


def test_preparation_may_look_at_what_remains_where_the_table_says_so(second_trick) -> None:
    game = second_trick(short_deck=ShortDeck.REMAINING)
    game.tell(CardPlayed("A", "preparation"))
    with_deck(game, 2)
    (wanted,) = RULES.expects(game.state)
    assert wanted.text.startswith("A: look at the top 2 cards")
    assert game.tell(DeckSearched("A", 2)) == []


# -- Review Card --------------------------------------------------------------------------------------------------------------


def test_review_takes_an_art_card_in_place_of_the_draw(second_trick) -> None:
    game = second_trick()
    deck = game.state.pool.deck
    assert game.tell(CardPlayed("A", "review")) == []
    (wanted,) = RULES.expects(game.state)
    assert [option.split("/")[0] for option in wanted.options] == [
        f"{rank} ikebana" for rank in range(2, 9)
    ]  # not rank 1
    assert game.tell(CardTaken("A", "5-ikebana")) == []
    assert (game.state.hands[0].size, game.state.pool.deck, game.state.turn) == (7, deck, "B")
    assert [known.card for known in game.state.hands[0].known] == ["5-ikebana"]
    assert "5-ikebana" not in game.setup.names(game.state.pool.pile)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("1-ikebana", "of rank 1; a Review card takes art cards of rank 2 to 11"),
        ("5-koto", "which does not lie in the discard pile"),
        ("preparation", "no art card"),
    ],
)
def test_review_takes_nothing_else(second_trick, name, text) -> None:
    game = second_trick()
    game.tell(CardPlayed("A", "review"))
    (finding,) = game.tell(CardTaken("A", name))
    assert finding.level is Level.ILLEGAL
    assert text in finding.text


@pytest.mark.parametrize(("rank", "allowed"), [(1, False), (2, True), (11, True), (12, False)])
def test_review_takes_ranks_2_to_11(second_trick, rank, allowed) -> None:
    game = second_trick()
    name = f"{rank}-ikebana"
    pool = game.state.pool
    game.state = game.state._replace(pool=pool._replace(pile=pool.pile | game.setup.arts[name].bit))
    game.tell(CardPlayed("A", "review"))
    assert (game.setup.named(name) in RULES.expects(game.state)[0].options) is allowed
    assert (game.tell(CardTaken("A", name)) == []) is allowed


def test_a_card_taken_by_review_proves_a_rest_that_is_told_afterwards(second_trick, card) -> None:
    game = second_trick()
    game.tell(CardPlayed("A", "review"), CardTaken("A", "5-ikebana"))
    game.play("10-ikebana")
    assert game.play(card(12, 1, "ikebana")) == []  # a rest or a break: nobody told
    (finding,) = game.tell(PlayDeclared("A", Play.REST))
    assert (finding.level, finding.player) == (Level.PROVED, "A")


def test_taking_without_review(second_trick) -> None:
    game = second_trick()
    game.tell(CardPlayed("A", "10-ikebana"))
    (finding,) = game.tell(CardTaken("A", "5-ikebana"))
    assert finding.rule.startswith("Review card: take")
    assert game.state.hands[0].size == 7


def test_drawing_after_review(second_trick) -> None:
    game = second_trick()
    game.tell(CardPlayed("A", "review"))
    (finding,) = game.tell(CardDrawn("A"))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "A")


def test_no_review_while_the_pile_is_empty(table) -> None:
    game = table()
    game.play("7-ikebana")
    assert "aid" not in playable(game.state, ["review", "3-koto"])
    (wanted,) = RULES.expects(game.state)
    assert "Review" not in wanted.options
    assert "Review has nothing to take" in wanted.text
    (finding,) = game.tell(CardPlayed("B", "review"))
    assert finding.rule == "Review card: not while the discard pile holds nothing to take"
    assert game.state.trick.due is Due.DRAW


def test_review_needs_an_art_card_that_may_be_taken(table) -> None:
    for needs, allowed in ((ReviewNeeds.ART, False), (ReviewNeeds.ANY, True)):
        game = table(2, review_needs=needs)
        game.play("1-ikebana")
        game.clear()  # only a rank 1 lies in the pile
        game.play("1-koto")
        assert ("aid" in playable(game.state, ["review"])) is allowed
        assert bool(game.tell(CardPlayed("A", "review"))) is not allowed


# -- Each Player's Turn: the deck runs out -------------------------------------------------------------------------------------


def test_the_pile_becomes_the_deck_when_it_runs_out(second_trick) -> None:
    game = second_trick()
    game.tell(CardPlayed("A", "10-ikebana"))
    with_deck(game, 0)
    (wanted,) = RULES.expects(game.state)
    assert (wanted.who, wanted.act) == (None, "shuffle the discard pile")
    assert game.tell(DeckRenewed(), CardDrawn("A")) == []
    assert (game.state.pool.deck, game.state.pool.pile, game.state.pool.aids) == (7, 0, ())


def test_no_shuffling_before_it_has_run_out(second_trick) -> None:
    game = second_trick()
    (finding,) = game.tell(DeckRenewed())
    assert (finding.level, finding.rule) == (
        Level.ILLEGAL,
        "Each player's turn: shuffle the discard pile when the deck runs out",
    )


def test_a_draw_from_a_deck_that_is_empty_by_count(second_trick) -> None:
    game = second_trick()
    game.tell(CardPlayed("A", "10-ikebana"))
    with_deck(game, 0)
    (finding,) = game.tell(CardDrawn("A"))
    assert finding.level is Level.NOTE
    assert not game.state.pool.certain


def test_there_is_nothing_to_shuffle(table) -> None:
    (finding,) = table().tell(DeckRenewed())
    assert finding.level is Level.NOTE
