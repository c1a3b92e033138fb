"""A pad on a pseudo-terminal that speaks the real protocol, byte by byte and at the wire's pace, with faults at will.

>>> with VirtualPad("/tmp/pad") as pad:
...     pad.faults.corrupt = 0.01
...     pad.touch()
...     pad.reset()

Its true times are known: `host_ns` gives the host's time of any of its microseconds. Byte errors strike both ways.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import json
import os
import pty
import random
import select
import sys
import threading
import time
import tty
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from hardware.pad.messages import EventKind, ResetCause
from hardware.virtual.pad_model import STAMP_US, Memory, PadModel

BYTE_NS = 40_000
"""Ten bits at 250,000 baud."""
START_NS = 30_000_000
"""From a reset until it watches and answers."""
LONGEST_SLEEP_S = 0.02


@dataclass(slots=True)
class Faults:
    """What goes wrong on the line; may be changed at any time."""

    corrupt: float = 0.0
    """Share of the bytes that come with wrong bits, each way."""
    drop: float = 0.0
    """Share of the bytes that do not come at all."""
    rng: random.Random = field(default_factory=lambda: random.Random(1))

    def strike(self, data: bytes) -> bytes:
        """The bytes as they come out."""
        if not (self.corrupt or self.drop):
            return data
        out = bytearray()
        for byte in data:
            chance = self.rng.random()
            if chance >= self.drop:
                out.append(byte ^ self.rng.randrange(1, 256) if chance < self.drop + self.corrupt else byte)
        return bytes(out)


@dataclass(frozen=True, slots=True)
class Truth:
    """An event that the pad has confirmed and kept."""

    ring: int
    boot: int
    seq: int
    kind: int
    onset_ns: int
    """Host's monotonic clock."""


