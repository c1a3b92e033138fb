"""A video file, read as fast as it is taken, with the times of its own frames."""

from __future__ import annotations

import logging
import math
from pathlib import Path

import cv2
import numpy as np

from hardware.camera.base import Shot, TimeKind
from hardware.errors import CameraError, CameraNotFoundError

log = logging.getLogger("hardware.camera.video")

USUAL_FPS = 30.0
BELIEVABLE_FPS = (0.5, 480.0)
LONGEST_GAP_S = 3600.0
MISSING_SHARE = 0.02
"""Containers count their frames a little wrong; so much less than announced is a file that was cut."""


class VideoCamera:
    """Hands out the frames of a video file; times are those since its start."""

    def __init__(self, path: str | Path) -> None:
        """Raises CameraNotFoundError where there is no file and CameraError where it is no video."""
        self.name = str(path)
        self.time_kind = TimeKind.MEDIA
        self.recorded = True
        if not Path(path).is_file():
            raise CameraNotFoundError(f"{path}: no such video file")
        self._video = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        if not self._video.isOpened():
            raise CameraError(f"{path}: can't be read as a video; it is cut short, damaged or of another kind")
        self._clock = MediaClock(self._video.get(cv2.CAP_PROP_FPS))
        self._announced = self._video.get(cv2.CAP_PROP_FRAME_COUNT)
        self._frames = 0

    def read(self) -> Shot | None:
        """The next frame, or None at the end. A file that ends before it should logs a warning."""
        try:
            there, image = self._video.read()
        except cv2.error as error:
            raise CameraError(f"{self.name}: frame {self._frames} can't be decoded ({error.err})") from None
        if not there or image is None:
            self._warn_if_cut()
            return None
        self._frames += 1
        t_ns = self._clock.at(self._video.get(cv2.CAP_PROP_POS_MSEC))
        return Shot(image.astype(np.uint8, copy=False), t_ns, self._clock.t_err_ns)

    def close(self) -> None:
        """Lets the file go."""
        self._video.release()

    def _warn_if_cut(self) -> None:
        announced = self._announced
        if self._frames == 0:
            raise CameraError(f"{self.name}: holds no frame that can be read; it is damaged or cut short")
        if math.isfinite(announced) and announced > 0 and self._frames < announced * (1 - MISSING_SHARE) - 1:
            log.warning(
                "%s: ends after %d of its %d frames; the file is cut short or damaged, its end was not seen",
                *(self.name, self._frames, int(announced)),
            )


class MediaClock:
    """Frame times that only rise, from what a container says of them.

    A container's time stamps are taken where they rise; where they are missing, stand still or go back, the frame comes one
    usual step after the last. The announced rate is only a first guess at that step: it is often wrong.
    """

    def __init__(self, announced_fps: float) -> None:
        low, high = BELIEVABLE_FPS
        fps = announced_fps if math.isfinite(announced_fps) and low <= announced_fps <= high else USUAL_FPS
        self._step_ns = round(1e9 / fps)
        self._last_ns: int | None = None

    @property
    def t_err_ns(self) -> int:
        """Half a frame's step."""
        return self._step_ns // 2

    def at(self, stamp_ms: float) -> int:
        """Nanoseconds since the start, of a frame that the container stamps so."""
        stamp_ns = round(stamp_ms * 1e6) if math.isfinite(stamp_ms) and stamp_ms >= 0 else -1
        last = self._last_ns
        if last is None:
            now = stamp_ns if 0 <= stamp_ns < LONGEST_GAP_S * 1e9 else 0
        elif last < stamp_ns < last + LONGEST_GAP_S * 1e9:
            now = stamp_ns
            # An eighth of each new step follows a changed rate without believing one odd frame.
            self._step_ns += (stamp_ns - last - self._step_ns) // 8
        else:
            now = last + self._step_ns
        self._last_ns = now
        return now
