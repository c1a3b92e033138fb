"""Seeded chance that is the same on every machine and every version of Python: splitmix64, whole numbers only."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sequence
from typing import Any, TypeVar

ItemT = TypeVar("ItemT")
_MASK = (1 << 64) - 1


class Chance:
    """A stream of numbers from a seed. Each draw moves it on."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def bits(self) -> int:
        """The next 64 bits."""
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return state ^ (state >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to bound - 1; even to within 2**-40 for the small bounds of a game."""
        return self.bits() * bound >> 64

    def pick(self, items: Sequence[ItemT]) -> ItemT:
        """One of them; there must be one."""
        return items[self.bits() * len(items) >> 64]

    def best(self, items: Sequence[ItemT], worth: Callable[[ItemT], float]) -> ItemT:
        """One of those that are worth most; there must be one."""
        worths = [worth(item) for item in items]
        return self.pick([item for item, value in zip(items, worths, strict=True) if value == max(worths)])

    def per_mille(self, share: int) -> bool:
        """True that often in a thousand."""
        return self.bits() * 1000 >> 64 < share

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """In place, by Fisher and Yates."""
        for last in range(len(items) - 1, 0, -1):
            other = self.bits() * (last + 1) >> 64
            items[last], items[other] = items[other], items[last]
