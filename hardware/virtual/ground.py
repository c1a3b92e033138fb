"""Table tops as procedural textures, and the room's light."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import GROUND_BGR, Ground, Light, TableLook

REACH_MM = 260.0
"""How far the table top goes on past the table rectangle."""


def _cloud(rng: np.random.Generator, size: tuple[int, int], cell: tuple[float, float]) -> NDArray[np.float32]:
    """Smooth noise about 0 with spread 1 on a picture of width, height; `cell` is a lump's size in px, x and y."""
    coarse = (max(2, round(size[1] / cell[1])), max(2, round(size[0] / cell[0])))
    lumps = rng.normal(0, 1, coarse).astype(np.float32)
    return cv2.resize(lumps, size, interpolation=cv2.INTER_CUBIC).astype(np.float32, copy=False)


def _grain(ground: Ground, rng: np.random.Generator, size: tuple[int, int], px_per_mm: float) -> NDArray[np.float32]:
    """Brightness factor minus 1 over the texture."""

    def cloud(x_mm: float, y_mm: float) -> NDArray[np.float32]:
        return _cloud(rng, size, (max(1.0, x_mm * px_per_mm), max(1.0, y_mm * px_per_mm)))

    match ground:
        case Ground.PLAIN:
            return np.asarray(0.012 * cloud(180, 140) + 0.006 * cloud(1, 1), np.float32)
        case Ground.WOOD:
            rows = np.arange(size[1], dtype=np.float32)[:, None] / px_per_mm
            bend = 9 * cloud(260, 60)
            rings = np.sin((rows + bend) / 5.5) + 0.6 * np.sin((rows + 1.4 * bend) / 2.1 + 1)
            return np.asarray(0.045 * rings + 0.07 * cloud(70, 2.2) + 0.05 * cloud(24, 1.0), np.float32)
        case Ground.FELT:
            return np.asarray(0.025 * cloud(1.2, 1.2) + 0.02 * cloud(3, 3) + 0.012 * cloud(60, 60), np.float32)
        case Ground.CLOTH:
            columns = np.sin(np.arange(size[0], dtype=np.float32) / px_per_mm * 3.3)[None, :]
            rows = np.sin(np.arange(size[1], dtype=np.float32) / px_per_mm * 3.3)[:, None]
            weave = (0.02 * (columns * rows)).astype(np.float32)
            return np.asarray(weave + 0.014 * cloud(26, 22) + 0.014 * cloud(9, 8) + 0.015 * cloud(1, 1), np.float32)


def ground_picture(camera: VirtualCameraModel, look: TableLook) -> Image:
    """The bare table top as the camera sees it, before light and sensor."""
    density = camera.px_per_mm * 1.2
    width, height = camera.table_mm
    size = (round((width + 2 * REACH_MM) * density), round((height + 2 * REACH_MM) * density))
    rng = np.random.default_rng((look.seed, 3))
    factor = 1 + _grain(look.ground, rng, size, density)
    base = np.array(look.ground_bgr or GROUND_BGR[look.ground], np.float32)
    texture = np.clip(factor[..., None] * base, 0, 255).astype(np.uint8)
    source = (camera.table_map + np.float32(REACH_MM)) * np.float32(density) - np.float32(0.5)
    across, down = cv2.split(source)
    return cv2.remap(texture, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT).astype(
        np.uint8, copy=False
    )


def light_map(camera: VirtualCameraModel, look: TableLook) -> NDArray[np.float32]:
    """Height x width x 3: the factor that light, lens and exposure put on each pixel."""
    width, height = camera.size
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    corner = (x * x + y * y) / 2
    level = 1 - look.vignette * corner
    tint = np.array([1.0, 1.0, 1.0], np.float32)
    match look.light:
        case Light.SOFT:
            level = level * (1 + 0.03 * x)
        case Light.WARM:
            tint = np.array([0.82, 0.97, 1.06], np.float32)
            level = level * (1 - 0.04 * x + 0.03 * y)
        case Light.LAMP:
            tint = np.array([0.9, 0.98, 1.04], np.float32)
            near = np.exp(-((x - 0.5) ** 2 + (y + 0.6) ** 2) / 2.2)
            level = level * (0.62 + 0.42 * near)
    return (level[..., None] * tint * np.float32(look.exposure)).astype(np.float32)
