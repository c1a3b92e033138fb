"""A deck's data from deck.toml: `game`, and for each card its attributes, its copies, and who says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from companion.decks.forms import FAULTS, FORMS, GAMES
from companion.decks.reading import Fault, read_deck
from companion.errors import BadInputError
from companion.rules.cards import CardData
from companion.rules.hoshi_battle.setup import completed
from vision.scans import BACK, first_scans, is_back
from vision.scans import SUFFIXES as SCANS

__all__ = [
    "BACK",
    "DECK_FILE",
    "GAMES",
    "SCANS",
    "Deck",
    "builtin_deck",
    "builtin_games",
    "load_deck",
    "load_decks",
    "parse_deck",
]

DECK_FILE = "deck.toml"
_BUILTIN = {"hoshi-battle": ("hoshi-heroes", "hoshi-duels")}
"""Games whose built-in deck stands in other files than one of the game's name."""
LARGEST = 1_000_000
"""Bytes of a deck.toml."""
MARK = "\ufeff"
"""What some editors put at the front of a file of text."""


@dataclass(frozen=True, slots=True)
class Deck:
    """What is known of a deck's cards."""

    name: str
    game: str
    cards: Mapping[str, CardData]
    """By id, in the file's order."""


def load_deck(where: str | Path, game: str | None = None) -> Deck:
    """The deck of a directory (its deck.toml, else its bare scans), of a deck.toml itself, or the built-in one of a game's id.

    Bare scans carry nothing but the cards' ids, their stems; the built-in deck of `game` says the rest of the ids it knows, and
    every id must be one of them. Raises BadInputError that names the file and the field.
    """
    if isinstance(where, str) and where in GAMES and not Path(where).exists():
        return builtin_deck(where)
    path = Path(where)
    if path.is_dir():
        file = path / DECK_FILE
        if not file.exists():
            return _bare_deck(path, game)
        return parse_deck(read_text(file), str(file), path.name, game)
    return parse_deck(read_text(path), str(path), path.resolve().parent.name, game)


def load_decks(wheres: Sequence[str | Path], game: str) -> Deck:
    """What is known of the cards of several decks that lie on one table, such as Heroes and Duel cards.

    Of a game whose kinds of cards may be decks of their own the cards of all count, the first deck's where several have an id; a
    card of the built-in deck's id has the fields that nobody entered from there, with their sources. Of other games the first
    deck that has a deck.toml counts. Raises BadInputError that names the file and the field.
    """
    with_data = [where for where in wheres if not Path(where).is_dir() or (Path(where) / DECK_FILE).is_file()]
    if not FORMS[game].apart:
        return load_deck((with_data or list(wheres))[0], game)
    decks = [load_deck(where, game) for where in wheres]
    cards: dict[str, CardData] = {}
    for deck in decks:
        cards.update({card: data for card, data in deck.cards.items() if card not in cards})
    cards = completed(cards, builtin_deck(game).cards)
    for fault in FAULTS[game](cards):
        raise BadInputError(f"{', '.join(map(str, wheres))}: {fault}")
    return Deck("+".join(deck.name for deck in decks), game, cards)


@cache
def builtin_deck(game: str) -> Deck:
    """The deck that comes with the program. Raises BadInputError where there is none for the game."""
    if game not in builtin_games():
        raise BadInputError(f"no built-in deck for {game!r}; there is one for {', '.join(builtin_games())}")
    cards: dict[str, CardData] = {}
    for file in builtin_files(game):
        cards.update(parse_deck(file.read_text("utf-8"), file.name, file.name.removesuffix(".toml"), game).cards)
    return Deck(game, game, cards)


def builtin_files(game: str) -> tuple[Traversable, ...]:
    """The files of a game's built-in deck, whether they are there or not."""
    folder = files("companion.decks") / "builtin"
    return tuple(folder / f"{stem}.toml" for stem in _BUILTIN.get(game, (game,)))


@cache
def builtin_games() -> tuple[str, ...]:
    """The games whose deck comes with the program."""
    return tuple(game for game in GAMES if all(file.is_file() for file in builtin_files(game)))


def parse_deck(text: str, source: str, name: str, game: str | None = None) -> Deck:
    """A deck from the text of a deck.toml.

    Raises BadInputError for the first fault: `source` and the line, the card and the field, and how many more there are.
    """
    reading = read_deck(text, game)
    if reading.faults:
        first, more = reading.faults[0], len(reading.faults) - 1
        rest = f" (and {more} more: hoshiban decks check lists all)" if more else ""
        raise BadInputError(f"{source}:{first.line}: {first}{rest}")
    return Deck(name, str(reading.game), reading.cards)


def scan_ids(folder: Path) -> tuple[str, ...]:
    """The cards of which a directory holds scans, by id, without the backs. Raises BadInputError."""
    try:
        sides = first_scans(folder.iterdir())
    except OSError as error:
        raise BadInputError(f"{folder}: can't be read ({error.strerror})") from None
    return tuple(sorted(side for side in sides if not is_back(side)))


def _bare_deck(folder: Path, game: str | None) -> Deck:
    """A deck of scans without data."""
    ids = scan_ids(folder)
    if not ids:
        raise BadInputError(f"{folder}: holds neither {DECK_FILE} nor scans of cards")
    if game is None or game not in builtin_games():
        raise BadInputError(
            f"{folder}: holds no {DECK_FILE}, which says what the cards are; hoshiban decks new writes one"
        )
    known = builtin_deck(game).cards
    strange = [card for card in ids if card not in known]
    if strange:
        raise BadInputError(f"{folder}: {strange[0]}: is no card of {game} that is known without a {DECK_FILE}")
    cards = {card: known[card] for card in ids}
    for fault in FAULTS[game](cards):
        raise BadInputError(f"{folder}: {fault}")
    return Deck(folder.name, game, cards)


def read_text(path: Path) -> str:
    """The text of a deck.toml, with its line ends as they are. Raises BadInputError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise BadInputError(f"{path}: no such file or directory") from None
    except OSError as error:
        raise BadInputError(f"{path}: can't be read ({error.strerror})") from None
    text = text_of(data)
    if isinstance(text, Fault):
        raise BadInputError(f"{path}:{text.line}: {text}")
    return text


def text_of(data: bytes) -> str | Fault:
    """The text of a deck.toml's bytes, with its line ends as they are, or why it is none."""
    if len(data) > LARGEST:
        return Fault((), f"is no deck.toml: it holds {len(data)} bytes, and a deck at most {LARGEST}")
    try:
        return data.decode("utf-8").removeprefix(MARK)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Fault((), f"is not UTF-8 text (byte {error.start}); save it as UTF-8", line)
