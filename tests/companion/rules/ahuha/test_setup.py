"""Sections 2 to 6: components, what a Hosiahi is, the set-up; and the deck's data."""

from __future__ import annotations

import pytest

from companion.decks import builtin_deck
from companion.decks.deck import load_deck, parse_deck
from companion.errors import BadInputError
from companion.rules.ahuha import RULES, AhuhaSetup, Phase, cards_of, shared, worlds
from companion.rules.ahuha.facts import FACTS, KINDS, CardLaid, CardPlaced, Dealt, Orientation
from companion.rules.cards import CardData, Field, Provenance
from companion.rules.core import Level


def test_players_three() -> None:
    cards = cards_of(builtin_deck("ahuha").cards)
    with pytest.raises(ValueError, match="three different players"):
        AhuhaSetup(("A", "B"), cards)
    with pytest.raises(ValueError, match="three different players"):
        AhuhaSetup(("A", "B", "A"), cards)


def test_section_2_twenty_one_stars_and_the_helpers_of_each_player() -> None:
    deck = builtin_deck("ahuha")
    assert len(cards_of(deck.cards)) == 21
    assert {card: data.copies for card, data in deck.cards.items() if data.copies > 1} == {"asita": 3, "yono-tigiri": 3}


def test_section_2_a_deck_of_twenty_stars_is_none() -> None:
    cards = dict(builtin_deck("ahuha").cards)
    del cards["deneb"]
    with pytest.raises(ValueError, match="20 stars, not 21"):
        cards_of({k: v for k, v in cards.items() if v.value("effect") != "raise-hands"})


def test_attributes_are_inferred_and_effect_names_the_rulebooks() -> None:
    deneb = builtin_deck("ahuha").cards["deneb"]
    assert {deneb.source(name) for name in ("number", "arika", "kesiki", "sugata")} == {Provenance.INFERRED}
    assert {deneb.source(name) for name in ("effect", "effect_name", "effect_of")} == {Provenance.RULEBOOK}


def test_builtin_deck_has_the_sample_decks_ids_and_attributes(shared) -> None:
    sample = load_deck(shared / "decks" / "ahuha").cards
    ours = builtin_deck("ahuha").cards
    assert set(sample) == set(ours)
    for card, data in sample.items():
        for name in ("number", "name", "arika", "kesiki", "sugata", "two_point"):
            assert data.value(name) == ours[card].value(name), (card, name)


@pytest.mark.parametrize(
    ("card", "name", "value", "message"),
    [
        ("deneb", "number", 0, "card.deneb.number: must be a whole number"),
        ("deneb", "number", True, "card.deneb.number: must be a whole number"),
        ("deneb", "number", 2, "number: 2 is deneb already"),
        ("deneb", "arika", "june", "card.deneb.arika: must be one of january"),
        ("deneb", "kesiki", None, "card.deneb.kesiki: is missing; it must be one of sora"),
        ("deneb", "two_point", "yes", "card.deneb.two_point: must be true or false"),
        ("deneb", "name", 5, "card.deneb.name: must be a text"),
        ("deneb", "kind", "moon", "card.deneb.kind: must be one of star, asita"),
        ("deneb", "effect", "fly", "card.deneb.effect: must be one of unknown, none"),
        ("deneb", "effect_of", ("polaris",), "card.deneb.effect_of: 'polaris' is neither"),
        ("deneb", "effect_of", ("kesiki:green",), "card.deneb.effect_of: 'kesiki:green' is neither"),
        ("deneb", "effect_of", None, "card.deneb.effect_of: is missing"),
        ("deneb", "effect_of", "altair", "card.deneb.effect_of: must be a list"),
        ("deneb", "effect_of", ({"a": 1},), "card.deneb.effect_of: must be a list"),
        ("deneb", "effect_name", 3, "card.deneb.effect_name: must be a text"),
        ("antares", "effect_needs_hand", 1, "card.antares.effect_needs_hand: must be true or false"),
    ],
)
def test_a_deck_that_can_not_be_names_card_and_field(card, name, value, message) -> None:
    cards = dict(builtin_deck("ahuha").cards)
    fields = {k: v for k, v in cards[card].fields.items() if k != name}
    if value is not None:
        fields[name] = Field(value, Provenance.USER)
    cards[card] = CardData(card, fields)
    with pytest.raises(ValueError, match=message):
        cards_of(cards)


def test_reading_a_deck_checks_it() -> None:
    with pytest.raises(BadInputError, match=r"mine.toml:2: card.deneb.number: is missing; it must be"):
        parse_deck('game = "ahuha"\n[card.deneb]\nname = "Deneb"\n', "mine.toml", "mine")


def test_more_than_one_copy_of_a_star_is_no_deck() -> None:
    cards = dict(builtin_deck("ahuha").cards)
    cards["deneb"] = CardData("deneb", cards["deneb"].fields, copies=2)
    with pytest.raises(ValueError, match=r"card.deneb.copies: each star is there once"):
        cards_of(cards)


def test_section_4_sirius_and_altair_share_colour_and_size(table) -> None:
    cards = table().setup.cards
    assert shared(cards["sirius"], cards["altair"]) == ("kesiki", "sugata")


def test_section_4_two_shared_attributes_make_a_pair_and_one_does_not(table) -> None:
    setup = table().setup
    for first, one in setup.cards.items():
        for second, other in setup.cards.items():
            common = sum(
                (one.arika == other.arika, one.kesiki == other.kesiki, one.sugata == other.sugata),
            )
            meets = bool(setup.partners[setup.index[first]] >> setup.index[second] & 1)
            assert meets is (first != second and common >= 2)


def test_section_6_a_series_begins_with_the_deal(table) -> None:
    game = table(dealt=False)
    assert game.state.phase is Phase.DEAL
    (deal,) = RULES.expects(game.state)
    assert (deal.act, deal.rule) == ("deal", "6. Game Setup: six cards each, one frozen card between each pair")
    assert game.tell(Dealt()) == []
    assert game.state.phase is Phase.LAY
    assert game.state.round.number == 1


def test_section_6_a_card_laid_says_that_it_was_dealt(table) -> None:
    game = table(dealt=False)
    assert game.tell(CardLaid("A")) == []
    assert game.state.phase is Phase.LAY


def test_section_6_six_cards_each_and_three_frozen(table) -> None:
    from math import factorial

    game = table()
    assert worlds(game.state.knowledge, game.setup) == factorial(21) // factorial(6) ** 3


def test_a_deal_within_a_series_is_worth_a_note(table) -> None:
    game = table()
    assert [x.level for x in game.tell(Dealt())] == [Level.NOTE]


def test_a_home_before_the_deal_is_worth_a_note(table) -> None:
    game = table(dealt=False)
    (note,) = game.tell(CardPlaced("A", "deneb", Orientation.UPRIGHT))
    assert note.level is Level.NOTE
    assert game.state.homes == ((), (), ())


@pytest.mark.parametrize(("way", "points"), [("|", 1), ("-", 0), ("!", 2)])
def test_section_6b_points_by_the_way_a_card_lies(table, way, points) -> None:
    game = table()
    game.show("spica", "canopus", "procyon")
    game.home(f"B{way}canopus")
    assert game.state.scores["B"] == points


def test_section_6b_cards_lie_from_left_to_right(table) -> None:
    game = table()
    game.play("deneb", "canopus", "procyon")
    game.play("spica", "rigel", "antares")
    assert [placed.card for placed in game.state.homes[0]] == ["deneb", "spica"]


def test_kinds_name_every_fact() -> None:
    assert {KINDS[cls] for cls in FACTS.values()} == set(FACTS)
