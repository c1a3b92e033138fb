"""How a command that runs until it is told to end is told so."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator

IMPATIENCE_S = 1.0
"""A second Ctrl-C so long after the first means: at once."""


@contextlib.contextmanager
def stopping(stop: threading.Event) -> Iterator[None]:
    """SIGTERM and Ctrl-C set `stop`; the service then ends in order. Another one a second later ends it at once."""
    told_at = 0.0

    def on_signal(number: int, _frame: object) -> None:
        nonlocal told_at
        told_at = told_at or time.monotonic()
        # One Ctrl-C may arrive twice, through the terminal and through whatever started us.
        if time.monotonic() - told_at > IMPATIENCE_S:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        stop.set()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
