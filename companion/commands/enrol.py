"""`hoshiban enrol DIR --deck NAME`: makes a named deck from reference scans, and says which cards are easily confused.

A named deck is a directory of its scans (and its deck.toml, where it has one) under the user's data directory, so that it
outlives the folder that it came from; wherever `--deck` is asked for, its name or any directory of scans will do.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import click
import platformdirs
from tqdm import tqdm

from companion.errors import BadInputError
from vision.cards import EnrolledDeck, enrol_deck
from vision.cards.confusable import ConfusablePair, confusable_pairs
from vision.cards.deck import CARD_MM, find_scans

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_DECK_FILE = "deck.toml"


def data_directory() -> Path:
    """Where what the user made is kept; HOSHIBAN_DATA overrides the user's data directory."""
    own = os.environ.get("HOSHIBAN_DATA")
    return Path(own) if own else Path(platformdirs.user_data_dir("hoshiban"))


def deck_directory(name_or_dir: str | Path) -> Path:
    """The directory that a deck's name, or a path, stands for. Raises BadInputError where there is none."""
    path = Path(name_or_dir)
    if path.is_dir():
        return path
    decks = data_directory() / "decks"
    if _NAME.fullmatch(str(name_or_dir)) and (decks / str(name_or_dir)).is_dir():
        return decks / str(name_or_dir)
    known = sorted(entry.name for entry in decks.iterdir() if entry.is_dir()) if decks.is_dir() else []
    names = f"enrolled are {', '.join(known)}" if known else "no deck is enrolled yet (hoshiban enrol DIR --deck NAME)"
    raise BadInputError(f"deck {name_or_dir}: neither a directory of scans nor an enrolled deck; {names}")


def resolve_deck(name_or_dir: str | Path, size_mm: tuple[float, float] | None = None) -> EnrolledDeck:
    """The deck of a name or of a directory of scans, ready to be looked for.

    `size_mm` are a card's sides where they are not those with which the deck was enrolled. Raises BadInputError and
    BadDeckScansError.
    """
    directory = deck_directory(name_or_dir)
    return enrol_deck(directory, directory.resolve().name, size_mm or _size_of(directory) or CARD_MM)


def _size_of(directory: Path) -> tuple[float, float] | None:
    """The card size that was stated when this deck was enrolled."""
    try:
        width, height = json.loads((directory / "card-size.json").read_text())
        return float(width), float(height)
    except (OSError, ValueError, TypeError):
        return None


@click.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--deck", "name", required=True, help="The name by which --deck will find it.")
@click.option("--size", default=None, metavar="WxH", help="A card's size in mm; 63x88 unless told otherwise.")
def enrol(directory: Path, name: str, size: str | None) -> None:
    """Make a named deck from the scans in DIRECTORY: <card-id>.png or .jpg, and back.png."""
    if not _NAME.fullmatch(name):
        raise BadInputError(f"--deck {name!r}: use letters, digits, dots, dashes and underscores only")
    size_mm = parse_size(size) if size is not None else _size_of(directory) or CARD_MM
    scans = find_scans(directory)
    with tqdm(total=len(scans), file=sys.stderr, unit="scan", desc=f"enrolling {name}") as bar:
        deck = enrol_deck(directory, name, size_mm, lambda done, _total, _name: _advance(bar, done))
        _advance(bar, len(scans))
    where = _install(directory, scans, name, size_mm)
    _report(deck, confusable_pairs(deck), where)


def parse_size(text: str) -> tuple[float, float]:
    """Millimetres from "63x88". Raises BadInputError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*[x×]\s*(\d+(?:\.\d+)?)", text.strip())
    if match is None:
        raise BadInputError(f"--size {text}: give a card's width and height in mm, such as 63x88")
    width, height = float(match[1]), float(match[2])
    if not (20 <= min(width, height) and max(width, height) <= 250):
        raise BadInputError(f"--size {text}: a card's sides must lie between 20 and 250 mm")
    return width, height


def _advance(bar: tqdm, done: int) -> None:  # type: ignore[type-arg]
    bar.update(done - bar.n)


def _install(directory: Path, scans: tuple[Path, ...], name: str, size_mm: tuple[float, float]) -> Path:
    """Copies the deck in one step, so that a service that starts meanwhile sees the old one or the new one."""
    decks = data_directory() / "decks"
    target = decks / name
    if target.resolve() == directory.resolve():
        return target
    try:
        decks.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=decks, prefix="."))
        for path in (*scans, *(p for p in (directory / _DECK_FILE,) if p.is_file())):
            shutil.copyfile(path, fresh / path.name)
        (fresh / "card-size.json").write_text(json.dumps(list(size_mm)))
        fresh.chmod(0o755)
        if target.exists():
            old = Path(tempfile.mkdtemp(dir=decks, prefix="."))
            target.replace(old / name)
            fresh.replace(target)
            shutil.rmtree(old, ignore_errors=True)
        else:
            fresh.replace(target)
    except OSError as error:
        raise BadInputError(f"{decks}: the deck can't be stored there ({error.strerror}); set HOSHIBAN_DATA") from error
    return target


def _report(deck: EnrolledDeck, pairs: tuple[ConfusablePair, ...], where: Path) -> None:
    line = {
        "deck": deck.name,
        "cards": len(deck.cards),
        "backs": len(deck.references) - len(deck.cards),
        "size_mm": list(deck.size_mm),
        "directory": str(where),
        "confusable": [
            {"a": p.first, "b": p.second, "difference": p.difference, "where_mm": list(p.where_mm)} for p in pairs
        ],
    }
    click.echo(json.dumps(line, ensure_ascii=False))
    for warning in deck.warnings:
        click.echo(f"warning: {warning}", err=True)
    for pair in pairs:
        click.echo(str(pair), err=True)
    click.echo(f"{deck.name}: {len(deck.cards)} cards enrolled from {where}", err=True)
