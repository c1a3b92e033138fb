"""The Pi camera's times and locks, with a stand-in for picamera2."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hardware.camera.base import TimeKind
from hardware.camera.picam import SETTLE_PICTURES, PiCamera, exposure_start_ns
from hardware.camera.settings import CameraSettings
from hardware.errors import CameraError, CameraLostError, CameraNotFoundError


class FakePicamera2:
    """As much of picamera2 as is used."""

    cameras = 1
    broken = False

    def __init__(self) -> None:
        if not self.cameras:
            raise IndexError("list index out of range")
        self.camera_controls = {"AfMode": (0, 2, 0)}
        self.set: list[dict[str, Any]] = []
        self.open_requests = 0
        self.log: list[str] = []

    def create_video_configuration(self, **config: Any) -> dict[str, Any]:
        return config

    def configure(self, config: dict[str, Any]) -> None:
        self.config = config

    def start(self) -> None:
        self.log.append("start")

    def stop(self) -> None:
        self.log.append("stop")

    def close(self) -> None:
        self.log.append("close")

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.set.append(controls)

    def capture_request(self) -> Any:
        if self.broken:
            raise RuntimeError("Camera frontend has timed out!")
        self.open_requests += 1
        return SimpleNamespace(
            get_metadata=lambda: {
                "SensorTimestamp": 5_000_000_000,
                "ExposureTime": 8_000,
                "AnalogueGain": 2.0,
                "ColourGains": (1.5, 1.7),
                "LensPosition": 1.25,
            },
            make_array=lambda _name: np.zeros((4, 6, 3), np.uint8),
            release=self._release,
        )

    def _release(self) -> None:
        self.open_requests -= 1


@pytest.fixture
def picamera2(monkeypatch: pytest.MonkeyPatch) -> type[FakePicamera2]:
    fake = type("Fake", (FakePicamera2,), {})
    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=fake))  # type: ignore[arg-type]
    return fake


def test_a_picture_is_timed_at_the_start_of_its_exposure(picamera2: type[FakePicamera2]) -> None:
    camera = PiCamera(CameraSettings())
    shot = camera.read()
    assert shot.t_ns == 5_000_000_000 - 8_000_000
    assert camera.time_kind is TimeKind.SENSOR
    assert camera._camera.open_requests == 0, "the camera has its buffer back"


def test_a_picture_without_the_sensors_time_is_not_used() -> None:
    with pytest.raises(CameraError, match="without the sensor's time"):
        exposure_start_ns({"ExposureTime": 1})


def test_exposure_white_balance_and_focus_are_locked_once_found(picamera2: type[FakePicamera2]) -> None:
    camera = PiCamera(CameraSettings())
    for _ in range(SETTLE_PICTURES + 5):
        camera.read()
    assert camera._camera.set == [
        {
            "AeEnable": False,
            "AwbEnable": False,
            "ExposureTime": 8_000,
            "AnalogueGain": 2.0,
            "ColourGains": (1.5, 1.7),
            "AfMode": 0,
            "LensPosition": 1.25,
        }
    ]


def test_given_settings_are_set_from_the_start_and_not_overwritten(picamera2: type[FakePicamera2]) -> None:
    camera = PiCamera(CameraSettings(width=640, height=480, fps=50, exposure_us=4_000, focus=2.0))
    asked = camera._camera.config
    assert asked["main"] == {"size": (640, 480), "format": "RGB888"}
    assert asked["controls"]["FrameDurationLimits"] == (20_000, 20_000)
    assert asked["controls"]["ExposureTime"] == 4_000
    assert asked["controls"]["LensPosition"] == 2.0
    for _ in range(SETTLE_PICTURES):
        camera.read()
    assert "ExposureTime" not in camera._camera.set[0]
    assert "LensPosition" not in camera._camera.set[0]


def test_a_camera_that_times_out_is_lost_and_closes_once(picamera2: type[FakePicamera2]) -> None:
    camera = PiCamera(CameraSettings())
    picamera2.broken = True
    with pytest.raises(CameraLostError, match="timed out"):
        camera.read()
    camera.close()
    camera.close()
    assert camera._camera.log == ["start", "stop", "close"]


def test_no_module_on_the_cable_and_no_picamera2_each_say_what_to_do(
    picamera2: type[FakePicamera2], monkeypatch: pytest.MonkeyPatch
) -> None:
    picamera2.cameras = 0
    with pytest.raises(CameraNotFoundError, match="ribbon cable"):
        PiCamera(CameraSettings())
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraNotFoundError, match="apt install python3-picamera2"):
        PiCamera(CameraSettings())
