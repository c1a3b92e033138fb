"""Tables drawn for calibration: markers put into a picture by a camera model of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TABLE_MM = (700.0, 420.0)
EDGE_MM = 30.0
PRINT_PX_PER_MM = 6
GAMMA = 2.2


def straight_rays_of(px: Floats, matrix: Floats, coefficients: Sequence[float]) -> Floats:
    """The direction, at depth 1, from which the light of each pixel came through a bending lens, N x 2.

    The bend (k1, k2, p1, p2, k3) is known from ray to pixel only; its reverse is found by repeating it.
    """
    bent = (px - matrix[:2, 2]) / matrix[[0, 1], [0, 1]]
    k1, k2, p1, p2, k3 = coefficients
    x, y = bent.T
    for _ in range(12 if any(coefficients) else 0):
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        dx = 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        dy = p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        x, y = (bent[:, 0] - dx) / radial, (bent[:, 1] - dy) / radial
    return np.stack([x, y], axis=1)


@dataclass
class DrawnTable:
    """A table seen by a pinhole camera: the truth that calibration must find."""

    table_mm: tuple[float, float] = TABLE_MM
    picture_px: tuple[int, int] = (1920, 1080)
    focal_px: float = 1750.0
    height_mm: float = 800.0
    tilt_deg: float = 0.0
    coefficients: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    hidden: tuple[int, ...] = ()
    light: tuple[float, float] = (1.0, 1.0)
    """Brightness at the left and the right edge."""
    shift_mm: dict[int, tuple[float, float]] = field(default_factory=dict)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """3 x 3 camera matrix."""
        width, height = self.picture_px
        return np.array([[self.focal_px, 0, (width - 1) / 2], [0, self.focal_px, (height - 1) / 2], [0, 0, 1]])

    def project(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where the camera puts points of the table, N x 2 px."""
        middle = np.array([self.table_mm[0] / 2, self.table_mm[1] / 2, 0.0])
        solid = np.column_stack([points_mm, np.zeros(len(points_mm))]) - middle
        turn = np.array([np.radians(self.tilt_deg), 0.0, 0.0])
        where = np.array([0.0, 0.0, self.height_mm])
        px, _ = cv2.projectPoints(solid, turn, where, self.matrix, np.array(self.coefficients))
        return px.reshape(-1, 2)

    def draw(self) -> NDArray[np.uint8]:
        """The picture: each pixel's ray meets the table, whose print is looked up there; then a little blur and noise."""
        width, height = self.picture_px
        u, v = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
        rays = straight_rays_of(np.stack([u.ravel(), v.ravel()], axis=1), self.matrix, self.coefficients)
        turn = cv2.Rodrigues(np.array([np.radians(self.tilt_deg), 0.0, 0.0]))[0]
        to_table = np.linalg.inv(np.column_stack([turn[:, 0], turn[:, 1], [0.0, 0.0, self.height_mm]]))
        hit = np.column_stack([rays, np.ones(len(rays))]) @ to_table.T
        mm = hit[:, :2] / hit[:, 2:] + np.array(self.table_mm) / 2
        at_x, at_y = ((mm + EDGE_MM) * PRINT_PX_PER_MM - 0.5).astype(np.float32).T.reshape(2, height, width)
        # A lens blurs light; the camera's curve comes after it.
        light = np.power(self._printed().astype(np.float32) / 255, GAMMA)
        # The sensor's pixels are areas: print finer than they are is blurred before it is looked up at points.
        light = cv2.GaussianBlur(light, (0, 0), 0.5 * PRINT_PX_PER_MM * self.height_mm / self.focal_px)
        light = cv2.remap(light, at_x, at_y, cv2.INTER_LINEAR, borderValue=(110 / 255) ** GAMMA)
        light = cv2.GaussianBlur(light, (0, 0), 0.5)
        grey = 255 * np.power(light, 1 / GAMMA) * np.linspace(*self.light, width, dtype=np.float32)
        noise = np.random.default_rng(5).normal(0, 2, grey.shape)
        return cv2.cvtColor(np.clip(grey + noise, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)

    def _printed(self) -> NDArray[np.uint8]:
        """The table as it is printed, `PRINT_PX_PER_MM`, with `EDGE_MM` around it."""
        size = np.round((np.array(self.table_mm) + 2 * EDGE_MM) * PRINT_PX_PER_MM).astype(int)
        paper = np.full((size[1], size[0]), 110, np.uint8)
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
        side, white = 40 * PRINT_PX_PER_MM, 8 * PRINT_PX_PER_MM
        right, bottom = self.table_mm[0] - 40, self.table_mm[1] - 40
        for number, place in enumerate(((0.0, 0.0), (right, 0.0), (right, bottom), (0.0, bottom))):
            if number in self.hidden:
                continue
            moved = np.array(place) + self.shift_mm.get(number, (0.0, 0.0)) + EDGE_MM
            x, y = np.round(moved * PRINT_PX_PER_MM).astype(int)
            paper[y - white : y + side + white, x - white : x + side + white] = 215
            marker = cv2.aruco.generateImageMarker(dictionary, number, side)
            paper[y : y + side, x : x + side] = np.where(marker > 128, 215, 25)
        return paper


@pytest.fixture
def drawn_table() -> type[DrawnTable]:
    """The maker of drawn tables."""
    return DrawnTable


@pytest.fixture
def straight_rays() -> Callable[..., Floats]:
    """The reverse of a lens's bend, by a way of its own."""
    return straight_rays_of
