"""The virtual table as a camera: hands out the film's pictures, as fast as they are taken or at the pace of the table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from companion.virtual.director import Shown
from companion.virtual.table import VirtualTable
from hardware.camera.base import Camera, CameraFactory, Image, Shot, TimeKind
from hardware.virtual.scene import Scene

SECOND_NS = 1_000_000_000


class VirtualCamera:
    """A camera over a virtual table.

    Recorded, it ends with the game and its times are the film's. Live, it keeps the film's pace times `speed`, sheds what it
    can't paint in time, and goes on showing the last scene when the game is over; its times are the host's monotonic clock
    at speed 1 and the film's at any other, since hands that move faster would settle for too short a time.
    """

    def __init__(self, table: VirtualTable, *, recorded: bool, speed: float = 1.0) -> None:
        """Raises BadInputError where the table can't be set."""
        self.name = f"virtual table, {table.game}, seed {table.seed}"
        self.recorded = recorded
        self.time_kind = TimeKind.SENSOR if not recorded and speed == 1.0 else TimeKind.MEDIA
        self._speed = speed
        self._fps = table.timing.fps
        self._film: Iterator[Shown] = table.director().film()
        self._renderer = table.renderer()
        self._number = 0
        self._last: Scene | None = None
        self._start_ns: int | None = None
        self._is_closed = False

    def read(self) -> Shot | None:
        """The next picture; None at the end of a recorded game and after `close`."""
        if self._is_closed:
            return None
        if self.recorded:
            shown = next(self._film, None)
            return None if shown is None else self._shot(shown.scene, _ns(shown.t_s))
        return self._live()

    def close(self) -> None:
        """Ends the film."""
        self._is_closed = True

    def _live(self) -> Shot | None:
        now = time.monotonic_ns()
        if self._start_ns is None:
            self._start_ns = now
        pace = self._fps * self._speed
        # What should have been shown already is shed; the scene is taken up where the table is now.
        due = int((now - self._start_ns) / SECOND_NS * pace)
        for _ in range(max(1, due - self._number + 1)):
            shown = next(self._film, None)
            self._last = self._last if shown is None else shown.scene
            self._number += 1
        if self._last is None:
            return None
        picture = self._paint(self._last)
        at_ns = self._start_ns + _ns((self._number - 1) / pace)
        wait = (at_ns - time.monotonic_ns()) / SECOND_NS
        if wait > 0:
            time.sleep(wait)
        if self.time_kind is TimeKind.SENSOR:
            return Shot(picture, time.monotonic_ns(), 0)
        return Shot(picture, _ns((self._number - 1) / self._fps), 0)

    def _shot(self, scene: Scene, t_ns: int) -> Shot:
        self._number += 1
        return Shot(self._paint(scene), t_ns, 0)

    def _paint(self, scene: Scene) -> Image:
        return self._renderer.render(scene, self._number)


def open_virtual(table: VirtualTable, recorded: bool = True, speed: float = 1.0) -> Camera:
    """Sets the table and opens the camera over it. Raises BadInputError where that can't be done."""
    return VirtualCamera(table, recorded=recorded, speed=speed)


def virtual_factory(table: VirtualTable, *, recorded: bool = True, speed: float = 1.0) -> CameraFactory:
    """What opens a virtual table in the capture process; it pickles. `speed` paces a live one: 2 is twice as fast."""
    return partial(open_virtual, table, recorded, speed)


def _ns(seconds: float) -> int:
    return round(seconds * SECOND_NS)
