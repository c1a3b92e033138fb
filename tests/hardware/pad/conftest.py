"""A pad, a line and a host in simulated time: whole evenings in seconds, the same every time."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from hardware.pad.conversation import Conversation
from hardware.pad.errors import PadLostError
from hardware.pad.messages import EventKind, ResetCause
from hardware.pad.reports import PadEvent, PadGap, Report
from hardware.virtual.pad import BYTE_NS, Faults
from hardware.virtual.pad_model import Memory, PadModel

MS = 1_000_000
DWELL_US = 5000
STEP_NS = MS


@dataclass
class Touch:
    """Two hands touched: when, and which event tells of it, if the pad could confirm it."""

    t_ns: int
    named: tuple[int, int] | None = None
    counted: bool = False
    """The ring was full: it is only counted."""


@dataclass
class PadWorld:
    """Runs everything a step of a millisecond at a time; the host's clock is the true one."""

    seed: int = 1
    ppm: float = 2000.0
    corrupt: float = 0.0
    drop: float = 0.0
    confirm_at_once: bool = True
    host_delay_ns: tuple[int, int] = (20_000, 300_000)
    now: int = 10_000 * MS
    reports: list[Report] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.faults = Faults(self.corrupt, self.drop, random.Random(self.seed + 1))
        self.memory = Memory()
        self.starts: dict[int, int] = {}
        self.to_pad: deque[tuple[int, bytes]] = deque()
        self.to_host: deque[tuple[int, bytes]] = deque()
        self.pending: list[Touch] = []
        self.wire_out = 0
        self.host_free = 0
        self.pad_free = 0
        self.plugged = True
        self.model = self.boot(ResetCause.POWER)
        self.talk = Conversation("pad", 250_000, lambda: self.now)
        self.talk.opened()

    # What happens

    def touch(self) -> None:
        touch = Touch(self.now)
        self.touches.append(touch)
        self.pending.append(touch)

    def reset(self, cause: ResetCause = ResetCause.WATCHDOG) -> None:
        self.pending.clear()
        self.to_host.clear()
        self.wire_out = 0
        self.model = self.boot(cause)

    def stall_host(self, ns: int) -> None:
        self.host_free = self.now + ns

    def stall_pad(self, ns: int) -> None:
        self.pad_free = self.now + ns

    def unplug(self) -> None:
        self.plugged = False
        self.to_host.clear()
        self.to_pad.clear()
        self.talk.closed(PadLostError("pad"))

    def replug(self) -> None:
        self.plugged = True
        self.talk.opened()

    def run(self, ns: int) -> None:
        end = self.now + ns
        while self.now < end:
            self.now += STEP_NS
            self.pad_turn()
            self.host_turn()

    # What came of it

    @property
    def events(self) -> list[PadEvent]:
        return [one for one in self.reports if isinstance(one, PadEvent)]

    @property
    def gaps(self) -> list[PadGap]:
        return [one for one in self.reports if isinstance(one, PadGap)]

    def true_ns(self, event: PadEvent) -> float:
        return self.starts[event.boot] + event.onset_us * 1000 / (1 + self.ppm / 1e6)

    def in_gap(self, t_ns: int) -> bool:
        return any((gap.since_ns or 0) <= t_ns <= (gap.until_ns or self.now) for gap in self.gaps)

    def check(self) -> None:
        """No touch lost or doubled outside declared gaps, order kept, and every time within its bound."""
        names = [(event.ring, event.seq) for event in self.events]
        assert len(set(names)) == len(names), "an event was handed on twice"
        assert names == sorted(names), "the order was not kept"
        told = {name for name, event in zip(names, self.events, strict=True) if event.kind == EventKind.CONTACT}
        for touch in self.touches:
            if touch.named not in told:
                assert self.in_gap(touch.t_ns), f"the touch at {touch.t_ns} is missing and no gap says so"
        assert told == {touch.named for touch in self.touches if touch.named in told}
        for event in self.events:
            if event.t_ns is not None and event.bound_ns is not None:
                assert abs(event.t_ns - self.true_ns(event)) <= event.bound_ns

    # Inside

    def boot(self, cause: ResetCause) -> PadModel:
        self.starts[self.memory.boot + 1] = self.now
        return PadModel(self.memory, self.send, cause)

    def us(self, ns: float) -> int:
        return int((ns - self.starts[self.memory.boot]) * (1 + self.ppm / 1e6) / 1000)

    def send(self, frame: bytes | Callable[[int], bytes]) -> None:
        leaves = max(self.wire_out, self.now)
        data = frame if isinstance(frame, bytes) else frame(self.us(leaves))
        self.wire_out = leaves + len(data) * BYTE_NS
        if self.plugged:
            self.to_host.append((self.wire_out + self.rng.randint(*self.host_delay_ns), self.faults.strike(data)))

    def pad_turn(self) -> None:
        while self.pending and self.now >= self.pending[0].t_ns + DWELL_US * 1000:
            touch = self.pending.pop(0)
            seq = self.model.record(EventKind.CONTACT, 0, self.us(touch.t_ns), DWELL_US, 900)
            touch.named = (self.memory.ring, seq) if seq is not None else None
            touch.counted = seq is None
        if self.now < self.pad_free:
            return
        while self.to_pad and self.to_pad[0][0] <= self.now:
            came, data = self.to_pad.popleft()
            self.wire_out = max(self.wire_out, came, self.pad_free)
            self.model.receive(data, self.us(max(came, self.pad_free)))
        self.model.tick(self.us(self.now))
        if self.model.reset_asked:
            self.reset()

    def host_turn(self) -> None:
        if not self.plugged or self.now < self.host_free:
            return
        while self.to_host and self.to_host[0][0] <= self.now:
            self.talk.feed(self.to_host.popleft()[1], self.now)
        for report in self.talk.reports():
            self.reports.append(report)
            if isinstance(report, PadEvent) and self.confirm_at_once:
                self.talk.confirm(report.ring, report.seq)
        data = self.talk.outgoing()
        if data:
            late = self.rng.randint(*self.host_delay_ns) + len(data) * BYTE_NS
            self.to_pad.append((self.now + late, self.faults.strike(data)))


@pytest.fixture
def pad_world() -> Callable[..., PadWorld]:
    """Makes a world; its fields may be given."""
    return PadWorld
