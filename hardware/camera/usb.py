"""A USB camera through V4L2. Plug it in; `/dev/video0` is usually the first.

Its pictures carry the time at which they arrived: start of exposure lies up to two frames earlier, which is too coarse to
order touches.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

import cv2
import numpy as np

from hardware.camera.base import Shot, TimeKind
from hardware.camera.settings import CameraSettings
from hardware.errors import CameraError, CameraLostError, CameraNotFoundError

log = logging.getLogger("hardware.camera.usb")

FRAMES_LATE = 2
"""A picture may wait this many frame times in the camera and its driver before it arrives."""
DECODE_NS = 20_000_000
"""Transfer and decoding, at most."""
V4L2_MANUAL_EXPOSURE = 1
V4L2_AUTO_EXPOSURE = 3
LOCK_AFTER = 30
"""Pictures after which the camera has found its exposure, white balance and focus, and they are locked."""


class UsbCamera:
    """A camera at `/dev/videoN`."""

    def __init__(self, device: str, settings: CameraSettings) -> None:
        """`device`: a path, or a bare index. Raises CameraNotFoundError, or CameraError where it can't be used."""
        path = f"/dev/video{device}" if device.isdigit() else device
        self.name = path
        self.time_kind = TimeKind.ARRIVAL
        self.recorded = False
        self._settings = settings
        self._read = 0
        _check(path)
        self._video = cv2.VideoCapture(path, cv2.CAP_V4L2)
        if not self._video.isOpened():
            raise CameraError(f"{path}: can't be opened; it is in use by another program, or no camera")
        self._ask()
        fps = self._video.get(cv2.CAP_PROP_FPS)
        step_s = 1 / fps if 1 <= fps <= 240 else 1 / min(settings.fps, 30.0)
        self._t_err_ns = round(FRAMES_LATE * step_s * 1e9) + DECODE_NS

    def read(self) -> Shot:
        """The next picture. Raises CameraLostError where none comes."""
        try:
            there, image = self._video.read()
        except cv2.error as error:
            raise CameraError(f"{self.name}: a picture can't be decoded ({error.err})") from None
        t_ns = time.monotonic_ns()
        if not there or image is None:
            raise CameraLostError(f"{self.name}: gives no picture")
        self._read += 1
        if self._read == 1:
            self._warn_of_size(image.shape[1], image.shape[0])
        if self._read == LOCK_AFTER and self._settings.locked:
            self._lock()
        return Shot(image.astype(np.uint8, copy=False), t_ns, self._t_err_ns)

    def close(self) -> None:
        """Lets the device go."""
        self._video.release()

    def _ask(self) -> None:
        """Compressed pictures first: without MJPG a USB 2 camera gives full HD at 5 a second."""
        settings, video = self._settings, self._video
        video.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        video.set(cv2.CAP_PROP_FRAME_WIDTH, settings.width)
        video.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.height)
        video.set(cv2.CAP_PROP_FPS, settings.fps)
        video.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if settings.exposure_us is not None:
            video.set(cv2.CAP_PROP_AUTO_EXPOSURE, V4L2_MANUAL_EXPOSURE)
            # V4L2 counts exposure in steps of 100 microseconds.
            video.set(cv2.CAP_PROP_EXPOSURE, round(settings.exposure_us / 100))
        if settings.gain is not None:
            video.set(cv2.CAP_PROP_GAIN, settings.gain)
        if settings.white_balance_k is not None:
            video.set(cv2.CAP_PROP_AUTO_WB, 0)
            video.set(cv2.CAP_PROP_WB_TEMPERATURE, settings.white_balance_k)
        if settings.focus is not None:
            video.set(cv2.CAP_PROP_AUTOFOCUS, 0)
            video.set(cv2.CAP_PROP_FOCUS, settings.focus)

    def _lock(self) -> None:
        """Keeps what the camera has found for itself: exposure, white balance and focus that wander look like changes."""
        settings, video = self._settings, self._video
        if settings.exposure_us is None:
            found = video.get(cv2.CAP_PROP_EXPOSURE)
            video.set(cv2.CAP_PROP_AUTO_EXPOSURE, V4L2_MANUAL_EXPOSURE)
            if found > 0:
                video.set(cv2.CAP_PROP_EXPOSURE, found)
        if settings.white_balance_k is None:
            video.set(cv2.CAP_PROP_AUTO_WB, 0)
        if settings.focus is None:
            video.set(cv2.CAP_PROP_AUTOFOCUS, 0)

    def _warn_of_size(self, width: int, height: int) -> None:
        asked = self._settings
        if (width, height) != (asked.width, asked.height):
            log.warning(
                "%s: gives %dx%d px instead of %dx%d; set camera.width and camera.height to a size that it has",
                *(self.name, width, height, asked.width, asked.height),
            )


def _check(path: str) -> None:
    """Raises where the device is not there or may not be opened."""
    if not Path(path).exists():
        found = sorted(str(p) for p in Path("/dev").glob("video*"))
        there = f"there are {', '.join(found)}" if found else "no camera is plugged in"
        raise CameraNotFoundError(f"{path}: no such camera; {there}")
    if not os.access(path, os.R_OK | os.W_OK):
        raise CameraError(f"{path}: may not be opened; add this user to the group video and log in again")
