"""What the adjudicator needs of a game beside its book: how it is read from pictures, announced and shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from companion.games.book import Book
from companion.games.codec import Json

if TYPE_CHECKING:
    from calibration.zones import Layout
    from companion.adjudicator.resolution import Resolver
    from companion.rules.core import Outcome

SetupT = TypeVar("SetupT")
StateT = TypeVar("StateT")
FactT = TypeVar("FactT")
RecordT = TypeVar("RecordT")


@dataclass(frozen=True, slots=True)
class Tap:
    """An act that no camera sees and that people may tell now, with one tap on the page."""

    label: str
    act: Mapping[str, Json]
    """A fact as JSON."""
    whole: bool = True
    """False where the page has to ask for what the act lacks."""

    def offers(self, act: Mapping[str, Json]) -> bool:
        """Whether this is how an act is told."""
        return all(_plain(act.get(name)) == _plain(value) for name, value in self.act.items())


def _plain(value: Json) -> Json:
    """A value as it comes out of a file: lists for tuples."""
    return list(value) if isinstance(value, tuple) else value


class Kit(Protocol[SetupT, StateT, FactT]):
    """One game, as the adjudicator handles it. Everything is pure but for the resolver's own memory."""

    book: Book[SetupT, StateT, FactT, Any]
    has_board: bool
    """Whether a star board lies on the table, to be looked for."""

    def resolver(self, setup: SetupT, layout: Layout) -> Resolver[StateT, FactT]:
        """What turns settled pictures into facts."""

    def announcements(self, before: StateT, after: StateT) -> list[dict[str, Json]]:
        """The contract's events that became due between two states, but for the outcome: tricks."""

    def describe(self, fact: FactT, setup: SetupT) -> str:
        """A fact in a few words, for the history; cards as people call them."""

    def view(self, state: StateT) -> dict[str, Json]:
        """The game's part of the page's view (companion/web/desk.py)."""

    def taps(self, state: StateT) -> tuple[Tap, ...]:
        """What is due now and can't be seen, to be told with one tap; the likeliest first."""

    def zones(self, seats: int) -> tuple[str, ...]:
        """The zones that a layout must have for so many seats."""


def since(
    before: Sequence[RecordT], after: Sequence[RecordT], event: str, tell: Callable[[RecordT], dict[str, Json]]
) -> list[dict[str, Json]]:
    """The contract's events of what was done since: of tricks, rounds, series."""
    return [{"event": event, **tell(record)} for record in after[len(before) :]]


def outcome_event(outcome: Outcome) -> dict[str, Json]:
    """A result as the contract announces it."""
    return {
        "event": "outcome",
        "winners": list(outcome.winners),
        "decided_by": outcome.decided_by,
        "points": outcome.points,
        "bids": dict(outcome.bids),
    }
