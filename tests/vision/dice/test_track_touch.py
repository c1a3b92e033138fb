"""Which point of the table a die touched first, and on which side of the string that was."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.arena import NO_ARENA, Arena, ArenaState
from vision.dice.eye import Eye
from vision.dice.track_flight import Place, TouchDown, find_touch
from vision.dice.track_touch import SURE, TouchJudge, TrackedDie
from vision.dice.track_turn import GRID, Sight, anywhere, axes_of, lowest_corner
from vision.table import pose_of_corners

Floats = NDArray[np.float64]
SIZE = 17.0
BGR = (40, 60, 190)
DOWN = np.array([0.0, 0.0, 1.0])
PX = 22.0
"""Of the die's size."""
POSE = pose_of_corners(((0, 0), (420, 0), (420, 250), (0, 250)), (420.0, 250.0))
EYE = Eye(210.0, 125.0, 650.0)
SQUARE = ((110.0, 45.0), (310.0, 45.0), (310.0, 205.0), (110.0, 205.0))
ARENA = Arena(SQUARE, 2.0, ArenaState.FOUND)


def _octahedron(turn: Floats) -> tuple[Floats, list[tuple[int, int, int]]]:
    corners = np.vstack([np.eye(3), -np.eye(3)]) * np.sqrt(3) / 2
    faces = [(x, y, z) for x in (0, 3) for y in (1, 4) for z in (2, 5)]
    return corners @ turn.T, faces


def _picture(turn: Floats) -> tuple[Sight, Floats]:
    """An octahedron drawn from straight above with a lamp at one side, and where its lowest corner is."""
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
    return Sight(image, own, (30.0, 30.0), to_px, DOWN, BGR), corners[np.argmin(corners[:, 2])]


def _turned(seed: int) -> Floats:
    found, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return np.asarray(found * np.sign(np.linalg.det(found)))


@pytest.mark.parametrize("seed", range(8))
def test_the_lowest_corner_is_told_from_the_faces_that_show(seed: int) -> None:
    turn = _turned(seed)
    sight, lowest = _picture(turn)
    chances = lowest_corner(8, sight, 0.0)
    assert chances.sum() == pytest.approx(1.0)
    heights = np.sort(_octahedron(turn)[0][:, 2])
    if heights[1] - heights[0] > 0.15:
        mean = np.array([(chances * place).sum() for place in np.meshgrid(GRID, GRID)])
        assert np.hypot(*(mean - lowest[:2])) < 0.2
    # Where two corners hang nearly as low, each may touch first.
    across, down = np.meshgrid(GRID, GRID)
    assert chances[np.hypot(across - lowest[0], down - lowest[1]) < 0.25].sum() > 0.15


def test_long_before_the_touch_a_picture_tells_less() -> None:
    sight, _ = _picture(_turned(2))
    near, far = (lowest_corner(8, sight, late) for late in (0.0, 0.016))
    assert (far > 1e-4).sum() > (near > 1e-4).sum()


def test_a_solid_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="12"):
        lowest_corner(12, _picture(np.eye(3))[0], 0.0)


def test_without_a_picture_the_corner_may_be_anywhere_under_the_die() -> None:
    chances = anywhere()
    across, down = np.meshgrid(GRID, GRID)
    assert chances.sum() == pytest.approx(1.0)
    assert (chances * across).sum() == pytest.approx(0.0, abs=1e-9)
    assert chances[np.hypot(across, down) > 0.75].sum() == 0


def _judged(x: float, arena: Arena | None = ARENA, err: float = 3.0, way: list[Place] | None = None) -> bool | None:
    found = TouchDown(0.1, 0.001, x, 125.0, err)
    return TouchJudge(POSE, EYE).judged(found, way or [], (), TrackedDie("a", BGR, SIZE), arena).inside


def test_what_counts_is_the_corner_not_the_middle() -> None:
    """The middle is 5 mm inside the string: a corner may have touched outside all the same."""
    assert _judged(115.0) is None
    assert _judged(110.0 + 0.72 * SIZE + 6.0) is True
    assert _judged(110.0 - 0.72 * SIZE - 6.0) is False


def test_a_place_that_is_hardly_known_is_asked() -> None:
    assert _judged(140.0, err=3.0) is True
    assert _judged(140.0, err=40.0) is None


@pytest.mark.parametrize("arena", [None, NO_ARENA, Arena(SQUARE, 2.0, ArenaState.SEVERAL)])
def test_without_one_loop_nothing_is_inside(arena: Arena | None) -> None:
    assert _judged(200.0, arena) is None


def test_beside_a_stretch_under_a_hand_it_is_asked() -> None:
    left = [(110.0, 205.0 - 4.0 * n) for n in range(40)]
    dense = ((110.0, 45.0), (310.0, 45.0), (310.0, 205.0), *left)
    hidden = Arena(dense, 2.0, ArenaState.FOUND, (False, False, False, *[True] * 40))
    assert _judged(135.0) is True
    assert _judged(135.0, hidden) is None


def test_with_few_pictures_a_second_an_earlier_touch_must_lie_on_the_same_side() -> None:
    crossing = [Place(0.1 + (n - 5) / 60, 80.0 + 15.0 * n, 125.0, 0.15) for n in range(8)]
    assert _judged(155.0, way=crossing) is None
    quick = [Place(0.1 + (n - 5) / 120, 80.0 + 15.0 * n, 125.0, 0.15) for n in range(8)]
    assert _judged(155.0, way=quick) is True


def test_the_threshold_leaves_little_to_chance() -> None:
    assert SURE > 0.95


def test_a_knock_narrows_the_band_of_the_touch() -> None:
    random = np.random.default_rng(4)
    way = []
    for n in range(30):
        late = n / 90 - 0.1043
        vx, vy, rise = (220.0, -90.0, -700.0) if late <= 0 else (160.0, -60.0, 300.0)
        height = 0.66 * SIZE + rise * late - 9810.0 / 2 * late**2
        place = np.array([[290.0 + vx * late, 90.0 + vy * late, max(height, SIZE / 2)]])
        x, y = EYE.shown(place)[0] + random.normal(0, 0.35, 2)
        way.append(Place(n / 90, float(x), float(y), 0.35))
    seen = find_touch(way, EYE, SIZE)
    felt = find_touch(way, EYE, SIZE, [(0.1043, 0.0005)])
    assert felt is not None
    assert felt.t_s == pytest.approx(0.1043, abs=0.0006)
    assert np.hypot(felt.x_mm - 290.0, felt.y_mm - 90.0) < felt.err_mm
    if seen is not None:
        assert felt.t_err_s < seen.t_err_s
        assert felt.err_mm <= seen.err_mm
