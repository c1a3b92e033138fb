"""The virtual camera's projection against one written out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hardware.virtual.lens import VirtualCameraModel

CAMERAS = [
    VirtualCameraModel(tilt_deg=0),
    VirtualCameraModel(tilt_deg=9, tilt_toward_deg=130, roll_deg=4),
    VirtualCameraModel((960, 540), tilt_deg=3, k1=-0.12, k2=0.02),
]


def by_hand(camera: VirtualCameraModel, x: float, y: float, height: float) -> tuple[float, float]:
    """Turns the point about the axis of tilt by Rodrigues' formula, rolls it, looks through a pinhole, bends the ray."""
    toward, angle = math.radians(camera.tilt_toward_deg), math.radians(camera.tilt_deg)
    k = (math.cos(toward), math.sin(toward), 0.0)
    p = (x - camera.table_mm[0] / 2, y - camera.table_mm[1] / 2, -height)
    dot = sum(a * b for a, b in zip(k, p, strict=True))
    cross = (k[1] * p[2] - k[2] * p[1], k[2] * p[0] - k[0] * p[2], k[0] * p[1] - k[1] * p[0])
    cos, sin = math.cos(angle), math.sin(angle)
    turned = [p[i] * cos + cross[i] * sin + k[i] * dot * (1 - cos) for i in range(3)]
    roll = math.radians(camera.roll_deg)
    u = turned[0] * math.cos(roll) - turned[1] * math.sin(roll)
    v = turned[0] * math.sin(roll) + turned[1] * math.cos(roll)
    depth = turned[2] + camera.height_mm
    a, b = u / depth, v / depth
    r2 = a * a + b * b
    bend = 1 + camera.k1 * r2 + camera.k2 * r2 * r2
    focal = camera.matrix[0, 0]
    return focal * a * bend + (camera.size[0] - 1) / 2, focal * b * bend + (camera.size[1] - 1) / 2


@pytest.mark.parametrize("camera", CAMERAS)
@pytest.mark.parametrize("point", [(0, 0, 0), (700, 420, 0), (123, 345, 0), (600, 50, 30)])
def test_points_fall_where_the_pinhole_says(camera: VirtualCameraModel, point: tuple[float, float, float]) -> None:
    found = camera.project(np.array([point[:2]], np.float64), point[2])[0]
    assert found == pytest.approx(by_hand(camera, *point), abs=1e-6)


@pytest.mark.parametrize("camera", CAMERAS)
def test_table_map_is_the_reverse_of_the_projection(camera: VirtualCameraModel) -> None:
    for u, v in ((0, 0), (640, 360), (camera.size[0] - 1, camera.size[1] - 1), (100, 500)):
        back = camera.project(camera.table_map[v, u].astype(np.float64)[None])[0]
        assert back == pytest.approx((u, v), abs=0.02)


@pytest.mark.parametrize("camera", CAMERAS)
def test_the_whole_table_with_its_margins_is_in_the_picture(camera: VirtualCameraModel) -> None:
    corners = np.array([(-5, -5), (705, -5), (705, 425), (-5, 425)], np.float64)
    px = camera.project(corners)
    assert (px >= 0).all()
    assert (px <= np.array(camera.size) - 1).all()


def test_the_lens_looks_from_its_height() -> None:
    x, y, height = VirtualCameraModel(tilt_deg=0, height_mm=800).eye_mm
    assert (x, y, height) == pytest.approx((350, 210, 800))
