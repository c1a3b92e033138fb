"""A die in the air: how it turns and falls, and the way that is found again from pictures of it that are drawn here."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.dice.eye import Eye
from vision.dice.solids import solid
from vision.dice.track_body import (
    FALL,
    NUMBERS,
    PLACE,
    RISE,
    SPIN,
    SPUN,
    TIME,
    Body,
    Flight,
    Lights,
    shots_of,
    turn_of,
    turned,
)
from vision.dice.track_flight import Place
from vision.dice.track_start import ways_of
from vision.dice.track_still import Look
from vision.table import pose_of_corners

Floats = NDArray[np.float64]
SIZE = 17.0
BGR = (40, 60, 190)
GROUND = (120, 125, 118)
PX_MM = 1.5
"""Pixels a millimetre of the table."""
EYE = Eye(210.0, 125.0, 650.0)
POSE = pose_of_corners(
    ((0.0, 0.0), (420.0 * PX_MM, 0.0), (420.0 * PX_MM, 250.0 * PX_MM), (0.0, 250.0 * PX_MM)), (420.0, 250.0)
)


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.9])
def test_a_turn_by_a_vector_is_told_back(angle: float) -> None:
    by = angle * np.array([0.48, -0.6, 0.64])
    np.testing.assert_allclose(turn_of(turned(by)), by, atol=1e-9)


def _inertia(sides: int) -> Floats:
    """Of the solid about its middle, by points thrown into it."""
    shape = solid(sides)
    middle = np.array([0.0, 0.0, 0.5])
    points = np.random.default_rng(0).uniform(-1, 1, (400_000, 3))
    depth = shape.offsets - shape.normals @ middle
    points = points[(points @ shape.normals.T <= depth).all(axis=1)]
    spread = points.T @ points / len(points)
    return np.asarray(np.eye(3) * np.trace(spread) - spread)


@pytest.mark.parametrize("sides", [8, 10])
def test_in_the_air_it_turns_as_a_body_does_on_which_nothing_acts(sides: int) -> None:
    """Euler's equations in small steps: the angular momentum stays, the axis of the turn need not."""
    inertia, start = _inertia(sides), turned(np.array([0.4, -0.9, 0.3]))
    body = Body.of(sides, SIZE)
    across = next(axis for axis in np.eye(3) - np.outer(body.axis, body.axis) if np.linalg.norm(axis) > 0.5)
    across /= np.linalg.norm(across)
    momentum = np.array([9.0, -14.0, 11.0]) * float(across @ inertia @ across)
    turn = start
    for _ in range(2000):
        rate = np.linalg.solve(turn @ inertia @ turn.T, momentum)
        turn = turned(rate * 0.04 / 2000) @ turn
    way = np.zeros((1, NUMBERS))
    way[0, SPUN] = way[0, SPIN] = [9.0, -14.0, 11.0]
    flight = Flight(body, EYE, np.array([0.0, 0.04]), np.zeros((2, 20)), np.ones(2), 1 / PX_MM)
    found, _ = flight.poses(way, start[None])
    np.testing.assert_allclose(found[0, 0], start, atol=1e-9)
    assert np.linalg.norm(turn_of(found[0, 1] @ turn.T)) < 0.02


def test_at_the_touch_its_lowest_corner_is_on_the_table_and_before_it_falls() -> None:
    body = Body.of(8, SIZE)
    way = np.zeros((1, NUMBERS))
    way[0, TIME], way[0, PLACE], way[0, FALL] = 0.1, (200.0, 100.0), (300.0, 0.0, -900.0)
    flight = Flight(body, EYE, np.array([0.08, 0.1]), np.zeros((2, 20)), np.ones(2), 1 / PX_MM)
    turn, middle = flight.poses(way, turned(np.array([0.2, 0.5, 0.1]))[None])
    low = (turn[0] @ body.corners.T)[:, 2].min(axis=1) + middle[0, :, 2]
    assert low[1] == pytest.approx(0.0, abs=1e-9)
    assert low[0] == pytest.approx(900 * 0.02 - 9810 / 2 * 0.02**2, abs=0.5)
    assert middle[0, 0, 0] == pytest.approx(200.0 - 6.0)


def _octahedron_faces() -> tuple[Floats, list[tuple[int, int, int]]]:
    return np.vstack([np.eye(3), -np.eye(3)]) * np.sqrt(3) / 2 * SIZE, [
        (x, y, z) for x in (0, 3) for y in (1, 4) for z in (2, 5)
    ]


