"""What can go wrong at the virtual table's camera, switched on and off while it runs, from this process or another.

>>> switches = FaultSwitches("/tmp/table/faults")
>>> switches.switch(CameraFault.DARK, True)
>>> sorted(switches.on())
[<CameraFault.DARK: 'light-off'>]
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from hardware.camera.base import Image

DARK_SHARE = 0.015
"""Of the light that is left when the lamp is switched off."""
DARK_NOISE = 1.5
"""Standard deviation of a dark picture's noise, grey levels."""


class CameraFault(StrEnum):
    """Each lasts while it is switched on."""

    UNPLUGGED = "camera-unplugged"
    """No pictures, and the camera can't be opened."""
    FROZEN = "frames-frozen"
    """One and the same picture again and again."""
    DARK = "light-off"
    BUMPED = "camera-bumped"
    """The camera looks from elsewhere."""
    MARKER = "marker-covered"
    """A cup stands on a table marker."""
    CLOCK = "clock-stepped"
    """The clocks are an hour ahead."""


@dataclass(frozen=True, slots=True)
class FaultSwitches:
    """A file that names the faults which are on. Passes between processes; each may look at any time, one should switch."""

    path: str

    def on(self) -> frozenset[CameraFault]:
        """The faults that are on; none where there is no file."""
        try:
            names = Path(self.path).read_text(encoding="ascii").split()
        except OSError:
            return frozenset()
        return frozenset(CameraFault(name) for name in names)

    def switch(self, fault: CameraFault, is_on: bool) -> None:
        """Switches one fault on or off. Whoever looks sees all of it or nothing. Raises OSError where it can't be written."""
        wanted = self.on() | {fault} if is_on else self.on() - {fault}
        aside = Path(f"{self.path}.new")
        aside.write_text("\n".join(sorted(wanted)), encoding="ascii")
        aside.replace(self.path)


def darkened(picture: Image, seed: int) -> Image:
    """What a sensor makes of the scene once the light is off: next to nothing, and its own noise."""
    noise = np.random.default_rng(seed).normal(2.0, DARK_NOISE, picture.shape)
    return np.clip(picture * DARK_SHARE + noise, 0, 255).astype(np.uint8)
