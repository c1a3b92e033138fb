"""What may be asked of a camera; sources take what they understand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """Size, rate and locks of a live camera. None leaves a value to the camera.

    Recorded sources have their own sizes and times and use none of it.
    """

    width: int = 1920
    """px; cameras give the nearest size that they have."""
    height: int = 1080
    fps: float = 30.0
    """Pictures a second asked for."""
    locked: bool = True
    """Exposure, white balance and focus stay as they are after the first second (or as given below)."""
    exposure_us: int | None = None
    """Exposure time, microseconds."""
    gain: float | None = None
    """Analogue gain, 1 = none (picamera) or the driver's own units (USB)."""
    colour_gains: tuple[float, float] | None = None
    """Red and blue gain of the white balance (picamera)."""
    white_balance_k: int | None = None
    """Colour temperature, kelvin (USB)."""
    focus: float | None = None
    """Lens position: dioptres (picamera) or the driver's own units (USB)."""
    open_timeout_s: float = 8.0
    """Network streams: longest wait for the connection."""
    read_timeout_s: float = 4.0
    """Network streams: longest wait for a picture."""
