"""Pictures to takes: offers what lies on the table once the picture has settled, and each picture of a directory in its turn."""

from __future__ import annotations

from threading import Event

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.service.offering import Offering
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import Picture, RingReader
from vision.frame import Image

STILL_NS = 600_000_000
"""How long nothing may have moved before anything is taken."""
_SMALL_PX = 200
_STEP = 14.0
"""Grey levels by which a part of the picture must differ to have changed."""
_SHARE = 0.004
"""Share of the picture that changes when a card is moved."""
_LOOK_S = 0.3
_LOST = (NoticeKind.LOST, NoticeKind.FAILED)


def feed(reader: RingReader, taking: Offering, stop: Event) -> None:
    """Takes pictures until the source ends, somebody says that all cards are taken, or `stop` is set."""
    watch = _Settling(taking.moved_is_new)
    wait_for_word = False
    while not stop.is_set() and not taking.done:
        if wait_for_word and not taking.wait_decided(_LOOK_S):
            continue
        item = reader.get(_LOOK_S)
        if isinstance(item, CameraNotice):
            ended = "There are no more pictures." if item.kind is NoticeKind.END else item.text
            taking.say(ended, ended=item.final, lost=item.kind in _LOST)
            if item.final:
                return
        elif item is not None:
            # A directory's pictures wait for their turn; a live table is always looked at.
            wait_for_word = item.settled
            taking.glance(item.image, recorded=item.settled)
            if item.settled or _is_due(watch, item, taking):
                taking.offer(item.image)


def _is_due(watch: _Settling, item: Picture, taking: Offering) -> bool:
    if taking.wants_now():
        watch.took(item)
        return True
    return watch.is_new(item, again=taking.wants_again(), decided=taking.wait_decided(0))


class _Settling:
    """Tells when a live picture is still and shows something else than what was taken last."""

    def __init__(self, moved_is_new: bool) -> None:
        self._moved_is_new, self._moved = moved_is_new, False
        self._last: NDArray[np.float32] | None = None
        self._taken: NDArray[np.float32] | None = None
        self._still_since_ns = 0

    def took(self, picture: Picture) -> None:
        """A picture was taken as it was."""
        self._last = self._taken = _small(picture.image)
        self._still_since_ns, self._moved = picture.t_ns, False

    def is_new(self, picture: Picture, *, again: bool, decided: bool) -> bool:
        """`again`: what was taken last is to be taken once more; `decided`: nothing waits for a word."""
        small = _small(picture.image)
        if self._last is None or _differs(self._last, small):
            self._still_since_ns, self._moved = picture.t_ns, True
        self._last = small
        if again:
            self._taken = None
            self._still_since_ns = max(self._still_since_ns, picture.t_ns - STILL_NS // 2)
        if picture.t_ns - self._still_since_ns < STILL_NS:
            return False
        moved = self._moved_is_new and self._moved and decided
        if self._taken is not None and not moved and not _differs(self._taken, small):
            return False
        self._taken, self._moved = small, False
        return True


def _small(image: Image) -> NDArray[np.float32]:
    factor = _SMALL_PX / max(image.shape[:2])
    grey = cv2.cvtColor(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return np.asarray(grey, np.float32)


def _differs(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    return one.shape != other.shape or float(np.mean(np.abs(one - other) > _STEP)) > _SHARE
