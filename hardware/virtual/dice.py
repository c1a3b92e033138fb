"""Special dice as plain values, and the solids that they are.

Axes of a scene: x right and y down on the table, height upward; a die's own axes are those of the scene when it is not turned.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Quaternion = tuple[float, float, float, float]
"""A turn about an axis: cosine of half the angle, then the axis times its sine."""

BLANK = "blank"
USUAL_TIP = 1.05
"""How high the tips of a ten-sided die stand over its middle plane, in units of its belt's radius."""


@dataclass(frozen=True, slots=True)
class Instant:
    """Where a die is at one moment."""

    x_mm: float
    y_mm: float
    height_mm: float
    """Of its middle over the table; half its size when it lies on a face."""
    turn: Quaternion = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class DieOnTable:
    """A die on or over the table."""

    sides: int
    """8 (octahedron) or 10 (pentagonal trapezohedron)."""
    at: Instant
    size_mm: float = 16.0
    """Distance of two opposite faces."""
    bgr: tuple[int, int, int] = (35, 30, 190)
    ink_bgr: tuple[int, int, int] = (238, 238, 238)
    faces: tuple[str, ...] = ()
    """The symbol of each face by the numbers of `die_solid`; missing ones are blank."""
    mark_share: float = 0.72
    """Side of a symbol's square over the diameter of the largest circle in the face."""
    mark_turn_deg: float = 0.0
    """Turn of the symbols on their faces."""
    tip: float = USUAL_TIP
    """Shape of a ten-sided die."""
    bevel: float = 0.35
    """How much lighter its edges are, 0 to 1."""
    before: tuple[Instant, ...] = ()
    """Where it was earlier during the exposure: what moves is smeared."""

    @property
    def pace(self) -> tuple[Instant, ...]:
        """Every moment of the exposure."""
        return (*self.before, self.at)


@dataclass(frozen=True, slots=True)
class DieSolid:
    """A convex die about its middle, with 1 as the distance of opposite faces."""

    vertices: Floats
    """N x 3."""
    faces: tuple[tuple[int, ...], ...]
    """Corners of each face in order around it, beginning with its tip (10 sides)."""
    normals: Floats
    """One outward unit normal a face."""
    edges: tuple[tuple[int, int, int, int], ...] = field(default=())
    """Two corners and the two faces that meet there."""

    def opposite(self, face: int) -> int:
        """The face across."""
        return int(np.argmin(self.normals @ self.normals[face]))


@lru_cache(maxsize=64)
def die_solid(sides: int, tip: float = USUAL_TIP) -> DieSolid:
    """The solid of a die. Raises ValueError for other numbers of sides than 8 and 10."""
    if sides == 8:
        signs = [(x, y, z) for x in (1, -1) for y in (1, -1) for z in (1, -1)]
        corners = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], np.float64)
        faces = [tuple(2 * axis + (sign < 0) for axis, sign in enumerate(octant)) for octant in signs]
    elif sides == 10:
        ring = [n * math.pi / 5 for n in range(10)]
        # The four corners of a kite lie in one plane only at this height of the zigzag.
        zig = tip * (1 - math.cos(math.pi / 5)) / (1 + math.cos(math.pi / 5))
        corners = np.array([(math.cos(a), math.sin(a), zig if n % 2 == 0 else -zig) for n, a in enumerate(ring)])
        corners = np.vstack([corners, [(0, 0, tip), (0, 0, -tip)]])
        faces = [(10, n, (n + 1) % 10, (n + 2) % 10) for n in range(0, 10, 2)]
        faces += [(11, n, (n + 1) % 10, (n + 2) % 10) for n in range(1, 10, 2)]
    else:
        raise ValueError(f"a die with {sides} sides is not known: 8 or 10")
    normals = np.array([_outward(corners[list(face)]) for face in faces])
    reach = float(normals[0] @ corners[faces[0][0]])
    return DieSolid(corners / (2 * reach), tuple(faces), normals, _edges(faces))


def matrix_of(turn: Quaternion) -> Floats:
    """3 x 3: from the die's axes to the scene's."""
    w, x, y, z = np.array(turn) / math.sqrt(sum(part * part for part in turn))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def product(first: Quaternion, second: Quaternion) -> Quaternion:
    """The turn that does `second` and then `first`."""
    a, b, c, d = first
    e, f, g, h = second
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def about_height(angle_rad: float) -> Quaternion:
    """A turn on the table, from x toward y."""
    return (math.cos(angle_rad / 2), 0.0, 0.0, math.sin(angle_rad / 2))


def lying_turn(sides: int, face: int, yaw_rad: float, tip: float = USUAL_TIP) -> Quaternion:
    """The turn of a die that lies with this face on top, turned on the table by `yaw_rad`."""
    x, y, z = die_solid(sides, tip).normals[face]
    axis = np.array([y, -x, 0.0])
    sine = float(np.linalg.norm(axis))
    axis = axis / sine if sine > 1e-9 else np.array([1.0, 0.0, 0.0])
    half = math.atan2(sine, float(z)) / 2
    up = (math.cos(half), *(float(part) * math.sin(half) for part in axis))
    return product(about_height(yaw_rad), (up[0], up[1], up[2], up[3]))


def lying_at(
    sides: int, size_mm: float, face: int, x_mm: float, y_mm: float, yaw_rad: float, tip: float = USUAL_TIP
) -> Instant:
    """A die at rest with this face on top."""
    return Instant(x_mm, y_mm, size_mm / 2, lying_turn(sides, face, yaw_rad, tip))


def corners_mm(die: DieOnTable, at: Instant) -> Floats:
    """Its corners in the scene, N x 3: x, y and height."""
    own = die_solid(die.sides, die.tip).vertices * die.size_mm
    return np.asarray(own @ matrix_of(at.turn).T + np.array([at.x_mm, at.y_mm, at.height_mm]))


def top_face(die: DieOnTable) -> int:
    """The face that looks most nearly upward."""
    return int(np.argmax(die_solid(die.sides, die.tip).normals @ matrix_of(die.at.turn)[2]))


def symbol_of(die: DieOnTable, face: int) -> str:
    """What a face shows."""
    return die.faces[face] if face < len(die.faces) else BLANK


def _outward(corners: Floats) -> Floats:
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal *= np.sign(normal @ corners.mean(axis=0))
    return np.asarray(normal / np.linalg.norm(normal))


def _edges(faces: list[Any]) -> tuple[tuple[int, int, int, int], ...]:
    beside: dict[tuple[int, int], list[int]] = {}
    for number, face in enumerate(faces):
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            beside.setdefault((min(a, b), max(a, b)), []).append(number)
    return tuple((a, b, *both) for (a, b), both in sorted(beside.items()))  # type: ignore[misc]
