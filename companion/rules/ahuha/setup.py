"""Who sits where, with which cards, by which settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from companion.rules.ahuha.effects import ATTRIBUTES, Effect, effect_of, is_criterion
from companion.rules.ahuha.settings import AhuhaSettings
from companion.rules.cards import CardData

SEATS = 3
HAND = 6
"""Cards dealt to each player."""
STARS = 21
ROUNDS = 7
"""The seventh is Tanabata."""
SERIES_TO_WIN = 2
HELPERS = ("asita", "yono-tigiri")
"""Kinds of cards that are no stars: a player has one of each."""


@dataclass(frozen=True, slots=True)
class AhuhaCard:
    """A star card."""

    number: int
    arika: str
    kesiki: str
    sugata: str
    two_point: bool = False
    """Whether it has the icon for 2 points."""
    effect: Effect = field(default_factory=Effect)
    name: str = ""


@dataclass(frozen=True, slots=True)
class AhuhaSetup:
    """What is agreed before the first card. Raises ValueError where it can't be a game."""

    seats: tuple[str, str, str]
    """Clockwise."""
    cards: Mapping[str, AhuhaCard]
    """The stars by card id: 21, each number once."""
    settings: AhuhaSettings = field(default_factory=AhuhaSettings)

    index: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """Card id to its place in the order of the numbers, 0-based."""
    ids: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The reverse of `index`."""
    partners: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """By index: the set of the stars with which it shares two attributes or more, as bits of their indices."""
    asked: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """Card id to the set of the stars of which its effect speaks."""

    def __post_init__(self) -> None:
        if len(self.seats) != SEATS or len(set(self.seats)) != SEATS:
            raise ValueError(f"seats: three different players, not {', '.join(self.seats)}")
        if len(self.cards) != STARS or len({card.number for card in self.cards.values()}) != STARS:
            raise ValueError(f"cards: the deck must hold {STARS} stars with different numbers")
        ids = tuple(sorted(self.cards, key=lambda card: self.cards[card].number))
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "index", {card: place for place, card in enumerate(ids)})
        stars = [self.cards[card] for card in ids]
        partners = tuple(
            sum(1 << n for n, other in enumerate(stars) if other is not star and len(shared(star, other)) >= 2)
            for star in stars
        )
        object.__setattr__(self, "partners", partners)
        object.__setattr__(self, "asked", {card: self.stars_of(data.effect.of) for card, data in self.cards.items()})

    def stars_of(self, items: Iterable[str]) -> int:
        """The stars that items name, by id or by attribute, as a set; an unknown item names none."""
        found = 0
        for item in items:
            attribute, colon, value = item.partition(":")
            if item in self.index:
                found |= 1 << self.index[item]
            elif colon and attribute in ATTRIBUTES:
                found |= sum(1 << self.index[card] for card, x in self.cards.items() if getattr(x, attribute) == value)
        return found

    def names(self, stars: int) -> tuple[str, ...]:
        """The ids of a set of stars, by number."""
        return tuple(card for place, card in enumerate(self.ids) if stars >> place & 1)


def shared(first: AhuhaCard, second: AhuhaCard) -> tuple[str, ...]:
    """The attributes that two stars have in common."""
    return tuple([name for name in ATTRIBUTES if getattr(first, name) == getattr(second, name)])


def cards_of(cards: Mapping[str, CardData]) -> dict[str, AhuhaCard]:
    """A deck's data as star cards; Asita and Yono Tigiri cards are passed over.

    Raises ValueError that names the card and the field: a number that is no whole number of at least 1 or there already, an
    unknown attribute, an effect that is not of the vocabulary or speaks of unknown cards, another number of copies than one,
    not 21 stars.
    """
    found: dict[str, AhuhaCard] = {}
    numbers: dict[int, str] = {}
    for card, data in cards.items():
        kind = data.value("kind")
        if kind in HELPERS:
            continue
        if kind not in (None, "star"):
            raise ValueError(f"card.{card}.kind: must be star, {' or '.join(HELPERS)}, not {kind!r}")
        star = _star(card, data)
        if star.number in numbers:
            raise ValueError(f"card.{card}.number: {star.number} is {numbers[star.number]} already")
        numbers[star.number] = card
        found[card] = star
    for card, star in found.items():
        strange = [item for item in star.effect.of if not is_criterion(item, found)]
        if strange:
            raise ValueError(f"card.{card}.effect_of: {strange[0]!r} is neither a card of this deck nor an attribute")
    if len(found) != STARS:
        raise ValueError(f"card: the deck holds {len(found)} stars, not {STARS}")
    return found


def _star(card: str, data: CardData) -> AhuhaCard:
    number, two_point, name = data.value("number"), data.value("two_point"), data.value("name")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ValueError(f"card.{card}.number: must be a whole number of at least 1, not {number!r}")
    if two_point is not None and not isinstance(two_point, bool):
        raise ValueError(f"card.{card}.two_point: must be true or false, not {two_point!r}")
    if name is not None and not isinstance(name, str):
        raise ValueError(f"card.{card}.name: must be a text, not {name!r}")
    if data.copies != 1:
        raise ValueError(f"card.{card}.copies: each star is there once, not {data.copies} times")
    values = {}
    for attribute, known in ATTRIBUTES.items():
        value = data.value(attribute)
        if value not in known:
            raise ValueError(f"card.{card}.{attribute}: must be one of {', '.join(known)}, not {value!r}")
        values[attribute] = str(value)
    return AhuhaCard(number, two_point=bool(two_point), effect=effect_of(card, data), name=name or card, **values)
