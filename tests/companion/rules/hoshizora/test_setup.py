"""Components: who can sit down with which cards, by which settings."""

from __future__ import annotations

import re

import pytest

from companion.rules.cards import CardData, Field, Provenance
from companion.rules.hoshizora import HoshizoraSettings, HoshizoraSetup
from companion.rules.hoshizora.facts import FACTS, KINDS, Fact
from companion.rules.hoshizora.setup import cards_of


def data(card: str, **fields) -> CardData:
    return CardData(card, {name: Field(value, Provenance.USER) for name, value in fields.items()})


def deck(**changes) -> dict[str, CardData]:
    cards = {f"{c}{n}": data(f"{c}{n}", colour=c, number=n, bid=n + 5) for c in ("red", "blue") for n in range(1, 13)}
    return {**cards, **changes}


@pytest.mark.parametrize(
    ("seats", "lead", "message"),
    [
        (("A", "B"), "A", "seats: three different players"),
        (("A", "B", "B"), "A", "seats: three different players"),
        (("A", "B", "C", "C"), "A", "seats: three different players"),
        (("A", "B", "C"), "D", "lead: D is none of the players A, B, C"),
    ],
)
def test_three_players(table, seats, lead, message) -> None:
    with pytest.raises(ValueError, match=message):
        HoshizoraSetup(seats, lead, table().setup.cards)


def test_twenty_four_cards(table) -> None:
    cards = dict(table().setup.cards)
    del cards["red-01"]
    with pytest.raises(ValueError, match="cards: the deck must hold 1 to 12 once in red and once in blue"):
        HoshizoraSetup(("A", "B", "C"), "A", cards)


def test_a_card_without_a_bid_bids_its_number() -> None:
    cards = cards_of(deck(red3=data("red3", colour="red", number=3)))
    assert (cards["red3"].bid, cards["red4"].bid) == (3, 9)


@pytest.mark.parametrize(
    ("card", "message"),
    [
        (data("red3", colour="green", number=3), "card.red3.colour: must be red or blue, not 'green'"),
        (data("red3", number=3), "card.red3.colour"),
        (data("red3", colour="red", number=13), "card.red3.number: must be a whole number from 1 to 12"),
        (data("red3", colour="red", number=True), "card.red3.number"),
        (data("red3", colour="red", number="3"), "card.red3.number"),
        (data("red3", colour="red", number=3, bid=2.5), "card.red3.bid"),
        (data("red3", colour="red", number=2), "card.red3.number: red 2 is red2 already"),
        (CardData("red3", data("", colour="red", number=3).fields, copies=2), "card.red3.copies"),
    ],
)
def test_faulty_data_is_named(card, message) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        cards_of(deck(red3=card))


@pytest.mark.parametrize(("number", "small"), [(1, True), (6, True), (7, False), (12, False)])
def test_a_card_shows_colour_size_and_bid(number, small) -> None:
    card = cards_of(deck())[f"blue{number}"]
    assert (card.colour, card.number, card.bid, card.is_small) == ("blue", number, number + 5, small)


def test_missing_cards_are_named() -> None:
    cards = deck()
    del cards["blue7"]
    with pytest.raises(ValueError, match="the deck lacks blue 7"):
        cards_of(cards)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_lines_a_star": 0},
        {"reach_squares": 9},
        {"near_line_mm": -1.0},
        {"line_elimination": "yes"},
        {"lines_for_three": True},
        {"reach_steps": "knight"},
    ],
)
def test_settings_out_of_bounds_are_named(wrong) -> None:
    with pytest.raises(ValueError, match=f"setting {next(iter(wrong))}: "):
        HoshizoraSettings(**wrong)


def test_every_fact_has_a_kind() -> None:
    assert set(FACTS.values()) == set(Fact.__args__)
    assert {KINDS[fact] for fact in FACTS.values()} == set(FACTS)
