"""Setup, the set-up variant, constructed decks and the draft, by the rulebook's sections."""

from __future__ import annotations

import pytest

from companion.rules.core import Level
from companion.rules.hoshi_battle import HoshiBattleSettings, HoshiBattleSetup, sections
from companion.rules.hoshi_battle.facts import (
    CardKind,
    CardsDealt,
    CardsKept,
    CardsPassed,
    DeckBrought,
    HeroRevealed,
)
from companion.rules.hoshi_battle.settings import Deal
from companion.rules.hoshi_battle.state import Phase

HERO, DUEL = CardKind.HERO, CardKind.DUEL


def test_setup_deals_five_of_each_and_three_are_kept(table) -> None:
    game = table()
    said = []
    for kind in CardKind:
        said += game.tell(*(CardsDealt(seat, kind, 5) for seat in "AB"))
        said += game.tell(*(CardsKept(seat, kind, 3) for seat in "AB"))
    assert said == []
    assert game.phase is Phase.PLACE
    assert [(p.heroes, p.duels) for p in game.state.players] == [(3, 3), (3, 3)]


def test_setup_another_count_is_found(table, rules) -> None:
    game = table()
    assert rules(game.tell(CardsDealt("A", HERO, 4))) == [sections.DEAL]
    assert rules(game.tell(CardsKept("A", HERO, 4))) == [sections.KEEP]
    assert game.state.players[0].heroes == 4  # it is what lies there


def test_setup_expects_the_deal_then_the_choice(table) -> None:
    game = table()
    assert [x.rule for x in game.expects()] == [sections.DEAL]
    game.tell(CardsDealt("B", HERO, 5))
    assert [(x.who, x.act) for x in game.expects()][1:] == [("B", "keep Heroes")]


def test_setup_variant_deals_four_and_four_together(table, rules) -> None:
    game = table(deal=Deal.COMBINED)
    assert game.tell(*(CardsDealt(seat, kind, 4) for seat in "AB" for kind in CardKind)) == []
    assert rules(game.tell(CardsDealt("A", DUEL, 5))) == [sections.DEAL_VARIANT]
    assert game.expects()[0].rule == sections.DEAL_VARIANT


def test_dealing_after_the_game_began(table, rules) -> None:
    game = table()
    game.keep()
    assert rules(game.tell(CardsDealt("A", HERO, 5))) == [sections.DEAL]
    assert game.state.players[0].dealt == (0, 0)


def test_cards_may_be_played_though_nobody_told_of_the_deal(table) -> None:
    game = table()
    assert game.duel(A="plain-1", B="plain-2") == []
    assert game.phase is Phase.ROLLING


def test_seats_must_be_two_or_more_different_ones(table) -> None:
    cards = table().setup
    with pytest.raises(ValueError, match="seats: two or more"):
        HoshiBattleSetup(("A",), "A", cards.heroes, cards.duels)
    with pytest.raises(ValueError, match="seats: two or more"):
        HoshiBattleSetup(("A", "A"), "A", cards.heroes, cards.duels)
    with pytest.raises(ValueError, match="lead: Z"):
        HoshiBattleSetup(("A", "B"), "Z", cards.heroes, cards.duels)
    with pytest.raises(ValueError, match="hold Heroes"):
        HoshiBattleSetup(("A", "B"), "A", {}, cards.duels)
    with pytest.raises(ValueError, match="is a Hero and a Duel card"):
        HoshiBattleSetup(("A", "B"), "A", cards.heroes, {"yoss": cards.duels["rage"]})


@pytest.mark.parametrize(
    ("name", "value"),
    [("stones", 0), ("cost_limit", -1), ("defence_ms", "long"), ("deal", "cheat"), ("example_windows", 1)],
)
def test_settings_name_what_can_not_be(name, value) -> None:
    from companion.rules.settings import settings_from

    with pytest.raises(ValueError, match=f"setting {name}"):
        settings_from(HoshiBattleSettings, {name: value})


# Constructed deck variant

GOOD_HEROES = ("plain-1", "plain-2", "plain-3", "plain-4")
GOOD_DUELS = ("idle-1", "idle-2", "idle-3", "idle-4")


def test_constructed_decks_of_four_and_four_within_the_cost(table) -> None:
    game = table(deal=Deal.CONSTRUCTED)
    assert game.tell(DeckBrought("A", GOOD_HEROES, GOOD_DUELS)) == []
    assert game.tell(CardsDealt("A", HERO, 3), CardsDealt("A", DUEL, 3)) == []
    assert game.expects()[0].rule == sections.DECK_DRAW


def test_constructed_decks_another_number_drawn(table, rules) -> None:
    game = table(deal=Deal.CONSTRUCTED)
    assert rules(game.tell(CardsDealt("A", HERO, 4)), Level.ILLEGAL) == [sections.DECK_DRAW]


def test_constructed_deck_over_the_agreed_cost(table, rules) -> None:
    dear = ("plain-9", "plain-8", "plain-7", "plain-6")
    game = table(deal=Deal.CONSTRUCTED)
    said = game.tell(DeckBrought("A", dear, ("idle-9", "idle-1", "idle-2", "idle-3")))
    assert rules(said) == [sections.DECK_COST]
    assert "more than the agreed 40" in said[0].text
    assert "45" not in said[0].text  # a finding is public, the deck is not
    assert table(deal=Deal.CONSTRUCTED, cost_limit=60).tell(DeckBrought("A", dear, GOOD_DUELS)) == []


def test_constructed_deck_of_exactly_the_agreed_cost(table) -> None:
    game = table(deal=Deal.CONSTRUCTED, cost_limit=20)
    assert game.tell(DeckBrought("A", GOOD_HEROES, GOOD_DUELS)) == []


