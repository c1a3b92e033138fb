"""Who sits where, with which cards, by which settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.rules.card_fields import refuse, whole_of
from companion.rules.cards import CardData
from companion.rules.hoshizora.card_data import faults_of
from companion.rules.hoshizora.facts import Colour
from companion.rules.hoshizora.settings import BidSource, HoshizoraSettings

SEATS = 3
HAND = 8
"""Cards dealt to each player."""
TRICKS = 7
"""The eighth card is the bid."""
LOW = 6
"""Numbers up to this one are S, the others L (Explanation of the cards)."""


@dataclass(frozen=True, slots=True)
class HoshizoraCard:
    """A number card."""

    colour: Colour
    number: int
    """1 to 12."""
    bid: int
    """The printed figure, or what stands in for it."""

    @property
    def is_small(self) -> bool:
        """S, not L."""
        return self.number <= LOW


@dataclass(frozen=True, slots=True)
class HoshizoraSetup:
    """What is agreed before the first card. Raises ValueError where it can't be a game."""

    seats: tuple[str, str, str]
    """Clockwise."""
    lead: str
    """Who leads the first trick."""
    cards: Mapping[str, HoshizoraCard]
    """By card id: each colour and number once."""
    settings: HoshizoraSettings = field(default_factory=HoshizoraSettings)

    places: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """Seat to its place clockwise from the first, 0-based."""
    bits: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """Card id to its bit in a set of cards."""
    reds: int = field(init=False, repr=False, compare=False)
    """The set of the red cards, as bits."""

    def __post_init__(self) -> None:
        if len(self.seats) != SEATS or len(set(self.seats)) != SEATS:
            raise ValueError(f"seats: three different players, not {', '.join(self.seats)}")
        if self.lead not in self.seats:
            raise ValueError(f"lead: {self.lead} is none of the players {', '.join(self.seats)}")
        faces = sorted((card.colour, card.number) for card in self.cards.values())
        if faces != [(colour, number) for colour in sorted(Colour) for number in range(1, 13)]:
            raise ValueError("cards: the deck must hold 1 to 12 once in red and once in blue")
        bits = {card: 1 << place for place, card in enumerate(sorted(self.cards))}
        object.__setattr__(self, "places", {seat: place for place, seat in enumerate(self.seats)})
        object.__setattr__(self, "bits", bits)
        object.__setattr__(self, "reds", sum(bits[i] for i, card in self.cards.items() if card.colour is Colour.RED))

    def bid_of(self, card: str) -> int | None:
        """What the card bids; None for a card that is not in the deck."""
        data = self.cards.get(card)
        if data is None:
            return None
        return data.number if self.settings.bid_source is BidSource.NUMBER else data.bid

    def named(self, card: str) -> str:
        """A card as people read it: "red 7"; one that is in no deck has its id."""
        data = self.cards.get(card)
        return card if data is None else f"{data.colour} {data.number}"

    def after(self, seat: str, steps: int = 1) -> str:
        """The seat so many places clockwise."""
        return self.seats[(self.places[seat] + steps) % SEATS]


def cards_of(cards: Mapping[str, CardData]) -> dict[str, HoshizoraCard]:
    """A deck's data as number cards; where a card has no bid, its number stands in (readings).

    Raises ValueError that names the card and the field: no or another colour than red and blue, no number of 1 to 12, a bid
    that is no whole number, another number of copies than one, not every colour and number once.
    """
    refuse(faults_of(cards))
    return {card: _card(data) for card, data in cards.items()}


def _card(data: CardData) -> HoshizoraCard:
    number, bid = whole_of(data, "number") or 0, whole_of(data, "bid")
    return HoshizoraCard(Colour(str(data.value("colour"))), number, number if bid is None else bid)
