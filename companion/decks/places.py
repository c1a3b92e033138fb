"""Where decks are: the built-in ones, the enrolled ones of this user, directories and files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from companion.decks.deck import DECK_FILE, Deck, builtin_deck, builtin_files, builtin_games, load_deck
from companion.errors import BadInputError


class Kind(StrEnum):
    """Where a deck comes from."""

    BUILT_IN = "built-in"
    ENROLLED = "enrolled"
    DIRECTORY = "directory"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class DeckPlace:
    """A deck and where its data is."""

    name: str
    kind: Kind
    files: tuple[Path, ...]
    """What says what its cards are: one deck.toml, two of a built-in deck in parts, none for bare scans."""
    directory: Path | None = None
    """Where its scans are."""

    def load(self, game: str | None = None) -> Deck:
        """What is known of its cards. Raises BadInputError."""
        if self.kind is Kind.BUILT_IN:
            return builtin_deck(self.name)
        return load_deck(self.files[0] if self.directory is None else self.directory, game)


def find_deck(where: str | Path) -> DeckPlace:
    """The deck of a directory, a deck.toml, an enrolled deck's name, or a game's id for the built-in one, in this order.

    Raises BadInputError where there is none.
    """
    path = Path(where)
    if path.is_dir():
        return _in_directory(path, path.resolve().name, Kind.DIRECTORY)
    if path.is_file():
        return DeckPlace(path.resolve().parent.name, Kind.FILE, (path,))
    enrolled = {place.name: place for place in enrolled_decks()}
    if str(where) in enrolled:
        return enrolled[str(where)]
    if str(where) in builtin_games():
        return _built_in(str(where))
    known = ", ".join([*builtin_games(), *enrolled])
    raise BadInputError(f"deck {where}: is no directory, no file and none of the decks {known}")


def known_decks() -> tuple[DeckPlace, ...]:
    """The built-in decks, then the enrolled ones by name."""
    return (*(_built_in(game) for game in builtin_games()), *enrolled_decks())


def enrolled_decks() -> tuple[DeckPlace, ...]:
    """The decks that this user enrolled, by name."""
    from vision.cards.store import data_directory

    decks = data_directory() / "decks"
    folders = sorted(path for path in decks.iterdir() if path.is_dir()) if decks.is_dir() else []
    return tuple(_in_directory(path, path.name, Kind.ENROLLED) for path in folders if not path.name.startswith("."))


def _in_directory(path: Path, name: str, kind: Kind) -> DeckPlace:
    file = path / DECK_FILE
    return DeckPlace(name, kind, (file,) if file.is_file() else (), path)


def _built_in(game: str) -> DeckPlace:
    return DeckPlace(game, Kind.BUILT_IN, tuple(Path(str(file)) for file in builtin_files(game)))
