"""A picture and its time, as vision takes it in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""A picture: uint8, height x width x 3, blue-green-red."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture from a source, with the time at which it was taken."""

    image: Image
    frame_id: int
    """Counts the source's pictures from 0, with a gap for each one that was shed."""
    t_ns: int
    """Start of exposure on the host's monotonic clock; for recordings, time since their start."""
    t_err_ns: int = 0
    """Half-width of the uncertainty of `t_ns`."""
    name: str = ""
    """File name of a picture of a directory, else empty."""
    settled: bool = False
    """True where the source vouches that this picture shows a settled table (a directory's pictures)."""
