"""What every picture source is: an iterator of timed pictures that can be closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""uint8, height x width x 3, blue-green-red."""


class TimeKind(StrEnum):
    """What a picture's time means."""

    SENSOR = "sensor"
    """Start of exposure by the camera's own clock on the host's monotonic time base."""
    ARRIVAL = "arrival"
    """When the host got it, give or take `t_err_ns`: may not order touches."""
    MEDIA = "media"
    """Time since the start of a recording, or the index of a directory's picture in seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One picture as a source hands it out."""

    image: Image
    t_ns: int
    t_err_ns: int
    name: str = ""
    """File name of a picture of a directory."""
    settled: bool = False
    """True where each picture is a settled state by itself (a directory)."""


class Camera(Protocol):
    """A picture source. Used from one process and one thread; `read` may block for good where a cable is loose."""

    name: str
    time_kind: TimeKind
    recorded: bool
    """True for sources that end and may be read as fast as they are taken (directory, video, virtual table headless)."""

    def read(self) -> Shot | None:
        """The next picture, or None at the end of a recording.

        Raises CameraLostError where a live source stops, and CameraError naming the file for an unreadable picture.
        """

    def close(self) -> None:
        """Lets the device go. May be called twice."""


def resumes(camera: Camera) -> bool:
    """Whether a recording that stops before its end goes on where it stopped when it is opened again: its `resumes` says so."""
    return bool(getattr(camera, "resumes", False))


CameraFactory = Callable[[], Camera]
"""Opens a source inside the capture process; must be picklable."""
