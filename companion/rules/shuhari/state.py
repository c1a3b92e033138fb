"""A game as it stands: a value, changed by `apply` only. What can be derived is asked for, not stored.

The values that nearly every fact makes anew are named tuples: made in a third of the time of a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from companion.rules.shuhari.facts import STAGES, SUITS, Play, Stage, Suit
from companion.rules.shuhari.setup import HAND, ShuhariSetup

POINTS = (0, 1, -1, 3, -1, 2, 1, 5)
"""By the set of stages of one art, bit s for stage s (Scoring)."""
FULL = 0b111
"""All three stages of an art."""
ARTS_TO_END = 2
"""Full masteries that end the game."""
NO_ART = -1
"""The lead suit before there is one."""
NEVER = -2
"""A time before everything."""
DEALT = -1
"""The time of the deal."""

made = tuple.__new__
"""Makes a named tuple of all its fields in order, as its own constructor does, in two thirds of the time."""


class Due(StrEnum):
    """How a turn is to end."""

    DRAW = "draw"
    SEARCH = "search"
    TAKE = "take"


class Phase(StrEnum):
    """Where in the game the table is."""

    PLAY = "play"
    """Somebody's turn: a card is to be played."""
    REFILL = "refill"
    """The card is played, the hand is to be filled."""
    CLEAR = "clear"
    """The trick is complete and its learning told; the field is to be cleared."""
    OVER = "over"


class Played(NamedTuple):
    """A card in play."""

    place: int
    card: str
    play: Play | None
    """None where it may be a rest or a break and nobody told which."""
    stage: int
    """0 to 2; the stage in which it counts, that which it opened for a break."""
    rank: int
    """0 where it is no art card of the deck."""
    time: int
    doubtful: bool = False
    """It was seen elsewhere too, or is no card of the deck."""


class Learning(NamedTuple):
    """What a stage of a trick taught."""

    place: int
    stage: int
    new: bool
    """False where nothing is written: learned before, or the art was mastered."""


class Trick(NamedTuple):
    """The trick being played."""

    number: int
    """From 1."""
    lead: int
    """The start player's place."""
    cards: tuple[Played, ...] = ()
    art: int = NO_ART
    """The lead suit's number."""
    stage: int = 0
    best: int = 0
    """The rank that a breaking card is measured against."""
    due: Due | None = None
    """What the last player has still to do; None where the turn is over."""
    learned: tuple[Learning, ...] | None = None
    """Once the trick is complete."""
    doubtful: bool = False
    """Nothing may be concluded from its rests."""
    shown: int = 0
    """The stage of the last stage card laid."""
    owed: int = 0
    """Cards that the leader still draws for a hand that was put away."""


class Known(NamedTuple):
    """A hand card that everybody knows."""

    card: str
    act: str
    """How it became known, for people."""
    shown: bool = False
    """It came unseen and was shown later; otherwise everybody saw it taken."""


class Rest(NamedTuple):
    """By resting, a player claimed to hold no card that shows the lead suit in the stage's ring."""

    time: int
    kind: int
    """As `Art.kinds`."""
    trick: int
    card: str
    """What was played."""


class Shown(NamedTuple):
    """A card that came to a hand unseen and was shown from it later: it came after `after` and before `before`."""

    card: str
    kinds: tuple[int, int, int]
    """As `Art.kinds`."""
    after: int
    """The last time it went into the deck for all to see; NEVER where it may have been dealt."""
    claimed: int
    """`after`, or the player's last rest before it was shown that claimed to hold none such, if that is later."""
    before: int
    """When it was shown, or when the deck that it was in ran out, if earlier."""
    time: int
    """When it was shown."""
    slot: int | None = None
    """When the followed place of the hand was filled with it; None where nobody followed it."""


class Hand(NamedTuple):
    """What is publicly known of a hand."""

    size: int = HAND
    known: tuple[Known, ...] = ()
    draws: int = 0
    """When cards were added unseen, a bit for each time; the cards dealt are not among them."""
    shown: tuple[Shown, ...] = ()
    rests: tuple[Rest, ...] = ()
    """Not proved false so far, in order."""
    last: tuple[int, ...] = (NEVER,) * 15
    """By kind: when it was last claimed to hold none."""
    slots: tuple[tuple[int, int], ...] = ()
    """Followed places of the hand, each with the time when it was filled."""
    blind: bool = False
    """A card was added that nobody followed, so places without a time are not those of the deal."""

    @property
    def hidden(self) -> int:
        """How many of its cards nobody knows."""
        return self.size - len(self.known)