def _shown(points: Floats) -> Floats:
    share = points[:, 2:] / (EYE.height - points[:, 2:])
    return np.asarray(points[:, :2] + share * (points[:, :2] - (EYE.x, EYE.y))) * PX_MM


def _look(t_s: float, corners: Floats, middle: Floats) -> tuple[Look, Place]:
    """A picture of the octahedron's surroundings, and where its outline's middle shows."""
    _, faces = _octahedron_faces()
    hull = cv2.convexHull(_shown(corners).astype(np.float32))
    moments = cv2.moments(hull)
    u, v = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
    left, top = round(u) - 30, round(v) - 30
    picture = np.empty((61, 61, 3), np.uint8)
    picture[:] = GROUND
    for face in faces:
        normal = corners[list(face)].mean(axis=0) - middle
        normal /= np.linalg.norm(normal)
        toward = np.array([EYE.x, EYE.y, EYE.height]) - corners[face[0]]
        if normal @ toward > 0:
            light = 0.4 + 0.6 * max(0.0, float(normal @ np.array([0.5, -0.4, 0.77])))
            points = np.rint((_shown(corners[list(face)]) - (left, top)) * 16).astype(np.int32)
            cv2.fillConvexPoly(picture, points, tuple(min(255.0, light * part) for part in BGR), cv2.LINE_AA, 4)
    noise = np.random.default_rng(round(t_s * 1000)).normal(0, 2, picture.shape)
    picture = np.clip(cv2.GaussianBlur(picture, (0, 0), 0.5) + noise, 0, 255).astype(np.uint8)
    own = np.where(picture[:, :, 2].astype(int) - picture[:, :, 1] > 15, np.uint8(255), np.uint8(0))
    return Look(round(t_s * 1e9), left, top, picture, own), Place(t_s, u / PX_MM, v / PX_MM, 0.15)


def thrown(seed: int, touch_s: float = 0.0755) -> tuple[list[Place], list[Look], Floats]:
    """Pictures of an octahedron that falls, touches and bounces, 120 a second, and where it touches first."""
    random = np.random.default_rng(seed)
    corners, _ = _octahedron_faces()
    at_touch = turned(random.normal(size=3))
    while np.diff(np.sort((corners @ at_touch.T)[:, 2]))[0] < 3.0:
        at_touch = turned(random.normal(size=3))
    spins = random.normal(0, 12, (2, 3))
    speeds = np.array([[*random.uniform(-500, 500, 2), -900.0], [*random.uniform(-300, 300, 2), 300.0]])
    start = np.array([*random.uniform((120, 70), (300, 180)), -(corners @ at_touch.T)[:, 2].min()])
    way, looks = [], []
    for n in range(12):
        late = n / 120 - touch_s
        part = 0 if late <= 0 else 1
        turn = turned(spins[part] * late) @ at_touch
        middle = start + speeds[part] * late - np.array([0, 0, 9810 / 2 * late**2])
        look, place = _look(n / 120, corners @ turn.T + middle, middle)
        looks.append(look)
        way.append(place)
    contact = (corners @ at_touch.T)[(corners @ at_touch.T)[:, 2].argmin()] + start
    return way, looks, contact[:2]


@pytest.mark.parametrize("seed", range(5))
def test_the_way_of_a_thrown_die_is_found_again(seed: int) -> None:
    way, looks, contact = thrown(seed)
    shots = shots_of(way, looks, POSE, 0.075)
    flight = Flight.of(shots, Body.of(8, SIZE), EYE, 1 / PX_MM)
    ways = ways_of(shots, flight, Lights.of(shots, BGR, POSE, EYE), POSE, BGR, 0.075)
    assert ways is not None
    assert (np.diff(ways.costs) >= 0).all()
    assert ways.numbers[0, TIME] == pytest.approx(0.0755, abs=0.004)
    corners = Body.of(8, SIZE).corners @ ways.turns[0].T
    touched = corners[corners[:, 2].argmin(), :2] + ways.numbers[0, PLACE]
    assert np.hypot(*(touched - contact)) < 2.5
    assert ways.numbers[0, RISE.start + 2] > ways.numbers[0, FALL.start + 2]


def test_with_one_picture_before_the_touch_no_way_is_told() -> None:
    way, looks, _ = thrown(1)
    shots = shots_of(way[9:], looks[9:], POSE, 0.0755)
    flight = Flight.of(shots, Body.of(8, SIZE), EYE, 1 / PX_MM)
    assert ways_of(shots, flight, Lights.of(shots, BGR, POSE, EYE), POSE, BGR, 0.0755) is None


def test_a_number_of_sides_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="12"):
        Body.of(12, SIZE)
