"""The real firmware image and the real host code over a pseudo-terminal, through noise, resets, unplugs and stalls.

Both run in simulated time, a few milliseconds by turns: so an evening takes seconds, and a stall of a second is one however
busy the machine is. The host is `Conversation` and `Port`, which is all of it but the thread; the thread itself meets the
firmware in the last test, in real time.
"""

from __future__ import annotations

import bisect
import contextlib
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hardware.pad import messages
from hardware.pad.conversation import Conversation
from hardware.pad.errors import PadLostError
from hardware.pad.link import PadLink
from hardware.pad.messages import EventFlag, EventKind
from hardware.pad.port import Port
from hardware.pad.reports import GapKind, LinkState, PadEvent, PadGap, PadState, Report
from hardware.virtual.simulated_pad import PacedPad, SteppedPad

STEP_US = 5_000
START_NS = 5_000_000_000
"""Host's time of simulated time 0."""
STAMP_US = 60
SKINS_OHM = (2_000, 30_000, 150_000, 700_000)
NOT_OURS = EventFlag.FOUND_AT_START | EventFlag.UNCERTAIN
"""A touch that went on over a reset is told again, as found at the start."""


class Evening:
    """A pad, a line and a host; the script of the touches is the truth."""

    def __init__(
        self, port: Path, seed: int, corrupt: float, hum: str = "0 0", skins: tuple[int, ...] = SKINS_OHM
    ) -> None:
        """`hum`: hertz and microamperes; `skins`: between the hands that touch, ohms."""
        self.rng = random.Random(seed)
        self.name = port
        self.skins = skins
        self.pad = SteppedPad(port=port)
        self.talk = Conversation(str(port), 250_000, self.host_ns)
        self.port: Port | None = None
        self.reports: list[Report] = []
        self.touches: list[float] = []
        """Simulated microseconds at which hands touched."""
        self.stalled_until_us = 0.0
        self.missing = 0
        """Touches that a declared gap swallowed."""
        self.pad.order(f"corrupt {corrupt} {seed}")
        self.pad.order(f"hum {hum}")
        self.pad.at(200_000, "rest 1 60000")
        self.pad.at(300_000, "rest 2 90000")
        self.plug()
        self.run(1_000_000)

    def host_ns(self) -> int:
        return START_NS + round(self.pad.now_us * 1000)

    def plug(self) -> None:
        self.pad.order("plug")
        self.pad.run(self.pad.now_us + 1)
        self.port = Port.open(str(self.name))
        self.talk.opened()

    def unplug(self) -> None:
        self.pad.order("unplug")
        if self.port is not None:
            self.port.close()
        self.port = None
        self.talk.closed(PadLostError(str(self.name)))

    def run(self, us: float) -> None:
        end = self.pad.now_us + us
        while self.pad.now_us < end - 1:
            if self.listens and self.port is not None:
                self.port.write(self.talk.outgoing())
            self.pad.run(min(self.pad.now_us + STEP_US, end))
            if self.listens and self.port is not None:
                self.hear(self.port)

    @property
    def listens(self) -> bool:
        return self.pad.now_us >= self.stalled_until_us

    def hear(self, port: Port) -> None:
        if port.wait(0):
            self.talk.feed(port.read(), self.host_ns())
        for report in self.talk.reports():
            self.reports.append(report)
            if isinstance(report, PadEvent):
                self.talk.confirm(report.ring, report.seq)

    def touch(self) -> None:
        """A touch, ten a second at most, of any skin."""
        t = self.pad.now_us + self.rng.uniform(1_000, 30_000)
        self.touches.append(t)
        self.pad.at(t, f"contact {self.rng.choice(self.skins)}")
        self.pad.at(t + self.rng.uniform(15_000, 40_000), "contact open")
        self.run(self.rng.uniform(100_000, 120_000))

    def mishap(self) -> None:
        match self.rng.randrange(7):
            case 0:
                self.pad.order("hang")
            case 1:
                self.pad.order("reset")
            case 2:
                self.pad.order(f"power {self.rng.randrange(1000)}")
            case 3 | 4:
                self.stalled_until_us = self.pad.now_us + 1_000_000
            case 5:
                self.unplug()
                for _ in range(self.rng.randrange(1, 15)):
                    self.touch()
                self.plug()
            case _:
                self.talk.ask(messages.set_value(0, 5_000), 3.0)

    def end(self) -> None:
        """Peace, until everything was told."""
        self.pad.order("corrupt 0 0")
        self.run(3_000_000)

    def close(self) -> None:
        if self.port is not None:
            self.port.close()
        with self.pad:
            pass

    # What came of it

    @property
    def events(self) -> list[PadEvent]:
        return [one for one in self.reports if isinstance(one, PadEvent)]

    @property
    def gaps(self) -> list[PadGap]:
        return [one for one in self.reports if isinstance(one, PadGap)]

    def clocks_us(self) -> list[float]:
        """Simulated time of every boot's clock 0, the first boot's first."""
        return [one["t_us"] for one in self.pad.happened if "clock" in one]

    def in_gap(self, t_us: float) -> bool:
        ns = START_NS + t_us * 1000
        return any((gap.since_ns or 0) <= ns <= (gap.until_ns or self.host_ns()) for gap in self.gaps)

    def wide(self, clocks: list[float]) -> list[tuple[float, int]]:
        """Onsets that the pad says are uncertain, and within what."""
        return [
            (clocks[event.boot - 1] + event.onset_us, event.within_us)
            for event in self.events
            if event.kind == EventKind.CONTACT and event.flags & EventFlag.UNCERTAIN and event.within_us is not None
        ]

    def around(self, times: list[float], clocks: list[float]) -> list[str]:
        """What was told of the contact within a second of these times: where, what, how sure."""
        return [
            f"{at:.0f} {event.name} seq {event.seq} {event.flags!r} within {event.within_us}"
            for event in self.events
            if event.kind in (EventKind.CONTACT, EventKind.RELEASE)
            and any(abs((at := clocks[event.boot - 1] + event.onset_us) - t) < 1e6 for t in times)
        ]

    def check(self) -> None:
        names = [(event.ring, event.seq) for event in self.events]
        assert len(set(names)) == len(names), "an event was handed on twice"
        assert names == sorted(names), "the order was not kept"
        clocks = self.clocks_us()
        told = sorted(
            clocks[event.boot - 1] + event.onset_us
            for event in self.events
            if event.kind == EventKind.CONTACT and not event.flags & NOT_OURS
        )
        untold = [t for t in self.touches if not any(abs(t - seen) < STAMP_US for seen in near(told, t))]
        missing = [t for t in untold if not any(abs(t - seen) <= width for seen, width in self.wide(clocks))]
        silent = [t for t in missing if not self.in_gap(t)]
        assert silent == [], f"touches are missing and no gap says so; told around them: {self.around(silent, clocks)}"
        invented = [seen for seen in told if not any(abs(t - seen) < STAMP_US for t in near(self.touches, seen))]
        assert invented == []
        assert len(told) == len(self.touches) - len(untold), "a touch was told twice"
        assert len(untold) - len(missing) <= len(self.touches) / 100, "hardly any onset is uncertain without hum"
        self.missing = len(missing)
        for event in self.events:
            if event.t_ns is not None and event.bound_ns is not None:
                truth = START_NS + (clocks[event.boot - 1] + event.onset_us) * 1000
                assert abs(event.t_ns - truth) <= event.bound_ns


