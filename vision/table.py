"""Where the table is: four ArUco markers to a homography, and a rectified view in millimetres.

Markers are DICT_4X4_50, ids 0 to 3 at the top left, top right, bottom right and bottom left of the table rectangle, 40 mm
black squares whose black outer corner lies on the rectangle's corner (architecture, Contracts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import PoseLostError
from vision.frame import Image
from vision.observation import Point, PoseState

MARKER_MM = 40.0

Points = NDArray[np.float64]
"""N x 2, in mm or px."""


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """A lens's distortion in OpenCV's model. All-zero coefficients are a perfect lens."""

    matrix: NDArray[np.float64]
    """3 x 3 camera matrix, px."""
    coefficients: NDArray[np.float64]
    """k1, k2, p1, p2, k3."""

    def undistort(self, points_px: Points) -> Points:
        """Where a perfect lens would have put these points of the picture, px."""
        flat = np.asarray(points_px, np.float64).reshape(-1, 1, 2)
        return cv2.undistortPoints(flat, self.matrix, self.coefficients, P=self.matrix).reshape(-1, 2).astype(np.float64)

    def distort(self, points_px: Points) -> Points:
        """The reverse of `undistort`."""
        rays = cv2.undistortPoints(np.asarray(points_px, np.float64).reshape(-1, 1, 2), self.matrix, np.zeros(5))
        solid = cv2.convertPointsToHomogeneous(rays.reshape(-1, 1, 2))
        return cv2.projectPoints(solid, np.zeros(3), np.zeros(3), self.matrix, self.coefficients)[0].reshape(-1, 2).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class TablePose:
    """The map between a picture and the table."""

    to_mm_matrix: NDArray[np.float64]
    """3 x 3 homography from undistorted picture px to table mm."""
    table_mm: tuple[float, float]
    state: PoseState
    lens: Lens | None = None
    warnings: tuple[str, ...] = ()

    def to_mm(self, points_px: Points | Sequence[Point]) -> Points:
        """Table mm of points of the picture, N x 2."""
        points = np.asarray(points_px, np.float64).reshape(-1, 2)
        if self.lens is not None:
            points = self.lens.undistort(points)
        return cv2.perspectiveTransform(points.reshape(-1, 1, 2), self.to_mm_matrix).reshape(-1, 2).astype(np.float64)

    def to_px(self, points_mm: Points | Sequence[Point]) -> Points:
        """Picture px of points of the table, N x 2."""
        inverse = np.linalg.inv(self.to_mm_matrix)
        flat = np.asarray(points_mm, np.float64).reshape(-1, 1, 2)
        points = cv2.perspectiveTransform(flat, inverse).reshape(-1, 2).astype(np.float64)
        return self.lens.distort(points) if self.lens is not None else points

    def rectify(self, image: Image, px_per_mm: float, area_mm: tuple[float, float, float, float] | None = None) -> Image:
        """The table seen from straight above.

        `area_mm` is x, y, width, height on the table (it may reach past the rectangle); the whole rectangle by default. The
        middle of pixel (u, v) of the result shows the point (x + (u + 0.5) / px_per_mm, y + (v + 0.5) / px_per_mm) mm.
        """
        raise NotImplementedError


def locate_table(image: Image, table_mm: tuple[float, float], lens: Lens | None = None) -> TablePose:
    """The table's pose from the markers in one picture.

    Raises PoseLostError where fewer than two whole markers are seen.
    """
    raise PoseLostError(f"{len(image)} {table_mm} {lens}")
