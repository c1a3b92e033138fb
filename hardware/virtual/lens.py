"""The virtual camera's geometry: where a point over the table falls in the picture, and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""N x 2."""


@dataclass(frozen=True)
class VirtualCameraModel:
    """A pinhole camera over the table's middle, with tilt, roll and lens distortion.

    Pixel (0, 0) is the middle of the top left pixel, as OpenCV counts. The focal length follows from `fill`. Not slotted:
    what is derived is kept.
    """

    size: tuple[int, int] = (1280, 720)
    """Width and height, px."""
    table_mm: tuple[float, float] = (700.0, 420.0)
    height_mm: float = 950.0
    """Distance from the lens to the table's middle."""
    tilt_deg: float = 2.0
    """Angle between the line of sight and the plumb line."""
    tilt_toward_deg: float = 30.0
    """Which way the camera leans, clockwise from the picture's up."""
    roll_deg: float = 0.0
    """Turn of the picture, clockwise."""
    k1: float = 0.0
    """First radial coefficient in OpenCV's model; negative is barrel distortion."""
    k2: float = 0.0
    fill: float = 0.93
    """Share of the picture that the table with its markers' margins takes, along the tighter side."""
    margin_mm: float = 8.0
    """White margin of the markers outside the table rectangle that must stay in the picture."""

    @cached_property
    def rotation(self) -> NDArray[np.float64]:
        """3 x 3, from table axes (x right, y down, third axis into the table) to camera axes."""
        toward = np.radians(self.tilt_toward_deg)
        axis = np.array([np.cos(toward), np.sin(toward), 0.0]) * np.radians(self.tilt_deg)
        roll = np.array([0.0, 0.0, np.radians(self.roll_deg)])
        return np.asarray(cv2.Rodrigues(roll)[0] @ cv2.Rodrigues(axis)[0], np.float64)

    @cached_property
    def translation(self) -> NDArray[np.float64]:
        """The table origin in camera axes, mm."""
        middle = np.array([self.table_mm[0] / 2, self.table_mm[1] / 2, 0.0])
        return np.asarray(np.array([0.0, 0.0, self.height_mm]) - self.rotation @ middle, np.float64)

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """3 x 3 camera matrix, px."""
        w, h = self.table_mm
        m = self.margin_mm
        corners = np.array([(-m, -m, 0), (w + m, -m, 0), (w + m, h + m, 0), (-m, h + m, 0)], np.float64)
        rays = self._project(corners, np.eye(3))
        extent = np.abs(rays).max(axis=0)
        half = np.array([self.size[0], self.size[1]]) / 2 * self.fill
        focal = float((half / extent).min())
        return np.array([[focal, 0, (self.size[0] - 1) / 2], [0, focal, (self.size[1] - 1) / 2], [0, 0, 1]])

    @cached_property
    def coefficients(self) -> NDArray[np.float64]:
        """k1, k2, p1, p2, k3 in OpenCV's order."""
        return np.array([self.k1, self.k2, 0.0, 0.0, 0.0])

    @cached_property
    def eye_mm(self) -> tuple[float, float, float]:
        """The lens's x and y on the table and its height over it, mm."""
        x, y, depth = -self.rotation.T @ self.translation
        return float(x), float(y), float(-depth)

    @cached_property
    def px_per_mm(self) -> float:
        """Scale in the table's middle."""
        return float(self.matrix[0, 0] / self.height_mm)

    def project(self, points_mm: Points, height_mm: float = 0.0) -> Points:
        """Picture px of points at a height over the table, N x 2."""
        flat = np.asarray(points_mm, np.float64).reshape(-1, 2)
        return self._project(np.column_stack([flat, np.full(len(flat), -height_mm)]), self.matrix)

    def project_solid(self, points_mm: NDArray[np.float64]) -> Points:
        """Picture px of points x, y, height over the table (N x 3), N x 2."""
        return self._project(points_mm * np.array([1.0, 1.0, -1.0]), self.matrix)

    @cached_property
    def table_map(self) -> NDArray[np.float32]:
        """Height x width x 2: the table point in mm that each pixel's middle shows."""
        width, height = self.size
        if self.k1 == 0 and self.k2 == 0:
            square = np.array([[0, 0], [1000, 0], [1000, 1000], [0, 1000]], np.float32)
            seen = self.project(square.astype(np.float64)).astype(np.float32)
            to_mm = cv2.getPerspectiveTransform(seen, square).astype(np.float64)
            u, v = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
            w = to_mm[2, 0] * u + to_mm[2, 1] * v + to_mm[2, 2]
            x = (to_mm[0, 0] * u + to_mm[0, 1] * v + to_mm[0, 2]) / w
            y = (to_mm[1, 0] * u + to_mm[1, 1] * v + to_mm[1, 2]) / w
            return np.stack([x, y], axis=2).astype(np.float32)
        u, v = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
        pixels = np.stack([u.ravel(), v.ravel()], axis=1).reshape(-1, 1, 2)
        rays = cv2.undistortPoints(pixels, self.matrix, self.coefficients).reshape(-1, 2)
        directions = np.column_stack([rays, np.ones(len(rays))]) @ self.rotation
        eye = np.array([self.eye_mm[0], self.eye_mm[1], -self.eye_mm[2]])
        reach = -eye[2] / directions[:, 2]
        on_table = eye[:2] + directions[:, :2] * reach[:, None]
        return np.asarray(on_table.reshape(height, width, 2), np.float32)

    def _project(self, solid_mm: NDArray[np.float64], matrix: NDArray[np.float64]) -> Points:
        rvec = cv2.Rodrigues(self.rotation)[0]
        found = cv2.projectPoints(solid_mm.reshape(-1, 1, 3), rvec, self.translation, matrix, self.coefficients)[0]
        return found.reshape(-1, 2).astype(np.float64)
