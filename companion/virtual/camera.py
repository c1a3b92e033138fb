"""The virtual table as a camera: hands out the film's pictures, each as soon as it is taken.

It counts as a recording: no picture is lost, and a vision that is slow slows the table down instead of missing a trick. Whoever
wants to watch it sets the pace at the capture.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from companion.virtual.film import Shown
from companion.virtual.table import VirtualTable
from hardware.camera.base import Camera, CameraFactory, Shot, TimeKind


class VirtualCamera:
    """A camera over a virtual table: ends with the game, and its times are the film's."""

    def __init__(self, table: VirtualTable) -> None:
        """Raises BadInputError where the table can't be set."""
        self.name = f"virtual table, {table.game}, seed {table.seed}"
        self.recorded = True
        self.time_kind = TimeKind.MEDIA
        self._film: Iterator[Shown] = table.director().film()
        self._renderer = table.renderer()
        self._number = 0
        self._is_closed = False

    def read(self) -> Shot | None:
        """The next picture; None at the end of the game and after `close`."""
        shown = None if self._is_closed else next(self._film, None)
        if shown is None:
            return None
        self._number += 1
        return Shot(self._renderer.render(shown.scene, self._number), round(shown.t_s * 1e9), 0)

    def close(self) -> None:
        """Ends the film."""
        self._is_closed = True


def open_virtual(table: VirtualTable) -> Camera:
    """Sets the table and opens the camera over it. Raises BadInputError where that can't be done."""
    return VirtualCamera(table)


def virtual_factory(table: VirtualTable) -> CameraFactory:
    """What opens a virtual table in the capture process; it pickles."""
    return partial(open_virtual, table)
