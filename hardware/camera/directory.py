"""A directory of pictures, in the order of their names: each shows a settled table."""

from __future__ import annotations

import contextlib
from pathlib import Path

import cv2
import numpy as np

from hardware.camera.base import Image, Shot, TimeKind
from hardware.errors import CameraNotFoundError, UnreadablePictureError

SUFFIXES = frozenset({".jpg", ".jpeg", ".png"})

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"IEND\xaeB`\x82"
_JPEG = b"\xff\xd8\xff"
_JPEG_SCAN = b"\xff\xda"
_JPEG_END = b"\xff\xd9"


class DirectoryCamera:
    """Hands out the pictures of a directory, one a second of its time: `t_ns` is the picture's index, from 0, in seconds.

    An unreadable picture raises UnreadablePictureError, keeps its index, and the next `read` goes on after it. Files whose names
    begin with a dot, other files and sub-directories are passed over.
    """

    def __init__(self, directory: str | Path) -> None:
        """Raises CameraNotFoundError where the directory is missing or holds no picture."""
        self.name = str(directory)
        self.time_kind = TimeKind.MEDIA
        self.recorded = True
        self._paths = list_pictures(Path(directory))
        self._next = 0

    def read(self) -> Shot | None:
        """The next picture, or None after the last. Raises UnreadablePictureError."""
        if self._next >= len(self._paths):
            return None
        index, path = self._next, self._paths[self._next]
        self._next += 1
        return Shot(read_picture(path), index * 1_000_000_000, 0, path.name, settled=True)

    def close(self) -> None:
        """Nothing is held open."""


def list_pictures(directory: Path) -> list[Path]:
    """The pictures of a directory, ordered by name. Raises CameraNotFoundError where there are none to see."""
    try:
        paths = [path for path in directory.iterdir() if path.suffix.lower() in SUFFIXES and path.name[0] != "."]
    except FileNotFoundError:
        raise CameraNotFoundError(f"{directory}: no such directory") from None
    except NotADirectoryError:
        raise CameraNotFoundError(f"{directory}: is a file, not a directory of pictures") from None
    except OSError as error:
        raise CameraNotFoundError(f"{directory}: can't be listed ({error.strerror})") from None
    pictures = sorted(path for path in paths if not path.is_dir())
    if not pictures:
        raise CameraNotFoundError(f"{directory}: holds no picture; it must have .jpg, .jpeg or .png files in it")
    return pictures


def read_picture(path: str | Path) -> Image:
    """One picture file, turned upright where the camera noted how it was held.

    Raises UnreadablePictureError naming the file, for one that is missing, empty, cut short or no picture.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UnreadablePictureError(f"{path}: no such picture", path.name) from None
    except OSError as error:
        raise UnreadablePictureError(f"{path}: can't be read ({error.strerror})", path.name) from None
    fault = _fault(data)
    image = None
    if fault is None:
        # OpenCV raises on sizes that it refuses and returns None on what it can't decode.
        with contextlib.suppress(cv2.error, MemoryError):
            image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        fault = "can't be decoded as a picture; take or copy it again"
    if image is None:
        raise UnreadablePictureError(f"{path}: {fault}", path.name)
    return image.astype(np.uint8, copy=False)


def _fault(data: bytes) -> str | None:
    """What is plainly wrong with a picture file. Decoders fill the rest of a cut file with grey, and so would we see grey."""
    if not data:
        return "is empty; take or copy it again"
    if data.startswith(_JPEG):
        cut = data.rfind(_JPEG_END) < data.rfind(_JPEG_SCAN)
    elif data.startswith(_PNG):
        cut = _PNG_END not in data[-4096:]
    else:
        return None
    return "is cut short; copy it again" if cut else None
