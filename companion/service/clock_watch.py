"""Notices that the wall clock was set: a Raspberry Pi starts with a wrong one and hears the time from the network later on.

The order of a game is its sequence numbers and its times within it are monotonic, so nothing is lost; but whoever reads the log
should know why its hours jump.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from companion.journal.clock import Clock

CLOCK = "clock"
STEP_NS = 2_000_000_000
"""A clock that is only slewed stays far below this from one look to the next."""
SHOWN_NS = 30 * 10**9
"""How long the page speaks of it."""


class Shown(Protocol):
    """What is needed of the desk."""

    def source(self, name: str, state: str, text: str = "", *, journaled: bool = False) -> None:
        """Shows what a part is doing."""


class ClockWatch:
    """Holds the wall clock against the monotonic one; to be asked about once a second. For one thread."""

    def __init__(self, desk: Shown, clock: Clock, mono_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._desk = desk
        self._clock = clock
        self._mono_ns = mono_ns
        self._ahead_ns = clock.wall_ns() - mono_ns()
        self._shown_until_ns: int | None = None

    def look(self) -> None:
        """Says so on the page and in the log where the clock was set since the last look; for half a minute on the page."""
        mono = self._mono_ns()
        ahead = self._clock.wall_ns() - mono
        step, self._ahead_ns = ahead - self._ahead_ns, ahead
        if abs(step) >= STEP_NS:
            self._desk.source(CLOCK, "stepped", step_text(step), journaled=True)
            self._shown_until_ns = mono + SHOWN_NS
        elif self._shown_until_ns is not None and mono >= self._shown_until_ns:
            self._shown_until_ns = None
            self._desk.source(CLOCK, "ready", "clock: ready")


def step_text(step_ns: int) -> str:
    """A step as a line for people."""
    seconds = round(abs(step_ns) / 1e9)
    hours, minutes = divmod(seconds // 60, 60)
    parts = (
        [f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes) + [f"{seconds % 60} s"] * bool(seconds % 60)
    )
    way = "ahead" if step_ns > 0 else "back"
    return f"the clock was set {way} by {' '.join(parts)}: hours in the log jump there, the order of the game holds"