def near(times: list[float], t: float) -> list[float]:
    """Those within a millisecond, of sorted times."""
    return times[bisect.bisect_left(times, t - 1000) : bisect.bisect_right(times, t + 1000)]


@pytest.fixture
def evening(simulator: None, tmp_path: Path) -> Callable[[int, int, float], Evening]:
    """Plays an evening of so many touches and checks it."""

    def play(seed: int, touches: int, mishaps: float) -> Evening:
        with contextlib.closing(Evening(tmp_path / "pad", seed, 0.01)) as world:
            while len(world.touches) < touches:
                world.touch()
                if world.rng.random() < mishaps:
                    world.mishap()
            world.end()
            world.check()
            return world

    return play


@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_touches_and_no_confirmed_one_is_lost_or_doubled(
    evening: Callable[[int, int, float], Evening], seed: int
) -> None:
    """Three times: with resets by hand and by watchdog, losses of supply, unplugs and stalls, at 1 % spoilt bytes."""
    world = evening(seed, 1_000, 0.03)

    assert {gap.kind for gap in world.gaps} >= {GapKind.RESTARTED, GapKind.POWER_LOST}
    assert world.talk.stats.bad_crc > 100
    assert world.missing < 60, "gaps are short"


def test_noise_alone_costs_nothing(evening: Callable[[int, int, float], Evening]) -> None:
    world = evening(7, 300, 0.0)

    assert world.gaps == []
    assert world.missing == 0


