"""A game as it stands: a value, changed by `apply` only. What can be derived is asked for, not stored.

The values that nearly every fact makes anew are named tuples: made in a third of the time of a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from companion.rules.hoshizora.board import Board, lines_of
from companion.rules.hoshizora.facts import Colour, Line
from companion.rules.hoshizora.setup import LOW, TRICKS, HoshizoraSetup
from companion.rules.knowledge import Claim

ALL_SEATS = 0b111


class Phase(StrEnum):
    """Where in the game the table is."""

    SETUP = "setup"
    """The stars are not placed yet."""
    LAY = "lay"
    """Cards are being laid face down."""
    REVEAL = "reveal"
    """All three lie, not all are open."""
    DRAW = "draw"
    """The trick is decided, the drawer draws."""
    BID = "bid"
    """After the seventh trick, the last cards are being shown."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class TrickRecord:
    """A trick that is done."""

    number: int
    lead: str | None
    """None where the trick before left it open who drew."""
    played: Mapping[str, str]
    """Seat to card, in turn; a card that nobody saw is missing."""
    stated: Colour | None
    majority: Colour | None
    """None where the cards seen decide nothing."""
    winner: str | None
    drawn: tuple[Line, ...]
    erased: tuple[Line, ...]
    points: int
    """On the board when it was done."""


class Trick(NamedTuple):
    """The trick being played. Seats are places 0 to 2; sets of seats have bit p for place p."""

    number: int
    """1 to 7; 8 while the bids are shown."""
    lead: int | None
    laid: int = 0
    """Seats that were seen to lay a card face down."""
    looks: tuple[int | None, int | None, int | None] = (None, None, None)
    """By place: the look in which its card was first seen."""
    told: Colour | None = None
    """The colour that the leader said, where a person told."""
    cards: tuple[str | None, str | None, str | None] = (None, None, None)
    """By place, once revealed."""
    trusted: int = 0
    """Seats whose revealed card is in the deck and was nowhere else before."""
    majority: Colour | None = None
    winner: int | None = None
    stars: tuple[int, ...] = ()
    """The numbers on the majority's cards, ascending."""
    largest: int = 0
    """How many lines could be drawn at most when the drawing began."""
    drawn: tuple[Line, ...] = ()
    erased: tuple[Line, ...] = ()
    ahead: int = 0
    """Seats that laid a card for the next trick before the drawing ended."""

    @property
    def is_revealed(self) -> bool:
        """All three cards lie open."""
        return None not in self.cards

    @property
    def present(self) -> int:
        """Seats whose card lies on the table, face down or open."""
        return self.laid | sum(1 << place for place, card in enumerate(self.cards) if card is not None)


class Hands(NamedTuple):
    """What is publicly known of the hidden hands, by place."""

    shown: tuple[int, int, int] = (0, 0, 0)
    """Cards that a seat has shown, as sets of the deck's bits."""
    unseen: tuple[int, int, int] = (0, 0, 0)
    """How many cards a seat has parted with without anybody seeing which."""
    claims: tuple[Claim, ...] = ()
    """Not disproved so far, in order."""


class HoshizoraState(NamedTuple):
    """Everything public of a game."""

    setup: HoshizoraSetup
    trick: Trick
    board: Board | None = None
    red: int = 0
    """Red lines that stand, as a set of pairs."""
    blue: int = 0
    crossings: int = 0
    """Crossings that count."""
    hands: Hands = Hands()
    bids: tuple[str | None, str | None, str | None] = (None, None, None)
    """Bid cards by place."""
    erasers: int = 0
    """Seats that have used line elimination."""
    done: tuple[TrickRecord, ...] = ()

    @property
    def points(self) -> int:
        """What the board scores now."""
        return self.red.bit_count() + self.blue.bit_count() + self.crossings

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that stand, by a, then b."""
        return lines_of(self.red, self.blue)

    @property
    def phase(self) -> Phase:
        """Where the game is, from what has happened."""
        if len(self.done) >= TRICKS:
            return Phase.OVER if None not in self.bids else Phase.BID
        if self.trick.is_revealed:
            return Phase.DRAW
        if self.trick.present == ALL_SEATS:
            return Phase.REVEAL
        if self.board is None:
            return Phase.SETUP
        return Phase.LAY

    @property
    def leader(self) -> str | None:
        """Who leads the current trick."""
        return None if self.trick.lead is None else self.setup.seats[self.trick.lead]

    @property
    def drawer(self) -> str | None:
        """Who draws in the current trick, once it is decided."""
        return None if self.trick.winner is None else self.setup.seats[self.trick.winner]

    @property
    def played(self) -> dict[str, str]:
        """The open cards of the current trick by seat, in turn."""
        return {self.setup.seats[place]: card for place in in_turn(self.trick) if (card := self.trick.cards[place])}

    @property
    def won(self) -> dict[str, int]:
        """Tricks won by seat."""
        return {seat: sum(record.winner == seat for record in self.done) for seat in self.setup.seats}


def in_turn(trick: Trick) -> tuple[int, int, int]:
    """The places in the order in which they play; clockwise from the first where the leader is unknown."""
    lead = trick.lead or 0
    return lead, (lead + 1) % 3, (lead + 2) % 3


def stated_colour(state: HoshizoraState) -> Colour | None:
    """The colour to follow: the one that was said, else that of the leader's open card; None while neither is known."""
    trick = state.trick
    if trick.told is not None or trick.lead is None:
        return trick.told
    card = trick.cards[trick.lead]
    data = None if card is None else state.setup.cards.get(card)
    return None if data is None else data.colour


def decide(setup: HoshizoraSetup, cards: tuple[str | None, ...]) -> tuple[Colour | None, int | None, tuple[int, ...]]:
    """The majority's colour, the winner's place (Trick resolution) and the numbers on the majority's cards, ascending.

    None where the cards seen don't decide it: one is in no deck, or two are the same.
    """
    known = [data for card in cards if card is not None and (data := setup.cards.get(card)) is not None]
    if len(known) < len(cards):
        return None, None, ()
    reds = smalls = 0
    for data in known:
        reds += data.colour is Colour.RED
        smalls += data.number <= LOW
    majority = Colour.RED if reds >= 2 else Colour.BLUE
    numbers = sorted([(data.number, place) for place, data in enumerate(known) if data.colour is majority])
    best, other = (0, 1) if smalls >= 2 else (-1, -2)
    winner = None if numbers[best][0] == numbers[other][0] else numbers[best][1]
    return majority, winner, tuple([number for number, _ in numbers])