class VirtualPad:
    """A pad in a thread of its own. Use it in `with`; `path` then names its port as udev would."""

    def __init__(
        self,
        path: str | Path,
        *,
        seed: int = 1,
        ppm: float = 0.0,
        version: tuple[int, int] | None = None,
    ) -> None:
        """`path`: a symbolic link to make; `ppm`: how much faster its clock goes than the host's; `version`: oldest and newest
        version of the protocol that it speaks.
        """
        self.path = Path(path)
        self.faults = Faults(rng=random.Random(seed))
        self.truth: list[Truth] = []
        """Confirmed events, in order."""
        self.uncounted = 0
        """Events that found the ring full."""
        self._us_a_ns = (1 + ppm / 1e6) / 1000
        self._version = version
        self._memory = Memory()
        self._lock = threading.RLock()
        self._fds: tuple[int, int] | None = None
        self._out: deque[tuple[int, bytes]] = deque()
        self._wire_out_ns = self._wire_in_ns = 0
        self._stalled_until_ns = 0
        self._planned: list[tuple[int, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._awake, self._waker = os.pipe()
        for end in (self._awake, self._waker):
            os.set_blocking(end, False)
        self._ending = False
        self._starts: dict[int, int] = {}
        self._model = self._boot(ResetCause.POWER)
        self._thread = threading.Thread(target=self._run, name="virtual-pad", daemon=True)

    def __enter__(self) -> Self:
        self.replug()
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._ending = True
        self._wake()
        self._thread.join(2.0)
        self.unplug()
        for fd in (self._awake, self._waker):
            os.close(fd)

    # What happens to the pad

    def touch(self, *, seconds: float = 0.02, at_ns: int | None = None) -> None:
        """Two hands touch at that host time (now), for so long; confirmed after the pad's dwell, unless it is reset before."""
        onset = at_ns if at_ns is not None else time.monotonic_ns()
        with self._lock:
            dwell, release = self._model.settings[0], self._model.settings[1]
        self._plan(onset + dwell * 1000, lambda: self._confirm(EventKind.CONTACT, 0, onset, dwell, 1200))
        end = onset + int(seconds * 1e9)
        held_ms = min(int(seconds * 1000), 0xFFFF)
        self._plan(end + release * 1000, lambda: self._confirm(EventKind.RELEASE, 0, end, release, held_ms))

    def record(
        self,
        kind: EventKind,
        channel: int,
        strength: int = 0,
        flags: int = 0,
        within_us: int = STAMP_US,
        *,
        at_ns: int | None = None,
    ) -> None:
        """Something is confirmed at that host time (now), whose first edge was just then."""
        onset = at_ns if at_ns is not None else time.monotonic_ns()
        self._plan(onset, lambda: self._confirm(kind, channel, onset, 0, strength, flags, within_us))

    def reset(self, cause: ResetCause = ResetCause.WATCHDOG) -> None:
        """It starts anew; POWER also empties its ring. What was not confirmed yet is gone."""
        with self._lock:
            self._out.clear()
            self._planned.clear()
            self._wire_out_ns = 0
            self._model = self._boot(cause)
        self._wake()

    def stall(self, seconds: float) -> None:
        """The line is dead for so long; what comes meanwhile is read late."""
        self._stalled_until_ns = time.monotonic_ns() + int(seconds * 1e9)

    def noise(self, count: int) -> None:
        """So many random bytes come out of it."""
        with self._lock:
            self._out.append((time.monotonic_ns(), self.faults.rng.randbytes(count)))
        self._wake()

    def fail_checks(self, bits: int) -> None:
        """The self-test of this boot finds these checks failed."""
        with self._lock:
            self._model.failed_checks = bits

    def unplug(self, *, power: bool = True) -> None:
        """The port vanishes; without `power` the pad starts cold when it comes back."""
        with self._lock:
            fds, self._fds = self._fds, None
            self._out.clear()
            self.path.unlink(missing_ok=True)
            for fd in fds or ():
                os.close(fd)
            if not power:
                self.reset(ResetCause.POWER)
        self._wake()

    def replug(self) -> None:
        """The port comes back, under the same name."""
        with self._lock:
            if self._fds is not None:
                return
            master, slave = pty.openpty()
            tty.setraw(slave)
            os.set_blocking(master, False)
            self._fds = master, slave
            self._out.clear()
            aside = self.path.with_name(f".{self.path.name}.new")
            aside.symlink_to(os.ttyname(slave))
            aside.replace(self.path)
        self._wake()

    # What is true

    @property
    def boot(self) -> int:
        """Its present boot."""
        return self._memory.boot

    @property
    def waiting(self) -> int:
        """Events that nobody has acknowledged."""
        with self._lock:
            return len(self._memory.events)

    @property
    def settings(self) -> tuple[int, ...]:
        """Their values now."""
        return tuple(self._model.settings)

    def host_ns(self, boot: int, us: int) -> int:
        """The host's time of a microsecond of that boot."""
        return self._starts[boot] + round(us / self._us_a_ns)

    # Inside

    def _boot(self, cause: ResetCause) -> PadModel:
        started = time.monotonic_ns() + START_NS
        self._starts[self._memory.boot + 1] = started
        self._wire_in_ns = started
        model = PadModel(self._memory, self._send, cause, self._version)
        event = self._memory.events[-1]
        if event.boot == self._memory.boot:
            self.truth.append(Truth(event.ring, event.boot, event.seq, event.kind, started))
        else:
            self.uncounted += 1  # its ring was full, and stays so over a reset
        return model

    def _us(self, host_ns: int) -> int:
        return int((host_ns - self._starts[self._memory.boot]) * self._us_a_ns)

    def _plan(self, at_ns: int, act: Callable[[], None]) -> None:
        with self._lock:
            heapq.heappush(self._planned, (at_ns, next(self._numbers), act))
        self._wake()

    def _confirm(
        self,
        kind: EventKind,
        channel: int,
        onset_ns: int,
        dwell: int,
        strength: int,
        flags: int = 0,
        within_us: int = STAMP_US,
    ) -> None:
        onset_us = self._us(onset_ns)
        if onset_us < 0:
            return  # it was not watching yet
        seq = self._model.record(kind, channel, onset_us, dwell, strength, flags, within_us)
        if seq is None:
            self.uncounted += 1
        else:
            memory = self._memory
            self.truth.append(Truth(memory.ring, memory.boot, seq, kind, onset_ns))

    def _send(self, frame: bytes | Callable[[int], bytes]) -> None:
        """Puts a frame on the wire, behind the one that is there; it comes out when its last bit has left."""
        leaves = max(self._wire_out_ns, time.monotonic_ns())
        data = frame if isinstance(frame, bytes) else frame(self._us(leaves))
        self._wire_out_ns = leaves + len(data) * BYTE_NS
        self._out.append((self._wire_out_ns, data))

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._waker, b"w")

    def _run(self) -> None:
        while not self._ending:
            master = self._fds[0] if self._fds is not None else None
            waited = [self._awake] if master is None else [self._awake, master]
            with contextlib.suppress(OSError, ValueError):  # it was unplugged meanwhile
                readable, _, _ = select.select(waited, [], [], self._patience_s())
                if self._awake in readable:
                    with contextlib.suppress(BlockingIOError):
                        os.read(self._awake, 4096)
            with self._lock:
                self._turn()

    def _patience_s(self) -> float:
        with self._lock:
            due = [at for at, *_ in itertools.islice(self._out, 1)] + [at for at, *_ in self._planned[:1]]
        left = (min(due) - time.monotonic_ns()) / 1e9 if due else LONGEST_SLEEP_S
        return min(max(left, 0.0), LONGEST_SLEEP_S)

    def _turn(self) -> None:
        now = time.monotonic_ns()
        while self._planned and self._planned[0][0] <= now:
            heapq.heappop(self._planned)[2]()
        if now < self._starts[self._memory.boot]:
            self._read()  # nobody listens yet
            return
        if now < self._stalled_until_ns:
            return
        data = self.faults.strike(self._read())
        if data:
            # Taken after reading: what was written a moment ago can't have come earlier.
            self._wire_in_ns = max(self._wire_in_ns, time.monotonic_ns()) + len(data) * BYTE_NS
            # It can't answer before it was asked.
            self._wire_out_ns = max(self._wire_out_ns, self._wire_in_ns)
            self._model.receive(data, self._us(self._wire_in_ns))
        self._model.tick(self._us(now))
        if self._model.reset_asked:
            self.reset()
            return
        self._write(now)

    def _read(self) -> bytes:
        if self._fds is None:
            return b""
        try:
            return os.read(self._fds[0], 4096)
        except OSError:
            return b""  # nothing there, or nobody has it open

    def _write(self, now: int) -> None:
        while self._out and self._out[0][0] <= now:
            _, data = self._out.popleft()
            if self._fds is not None:
                with contextlib.suppress(OSError):  # nobody reads: a wire does not wait
                    os.write(self._fds[0], self.faults.strike(data))


def main(path: str, ppm: float, touches_a_second: float) -> None:
    """Runs a pad in a process of its own until standard input closes; a line of JSON says where it is and how its clock goes."""
    with VirtualPad(path, ppm=ppm) as pad:
        start = pad.host_ns(pad.boot, 0)
        sys.stdout.write(json.dumps({"port": path, "boot": pad.boot, "start_ns": start, "ppm": ppm}) + "\n")
        sys.stdout.flush()
        rng = random.Random(1)
        while not select.select([sys.stdin], [], [], rng.uniform(0.5, 1.5) / touches_a_second)[0]:
            pad.touch(seconds=0.01)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
