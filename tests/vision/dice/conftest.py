"""Dice drawn here from scratch, independent of the code under test: faces by their own vertices, projected by a plain camera."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.table import TablePose, pose_of_corners

TABLE_MM = (420.0, 250.0)
SIZE_PX = (1600, 960)
FOCAL_PX = 1300.0
CAMERA_MM = np.array([195.0, 140.0, 420.0])
"""x, y, height; it looks straight down."""


def project(points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pixels of points (x, y, height) for a pinhole camera that looks straight down."""
    depth = CAMERA_MM[2] - points_mm[:, 2]
    flat = points_mm[:, :2] - CAMERA_MM[:2]
    return flat * (FOCAL_PX / depth)[:, None] + np.array(SIZE_PX) / 2 - 0.5


def octahedron(x: float, y: float, height: float, yaw: float) -> list[NDArray[np.float64]]:
    """The four faces of an octahedron on a face that can be seen from above, the top one first."""
    radius = height / np.sqrt(2)
    turns = yaw + np.arange(3) * 2 * np.pi / 3
    top = np.column_stack([x + radius * np.cos(turns), y + radius * np.sin(turns), np.full(3, height)])
    under = turns + np.pi / 3
    low = np.column_stack([x + radius * np.cos(under), y + radius * np.sin(under), np.zeros(3)])
    return [top, *(np.array([top[i], low[i], top[(i + 1) % 3]]) for i in range(3))]


@dataclass
class Arena:
    """A picture being drawn, and its table."""

    picture: NDArray[np.uint8]
    pose: TablePose

    def string(self, polygon_mm: NDArray[np.float64], bgr: tuple[int, int, int], width_mm: float = 3.0) -> None:
        points = project(np.column_stack([polygon_mm, np.zeros(len(polygon_mm))]))
        across = round(width_mm * FOCAL_PX / CAMERA_MM[2])
        cv2.polylines(self.picture, [np.rint(points).astype(np.int32)], True, bgr, across, cv2.LINE_AA)

    def die(
        self, x: float, y: float, height: float, yaw: float, bgr: tuple[int, int, int], mark: str | None = None
    ) -> None:
        faces = octahedron(x, y, height, yaw)
        shades = (1.0, 0.55, 0.75, 0.65)
        for face, shade in reversed(list(zip(faces, shades, strict=True))):
            colour = tuple(round(shade * level) for level in bgr)
            cv2.fillPoly(self.picture, [np.rint(project(face) * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
        if mark is not None:
            middle, size = faces[0].mean(axis=0), height * 0.2
            for ring in MARKS[mark]:
                corners = np.column_stack([middle[:2] + size * turned(ring, yaw), np.full(len(ring), height)])
                cv2.fillPoly(self.picture, [np.rint(project(corners) * 16).astype(np.int32)], (245, 245, 245), 16, 4)

    def finished(self) -> NDArray[np.uint8]:
        """The picture as a camera gives it: blurred a little, with noise."""
        noise = np.random.default_rng(3).normal(0, 2.0, self.picture.shape)
        soft = cv2.GaussianBlur(self.picture, (0, 0), 0.8).astype(np.float64)
        return np.clip(soft + noise, 0, 255).astype(np.uint8)


def turned(ring: NDArray[np.float64], yaw: float) -> NDArray[np.float64]:
    cosine, sine = np.cos(yaw), np.sin(yaw)
    return ring @ np.array([[cosine, sine], [-sine, cosine]])


BAR = np.array([[-1.0, -0.28], [1.0, -0.28], [1.0, 0.28], [-1.0, 0.28]])
MARKS = {
    "plus": [BAR, BAR[:, ::-1]],
    "bar": [BAR],
    "wedge": [np.array([[-0.9, -0.8], [0.9, -0.8], [0.0, 0.9]])],
}


def flat_picture(mark: str) -> NDArray[np.uint8]:
    """The symbol alone, black on white."""
    picture = np.full((400, 400, 3), 255, np.uint8)
    for ring in MARKS[mark]:
        cv2.fillPoly(picture, [np.rint(200 + 120 * ring).astype(np.int32)], (0, 0, 0))
    return picture


@pytest.fixture
def arena() -> Arena:
    width, height = TABLE_MM
    corners = project(np.array([(0, 0, 0), (width, 0, 0), (width, height, 0), (0, height, 0)], np.float64))
    (a, b, c, d) = ((float(u), float(v)) for u, v in corners)
    picture = np.full((SIZE_PX[1], SIZE_PX[0], 3), (120, 130, 128), np.uint8)
    return Arena(picture, pose_of_corners((a, b, c, d), TABLE_MM))


def ring_mm(x: float, y: float, radius: float, waves: float = 0.06) -> NDArray[np.float64]:
    """A loop as a hand lays it."""
    turns = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    reach = radius * (1 + waves * np.cos(3 * turns) + waves / 2 * np.cos(5 * turns + 1))
    return np.column_stack([x + reach * np.cos(turns), y + reach * np.sin(turns)])
