"""Whether a die lies flat: one that leans on a hand or stands on an edge has no top face, however well one seems to fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.dice.edges import EdgeMap, inner_score, outline_costs, score_shifted
from vision.dice.fit import USUAL_REACH, DiePose, Draws, refined
from vision.dice.solids import USUAL_APEX, Solid, solid

Floats = NDArray[np.float64]

LEANS = 0.036
"""Edges and outline borne out more by this in a tilted pose than in the best flat one: the die is tilted."""
LEANS_BY_HAND = 0.0
"""The same of a die that a hand touches and whose outline is no flat one's: it leans there more often than it lies."""
LEANS_WITH_SYMBOL = 0.075
"""The same where a known symbol lies in the middle of the flat pose's top face: a tilted die's would be off it and askew."""
_TILTS_DEG = (9.0, 18.0, 27.0, 36.0)
_TOWARD = 8
_TURNS = 18
_SIZES = (0.92, 1.08)
_SHIFT_MM = 1.5
_TRIED = 6
_DRAWS = Draws(0.8, 0.7, 5, 48)


@dataclass(frozen=True, slots=True)
class Leaning:
    """The best tilted pose of a die beside its best flat one."""

    gain: float
    """How much more of the edges and the outline it bears out; negative for less."""
    worth: float
    """What share of its edges is borne out, less what its outline speaks against it."""
    inner: float
    """What share of the edges between sides that both show is borne out."""


def leaning(edges: EdgeMap, flat: DiePose) -> Leaning:
    """How well the best tilted pose near a flat one explains the picture, over a table."""
    start = np.array([[flat.x, flat.y, flat.height, flat.yaw]])
    _, least = _refined(edges, flat, flat.solid, start)
    best, pose, shape = -np.inf, start, flat.solid
    for tried_shape, tried in _tilted_starts(edges, flat):
        found, worth = _refined(edges, flat, tried_shape, tried[None])
        if worth > best:
            best, pose, shape = worth, found, tried_shape
    return Leaning(best - least, best, inner_score(edges.fine, flat.eye, shape, pose))


def _tilted_starts(edges: EdgeMap, flat: DiePose) -> Iterator[tuple[Solid, Floats]]:
    """The best of coarse tries, by the number of sides."""
    reach = np.rint(np.array([-1, 0, 1]) * _SHIFT_MM * edges.fine.px_per_mm).astype(np.int32)
    shifts = np.column_stack([axis.ravel() for axis in np.meshgrid(reach, reach)])
    turns = np.arange(_TURNS) * 2 * np.pi / _TURNS
    poses = np.array([(flat.x, flat.y, size * flat.height, turn) for size in _SIZES for turn in turns])
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
            yield shape, pose


def _refined(edges: EdgeMap, flat: DiePose, shape: Solid, start: Floats) -> tuple[Floats, float]:
    """The best pose near one, and what share of its edges it bears out, less what its outline speaks against it."""
    pose, scores = refined(edges.fine, flat.eye, shape, start, USUAL_REACH.heights_mm, _DRAWS)
    return pose, float(scores[0] - np.max(outline_costs(edges.fine, flat.eye, shape, pose)))


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
