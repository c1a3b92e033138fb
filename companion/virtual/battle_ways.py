"""The ways of hands over the virtual table for duels, and where two hands touch: exact by construction, never read off a picture.

Times are whole microseconds of the film, places millimetres on the table.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from enum import StrEnum

import cv2
import numpy as np

from hardware.virtual.scene import HAND_HEIGHT_MM, HandOverTable
from hardware.virtual.sprites import hand_outline

HAND_PARTS = 7
"""Outlines of `hand_outline` that are fingers, thumb and palm; the others are wrist and arm."""
_HALVINGS = 22
"""Of the way to a touch: to less than a thousandth of a millimetre."""


class Ease(StrEnum):
    """How speed runs along a way."""

    SMOOTH = "smooth"
    """Slow at both ends."""
    IN = "in"
    """Faster and faster: it arrives at speed."""
    OUT = "out"
    """Slower and slower."""

    def share(self, time: float) -> float:
        """Share of the way that is covered after a share of the time, both 0 to 1."""
        match self:
            case Ease.SMOOTH:
                return time**3 * (10 - 15 * time + 6 * time**2)
            case Ease.IN:
                return time**2
            case Ease.OUT:
                return time * (2 - time)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a hand is: the tip of its middle finger, and how high."""

    x_mm: float
    y_mm: float
    height_mm: float = HAND_HEIGHT_MM

    def toward(self, other: Place, share: float) -> Place:
        """On the straight way to another place."""
        return Place(
            self.x_mm + (other.x_mm - self.x_mm) * share,
            self.y_mm + (other.y_mm - self.y_mm) * share,
            self.height_mm + (other.height_mm - self.height_mm) * share,
        )

    def far(self, other: Place) -> float:
        """Distance over the table."""
        return math.hypot(self.x_mm - other.x_mm, self.y_mm - other.y_mm)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A straight part of a way; `until_us` says how far it was gone."""

    from_us: int
    to_us: int
    start: Place
    end: Place
    ease: Ease
    until_us: int

    def at(self, t_us: int) -> Place:
        """Where the hand is; after the part's end, where it stays."""
        t_us = min(t_us, self.until_us)
        if t_us >= self.to_us:
            return self.end
        time = max(0.0, (t_us - self.from_us) / (self.to_us - self.from_us))
        return self.start.toward(self.end, self.ease.share(time))


@dataclass(slots=True)
class Way:
    """A hand's way through a whole game, put together from its beginning on. Mutable while it is planned."""

    from_deg: float
    """Direction from the tip to the body, degrees clockwise from up."""
    begin: Place
    _parts: list[_Stretch] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    firm_us: int = 0
    """What was planned up to here stays; later parts may be cut short by what has to be done."""

    def at(self, t_us: int) -> Place:
        """Where the hand is."""
        n = bisect_right(self._starts, t_us) - 1
        return self.begin if n < 0 else self._parts[n].at(t_us)

    def go(self, to: Place, at_us: int, lead_us: int, ease: Ease = Ease.SMOOTH, *, firm: bool = True) -> int:
        """The hand is at a place at that moment, and sets out so long before at the earliest; when it sets out.

        Raises ValueError where something else was planned firmly for later than that.
        """
        if at_us < self.firm_us:
            raise ValueError(f"a hand can't be at two places: planned up to {self.firm_us} us, now {at_us} us")
        start_us = max(at_us - lead_us, self.firm_us)
        here = self.cut(start_us)
        if at_us > start_us:
            self._parts.append(_Stretch(start_us, at_us, here, to, ease, at_us))
            self._starts.append(start_us)
        if firm:
            self.firm_us = at_us
        return start_us

    def cut(self, t_us: int) -> Place:
        """What was planned for later is given up; where the hand stays then."""
        while self._parts and self._starts[-1] >= t_us:
            self._parts.pop()
            self._starts.pop()
        if self._parts and self._parts[-1].until_us > t_us:
            self._parts[-1] = replace(self._parts[-1], until_us=t_us)
        return self.at(t_us)

    def copied(self) -> Way:
        """A way of its own that is the same so far."""
        return Way(self.from_deg, self.begin, list(self._parts), list(self._starts), self.firm_us)

    def become(self, other: Way) -> None:
        """It is planned as another one is."""
        self._parts[:], self._starts[:], self.firm_us = other._parts, other._starts, other.firm_us

    def outlines(self, place: Place) -> list[np.ndarray]:
        """Fingers, thumb and palm of the hand at a place, mm."""
        return hand_outline(place.x_mm, place.y_mm, self.from_deg)[:HAND_PARTS]

    def hand(self, t_us: int, skin: tuple[int, int, int], sleeve: tuple[int, int, int]) -> HandOverTable:
        """The hand as it is drawn."""
        place = self.at(t_us)
        x, y = round(place.x_mm, 3), round(place.y_mm, 3)
        return HandOverTable(x, y, self.from_deg, skin, round(place.height_mm, 2), sleeve)


def meet(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    """Whether two hands overlap as seen from above."""
    if _apart(one, other):
        return False
    return any(
        cv2.intersectConvexConvex(first.astype(np.float32), second.astype(np.float32))[0] > 0
        for first in one
        for second in other
        if not _apart([first], [second])
    )


def _apart(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    """Whether the boxes about two sets of outlines are apart."""
    first, second = np.concatenate(one), np.concatenate(other)
    low = np.maximum(first.min(axis=0), second.min(axis=0))
    high = np.minimum(first.max(axis=0), second.max(axis=0))
    return bool((low > high).any())


def reach(way: Way, start: Place, aim: Place, other: list[np.ndarray]) -> float | None:
    """The share of the straight way from `start` to `aim` at which the hand first touches another; None if it doesn't."""
    if not meet(way.outlines(aim), other):
        return None
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if meet(way.outlines(start.toward(aim, middle)), other):
            high = middle
        else:
            low = middle
    return low
