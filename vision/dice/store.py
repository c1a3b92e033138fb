"""Enrolled dice kept under the user's data directory, and the resolving of a name or a path; symbols are cached by content.

A named die holds its pictures, so that it outlives the folder that they came from, and `die.json` with its number of sides.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from vision.cards.cache import cache_directory
from vision.cards.store import data_directory
from vision.dice.enrolled import EnrolledDie, EnrolledFace, Progress, enrol_die, find_pictures
from vision.dice.faces import SYMBOL_PX, Symbol
from vision.errors import BadDiceError

FORMAT_VERSION = 2
_SIDES_FILE = "die.json"
_NAME_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def check_die_name(name: str) -> str:
    """The name, where it can name a die. Raises BadDiceError."""
    if not 0 < len(name) <= 64 or not set(name) <= _NAME_LETTERS or name[0] in ".-_":
        raise BadDiceError(
            f"die name {name!r}: begin with a letter or digit, go on with those, dots, dashes, underscores"
        )
    return name


def resolve_die(name_or_dir: str | Path, sides: int | None = None) -> EnrolledDie:
    """The die of a name or of a directory of pictures. Raises BadDiceError."""
    directory = _directory(name_or_dir)
    return kept_die(directory, directory.resolve().name, sides or _stated_sides(directory))


def _directory(name_or_dir: str | Path) -> Path:
    path = Path(name_or_dir)
    if path.is_dir():
        return path
    dice = data_directory() / "dice"
    name = str(name_or_dir)
    if set(name) <= _NAME_LETTERS and (dice / name).is_dir():
        return dice / name
    known = sorted(p.name for p in dice.iterdir() if p.is_dir() and p.name[0] != ".") if dice.is_dir() else []
    names = (
        f"enrolled are {', '.join(known)}" if known else "no die is enrolled yet (hoshiban enrol-die DIR --die NAME)"
    )
    raise BadDiceError(f"die {name_or_dir}: neither a directory of pictures nor an enrolled die; {names}")


def _stated_sides(directory: Path) -> int | None:
    try:
        sides = json.loads((directory / _SIDES_FILE).read_text())["sides"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return sides if sides in {8, 10} else None


def kept_die(directory: Path, name: str, sides: int | None, progress: Progress | None = None) -> EnrolledDie:
    """The die of a directory's pictures, from the cache where exactly these were enrolled before. Raises BadDiceError."""
    path = cache_directory() / "dice" / f"{_digest(directory, sides)}.npz"
    known = _load(path, name)
    if known is not None:
        return known
    die = enrol_die(directory, name, sides, progress)
    _store(path, die)
    return die


def install_die(directory: Path, name: str, sides: int | None) -> Path:
    """Copies a directory's pictures to the die `name` in one step. Raises BadDiceError."""
    dice = data_directory() / "dice"
    target = dice / check_die_name(name)
    if target.resolve() == directory.resolve():
        return target
    pictures = find_pictures(directory)
    try:
        dice.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=dice, prefix="."))
        old = Path(tempfile.mkdtemp(dir=dice, prefix="."))
        try:
            for _, path in pictures:
                shutil.copyfile(path, fresh / path.name)
            (fresh / _SIDES_FILE).write_text(json.dumps({"sides": sides}))
            fresh.chmod(0o755)
            if target.exists():
                target.replace(old / name)
            fresh.replace(target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        reason = error.strerror or error
        raise BadDiceError(f"{dice}: the die can't be stored there ({reason}); set HOSHIBAN_DATA") from error
    return target


def _digest(directory: Path, sides: int | None) -> str:
    digest = hashlib.sha256(f"{FORMAT_VERSION} {sides}".encode())
    for _, path in find_pictures(directory):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _store(path: Path, die: EnrolledDie) -> None:
    """Best effort: a full disk or a read-only home costs time at the next start, nothing else."""
    symbols = [(face.name, symbol) for face in die.faces for symbol in face.symbols]
    ink = (
        np.stack([symbol.ink for _, symbol in symbols]) if symbols else np.zeros((0, SYMBOL_PX, SYMBOL_PX), np.float32)
    )
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(
                    file,
                    faces=np.array([face.name for face in die.faces], np.str_),
                    names=np.array([name for name, _ in symbols], np.str_),
                    ink=ink,
                    places=np.array([(s.size, *s.offset) for _, s in symbols], np.float64).reshape(-1, 3),
                    sides=np.array(die.sides or 0),
                    colour=np.array(die.colour if die.colour is not None else (), np.int64),
                )
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def _load(path: Path, name: str) -> EnrolledDie | None:
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as content:
            symbols: dict[str, list[Symbol]] = {str(face): [] for face in content["faces"]}
            for face, ink, place in zip(content["names"], content["ink"], content["places"], strict=True):
                size, across, down = (float(value) for value in place)
                symbols[str(face)].append(Symbol(np.ascontiguousarray(ink, np.float32), size, (across, down)))
            faces = tuple(EnrolledFace(face, tuple(found)) for face, found in symbols.items())
            colour = tuple(int(level) for level in content["colour"])
            sides = int(content["sides"]) or None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return EnrolledDie(name, sides, faces, (colour[0], colour[1], colour[2]) if len(colour) == 3 else None)
