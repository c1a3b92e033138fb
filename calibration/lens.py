"""Measures a lens from pictures of a chessboard or a ChArUco board."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from calibration.profile import LensProfile
from vision.frame import Image

FEWEST_PICTURES = 5
FEWEST_CORNERS = 8
GOOD_ERROR_PX = 0.7
GOOD_COVERAGE = 0.6
"""Share of the picture that the board should have visited over all pictures."""


@dataclass(frozen=True, slots=True)
class Chessboard:
    """A plain chessboard, counted by its inner corners."""

    columns: int
    rows: int
    square_mm: float


@dataclass(frozen=True, slots=True)
class Charuco:
    """A ChArUco board (DICT_5X5_100), counted by its squares."""

    columns: int
    rows: int
    square_mm: float
    marker_mm: float


Board = Chessboard | Charuco


@dataclass(frozen=True, slots=True)
class Sight:
    """The board's corners as one picture shows them."""

    name: str
    board_mm: NDArray[np.float32]
    """N x 3, on the board."""
    picture_px: NDArray[np.float32]
    """N x 2."""


@dataclass(frozen=True, slots=True)
class LensReport:
    """A measured lens."""

    lens: LensProfile
    error_px: float
    """Root mean square distance of the corners from where the lens should put them."""
    used: tuple[str, ...]
    passed_over: tuple[str, ...]
    """Pictures in which the board was not found."""
    coverage: float
    """Share of the picture that the board visited, 0 to 1."""
    advice: tuple[str, ...]


def measure_lens(pictures: Iterable[tuple[str, Image]], board: Board) -> LensReport:
    """Measures the lens from named pictures, all of one size, of the board held at many angles.

    Raises CalibrationError where sizes differ or too few pictures show the board.
    """
    sights: list[Sight] = []
    passed_over: list[str] = []
    size: tuple[int, int] | None = None
    for name, image in pictures:
        here = (image.shape[1], image.shape[0])
        if size is not None and here != size:
            raise CalibrationError(
                f"{name}: measures {here[0]}x{here[1]} px, the pictures before it {size[0]}x{size[1]}; use one size"
            )
        size = here
        sight = find_board(name, image, board)
        if sight is None:
            passed_over.append(name)
        else:
            sights.append(sight)
    if size is None or len(sights) < FEWEST_PICTURES:
        raise CalibrationError(
            f"the board is seen in {len(sights)} of {len(sights) + len(passed_over)} pictures, at least {FEWEST_PICTURES} are "
            "needed; check the board's columns and rows, and hold it whole and flat into the picture"
        )
    return _solve(sights, tuple(passed_over), size)


def find_board(name: str, image: Image, board: Board) -> Sight | None:
    """The board in a picture, or None."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    match board:
        case Chessboard(columns, rows, square_mm):
            found, corners = cv2.findChessboardCornersSB(grey, (columns, rows), flags=cv2.CALIB_CB_NORMALIZE_IMAGE)
            if not found:
                return None
            grid = np.zeros((columns * rows, 3), np.float32)
            grid[:, :2] = np.mgrid[0:columns, 0:rows].T.reshape(-1, 2) * square_mm
            return Sight(name, grid, np.asarray(corners, np.float32).reshape(-1, 2))
        case Charuco(columns, rows, square_mm, marker_mm):
            dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
            drawn = cv2.aruco.CharucoBoard((columns, rows), square_mm, marker_mm, dictionary)
            corners, ids, *_ = cv2.aruco.CharucoDetector(drawn).detectBoard(grey)
            if len(np.asarray(ids).ravel()) < FEWEST_CORNERS:  # one None where nothing is found
                return None
            places = np.asarray(drawn.getChessboardCorners(), np.float32)[np.asarray(ids).ravel()]
            return Sight(name, places, np.asarray(corners, np.float32).reshape(-1, 2))


def _solve(sights: list[Sight], passed_over: tuple[str, ...], size: tuple[int, int]) -> LensReport:
    error_px, matrix, coefficients, _, _ = cv2.calibrateCamera(
        [sight.board_mm for sight in sights],
        [sight.picture_px for sight in sights],
        size,
        np.eye(3),
        np.zeros(5),
    )
    (fx, _, cx), (_, fy, cy), _ = np.asarray(matrix, np.float64).tolist()
    k1, k2, p1, p2, k3 = np.asarray(coefficients, np.float64).ravel()[:5].tolist()
    lens = LensProfile(
        width=size[0],
        height=size[1],
        matrix=((fx, 0.0, cx), (0.0, fy, cy), (0.0, 0.0, 1.0)),
        coefficients=(k1, k2, p1, p2, k3),
        error_px=float(error_px),
    )
    coverage = _coverage(sights, size)
    return LensReport(
        lens,
        float(error_px),
        tuple(sight.name for sight in sights),
        passed_over,
        coverage,
        tuple(_advice(float(error_px), coverage)),
    )


def _coverage(sights: list[Sight], size: tuple[int, int]) -> float:
    points = np.concatenate([sight.picture_px for sight in sights])
    return float(cv2.contourArea(cv2.convexHull(points)) / (size[0] * size[1]))


def _advice(error_px: float, coverage: float) -> list[str]:
    advice = []
    if error_px > GOOD_ERROR_PX:
        advice.append(
            f"the corners miss by {error_px:.2f} px: keep the board flat and the pictures sharp, and lock the focus"
        )
    if coverage < GOOD_COVERAGE:
        advice.append(
            f"the board visited {coverage:.0%} of the picture: hold it into every corner, where a lens bends most"
        )
    return advice
