"""Runs a picture source in a child process that can be killed, watches it, and starts it again when it stops.

    capture = Capture(camera_factory("/dev/video0", settings), "/dev/video0", on_notice=queue.put)
    vision = spawn.Process(target=watch, args=(capture.reader(),))   # the reader pickles into the other process
    vision.start(); capture.start()
    ...
    capture.stop()

A loose cable blocks a camera's driver for good, so a source that gives no picture in time is killed, not asked. A source that
stands still is LOST within 2 s, and BACK when its pictures come again. Every notice goes to `on_notice` at once and, in its
order among the pictures, to the reader.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pickle
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import hardware
from hardware.camera.base import CameraFactory, TimeKind
from hardware.camera.child import Job
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import SLOTS, Phase, Ring, RingReader, post_notice
from hardware.errors import CameraError

log = logging.getLogger("hardware.camera.capture")

_STARTER = """
import sys, importlib.util as u
s = u.spec_from_file_location("hardware", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
m = u.module_from_spec(s); sys.modules["hardware"] = m; s.loader.exec_module(m)
from hardware.camera.child import main
sys.exit(main(int(sys.argv[2])))
"""
"""Brings in this very `hardware` and nothing else of its directory: another Python must not meet our numpy."""

_LEAN = {
    "OPENCV_FOR_THREADS_NUM": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "OPENCV_LOG_LEVEL": "ERROR",
    "PYTHONUNBUFFERED": "1",
}
"""Environment of the child: one thread and little memory; reading pictures needs no more."""

_PASSWORD = re.compile(r"//[^/@\s]*@")


@dataclass(frozen=True, slots=True)
class CaptureLimits:
    """How patient the watch over a source is. Seconds."""

    lost_after_s: float = 1.8
    """A live source that gives no picture for so long is lost."""
    recording_after_s: float = 60.0
    """The same for a picture of a recording (a network share that hangs)."""
    open_within_s: float = 15.0
    """Opening, and the first picture."""
    start_within_s: float = 30.0
    """The process itself, on a busy machine."""
    back_off_s: float = 0.5
    """Wait before the first restart; doubles with each."""
    longest_back_off_s: float = 10.0
    restarts: int = 100
    """Restarts in a row without a picture, before the source is given up."""
    healthy_after_s: float = 5.0
    """Pictures for so long make the back-off small again."""


class CaptureState(StrEnum):
    """How the source is doing."""

    IDLE = "idle"
    OPENING = "opening"
    LIVE = "live"
    """Pictures come."""
    LOST = "lost"
    """None come; it is being started again."""
    ENDED = "ended"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What an open source says of itself."""

    name: str
    time_kind: TimeKind
    recorded: bool
    resumes: bool
    """A recording that goes on where it stopped when it is opened again."""


@dataclass(frozen=True, slots=True)
class CaptureStats:
    """One line of figures for the page and the log."""

    state: CaptureState
    pictures: int
    taken: int
    shed: int
    restarts: int
    pid: int | None
    """Process id of the child, where one runs."""


class _Child:
    """One life of the capture process."""

    def __init__(self, job: Job, python: str) -> None:
        read_fd, write_fd = os.pipe()
        self.messages_fd = read_fd
        os.set_blocking(read_fd, False)
        package = str(Path(hardware.__file__).parent)
        try:
            self.process = subprocess.Popen(
                [python, "-P", "-c", _STARTER, package, str(write_fd)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(*job.fds, write_fd),
                env={**os.environ, **_LEAN},
            )
        finally:
            os.close(write_fd)
        self.words: deque[str] = deque(maxlen=20)
        """The last lines of its standard error, passwords masked."""
        self.info: SourceInfo | None = None
        self.reason = ""
        """Why it stopped, in its own words."""
        self.refused = False
        self.ended = False
        self._pending = b""
        self._pending_words = b""
        if self.process.stderr is not None:
            os.set_blocking(self.process.stderr.fileno(), False)
        with contextlib.suppress(BrokenPipeError):
            if self.process.stdin is not None:
                self.process.stdin.write(pickle.dumps(job, protocol=4))
                self.process.stdin.flush()

    def listen(self, timeout_s: float) -> list[CameraNotice]:
        """Waits for words from the child and returns its notices."""
        poll = select.poll()
        poll.register(self.messages_fd, select.POLLIN)
        if self.process.stderr is not None:
            poll.register(self.process.stderr.fileno(), select.POLLIN)
        poll.poll(timeout_s * 1000)
        self._hear_words()
        lines = (self._pending + _read(self.messages_fd)).split(b"\n")
        self._pending = lines.pop()
        return [notice for line in lines if (notice := self._understand(json.loads(line))) is not None]

    def _understand(self, message: dict[str, Any]) -> CameraNotice | None:
        if "text" in message:
            message["text"] = _PASSWORD.sub("//***@", message["text"])
        match message["kind"]:
            case "opened":
                kind, recorded, resumes = (message[key] for key in ("time_kind", "recorded", "resumes"))
                self.info = SourceInfo(message["name"], TimeKind(kind), recorded, resumes)
            case "refused":
                self.refused, self.reason = True, message["text"]
            case "gone":
                self.reason = message["text"]
            case kind:
                self.ended = self.ended or kind == NoticeKind.END
                return CameraNotice(NoticeKind(kind), message["text"], message["name"], message["t_ns"])
        return None

    def _hear_words(self) -> None:
        if self.process.stderr is None:
            return
        lines = (self._pending_words + _read(self.process.stderr.fileno())).split(b"\n")
        self._pending_words = lines.pop()[-4096:]
        for line in lines:
            text = _PASSWORD.sub("//***@", line.decode("utf-8", "replace")).strip()
            if text:
                self.words.append(text)
                log.debug("capture process: %s", text)

    def let_go(self, patience_s: float) -> None:
        """Closes the lifeline, and kills where the child does not end by itself."""
        with contextlib.suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience_s)
        self.kill()

    def kill(self) -> None:
        """Kills the child and reaps it, unless it sleeps in its driver: then it dies when the driver lets it."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.1)

    def close(self) -> None:
        """Closes the pipes."""
        for stream in (self.process.stdin, self.process.stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        os.close(self.messages_fd)


class Capture:
    """A picture source in a process of its own. Made, started and stopped by the service; read through `reader`."""

    def __init__(
        self,
        factory: CameraFactory,
        source_name: str,
        *,
        lossless: bool | None = None,
        pace_s: float = 0.0,
        on_notice: Callable[[CameraNotice], None] | None = None,
        limits: CaptureLimits | None = None,
        slots: int = SLOTS,
        python: str | None = None,
    ) -> None:
        """`factory` must pickle, and its module must be importable by name in a fresh process.

        `lossless`: None follows the source (recordings lose nothing, live sources shed). `pace_s`: least time between two
        pictures, to show a recording as if it were live. `on_notice` is called from the watching thread and must not block.
        `python`: interpreter of the child (see `sources.python_for`).
        """
        self.source_name = source_name
        self.info: SourceInfo | None = None
        """Known once the source is open."""
        self._factory = pickle.dumps(factory, protocol=4)
        self._lossless = lossless
        self._pace_s = pace_s
        self._on_notice = on_notice
        self._limits = limits if limits is not None else CaptureLimits()
        self._python = python or sys.executable
        self._ring = Ring.create(slots)
        self._state = CaptureState.IDLE
        self._restarts = 0
        self._pid: int | None = None
        self._undead: list[_Child] = []
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def __repr__(self) -> str:
        return f"Capture({self.source_name!r}, {self.stats()})"

    def __enter__(self) -> Capture:
        self.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.stop()

    @property
    def state(self) -> CaptureState:
        """How the source is doing."""
        return self._state

    def stats(self) -> CaptureStats:
        """Figures so far."""
        counts = self._ring.counts()
        return CaptureStats(self._state, counts.pictures, counts.taken, counts.shed, self._restarts, self._pid)

    def reader(self) -> RingReader:
        """The reading side, to be used here or given to one other process as an argument of `Process`.

        Ask for a new one when the reading process died; there is one reader at a time.
        """
        self._ring.forget_reader()
        return RingReader(self._ring)

    def start(self) -> None:
        """Starts the source, or starts it again after END or FAILED. Returns at once; opening is told by notices.

        Not to be called from `on_notice`.
        """
        if self._thread is not None and self._thread.is_alive():
            if self._state not in (CaptureState.ENDED, CaptureState.FAILED):
                return
            self._thread.join()
        self._stopping.clear()
        self._state = CaptureState.OPENING
        # The child dies with the thread that started it (see hardware.process), so one thread starts all of them.
        self._thread = threading.Thread(target=self._watch, name=f"capture {self.source_name}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the child, asked first and then killed, and lets the memory go. May be called twice."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        self._bury()
        self._ring.close()

    def _watch(self) -> None:
        back_off, failures = self._limits.back_off_s, 0
        while not self._stopping.is_set():
            began, pictures = time.monotonic(), self._ring.counts().pictures
            child = self._live()
            got = self._ring.counts().pictures > pictures
            if self._stopping.is_set() or self._ended(child):
                return
            failures = 0 if got else failures + 1
            if got and time.monotonic() - began > self._limits.healthy_after_s:
                back_off = self._limits.back_off_s
            if failures > self._limits.restarts:
                self._say(NoticeKind.FAILED, f"{self.source_name}: given up after {failures} attempts: {child.reason}")
                self._state = CaptureState.FAILED
                return
            self._stopping.wait(back_off)
            back_off = min(2 * back_off, self._limits.longest_back_off_s)
            self._restarts += 1

    def _ended(self, child: _Child) -> bool:
        """True where the source needs no restart; says LOST where it does."""
        if child.ended:
            self._state = CaptureState.ENDED
            return True
        reason = child.reason or self._how_it_ended(child)
        recorded = child.info is not None and child.info.recorded and not child.info.resumes
        # A process that can't even start (a Python without numpy) will not start the next time either.
        never_began = child.info is None and (child.process.poll() or 0) > 0
        if recorded or ((child.refused or never_began) and self._state is CaptureState.OPENING):
            self._state = CaptureState.FAILED
            self._say(NoticeKind.FAILED, reason)
            return True
        if self._state is not CaptureState.LOST:
            self._state = CaptureState.LOST
            self._say(NoticeKind.LOST, f"camera stopped: check the cable ({reason})")
        return False

    def _live(self) -> _Child:
        """One life of the child, from its start to its end."""
        self._bury()
        self._ring.forget_writer()
        self._ring.set_phase(Phase.STARTING)
        child = _Child(self._job(), self._python)
        self._pid = child.process.pid
        pictures = self._ring.counts().pictures
        try:
            while not self._stopping.is_set():
                # Whether it has ended is asked before it is heard, so that its last words are not missed.
                ended = child.process.poll() is not None
                self._hear(child, 0.0 if ended else 0.1)
                self._welcome_back(pictures)
                if ended:
                    break
                if (late := self._too_late(child)) is not None:
                    child.reason = late
                    break
        finally:
            self._end(child)
        return child

    def _job(self) -> Job:
        same = self._python == sys.executable
        return Job(
            parent_pid=os.getpid(),
            paths=tuple(sys.path) if same else (),
            factory=self._factory,
            fds=self._ring.fds,
            slots=self._ring.slots,
            slot_bytes=self._ring.slot_bytes,
            lossless=self._lossless,
            pace_s=self._pace_s,
        )

    def _hear(self, child: _Child, timeout_s: float) -> None:
        for notice in child.listen(timeout_s):
            self._tell(notice)
        self.info = child.info or self.info

    def _welcome_back(self, pictures: int) -> None:
        if self._state in (CaptureState.OPENING, CaptureState.LOST) and self._ring.counts().pictures > pictures:
            was, self._state = self._state, CaptureState.LIVE
            if was is CaptureState.LOST:
                self._say(NoticeKind.BACK, f"{self.source_name}: pictures are coming again")

    def _too_late(self, child: _Child) -> str | None:
        """What took too long, or None."""
        phase, since_ns = self._ring.phase()
        waited_s = (time.monotonic_ns() - since_ns) / 1e9
        recorded = child.info is not None and child.info.recorded
        reading_s = self._limits.recording_after_s if recorded else self._limits.lost_after_s
        match phase:
            case Phase.STARTING if waited_s > self._limits.start_within_s:
                return f"{self.source_name}: its process did not start within {self._limits.start_within_s:g} s"
            case Phase.OPENING if waited_s > self._limits.open_within_s:
                return f"{self.source_name}: no first picture within {self._limits.open_within_s:g} s"
            case Phase.READING if waited_s > reading_s:
                return f"{self.source_name}: no picture for {waited_s:.0f} s"
        return None

    def _end(self, child: _Child) -> None:
        """Leaves no child behind: asked first on a stop, killed at once where it hangs."""
        if self._stopping.is_set():
            child.let_go(1.5)
        elif child.process.poll() is None:
            child.kill()
        self._pid = None
        if child.process.poll() is None:
            self._undead.append(child)
        child.close()

    def _bury(self) -> None:
        """Reaps killed processes that their driver has let go meanwhile."""
        self._undead = [child for child in self._undead if child.process.poll() is None]

    def _how_it_ended(self, child: _Child) -> str:
        code = child.process.poll()
        last = f": {child.words[-1]}" if child.words else ""
        if code is not None and code < 0:
            return f"{self.source_name}: its process was ended by {_signal_name(-code)}{last}"
        return f"{self.source_name}: its process ended{last}"

    def _say(self, kind: NoticeKind, text: str) -> None:
        notice = CameraNotice(kind, text, "", time.monotonic_ns())
        # A reader that stands still with the lock must not keep the service from telling.
        with contextlib.suppress(CameraError):
            post_notice(self._ring, notice)
        self._tell(notice)

    def _tell(self, notice: CameraNotice) -> None:
        if self._on_notice is not None:
            self._on_notice(notice)


def _read(fd: int) -> bytes:
    """All that a non-blocking pipe holds."""
    parts = []
    with contextlib.suppress(BlockingIOError):
        while part := os.read(fd, 65536):
            parts.append(part)
    return b"".join(parts)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
