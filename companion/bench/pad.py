"""How true the pad's times are on the host's clock, in hum and with busy loops beside it: every touch's error and its bound."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, cycle
from pathlib import Path
from typing import Any

from hardware.pad.errors import PadTimeoutError
from hardware.pad.link import PadLink
from hardware.pad.messages import EventKind
from hardware.pad.reports import LinkState, PadEvent, PadState, Report

SIMULATOR, STAND_IN = "firmware in the simulator", "stand-in pad"
BUSY = "while True: pass"
READY_S = 30.0
CLOSES = re.compile(r"contact [\d.]+")
"""The simulator's word for hands that touch."""
LEAD_US = 2_000_000
HELD_S = 0.03
SKINS_OHM = (2_000, 30_000, 200_000, 1_000_000, 2_000_000)
"""Between the hands that touch, each in its turn."""
MAINS_HZ = 50
PAUSE_S = (0.1, 0.2)
"""Between two touches: five to ten a second."""
SETTLE_S = 5.0
"""The clock is learned in this, and hands laid: a pad is plugged in before the game begins."""
DRAIN_S = 1.5
LAG_S = 120.0
NEAR_NS = 45_000_000
"""An event and a touch this near each other are the same: touches lie farther apart."""
STAND_IN_PPM = 1800.0
STAND_IN_RATE = 8.0
"""Touches a second; it touches by itself, from its beginning."""


@dataclass(frozen=True, slots=True)
class Told:
    """A touch as the link told it."""

    truth_ns: float
    """When the hands really touched, host's monotonic clock."""
    t_ns: int
    bound_ns: int | None
    """None where nothing bounds it."""
    taken_ns: int
    """When it was handed on."""
    uncertain: bool = False
    """By its flags."""

    @property
    def error_ns(self) -> float:
        """How far off its time is."""
        return abs(self.t_ns - self.truth_ns)

    @classmethod
    def of(cls, truth_ns: float, event: PadEvent, taken_ns: int) -> Told | None:
        """An event with its truth; None where the link has no time for it."""
        if event.t_ns is None:
            return None
        return cls(truth_ns, event.t_ns, event.bound_ns, taken_ns, event.uncertain)


Taken = tuple[PadEvent, int]
"""An event, and the host's ns when it was handed on."""


def measure(
    touches: int, *, busy: int = 2, stand_in: bool = False, seed: int = 1, hum_ua: float = 0.0
) -> dict[str, Any]:
    """Touches a pad so often and sums up. The firmware in the simulator is measured where that can be built and nothing else is
    asked for, else the stand-in pad. `hum_ua`: what the mains feed into each player, peak; the stand-in knows none.
    """
    from hardware.virtual.simulated_pad import SimulatorMissingError

    rng = random.Random(seed)
    why = "asked for"
    if not stand_in:
        try:
            told = _simulated(touches, busy, rng, hum_ua)
            return _sum_up(SIMULATOR, touches, busy, told) | {"hum_ua": hum_ua}
        except SimulatorMissingError as error:
            why = str(error)
    return _sum_up(STAND_IN, touches, busy, _stood_in(touches, busy)) | {"stand_in_because": why}


def _simulated(touches: int, busy: int, rng: random.Random, hum_ua: float) -> list[Told]:
    from hardware.virtual.simulated_pad import PacedPad

    # Planned well ahead, for a busy machine gives an order late; and the truth is when it was carried out.
    gaps_us = [rng.uniform(*PAUSE_S) * 1e6 for _ in range(touches)]
    with tempfile.TemporaryDirectory() as folder, PacedPad(Path(folder) / "pad") as pad, busy_loops(busy):

        def prepare() -> None:
            pad.order(f"hum {MAINS_HZ} {hum_ua}")
            pad.rest(pad.now_us() + LEAD_US)

        def touch() -> None:
            begin_us = pad.now_us() + LEAD_US
            for after, ohms in zip(accumulate(gaps_us), cycle(SKINS_OHM), strict=False):
                pad.touch(begin_us + after, HELD_S, ohms)

        taken = _run(pad.port, touches, sum(gaps_us) / 1e6, prepare, touch)
        done = [one["t_us"] for one in pad.happened if CLOSES.fullmatch(str(one.get("done", "")))]
        return _matched([pad.host_ns(t_us) for t_us in done], taken)


