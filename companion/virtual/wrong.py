"""The truth of a breach that simulated players did, as only their script knows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wrong:
    """A breach."""

    kind: str
    """The field of the plan that brought it about."""
    player: str
    trick: int
    """1-based; the trick or round."""
    act: int
    """0-based index of the fact by which it happened."""
    is_hidden: bool = False
    """It was against what a hidden hand obliges to: only other acts can prove it."""
