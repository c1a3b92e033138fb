"""What a tracker of hands says, as reports to a duel's judge: who closed in, where it met, who raised a hand, who may have tried.

A try that touched nothing is never told for sure: a hand that goes after its die looks alike. It is told as one that may
have been.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import cv2
import numpy as np

from companion.duel.happenings import FRAME_US
from companion.duel.hearing import Judge
from companion.duel.reports import ClosingReport, Key, RaisedReport, Report, Source, SwingReport
from companion.duel.timeline import Entry
from companion.rules.hoshi_battle.facts import Where
from vision.arena_hands import ArenaHand, Closing

UNKNOWN_US = 300_000
"""A hand of which nobody can tell for so long whether it is raised, may be."""
FAST_MM_S = 350.0
"""A hand that comes toward the other at such a speed may strike."""
NEAR_MM = 110.0
"""And tries where its front comes so near to the other hand."""
BACK_MM = 12.0
"""It draws back by so much, or is nearest no more for AFTER_US: then the try is over."""
AFTER_US = 120_000
TOUCH_US = 200_000
"""A try so near to a touch is the touch."""
SURE_MM = 25.0
"""A front that lies so far inside of one outline, or so much nearer to it than to the other, met that one."""
_NEVER_US = -(1 << 60)


class Hands(Protocol):
    """What is needed of vision.arena_hands.ArenaHands."""

    def closing(self, one: str, other: str, t_ns: int) -> Closing:
        """Which of two seats' hands moved into the other's just before a moment."""


@dataclass(slots=True)
class _Seen:
    """What is known of a seat's hand."""

    raised: bool = False
    """As was seen last, for sure."""
    raised_us: int = _NEVER_US
    is_known: bool = True
    """That can be told in the latest picture."""
    doubted: bool = False
    """It has been told that it may be otherwise."""
    fast_us: int = _NEVER_US
    """When it was last that fast."""
    nearest_us: int = 0
    nearest_mm: float | None = None
    """Of a try that goes on."""


