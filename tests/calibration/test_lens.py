"""A lens measured from boards that a known lens bent."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from calibration.lens import Board, Charuco, Chessboard, measure_lens

SIZE = (640, 480)
MATRIX = np.array([[547.0, 0, 313.0], [0, 553.0, 243.0], [0, 0, 1]])
COEFFICIENTS = np.array([-0.22, 0.06, 0.001, -0.001, 0.0])
SQUARE_MM = 25.0
StraightRays = Callable[..., NDArray[np.float64]]


def flat_board(board: Board) -> NDArray[np.uint8]:
    """The printed board, 6 px a mm, with a white edge."""
    px = 6.0
    match board:
        case Chessboard(columns, rows, square_mm):
            size = round(square_mm * px)
            squares = (np.indices((rows + 1, columns + 1)).sum(axis=0) % 2 * 255).astype(np.uint8)
            sheet = np.kron(squares, np.ones((size, size), np.uint8))
            return np.pad(sheet, size, constant_values=255)
        case Charuco(columns, rows, square_mm, marker_mm):
            dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
            drawn = cv2.aruco.CharucoBoard((columns, rows), square_mm, marker_mm, dictionary)
            size = round(square_mm * px)
            sheet = drawn.generateImage((columns * size, rows * size))
            return np.pad(sheet, size, constant_values=255)


def views(board: Board, count: int, straight_rays: StraightRays) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """The board held at many angles, as the known lens shows it."""
    sheet, px = flat_board(board), 6.0
    rng = np.random.default_rng(6)
    width, height = SIZE
    u, v = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
    rays = straight_rays(np.stack([u.ravel(), v.ravel()], axis=1), MATRIX, COEFFICIENTS)
    rays3 = np.column_stack([rays, np.ones(len(rays))])
    for n in range(count):
        turn = cv2.Rodrigues(rng.uniform(-0.45, 0.45, 3))[0]
        middle = np.array([sheet.shape[1] / 2, sheet.shape[0] / 2]) / px
        where = np.array([rng.uniform(-70, 70), rng.uniform(-50, 50), rng.uniform(330, 420)])
        # Where each ray meets the board: turn @ (p - middle) + where = depth * ray.
        to_board = np.linalg.inv(np.column_stack([turn[:, 0], turn[:, 1], where]))
        hit = rays3 @ to_board.T
        places = ((hit[:, :2] / hit[:, 2:]) + middle) * px - 0.5
        at_x, at_y = places.astype(np.float32).T.reshape(2, height, width)
        grey = cv2.remap(sheet, at_x, at_y, cv2.INTER_LINEAR, borderValue=128)
        grey = cv2.GaussianBlur(grey, (0, 0), 0.6)
        yield f"{n:02}.png", cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR)


@pytest.mark.parametrize(
    "board", [Chessboard(8, 6, SQUARE_MM), Charuco(9, 7, SQUARE_MM, 18.0)], ids=["chessboard", "charuco"]
)
def test_a_known_lens_is_found_again(board: Board, straight_rays: StraightRays) -> None:
    report = measure_lens(views(board, 10, straight_rays), board)
    assert report.error_px < 0.3
    assert len(report.used) >= 8
    lens = report.lens.lens(*SIZE)
    grid = np.stack(np.meshgrid(np.linspace(60, 580, 6), np.linspace(50, 430, 5)), axis=-1).reshape(-1, 2)
    truth = straight_rays(grid, MATRIX, COEFFICIENTS) * np.diag(MATRIX)[:2] + MATRIX[:2, 2]
    assert np.abs(lens.undistort(grid) - truth).max() < 8, "the same bend, up to the focal length's own error"
    assert lens.matrix[0, 0] == pytest.approx(547, rel=0.02)
    assert lens.matrix[1, 1] == pytest.approx(553, rel=0.02)


def test_pictures_without_a_board_are_passed_over_and_too_few_are_refused(straight_rays: StraightRays) -> None:
    empty = np.full((480, 640, 3), 128, np.uint8)
    board = Chessboard(8, 6, SQUARE_MM)
    with pytest.raises(CalibrationError, match="seen in 2 of 4 pictures, at least 5"):
        measure_lens([*views(board, 2, straight_rays), ("x.png", empty), ("y.png", empty)], board)
    with pytest.raises(CalibrationError, match="seen in 0 of 0"):
        measure_lens([], board)


def test_pictures_of_two_sizes_are_refused_by_name() -> None:
    pictures = [(name, np.zeros((height, 40, 3), np.uint8)) for name, height in (("a.png", 30), ("b.png", 31))]
    with pytest.raises(CalibrationError, match=r"b\.png: measures 40x31 px, the pictures before it 40x30"):
        measure_lens(pictures, Chessboard(8, 6, SQUARE_MM))
