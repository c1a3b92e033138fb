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
        return (
            cv2.undistortPoints(flat, self.matrix, self.coefficients, P=self.matrix).reshape(-1, 2).astype(np.float64)
        )

    def distort(self, points_px: Points) -> Points:
        """The reverse of `undistort`."""
        rays = cv2.undistortPoints(np.asarray(points_px, np.float64).reshape(-1, 1, 2), self.matrix, np.zeros(5))
        solid = cv2.convertPointsToHomogeneous(rays.reshape(-1, 1, 2))
        return (
            cv2.projectPoints(solid, np.zeros(3), np.zeros(3), self.matrix, self.coefficients)[0]
            .reshape(-1, 2)
            .astype(np.float64)
        )


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

    def rectify(
        self, image: Image, px_per_mm: float, area_mm: tuple[float, float, float, float] | None = None
    ) -> Image:
        """The table seen from straight above.

        `area_mm` is x, y, width, height on the table (it may reach past the rectangle); the whole rectangle by default. The
        middle of pixel (u, v) of the result shows the point (x + (u + 0.5) / px_per_mm, y + (v + 0.5) / px_per_mm) mm.
        """
        x, y, width, height = area_mm if area_mm is not None else (0.0, 0.0, *self.table_mm)
        size = (round(width * px_per_mm), round(height * px_per_mm))
        if self.lens is None:
            # warpPerspective wants the map from result pixels to picture pixels; pixel middles are at +0.5.
            to_mm = np.array(
                [[1 / px_per_mm, 0, x + 0.5 / px_per_mm], [0, 1 / px_per_mm, y + 0.5 / px_per_mm], [0, 0, 1]]
            )
            matrix = np.linalg.inv(self.to_mm_matrix) @ to_mm
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            return cv2.warpPerspective(image, matrix, size, flags=flags).astype(np.uint8, copy=False)
        u, v = np.meshgrid(x + (np.arange(size[0]) + 0.5) / px_per_mm, y + (np.arange(size[1]) + 0.5) / px_per_mm)
        source = self.to_px(np.stack([u.ravel(), v.ravel()], axis=1)).astype(np.float32)
        maps = source.reshape(size[1], size[0], 2)
        return cv2.remap(image, maps, np.empty(0), cv2.INTER_LINEAR).astype(np.uint8, copy=False)


def locate_table(image: Image, table_mm: tuple[float, float], lens: Lens | None = None) -> TablePose:
    """The table's pose from the markers in one picture.

    Raises PoseLostError where fewer than two whole markers are seen.
    """
    detector = cv2.aruco.ArucoDetector(
        cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), cv2.aruco.DetectorParameters()
    )
    corners, ids, _ = detector.detectMarkers(image)
    found = {int(n): quad.reshape(4, 2) for n, quad in zip(np.asarray(ids).ravel(), corners, strict=True) if int(n) < 4}
    if len(found) < 2:
        raise PoseLostError(f"{len(found)} of the 4 table markers seen; at least 2 must be whole and in the picture")
    width, height = table_mm
    m = MARKER_MM
    left_top = {0: (0.0, 0.0), 1: (width - m, 0.0), 2: (width - m, height - m), 3: (0.0, height - m)}
    px = np.concatenate([found[n] for n in found]).astype(np.float64)
    mm = np.array(
        [(left_top[n][0] + dx, left_top[n][1] + dy) for n in found for dx, dy in ((0, 0), (m, 0), (m, m), (0, m))]
    )
    if lens is not None:
        px = lens.undistort(px)
    matrix = cv2.findHomography(px, mm)[0].astype(np.float64)
    return TablePose(matrix, table_mm, PoseState.LIVE if len(found) == 4 else PoseState.PARTIAL, lens)
