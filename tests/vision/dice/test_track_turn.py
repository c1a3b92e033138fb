"""How a die in the air may be turned, from one small picture of it that is drawn here."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.dice.solids import solid
from vision.dice.track_turn import Sight, axes_of, likely_turns, own_turns

Floats = NDArray[np.float64]
BGR = (40, 60, 190)
DOWN = np.array([0.0, 0.0, 1.0])
PX = 22.0
"""Of the die's size."""


def _octahedron(turn: Floats) -> tuple[Floats, list[tuple[int, int, int]]]:
    corners = np.vstack([np.eye(3), -np.eye(3)]) * np.sqrt(3) / 2
    faces = [(x, y, z) for x in (0, 3) for y in (1, 4) for z in (2, 5)]
    return corners @ turn.T, faces


def _picture(turn: Floats) -> tuple[Sight, Floats]:
    """An octahedron drawn from straight above with a lamp at one side, and its corners."""
    corners, faces = _octahedron(turn)
    image = np.full((61, 61, 3), 90, np.uint8)
    lamp = np.array([0.5, -0.4, 0.77])
    for face in faces:
        normal = corners[list(face)].mean(axis=0)
        normal = normal / np.linalg.norm(normal)
        if normal[2] > 0:
            light = 0.45 + 0.6 * max(0.0, float(normal @ lamp))
            points = np.rint((corners[list(face), :2] * PX + 30) * 16).astype(np.int32)
            cv2.fillConvexPoly(image, points, tuple(min(255.0, light * part) for part in BGR), cv2.LINE_AA, 4)
    noise = np.random.default_rng(1).normal(0, 2, image.shape)
    image = np.clip(cv2.GaussianBlur(image, (0, 0), 0.6) + noise, 0, 255).astype(np.uint8)
    own = np.where(np.abs(image.astype(int) - 90).max(axis=2) > 35, np.uint8(255), np.uint8(0))
    # The view's axes point where `axes_of` says; the picture's are x and y.
    to_px = PX * axes_of(DOWN)[:, :2].T
    return Sight(image, own, (30.0, 30.0), to_px, DOWN, BGR), corners


def _turned(seed: int) -> Floats:
    found, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return np.asarray(found * np.sign(np.linalg.det(found)))


@pytest.mark.parametrize("seed", range(8))
def test_the_turn_is_told_from_the_faces_that_show(seed: int) -> None:
    sight, corners = _picture(_turned(seed))
    found = likely_turns(8, sight, 12)
    assert (np.diff(found.costs) >= 0).all()
    body = solid(8).vertices - np.array([0.0, 0.0, 0.5])
    off = [
        np.linalg.norm(corners[:, None] - (body @ turn.T)[None], axis=2).min(axis=1).max() for turn in found.rotations
    ]
    assert min(off[:6]) < 0.2


def test_turns_are_rotations() -> None:
    sight, _ = _picture(_turned(3))
    turns = likely_turns(8, sight, 40).rotations
    assert turns.shape == (40, 3, 3)
    np.testing.assert_allclose(turns @ turns.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (40, 3, 3)), atol=1e-9)
    np.testing.assert_allclose(np.linalg.det(turns), 1.0)


@pytest.mark.parametrize(("sides", "count"), [(8, 24), (10, 10)])
def test_a_die_looks_the_same_in_so_many_turns(sides: int, count: int) -> None:
    assert len(own_turns(sides)) == count


def test_a_solid_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="12"):
        likely_turns(12, _picture(np.eye(3))[0], 5)
