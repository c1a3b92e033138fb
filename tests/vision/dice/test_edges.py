"""The solid laid over edges: what scores, what a cover leaves out, where the camera is told by the dice, what leans."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.dice.edges import EdgeMap, score_poses, score_shifted
from vision.dice.eye import Eye
from vision.dice.fit import fit_die
from vision.dice.solids import Solid, solid
from vision.dice.tilt import LEANS, leaning, tilted

PX_PER_MM, SIDE_MM = 4.0, 44.0
EYE = Eye(120.0, 60.0, 600.0)
AT = np.array([[22.0, 21.0, 16.0, 0.4]])


def drawn(shape: Solid, x: float, y: float, height: float, yaw: float) -> NDArray[np.uint8]:
    """A die painted face by face by the pinhole camera's own formula."""
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    corners = height * shape.vertices
    corners[:, :2] = corners[:, :2] @ turn.T + (x, y)
    share = corners[:, 2] / (EYE.height - corners[:, 2])
    flat = corners[:, :2] + share[:, None] * (corners[:, :2] - (EYE.x, EYE.y))
    picture = np.full((round(SIDE_MM * PX_PER_MM),) * 2 + (3,), 120, np.uint8)
    for face in sorted(shape.faces, key=lambda each: corners[list(each), 2].mean()):
        side = corners[list(face)]
        normal = np.cross(side[1] - side[0], side[2] - side[0])
        outward = normal if normal @ (side.mean(axis=0) - corners.mean(axis=0)) > 0 else -normal
        if outward @ (np.array([EYE.x, EYE.y, EYE.height]) - side[0]) <= 0:
            continue
        light = 0.5 + 0.5 * float(outward @ np.array([0.3, -0.5, 0.8]) / np.linalg.norm(outward))
        ring = np.rint((flat[list(face)] * PX_PER_MM - 0.5) * 16).astype(np.int32)
        cv2.fillPoly(picture, [ring], (40 * light, 30 * light, 230 * light), cv2.LINE_AA, 4)
    noise = np.random.default_rng(1).normal(0, 2, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("sides", [8, 10])
def test_the_true_pose_scores_above_all_that_are_a_little_off(sides: int) -> None:
    shape = solid(sides)
    edges = EdgeMap(drawn(shape, *AT[0]), PX_PER_MM, (0.0, 0.0))
    true = float(score_poses(edges.fine, EYE, shape, AT)[0])
    off = AT + np.array([(2.0, 0, 0, 0), (0, -2.0, 0, 0), (0, 0, 3.0, 0), (0, 0, 0, 0.25)])
    assert true > 0.85
    assert (score_poses(edges.fine, EYE, shape, off) < true - 0.1).all()


def test_moved_templates_score_as_poses_there_do() -> None:
    shape = solid(8)
    edges = EdgeMap(drawn(shape, *AT[0]), PX_PER_MM, (0.0, 0.0))
    shifts = np.array([(0, 0), (4, 0), (0, -8)], np.int32)
    moved = np.repeat(AT, 3, axis=0)
    moved[:, :2] += shifts / PX_PER_MM
    told = score_shifted(edges.fine, EYE, shape, AT, shifts, 7)[0]
    assert told == pytest.approx(score_poses(edges.fine, EYE, shape, moved), abs=0.06)


def test_what_a_hand_covers_speaks_neither_for_nor_against_a_pose() -> None:
    shape = solid(8)
    picture = drawn(shape, *AT[0])
    cover = np.zeros(picture.shape[:2], np.uint8)
    cover[:, 100:] = 255
    picture[:, 100:] = (90, 120, 160)
    edges = EdgeMap(picture, PX_PER_MM, (0.0, 0.0), cover)
    blind = EdgeMap(picture, PX_PER_MM, (0.0, 0.0))
    score = float(score_poses(edges.fine, EYE, shape, AT)[0])
    assert score > float(score_poses(blind.fine, EYE, shape, AT)[0]) + 0.1
    best = fit_die(edges, EYE, 20.0, 20.0, 15.0)[0]
    assert best.sides == 8
    assert np.hypot(best.x - AT[0, 0], best.y - AT[0, 1]) < 1.0


@pytest.mark.parametrize(("tilt", "leans"), [(0.0, False), (20.0, True), (30.0, True)])
def test_a_die_on_an_edge_is_told_from_one_that_lies(tilt: float, *, leans: bool) -> None:
    shape = tilted(8, 1.05, tilt, 70.0) if tilt else solid(8)
    edges = EdgeMap(drawn(shape, *AT[0]), PX_PER_MM, (0.0, 0.0))
    best = fit_die(edges, EYE, 22.0, 21.0, 16.0)[0]
    assert (leaning(edges, best).gain >= LEANS) is leans
