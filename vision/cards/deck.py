"""A deck as the camera will know it: reference pictures in canonical form.

Scans are `<card-id>.png` or `.jpg` of a single card each, cut to the card's edges, at any resolution; `back.png` (or
`back-<name>.png`, for a deck with several backs) shows the other side. `vision.scans` has the names' whole grammar.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.features import Grid
from vision.errors import BadDeckScansError
from vision.frame import Image
from vision.observation import Face
from vision.scans import are_scans, is_back, side_of

CARD_MM = (63.0, 88.0)
FORMAT_VERSION = 4
"""Raised with every change of what a reference holds, so that no older cache is read."""

_CLOSE_QUALITY = 93
_MAX_ASPECT_ERROR = 0.06
_JPEG = b"\xff\xd8\xff"
_JPEG_SCAN = b"\xff\xda"
_JPEG_END = b"\xff\xd9"

Progress = Callable[[int, int, str], None]
"""Called with how many scans are done, how many there are, and the name of the last one."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One side of a card, in canonical form (portrait)."""

    card: str | None
    """The card's id; None for a back."""
    picture: Image
    """The canonical picture in full detail."""
    turned: bool
    """True where the card's own frame is landscape: its own top is the canonical picture's right side."""
    coded: bytes
    """The picture for the closer look, coded, which takes a tenth of the space."""

    def close_picture(self) -> Image:
        """The canonical picture at CLOSE_PX_PER_MM. Raises ValueError where the coded one isn't whole."""
        picture = decode_scan(self.coded)
        if picture is None:
            raise ValueError(f"{self.card or 'back'}: the picture for the closer look can't be decoded")
        return picture

    @property
    def face(self) -> Face:
        """Which side this is."""
        return Face.DOWN if self.card is None else Face.UP


@dataclass(frozen=True, slots=True, eq=False)
class EnrolledDeck:
    """Every side of a deck's cards, ready to be looked for."""

    name: str
    size_mm: tuple[float, float]
    """Short and long side of a card."""
    references: tuple[Reference, ...]
    """Cards by id, then backs."""
    digest: str
    """Of the scans' content and the card size; names the cache entry."""
    warnings: tuple[str, ...] = ()

    @property
    def cards(self) -> tuple[str, ...]:
        """The ids of the cards, sorted; one that has several pictures counts once."""
        return tuple(sorted({reference.card for reference in self.references if reference.card is not None}))

    @property
    def has_back(self) -> bool:
        """Whether a card that lies face down can be recognised."""
        return any(reference.card is None for reference in self.references)

    @property
    def grid(self) -> Grid:
        """How its cards are cut into cells."""
        return Grid.of(*self.size_mm)


def find_scans(directory: Path) -> tuple[Path, ...]:
    """The deck's scans by name. Raises BadDeckScansError where there are none, or two for one id."""
    if not directory.is_dir():
        what = "is a file, not a directory of scans" if directory.exists() else "no such directory of scans"
        raise BadDeckScansError(f"{directory}: {what}; give one that holds <card-id>.png and back.png")
    try:
        found = are_scans(directory.iterdir())
    except OSError as error:
        raise BadDeckScansError(f"{directory}: can't be listed ({error.strerror})") from error
    if all(is_back(side_of(path.stem)) for path in found):
        raise BadDeckScansError(f"{directory}: no scans of cards; name each one <card-id>.png or <card-id>.jpg")
    by_stem: dict[str, Path] = {}
    for path in found:
        if path.is_dir():
            raise BadDeckScansError(f"{path}: is a directory, where a scan of {path.stem} is expected")
        other = by_stem.setdefault(path.stem, path)
        if other is not path:
            raise BadDeckScansError(
                f"{directory}: {other.name} and {path.name} are both scans of {path.stem}; keep one, or name one of them "
                f"{path.stem}@2{path.suffix} if both shall count"
            )
    return found


