"""What a sensor makes of a lit scene: blur of the optics, noise that grows with brightness, JPEG."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.virtual.look import TableLook

SPARE_PX = 61
"""How much larger the noise's bank is than a picture: each picture cuts out another part."""
UNIT = 32
"""Counts of the bank for one standard deviation."""


class Sensor:
    """Blur, noise and JPEG for pictures of one size. The noise depends on the look's seed and the picture's seed alone."""

    def __init__(self, size: tuple[int, int], look: TableLook) -> None:
        self._look = look
        self._size = size
        self._blur_px = look.blur_px * size[0] / 1280
        self._bank: NDArray[np.int16] | None = None
        grey = np.arange(256, dtype=np.float64)
        # Read noise and shot noise have equal shares at mid-grey.
        spread = look.noise * np.sqrt(0.5 + 0.5 * grey / 128)
        self._spread_of_grey = np.clip(np.round(spread * 16), 0, 255).astype(np.uint8)

    def blurred(self, picture: Image) -> Image:
        """The picture as the optics pass it on."""
        if self._blur_px <= 0:
            return picture
        reach = 2 * max(1, round(2.5 * self._blur_px)) + 1
        return cv2.GaussianBlur(picture, (reach, reach), self._blur_px).astype(np.uint8, copy=False)

    def spread(self, picture: Image) -> NDArray[np.int16]:
        """The noise's standard deviation at each pixel, in sixteenths."""
        return np.asarray(cv2.LUT(picture, self._spread_of_grey)).astype(np.int16)

    def noisy(self, picture: Image, spread: NDArray[np.int16], noise_seed: int) -> Image:
        """The picture with this seed's noise, and with the artefacts of JPEG where the look asks for them."""
        if self._look.noise > 0:
            width, height = self._size
            x, y = (int(v) for v in np.random.default_rng((self._look.seed, noise_seed)).integers(0, SPARE_PX, 2))
            cut = self._noise()[y : y + height, x : x + width]
            noise = cv2.multiply(cut, spread, scale=1 / (16 * UNIT))
            picture = cv2.add(picture, noise, dtype=cv2.CV_8U).astype(np.uint8, copy=False)
        if self._look.jpeg_quality is None:
            return picture if self._look.noise > 0 else picture.copy()
        packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, self._look.jpeg_quality])[1]
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)

    def _noise(self) -> NDArray[np.int16]:
        if self._bank is None:
            width, height = self._size
            rng = np.random.default_rng((self._look.seed, 5))
            shape = (height + SPARE_PX, width + SPARE_PX)
            grey = rng.standard_normal((*shape, 1), np.float32)
            colour = rng.standard_normal((*shape, 3), np.float32)
            mixed = 0.8 * grey + 0.6 * colour
            # Demosaicking smears noise over neighbours.
            smeared = cv2.GaussianBlur(mixed, (3, 3), 0.5)
            self._bank = np.clip(smeared / float(smeared[::7, ::7].std()) * UNIT, -4 * UNIT, 4 * UNIT).astype(np.int16)
        return self._bank
