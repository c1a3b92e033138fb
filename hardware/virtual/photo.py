"""Light and camera in linear light: what a scene scatters and mirrors, through the optics, to a developed picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Photo, TableLook

PAPER_LEVEL = 0.72
"""Linear level, of 1, at which the camera shows white paper where it has light enough."""
DIM_LUX = 140.0
"""Below this the longest exposure and the highest gain no longer reach that level."""
ELECTRONS_PER_LUX = 6.0
"""Of a pixel that sees white paper at the longest exposure, until the exposure is cut."""
MOST_ELECTRONS = 7000.0
READ_ELECTRONS = 4.0

Linear = NDArray[np.float32]
"""Height x width x 3, blue-green-red, 1 is full scale."""

_STEPS = 4096


def _to_linear() -> NDArray[np.float32]:
    code = np.arange(256, dtype=np.float64) / 255
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4).astype(np.float32)


def _to_code() -> NDArray[np.float32]:
    level = np.arange(_STEPS + 1, dtype=np.float64) / _STEPS
    code = np.where(level <= 0.0031308, 12.92 * level, 1.055 * level ** (1 / 2.4) - 0.055)
    return (255 * code).astype(np.float32)


_LINEAR = _to_linear()
_CODE = _to_code()


def tint(kelvin: float) -> NDArray[np.float32]:
    """Blue, green and red of a black body's light relative to green, white at 6500 K; for 1500 to 12000 K."""
    warm = np.log(np.clip(kelvin, 1500, 12000) / 6500)
    # Fitted to the Planckian locus in linear sRGB.
    return np.asarray(np.exp(np.array([1.45 * warm - 0.35 * warm**2, 0.0, -0.92 * warm + 0.12 * warm**2])), np.float32)


class Darkroom:
    """Develops pictures of one camera in one light. Deterministic in the look's seed and the picture's."""

    def __init__(self, camera: VirtualCameraModel, look: TableLook, photo: Photo) -> None:
        self._camera = camera
        self._look = look
        self._photo = photo
        self._lit = _light(camera, look, photo)

    def exposed(self, picture: Image, mirrored: NDArray[np.float32]) -> Linear:
        """The light that reaches the sensor: what the scene scatters and mirrors, through the lens."""
        light = cv2.LUT(picture, _LINEAR) * self._lit + mirrored[..., None]
        scale = self._camera.size[0] / 1280
        light = _moved(light, self._photo.motion_px, scale)
        light = _defocused(light, self._photo.defocus_px * scale)
        return np.asarray(cv2.GaussianBlur(light, (0, 0), max(0.2, self._look.blur_px * scale)), np.float32)

    def developed(self, light: Linear, noise_seed: int) -> Image:
        """The picture that the camera hands out."""
        photo = self._photo
        enough = min(1.0, photo.lux / DIM_LUX)
        level = PAPER_LEVEL * enough**0.6 * 2**photo.exposure_ev
        colour = tint(photo.kelvin)
        gain = colour**-photo.balanced
        electrons = min(MOST_ELECTRONS, ELECTRONS_PER_LUX * photo.lux) * 2 ** min(0.0, photo.exposure_ev)
        raw = light * colour
        spread = np.sqrt(np.maximum(raw, 0) / electrons + (READ_ELECTRONS / electrons) ** 2)
        rng = np.random.default_rng((self._look.seed, noise_seed, 9))
        noise = cv2.GaussianBlur(rng.standard_normal(light.shape, np.float32), (3, 3), 0.55) * np.float32(1.6)
        shown = (raw + spread * noise) * (gain * np.float32(level))
        picture = _coded(shown)
        if self._look.jpeg_quality is None:
            return picture
        packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, self._look.jpeg_quality])[1]
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def _coded(shown: Linear) -> Image:
    steps = np.clip(shown * np.float32(_STEPS), 0, _STEPS).astype(np.uint16)
    return np.asarray(_CODE[steps] + np.float32(0.5), np.float32).astype(np.uint8)


def _light(camera: VirtualCameraModel, look: TableLook, photo: Photo) -> Linear:
    """Height x width x 1: light on the table, 1 where it is brightest, and the lens's loss toward the corners."""
    width, height = camera.size
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    level = 1 - np.float32(look.vignette) * (x * x + y * y) / 2
    if photo.lamps:
        lamp = photo.lamps[0]
        away = camera.table_map - np.array([lamp.x_mm, lamp.y_mm], np.float32)
        square = (away**2).sum(axis=-1) + np.float32(lamp.height_mm**2)
        inside = np.array([[0, 0], [camera.table_mm[0], 0], [0, camera.table_mm[1]], list(camera.table_mm)], np.float64)
        nearest = np.min(((inside - (lamp.x_mm, lamp.y_mm)) ** 2).sum(axis=1)) + lamp.height_mm**2
        share = np.float32(photo.lamp_share)
        level = level * (1 - share + share * np.minimum((np.float32(nearest) / square) ** 2, 1.6))
    return np.asarray(level[..., None], np.float32)


def _moved(light: Linear, motion_px: tuple[float, float], scale: float) -> Linear:
    across, down = motion_px[0] * scale, motion_px[1] * scale
    length = float(np.hypot(across, down))
    if length < 0.3:
        return light
    steps = max(3, round(2 * length) | 1)
    side = 2 * int(np.ceil(max(abs(across), abs(down)) / 2)) + 3
    kernel = np.zeros((side, side), np.float32)
    for share in np.linspace(-0.5, 0.5, steps):
        _drop(kernel, side // 2 + across * share, side // 2 + down * share)
    return np.asarray(cv2.filter2D(light, -1, kernel / kernel.sum()), np.float32)


def _drop(kernel: NDArray[np.float32], x: float, y: float) -> None:
    """One unit of light at a place between cells."""
    left, top = int(np.floor(x)), int(np.floor(y))
    for column, across in ((left, 1 - (x - left)), (left + 1, x - left)):
        for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
            kernel[row, column] += across * down


def _defocused(light: Linear, radius: float) -> Linear:
    if radius < 0.3:
        return light
    side = 2 * int(np.ceil(radius)) + 3
    axis = np.arange(side, dtype=np.float32) - side // 2
    away = np.hypot(axis[None, :], axis[:, None])
    kernel = np.clip(np.float32(radius) + 0.5 - away, 0, 1)
    return np.asarray(cv2.filter2D(light, -1, kernel / kernel.sum()), np.float32)