class Pool(NamedTuple):
    """Where the cards are that are in no hand, and what is known of where they can be. Sets of art cards by their bits."""

    deck: int
    """How many cards it holds."""
    hidden: int
    """Art cards that are in the deck or unknown in hands."""
    fresh: int
    """Those of them that may be in the deck; the others were not in it when it ran out, so they are in hands."""
    pile: int = 0
    """Art cards in the discard pile."""
    aids: tuple[str, ...] = ()
    """Preparation and Review cards in the discard pile."""
    renewals: tuple[tuple[int, int], ...] = ()
    """When the discard pile became the deck, and with which art cards."""
    ends: tuple[tuple[int, int], ...] = ()
    """When a deck ran out to its last card, and the art cards that were then in hands and not in the pile."""
    room: tuple[int, ...] = ()
    """By place: how many cards of the hand can be from before the last of `ends`."""
    certain: bool = True
    """Nothing was seen so far that contradicts the counts."""


@dataclass(frozen=True, slots=True)
class TrickRecord:
    """A trick that is done."""

    number: int
    lead: str
    art: Suit | None
    """None where no art card was led."""
    played: tuple[tuple[str, str, Play | None], ...]
    """Seat, card and what it was, in order."""
    stage: Stage
    """The stage that was reached."""
    learned: tuple[tuple[Stage, str, bool], ...]
    """Stage, seat, and whether a box was filled in."""
    points: Mapping[str, int]
    """By seat, when it was done."""


class ShuhariState(NamedTuple):
    """Everything public of a game."""

    setup: ShuhariSetup
    trick: Trick
    hands: tuple[Hand, ...]
    pool: Pool
    chart: tuple[tuple[int, ...], ...]
    """The learning table: by place, by suit, the set of stages learned, bit s for stage s. The complete trick is in it."""
    clock: int = 0
    """Counts the facts that move cards."""
    over: bool = False
    done: tuple[TrickRecord, ...] = ()

    @property
    def phase(self) -> Phase:
        """Where the game is, from what has happened."""
        if self.over:
            return Phase.OVER
        if self.trick.learned is not None:
            return Phase.CLEAR
        return Phase.PLAY if self.trick.due is None and not self.trick.owed else Phase.REFILL

    @property
    def stage(self) -> Stage:
        """The current trick's stage."""
        return STAGES[self.trick.stage]

    @property
    def art(self) -> Suit | None:
        """The lead suit; None before there is one."""
        return None if self.trick.art == NO_ART else SUITS[self.trick.art]

    @property
    def leader(self) -> str:
        """The start player of the current trick."""
        return self.setup.seats[self.trick.lead]

    @property
    def turn(self) -> str:
        """Whose turn it is; the next to play once a turn is over."""
        return self.setup.seats[turn_of(self)]

    @property
    def points(self) -> dict[str, int]:
        """By seat, from the learning table as it stands."""
        return {seat: points_of(row) for seat, row in zip(self.setup.seats, self.chart, strict=True)}

    @property
    def mastered(self) -> tuple[Suit, ...]:
        """The arts that somebody has fully mastered."""
        return tuple(suit for number, suit in enumerate(SUITS) if any(row[number] == FULL for row in self.chart))

    def learned(self, seat: str, art: Suit) -> tuple[Stage, ...]:
        """The stages of an art that a seat has learned."""
        boxes = self.chart[self.setup.places[seat]][SUITS.index(art)]
        return tuple(stage for number, stage in enumerate(STAGES) if boxes >> number & 1)


def points_of(row: tuple[int, ...]) -> int:
    """The points of one player's boxes."""
    return sum([POINTS[boxes] for boxes in row])


def turn_of(state: ShuhariState) -> int:
    """The place whose turn it is: while a turn lasts its player, else the first from the leader with the fewest cards played."""
    trick = state.trick
    cards = trick.cards
    if trick.due is not None:
        return cards[-1].place
    players = len(state.hands)
    count = len(cards)
    if count and cards[-1].place != (trick.lead + count - 1) % players:
        return _first_behind(trick, players)
    return (trick.lead + count) % players


def _first_behind(trick: Trick, players: int) -> int:
    counts = [0] * players
    for played in trick.cards:
        counts[played.place] += 1
    order = [(trick.lead + steps) % players for steps in range(players)]
    return min(order, key=lambda place: counts[place])
