"""A game as it stands: a value, changed by `apply` only. What can be derived is asked for, not stored.

Within a series seats are places 0 to 2, clockwise; sets of places have bit p for place p. The values that nearly every fact
makes anew are named tuples: made in a third of the time of a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from companion.rules.ahuha.facts import Orientation
from companion.rules.ahuha.knowledge import Entry, Knowledge
from companion.rules.ahuha.settings import Mode
from companion.rules.ahuha.setup import HAND, ROUNDS, SERIES_TO_WIN, AhuhaSetup

ALL_SEATS = 0b111
POINTS: Mapping[Orientation, int] = {Orientation.UPRIGHT: 1, Orientation.HORIZONTAL: 0, Orientation.INVERTED: 2}
"""What a card shows by the way it lies (Home Area)."""


class Phase(StrEnum):
    """Where in the game the table is."""

    DEAL = "deal"
    """A series is about to begin."""
    LAY = "lay"
    """Cards are being laid face down in the Field."""
    REVEAL = "reveal"
    """All three lie, not all are open."""
    EFFECT = "effect"
    """A card's turn: what its effect brings must be told."""
    HOSIAHI = "hosiahi"
    """A card's turn: it goes Home, alone or with the one it meets."""
    COUNT = "count"
    """The seventh round is done, the points of the series are being counted."""
    OVER = "over"


class Placed(NamedTuple):
    """A card in a Home."""

    card: str
    orientation: Orientation
    due: Orientation | None
    """How it ought to lie; None where that is not known."""


class Due(NamedTuple):
    """How a turn ought to end."""

    orientation: Orientation
    """Of the card whose turn it is."""
    partner: int | None = None
    """The place whose card in the Field it meets."""
    turned: tuple[int, str] | None = None
    """The place and the card in its Home that it meets and that is turned upright."""
    by_effect: bool = False

    @property
    def is_hosiahi(self) -> bool:
        """Whether two stars meet."""
        return self.partner is not None or self.turned is not None


class Round(NamedTuple):
    """The round being played."""

    number: int
    """1 to 7; 8 when the series is done."""
    laid: int = 0
    """Places that were seen to lay a card face down."""
    cards: tuple[str | None, str | None, str | None] = (None, None, None)
    """By place, once revealed; they stay here when they go Home."""
    trusted: int = 0
    """Places whose open card is in the deck and was nowhere else before in this series."""
    field: int = 0
    """Places whose open card lies in the Field still."""
    active: int | None = None
    """Whose turn it is."""
    waits: bool = False
    """The effect of the active card has to be told."""
    due: Due | None = None
    """How the turn ought to end; None while the effect is open, or where nothing can be said."""
    hosiahi: tuple[tuple[str, str], ...] = ()
    """The meetings of this round, lower number first."""
    overlooked: tuple[tuple[str, str], ...] = ()
    """Meetings that ought to have been and were not."""
    passing: int = -1
    """While frozen cards are passed: places that were seen to take one, and above by 3 bits those that placed one; else -1."""
    passed: int = 0
    """How often frozen cards were passed in this round."""
    lenient: bool = False
    """Something happened that the rules don't know: cards are taken as they lie."""
    ahead: int = 0
    """Places that laid a card for the next round before this one ended."""

    @property
    def is_revealed(self) -> bool:
        """All three cards lie open, or did."""
        return None not in self.cards

    @property
    def present(self) -> int:
        """Places whose card lies or lay in the Field, face down or open."""
        return self.laid | sum(1 << place for place, card in enumerate(self.cards) if card is not None)


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """A round that is done."""

    number: int
    cards: Mapping[str, str]
    """Seat to card; a card that nobody saw is missing."""
    hosiahi: tuple[tuple[str, str], ...]
    overlooked: tuple[tuple[str, str], ...]
    passed: int
    """How often frozen cards were passed."""


