"""The pad's real firmware in a simulated chip with the circuit at its pins; needs the sources and `make -C firmware`'s tools.

Stepped: time stands still until it is told to go on, and everything is exactly repeatable.

>>> with SteppedPad() as pad:
...     pad.at(300_000, "rest 1 50000")
...     pad.run(1_000_000)
...     [event.kind for event in pad.events]
[7, 4]

Paced: time follows the monotonic clock and the serial line is a pseudo-terminal.

>>> with PacedPad("/tmp/pad") as pad, PadLink(pad.port, print):
...     pad.touch(pad.now_us() + 100_000, 0.05)

The runner is a process of its own, for libsimavr's licence is not ours. What the scripts may say: firmware/simulator/README.md.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from filelock import FileLock

from hardware.errors import HardwareError
from hardware.pad.frames import FrameReader, encode_frame
from hardware.pad.messages import Command, Event, FromPad, Heartbeat, Reply, TimeReply, ack, parse_from_pad

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
TOOLS = ("make", "avr-gcc", "gcc", "pkg-config")
BUILD_S = 120.0
START_S = 10.0

Happening = Mapping[str, Any]
"""A line that the runner told: `t_us` and what happened then (firmware/simulator/README.md)."""


class SimulatorMissingError(HardwareError, FileNotFoundError):
    """The simulator can't be built here: sources or tools are missing."""


class SimulatorError(HardwareError, RuntimeError):
    """The simulator did not build, or died."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a simulation needs."""

    runner: Path
    image: Path


def build() -> Built:
    """Builds the firmware and the runner where that is due. Raises SimulatorMissingError or SimulatorError."""
    if not (FIRMWARE / "Makefile").is_file():
        raise SimulatorMissingError(f"{FIRMWARE}: the pad's simulator is built from the sources, which are not there")
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if not missing and subprocess.run(["pkg-config", "--exists", "simavr"], check=False).returncode:
        missing = ["libsimavr-dev"]
    if missing:
        raise SimulatorMissingError(f"the pad's simulator needs {', '.join(missing)} (see apt-packages.txt)")
    folder = FIRMWARE / "build"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock", timeout=BUILD_S):
        make = ["make", "-s", "-C", str(FIRMWARE), "runner", "image"]
        done = subprocess.run(make, capture_output=True, text=True, timeout=BUILD_S, check=False)
    if done.returncode:
        raise SimulatorError(f"the pad's firmware does not build: {done.stderr.strip()}")
    return Built(folder / "runner", folder / "pad-328p.elf")


