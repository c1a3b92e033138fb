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


class BadSourceError(HardwareError, ValueError):
    """A source's name that means nothing."""
