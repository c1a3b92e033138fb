"""Errors of the companion; `str()` is one line that names what, where and what to do."""

from __future__ import annotations


class CompanionError(Exception):
    """Anything that the service can't do for its user."""


class BadInputError(CompanionError, ValueError):
    """A file, option or answer that can't be used."""


class BusyError(CompanionError, RuntimeError):
    """Another service holds the journal or the port."""


class JournalError(CompanionError, RuntimeError):
    """The journal can't be opened, read or written; what was acknowledged before stands."""