class _Runner:
    """The runner's process, which gets lines and tells lines; it ends by itself where its input does."""

    def __init__(self, *options: str) -> None:
        built = build()
        self._process = subprocess.Popen(
            [built.runner, built.image, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        if self._process.stdin is None or self._process.stdout is None:
            raise SimulatorError("the pad's simulator has no pipes")
        return self._process.stdin, self._process.stdout

    def _write(self, *lines: str) -> None:
        stdin, _ = self._pipes()
        try:
            stdin.write("".join(f"{line}\n" for line in lines))
            stdin.flush()
        except BrokenPipeError as error:
            raise SimulatorError("the pad's simulator has died") from error

    def _read(self) -> Happening | None:
        _, stdout = self._pipes()
        line = stdout.readline()
        happening: Happening | None = json.loads(line) if line else None
        return happening

    def _end(self) -> None:
        with contextlib.suppress(SimulatorError):
            self._write("end")
        stdin, _ = self._pipes()
        with contextlib.suppress(BrokenPipeError):
            stdin.close()

    def _reap(self) -> None:
        try:
            self._process.wait(START_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._pipes()[1].close()


class SteppedPad(_Runner):
    """The firmware with a host that takes every event at once; simulated microseconds since the first start."""

    def __init__(self, eeprom: Path | None = None, *, takes: bool = True, port: Path | None = None) -> None:
        """`eeprom`: a file of 1,024 bytes that is read at the start, if it is there, and written at the end; `takes`: whether
        the host acknowledges events when time is next moved on; `port`: a symbolic link to make to a pseudo-terminal,
        over which another host talks with the pad.
        """
        memory = ("--eeprom", str(eeprom)) if eeprom else ()
        super().__init__(*memory, *(("--pty", str(port)) if port else ()))
        self.takes = takes
        self.now_us = 0.0
        self.events: list[Event] = []
        """As they came the first time."""
        self.came: list[FromPad] = []
        """Everything that came, events as often as they did."""
        self.happened: list[Happening] = []
        """What the runner told, bytes left out."""
        self._reader = FrameReader()
        self._next: dict[int, int] = {}
        self._tag = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._end()
        _, stdout = self._pipes()
        stdout.read()
        self._reap()

    def order(self, order: str) -> None:
        """Gives an order that is carried out at once, before time goes on."""
        self._write(order)

    def at(self, t_us: float, order: str) -> None:
        """Gives an order for a time to come."""
        self._write(f"at {t_us:.4f} {order}")

    def run(self, until_us: float) -> None:
        """Lets time go on. What came meanwhile stands in `events`, `came` and `happened`."""
        self._write(f"run {until_us:.4f}")
        while True:
            happening = self._read()
            if happening is None:
                raise SimulatorError("the pad's simulator has died")
            if "ran" in happening:
                break
            if "bytes" in happening:
                self._take(bytes.fromhex(happening["bytes"]))
            else:
                self.happened.append(happening)
        self.now_us = float(happening["t_us"])

    def run_through(self, until_us: float, step_us: float = 50_000) -> None:
        """Lets time go on in steps, with a host that acknowledges after each."""
        while self.now_us < until_us - 1:
            self.run(min(self.now_us + step_us, until_us))

    def send(self, body: bytes) -> None:
        """Sends a frame now."""
        self.send_bytes(encode_frame(body))

    def send_bytes(self, data: bytes) -> None:
        """Sends bytes now, frames or not."""
        self._write(f"send {data.hex()}")

    def ask(self, command: Command, patience_us: float = 500_000) -> Reply | TimeReply:
        """Sends a command and lets time go on until it is answered. Raises SimulatorError where it is not."""
        self._tag = self._tag % 255 + 1
        seen = len(self.came)
        self.send(command.pack(self._tag))
        until = self.now_us + patience_us
        while self.now_us < until:
            self.run(self.now_us + 2000)
            for message in self.came[seen:]:
                if isinstance(message, Reply | TimeReply) and message.tag == self._tag:
                    return message
        raise SimulatorError(f"the pad does not answer {command.kind.name}")

    def gauges(self) -> Happening:
        """Worst interrupt, wait, stack and current so far."""
        self._write("gauges")
        self.run(self.now_us + 1)
        found: Happening = next(one["gauges"] for one in reversed(self.happened) if "gauges" in one)
        return found

    def lines(self, name: str, *, closed: bool) -> list[float]:
        """When a comparator's output changed so, in microseconds."""
        return [one["t_us"] for one in self.happened if one.get("line") == name and one["closed"] is closed]

    @property
    def clock_us(self) -> float:
        """Simulated time at which the clock of the pad's present boot was 0."""
        return float(next(one["t_us"] for one in reversed(self.happened) if "clock" in one))

    @property
    def heartbeats(self) -> list[Heartbeat]:
        """Those that came."""
        return [message for message in self.came if isinstance(message, Heartbeat)]

    def _take(self, data: bytes) -> None:
        for body in self._reader.feed(data):
            message = parse_from_pad(body)
            self.came.append(message)
            if isinstance(message, Event):
                self._take_event(message)

    def _take_event(self, event: Event) -> None:
        expected = self._next.setdefault(event.ring, event.seq)
        if event.seq == expected:
            self.events.append(event)
            self._next[event.ring] = expected + 1
        if self.takes:
            self.send(ack(event.ring, self._next[event.ring]))


class PacedPad(_Runner):
    """The firmware on a pseudo-terminal, its time that of the monotonic clock, or `pace` times as fast."""

    def __init__(self, port: str | Path, *, pace: float = 1.0, eeprom: Path | None = None) -> None:
        """`port`: a symbolic link that is made while the pad is plugged in."""
        options = ["--pty", str(port), "--pace", str(pace)]
        super().__init__(*options, *(("--eeprom", str(eeprom)) if eeprom else ()))
        self.port = str(port)
        self.pace = pace
        self.start_ns = 0
        """Monotonic time of simulated time 0; simulated time lags behind where the machine is busy, and is never ahead."""
        self.happened: list[Happening] = []
        self._told = threading.Thread(target=self._listen, name="simulated-pad", daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self._told.start()
        if not self._ready.wait(START_S):
            raise SimulatorError("the pad's simulator does not start")
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._end()
        self._told.join(START_S)
        self._reap()

    def now_us(self) -> float:
        """Simulated microseconds that the monotonic clock stands for now."""
        return (time.monotonic_ns() - self.start_ns) / 1000 * self.pace

    def host_ns(self, t_us: float) -> float:
        """Monotonic nanoseconds of a simulated time."""
        return self.start_ns + t_us * 1000 / self.pace

    def order(self, *orders: str) -> None:
        """Gives orders: at once, or with `at <us>` in front for a time to come."""
        self._write(*orders)

    def touch(self, at_us: float, seconds: float, ohms: float = 100_000) -> None:
        """The players' hands touch at a simulated time, for so long. Lay their resting hands down before."""
        self.order(f"at {at_us:.4f} contact {ohms}", f"at {at_us + seconds * 1e6:.4f} contact open")

    def rest(self, at_us: float, *, laid: bool = True, ohms: float = 100_000) -> None:
        """Both resting hands are laid or lifted, 50 ms apart."""
        for side in (1, 2):
            self.order(f"at {at_us + 50_000 * (side - 1):.4f} rest {side} {ohms if laid else 'off'}")

    def _listen(self) -> None:
        while (happening := self._read()) is not None:
            if "start_ns" in happening:
                self.start_ns = int(happening["start_ns"])
                self._ready.set()
            else:
                self.happened.append(happening)
