"""Components: who can sit down with which cards, by which settings; the deck that comes with the program."""

from __future__ import annotations

import re
from collections import Counter
from itertools import permutations

import pytest

from companion.decks import builtin_deck, load_deck
from companion.decks.deck import parse_deck
from companion.errors import BadInputError
from companion.rules.cards import CardData, Field, Provenance
from companion.rules.shuhari import CardKind, ShuhariSettings, ShuhariSetup, cards_of
from companion.rules.shuhari.facts import FACTS, KINDS, Fact


def data(card: str, copies: int = 1, **fields) -> CardData:
    return CardData(card, {name: Field(value, Provenance.USER) for name, value in fields.items()}, copies)


def changed(**changes) -> dict[str, CardData]:
    return {**builtin_deck("shuhari").cards, **changes}


ART = "01-buyo-koto-chado"


@pytest.mark.parametrize(
    ("seats", "lead", "message"),
    [
        (("A",), "A", "seats: two or three different players"),
        (("A", "B", "C", "D"), "A", "seats: two or three different players"),
        (("A", "B", "B"), "A", "seats: two or three different players"),
        (("A", "B"), "C", "lead: C is none of the players A, B"),
    ],
)
def test_two_or_three_players(table, seats, lead, message) -> None:
    with pytest.raises(ValueError, match=message):
        ShuhariSetup(seats, lead, table().setup.cards)


def test_sixty_art_cards(table) -> None:
    cards = dict(table().setup.cards)
    del cards["1-koto"]
    with pytest.raises(ValueError, match="cards: the deck must hold 60 art cards, not 59"):
        ShuhariSetup(("A", "B"), "A", cards)


def test_the_built_in_deck_is_the_readings() -> None:
    """Twelve ranks, five each, every ordered triple of different suits once, every rank and suit once in each ring."""
    cards = cards_of(builtin_deck("shuhari").cards)
    arts = [card for card in cards.values() if card.kind is CardKind.ART]
    assert Counter(card.rank for card in arts) == dict.fromkeys(range(1, 13), 5)
    triples = [tuple(map(str, card.suits)) for card in arts]
    assert sorted(triples) == sorted(permutations(("ikebana", "buyo", "koto", "chado", "shodo"), 3))
    for ring in range(3):
        assert len({(card.rank, card.suits[ring]) for card in arts}) == 60
    assert [(card.kind, card.copies) for card in cards.values() if card.kind is not CardKind.ART] == [
        (CardKind.PREPARATION, 5),
        (CardKind.REVIEW, 5),
    ]


def test_the_built_in_deck_agrees_with_the_offsets_of_the_readings(table) -> None:
    ours = {(card.rank, card.suits) for card in table().setup.cards.values()}
    assert ours == {(card.rank, card.suits) for card in cards_of(builtin_deck("shuhari").cards).values()}


def test_what_is_inferred_says_so() -> None:
    cards = builtin_deck("shuhari").cards
    art = cards[ART]
    assert art.source("rank") is Provenance.RULEBOOK
    assert {art.source(ring) for ring in ("obey", "detach", "separate")} == {Provenance.INFERRED}
    assert cards["review"].source("kind") is Provenance.RULEBOOK


def test_the_built_in_deck_has_the_ids_and_values_of_the_sample_deck(shared) -> None:
    sample = load_deck(shared / "decks" / "shuhari")
    ours = builtin_deck("shuhari")
    assert set(sample.cards) == set(ours.cards)
    assert cards_of(sample.cards) == cards_of(ours.cards)
    scans = {path.stem for path in (shared / "decks" / "shuhari").glob("*.png")} - {"back"}
    assert scans == set(ours.cards)


@pytest.mark.parametrize(
    ("card", "message"),
    [
        (data(ART, kind="hero"), f"card.{ART}.kind: must be one of art, preparation, review, stage, not 'hero'"),
        (data(ART, kind="art", rank=13), f"card.{ART}.rank: must be a whole number from 1 to 12, not 13"),
        (data(ART, kind="art", rank=True), f"card.{ART}.rank: must be a whole number"),
        (data(ART, kind="art", rank=1, obey="tea"), f"card.{ART}.obey: must be one of ikebana, buyo"),
        (data(ART, kind="art", rank=1, obey="koto"), f"card.{ART}.detach: is missing; it must be one of"),
        (
            data(ART, kind="art", rank=1, obey="koto", detach="koto", separate="buyo"),
            f"card.{ART}.detach: koto is on the card already",
        ),
        (
            data(ART, 2, kind="art", rank=1, obey="buyo", detach="koto", separate="chado"),
            f"card.{ART}.copies: each art card is there once, not 2 times",
        ),
        (
            data(ART, kind="art", rank=2, obey="buyo", detach="koto", separate="chado"),
            "card: the deck must hold five art cards of rank 1, not 4",
        ),
    ],
)
def test_faulty_data_is_named(card, message) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        cards_of(changed(**{ART: card}))


@pytest.mark.parametrize("aid", ["preparation", "review"])
def test_missing_aids_are_named(aid) -> None:
    cards = changed()
    del cards[aid]
    with pytest.raises(ValueError, match=f"card: the deck must hold the {aid} card once"):
        cards_of(cards)


def test_stage_cards_are_not_shuffled() -> None:
    assert not {"stage-ha", "stage-ri"} & set(cards_of(builtin_deck("shuhari").cards))


def test_reading_a_deck_checks_it() -> None:
    with pytest.raises(BadInputError, match=r"deck.toml:2: card.x.rank: is missing; it must be a whole number"):
        parse_deck('game = "shuhari"\n[card.x]\nkind = "art"\n', "deck.toml", "mine")


def test_other_numbers_of_aids_may_be_entered(table) -> None:
    cards = cards_of(changed(preparation=data("preparation", 3, kind="preparation")))
    assert ShuhariSetup(("A", "B"), "A", cards).size == 68


@pytest.mark.parametrize("wrong", [{"suspect_per_mille": 201}, {"aids_count": "yes"}, {"already_played": "trick "}])
def test_settings_out_of_bounds_are_named(wrong) -> None:
    with pytest.raises(ValueError, match=f"setting {next(iter(wrong))}: "):
        ShuhariSettings(**wrong)


def test_every_fact_has_a_kind() -> None:
    assert set(FACTS.values()) == set(Fact.__args__)
    assert {KINDS[fact] for fact in FACTS.values()} == set(FACTS)
