"""Where the camera is, from the homography of the table alone or with a measured lens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.table import TablePose

Floats = NDArray[np.float64]

USUAL_FOCAL = 0.85
"""Focal length over the picture's width where nothing else is known."""
_USUAL_SPREAD = 0.25
"""Standard deviation of the logarithm of that."""
_MARKERS_SPREAD = 2.5e-4
"""How far a homography measured from markers is off from a rotation, in each of its two conditions."""
_FOCALS = (-0.7, 1.0)
"""Logarithm of the focal lengths that are thought of, beside the usual."""
_LEAST_CLEARANCE = 0.05


@dataclass(frozen=True, slots=True)
class Eye:
    """The camera's place, mm in the table frame.

    With an infinite height, as for a picture without a table, `x` and `y` are how far a point shifts for each unit of height.
    """

    x: float
    y: float
    height: float

    def shown(self, points: Floats) -> Floats:
        """Where points (..., 3) over the table show on the table's plane, (..., 2)."""
        z = points[..., 2:]
        here = np.array([self.x, self.y])
        if not np.isfinite(self.height):
            return np.asarray(points[..., :2] + z * here)
        share = z / np.maximum(self.height - z, _LEAST_CLEARANCE * self.height)
        return np.asarray(points[..., :2] + share * (points[..., :2] - here))

    def toward(self, points: Floats) -> Floats:
        """Directions (..., 3) from points to the eye, of no set length."""
        if not np.isfinite(self.height):
            return np.broadcast_to(np.array([-self.x, -self.y, 1.0]), points.shape)
        return np.asarray(np.array([self.x, self.y, self.height]) - points)

    def foot(self, x: float, y: float, height: float) -> tuple[float, float]:
        """The point of the table under what shows at (x, y) on the table's plane and is so high over it."""
        if not np.isfinite(self.height):
            return x - self.x * height, y - self.y * height
        share = height / self.height
        return x - share * (x - self.x), y - share * (y - self.y)


def eye_of(pose: TablePose, width_px: int, height_px: int) -> Eye:
    """Where the camera is that took a picture of this size.

    Without a measured lens the focal length is the one with which the homography is most nearly that of a camera, held to
    the usual where the camera looks straight down and the homography can't tell.
    """
    return min(eyes_of(pose, width_px, height_px), key=lambda each: each[1])[0]


def eyes_of(pose: TablePose, width_px: int, height_px: int, steps: int = 120) -> list[tuple[Eye, float]]:
    """Where the camera may be, and what speaks against each place, as a sum of squared deviations. One place with a lens."""
    to_px = np.asarray(np.linalg.inv(pose.to_mm_matrix), np.float64)
    if pose.lens is not None:
        return [(_eye(to_px, np.asarray(pose.lens.matrix, np.float64)), 0.0)]
    usual = USUAL_FOCAL * max(width_px, height_px)
    found = []
    for step in np.linspace(*_FOCALS, steps):
        matrix = _matrix(usual * float(np.exp(step)), width_px, height_px)
        found.append((_eye(to_px, matrix), _cost(to_px, matrix, float(step))))
    return found


def _cost(to_px: Floats, matrix: Floats, step: float) -> float:
    columns = np.linalg.inv(matrix) @ to_px
    first, second = np.linalg.norm(columns[:, 0]), np.linalg.norm(columns[:, 1])
    skew = columns[:, 0] @ columns[:, 1] / (first * second)
    stretch = first / second - 1
    return float((skew**2 + stretch**2) / _MARKERS_SPREAD**2 + (step / _USUAL_SPREAD) ** 2)


def _matrix(focal: float, width_px: int, height_px: int) -> Floats:
    return np.array([[focal, 0, (width_px - 1) / 2], [0, focal, (height_px - 1) / 2], [0, 0, 1.0]])


def _eye(to_px: Floats, matrix: Floats) -> Eye:
    columns = np.linalg.inv(matrix) @ to_px
    columns /= np.sqrt(np.linalg.norm(columns[:, 0]) * np.linalg.norm(columns[:, 1]))
    if columns[2, 2] < 0:
        columns = -columns
    turn = np.column_stack([columns[:, 0], columns[:, 1], np.cross(columns[:, 0], columns[:, 1])])
    left, _, right = np.linalg.svd(turn)
    place = -(left @ right).T @ columns[:, 2]
    return Eye(float(place[0]), float(place[1]), float(abs(place[2])))
