"""Whether a die lies flat: one that leans on a hand or stands on an edge has no top face, however well one seems to fit."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.dice.edges import EdgeMap, outline_costs, score_shifted
from vision.dice.fit import USUAL_REACH, DiePose, Draws, refined
from vision.dice.solids import USUAL_APEX, Solid, solid

Floats = NDArray[np.float64]

LEANS = 0.036
"""Edges and outline borne out more by this in a tilted pose than in the best flat one: the die is tilted."""
LEANS_WITH_SYMBOL = 0.075
"""The same where a known symbol lies in the middle of the flat pose's top face: a tilted die's would be off it and askew."""
_TILTS_DEG = (9.0, 18.0, 27.0, 36.0)
_TOWARD = 8
_TURNS = 18
_SIZES = (0.92, 1.08)
_SHIFT_MM = 1.5
_TRIED = 6
_DRAWS = Draws(0.8, 0.7, 5, 48)


def tilt_gain(edges: EdgeMap, flat: DiePose) -> float:
    """How much more of the edges the best tilted pose bears out than a flat one does, over a table; negative for less."""
    reach = np.rint(np.array([-1, 0, 1]) * _SHIFT_MM * edges.fine.px_per_mm).astype(np.int32)
    shifts = np.column_stack([axis.ravel() for axis in np.meshgrid(reach, reach)])
    start = np.array([[flat.x, flat.y, flat.height, flat.yaw]])
    least = _worth(edges, flat, flat.solid, start)
    turns = np.arange(_TURNS) * 2 * np.pi / _TURNS
    poses = np.array([(flat.x, flat.y, size * flat.height, turn) for size in _SIZES for turn in turns])
    best = -np.inf
    for sides in (8, 10):
        apex = flat.apex if sides == flat.sides else USUAL_APEX
        tried: list[tuple[float, Solid, Floats]] = []
        for tilt in _TILTS_DEG:
            for toward in range(_TOWARD):
                shape = tilted(sides, apex, tilt, toward * 360.0 / _TOWARD)
                found = score_shifted(edges.fine, flat.eye, shape, poses, shifts, 4)
                found -= outline_costs(edges.fine, flat.eye, shape, poses, shifts / edges.fine.px_per_mm)
                i, j = np.unravel_index(int(found.argmax()), found.shape)
                moved = poses[i] + np.array([*(shifts[j] / edges.fine.px_per_mm), 0.0, 0.0])
                tried.append((float(found[i, j]), shape, moved))
        for _, shape, pose in sorted(tried, key=lambda each: -each[0])[:_TRIED]:
            best = max(best, _worth(edges, flat, shape, pose[None]))
    return best - least


def _worth(edges: EdgeMap, flat: DiePose, shape: Solid, start: Floats) -> float:
    """What share of its edges the best pose near one bears out, less what its outline speaks against it."""
    pose, scores = refined(edges.fine, flat.eye, shape, start, USUAL_REACH.heights_mm, _DRAWS)
    return float(scores[0] - np.max(outline_costs(edges.fine, flat.eye, shape, pose)))


@lru_cache(maxsize=1024)
def tilted(sides: int, apex: float, tilt_deg: float, toward_deg: float) -> Solid:
    """The solid turned about a level axis until only a corner or an edge of it touches the table."""
    shape = solid(sides, apex)
    tilt, toward = np.radians(tilt_deg), np.radians(toward_deg)
    x, y = np.cos(toward), np.sin(toward)
    across = np.array([[0, 0, y], [0, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + np.sin(tilt) * across + (1 - np.cos(tilt)) * across @ across
    vertices = shape.vertices @ turn.T
    vertices[:, 2] -= vertices[:, 2].min()
    normals = shape.normals @ turn.T
    offsets = np.array([normal @ vertices[face[0]] for normal, face in zip(normals, shape.faces, strict=True)])
    return Solid(sides, vertices, shape.faces, shape.edges, normals, offsets, shape.edge_table)
