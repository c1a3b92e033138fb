"""A serial port as the link needs it: opened without resetting the pad where that can be had, and read without waiting."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import stat
import termios
from pathlib import Path
from typing import Self

import serial

from hardware.pad.errors import PadBusyError, PadError, PadLostError, PadNotFoundError, PadPermissionError, PadPortError

BAUD = 250_000
"""What a 16 MHz crystal divides to exactly."""
READ_BYTES = 4096
BY_ID = Path("/dev/serial/by-id")
_CFLAGS = 2
"""Place of the control flags in what termios gives."""


def stable_name(port: str) -> str:
    """The name by which udev will know this device wherever it is plugged in next; the port's own where there is none."""
    with contextlib.suppress(OSError):
        device = Path(port).resolve()
        for link in sorted(BY_ID.iterdir()):
            if link.resolve() == device:
                return str(link)
    return port


class Port:
    """An open port. Reads and writes give up at once where nothing can be done; `wake` ends a wait from another thread."""

    def __init__(self, name: str, line: serial.Serial) -> None:
        """Use `Port.open`."""
        self.name = name
        self._line = line
        self._fd: int = line.fileno()
        self._unsent = bytearray()
        self._awake, self._waker = os.pipe()
        for end in (self._awake, self._waker):
            os.set_blocking(end, False)

    @classmethod
    def open(cls, name: str, baud: int = BAUD) -> Self:
        """Opens a port. Raises PadNotFoundError, PadPermissionError, PadBusyError or PadPortError."""
        try:
            line = serial.Serial(None, baud, timeout=0, write_timeout=0, exclusive=True)
            line.port = name
            line.open()
        except (OSError, ValueError, termios.error) as error:
            raise _cause(name, error) from None
        with contextlib.suppress(termios.error, OSError):
            _keep_dtr(line.fileno())
        return cls(name, line)

    def wait(self, timeout_s: float) -> bool:
        """Waits until bytes can be read, `wake` is called, or the time is over; whether there are bytes."""
        writing = [self._fd] if self._unsent else []
        try:
            readable, _, _ = select.select([self._fd, self._awake], writing, [], max(timeout_s, 0.0))
        except (OSError, ValueError) as error:
            raise PadLostError(self.name) from error
        if self._awake in readable:
            with contextlib.suppress(BlockingIOError):
                os.read(self._awake, READ_BYTES)
        return self._fd in readable

    def wake(self) -> None:
        """Ends a wait. May be called from any thread."""
        with contextlib.suppress(OSError):
            os.write(self._waker, b"w")

    def read(self) -> bytes:
        """What is there. Raises PadLostError where the device is gone."""
        try:
            data = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise PadLostError(self.name) from error
        if not data:
            raise PadLostError(self.name)
        return data

    def write(self, data: bytes) -> None:
        """Writes as much as goes; the rest goes first the next time. Raises PadLostError."""
        self._unsent += data
        if not self._unsent:
            return
        try:
            del self._unsent[: os.write(self._fd, self._unsent)]
        except BlockingIOError:
            pass
        except OSError as error:
            raise PadLostError(self.name) from error
        if len(self._unsent) > READ_BYTES:
            self._unsent.clear()  # nobody takes it: what matters is sent again

    def close(self) -> None:
        """Lets the port go. May be called twice."""
        with contextlib.suppress(OSError, termios.error):
            self._line.close()
        for fd in (self._awake, self._waker):
            with contextlib.suppress(OSError):
                os.close(fd)
        self._awake = self._waker = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()


def _keep_dtr(fd: int) -> None:
    """Leaves DTR up when the port is closed, so that opening it again makes no edge that would reset the pad."""
    attributes = termios.tcgetattr(fd)
    attributes[_CFLAGS] &= ~termios.HUPCL
    termios.tcsetattr(fd, termios.TCSANOW, attributes)


def _cause(name: str, error: Exception) -> PadError:
    """pyserial's errors by their cause; some hold the number in their text only."""
    number = getattr(error, "errno", None)
    match number:
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return PadNotFoundError(name)
        case errno.EACCES | errno.EPERM:
            return PadPermissionError(name)
        case errno.EBUSY | errno.EAGAIN:
            return PadBusyError(name)
        case _:
            pass
    if "lock" in str(error):
        return PadBusyError(name)
    with contextlib.suppress(OSError):
        if not stat.S_ISCHR(Path(name).stat().st_mode):
            return PadPortError(name, "it is no device")
    return PadPortError(name, str(error).removeprefix(f"[Errno {number}] "))
