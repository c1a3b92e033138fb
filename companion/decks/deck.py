"""A deck's data from deck.toml: `game`, and for each card its attributes, its copies, and who says so."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from companion.errors import BadInputError
from companion.rules.ahuha.setup import cards_of as ahuha_cards
from companion.rules.cards import CardData, Field, Provenance, Scalar, Value
from companion.rules.hoshi_battle.setup import cards_of as hoshi_battle_cards
from companion.rules.hoshizora.setup import cards_of as hoshizora_cards
from companion.rules.shuhari.setup import cards_of as shuhari_cards

DECK_FILE = "deck.toml"
GAMES = ("ahuha", "hoshi-battle", "shuhari", "hoshizora")
SCANS = (".png", ".jpg", ".jpeg")
_BUILTIN = {"hoshi-battle": ("hoshi-heroes", "hoshi-duels")}
"""Games whose built-in deck stands in other files than one of the game's name."""
BACK = "back"
"""The stem of the scan that shows the cards' back."""
CHECKS: Mapping[str, Callable[[Mapping[str, CardData]], object]] = {
    "ahuha": ahuha_cards,
    "hoshi-battle": hoshi_battle_cards,
    "hoshizora": hoshizora_cards,
    "shuhari": shuhari_cards,
}
"""By game, what reads its cards; it raises ValueError that names the card and the field."""


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
        return parse_deck(_read(file), str(file), path.name, game)
    return parse_deck(_read(path), str(path), path.resolve().parent.name, game)


@cache
def builtin_deck(game: str) -> Deck:
    """The deck that comes with the program. Raises BadInputError where there is none for the game."""
    if game not in builtin_games():
        raise BadInputError(f"no built-in deck for {game!r}; there is one for {', '.join(builtin_games())}")
    cards: dict[str, CardData] = {}
    for stem in _BUILTIN.get(game, (game,)):
        file = files("companion.decks") / "builtin" / f"{stem}.toml"
        cards.update(parse_deck(file.read_text("utf-8"), f"{stem}.toml", stem, game).cards)
    return Deck(game, game, cards)


@cache
def builtin_games() -> tuple[str, ...]:
    """The games whose deck comes with the program."""
    folder = files("companion.decks") / "builtin"
    return tuple(g for g in GAMES if all((folder / f"{stem}.toml").is_file() for stem in _BUILTIN.get(g, (g,))))


def parse_deck(text: str, source: str, name: str, game: str | None = None) -> Deck:
    """A deck from the text of a deck.toml. Raises BadInputError that begins with `source` and names the field."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{source}: is not valid TOML: {error}") from None
    unknown = sorted(set(raw) - {"game", "card", "source"})
    if unknown:
        raise BadInputError(f"{source}: {unknown[0]}: is not known; a deck holds game and [card.<id>]")
    its_game = raw.get("game", game)
    if its_game not in GAMES:
        raise BadInputError(f"{source}: game: must be one of {', '.join(GAMES)}, not {its_game!r}")
    if game is not None and its_game != game:
        raise BadInputError(f"{source}: game: is {its_game}, where a deck for {game} is wanted")
    tables = raw.get("card")
    if not isinstance(tables, dict) or not tables:
        raise BadInputError(f"{source}: card: is missing; each card is a table [card.<id>]")
    whole = _provenance(raw.get("source", Provenance.USER.value), f"{source}: source")
    cards = {card: _card(card, table, whole, source) for card, table in tables.items()}
    return _checked(Deck(name, its_game, cards), source)


def _card(card: str, table: Any, whole: Provenance, source: str) -> CardData:
    where = f"{source}: card.{card}"
    if not isinstance(table, dict):
        raise BadInputError(f"{where}: must be a table of attributes")
    copies = table.get("copies", 1)
    if not isinstance(copies, int) or isinstance(copies, bool) or copies < 1:
        raise BadInputError(f"{where}.copies: must be a whole number of at least 1, not {copies!r}")
    told = {key for key in table if key.endswith("_source") and key.removesuffix("_source") in table}
    orphans = [key for key in table if key.endswith("_source") and key not in told]
    if orphans:
        raise BadInputError(
            f"{where}.{orphans[0]}: there is no {orphans[0].removesuffix('_source')} that it could speak of"
        )
    default = _provenance(table.get("source", whole.value), f"{where}.source")
    fields = {}
    for key, value in table.items():
        if key in ("copies", "source") or key in told:
            continue
        by = table.get(f"{key}_source")
        fields[key] = Field(
            _value(value, f"{where}.{key}"), default if by is None else _provenance(by, f"{where}.{key}_source")
        )
    return CardData(card, fields, copies)


def _value(value: Any, where: str) -> Value:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return tuple(_table(item, f"{where}[{place}]") for place, item in enumerate(value))
    raise BadInputError(
        f"{where}: must be a text, a number, true or false, a list of texts or a list of tables, not {value!r}"
    )


def _table(table: dict[str, Any], where: str) -> Mapping[str, Scalar]:
    for key, value in table.items():
        if not isinstance(value, str | int | float | bool):
            raise BadInputError(f"{where}.{key}: must be a text, a number, true or false, not {value!r}")
    return table


def _provenance(value: Any, where: str) -> Provenance:
    try:
        return Provenance(value)
    except ValueError:
        raise BadInputError(f"{where}: must be one of {', '.join(Provenance)}, not {value!r}") from None


def _checked(deck: Deck, source: str) -> Deck:
    """What the game itself asks of its cards."""
    check = CHECKS.get(deck.game)
    if check is not None:
        try:
            check(deck.cards)
        except ValueError as error:
            raise BadInputError(f"{source}: {error}") from None
    return deck


def _bare_deck(folder: Path, game: str | None) -> Deck:
    """A deck of scans without data."""
    ids = sorted({path.stem for path in folder.iterdir() if path.suffix.lower() in SCANS} - {BACK})
    if not ids:
        raise BadInputError(f"{folder}: holds neither {DECK_FILE} nor scans of cards")
    if game is None or game not in builtin_games():
        raise BadInputError(f"{folder}: holds no {DECK_FILE}, which says what the cards are")
    known = builtin_deck(game).cards
    strange = [card for card in ids if card not in known]
    if strange:
        raise BadInputError(f"{folder}: {strange[0]}: is no card of {game} that is known without a {DECK_FILE}")
    return _checked(Deck(folder.name, game, {card: known[card] for card in ids}), str(folder))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise BadInputError(f"{path}: no such file or directory") from None
    except OSError as error:
        raise BadInputError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: is not UTF-8 text (byte {error.start})") from None
