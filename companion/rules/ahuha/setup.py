"""Who sits where, with which cards, by which settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from companion.rules.ahuha.card_data import HELPERS, STARS, faults_of
from companion.rules.ahuha.effects import ATTRIBUTES, Effect, effect_of
from companion.rules.ahuha.settings import AhuhaSettings
from companion.rules.card_fields import refuse, text_of, whole_of
from companion.rules.cards import CardData

__all__ = [
    "HAND",
    "HELPERS",
    "ROUNDS",
    "SEATS",
    "SERIES_TO_WIN",
    "STARS",
    "AhuhaCard",
    "AhuhaSetup",
    "cards_of",
    "helpers_of",
    "shared",
]

SEATS = 3
HAND = 6
"""Cards dealt to each player."""
ROUNDS = 7
"""The seventh is Tanabata."""
SERIES_TO_WIN = 2


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
    helpers: Mapping[str, str] = field(default_factory=dict)
    """The cards that are no stars, by card id: "asita" or "yono-tigiri" (Components). No rule depends on them."""

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

    def named(self, item: str) -> str:
        """A star as people call it: "Deneb"; what is no star of the deck, as an attribute, stays as it is."""
        star = self.cards.get(item)
        return item if star is None else star.name or item

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
    refuse(faults_of(cards))
    return {card: _star(card, data) for card, data in cards.items() if data.value("kind") not in HELPERS}


def helpers_of(cards: Mapping[str, CardData]) -> dict[str, str]:
    """The Asita and Yono Tigiri cards of a deck's data, with which of the two each is."""
    return {card: kind for card, data in cards.items() if (kind := text_of(data, "kind") or "") in HELPERS}


def _star(card: str, data: CardData) -> AhuhaCard:
    arika, kesiki, sugata = (str(data.value(attribute)) for attribute in ATTRIBUTES)
    two_point = data.value("two_point") is True
    return AhuhaCard(
        whole_of(data, "number") or 0, arika, kesiki, sugata, two_point, effect_of(data), text_of(data, "name") or card
    )
