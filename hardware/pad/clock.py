"""The pad's microseconds on the host's monotonic clock, with a bound that holds.

Every exchange (TIME and its answer) brackets the pad's clock: the pad had the question not before the host asked, and began to
answer not after the host had the answer, each with the time that the bytes take on the wire taken off. No delay need be
symmetric. Quick exchanges bracket closely, so the one with the least round trip of each second is kept, and a regression
through their middles, weighted by closeness and age, is the estimate; but where it leaves what the brackets allow, the brackets
win, and the bound of an instant is its distance from the farthest time that they allow. (The middle of what they allow is
three times as far off when rates stand still, as they mostly do, and half as far when they wander as far as is assumed.)

What is assumed: the pad's crystal or resonator is within `RATE_LIMIT` of its frequency, and within `WINDOW_NS` the two clocks'
rates stay within `WANDER` of a middle (warming moves a resonator by some 30 millionths a degree; a time server slews the
host's clock by up to 500 millionths at once). An exchange that contradicts the ones before is set aside; three on end mean
that a clock has jumped (the host slept), and the map begins anew.

Pure values: nothing here reads a clock.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

RATE_LIMIT = 0.01
"""A pad's clock is right to 1 in 100: ceramic resonators are given as 0.5 %."""
WANDER = 300e-6
WINDOW_NS = 20_000_000_000
"""How long an exchange tells something of the rate."""
GROUP = 8
"""So many exchanges are kept as they are; older ones leave the closest of each group of so many."""
SLACK_NS = 10_000
"""The pad's stamps are cut down to a few microseconds."""
JUMPED = 3
"""So many exchanges on end that contradict the map."""
AGE_NS = 8_000_000_000
"""An exchange so old weighs a third in the estimate."""
LEAST_WIDTH_NS = 20_000
"""Closer than this two exchanges weigh the same."""
BITS_A_BYTE = 10
WIRE_SURE = 0.99
"""A line's bit may be so much shorter than it should be."""


def wire_ns(byte_count: int, baud: int) -> int:
    """The least time in ns that bytes take on the wire; the last stop bit need not be over when they are read."""
    return int((BITS_A_BYTE * byte_count - 1) * 1e9 / baud * WIRE_SURE)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question for the time and its answer, wire time taken off."""

    not_before_ns: int
    """The pad had the question not before this; host's monotonic clock."""
    received_us: int
    """When it had it, by its own clock."""
    sent_us: int
    """When its answer began to leave, by its own clock."""
    not_after_ns: int
    """It did so not after this; host's monotonic clock."""

    @classmethod
    def of(
        cls, asked_ns: int, answered_ns: int, received_us: int, sent_us: int, wire_out_ns: int, wire_in_ns: int
    ) -> Exchange:
        """`asked_ns`: before the question was written; `answered_ns`: after the answer was read."""
        return cls(
            asked_ns + wire_out_ns - SLACK_NS,
            received_us,
            sent_us,
            answered_ns - wire_in_ns + SLACK_NS,
        )

    @property
    def width_ns(self) -> int:
        """How far apart the brackets are: the round trip without what the pad took to answer."""
        return self.not_after_ns - self.not_before_ns - 1000 * (self.sent_us - self.received_us)

    @property
    def middle(self) -> tuple[float, float]:
        """Pad's us and host's ns, if both ways took equally long."""
        return (self.received_us + self.sent_us) / 2, (self.not_before_ns + self.not_after_ns) / 2


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment on the host's monotonic clock."""

    t_ns: int
    bound_ns: int
    """The true time is within this of `t_ns`."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Host's ns a pad's us, over 1000: what the exchanges leave possible."""

    least: float = 1 - RATE_LIMIT
    most: float = 1 + RATE_LIMIT

    @property
    def middle(self) -> float:
        """The estimate where nothing better is known."""
        return (self.least + self.most) / 2


@dataclass(frozen=True, slots=True)
class Line:
    """The regression."""

    at_us: float
    at_ns: float
    rate: float

    def ns(self, us: float) -> float:
        """Host's ns of a pad's us."""
        return self.at_ns + 1000 * self.rate * (us - self.at_us)


