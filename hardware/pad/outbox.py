"""Reports on their way to whoever listens: in order, each with its time on the host's clock as soon as that is known."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from hardware.pad.clock import Instant
from hardware.pad.clocks import BootClocks
from hardware.pad.messages import Event, EventKind
from hardware.pad.reports import GapKind, PadEvent, PadGap, PadState, Report, within

PATIENCE_NS = 1_000_000_000
"""How long an event waits for the clock of its boot; then it goes on without a time."""
BEFORE_NS = 100_000_000
"""What began so long before the pad stopped may not have been confirmed yet."""
AFTER_NS = 100_000_000
"""So long after its start a pad watches for sure."""


@dataclass(frozen=True, slots=True)
class Restart:
    """A boot was followed by another one."""

    kind: GapKind
    since_ns: int | None
    """Up to here on the host's clock nothing is missing, but for what was not confirmed yet."""
    after: int
    """The later boot."""
    why: str


@dataclass(frozen=True, slots=True)
class Names:
    """What the pad calls its kinds of events and its channels."""

    events: Mapping[int, str]
    channels: Mapping[int, str]


class Outbox:
    """Holds back what can't be timed yet, and everything behind it."""

    def __init__(self, clocks: BootClocks, port: str) -> None:
        self._clocks = clocks
        self._port = port
        self._waiting: deque[tuple[int, Event | Restart | PadGap | PadState]] = deque()
        self.names = Names({}, {})

    def put(self, item: Event | Restart | PadGap | PadState, now_ns: int) -> None:
        """Puts something in line."""
        self._waiting.append((now_ns, item))

    def ready(self, now_ns: int) -> list[Report]:
        """What can go on now, in order."""
        reports: list[Report] = []
        while self._waiting:
            since_ns, item = self._waiting[0]
            boot = item.boot if isinstance(item, Event) else item.after if isinstance(item, Restart) else None
            if boot is not None and not self._clocks.map_of(boot).known and now_ns - since_ns < PATIENCE_NS:
                break
            self._waiting.popleft()
            reports += self._report(item)
        return reports

    def _report(self, item: Event | Restart | PadGap | PadState) -> list[Report]:
        match item:
            case Event(kind=EventKind.OVERFLOW):
                return [self._overflow(item), self._event(item)]
            case Event():
                return [self._event(item)]
            case Restart():
                return [self._restart(item)]
            case _:
                return [item]

    def _event(self, event: Event) -> PadEvent:
        instant = self._clocks.at(event.boot, event.onset_us)
        within_us = within(event.within_us)
        return PadEvent(
            event.ring,
            event.boot,
            event.seq,
            event.kind,
            self.names.events.get(event.kind, f"kind {event.kind}"),
            event.channel,
            self.names.channels.get(event.channel, ""),
            event.flags,
            event.onset_us,
            within_us,
            event.dwell_us,
            event.strength,
            instant.t_ns if instant is not None else None,
            instant.bound_ns + 1000 * within_us if instant is not None and within_us is not None else None,
        )

    def _overflow(self, event: Event) -> PadGap:
        since = self._clocks.at(event.boot, event.onset_us)
        until = self._clocks.at(event.boot, event.onset_us + 1000 * event.dwell_us)
        return PadGap(
            GapKind.OVERFLOW,
            _early(since),
            _late(until, 1_000_000),  # its span is in whole milliseconds
            f"{self._port}: {event.strength} events were lost; the pad's memory was full because nobody took them",
            event.strength,
        )

    def _restart(self, restart: Restart) -> PadGap:
        until = _late(self._clocks.at(restart.after, 0), AFTER_NS)
        lost = (
            "; what it felt meanwhile is missing"
            if restart.kind is GapKind.RESTARTED
            else "; what it felt meanwhile, and what was not read before, is missing"
        )
        return PadGap(
            restart.kind,
            restart.since_ns - BEFORE_NS if restart.since_ns is not None else None,
            until,
            f"{self._port}: the pad started anew ({restart.why}){lost}",
        )


def _early(instant: Instant | None) -> int | None:
    return None if instant is None else instant.t_ns - instant.bound_ns


def _late(instant: Instant | None, margin_ns: int) -> int | None:
    return None if instant is None else instant.t_ns + instant.bound_ns + margin_ns
