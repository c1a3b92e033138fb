"""The Raspberry Pi's own camera through picamera2, which the system's Python has (`apt install python3-picamera2`).

Its pictures carry the sensor's time: start of exposure, on the host's monotonic clock.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from hardware.camera.base import Shot, TimeKind
from hardware.camera.settings import CameraSettings
from hardware.errors import CameraError, CameraLostError, CameraNotFoundError

T_ERR_NS = 1_000_000
"""The sensor stamps a whole picture, whose rows are exposed one after another; the stamp itself is good to microseconds."""
SETTLE_PICTURES = 30
"""Pictures after which exposure, white balance and focus are found, and locked."""
AF_MANUAL, AF_CONTINUOUS = 0, 2


class PiCamera:
    """A camera module on the ribbon cable."""

    def __init__(self, settings: CameraSettings) -> None:
        """Raises CameraNotFoundError where picamera2 or the camera is missing, CameraError where it is in use."""
        self.name = "picamera"
        self.time_kind = TimeKind.SENSOR
        self.recorded = False
        self._settings = settings
        self._read = 0
        self._closed = False
        self._camera = _open()
        try:
            self._start()
        except Exception as error:
            self.close()
            raise CameraError(f"picamera: can't be started ({error})") from None

    def read(self) -> Shot:
        """The next picture. Raises CameraLostError where the camera stops; may block where its cable is loose."""
        try:
            request = self._camera.capture_request()
            try:
                metadata = request.get_metadata()
                # "RGB888" is blue, green, red in memory; the array is a copy, so the camera gets its buffer back at once.
                image = request.make_array("main")
            finally:
                request.release()
        except (RuntimeError, OSError) as error:
            raise CameraLostError(f"picamera: {error}") from None
        self._read += 1
        if self._read == SETTLE_PICTURES and self._settings.locked:
            self._camera.set_controls(found_controls(metadata, self._settings))
        return Shot(image, exposure_start_ns(metadata), T_ERR_NS)

    def close(self) -> None:
        """Stops the camera. May be called twice."""
        if not self._closed:
            self._closed = True
            self._camera.stop()
            self._camera.close()

    def _start(self) -> None:
        asked = self._settings
        step_us = round(1e6 / asked.fps)
        config = self._camera.create_video_configuration(
            main={"size": (asked.width, asked.height), "format": "RGB888"},
            controls={"FrameDurationLimits": (step_us, step_us), **asked_controls(asked, self._camera.camera_controls)},
            buffer_count=4,
        )
        self._camera.configure(config)
        self._camera.start()


def exposure_start_ns(metadata: dict[str, Any]) -> int:
    """Start of exposure: the sensor stamps the first row's read-out (ns), which is one exposure time (us) later.

    Raises CameraError where the camera gives no stamp, since then nothing is known of the picture's time.
    """
    stamp = metadata.get("SensorTimestamp")
    if not stamp:
        raise CameraError("picamera: a picture came without the sensor's time; not used")
    return int(stamp) - int(metadata.get("ExposureTime", 0)) * 1000


def asked_controls(asked: CameraSettings, has: Any = MappingProxyType({})) -> dict[str, Any]:
    """libcamera's controls for the settings that were given. `has`: the controls that this camera knows."""
    controls: dict[str, Any] = {}
    if asked.exposure_us is not None:
        controls |= {"AeEnable": False, "ExposureTime": asked.exposure_us}
    if asked.gain is not None:
        controls |= {"AeEnable": False, "AnalogueGain": asked.gain}
    if asked.colour_gains is not None:
        controls |= {"AwbEnable": False, "ColourGains": asked.colour_gains}
    if asked.focus is not None:
        controls |= {"AfMode": AF_MANUAL, "LensPosition": asked.focus}
    elif "AfMode" in has:
        controls |= {"AfMode": AF_CONTINUOUS}
    return controls


def found_controls(metadata: dict[str, Any], asked: CameraSettings) -> dict[str, Any]:
    """Controls that keep what the camera has found for itself, where the settings give nothing."""
    controls: dict[str, Any] = {"AeEnable": False, "AwbEnable": False}
    given = {"ExposureTime": asked.exposure_us, "AnalogueGain": asked.gain, "ColourGains": asked.colour_gains}
    controls |= {key: metadata[key] for key, value in given.items() if value is None and key in metadata}
    if asked.focus is None and "LensPosition" in metadata:
        controls |= {"AfMode": AF_MANUAL, "LensPosition": metadata["LensPosition"]}
    return controls


def _open() -> Any:
    try:
        from picamera2 import Picamera2
    except ImportError as error:
        raise CameraNotFoundError(
            f"picamera: picamera2 is not installed ({error}); on a Raspberry Pi: sudo apt install python3-picamera2"
        ) from None
    try:
        return Picamera2()
    except IndexError:
        raise CameraNotFoundError("picamera: no camera module is found; check its ribbon cable at both ends") from None
    except Exception as error:
        raise CameraError(f"picamera: can't be opened ({error}); is another program using it?") from None
