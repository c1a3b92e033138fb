"""Throws of dice as a rigid-body library reckoned them once, put down anywhere, turned and mirrored."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hardware.virtual.dice import Instant, Quaternion, about_height, product

Floats = NDArray[np.float64]

THROWS_FILE = Path(__file__).with_name("data") / "throws.npz"
RATE_HZ = 250
"""Moments a second that are kept."""
UNIT_MM = 0.02
TURN_UNIT = 1 / 32000
SETTLED_MM = 0.4
"""A die is settled when no corner moves farther than this from where it comes to rest."""


@dataclass(frozen=True, slots=True, eq=False)
class Throw:
    """A die's way from the hand to its rest. Seconds count from the release."""

    sides: int
    size_mm: float
    poses: Floats
    """N x 7, RATE_HZ a second: x, y, height of its middle in mm, then its turn."""
    touch_s: float
    """When it first touches the table."""
    settle_s: float
    """From when on it lies still (SETTLED_MM)."""
    touch_mm: tuple[float, float]
    """Where its middle stands over the table at its first touch."""
    contact_mm: tuple[float, float]
    """Which point of the table it touches first."""

    def at(self, seconds: float) -> Instant:
        """Where it is; before the release where it was released, after the end where it rests."""
        step = min(max(seconds * RATE_HZ, 0.0), len(self.poses) - 1.0)
        n = min(int(step), len(self.poses) - 2)
        share = step - n
        first, second = self.poses[n], self.poses[n + 1]
        # Opposite quaternions are one turn: blend the nearer pair.
        sign = 1.0 if first[3:] @ second[3:] >= 0 else -1.0
        mixed = first * (1 - share) + second * share
        mixed[3:] = first[3:] * (1 - share) + sign * second[3:] * share
        return Instant(float(mixed[0]), float(mixed[1]), float(mixed[2]), _unit(mixed[3:]))

    def put(self, touch_mm: tuple[float, float], turn_rad: float = 0.0, mirrored: bool = False) -> Throw:
        """The same throw with its first touch at this place, its way turned from x toward y about it, or its mirror image."""
        poses = self.poses.copy()
        contact = np.array(self.contact_mm) - self.touch_mm
        poses[:, :2] -= self.touch_mm
        if mirrored:
            # The solids look the same in a mirror, only their faces change places.
            poses[:, 1] *= -1
            poses[:, 4] *= -1
            poses[:, 6] *= -1
            contact[1] *= -1
        cos, sin = math.cos(turn_rad), math.sin(turn_rad)
        rotation = np.array([[cos, -sin], [sin, cos]])
        poses[:, :2] = poses[:, :2] @ rotation.T + touch_mm
        about = about_height(turn_rad)
        poses[:, 3:] = [product(about, _unit(turn)) for turn in poses[:, 3:]]
        x, y = rotation @ contact + touch_mm
        return replace(self, poses=poses, touch_mm=touch_mm, contact_mm=(float(x), float(y)))


@lru_cache(maxsize=1)
def throws() -> tuple[Throw, ...]:
    """All throws that are kept, those of eight sides first."""
    with np.load(THROWS_FILE) as kept:
        poses = kept["poses"].astype(np.float64) * np.array([UNIT_MM] * 3 + [TURN_UNIT] * 4)
        told = kept["told"]
    found, start = [], 0
    for sides, size, count, touch, settle, x, y, cx, cy in told:
        part = poses[start : start + int(count)]
        start += int(count)
        found.append(
            Throw(
                int(sides), float(size), part, float(touch), float(settle), (float(x), float(y)), (float(cx), float(cy))
            )
        )
    return tuple(found)


def _unit(turn: Floats) -> Quaternion:
    w, x, y, z = turn / np.linalg.norm(turn)
    return float(w), float(x), float(y), float(z)
