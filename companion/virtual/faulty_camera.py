"""The virtual table's camera where things can go wrong: it stops, freezes, is bumped, the light goes off, its clock is set.

Whoever plays waits while the table can't be seen, and for a moment after anything has changed, as people do. The film keeps its
place: a camera that is plugged in again goes on where it stopped.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice

from companion.virtual.film import Shown
from companion.virtual.film_time import FilmLog
from companion.virtual.table import VirtualTable
from hardware.camera.base import Camera, CameraFactory, Image, Shot, TimeKind
from hardware.errors import CameraLostError, CameraNotFoundError
from hardware.virtual.faults import CameraFault, FaultSwitches, darkened
from hardware.virtual.render import Renderer

BLINDING = frozenset({CameraFault.FROZEN, CameraFault.DARK})
"""While one of these is on nobody plays on."""
WAIT_S = 1.5
"""Everyone looks up for so long when something has happened."""
AHEAD_NS = 3600 * 10**9
"""By how much the clock is set."""
BUMP_TILT_DEG = 1.0
BUMP_ROLL_DEG = 1.4
COVERED = frozenset({0})
"""Markers on which a cup stands."""


class FaultyCamera:
    """A virtual camera that asks its switches before each picture. See VirtualCamera for what it is without them."""

    def __init__(self, table: VirtualTable, switches: FaultSwitches, folder: str) -> None:
        """`folder` holds the film's place. Raises CameraNotFoundError while it is unplugged, BadInputError
        where the table can't be set."""
        self.name = "virtual camera"
        self.recorded = True
        self.resumes = True
        self.time_kind = TimeKind.MEDIA
        self._switches = switches
        if CameraFault.UNPLUGGED in self._switches.on():
            raise CameraNotFoundError(f"{self.name}: is not plugged in")
        self._table = table
        self._log = FilmLog(folder)
        self._shown, self._t_ns = self._log.place()
        self._film = islice(table.director().film(), max(0, self._shown - 1), None)
        self._renderers: dict[bool, Renderer] = {}
        self._step_ns = round(1e9 / table.timing.fps)
        self._current: Shown | None = None
        if self._shown:
            self._current = next(self._film, None)
        self._last: Image | None = None
        self._before: frozenset[CameraFault] | None = None
        self._wait_until_ns = self._t_ns + round(WAIT_S * 1e9) if self._shown else 0
        self._number = 0
        self._is_closed = False

    def read(self) -> Shot | None:
        """The next picture; None at the end of the game and after `close`. Raises CameraLostError while it is unplugged."""
        if self._is_closed:
            return None
        # What was handed out before has been passed on by now.
        self._log.keep_place(self._shown, self._t_ns)
        on = self._switches.on()
        if CameraFault.UNPLUGGED in on:
            raise CameraLostError(f"{self.name}: unplugged")
        if self._before is not None and on != self._before:
            self._wait_until_ns = self._t_ns + round(WAIT_S * 1e9)
        self._before = on
        stands = self._current is not None and (bool(on & BLINDING) or self._t_ns < self._wait_until_ns)
        step_ns = self._step_ns
        if not stands:
            before, self._current = self._current, next(self._film, None)
            self._shown += 1
            if before is not None and self._current is not None:
                step_ns = round((self._current.t_s - before.t_s) * 1e9)
        if self._current is None:
            return None
        self._number += 1
        self._t_ns += step_ns
        shown_ns = self._t_ns + (AHEAD_NS if CameraFault.CLOCK in on else 0)
        self._log.note(shown_ns, round(self._current.t_s * 1e9), runs=not stands)
        return Shot(self._picture(self._current, on), shown_ns, 0)

    def close(self) -> None:
        """Ends the film."""
        self._is_closed = True
        self._log.close()

    def _picture(self, shown: Shown, on: frozenset[CameraFault]) -> Image:
        if CameraFault.FROZEN in on and self._last is not None:
            return self._last
        scene = shown.scene
        if CameraFault.MARKER in on:
            scene = replace(scene, covered_markers=scene.covered_markers | COVERED)
        picture = self._renderer(is_bumped=CameraFault.BUMPED in on).render(scene, self._number)
        if CameraFault.DARK in on:
            picture = darkened(picture, self._number)
        self._last = picture
        return picture

    def _renderer(self, *, is_bumped: bool) -> Renderer:
        renderer = self._renderers.get(is_bumped)
        if renderer is None:
            turned = (BUMP_TILT_DEG, BUMP_ROLL_DEG) if is_bumped else (0.0, 0.0)
            renderer = self._renderers[is_bumped] = self._table.renderer(bump_deg=turned)
        return renderer


def open_faulty(table: VirtualTable, switches: FaultSwitches, folder: str) -> Camera:
    """Opens the camera over a table. Raises as FaultyCamera."""
    return FaultyCamera(table, switches, folder)


def faulty_factory(table: VirtualTable, switches: FaultSwitches, folder: str) -> CameraFactory:
    """What opens such a camera in the capture process; it pickles."""
    return partial(open_faulty, table, switches, folder)
