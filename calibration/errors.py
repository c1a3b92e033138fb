"""Errors of calibration; `str()` is one line that names the file, the field and what to do."""

from __future__ import annotations


class CalibrationError(Exception):
    """Anything that calibration can't do."""


class BadProfileError(CalibrationError, ValueError):
    """A profile that can't be read or doesn't hold together."""