def digest_of(scans: tuple[Path, ...], size_mm: tuple[float, float]) -> str:
    """A name for exactly these scans enrolled at this size."""
    total = hashlib.sha256(f"{FORMAT_VERSION} {size_mm[0]:.3f} {size_mm[1]:.3f}".encode())
    for path in scans:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise BadDeckScansError(f"{path}: can't be read ({error.strerror})") from error
        total.update(f"\0{path.name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()


def build_deck(
    scans: tuple[Path, ...],
    name: str,
    size_mm: tuple[float, float],
    digest: str,
    progress: Progress | None = None,
) -> EnrolledDeck:
    """Reads every scan. Raises BadDeckScansError that names the file that can't serve."""
    references = []
    for done, path in enumerate(scans, start=1):
        side = side_of(path.stem)
        references.append(make_reference(read_scan(path), None if is_back(side) else side, size_mm, str(path)))
        if progress is not None:
            progress(done, len(scans), path.name)
    references.sort(key=lambda reference: (reference.card is None, reference.card or ""))
    warnings = (
        ()
        if references[-1].card is None
        else (f"deck {name} has no back.png: a card that lies face down will be reported as unknown",)
    )
    return EnrolledDeck(name, size_mm, tuple(references), digest, warnings)


def read_scan(path: Path) -> Image:
    """A scan as 8-bit blue-green-red over white, turned upright where a camera noted how it was held.

    Raises BadDeckScansError.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadDeckScansError(f"{path}: can't be read ({error.strerror})") from error
    picture = decode_scan(data)
    if picture is None:
        raise BadDeckScansError(f"{path}: not a readable picture; scan this card again")
    if min(picture.shape[:2]) < 60:
        height, width = picture.shape[:2]
        raise BadDeckScansError(f"{path}: {width} x {height} px is too small for a scan; use 120 px or more a side")
    return picture


def decode_scan(data: bytes) -> Image | None:
    """A picture file's content as 8-bit blue-green-red over white; None where it is no whole picture."""
    is_jpeg = data.startswith(_JPEG)
    # Decoders fill the rest of a cut file with grey, and so would we enrol grey.
    if not data or (is_jpeg and data.rfind(_JPEG_END) < data.rfind(_JPEG_SCAN)):
        return None
    # Only without colour conversion is transparency kept, and then nothing is turned upright.
    flags = cv2.IMREAD_COLOR if is_jpeg else cv2.IMREAD_UNCHANGED
    with contextlib.suppress(cv2.error, MemoryError):  # raised for sizes that OpenCV refuses
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
        return None if picture is None else _as_colours(picture)
    return None


def _as_colours(picture: NDArray[Any]) -> Image | None:
    """8-bit blue-green-red over white, of 1 to 4 channels of 8 or 16 bits; None for others."""
    if picture.dtype == np.uint16:
        picture = (picture >> 8).astype(np.uint8)
    if picture.dtype != np.uint8:
        return None
    if picture.ndim == 2 or picture.shape[2] == 1:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    elif picture.shape[2] == 4:
        alpha = picture[..., 3:].astype(np.float32) / 255
        picture = picture[..., :3] * alpha + 255 * (1 - alpha)
    return picture.astype(np.uint8, copy=False)


def make_reference(picture: Image, card: str | None, size_mm: tuple[float, float], where: str) -> Reference:
    """One side of a card from its upright picture. Raises BadDeckScansError where its shape is not the card's."""
    height, width = picture.shape[:2]
    short, long = size_mm
    turned = width > height
    aspect = min(width, height) / max(width, height)
    if abs(aspect / (short / long) - 1) > _MAX_ASPECT_ERROR:
        raise BadDeckScansError(
            f"{where}: {width} x {height} px has not the shape of a {short:g} x {long:g} mm card; "
            "cut the scan to the card's edges or give the card's size"
        )
    if turned:
        picture = cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE).astype(np.uint8, copy=False)
    grid = Grid.of(short, long)
    close = cv2.imencode(".jpg", _shrink(picture, grid.close_size_px), [cv2.IMWRITE_JPEG_QUALITY, _CLOSE_QUALITY])[1]
    return Reference(card, _shrink(picture, grid.size_px), turned, close.tobytes())


def _shrink(picture: Image, size: tuple[int, int]) -> Image:
    smaller = picture.shape[1] >= size[0]
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_CUBIC).astype(np.uint8)
