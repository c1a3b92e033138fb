"""One error tree for hardware, as gpiozero's: each member inherits the matching built-in; `str()` is one line for people."""

from __future__ import annotations


class HardwareError(Exception):
    """Anything that a device can't do."""


class CameraError(HardwareError, OSError):
    """A picture source that fails."""


class CameraNotFoundError(CameraError, FileNotFoundError):
    """A picture source that is not there."""


class CameraLostError(CameraError, ConnectionError):
    """A picture source that worked and stopped."""


class UnreadablePictureError(CameraError):
    """One picture of a recording that can't be read; the ones after it can."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name
        """File name of the picture."""


class BadSourceError(HardwareError, ValueError):
    """A source's name that means nothing."""
