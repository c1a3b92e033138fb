"""What was beside a die when it came into sight: the hand that let it go, or what had hidden it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.track_blobs import Blob, covers, hand_alike, peeps

Mask = NDArray[np.uint8]

UNTOLD_S = 1.0
"""What was hidden for so long tells of no touch."""
_BY_HAND_MM = 35.0
"""A die that a hand lets go is first seen so near to it."""
_SHADOWS = 2.2
"""What has changed around a die beside it, over its own area, is more than its shadow."""
_FINGERTIP_MM2 = 60.0
_KEPT = 24
_BEFORE = 2
"""Pictures before a die comes into sight in which the hand that let it go was there: what flies past is gone by then."""


@dataclass(frozen=True, slots=True, eq=False)
class _Picture:
    t_ns: int
    labels: Mask
    changed: Mask


@dataclass(slots=True)
class Past:
    """The last pictures' labels (`track_colour.Palette`), for what they show around a die. Areas in px^2, places in px."""

    px_per_mm: float
    _kept: deque[_Picture] = field(default_factory=lambda: deque(maxlen=_KEPT))

    @property
    def last_ns(self) -> int | None:
        """When the last picture was taken that is kept."""
        return self._kept[-1].t_ns if self._kept else None

    def keep(self, t_ns: int, labels: Mask, changed: Mask) -> None:
        """Keeps one more picture: its labels, and 255 where it differs from the empty table."""
        self._kept.append(_Picture(t_ns, labels, changed))

    def peeped_s(self, blob: Blob, number: int, usual_area: float, t_ns: int) -> float:
        """For how long a part of a die showed, or a hand lay, where it came whole into sight just now, s."""
        at = (blob.u, blob.v)
        since = t_ns
        for then in reversed(self._kept):
            alike = hand_alike(then.labels, number, at, usual_area)
            if not (alike or peeps(then.labels, number, at, usual_area) or covers(then.labels, blob.hull)):
                return (t_ns - since) / 1e9
            since = then.t_ns
        # For longer than is remembered.
        return UNTOLD_S

    def beside(self, blob: Blob, usual_area: float, labels: Mask, changed: Mask) -> bool:
        """Whether something is near that may have let the die go: of whatever colour, or dark as a shadow and larger than the
        die's own."""
        around, left, top = self._around(blob, labels)
        darker, _, _ = self._around(blob, changed)
        other = np.full(around.shape, 255, np.uint8)
        cv2.fillConvexPoly(other, blob.hull - np.array([left, top], np.int32), 0)
        other = cv2.erode(other, np.ones((5, 5), np.uint8)).astype(np.uint8, copy=False)
        return (
            cv2.countNonZero(around & other) > self._fingertip
            or cv2.countNonZero(darker & other) > _SHADOWS * usual_area
        )

    def was_beside(self, blob: Blob, number: int) -> bool:
        """Whether something was near in the pictures before a die came into sight there, which it may have hidden: also what
        is dark as a shadow, since no die was there to throw one."""
        before = list(islice(reversed(self._kept), _BEFORE))
        return len(before) == _BEFORE and all(self._held(blob, number, picture) for picture in before)

    def _held(self, blob: Blob, number: int, picture: _Picture) -> bool:
        labels, _, _ = self._around(blob, picture.labels)
        changed, _, _ = self._around(blob, picture.changed)
        # A spot of its own colour may be the die in the open.
        return cv2.countNonZero(np.where(labels == number, np.uint8(0), changed)) > self._fingertip

    @property
    def _fingertip(self) -> float:
        return _FINGERTIP_MM2 * self.px_per_mm**2

    def _around(self, blob: Blob, mask: Mask) -> tuple[Mask, int, int]:
        """A mask's part around a spot, and where that begins."""
        reach = round(_BY_HAND_MM * self.px_per_mm)
        left, top = max(0, round(blob.u) - reach), max(0, round(blob.v) - reach)
        return mask[top : top + 2 * reach + 1, left : left + 2 * reach + 1], left, top
