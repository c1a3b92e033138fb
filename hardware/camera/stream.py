"""A network stream (http, https, rtsp, rtsps), as IP cameras and phones give it. Passwords in its address are never shown."""

from __future__ import annotations

import time

import cv2
import numpy as np

from hardware.camera.address import shown_url
from hardware.camera.base import Shot, TimeKind
from hardware.camera.settings import CameraSettings
from hardware.errors import CameraError, CameraLostError

LATE_NS = 500_000_000
"""How late a picture may arrive: encoder, network and decoder each hold some frames."""


class StreamCamera:
    """A live stream at an address."""

    def __init__(self, url: str, settings: CameraSettings) -> None:
        """Raises CameraError where nothing answers in time."""
        self.name = shown_url(url)
        self.time_kind = TimeKind.ARRIVAL
        self.recorded = False
        waits = [
            *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, round(settings.open_timeout_s * 1000)),
            *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, round(settings.read_timeout_s * 1000)),
        ]
        self._video = cv2.VideoCapture(url, cv2.CAP_FFMPEG, waits)
        if not self._video.isOpened():
            raise CameraError(
                f"{self.name}: no stream there; check address, user and password, and that the camera is on the network"
            )

    def read(self) -> Shot:
        """The next picture. Raises CameraLostError where the stream ends or stalls."""
        try:
            there, image = self._video.read()
        except cv2.error as error:
            raise CameraError(f"{self.name}: a picture can't be decoded ({error.err})") from None
        t_ns = time.monotonic_ns()
        if not there or image is None:
            raise CameraLostError(f"{self.name}: the stream ended")
        return Shot(image.astype(np.uint8, copy=False), t_ns, LATE_NS)

    def close(self) -> None:
        """Hangs up."""
        self._video.release()
