"""What the pad can't do, each member inheriting the matching built-in; `str()` is one line: what, where, what to do."""

from __future__ import annotations

from hardware.errors import HardwareError


class PadError(HardwareError, OSError):
    """Anything that the contact pad can't do."""


class PadNotFoundError(PadError, FileNotFoundError):
    """There is nothing at the port."""

    def __init__(self, port: str) -> None:
        super().__init__(f"{port}: there is no such port; plug the pad in, and see `hoshiban pad list`")


class PadPermissionError(PadError, PermissionError):
    """This user may not use the port."""

    def __init__(self, port: str) -> None:
        super().__init__(
            f"{port}: this user may not open it; add yourself to the group that owns it (`sudo usermod -a -G dialout $USER`) "
            "and log in again, or install the udev rule of docs/pad.md"
        )


class PadBusyError(PadError, BlockingIOError):
    """Another program uses the port."""

    def __init__(self, port: str) -> None:
        super().__init__(f"{port}: another program uses it; close that program (a serial monitor, another `hoshiban`)")


class PadLostError(PadError, ConnectionError):
    """The pad worked and is gone."""

    def __init__(self, port: str) -> None:
        super().__init__(f"{port}: the pad was unplugged; plug it in again and it goes on by itself")


class PadSilentError(PadError, TimeoutError):
    """The port opens, and nothing is said there."""

    def __init__(self, port: str) -> None:
        super().__init__(
            f"{port}: nothing answers; is this the pad, and was its firmware flashed (`hoshiban pad flash`)? See docs/pad.md"
        )


class NotAPadError(PadError, ValueError):
    """Something else speaks at the port."""

    def __init__(self, port: str) -> None:
        super().__init__(
            f"{port}: another device speaks there, not a contact pad; choose another port (`hoshiban pad list`) "
            "or flash the pad's firmware (`hoshiban pad flash`)"
        )


class PadVersionError(PadError, ValueError):
    """The pad speaks a version of the protocol that this program doesn't."""

    def __init__(self, port: str, versions: str, ours: int) -> None:
        super().__init__(
            f"{port}: the pad speaks version {versions} of the protocol and this program version {ours}; "
            "flash the firmware that comes with it (`hoshiban pad flash`), or update the program"
        )


class PadFrameError(PadError, ValueError):
    """A frame that is broken or can't be made."""


class PadMessageError(PadError, ValueError):
    """A whole frame whose content means nothing."""


class PadAnswerError(PadError, RuntimeError):
    """The pad answered a command with a refusal."""


class PadTimeoutError(PadError, TimeoutError):
    """The pad did not answer a command in time."""


class PadPortError(PadError):
    """The port fails in another way."""

    def __init__(self, port: str, why: str) -> None:
        super().__init__(f"{port}: can't be used as a serial port ({why})")
