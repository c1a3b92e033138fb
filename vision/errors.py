"""One error tree for vision; every member reads as one clear line that names what, where and what to do."""

from __future__ import annotations


class VisionError(Exception):
    """Anything that seeing can't do; `str()` is a line for people."""


class BadPictureError(VisionError, ValueError):
    """A picture that can't be read or has no usable content."""


class BadDeckScansError(VisionError, ValueError):
    """A deck directory without usable reference scans."""


class PoseLostError(VisionError, LookupError):
    """Too few markers to say where the table is, and no earlier pose to keep."""


class BadTableSizeError(VisionError, ValueError):
    """The markers stand at other distances than the stated table size would have them."""


class BadDiceError(VisionError, ValueError):
    """A die's pictures can't be enrolled, or no such die is enrolled."""
