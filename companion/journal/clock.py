"""When an event was recorded: the boot it belongs to, that boot's monotonic time, and the wall clock's."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Protocol

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Clock(Protocol):
    """What the journal asks of a clock."""

    @property
    def boot_id(self) -> str:
        """Names the boot within which monotonic times can be compared."""

    def mono_ns(self) -> int:
        """Monotonic time in ns, the same count that frames and pad events are stamped with."""

    def wall_ns(self) -> int:
        """Unix time in ns. It may jump: it labels, the sequence number orders."""


class SystemClock:
    """The host's clocks. A system that names no boot gives "unknown"."""

    def __init__(self) -> None:
        try:
            self._boot_id = BOOT_ID.read_text(encoding="ascii").strip()
        except OSError:
            self._boot_id = "unknown"

    @property
    def boot_id(self) -> str:
        """The kernel's random id of this boot."""
        return self._boot_id

    def mono_ns(self) -> int:
        """CLOCK_MONOTONIC in ns."""
        return time.monotonic_ns()

    def wall_ns(self) -> int:
        """CLOCK_REALTIME in ns since 1970."""
        return time.time_ns()
