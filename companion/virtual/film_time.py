"""Which moment of its film a virtual camera's picture shows, where the film stands still now and then and clocks are set.

The camera notes down each change; the service reads it, so that those who sit at the table tap by what is played and not by
the pictures' clock. A film also keeps its place here, from which a camera that is opened again goes on.
"""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import NamedTuple

NEVER_NS = 2**62
"""Times from here on are no film's: they mean the end of time."""
_PLACE = struct.Struct("<qq")


class Stretch(NamedTuple):
    """From a picture on, film time follows from the pictures' time in one way."""

    shown_ns: int
    """The pictures' time at its beginning."""
    film_ns: int
    runs: bool
    """False while the film stands still."""


class FilmLog:
    """The camera's side. Used by one process at a time."""

    def __init__(self, folder: str) -> None:
        """The folder must be there."""
        self._stretches = Path(folder) / "stretches"
        self._place = os.open(Path(folder) / "place", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._last: Stretch | None = None

    def place(self) -> tuple[int, int]:
        """How many pictures of the film were handed out before, and the camera's own time of the last picture, ns."""
        kept = os.pread(self._place, _PLACE.size, 0)
        return _PLACE.unpack(kept) if len(kept) == _PLACE.size else (0, 0)

    def keep_place(self, pictures: int, t_ns: int) -> None:
        """So many pictures of the film were handed out."""
        os.pwrite(self._place, _PLACE.pack(pictures, t_ns), 0)

    def note(self, shown_ns: int, film_ns: int, *, runs: bool) -> None:
        """A picture of that time shows that moment; written down only where it does not follow from what was noted."""
        if self._last is not None and self._last.runs == runs and _film_ns(self._last, shown_ns) == film_ns:
            return
        self._last = Stretch(shown_ns, film_ns, runs)
        with self._stretches.open("a", encoding="ascii") as file:
            file.write(json.dumps(self._last) + "\n")

    def close(self) -> None:
        """Lets the file go. May be called twice."""
        if self._place >= 0:
            os.close(self._place)
        self._place = -1


class FilmTime:
    """The service's side: film time of what is said of the pictures, in the order in which it is said."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / "stretches"
        self._read = 0
        self._coming: list[Stretch] = []
        self._now = Stretch(0, 0, True)

    def __call__(self, shown_ns: int) -> int:
        """The moment of the film that a picture of that time shows; times that are none stay as they are."""
        if not 0 <= shown_ns < NEVER_NS:
            return shown_ns
        self._look()
        while self._coming and self._has_begun(self._coming[0], shown_ns):
            self._now = self._coming.pop(0)
        return _film_ns(self._now, shown_ns)

    def _has_begun(self, stretch: Stretch, shown_ns: int) -> bool:
        if stretch.shown_ns < self._now.shown_ns:  # the clock was set back
            return shown_ns < self._now.shown_ns
        return shown_ns >= stretch.shown_ns

    def _look(self) -> None:
        try:
            with self._path.open(encoding="ascii") as file:
                file.seek(self._read)
                text = file.read()
        except OSError:
            return
        whole = text[: text.rfind("\n") + 1]
        self._read += len(whole)
        self._coming += [Stretch(*json.loads(line)) for line in whole.splitlines()]


def _film_ns(stretch: Stretch, shown_ns: int) -> int:
    return stretch.film_ns + (shown_ns - stretch.shown_ns if stretch.runs else 0)
