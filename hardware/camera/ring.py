"""Pictures from one process to another through shared memory: fixed slots, no name, nothing left behind by kill -9.

The memory is an anonymous file (memfd) that lives as long as a process holds it open, so a killed service leaks nothing and
there is nothing to clean up. Its head and slot states are guarded by a record lock, which the system lets go of when its
holder dies; pixels are copied outside the lock. Two pipes wake the other side. The file is sparse: a slot may hold a picture
of up to `SLOT_BYTES`, but only pages that were written take memory, so a change of size needs no new ring.

One writer and one reader at a time. Slots go FREE -> WRITING -> READY -> READING -> FREE.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import select
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import reduction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image, Shot, TimeKind
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.errors import CameraError

SLOTS = 4
SLOT_BYTES = 192 * 1024 * 1024
"""Largest picture: 64 megapixels."""
AHEAD_BYTES = 48 * 1024 * 1024
"""A recording is read ahead by no more than this, so that large photographs don't fill the memory."""
NOTICES = 16
LOCK_WAIT_S = 5.0

FREE, WRITING, READY, READING = range(4)

_HEAD = np.dtype(
    [(field, "<i8") for field in ("order", "frame_id", "pictures", "shed", "taken", "phase", "since_ns", "spare")]
)
_SLOT = np.dtype(
    [(f, "<i8") for f in ("state", "order", "frame_id", "t_ns", "t_err_ns", "height", "width", "settled", "time_kind")]
    + [("touched", "<i8"), ("name", "S256")]
)
_NOTICE = np.dtype([(f, "<i8") for f in ("state", "order", "kind", "t_ns")] + [("name", "S256"), ("text", "S992")])

_KINDS = tuple(NoticeKind)
_TIME_KINDS = tuple(TimeKind)


class Phase:
    """What the writer is doing, so that whoever watches it knows how long it may take."""

    STARTING = 0
    OPENING = 1
    """Opening the device, and waiting for its first picture."""
    READING = 2
    WAITING = 3
    """Waiting for the reader, or for a recording's pace: may take for ever."""
    DONE = 4


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture as the reader gets it. The image is the reader's own copy unless a view was asked for."""

    image: Image
    """uint8, height x width x 3, blue-green-red."""
    frame_id: int
    """Counts the source's pictures from 0; each picture that was shed leaves a gap."""
    t_ns: int
    t_err_ns: int
    time_kind: TimeKind
    name: str
    settled: bool


@dataclass(frozen=True, slots=True)
class RingCounts:
    """What went through the ring since it was made."""

    pictures: int
    """Written."""
    taken: int
    """Handed to the reader."""
    shed: int
    """Overwritten by a newer one before the reader came."""


class RingBusyError(CameraError):
    """The lock is held by a process that stands still."""


