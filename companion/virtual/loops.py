"""A virtual table with two loops of string, of which somebody has to choose one."""

from __future__ import annotations

from companion.virtual.dice_stills import SIZE_PX, Oddity, odd_still
from hardware.camera.base import Camera, Shot, TimeKind

SEED = 5


class LoopsCamera:
    """Hands out one still."""

    def __init__(self) -> None:
        self.name = "virtual loops"
        self.recorded = True
        self.time_kind = TimeKind.MEDIA
        self._left = 1

    def read(self) -> Shot | None:
        """The picture; None after it."""
        if not self._left:
            return None
        self._left = 0
        return Shot(odd_still(Oddity.TWO_LOOPS, SEED, 0).picture(), 0, 0, f"two loops, {SIZE_PX[0]} px", settled=True)

    def close(self) -> None:
        """Nothing is held open."""


def open_loops() -> Camera:
    """Opens the camera; pickles."""
    return LoopsCamera()
