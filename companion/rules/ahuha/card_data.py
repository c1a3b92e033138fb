"""What the cards say, and what is wrong with a deck of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from companion.rules.ahuha.effects import ATTRIBUTES, EFFECT_FIELDS, EffectKind, effect_faults
from companion.rules.card_fields import CardFault, CardForm, DeckForm, FieldInfo, FieldKind, card_faults, is_whole
from companion.rules.cards import CardData

STARS = 21
STAR = "star"
"""The kind of a card that states none."""
HELPERS = ("asita", "yono-tigiri")
"""Kinds of cards that are no stars: a player has one of each."""

_ATTRIBUTE_MEANINGS = {
    "arika": "where and when the star is seen",
    "kesiki": "the colour of the star",
    "sugata": "the size of the star",
}

_STAR_FIELDS = (
    FieldInfo("number", FieldKind.WHOLE, "the star's number; each is there once", "1", least=1, needed=True),
    FieldInfo("name", FieldKind.TEXT, "the star's name", '"Deneb"', otherwise="the card's id"),
    *(
        FieldInfo(name, FieldKind.CHOICE, _ATTRIBUTE_MEANINGS[name], f'"{values[0]}"', choices=values, needed=True)
        for name, values in ATTRIBUTES.items()
    ),
    FieldInfo("two_point", FieldKind.SWITCH, "whether it has the icon for 2 points", "false", otherwise="false"),
    *EFFECT_FIELDS,
)

DECK = DeckForm(
    "ahuha",
    (
        CardForm(STAR, "a star card", _STAR_FIELDS, once="star", in_box=STARS),
        CardForm(HELPERS[0], "a player's Asita card", (), in_box=3),
        CardForm(HELPERS[1], "a player's Yono Tigiri card", (), in_box=3),
    ),
    usual=STAR,
)


def faults_of(cards: Mapping[str, CardData]) -> Iterator[CardFault]:
    """What is wrong: fields of single cards, a number that is there twice, effects that speak of no card, not 21 stars."""
    yield from card_faults(DECK, cards)
    stars = {card: data for card, data in cards.items() if data.value("kind") in (None, STAR)}
    numbers: dict[int, str] = {}
    for card, data in stars.items():
        number = data.value("number")
        if is_whole(number) and number in numbers:
            yield CardFault(f"{number} is {numbers[number]} already", card, ("number",))
        elif is_whole(number):
            numbers[number] = card
        yield from effect_faults(card, data, stars)
    if len(stars) != STARS:
        yield CardFault(f"the deck holds {len(stars)} stars, not {STARS}")


def is_told(data: CardData) -> bool:
    """Whether the deck says what the card's effect does; a helper card has none."""
    return data.value("kind") in HELPERS or data.value("effect") not in (None, EffectKind.UNKNOWN)
