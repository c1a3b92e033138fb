"""The capture process: opens a source, reads it, and passes its pictures on until it ends or its parent goes.

It imports only numpy and what the source itself needs, and may run under another Python than the service (the system's,
which has picamera2). Its job comes pickled through standard input, which then stays open as a lifeline: when it closes,
this process ends. What it has to say goes back as lines of JSON.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pickle
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import IO

from hardware.camera.base import Camera, CameraFactory, resumes
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import Phase, Ring, RingWriter, post_notice
from hardware.errors import CameraError, CameraLostError, HardwareError, UnreadablePictureError
from hardware.process import die_with_parent

LAST_WORDS_S = 1.0
"""How long a camera may take to close."""
BAD_IN_A_ROW = 10
"""So many unreadable pictures of a live source on end are a lost source."""


@dataclass(frozen=True, slots=True)
class Job:
    """What the parent asks for; plain values, the factory pickled apart since it may need `paths` first."""

    parent_pid: int
    paths: tuple[str, ...]
    factory: bytes
    fds: tuple[int, int, int, int, int]
    slots: int
    slot_bytes: int
    lossless: bool | None
    pace_s: float


@dataclass(slots=True)
class Outbox:
    """Lines of JSON to the parent."""

    stream: IO[str]
    lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, kind: str, **values: object) -> None:
        """A parent that no longer listens is no fault: this process is about to end."""
        with self.lock, contextlib.suppress(OSError, ValueError):
            self.stream.write(json.dumps({"kind": kind, **values}) + "\n")
            self.stream.flush()

    def notice(self, notice: CameraNotice) -> None:
        """A notice, as a line."""
        self.send(notice.kind, text=notice.text, name=notice.name, t_ns=notice.t_ns)


class Warnings(logging.Handler):
    """What a source logs as a warning becomes a notice."""

    def __init__(self, ring: Ring, outbox: Outbox) -> None:
        super().__init__(logging.WARNING)
        self._ring = ring
        self._outbox = outbox

    def emit(self, record: logging.LogRecord) -> None:
        """Never raises: a warning must not stop the pictures."""
        notice = CameraNotice(NoticeKind.WARNING, record.getMessage(), "", time.monotonic_ns())
        with contextlib.suppress(CameraError):
            post_notice(self._ring, notice)
        self._outbox.notice(notice)


def main(outbox_fd: int) -> int:
    """Runs the job that comes through standard input; returns the process's exit code."""
    job: Job = pickle.load(sys.stdin.buffer)
    die_with_parent(job.parent_pid)
    # Ctrl-C and a service manager reach the whole group; when this process ends is its parent's to say.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    outbox = Outbox(os.fdopen(outbox_fd, "w", encoding="utf-8"))
    stop = threading.Event()
    threading.Thread(target=_watch_lifeline, args=(stop,), daemon=True).start()
    ring = Ring.inherited(job.fds, job.slots, job.slot_bytes)
    logging.getLogger("hardware.camera").addHandler(Warnings(ring, outbox))
    ring.set_phase(Phase.OPENING)
    camera = _open(job, outbox)
    if camera is None:
        return 1
    try:
        return _run(camera, job, ring, outbox, stop)
    finally:
        camera.close()
        ring.set_phase(Phase.DONE)


def _watch_lifeline(stop: threading.Event) -> None:
    """Ends this process when the parent closes standard input or dies; a camera that hangs can't hold it."""
    while sys.stdin.buffer.read(1):
        pass
    stop.set()
    time.sleep(LAST_WORDS_S)
    os._exit(0)


def _open(job: Job, outbox: Outbox) -> Camera | None:
    try:
        sys.path.extend(path for path in job.paths if path not in sys.path)
        factory: CameraFactory = pickle.loads(job.factory)
        camera = factory()
    except HardwareError as error:
        outbox.send("refused", text=str(error))
        return None
    except Exception as error:
        outbox.send("refused", text=f"the source can't be opened ({type(error).__name__}: {error})")
        return None
    outbox.send(
        "opened",
        name=camera.name,
        time_kind=camera.time_kind,
        recorded=camera.recorded,
        resumes=resumes(camera),
    )
    return camera


def _run(camera: Camera, job: Job, ring: Ring, outbox: Outbox, stop: threading.Event) -> int:
    lossless = camera.recorded if job.lossless is None else job.lossless
    writer = RingWriter(ring, lossless, camera.time_kind)
    pace = Pace(job.pace_s)
    bad, seen = 0, False
    while not stop.is_set():
        if seen:
            ring.set_phase(Phase.READING)
        try:
            shot = camera.read()
            if shot is None:
                return _end(camera, ring, outbox)
            pace.wait(ring, stop)
            writer.put(shot, stop.is_set)
            bad, seen = 0, True
        except CameraLostError as error:
            outbox.send("gone", text=str(error))
            return 1
        except CameraError as error:
            bad += 1
            if bad >= BAD_IN_A_ROW and not camera.recorded:
                outbox.send("gone", text=str(error))
                return 1
            _unreadable(error, writer, outbox)
        except Exception as error:
            outbox.send("gone", text=f"reading stopped ({type(error).__name__}: {error})")
            return 1
    return 0


def _end(camera: Camera, ring: Ring, outbox: Outbox) -> int:
    if not camera.recorded:
        outbox.send("gone", text=f"{camera.name} gives no more pictures")
        return 1
    notice = CameraNotice(NoticeKind.END, f"{camera.name}: all pictures were read", "", time.monotonic_ns())
    post_notice(ring, notice)
    outbox.notice(notice)
    return 0


def _unreadable(error: CameraError, writer: RingWriter, outbox: Outbox) -> None:
    name = error.name if isinstance(error, UnreadablePictureError) else ""
    notice = CameraNotice(NoticeKind.UNREADABLE, str(error), name, time.monotonic_ns())
    writer.skip()
    post_notice(writer.ring, notice)
    outbox.notice(notice)


class Pace:
    """Hands a recording's pictures out no faster than one every `step_s`."""

    def __init__(self, step_s: float) -> None:
        self._step_s = step_s
        self._next = 0.0

    def wait(self, ring: Ring, stop: threading.Event) -> None:
        """Waits until the next picture is due; the first comes at once."""
        if self._step_s <= 0:
            return
        left = self._next - time.monotonic()
        if left > 0:
            ring.set_phase(Phase.WAITING)
            stop.wait(left)
        self._next = max(self._next, time.monotonic()) + self._step_s