def test_constructed_deck_with_a_card_twice_does_not_tell_which(table, rules) -> None:
    game = table(deal=Deal.CONSTRUCTED)
    said = game.tell(DeckBrought("A", ("plain-1", "plain-1", "plain-3", "plain-4"), GOOD_DUELS))
    assert rules(said) == [sections.DECK_TWICE]
    assert "plain" not in said[0].text


def test_constructed_deck_of_another_size(table, rules) -> None:
    game = table(deal=Deal.CONSTRUCTED)
    assert rules(game.tell(DeckBrought("A", GOOD_HEROES[:3], GOOD_DUELS))) == [sections.DECK_SIZE]


def test_constructed_deck_of_unknown_cost_is_said(table) -> None:
    game = table(deal=Deal.CONSTRUCTED)
    (said,) = game.tell(DeckBrought("A", ("hero-02", "plain-2", "plain-3", "plain-4"), GOOD_DUELS))
    assert (said.rule, said.level) == (sections.DECK_COST, Level.NOTE)


def test_constructed_deck_with_a_card_of_another_game(table, rules) -> None:
    game = table(deal=Deal.CONSTRUCTED)
    said = game.tell(DeckBrought("A", ("red-01", "plain-2", "plain-3", "plain-4"), GOOD_DUELS))
    assert sections.CONTENTS in rules(said, Level.ILLEGAL)


def test_constructed_decks_a_card_that_was_not_brought(table, rules) -> None:
    game = table(deal=Deal.CONSTRUCTED)
    game.tell(DeckBrought("A", GOOD_HEROES, GOOD_DUELS))
    game.keep()
    game.duel(A="plain-7", B="plain-1", began=False)
    assert rules(game.findings) == [sections.DECK_SIZE]


def test_constructed_decks_two_players_may_bring_the_same_card(table) -> None:
    game = table(deal=Deal.CONSTRUCTED)
    game.tell(DeckBrought("A", GOOD_HEROES, GOOD_DUELS), DeckBrought("B", GOOD_HEROES, GOOD_DUELS))
    assert game.duel(A="plain-1", B="plain-1") == []


def test_constructed_decks_may_be_combined_with_more_players(table) -> None:
    game = table("ABC", deal=Deal.CONSTRUCTED)
    assert game.tell(DeckBrought("C", GOOD_HEROES, GOOD_DUELS)) == []
    game.keep()
    assert game.phase is Phase.OPPONENT


def test_decks_brought_to_a_table_without_them_are_a_note(table, rules) -> None:
    assert rules(table().tell(DeckBrought("A", GOOD_HEROES, GOOD_DUELS)), Level.NOTE) == [sections.DECK_SIZE]


def test_contents_a_card_that_another_player_showed(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-1", began=False)
    assert rules(game.findings) == [sections.CONTENTS]


def test_contents_a_card_in_no_deck(table, rules) -> None:
    game = table()
    game.keep()
    game.duel(A="red-01", B="plain-1", began=False)
    assert rules(game.findings) == [sections.CONTENTS]
    assert game.phase is Phase.READY


def test_contents_a_duel_card_shown_as_hero(table) -> None:
    game = table()
    game.keep()
    (said,) = game.duel(A="rage", B="plain-1", began=False)
    assert "not that kind" in said.text


# Rules for 3 or more players: draft


def draft(game, kind, step) -> list:
    said = []
    for count in (3, 2, 1):
        said += game.tell(*(CardsPassed(seat, game.setup.after(seat, step), kind, count) for seat in game.setup.seats))
    return said


def test_draft_heroes_to_the_left_duel_cards_to_the_right(table) -> None:
    game = table("ABCD")
    assert game.expects()[0].rule == sections.DRAFT
    said = game.tell(*(CardsDealt(seat, HERO, 4) for seat in "ABCD"))
    said += draft(game, HERO, 1) + game.tell(*(CardsKept(seat, HERO, 3) for seat in "ABCD"))
    said += game.tell(*(CardsDealt(seat, DUEL, 4) for seat in "ABCD"))
    said += draft(game, DUEL, -1) + game.tell(*(CardsKept(seat, DUEL, 3) for seat in "ABCD"))
    assert said == []
    assert game.phase is Phase.OPPONENT


def test_draft_the_wrong_way(table, rules) -> None:
    game = table("ABC")
    assert rules(game.tell(CardsPassed("A", "C", HERO, 3))) == [sections.DRAFT]
    assert rules(game.tell(CardsPassed("B", "C", DUEL, 3))) == [sections.DRAFT]


def test_draft_another_count_too_often_or_too_early_chosen(table, rules) -> None:
    game = table("ABC")
    assert rules(game.tell(CardsPassed("A", "B", HERO, 2))) == [sections.DRAFT]
    assert rules(game.tell(CardsKept("A", HERO, 3))) == [sections.DRAFT]
    game.tell(CardsPassed("A", "B", HERO, 2), CardsPassed("A", "B", HERO, 1))
    assert "a fourth time" in game.tell(CardsPassed("A", "B", HERO, 1))[0].text


def test_draft_five_cards_dealt(table, rules) -> None:
    assert rules(table("ABC").tell(CardsDealt("A", HERO, 5))) == [sections.DRAFT]


def test_no_draft_for_two(table, rules) -> None:
    assert rules(table().tell(CardsPassed("A", "B", HERO, 3))) == [sections.DRAFT]


def test_a_stranger_is_none_of_the_players(table, rules) -> None:
    game = table()
    for fact in (CardsDealt("Z", HERO, 5), DeckBrought("Z", (), ()), HeroRevealed("Z", "yoss")):
        before = game.state
        assert rules(game.tell(fact)) == [sections.SEATS]
        assert game.state.players == before.players
