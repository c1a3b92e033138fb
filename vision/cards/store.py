"""Named decks: directories of scans under the user's data directory, and the resolving of a name or a path.

A named deck holds its scans (and its deck.toml, where it has one), so that it outlives the folder that it came from.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
import tomllib
from pathlib import Path

import platformdirs

from vision.cards.cache import enrol_deck
from vision.cards.deck import CARD_MM, EnrolledDeck, find_scans
from vision.errors import BadDeckScansError
from vision.scans import card_size

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_DECK_FILE = "deck.toml"
_SIZE_FILE = "card-size.json"


def data_directory() -> Path:
    """Where what the user made is kept; HOSHIBAN_DATA overrides the user's data directory."""
    own = os.environ.get("HOSHIBAN_DATA")
    return Path(own) if own else Path(platformdirs.user_data_dir("hoshiban"))


def check_deck_name(name: str) -> str:
    """The name, where it can name a deck. Raises BadDeckScansError."""
    if not _NAME.fullmatch(name):
        raise BadDeckScansError(f"deck name {name!r}: use letters, digits, dots, dashes and underscores only")
    return name


def deck_directory(name_or_dir: str | Path) -> Path:
    """The directory that a deck's name, or a path, stands for. Raises BadDeckScansError where there is none."""
    path = Path(name_or_dir)
    if path.is_dir():
        return path
    decks = data_directory() / "decks"
    if _NAME.fullmatch(str(name_or_dir)) and (decks / str(name_or_dir)).is_dir():
        return decks / str(name_or_dir)
    known = sorted(p.name for p in decks.iterdir() if p.is_dir() and _NAME.fullmatch(p.name)) if decks.is_dir() else []
    names = f"enrolled are {', '.join(known)}" if known else "no deck is enrolled yet (hoshiban enrol DIR --deck NAME)"
    raise BadDeckScansError(f"deck {name_or_dir}: neither a directory of scans nor an enrolled deck; {names}")


def resolve_deck(name_or_dir: str | Path, size_mm: tuple[float, float] | None = None) -> EnrolledDeck:
    """The deck of a name or of a directory of scans, ready to be looked for.

    `size_mm` are a card's sides where they are not those with which the deck was enrolled. Raises BadDeckScansError.
    """
    directory = deck_directory(name_or_dir)
    return enrol_deck(directory, directory.resolve().name, size_mm or stated_size(directory) or CARD_MM)


def stated_size(directory: Path) -> tuple[float, float] | None:
    """The card size that was stated when the deck of this directory was enrolled, or by its deck.toml (`card_mm`), mm.

    Raises BadDeckScansError where the deck.toml states what can't be one.
    """
    with contextlib.suppress(OSError, ValueError):
        enrolled = card_size(json.loads((directory / _SIZE_FILE).read_text()))
        if enrolled is not None:
            return enrolled
    try:
        told = tomllib.loads((directory / _DECK_FILE).read_text("utf-8-sig")).get("card_mm")
    except (OSError, ValueError):  # a deck.toml with faults is told of where its data is wanted
        return None
    size = card_size(told)
    if told is not None and size is None:
        raise BadDeckScansError(
            f"{directory / _DECK_FILE}: card_mm: must be a card's width and height in mm, such as [63, 88]"
        )
    return size


def install_deck(directory: Path, name: str, size_mm: tuple[float, float]) -> Path:
    """Copies a directory's scans to the deck `name` in one step, so that readers see the old deck or the new one.

    Raises BadDeckScansError.
    """
    decks = data_directory() / "decks"
    target = decks / check_deck_name(name)
    if target.resolve() == directory.resolve():
        return target
    scans = find_scans(directory)
    try:
        decks.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=decks, prefix="."))
        try:
            for path in (*scans, *(p for p in (directory / _DECK_FILE,) if p.is_file())):
                shutil.copyfile(path, fresh / path.name)
            (fresh / _SIZE_FILE).write_text(json.dumps(list(size_mm)))
            fresh.chmod(0o755)
            _swap(fresh, target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        reason = error.strerror or error
        raise BadDeckScansError(f"{decks}: the deck can't be stored there ({reason}); set HOSHIBAN_DATA") from error
    return target


def _swap(fresh: Path, target: Path) -> None:
    old = Path(tempfile.mkdtemp(dir=target.parent, prefix="."))
    try:
        if target.exists():
            target.replace(old / target.name)
        fresh.replace(target)
    finally:
        shutil.rmtree(old, ignore_errors=True)