@dataclass(frozen=True, slots=True)
class SeriesRecord:
    """A series that is done."""

    number: int
    seats: tuple[str, ...]
    """Clockwise, as they sat."""
    rounds: tuple[RoundRecord, ...]
    homes: Mapping[str, tuple[Placed, ...]]
    bonus: tuple[str, ...]
    """Seats with an Asita point."""
    scores: Mapping[str, int]
    winners: tuple[str, ...]
    """One seat; none where it is played again, more where the table shares it. All in a cooperative game."""
    decided_by: str
    timeline: tuple[Entry, ...]
    """Every card shown, frozen cards passed and answer given, for looking back (`hindsight`)."""


class AhuhaState(NamedTuple):
    """Everything public of a game."""

    setup: AhuhaSetup
    seats: tuple[str, str, str]
    """Clockwise, as they sit in this series."""
    round: Round
    is_dealt: bool = False
    homes: tuple[tuple[Placed, ...], tuple[Placed, ...], tuple[Placed, ...]] = ((), (), ())
    """By place, left to right."""
    earned: int = 0
    """Places that took part in a Hosiahi at Tanabata."""
    asita: int = 0
    """Places whose Asita card is up."""
    tigiri: int = 0
    """Places whose Yono Tigiri card was turned up for this series."""
    wins: tuple[int, int, int] = (0, 0, 0)
    """Series won by place."""
    knowledge: Knowledge = Knowledge()
    rounds: tuple[RoundRecord, ...] = ()
    """Of this series."""
    done: tuple[SeriesRecord, ...] = ()
    loose: bool = False
    """An effect that the rules don't know worked in this series: an Asita card turned up is taken as a point."""

    @property
    def series(self) -> int:
        """The number of the series being played, from 1."""
        return len(self.done) + 1

    @property
    def phase(self) -> Phase:
        """Where the game is, from what has happened."""
        if self.is_over:
            return Phase.OVER
        current = self.round
        if not self.is_dealt:
            return Phase.DEAL
        if current.number > ROUNDS:
            return Phase.COUNT
        if current.active is not None:
            return Phase.EFFECT if current.waits else Phase.HOSIAHI
        return Phase.REVEAL if current.present == ALL_SEATS else Phase.LAY

    @property
    def is_over(self) -> bool:
        """Whether the last series is counted."""
        if self.setup.settings.mode is Mode.COOPERATIVE:
            return bool(self.done)
        return max(self.wins) >= SERIES_TO_WIN

    @property
    def hands(self) -> Knowledge:
        """What is publicly known of the hidden cards; the count of worlds depends on nothing else."""
        return self.knowledge

    @property
    def active(self) -> str | None:
        """Whose turn it is."""
        return None if self.round.active is None else self.seats[self.round.active]

    @property
    def scores(self) -> dict[str, int]:
        """Points of this series by seat, as the cards lie, with the Asita points."""
        return {seat: points_of(self, place) for place, seat in enumerate(self.seats)}


def place_of(state: AhuhaState, seat: str) -> int | None:
    """The place of a seat in this series; None for a stranger."""
    first, second, third = state.seats
    if seat == first:
        return 0
    if seat == second:
        return 1
    return 2 if seat == third else None


def points_of(state: AhuhaState, place: int) -> int:
    """Stars that stand in the Home of a place, and its Asita point where it is earned (Bonus Points)."""
    total = int(has_bonus(state, place))
    for placed in state.homes[place]:
        total += POINTS[placed.orientation]
    return total


def has_bonus(state: AhuhaState, place: int) -> bool:
    """Whether a place has an Asita point: it met at Tanabata, or an effect of which the table alone knows gave it."""
    return bool((state.earned | (state.asita if state.loose else 0)) >> place & 1)


def hand_size(current: Round) -> int:
    """Cards in each hand once the three cards of the round lie."""
    return max(0, HAND - current.number)


def home_of(state: AhuhaState, card: str) -> tuple[int, int] | None:
    """In whose Home a card lies and where in the row; None where it is in none."""
    homes = state.homes
    for place in (0, 1, 2):
        home = homes[place]
        for placed in home:
            if placed[0] == card:
                return place, home.index(placed)
    return None
