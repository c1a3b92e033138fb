"""What the adjudicator needs of a game beside its rules: how its values are written, read from pictures and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import msgspec

from companion.errors import BadInputError

if TYPE_CHECKING:
    from calibration.zones import Layout
    from companion.adjudicator.resolution import Resolver
    from companion.rules.cards import CardData
    from companion.rules.core import Rules

Json = Any
"""None, bool, int, float, str, or lists and string-keyed dicts of these."""

SetupT = TypeVar("SetupT")
StateT = TypeVar("StateT")
FactT = TypeVar("FactT")


class Kit(Protocol[SetupT, StateT, FactT]):
    """One game, as the adjudicator handles it. Everything is pure but for the resolver's own memory."""

    game: str
    title: str
    rules: Rules[SetupT, StateT, FactT]
    facts: FactCodec[FactT]

    def setup(
        self, seats: Sequence[str], lead: str, cards: Mapping[str, CardData], settings: Mapping[str, Json]
    ) -> SetupT:
        """A game's start. Raises BadInputError for a wrong number of seats, an unknown lead or setting."""

    def setup_json(self, setup: SetupT) -> dict[str, Json]:
        """The start as it stands in the journal."""

    def setup_of(self, payload: Mapping[str, Json]) -> SetupT:
        """The reverse of `setup_json`. Raises BadInputError."""

    def resolver(self, setup: SetupT, layout: Layout) -> Resolver[StateT, FactT]:
        """What turns settled pictures into facts."""

    def announcements(self, before: StateT, after: StateT) -> list[dict[str, Json]]:
        """The contract's events that became due between two states: tricks, the outcome."""

    def check_told(self, state: StateT, fact: FactT) -> None:
        """Raises BadInputError for a fact that a person can't mean: of a seat, card or star that is not there, or not now."""

    def describe(self, fact: FactT) -> str:
        """A fact in a few words, for the history."""

    def view(self, state: StateT) -> dict[str, Json]:
        """The game's part of the page's view (companion/web/desk.py)."""


@dataclass(frozen=True, slots=True)
class FactCodec(Generic[FactT]):
    """Facts to and from JSON: {"fact": kind, ...fields}."""

    kinds: Mapping[str, type[FactT]]

    def to_json(self, fact: FactT) -> dict[str, Json]:
        """A fact as it stands in the journal and in what a person tells."""
        kind = next(kind for kind, known in self.kinds.items() if type(fact) is known)
        return {"fact": kind, **msgspec.to_builtins(fact)}

    def of_json(self, payload: Mapping[str, Json]) -> FactT:
        """The fact that a payload tells; further keys of the journal's are passed over.

        Raises BadInputError naming the field that doesn't fit.
        """
        kind = payload.get("fact")
        known = self.kinds.get(kind) if isinstance(kind, str) else None
        if known is None:
            raise BadInputError(f"{kind!r} is no act of this game; known are {', '.join(sorted(self.kinds))}")
        try:
            return msgspec.convert(dict(payload), known, strict=True)
        except msgspec.ValidationError as error:
            raise BadInputError(f"the act {kind!r} doesn't hold together: {error}") from None
