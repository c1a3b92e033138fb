"""The shapes of dice: a regular octahedron (8 sides) and a pentagonal trapezohedron (10 sides), lying on a face.

Coordinates are in units of the die's height, which is the distance of two opposite faces: multiply by the height in mm. z = 0
is the table, z = 1 the top face, x = y = 0 the die's middle; seen from above with x right and y down, as the table frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LYING_AREA = 1.28
"""What a lying die's outline covers, over the square of the distance of its faces."""
USUAL_APEX = 1.05
"""Height of a ten-sided die's tips over its middle plane, over the radius of its belt: what most dice have."""


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A convex die on the table. Face 0 lies on the table, face 1 is the top; the others follow in no set order."""

    sides: int
    vertices: Floats
    """N x 3."""
    faces: tuple[tuple[int, ...], ...]
    """Indices of each face's corners, in order around it; the top face begins with its tip (10 sides) or a corner that points
    to +x (8 sides)."""
    edges: tuple[tuple[int, int, int, int], ...]
    """Two corners and the two faces that meet there."""
    normals: Floats
    """One outward unit normal a face."""
    offsets: Floats
    """How far each face's plane is from the point (0, 0, 0) along its normal."""
    edge_table: NDArray[np.intp]
    """`edges` as an array, N x 4."""

    @property
    def top(self) -> Floats:
        """The top face's corners, N x 3, beginning with its tip."""
        return np.asarray(self.vertices[list(self.faces[1])])

    @property
    def turns(self) -> int:
        """How many turns of the whole circle leave the die's shape as it is."""
        return 3 if self.sides == 8 else 1


@lru_cache(maxsize=32)
def solid(sides: int, apex: float = USUAL_APEX) -> Solid:
    """The die with so many sides. `apex` is the shape of a ten-sided one (see USUAL_APEX).

    Raises ValueError for other numbers of sides than 8 and 10.
    """
    if sides == 8:
        return _lying(8, *_octahedron())
    if sides == 10:
        return _lying(10, *_trapezohedron(apex))
    raise ValueError(f"a die with {sides} sides is not known: 8 or 10")


def _octahedron() -> tuple[Floats, list[tuple[int, ...]]]:
    ends = np.vstack([np.eye(3), -np.eye(3)])
    faces = [(x, y, z) for x in (0, 3) for y in (1, 4) for z in (2, 5)]
    return ends, [tuple(face) for face in faces]


def _trapezohedron(apex: float) -> tuple[Floats, list[tuple[int, ...]]]:
    """Two tips over and under a zigzag belt of ten corners; kites are flat where it is tan(18 deg)^2 as high as the tips."""
    zigzag = apex * float(np.tan(np.pi / 10)) ** 2
    turns = np.arange(10) * np.pi / 5
    belt = np.column_stack([np.cos(turns), np.sin(turns), np.where(np.arange(10) % 2 == 0, zigzag, -zigzag)])
    corners = np.vstack([belt, [[0, 0, apex], [0, 0, -apex]]])
    # A kite of the upper tip hangs from two high corners of the belt and ends in the low one between them.
    upper = [(10, i, i + 1, (i + 2) % 10) for i in range(0, 10, 2)]
    lower = [(11, i, (i + 1) % 10, (i + 2) % 10) for i in range(1, 10, 2)]
    return corners, [*upper, *lower]


def _lying(sides: int, corners: Floats, faces: Sequence[tuple[int, ...]]) -> Solid:
    """The solid turned until face 0 is on the table and the one across is on top, the top's first corner toward +x."""
    normals = np.array([_normal(corners[list(face)]) for face in faces])
    top = int(np.argmin(normals @ normals[0]))
    order = [0, top, *(i for i in range(len(faces)) if i not in {0, top})]
    up = normals[top]
    tip = corners[faces[top][0]] - corners[list(faces[top])].mean(axis=0)
    along = tip - (tip @ up) * up
    along /= np.linalg.norm(along)
    turn = np.vstack([along, np.cross(up, along), up])
    placed = corners @ turn.T
    placed[:, 2] -= placed[:, 2].min()
    placed /= placed[:, 2].max()
    ordered = tuple(tuple(faces[i]) for i in order)
    edges = _edges(ordered)
    outward = normals[order] @ turn.T
    offsets = np.array([normal @ placed[face[0]] for normal, face in zip(outward, ordered, strict=True)])
    return Solid(sides, placed, ordered, edges, outward, offsets, np.array(edges, np.intp))


def _normal(corners: Floats) -> Floats:
    across = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    across = across if across @ corners.mean(axis=0) > 0 else -across
    return np.asarray(across / np.linalg.norm(across))


def _edges(faces: Sequence[tuple[int, ...]]) -> tuple[tuple[int, int, int, int], ...]:
    meeting: dict[tuple[int, int], list[int]] = {}
    for number, face in enumerate(faces):
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            meeting.setdefault((min(a, b), max(a, b)), []).append(number)
    return tuple((a, b, pair[0], pair[1]) for (a, b), pair in sorted(meeting.items()))
