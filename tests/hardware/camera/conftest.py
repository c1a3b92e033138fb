"""Fake cameras in a module that a fresh process can import by name, and pictures that carry their own number."""

from __future__ import annotations

import queue
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.camera.capture import Capture
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import Picture, RingReader

FAKES = '''
import os, signal, time
from pathlib import Path
import numpy as np
from hardware.camera.base import Shot, TimeKind
from hardware.errors import CameraError, CameraLostError, CameraNotFoundError, UnreadablePictureError


class Numbered:
    """Pictures whose every pixel is their number; live unless `count` ends them."""

    def __init__(self, count=None, step_s=0.0, sizes=((32, 48),), bad=(), recorded=None):
        self.name, self.time_kind = "numbered", TimeKind.MEDIA
        self.recorded = count is not None if recorded is None else recorded
        self.count, self.step_s, self.sizes, self.bad = count, step_s, sizes, bad
        self.next = 0

    def read(self):
        n = self.next
        if self.count is not None and n >= self.count:
            return None
        self.next += 1
        time.sleep(self.step_s)
        if n in self.bad:
            raise UnreadablePictureError(f"picture-{n}.jpg: is empty", f"picture-{n}.jpg")
        height, width = self.sizes[n % len(self.sizes)]
        image = np.full((height, width, 3), n % 256, np.uint8)
        return Shot(image, n * 1000, 5, f"picture-{n}.jpg", settled=self.recorded)

    def close(self):
        pass


class Stuck(Numbered):
    """Gives `good` pictures and then sleeps for ever, as a driver does whose cable is loose; whole again after `cure` lives."""

    def __init__(self, log, good=3, cure=1):
        super().__init__(step_s=0.01)
        self.good = good if lives(log) <= cure else None

    def read(self):
        if self.good is not None and self.next >= self.good:
            time.sleep(3600)
        return super().read()


class Deaf(Numbered):
    """Hangs while it is opened."""

    def __init__(self, log):
        lives(log)
        time.sleep(3600)


class Flaky(Numbered):
    """Says by itself that it stopped."""

    def __init__(self, log, cure=1):
        super().__init__(step_s=0.01)
        self.ill = lives(log) <= cure

    def read(self):
        if self.ill and self.next >= 3:
            raise CameraLostError("flaky: gives no picture")
        return super().read()


class Resuming(Numbered):
    """A recording that stops by itself, and goes on where it stopped when it is opened again."""

    resumes = True

    def __init__(self, log, count):
        super().__init__(count=count)
        self.ill = lives(log) == 1
        self.next = 0 if self.ill else 3

    def read(self):
        if self.ill and self.next == 3:
            raise CameraLostError("resuming: unplugged")
        return super().read()


class Crashing(Numbered):
    def read(self):
        if self.next == 2:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().read()


class Odd(Numbered):
    """Hands out things that are no pictures."""

    def read(self):
        shot = super().read()
        if shot is not None and self.next == 2:
            return Shot(np.zeros((4, 4), np.float32), 0, 0, "odd")
        return shot


class Rude(Numbered):
    def read(self):
        raise ZeroDivisionError("a fault of its own")


def lives(log):
    """How often a camera was opened, this time included."""
    with Path(log).open("a") as file:
        file.write("x")
    return len(Path(log).read_text())


class Telling(Numbered):
    """Its name tells which heavy packages its process has loaded."""

    def __init__(self):
        import sys
        super().__init__(count=1)
        heavy = ("cv2", "flask", "click", "msgspec", "companion", "vision", "calibration", "multiprocessing.pool")
        self.name = ",".join(name for name in heavy if name in sys.modules) or "none"


def see(reader, out):
    """The reading process: passes numbers on."""
    from hardware.camera.ring import Picture
    while True:
        got = reader.get(30.0)
        if not isinstance(got, Picture):
            out.send(None if got is None else str(got.kind))
            return
        out.send((got.frame_id, got.name, int(got.image.min()), int(got.image.max())))
        time.sleep(0.005)


def sit_on_the_lock(ring, out):
    """A process that stands still with the ring's lock."""
    with ring.locked():
        out.send("held")
        time.sleep(3600)


def missing():
    raise CameraNotFoundError("/dev/video9: no such camera; no camera is plugged in")


def blabbing():
    raise RuntimeError("can't connect to rtsp://mia:s3cret@cam/live")


def broken():
    raise RuntimeError("unforeseen")
'''


@pytest.fixture(scope="session")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The fake cameras' module, importable in this process and, by its path, in the capture process."""
    folder = tmp_path_factory.mktemp("fakes")
    (folder / "hoshiban_fake_cameras.py").write_text(FAKES)
    sys.path.append(str(folder))
    try:
        import hoshiban_fake_cameras

        yield hoshiban_fake_cameras
    finally:
        sys.path.remove(str(folder))


class Watched:
    """A capture under test with what it told."""

    def __init__(self, capture: Capture, told: queue.SimpleQueue[CameraNotice]) -> None:
        self.capture = capture
        self.reader: RingReader = capture.reader()
        self._told = told
        self.notices: list[CameraNotice] = []

    def wait_for(self, kind: NoticeKind, patience_s: float = 30.0) -> CameraNotice:
        """The next notice of that kind told to the service."""
        while True:
            notice = self._told.get(timeout=patience_s)
            self.notices.append(notice)
            if notice.kind is kind:
                return notice

    def picture(self, patience_s: float = 30.0) -> Picture:
        """The next picture, notices passed over."""
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            got = self.reader.get(0.2)
            if isinstance(got, Picture):
                return got
        raise TimeoutError("no picture came")

    def everything(self, slow_s: float = 0.0) -> list[Picture | CameraNotice]:
        """All that comes to the reader up to the end."""
        got: list[Picture | CameraNotice] = []
        while True:
            value = self.reader.get(30.0)
            if value is None:
                raise TimeoutError("neither picture nor end came")
            got.append(value)
            if isinstance(value, CameraNotice) and value.final:
                return got
            time.sleep(slow_s)


@pytest.fixture
def watch() -> Iterator[Callable[..., Watched]]:
    """Starts a capture and stops it after the test."""
    started: list[Capture] = []

    def begin(factory: Callable[[], Any], **options: Any) -> Watched:
        told: queue.SimpleQueue[CameraNotice] = queue.SimpleQueue()
        capture = Capture(factory, "the camera", on_notice=told.put, **options)
        started.append(capture)
        watched = Watched(capture, told)
        capture.start()
        return watched

    yield begin
    for capture in started:
        capture.stop()


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A directory with three small pictures of different grey."""
    for n, name in enumerate(("b.PNG", "a.jpg", "c.jpeg")):
        ok, data = cv2.imencode(".png" if name.endswith("PNG") else ".jpg", np.full((24, 32, 3), 60 * n, np.uint8))
        assert ok
        (tmp_path / name).write_bytes(data.tobytes())
    return tmp_path
