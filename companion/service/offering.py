"""What every taking from the camera has in common: pictures are offered, a take waits for a word, the page waits for news.

Every method may be called from any thread.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import BadInputError
from vision.frame import Image

SHOWN_PX = 720
"""Longer side of the camera's picture on the page."""


class Offering(ABC):
    """One thing after the other is laid before the camera, until somebody says that all are taken."""

    moved_is_new = False
    """Whether what lies there is new once anything moved, however alike it looks: for what is small in the picture."""

    def __init__(self, note: str) -> None:
        """`note`: the first line for people."""
        self._changed = threading.Condition(threading.RLock())
        self._version = 1
        self._note = note
        self._picture: Image | None = None
        self._newest: Image | None = None
        self._ended = self._lost = self._done = self._recorded = False
        self._again = self._now = False
        self._decided = threading.Event()
        self._decided.set()

    # What the camera says

    @abstractmethod
    def offer(self, image: Image) -> None:
        """A settled picture."""

    def glance(self, image: Image, *, recorded: bool) -> None:
        """Any picture as it comes, settled or not; `recorded`: one whose successor waits for a word on it."""
        with self._changed:
            self._newest, self._lost, self._recorded = image, False, recorded

    def say(self, note: str, *, ended: bool = False, lost: bool = False) -> None:
        """A line for people about the camera; `ended` where no more pictures come, `lost` where none come for now."""
        with self._changed:
            self._note, self._ended, self._lost = note, self._ended or ended, lost
            self._show()

    def wait_decided(self, timeout_s: float) -> bool:
        """Whether no take waits for a word, after at most so long."""
        return self._decided.wait(timeout_s)

    def wants_again(self) -> bool:
        """Whether what lies on the table is to be taken once more; says so once."""
        with self._changed:
            again, self._again = self._again, False
            return again

    def wants_now(self) -> bool:
        """Whether the next picture is to be taken as it is, still or not; says so once."""
        with self._changed:
            now, self._now = self._now, False
            return now

    # What people say

    def take_now(self) -> None:
        """Takes the next picture as it is. Raises BadInputError where none comes."""
        with self._changed:
            if self._ended:
                raise BadInputError("no more pictures come from the camera")
            if self._lost:
                raise BadInputError("the camera gives no pictures now: check its cable, and wait until it shows some")
            self._now = True

    @property
    def done(self) -> bool:
        """Whether somebody said that all are taken."""
        return self._done

    # What the page shows

    def wait(self, after_version: int, timeout_s: float) -> int:
        """The current version; blocks until it is above `after_version` or the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > after_version, timeout_s)
            return self._version

    def table_picture(self) -> bytes | None:
        """What the camera saw last, small, the take framed; JPEG."""
        with self._changed:
            picture, outline = self._picture, self._outline()
        return None if picture is None else shown(picture, outline)

    # For those who take

    @abstractmethod
    def _outline(self) -> NDArray[np.float64] | None:
        """The take's outline in the picture, px, N x 2."""

    def _next(self, note: str) -> None:
        self._note = note
        self._decided.set()
        self._show()

    def _show(self) -> None:
        self._version += 1
        self._changed.notify_all()


def shown(picture: Image, outline: NDArray[np.float64] | None = None, longest: int = SHOWN_PX) -> bytes:
    """A picture for the page, small, with something framed; JPEG."""
    factor = min(1.0, longest / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    if outline is not None:
        corners = (outline * factor).round().astype(np.int32)
        cv2.polylines(small, [corners], True, (255, 255, 255), 5, cv2.LINE_AA)
        cv2.polylines(small, [corners], True, (140, 30, 220), 2, cv2.LINE_AA)
    return jpeg(small)


def jpeg(picture: object) -> bytes:
    """A picture as JPEG."""
    return bytes(cv2.imencode(".jpg", np.asarray(picture, np.uint8))[1])


def png(picture: Image) -> bytes:
    """A picture as PNG."""
    return bytes(cv2.imencode(".png", picture)[1])
