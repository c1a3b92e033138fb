"""What is known of a die beforehand: the symbols on its faces, from pictures of the die or flat pictures of the symbols.

A directory holds a picture a face, `<face>.jpg` or `.png`, and further ones of the same face as `<face>-2.jpg`. The face named
`blank` bears no symbol. Flat pictures (one dark symbol on a light ground, or the reverse) and photographs of the die lying with
that face up may be mixed. With flat pictures the die's other faces are taken to be blank.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.dice.faces import FaceView, Symbol, lay_flat, symbol_of_face, symbol_of_picture
from vision.dice.picture import FoundDie, find_die
from vision.errors import BadDiceError
from vision.frame import Image

BLANK = "blank"
"""Name of a face without a symbol."""
SUFFIXES = (".png", ".jpg", ".jpeg")
_SAME_FACE = re.compile(r"(?P<face>.+?)(-\d+)?")
_FLAT_SHARE = 0.93
"""Share of a flat picture's pixels that are near its darkest or its lightest."""
_MARK = b"tEXtSource\0photograph of a die"
_AFTER_HEADER = 33
"""Bytes of a PNG's signature and header."""
LEAST_CLEAR = 0.45
"""Under this, nothing in a photograph is enough like a die."""

Progress = Callable[[Path], None]


@dataclass(frozen=True, slots=True, eq=False)
class EnrolledFace:
    """A face by its name and what it may look like. Blank where there is no symbol."""

    name: str
    symbols: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True, eq=False)
class EnrolledDie:
    """A die that may lie on the table."""

    name: str
    sides: int | None
    """8 or 10; None where any die may bear these symbols."""
    faces: tuple[EnrolledFace, ...]
    """By name, blank ones included."""
    colour: tuple[int, int, int] | None = None
    """Red, green, blue of its ground in the photographs; None from flat pictures."""

    @property
    def has_blank(self) -> bool:
        """Whether a face may be blank."""
        return any(face.name == BLANK for face in self.faces)


def find_pictures(directory: Path) -> list[tuple[str, Path]]:
    """Each picture of a directory with the name of its face, in order. Raises BadDiceError where there is none."""
    if not directory.is_dir():
        raise BadDiceError(
            f"{directory}: no such directory; name the one that holds a picture a face, <face>.jpg or .png"
        )
    paths = sorted(path for path in directory.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    if not paths:
        raise BadDiceError(f"{directory}: no pictures there; put in one a face, named <face>.jpg or <face>.png")
    stems = {path.stem for path in paths}
    return [(_face_of(path.stem, stems), path) for path in paths]


def _face_of(stem: str, stems: set[str]) -> str:
    """The face's name: `strike-2` is another picture of `strike` where there is a `strike`."""
    match = _SAME_FACE.fullmatch(stem)
    face = match["face"] if match is not None else stem
    return face if face in stems else stem


def enrol_die(directory: Path, name: str, sides: int | None = None, progress: Progress | None = None) -> EnrolledDie:
    """The die of a directory's pictures. Raises BadDiceError where a picture can't be read or shows no die."""
    symbols: dict[str, list[Symbol]] = {}
    colours = []
    flat = False
    for face, path in find_pictures(directory):
        data = path.read_bytes()
        image = _read(data, path)
        kept = symbols.setdefault(face, [])
        if is_flat(image) and not is_photograph(data):
            flat = True
            kept += _flat_symbol(image, face, path)
        else:
            view = _photographed(image, sides, path)
            colours.append(view.ground)
            kept += _symbol(view, face, path)
        if progress is not None:
            progress(path)
    if flat:
        symbols.setdefault(BLANK, [])
    faces = tuple(EnrolledFace(face, tuple(symbols[face])) for face in sorted(symbols))
    return EnrolledDie(name, sides, faces, _colour(colours))


def _read(data: bytes, path: Path) -> Image:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if image is None:
        raise BadDiceError(f"{path}: not a picture that can be read; save it again as JPEG or PNG")
    return image.astype(np.uint8, copy=False)


def photograph(image: Image) -> bytes:
    """A PNG that says of itself that it is a photograph: an even die with a bare face looks like a drawn symbol."""
    plain = bytes(cv2.imencode(".png", image)[1])
    chunk = struct.pack(">I", len(_MARK) - 4) + _MARK + struct.pack(">I", zlib.crc32(_MARK))
    return plain[:_AFTER_HEADER] + chunk + plain[_AFTER_HEADER:]


def is_photograph(data: bytes) -> bool:
    """Whether a picture's file says that of itself; others may be photographs all the same."""
    return _MARK in data[: 4 * _AFTER_HEADER]


def is_flat(image: Image) -> bool:
    """Whether a picture is a drawn symbol of one colour on another rather than a photograph."""
    scale = min(1.0, 400 / max(image.shape[:2]))
    small = (
        cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_NEAREST).reshape(-1, 3).astype(np.float32)
    )
    rim = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]]).astype(np.float32)
    ground = np.median(rim, axis=0)
    off = np.abs(small - ground).max(axis=1)
    if float((np.abs(rim - ground).max(axis=1) < 20).mean()) < 0.98:
        return False
    if off.max() < 25:
        return True
    ink = np.median(small[off > 0.7 * off.max()], axis=0)
    near = np.minimum(off, np.abs(small - ink).max(axis=1)) < 20
    return float(near.mean()) > _FLAT_SHARE


def _flat_symbol(image: Image, face: str, path: Path) -> list[Symbol]:
    symbol = symbol_of_picture(image)
    if face == BLANK:
        return []
    if symbol is None:
        raise BadDiceError(f"{path}: no symbol to be seen; draw it dark on a light ground, with a margin all round")
    return [symbol]


def _photographed(image: Image, sides: int | None, path: Path) -> FaceView:
    found = find_die(image, sides)
    if found is None or found.clear < LEAST_CLEAR:
        raise BadDiceError(
            f"{path}: no die found; photograph it from straight above on a plain ground, whole and near the middle"
        )
    return view_of(image, found)


def symbols_in(image: Image, sides: int | None, name: str) -> tuple[Symbol, ...]:
    """The symbol of a photograph of a die with that face up. Raises BadDiceError, which calls the picture `name`."""
    return tuple(_symbol(_photographed(image, sides, Path(name)), name, Path(name)))


def view_of(image: Image, found: FoundDie, which: int = 0) -> FaceView:
    """The top face of a die in a picture without a table, as its pose `which` has it."""
    pose = found.poses[which]
    return lay_flat(image, found.px(pose.shown_top()), pose.top())


def _symbol(view: FaceView, face: str, path: Path) -> list[Symbol]:
    if face == BLANK:
        return []
    symbol = symbol_of_face(view)
    if symbol is None:
        raise BadDiceError(f"{path}: no symbol on the top face; for a face without one name the picture blank.jpg")
    return [symbol]


def _colour(grounds: Sequence[tuple[float, float, float]]) -> tuple[int, int, int] | None:
    if not grounds:
        return None
    blue, green, red = (round(float(value)) for value in np.median(np.array(grounds), axis=0))
    return red, green, blue