@dataclass(slots=True)
class HandsHearing:
    """Hears a tracker of hands, picture by picture."""

    judge: Judge
    hands: Hands
    seats: tuple[str, str]
    number: int = 0
    """Of the last report."""
    _seen: dict[str, _Seen] = field(init=False)
    _last: Mapping[str, ArenaHand] = field(default_factory=dict)
    _touches: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._seen = {seat: _Seen() for seat in self.seats}

    def follow(self, hands: Hands, seats: tuple[str, str]) -> None:
        """Another tracker begins, over a table without hands."""
        self.hands, self.seats, self._last = hands, seats, {}
        self._seen = {seat: _Seen() for seat in seats}

    def looked(self, t_ns: int, hands: Iterable[ArenaHand]) -> None:
        """The tracker has looked at a picture: the hands in it."""
        at_us = t_ns // 1000
        shown = {hand.seat: hand for hand in hands if hand.seat is not None and hand.seat in self._seen}
        through_us = at_us - FRAME_US
        for seat, hand in shown.items():
            seen = self._seen[seat]
            if seen.raised_us < 0:
                seen.raised_us = at_us  # it comes over the table on its way to a die
            seen.is_known = hand.raised is not None
            self._raised(seat, hand.raised, at_us)
        for seat, seen in self._seen.items():
            self._tries(seat, seen, shown, at_us)
            if seen.nearest_mm is not None:
                through_us = min(through_us, seen.nearest_us - 2 * FRAME_US)
            if seat in shown and not seen.is_known and not seen.doubted:
                through_us = min(through_us, seen.raised_us)
        self._last = shown
        self.judge.told_through(Source.HANDS, through_us)

    def touched(self, touch: Key, t_ns: int) -> None:
        """The pad felt a touch, and pictures up to it have been looked at: who closed in, and where."""
        one, other = self.seats
        by = {
            Closing.ONE: (one,),
            Closing.OTHER: (other,),
            Closing.BOTH: (one, other),
        }.get(self.hands.closing(one, other, t_ns))
        where = Where.UNKNOWN if by is None else self._where(by)
        self._touches.append(t_ns // 1000)
        for seen in self._seen.values():
            if abs(seen.nearest_us - t_ns // 1000) < TOUCH_US:
                seen.nearest_mm = None
        self._tell(t_ns // 1000, 0, ClosingReport(touch, by, where))

    # -- raised ---------------------------------------------------------------------------------------------------------------

    def _raised(self, seat: str, raised: bool | None, at_us: int) -> None:
        seen = self._seen[seat]
        if raised is None:
            if not seen.doubted and at_us - seen.raised_us > UNKNOWN_US:
                seen.doubted = True
                self._say_raised(seat, at_us, seen.raised_us, is_up=not seen.raised, is_sure=False)
            return
        if raised is not seen.raised:
            self._say_raised(seat, at_us, seen.raised_us, is_up=raised, is_sure=True)
        elif seen.doubted:
            self._say_raised(seat, at_us, seen.raised_us, is_up=raised, is_sure=False)
        seen.raised, seen.raised_us, seen.doubted, seen.is_known = raised, at_us, False, True

    def _say_raised(self, seat: str, at_us: int, last_us: int, *, is_up: bool, is_sure: bool) -> None:
        """It changed between two pictures, or while nobody could tell."""
        since_us = max(min(last_us, at_us), at_us - 2 * UNKNOWN_US)
        self._tell((since_us + at_us) // 2, (at_us - since_us) // 2 + 1, RaisedReport(seat, is_up, is_sure))

    # -- tries ----------------------------------------------------------------------------------------------------------------

    def _tries(self, seat: str, seen: _Seen, shown: Mapping[str, ArenaHand], at_us: int) -> None:
        """Whether a hand came fast and near, and then no nearer, without a touch."""
        other = self.seats[1 - self.seats.index(seat)]
        mine, its = shown.get(seat), shown.get(other)
        gap_mm = None if mine is None or its is None else _outside(its.hand_mm, mine.front_mm)
        if mine is not None and mine.speed is not None and mine.speed > FAST_MM_S:
            seen.fast_us = at_us
        is_trying = gap_mm is not None and gap_mm < NEAR_MM and at_us - seen.fast_us < AFTER_US
        if is_trying and gap_mm is not None and (seen.nearest_mm is None or gap_mm < seen.nearest_mm):
            seen.nearest_mm, seen.nearest_us = gap_mm, at_us
        if seen.nearest_mm is None:
            return
        is_back = gap_mm is not None and gap_mm > seen.nearest_mm + BACK_MM
        if is_back or at_us - seen.nearest_us > AFTER_US:
            if not any(abs(touch_us - seen.nearest_us) < TOUCH_US for touch_us in self._touches[-8:]):
                self._tell(seen.nearest_us, FRAME_US, SwingReport(seat, is_sure=False))
            seen.nearest_mm, seen.fast_us = None, _NEVER_US

    # -- where ----------------------------------------------------------------------------------------------------------------

    def _where(self, by: Sequence[str]) -> Where:
        """Hand or arm, by where the front of each hand that struck lies."""
        found = {self._met(seat) for seat in by}
        return found.pop() if len(found) == 1 else Where.UNKNOWN

    def _met(self, seat: str) -> Where:
        mine = self._last.get(seat)
        its = self._last.get(self.seats[1 - self.seats.index(seat)])
        if mine is None or its is None or not its.hand_mm:
            return Where.UNKNOWN
        hand, arm = _outside(its.hand_mm, mine.front_mm), _outside(its.forearm_mm, mine.front_mm)
        if hand is None:
            return Where.UNKNOWN
        if arm is None or hand + SURE_MM < arm:
            return Where.HAND
        return Where.ELSEWHERE if arm + SURE_MM < hand else Where.UNKNOWN

    def _tell(self, at_us: int, within_us: int, report: Report) -> None:
        self.number += 1
        self.judge.tell(Entry(at_us, within_us, Source.HANDS, (self.number,), report))


def _outside(outline: Sequence[tuple[float, float]], point: tuple[float, float]) -> float | None:
    """How far a point lies outside an outline, mm; below 0 inside; None for no outline."""
    if len(outline) < 3:
        return None
    ring = np.asarray(outline, np.float32)
    return -float(cv2.pointPolygonTest(ring, (float(point[0]), float(point[1])), True))
