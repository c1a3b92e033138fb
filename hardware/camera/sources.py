"""From a source's name, as users give it, to the factory that opens it in the capture process."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

from hardware.camera.address import shown_url
from hardware.camera.base import Camera, CameraFactory
from hardware.camera.settings import CameraSettings
from hardware.errors import BadSourceError

ACCEPTED = "a source is `picamera`, /dev/video0 (or 0), an http or rtsp address, a video, a directory of pictures, or `virtual`"
SYSTEM_PYTHON = "/usr/bin/python3"
PICTURES = frozenset({".jpg", ".jpeg", ".png"})

_DEVICE = re.compile(r"/dev/video\d+|\d{1,3}")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_STREAMS = ("http", "https", "rtsp", "rtsps")


def camera_factory(source: str, settings: CameraSettings | None = None) -> CameraFactory:
    """What opens `source` in the capture process; it pickles. Nothing is opened here.

    Raises BadSourceError where the name means nothing, or names a path that does not exist. `virtual` is the companion's.
    """
    settings = settings if settings is not None else CameraSettings()
    if source == "picamera":
        return partial(open_picam, settings)
    if _DEVICE.fullmatch(source):
        return partial(open_usb, source, settings)
    if (scheme := _SCHEME.match(source)) is not None:
        if scheme[1].lower() not in _STREAMS:
            raise BadSourceError(f"{scheme[1]}: is no kind of stream that can be read; {ACCEPTED}")
        shown_url(source)
        return partial(open_stream, source, settings)
    path = Path(source)
    if source and path.is_dir():
        return partial(open_directory, source)
    if path.is_file():
        if path.suffix.lower() in PICTURES:
            raise BadSourceError(f"{source}: is a single picture; give the directory that it lies in")
        return partial(open_video, source)
    if source and path.exists():
        raise BadSourceError(f"{source}: is neither a file nor a directory; {ACCEPTED}")
    raise BadSourceError(f"{source!r}: no such file or directory; {ACCEPTED}")


def is_recorded(source: str) -> bool:
    """True for a directory or a file: a source that ends and loses nothing."""
    return bool(source) and (Path(source).is_dir() or Path(source).is_file())


def python_for(source: str) -> str:
    """The Python in which a source can be opened: the system's, for a picamera2 that only the system has."""
    if source != "picamera" or importlib.util.find_spec("picamera2") is not None:
        return sys.executable
    if not Path(SYSTEM_PYTHON).exists():
        return sys.executable
    found = subprocess.run(
        [SYSTEM_PYTHON, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('picamera2') is None)"],
        check=False,
        capture_output=True,
        timeout=20,
    )
    return SYSTEM_PYTHON if found.returncode == 0 else sys.executable


def open_picam(settings: CameraSettings) -> Camera:
    """Opens the Raspberry Pi's own camera."""
    from hardware.camera.picam import PiCamera

    return PiCamera(settings)


def open_usb(device: str, settings: CameraSettings) -> Camera:
    """Opens a V4L2 camera."""
    from hardware.camera.usb import UsbCamera

    return UsbCamera(device, settings)


def open_stream(url: str, settings: CameraSettings) -> Camera:
    """Opens a network stream."""
    from hardware.camera.stream import StreamCamera

    return StreamCamera(url, settings)


def open_directory(directory: str) -> Camera:
    """Opens a directory of pictures."""
    from hardware.camera.directory import DirectoryCamera

    return DirectoryCamera(directory)


def open_video(path: str) -> Camera:
    """Opens a video file."""
    from hardware.camera.video import VideoCamera

    return VideoCamera(path)


def shown_source(source: str) -> str:
    """The source's name for logs and pages: an address without its secrets."""
    if _SCHEME.match(source) is None:
        return source
    return shown_url(source)
