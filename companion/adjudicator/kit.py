"""What the adjudicator needs of a game beside its book: how it is read from pictures, announced and shown."""

from __future__ import annotations

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


class Kit(Protocol[SetupT, StateT, FactT]):
    """One game, as the adjudicator handles it. Everything is pure but for the resolver's own memory."""

    book: Book[SetupT, StateT, FactT, Any]

    def resolver(self, setup: SetupT, layout: Layout) -> Resolver[StateT, FactT]:
        """What turns settled pictures into facts."""

    def announcements(self, before: StateT, after: StateT) -> list[dict[str, Json]]:
        """The contract's events that became due between two states, but for the outcome: tricks."""

    def describe(self, fact: FactT) -> str:
        """A fact in a few words, for the history."""

    def view(self, state: StateT) -> dict[str, Json]:
        """The game's part of the page's view (companion/web/desk.py)."""


def outcome_event(outcome: Outcome) -> dict[str, Json]:
    """A result as the contract announces it."""
    return {
        "event": "outcome",
        "winners": list(outcome.winners),
        "decided_by": outcome.decided_by,
        "points": outcome.points,
        "bids": dict(outcome.bids),
    }
