"""Who sits where, with which cards, by which settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from companion.rules.card_fields import refuse, whole_of
from companion.rules.cards import CardData
from companion.rules.shuhari.card_data import PER_RANK, RANKS, RINGS, STAGE, CardKind, faults_of
from companion.rules.shuhari.facts import SUITS, Stage, Suit
from companion.rules.shuhari.settings import Ring, ShuhariSettings

__all__ = [
    "HAND",
    "LOOK",
    "PER_RANK",
    "RANKS",
    "REVIEW_RANKS",
    "TURNS",
    "Art",
    "CardKind",
    "ShuhariCard",
    "ShuhariSetup",
    "cards_of",
    "displays_of",
]

HAND = 7
"""Cards dealt to each player."""
TURNS = {2: 4, 3: 3}
"""Players to the turns of each in a trick."""
REVIEW_RANKS = range(2, 12)
"""What a Review card may take."""
LOOK = 4
"""Cards that a Preparation card looks at."""


@dataclass(frozen=True, slots=True)
class ShuhariCard:
    """A card of the deck."""

    kind: CardKind
    rank: int = 0
    """1 to 12; 0 where it is no art card."""
    suits: tuple[Suit, ...] = ()
    """Obey, Detach, Separate: from the outside in; empty where it is no art card."""
    copies: int = 1


class Art(NamedTuple):
    """An art card as the rules compute with it."""

    bit: int
    """Its bit in a set of art cards."""
    rank: int
    kinds: tuple[int, int, int]
    """By stage: 5 times the stage plus the suit's number in the stage's ring, so that every ring and suit has one number."""


@dataclass(frozen=True, slots=True)
class ShuhariSetup:
    """What is agreed before the first card. Raises ValueError where it can't be a game."""

    seats: tuple[str, ...]
    """Two or three, clockwise."""
    lead: str
    """The start player of the first trick."""
    cards: Mapping[str, ShuhariCard]
    """By card id, as `cards_of` makes them."""
    settings: ShuhariSettings = field(default_factory=ShuhariSettings)
    displays: Mapping[str, Stage | None] = field(default_factory=dict)
    """The stage display cards by id, with the stage that each announces; None where the deck doesn't say."""

    places: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """Seat to its place clockwise from the first, 0-based."""
    arts: Mapping[str, Art] = field(init=False, repr=False, compare=False)
    """The art cards by id."""
    ids: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The art card of each bit."""
    of_kind: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """By the numbers of `Art.kinds`: the set of art cards that show that suit in that ring."""
    takeable: int = field(init=False, repr=False, compare=False)
    """The set of art cards that a Review card may take."""
    size: int = field(init=False, repr=False, compare=False)
    """Cards in hands and deck together."""
    length: int = field(init=False, repr=False, compare=False)
    """Cards of a trick."""

    def __post_init__(self) -> None:
        players = len(self.seats)
        if players not in TURNS or len(set(self.seats)) != players:
            raise ValueError(f"seats: two or three different players, not {', '.join(self.seats)}")
        if self.lead not in self.seats:
            raise ValueError(f"lead: {self.lead} is none of the players {', '.join(self.seats)}")
        ids = tuple(sorted(card for card, data in self.cards.items() if data.kind is CardKind.ART))
        if len(ids) != RANKS * PER_RANK:
            raise ValueError(f"cards: the deck must hold {RANKS * PER_RANK} art cards, not {len(ids)}")
        last = 1 if self.settings.separate_ring is Ring.DETACH else 2
        arts = {}
        for place, card in enumerate(ids):
            suits = [SUITS.index(suit) for suit in self.cards[card].suits]
            arts[card] = Art(1 << place, self.cards[card].rank, (suits[0], 5 + suits[1], 10 + suits[last]))
        sets = [sum(art.bit for art in arts.values() if kind in art.kinds) for kind in range(15)]
        object.__setattr__(self, "places", {seat: place for place, seat in enumerate(self.seats)})
        object.__setattr__(self, "arts", arts)
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "of_kind", tuple(sets))
        object.__setattr__(self, "takeable", sum(art.bit for art in arts.values() if art.rank in REVIEW_RANKS))
        object.__setattr__(self, "size", sum(data.copies for data in self.cards.values()))
        object.__setattr__(self, "length", players * TURNS[players])

    def after(self, seat: str, steps: int = 1) -> str:
        """The seat so many places clockwise."""
        return self.seats[(self.places[seat] + steps) % len(self.seats)]

    def named(self, card: str) -> str:
        """A card as people read it: "7 chado/buyo/shodo", "Preparation"; one that is in no deck has its id."""
        data = self.cards.get(card)
        if data is None:
            return card
        return f"{data.rank} {'/'.join(data.suits)}" if data.kind is CardKind.ART else data.kind.value.capitalize()

    def names(self, cards: int) -> tuple[str, ...]:
        """The ids of a set of art cards, in the order of their bits."""
        return tuple(card for place, card in enumerate(self.ids) if cards >> place & 1)


def cards_of(cards: Mapping[str, CardData]) -> dict[str, ShuhariCard]:
    """A deck's data as the cards that are shuffled; stage display cards are left out.

    Raises ValueError that names the card and the field: an unknown kind, a rank not of 1 to 12, a suit that is none of the five
    or there twice, copies of an art card, not five art cards of each rank, no Preparation or Review card.
    """
    refuse(faults_of(cards))
    return {card: _card(data) for card, data in cards.items() if data.value("kind") in tuple(CardKind)}


def displays_of(cards: Mapping[str, CardData]) -> dict[str, Stage | None]:
    """A deck's stage display cards, with the stage that each announces."""
    displays = {card: data.value("stage") for card, data in cards.items() if data.value("kind") == STAGE}
    return {card: Stage(str(stage)) if stage in RINGS[1:] else None for card, stage in displays.items()}


def _card(data: CardData) -> ShuhariCard:
    kind = CardKind(str(data.value("kind")))
    if kind is not CardKind.ART:
        return ShuhariCard(kind, copies=data.copies)
    return ShuhariCard(kind, whole_of(data, "rank") or 0, tuple(Suit(str(data.value(ring))) for ring in RINGS))
