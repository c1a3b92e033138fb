"""What the camera sees of a die now, looked at only when somebody asks, and not more often than a page can use."""

from __future__ import annotations

import threading
import time

from companion.service.offering import jpeg, shown
from vision.dice.taking import Missing, take_die
from vision.frame import Image

LEAST_S = 0.6
"""Between two looks."""


class LiveLook:
    """The last look and its picture. May be used from any thread; one looks at a time."""

    def __init__(self) -> None:
        self.picture: bytes | None = None
        """JPEG of the last look."""
        self._seen: Image | None = None
        self._number, self._says = 0, ""
        self._at = -LEAST_S
        self._looking = threading.Lock()

    def look(self, image: Image | None, sides: int | None) -> tuple[int, str]:
        """The number of the last look, and a line where no die can be taken; looks anew where this is another picture.

        `sides` of the die that is looked for; None: the picture is shown as it is.
        """
        if image is None or image is self._seen or not self._looking.acquire(blocking=False):
            return self._number, self._says
        try:
            if time.monotonic() - self._at >= LEAST_S:
                self._look_at(image, sides)
                self._seen, self._at = image, time.monotonic()
        finally:
            self._looking.release()
        return self._number, self._says

    def _look_at(self, image: Image, sides: int | None) -> None:
        seen = take_die(image, sides) if sides is not None else None
        if seen is None or isinstance(seen, Missing):
            self._says = "" if seen is None else seen.value
            self.picture = shown(image)
        else:
            self._says = "; ".join(fault.value for fault in seen.faults)
            self.picture = jpeg(seen.picture)
        self._number += 1