class Wake:
    """A pipe that wakes the process which waits at its other end."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self.read_fd = read_fd
        self.write_fd = write_fd

    @classmethod
    def create(cls) -> Wake:
        read_fd, write_fd = os.pipe()
        os.set_blocking(read_fd, False)
        os.set_blocking(write_fd, False)
        return cls(read_fd, write_fd)

    def call(self) -> None:
        """Wakes the other side; a full pipe has woken it already."""
        with contextlib.suppress(BlockingIOError):
            os.write(self.write_fd, b"!")

    def wait(self, timeout_s: float) -> None:
        """Waits for a call, or for the time to pass."""
        poll = select.poll()
        poll.register(self.read_fd, select.POLLIN)
        if poll.poll(max(0.0, timeout_s) * 1000):
            with contextlib.suppress(BlockingIOError):
                os.read(self.read_fd, 4096)


class Ring:
    """The shared memory itself. Passes to a child process as an argument of `multiprocessing.Process` (any start method)."""

    def __init__(self, memory_fd: int, written: Wake, freed: Wake, slots: int, slot_bytes: int) -> None:
        self.memory_fd = memory_fd
        self.written = written
        """Called by the writer."""
        self.freed = freed
        """Called by the reader."""
        self.slots = slots
        self.slot_bytes = slot_bytes
        self._thread_lock = threading.Lock()
        self._closed = False
        self._map = mmap.mmap(memory_fd, _pixels_at(slots) + slots * slot_bytes)
        self.head: NDArray[Any] = np.frombuffer(self._map, _HEAD, 1)
        self.slot: NDArray[Any] = np.frombuffer(self._map, _SLOT, slots, _HEAD.itemsize)
        self.notice: NDArray[Any] = np.frombuffer(self._map, _NOTICE, NOTICES, _HEAD.itemsize + slots * _SLOT.itemsize)

    @classmethod
    def create(cls, slots: int = SLOTS, slot_bytes: int = SLOT_BYTES) -> Ring:
        """A new, empty ring, kept by this process until `close`."""
        page = mmap.PAGESIZE
        slot_bytes = -(-slot_bytes // page) * page
        memory_fd = _anonymous_file(_pixels_at(slots) + slots * slot_bytes)
        return cls(memory_fd, Wake.create(), Wake.create(), slots, slot_bytes)

    @property
    def fds(self) -> tuple[int, int, int, int, int]:
        """Memory, written (read, write), freed (read, write): what a child process must inherit."""
        return (
            self.memory_fd,
            self.written.read_fd,
            self.written.write_fd,
            self.freed.read_fd,
            self.freed.write_fd,
        )

    @classmethod
    def inherited(cls, fds: tuple[int, int, int, int, int], slots: int, slot_bytes: int) -> Ring:
        """The ring in a process that inherited its file descriptors."""
        return cls(fds[0], Wake(fds[1], fds[2]), Wake(fds[3], fds[4]), slots, slot_bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, ([reduction.DupFd(fd) for fd in self.fds], self.slots, self.slot_bytes)

    def __repr__(self) -> str:
        counts = self.counts()
        return f"Ring(pictures={counts.pictures}, taken={counts.taken}, shed={counts.shed}, closed={self._closed})"

    @property
    def closed(self) -> bool:
        """True after `close` in this process."""
        return self._closed

    def counts(self) -> RingCounts:
        """What went through so far."""
        head = self.head[0]
        return RingCounts(int(head["pictures"]), int(head["taken"]), int(head["shed"]))

    def phase(self) -> tuple[int, int]:
        """The writer's phase, and since when (monotonic ns). Never waits, whatever the other processes do."""
        return int(self.head["phase"][0]), int(self.head["since_ns"][0])

    def set_phase(self, phase: int) -> None:
        """Called by the writer before each thing that may take long."""
        self.head["since_ns"][0] = time.monotonic_ns()
        self.head["phase"][0] = phase

    @contextlib.contextmanager
    def locked(self, wait_s: float = LOCK_WAIT_S) -> Iterator[None]:
        """Holds the head and the slot states. Raises RingBusyError where another process sits on the lock.

        Record locks belong to a process, so threads of this one exclude each other by a lock of their own.
        """
        deadline = time.monotonic() + wait_s
        if not self._thread_lock.acquire(timeout=wait_s):
            raise RingBusyError("the pictures' memory is held by another thread that stands still")
        try:
            while True:
                try:
                    fcntl.lockf(self.memory_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except (BlockingIOError, PermissionError):
                    if time.monotonic() > deadline:
                        raise RingBusyError("the pictures' memory is held by a process that stands still") from None
                    time.sleep(0.0002)
            try:
                yield
            finally:
                fcntl.lockf(self.memory_fd, fcntl.LOCK_UN)
        finally:
            self._thread_lock.release()

    def pixels(self, index: int, height: int, width: int) -> Image:
        """A slot's picture, a view into the shared memory."""
        at = _pixels_at(self.slots) + index * self.slot_bytes
        return np.frombuffer(self._map, np.uint8, height * width * 3, at).reshape(height, width, 3)

    def give_back_pages(self, index: int) -> None:
        """Lets the memory of a slot go; it is zero until written again."""
        if hasattr(mmap, "MADV_REMOVE"):
            with contextlib.suppress(OSError):
                at = _pixels_at(self.slots) + index * self.slot_bytes
                self._map.madvise(mmap.MADV_REMOVE, at, self.slot_bytes)

    def forget_writer(self) -> None:
        """After the writer died: the slot that it was filling is free again. Only where no writer runs."""
        self._reset(WRITING, FREE)

    def forget_reader(self) -> None:
        """After the reader died: the picture that it was taking waits for the next reader. Only where no reader runs."""
        self._reset(READING, READY)

    def _reset(self, old: int, new: int) -> None:
        with self.locked():
            states = self.slot["state"]
            states[states == old] = new

    def close(self) -> None:
        """Lets this process's hold on the memory go. May be called twice."""
        if self._closed:
            return
        self._closed = True
        for fd in self.fds:
            os.close(fd)


class RingWriter:
    """The side that fills slots; used by one thread of the capture process."""

    def __init__(self, ring: Ring, lossless: bool, time_kind: TimeKind) -> None:
        self.ring = ring
        self.lossless = lossless
        """True: wait until the reader made room. False: the newest picture wins, older ones are shed and counted."""
        self.time_kind = time_kind

    def put(self, shot: Shot, stop: Callable[[], bool] = lambda: False) -> bool:
        """Passes a picture on; False where `stop` turned true while it waited for room.

        Raises CameraError for something that is no picture or does not fit.
        """
        image = self._checked(shot)
        index = self._claim(image.nbytes)
        while index is None:
            if stop():
                return False
            self.ring.set_phase(Phase.WAITING)
            self.ring.freed.wait(0.2)
            index = self._claim(image.nbytes)
        height, width = image.shape[:2]
        touched = int(self.ring.slot["touched"][index])
        if touched > 2 * image.nbytes:
            self.ring.give_back_pages(index)
            touched = 0
        np.copyto(self.ring.pixels(index, height, width), image)
        self._publish(index, shot, max(touched, image.nbytes))
        self.ring.written.call()
        return True

    def _checked(self, shot: Shot) -> Image:
        image = shot.image
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
            raise CameraError(
                f"{shot.name or 'the source'} gave {image.dtype} {image.shape}, not an 8-bit colour picture; not used"
            )
        if not 0 < image.nbytes <= self.ring.slot_bytes:
            height, width = image.shape[:2]
            limit = self.ring.slot_bytes // 3_000_000
            raise CameraError(
                f"{shot.name or 'a picture'} measures {width}x{height} px; up to {limit} megapixels can be used"
            )
        return image

    def _claim(self, size: int) -> int | None:
        """A slot to write to, or None where there is no room."""
        with self.ring.locked():
            slot = self.ring.slot
            free = np.flatnonzero(slot["state"] == FREE)
            ready = np.flatnonzero(slot["state"] == READY)
            if self.lossless:
                waiting = int((slot["height"][ready] * slot["width"][ready] * 3).sum())
                if not free.size or (ready.size and waiting + size > AHEAD_BYTES):
                    return None
            elif not free.size:
                if not ready.size:
                    return None
                self.ring.head["shed"][0] += 1
                free = ready[np.argsort(slot["order"][ready])]
            index = int(free[0])
            slot["state"][index] = WRITING
            return index

    def _publish(self, index: int, shot: Shot, touched: int) -> None:
        with self.ring.locked():
            slot, head = self.ring.slot, self.ring.head
            if not self.lossless:
                old = np.flatnonzero(slot["state"] == READY)
                slot["state"][old] = FREE
                head["shed"][0] += old.size
            height, width = shot.image.shape[:2]
            name = os.fsencode(shot.name)[:255]
            kind = _TIME_KINDS.index(self.time_kind)
            order, frame_id = int(head["order"][0]), int(head["frame_id"][0])
            slot[index] = (
                *(READY, order, frame_id, shot.t_ns, shot.t_err_ns, height, width, shot.settled, kind, touched),
                name,
            )
            head["order"][0] += 1
            head["frame_id"][0] += 1
            head["pictures"][0] += 1

    def skip(self) -> None:
        """Counts a picture that could not be read, so that its frame id stays empty."""
        with self.ring.locked():
            self.ring.head["frame_id"][0] += 1


def post_notice(ring: Ring, notice: CameraNotice) -> None:
    """Passes a notice to the reader, in its order among the pictures. Where nobody reads, the oldest gives way."""
    with ring.locked():
        state, orders = ring.notice["state"], ring.notice["order"]
        free = np.flatnonzero(state == FREE)
        index = int(free[0]) if free.size else int(np.argmin(orders))
        text = notice.text.encode("utf-8", "replace")[:991].decode("utf-8", "ignore").encode()
        name = os.fsencode(notice.name)[:255]
        order = int(ring.head["order"][0])
        ring.notice[index] = (READY, order, _KINDS.index(notice.kind), notice.t_ns, name, text)
        ring.head["order"][0] += 1
    ring.written.call()


class RingReader:
    """The side that takes pictures; used by one thread. Give it to the reading process as an argument."""

    def __init__(self, ring: Ring) -> None:
        self._ring = ring
        self._held: int | None = None

    def get(self, timeout_s: float, *, copy: bool = True) -> Picture | CameraNotice | None:
        """The next picture or notice, or None where nothing came in time.

        Live sources: always the newest picture. Recordings: every picture, in order. Frame ids only rise.
        With `copy=False` the image is a read-only view into the shared memory, good until the next `get` or `close`.
        """
        deadline = time.monotonic() + timeout_s
        while not self._ring.closed:
            try:
                self._let_go()
                found = self._take(copy)
            except RingBusyError:
                found = None
            if found is not None:
                return found
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self._ring.written.wait(left)
        return None

    def counts(self) -> RingCounts:
        """Pictures written, taken and shed so far."""
        return self._ring.counts()

    def close(self) -> None:
        """Gives the slot of a view back. The memory stays with whoever made it."""
        if not self._ring.closed:
            self._let_go()

    def __repr__(self) -> str:
        return f"RingReader({self._ring!r})"

    def _take(self, copy: bool) -> Picture | CameraNotice | None:
        ring = self._ring
        with ring.locked():
            notices = np.flatnonzero(ring.notice["state"] == READY)
            ready = np.flatnonzero(ring.slot["state"] == READY)
            note = notices[np.argmin(ring.notice["order"][notices])] if notices.size else None
            index = ready[np.argmin(ring.slot["order"][ready])] if ready.size else None
            if note is not None and (index is None or int(ring.notice["order"][note]) < int(ring.slot["order"][index])):
                return self._take_notice(int(note))
            if index is None:
                return None
            ring.slot["state"][index] = READING
            ring.head["taken"][0] += 1
            self._held = int(index)
        return self._picture(self._held, copy)

    def _take_notice(self, index: int) -> CameraNotice:
        row = self._ring.notice[index]
        self._ring.notice["state"][index] = FREE
        return CameraNotice(
            _KINDS[int(row["kind"])],
            bytes(row["text"]).decode("utf-8", "replace"),
            os.fsdecode(bytes(row["name"])),
            int(row["t_ns"]),
        )

    def _picture(self, index: int, copy: bool) -> Picture:
        row = self._ring.slot[index]
        view = self._ring.pixels(index, int(row["height"]), int(row["width"]))
        if copy:
            image = view.copy()
        else:
            image = view
            image.flags.writeable = False
        picture = Picture(
            image,
            int(row["frame_id"]),
            int(row["t_ns"]),
            int(row["t_err_ns"]),
            _TIME_KINDS[int(row["time_kind"])],
            os.fsdecode(bytes(row["name"])),
            bool(row["settled"]),
        )
        if copy:
            self._let_go()
        return picture

    def _let_go(self) -> None:
        if self._held is None:
            return
        with self._ring.locked():
            self._ring.slot["state"][self._held] = FREE
        self._held = None
        self._ring.freed.call()


def _pixels_at(slots: int) -> int:
    """Where the first slot's pixels begin: past the head, on a page of their own."""
    head = _HEAD.itemsize + slots * _SLOT.itemsize + NOTICES * _NOTICE.itemsize
    return -(-head // mmap.PAGESIZE) * mmap.PAGESIZE


def _anonymous_file(size: int) -> int:
    """A file descriptor of memory without a name."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("hoshiban-pictures", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, size)
    return fd


def _unpickle(handles: list[Any], slots: int, slot_bytes: int) -> Ring:
    fds = [handle.detach() for handle in handles]
    return Ring.inherited((fds[0], fds[1], fds[2], fds[3], fds[4]), slots, slot_bytes)