@dataclass(frozen=True, slots=True)
class ClockMap:
    """One boot of the pad on the host's clock. A value: `add` gives the next one."""

    recent: tuple[Exchange, ...] = ()
    older: tuple[Exchange, ...] = ()
    """The closest of each group, oldest first."""
    rate: Rate = Rate()
    line: Line | None = None
    """None while nothing is known."""
    doubted: tuple[Exchange, ...] = ()
    """The last ones on end that contradict the others."""
    outliers: int = 0
    """Exchanges that were set aside for good."""
    jumps: int = 0
    """How often the map began anew."""

    @property
    def known(self) -> bool:
        """Whether anything can be mapped."""
        return self.line is not None

    @property
    def frequency_ppm(self) -> float:
        """How much faster the pad's clock goes than the host's, millionths; 0 while unknown."""
        return 0.0 if self.line is None else (1 / self.line.rate - 1) * 1e6

    @property
    def closest_ns(self) -> int:
        """How wide the closest exchange is that is known; 0 while none is."""
        return min((one.width_ns for one in (*self.older, *self.recent)), default=0)

    def add(self, exchange: Exchange) -> ClockMap:
        """The map that knows this exchange too; one that can't be is set aside."""
        if exchange.sent_us < exchange.received_us or exchange.width_ns < 0:
            return replace(self, outliers=self.outliers + 1)
        if self.known and not self._allows(exchange):
            doubted = (*self.doubted, exchange)
            if len(doubted) < JUMPED:
                return replace(self, doubted=doubted)
            return self._anew(doubted)
        recent, older, rate = (*self.recent, exchange), self.older, self.rate
        if len(recent) >= 2 * GROUP:
            older = (*older, min(recent[:GROUP], key=lambda one: one.width_ns))
            recent = recent[GROUP:]
            older = tuple(one for one in older if exchange.not_after_ns - one.not_after_ns < WINDOW_NS)
        if len(recent) in (GROUP, GROUP + 4) or not self.older:
            rate = _rate((*older, *recent) if len(older) < 2 else older)
        if rate.least > rate.most:
            return self._anew((exchange,))
        return ClockMap(
            recent, older, rate, _line((*older, *recent), rate), (), self.outliers + len(self.doubted), self.jumps
        )

    def at(self, us: int) -> Instant | None:
        """The moment of that microsecond of the pad; None while nothing is known."""
        if self.line is None:
            return None
        least, most = self._limits(us)
        t_ns = round(min(max(self.line.ns(us), least), most))
        return Instant(t_ns, math.ceil(max(most - t_ns, t_ns - least, 0)))

    def _limits(self, us: int) -> tuple[float, float]:
        """The earliest and the latest host's ns that every exchange allows."""
        rate = self.rate
        least, most = -math.inf, math.inf
        for one in (*self.older, *self.recent):
            least = max(least, one.not_before_ns + _least_step(us - one.received_us, rate))
            most = min(most, one.not_after_ns - _least_step(one.sent_us - us, rate))
        return least, most

    def _allows(self, exchange: Exchange) -> bool:
        """Whether it can be true beside the others."""
        _, latest = self._limits(exchange.received_us)
        earliest, _ = self._limits(exchange.sent_us)
        return exchange.not_before_ns <= latest and exchange.not_after_ns >= earliest

    def _anew(self, exchanges: Sequence[Exchange]) -> ClockMap:
        fresh = ClockMap()
        for exchange in exchanges:
            fresh = fresh.add(exchange)
        return replace(fresh, outliers=self.outliers, jumps=self.jumps + 1)


def _least_step(us: int, rate: Rate) -> float:
    """The least ns that the host's clock goes on in so many of the pad's us, which may be below 0.

    Beyond the window nothing is known of the rate but its limit.
    """
    ns = 1000 * us
    near = min(max(ns, -WINDOW_NS), WINDOW_NS)
    far = ns - near
    if ns >= 0:
        return near * rate.least + far * (1 - RATE_LIMIT)
    return near * rate.most + far * (1 + RATE_LIMIT)


def _rate(exchanges: Sequence[Exchange]) -> Rate:
    """What pairs of exchanges leave possible of the rate, now and within the window."""
    least, most = 1 - RATE_LIMIT, 1 + RATE_LIMIT
    for one, other in combinations(exchanges, 2):
        longest_us, shortest_us = other.sent_us - one.received_us, other.received_us - one.sent_us
        if shortest_us <= 0:
            continue
        # Each pair gives the mean rate between its two; now it may be the wander away from the middle, on the other side.
        least = max(least, (other.not_before_ns - one.not_after_ns) / (1000 * shortest_us) - 2 * WANDER)
        most = min(most, (other.not_after_ns - one.not_before_ns) / (1000 * longest_us) + 2 * WANDER)
    return Rate(least, most)


def _line(exchanges: Sequence[Exchange], rate: Rate) -> Line:
    """Least squares through the middles, the quick and the new ones first, within what is possible."""
    newest = exchanges[-1].not_after_ns
    origin_us, origin_ns = exchanges[-1].middle
    total = sum_x = sum_y = 0.0
    points = []
    for one in exchanges:
        us, ns = one.middle
        x, y = 1000 * (us - origin_us), ns - origin_ns
        weight = math.exp((one.not_after_ns - newest) / AGE_NS) / max(one.width_ns, LEAST_WIDTH_NS) ** 2
        points.append((weight, x, y))
        total += weight
        sum_x += weight * x
        sum_y += weight * y
    mean_x, mean_y = sum_x / total, sum_y / total
    spread = sum(weight * (x - mean_x) ** 2 for weight, x, _ in points)
    slope = sum(weight * (x - mean_x) * (y - mean_y) for weight, x, y in points) / spread if spread else rate.middle
    return Line(origin_us + mean_x / 1000, origin_ns + mean_y, min(max(slope, rate.least), rate.most))
