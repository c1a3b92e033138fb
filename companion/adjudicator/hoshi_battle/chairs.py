"""Who sits where at the table for duels: two chairs, a winner keeps the own one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Chairs = tuple[str | None, str | None]
"""Who sits at the left and at the right one."""


def seated(before: Chairs, duellists: Sequence[str], places: Mapping[str, int]) -> Chairs:
    """Who sits there once these two duel: who sat there already stays, the other takes the chair that is free."""
    if len(duellists) != 2 or set(duellists) == set(before):
        return before
    chairs: list[str | None] = [seat if seat in duellists else None for seat in before]
    for seat in sorted(duellists, key=lambda one: places[one]):
        if seat not in chairs:
            chairs[chairs.index(None)] = seat
    return chairs[0], chairs[1]