def _stood_in(touches: int, busy: int) -> list[Told]:
    with tempfile.TemporaryDirectory() as folder:
        # A process of its own: in this one the two would share the interpreter's lock.
        words = [sys.executable, "-m", "hardware.virtual.pad", f"{folder}/pad", str(STAND_IN_PPM), str(STAND_IN_RATE)]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            if process.stdin is None or process.stdout is None:
                raise PadTimeoutError("the stand-in pad has no pipes")
            began = json.loads(process.stdout.readline())
            with busy_loops(busy):
                taken = _run(began["port"], 0, touches / STAND_IN_RATE, lambda: None, lambda: None)
            process.stdin.close()
    rate = 1000 / (1 + began["ppm"] / 1e6)
    told = (Told.of(began["start_ns"] + event.onset_us * rate, event, taken_ns) for event, taken_ns in taken)
    return [one for one in told if one is not None]


def _run(
    port: str, touches: int, seconds: float, prepare: Callable[[], None], touch: Callable[[], None]
) -> list[Taken]:
    """Has the pad touched so often in so long; returns what the link tells of contacts that were made."""
    taken: list[Taken] = []
    states: list[LinkState] = []

    def take(report: Report) -> None:
        now = time.monotonic_ns()
        if isinstance(report, PadState):
            states.append(report.state)
        elif isinstance(report, PadEvent) and report.kind == EventKind.CONTACT:
            taken.append((report, now))

    with PadLink(port, take):
        until = time.monotonic() + READY_S
        while LinkState.READY not in states:
            if time.monotonic() > until:
                raise PadTimeoutError(f"{port}: the pad does not answer")
            time.sleep(0.02)
        prepare()
        time.sleep(SETTLE_S)
        taken.clear()
        touch()
        time.sleep(LEAD_US / 1e6 + seconds + DRAIN_S)
        # On a machine that is too busy for it the simulator lags behind, and never runs ahead.
        until = time.monotonic() + LAG_S
        while len(taken) < touches and time.monotonic() < until:
            time.sleep(0.1)
    return taken


def _matched(truths: Sequence[float], taken: Sequence[Taken]) -> list[Told]:
    """Each event with the touch that it tells of; both in the order of time."""
    told = []
    at = 0
    for event, taken_ns in taken:
        if event.t_ns is None:
            continue
        while at < len(truths) and truths[at] < event.t_ns - NEAR_NS:
            at += 1
        if at < len(truths) and abs(truths[at] - event.t_ns) <= NEAR_NS:
            told.append(Told(truths[at], event.t_ns, event.bound_ns, taken_ns, event.uncertain))
            at += 1
    return told


@contextlib.contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """So many processes that do nothing as fast as they can."""
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def _sum_up(measured: str, touches: int, busy: int, told: Sequence[Told]) -> dict[str, Any]:
    return {
        "measured": measured,
        "cores": os.cpu_count(),
        "busy_loops": busy,
        "touches": touches if measured == SIMULATOR else len(told),
        "told": len(told),
        "error_us": spread([one.error_ns for one in told]),
        "bound_us": spread([float(one.bound_ns) for one in told if one.bound_ns is not None]),
        "outside_bound": sum(one.bound_ns is not None and one.error_ns > one.bound_ns for one in told),
        "flagged": sum(one.uncertain for one in told),
        "without_bound": sum(one.bound_ns is None for one in told),
        "receipt_late_us": spread([one.taken_ns - one.truth_ns for one in told]),
    }


def spread(values_ns: Sequence[float]) -> dict[str, float]:
    """Median, 99th percentile and greatest of values in ns, as us; empty where there are none."""
    if not values_ns:
        return {}
    ordered = sorted(values_ns)
    last = len(ordered) - 1
    return {
        "p50": round(ordered[last // 2] / 1000, 1),
        "p99": round(ordered[min(round(0.99 * last), last)] / 1000, 1),
        "max": round(ordered[-1] / 1000, 1),
    }