@pytest.mark.parametrize("hum", ["50 0.2", "60 0.6"])
def test_in_hum_every_mapped_time_lies_within_its_bound_of_the_truth(simulator: None, tmp_path: Path, hum: str) -> None:
    """The bound is the clock's, and what the pad itself says of the onset: 50 us without a flag, its width with one."""
    with contextlib.closing(Evening(tmp_path / "pad", 3, 0.0, hum, (2_000, 300_000, 1_000_000, 2_000_000))) as world:
        for _ in range(120):
            world.touch()
        world.end()
        told = [one for one in world.events if one.kind == EventKind.CONTACT]
        nearest = [min(world.touches, key=lambda t, one=one: abs(START_NS + 1000 * t - one.t_ns)) for one in told]

    assert len(told) >= 80
    errors = [abs(one.t_ns - START_NS - 1000 * t) for one, t in zip(told, nearest, strict=True)]
    assert all(one.bound_ns is None or error <= one.bound_ns for one, error in zip(told, errors, strict=True))
    narrow = [one for one in told if not one.uncertain]
    assert len(narrow) > len(told) / 4
    # A busy host reads some answers late, which widens the clock's own bound for a while: the usual one tells.
    assert statistics.median(one.bound_ns for one in narrow) < 2_500_000


def test_the_link_s_own_thread_against_the_firmware_in_real_time(simulator: None, tmp_path: Path) -> None:
    """Ten touches a second, a hang, a pulled plug: every touch is told once, within its bound, or lies in a declared gap."""
    reports: list[Report] = []
    with PacedPad(tmp_path / "pad") as pad:
        pad.rest(pad.now_us() + 10_000)
        with PadLink(pad.port, reports.append) as link:
            wait_until(lambda: link.state.state is LinkState.READY)
            wait_until(lambda: sum(isinstance(one, PadEvent) and one.t_ns is not None for one in reports) >= 3)
            begun = pad.now_us() + 500_000
            touches = [begun + 100_000 * n for n in range(50)]
            for t in touches:
                pad.touch(t, 0.03)
            pad.order(f"at {begun + 1_550_000} hang", f"at {begun + 3_050_000} unplug", f"at {begun + 3_550_000} plug")
            wait_until(lambda: pad.now_us() > begun + 5_200_000)
            last = (begun + 4_900_000) / 1e6
            wait_until(lambda: any(isinstance(one, PadEvent) and near_s(pad, one, last) for one in reports))
        clocks = [one["t_us"] for one in pad.happened if "clock" in one]

    events = [one for one in reports if isinstance(one, PadEvent) and one.kind == EventKind.CONTACT]
    told = [clocks[one.boot - 1] + one.onset_us for one in events if not one.flags & NOT_OURS]
    gaps = [one for one in reports if isinstance(one, PadGap)]
    missing = [t for t in touches if not any(abs(t - seen) < STAMP_US for seen in told)]
    assert len(told) == len(touches) - len(missing)
    assert 0 < len(missing) < 6
    assert all(
        any((gap.since_ns or 0) <= pad.host_ns(t) <= (gap.until_ns or pad.host_ns(1e12)) for gap in gaps)
        for t in missing
    )
    for one, seen in zip([one for one in events if not one.flags & NOT_OURS], told, strict=True):
        assert one.t_ns is not None
        assert one.bound_ns is not None
        assert abs(one.t_ns - pad.host_ns(seen)) <= one.bound_ns
    states = [one.state for one in reports if isinstance(one, PadState)]
    assert LinkState.UNPLUGGED in states
    assert states[-1] is LinkState.READY


def near_s(pad: PacedPad, event: PadEvent, t_s: float) -> bool:
    return event.t_ns is not None and abs(event.t_ns - pad.host_ns(t_s * 1e6)) < 20_000_000


def wait_until(true: Callable[[], bool]) -> None:
    """Waits for what must come; the test's own timeout ends it where it does not."""
    while not true():
        time.sleep(0.02)


@pytest.mark.soak
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("seed", range(100, 120))
def test_a_hundred_thousand_touches(evening: Callable[[int, int, float], Evening], seed: int) -> None:
    evening(seed, 5_000, 0.02)
