"""The pictures of a die that are kept on the way to its enrolment: files named by their faces, and what each of them shows."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from companion.errors import BadInputError
from companion.files import write_whole
from companion.service.offering import jpeg, png
from vision.dice.enrolled import (
    BLANK,
    SUFFIXES,
    EnrolledDie,
    EnrolledFace,
    find_pictures,
    is_flat,
    is_photograph,
    photograph,
)
from vision.dice.faces import FaceView, Symbol, symbol_of_picture
from vision.dice.identify import read_face
from vision.dice.taking import Taken, taken_again
from vision.errors import BadDiceError
from vision.frame import Image

_COUNTED = re.compile(r".*-\d+")
_LONGEST = 40
_SMALL_PX = 160


@dataclass(frozen=True, slots=True, eq=False)
class KeptFace:
    """A picture of a face."""

    path: Path
    face: str
    symbol: Symbol | None
    """None on a blank face, and where the file shows nothing that could be one."""
    ground: tuple[float, float, float] | None
    """Blue, green, red of the die; None of a flat picture of the symbol alone."""
    small: bytes
    """For the page, JPEG."""


class KeptFaces:
    """A directory of them. Not safe for threads by itself."""

    def __init__(self, folder: Path, sides: int) -> None:
        """Raises BadInputError where the directory can't be used or a picture in it can't be read."""
        self.folder = folder
        self.sides = sides
        try:
            folder.mkdir(parents=True, exist_ok=True)
            pictures = find_pictures(folder) if _has_pictures(folder) else []
        except OSError as error:
            raise BadInputError(f"{folder}: pictures can't be kept there ({error.strerror})") from None
        self._kept = {path.name: self._of_file(face, path) for face, path in pictures}

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[KeptFace]:
        return iter(self._kept.values())

    def get(self, file: str) -> KeptFace | None:
        """The picture of this file name."""
        return self._kept.get(file)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the faces, in the order in which they were kept."""
        return tuple(dict.fromkeys(kept.face for kept in self._kept.values()))

    @property
    def colour(self) -> tuple[int, int, int] | None:
        """Red, green, blue of the die so far; None without a photograph."""
        grounds = [kept.ground for kept in self._kept.values() if kept.ground is not None]
        if not grounds:
            return None
        blue, green, red = (round(float(level)) for level in np.median(np.array(grounds), axis=0))
        return red, green, blue

    def like(self, view: FaceView) -> str | None:
        """The kept face that a face looks like, `blank` included; None where it looks like none, or like several."""
        symbols: dict[str, list[Symbol]] = {BLANK: []}
        for kept in self._kept.values():
            symbols.setdefault(kept.face, []).extend([kept.symbol] if kept.symbol is not None else [])
        faces = tuple(EnrolledFace(name, tuple(found)) for name, found in symbols.items())
        return read_face(view, [EnrolledDie("so far", self.sides, faces)]).symbol

    def add(self, face: str, taken: Taken) -> KeptFace:
        """Keeps a take as a picture of a face, in a file of its own. Raises BadInputError."""
        path = self._written(face, photograph(taken.picture))
        symbol = None if face == BLANK else taken.symbol
        kept = KeptFace(path, face, symbol, taken.view.ground, _small(taken.picture))
        self._kept[path.name] = kept
        return kept

    def add_flat(self, face: str, picture: Image) -> KeptFace:
        """Keeps a flat picture of a symbol. Raises BadInputError."""
        symbol = symbol_of_picture(picture) if is_flat(picture) else None
        if symbol is None:
            raise BadInputError(
                "this is no flat picture of a symbol: draw it in one colour on a plain ground, with a margin all round"
            )
        path = self._written(face, png(picture))
        self._kept[path.name] = KeptFace(path, face, symbol, None, _small(picture))
        return self._kept[path.name]

    def remove(self, file: str) -> None:
        """Throws a picture away. Raises BadInputError where there is none of that name."""
        kept = self._kept.get(file)
        if kept is None:
            raise BadInputError(f"{file!r} is not among the kept pictures")
        further = [other for other in self._kept.values() if other.face == kept.face and other is not kept]
        try:
            if kept.path.stem == kept.face and further:
                # Without a file of its plain name `strike-2` would be a face of its own.
                plain = further[0].path.with_name(f"{kept.face}{further[0].path.suffix}")
                further[0].path.replace(plain)
                if plain != kept.path:
                    kept.path.unlink(missing_ok=True)
            else:
                kept.path.unlink(missing_ok=True)
        except OSError as error:
            raise BadInputError(f"{kept.path}: can't be thrown away ({error.strerror})") from None
        self._kept = {path.name: self._of_file(face, path) for face, path in self._files()}

    def _files(self) -> list[tuple[str, Path]]:
        return find_pictures(self.folder) if _has_pictures(self.folder) else []

    def _of_file(self, face: str, path: Path) -> KeptFace:
        data = path.read_bytes()
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
        if image is None:
            raise BadInputError(f"{path}: not a picture that can be read; throw it away, or save it again as PNG")
        picture = image.astype(np.uint8, copy=False)
        if is_flat(picture) and not is_photograph(data):
            return KeptFace(path, face, None if face == BLANK else symbol_of_picture(picture), None, _small(picture))
        taken = taken_again(picture, self.sides)
        symbol = None if taken is None or face == BLANK else taken.symbol
        return KeptFace(path, face, symbol, None if taken is None else taken.view.ground, _small(picture))

    def _written(self, face: str, data: bytes) -> Path:
        names = {kept.path.stem for kept in self._kept.values()}
        stem = face if face not in names else next(f"{face}-{n}" for n in range(2, 1000) if f"{face}-{n}" not in names)
        path = self.folder / f"{stem}.png"
        write_whole(path, lambda stream: stream.write(data))
        return path


def face_name(text: str) -> str:
    """The name, where it can name a face and its file. Raises BadInputError."""
    name = text.strip()
    if not name:
        raise BadInputError("give the face a name: what it shows, or blank")
    if len(name) > _LONGEST or not name.isprintable() or set(name) & set("/\\") or name[0] in ".-":
        raise BadInputError(
            f"{name[:_LONGEST]!r} can't be the name of a face: make it short, without / and no dot first"
        )
    if _COUNTED.fullmatch(name):
        raise BadInputError(
            f"{name!r} can't be the name of a face: a number after a dash counts the pictures of one face; "
            f"write {name.replace('-', ' ')!r}"
        )
    return name


def has_pictures(folder: Path) -> int:
    """How many pictures of faces lie in a directory; 0 where there is none."""
    try:
        return sum(path.suffix.lower() in SUFFIXES for path in folder.iterdir())
    except OSError:
        return 0


def copied(source: Path, folder: Path) -> None:
    """Copies the pictures of a directory. Raises BadInputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for _, path in find_pictures(source):
            shutil.copyfile(path, folder / path.name)
    except (OSError, BadDiceError) as error:
        raise BadInputError(f"{folder}: the die's pictures can't be copied there ({error})") from None


def _has_pictures(folder: Path) -> bool:
    return has_pictures(folder) > 0


def _small(picture: Image) -> bytes:
    factor = min(1.0, _SMALL_PX / max(picture.shape[:2]))
    return jpeg(cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA))
