"""Card data as a value: what each field says, and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Scalar = str | int | float | bool
"""What one entry of a table in a card's field can hold."""
Value = Scalar | tuple[str, ...] | tuple[Mapping[str, Scalar], ...]
"""What one field of a card can hold; tables are for effects."""


class Provenance(StrEnum):
    """Where a card's field was learned. Inferred data is never shown as printed fact."""

    RULEBOOK = "rulebook"
    """The rulebook states it."""
    INFERRED = "inferred"
    """Nobody states it; our reading of what is known."""
    USER = "user"
    """The owners of the deck entered it from their cards."""


@dataclass(frozen=True, slots=True)
class Field:
    """One attribute of a card."""

    value: Value
    source: Provenance


@dataclass(frozen=True, slots=True)
class CardData:
    """A card of a deck."""

    id: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    copies: int = 1
    copies_source: Provenance | None = None
    """Who says how many there are; None where nobody does and there is one."""

    def value(self, name: str) -> Value | None:
        """What the field says; None where the card has no such field."""
        found = self.fields.get(name)
        return None if found is None else found.value

    def source(self, name: str) -> Provenance | None:
        """Who says so; None where the card has no such field."""
        found = self.fields.get(name)
        return None if found is None else found.source
