"""Who sits where, with which cards, by which settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeGuard

from companion.rules.cards import CardData
from companion.rules.shuhari.facts import SUITS, Suit
from companion.rules.shuhari.settings import Ring, ShuhariSettings

HAND = 7
"""Cards dealt to each player."""
RANKS = 12
PER_RANK = 5
TURNS = {2: 4, 3: 3}
"""Players to the turns of each in a trick."""
REVIEW_RANKS = range(2, 12)
"""What a Review card may take."""
LOOK = 4
"""Cards that a Preparation card looks at."""


class CardKind(StrEnum):
    """What a card of the deck is; stage display cards are no part of it."""

    ART = "art"
    PREPARATION = "preparation"
    REVIEW = "review"


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

    def names(self, cards: int) -> tuple[str, ...]:
        """The ids of a set of art cards, in the order of their bits."""
        return tuple(card for place, card in enumerate(self.ids) if cards >> place & 1)


def cards_of(cards: Mapping[str, CardData]) -> dict[str, ShuhariCard]:
    """A deck's data as the cards that are shuffled; stage display cards are left out.

    Raises ValueError that names the card and the field: an unknown kind, a rank not of 1 to 12, a suit that is none of the five
    or there twice, copies of an art card, not five art cards of each rank, no Preparation or Review card.
    """
    found: dict[str, ShuhariCard] = {}
    for card, data in cards.items():
        kind = data.value("kind")
        match kind:
            case "art":
                found[card] = _art(card, data)
            case "preparation" | "review":
                found[card] = ShuhariCard(CardKind(kind), copies=data.copies)
            case "stage":
                continue
            case _:
                raise ValueError(f"card.{card}.kind: must be art, preparation, review or stage, not {kind!r}")
    ranks = Counter(card.rank for card in found.values() if card.kind is CardKind.ART)
    wrong = [rank for rank in range(1, RANKS + 1) if ranks[rank] != PER_RANK]
    if wrong:
        raise ValueError(f"card: the deck must hold five art cards of rank {wrong[0]}, not {ranks[wrong[0]]}")
    for aid in (CardKind.PREPARATION, CardKind.REVIEW):
        if sum(card.kind is aid for card in found.values()) != 1:
            raise ValueError(f"card: the deck must hold the {aid} card once, with the number of its copies")
    return found


def _art(card: str, data: CardData) -> ShuhariCard:
    rank = data.value("rank")
    if not _is_whole(rank) or not 1 <= rank <= RANKS:
        raise ValueError(f"card.{card}.rank: must be a whole number from 1 to {RANKS}, not {rank!r}")
    suits: list[Suit] = []
    for ring in ("obey", "detach", "separate"):
        suit = data.value(ring)
        if suit not in [str(known) for known in SUITS]:
            raise ValueError(f"card.{card}.{ring}: must be one of {', '.join(SUITS)}, not {suit!r}")
        if suit in suits:
            raise ValueError(f"card.{card}.{ring}: {suit} is on the card already")
        suits.append(Suit(suit))
    if data.copies != 1:
        raise ValueError(f"card.{card}.copies: each art card is there once, not {data.copies} times")
    return ShuhariCard(CardKind.ART, rank, tuple(suits))


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
