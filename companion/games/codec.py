"""Facts to and from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from companion.errors import BadInputError

Json = Any
"""None, bool, int, float, str, or lists and string-keyed dicts of these."""

FactT = TypeVar("FactT")


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
