"""Faults on command at the virtual table: what the page and tests switch, of camera, clocks and the pad, if there is one."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from companion.errors import BadInputError
from companion.journal.clock import SystemClock
from companion.virtual.faulty_camera import AHEAD_NS, faulty_factory
from companion.virtual.film_time import FilmTime
from companion.virtual.table import VirtualTable
from hardware.camera.base import CameraFactory
from hardware.virtual.faults import CameraFault, FaultSwitches
from hardware.virtual.pad import VirtualPad

Json = Any

LABELS: Mapping[CameraFault, str] = {
    CameraFault.UNPLUGGED: "Unplug the camera",
    CameraFault.FROZEN: "Freeze the picture",
    CameraFault.DARK: "Switch the light off",
    CameraFault.BUMPED: "Bump the camera",
    CameraFault.MARKER: "Cover a marker",
    CameraFault.CLOCK: "Set the clock an hour ahead",
}
PAD_LABELS: Mapping[str, str] = {
    "pad-noise": "Noise on the pad's line",
    "pad-drop": "Drop bytes of the pad",
    "pad-stall": "Stall the pad's line",
    "pad-unplugged": "Unplug the pad",
    "pad-reset": "Reset the pad",
}
STRUCK = 0.3
"""Share of the bytes that noise spoils, or that are dropped: more than a line can make good."""
FOREVER_S = 86_400.0


class SteppedClock(SystemClock):
    """The host's clocks, the wall clock of which is set ahead by a switch."""

    def __init__(self, switches: FaultSwitches) -> None:
        super().__init__()
        self._switches = switches

    def wall_ns(self) -> int:
        """CLOCK_REALTIME in ns, an hour ahead while the switch is on."""
        return super().wall_ns() + (AHEAD_NS if CameraFault.CLOCK in self._switches.on() else 0)


class PadFaults:
    """What is switched at a virtual pad."""

    def __init__(self, pad: VirtualPad) -> None:
        self._pad = pad
        self._on: set[str] = set()

    def listed(self) -> list[dict[str, Json]]:
        """As TableFaults.listed."""
        return [
            {"fault": name, "label": label, "on": name in self._on, "lasts": name != "pad-reset"}
            for name, label in PAD_LABELS.items()
        ]

    def switch(self, name: str, is_on: bool) -> None:
        """Switches one, by a key of PAD_LABELS; a reset is over as soon as it is done."""
        self._act(name)(is_on)
        if name != "pad-reset":
            self._on = self._on | {name} if is_on else self._on - {name}

    def _act(self, name: str) -> Callable[[bool], None]:
        pad = self._pad
        match name:
            case "pad-noise":
                return lambda is_on: setattr(pad.faults, "corrupt", STRUCK if is_on else 0.0)
            case "pad-drop":
                return lambda is_on: setattr(pad.faults, "drop", STRUCK if is_on else 0.0)
            case "pad-stall":
                return lambda is_on: pad.stall(FOREVER_S if is_on else 0.0)
            case "pad-unplugged":
                return lambda is_on: pad.unplug(power=False) if is_on else pad.replug()
            case _:
                return lambda is_on: pad.reset() if is_on else None


class TableFaults:
    """The faults of a virtual table. Every method may be called from any thread but `switch`, which one at a time should."""

    def __init__(self, folder: str, pad: VirtualPad | None = None) -> None:
        """`folder` is the table's own, for the switches and what its films note down; it must be there."""
        self._folder = folder
        self._films = 0
        self._switches = FaultSwitches(f"{folder}/faults")
        self.clock = SteppedClock(self._switches)
        self.pad_port = str(pad.path) if pad is not None else None
        self._pad = PadFaults(pad) if pad is not None else None
        self._virtual_pad = pad

    def watched(self, table: VirtualTable) -> tuple[CameraFactory, FilmTime]:
        """A camera that is open to these faults over a table that is about to be played on, and its film's time."""
        factory, folder = self.filmed(table)
        return factory, FilmTime(folder)

    def filmed(self, table: VirtualTable) -> tuple[CameraFactory, str]:
        """As `watched`, with the folder in which the camera notes down its film's time."""
        self._films += 1
        folder = f"{self._folder}/film-{self._films}"
        Path(folder).mkdir()
        return faulty_factory(table, self._switches, folder), folder

    @property
    def pad(self) -> VirtualPad | None:
        """The virtual pad, where there is one."""
        return self._virtual_pad

    def listed(self) -> list[dict[str, Json]]:
        """Each fault as "fault" (its id), "label" for people, "on", and "lasts": false where it is over at once."""
        on = self._switches.on()
        camera = [
            {"fault": fault.value, "label": label, "on": fault in on, "lasts": True} for fault, label in LABELS.items()
        ]
        return [*camera, *(self._pad.listed() if self._pad is not None else [])]

    def switch(self, fault: str, is_on: bool) -> None:
        """Switches a fault by its id. Raises BadInputError for one that this table hasn't."""
        known = [one["fault"] for one in self.listed()]
        if fault not in known:
            raise BadInputError(f"{fault!r} is no fault of this table; there are {', '.join(known)}")
        if fault in PAD_LABELS and self._pad is not None:
            self._pad.switch(fault, is_on)
        else:
            self._switches.switch(CameraFault(fault), is_on)


@contextlib.contextmanager
def faults_at_hand(*, has_pad: bool = False) -> Iterator[TableFaults]:
    """Faults of a table that is about to be set, in a folder that goes with them; with a virtual pad, if it is to have one."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="hoshiban-table-"))
        pad = stack.enter_context(VirtualPad(Path(folder) / "pad")) if has_pad else None
        yield TableFaults(folder, pad)
