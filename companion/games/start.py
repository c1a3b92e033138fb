"""How a game starts: who plays, with which cards, settings and house rules; and by which edition of all these it is judged."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum, StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from companion.decks import builtin_deck
from companion.errors import BadInputError
from companion.games.book import Book, book_of
from companion.games.codec import Json
from companion.games.words import Names
from companion.journal.events import canonical
from companion.rules.cards import CardData, Field, Provenance, Value
from companion.rules.core import Level
from companion.rules.ledger import Ledger
from companion.rules.penalties import PUNISHABLE, HouseRule, Penalty, PenaltyKind
from companion.rules.settings import settings_from


@dataclass(frozen=True, slots=True)
class Edition:
    """What a game was judged by: SHA-256, as 64 hex digits, of the rules' source, all settings, and all cards' data."""

    program: str
    """The program's version."""
    rules: str
    settings: str
    deck: str

    def to_json(self) -> dict[str, str]:
        """As it stands in a game's start."""
        return {"program": self.program, "rules": self.rules, "settings": self.settings, "deck": self.deck}

    def differs(self, other: Edition) -> tuple[str, ...]:
        """What is another: "program", "rules", "settings", "deck"."""
        return tuple(entry.name for entry in fields(self) if getattr(self, entry.name) != getattr(other, entry.name))


@dataclass(frozen=True, slots=True)
class Start:
    """All that a game is judged by. Raises BadInputError where it can't be a game."""

    game: str
    seats: tuple[str, ...]
    """Clockwise."""
    lead: str
    cards: Mapping[str, CardData]
    settings: Mapping[str, Json] = field(default_factory=dict)
    """Every setting by its name; those that were left out have their default."""
    house: tuple[HouseRule, ...] = ()
    """What the table takes for a breach, in the order in which the lines are tried."""

    book: Book[Any, Any, Any, Any] = field(init=False, repr=False, compare=False)
    setup: Any = field(init=False, repr=False, compare=False)
    """As the game's rules want it."""
    names: Names = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        book = book_of(self.game)
        object.__setattr__(self, "book", book)
        object.__setattr__(self, "setup", book.setup(self.seats, self.lead, self.cards, self.settings))
        object.__setattr__(self, "settings", setting_values(settings_from(book.settings, self.settings)))
        object.__setattr__(self, "names", book.names(self.seats, self.cards))

    def ledger(self) -> Ledger[Any, Any, Any]:
        """The game before anything happened."""
        return Ledger(self.book.rules, self.setup, self.house)

    def check_seats(self, seats: Iterable[str]) -> None:
        """Raises BadInputError for who doesn't play."""
        strange = [seat for seat in seats if seat not in self.seats]
        if strange:
            raise BadInputError(f"{strange[0]} is none of the players {', '.join(self.seats)}")

    @property
    def edition(self) -> Edition:
        """What it is judged by, here and now."""
        return Edition(
            importlib.metadata.version("hoshiban"),
            rules_hash(self.game),
            _hash(dict(self.settings)),
            _hash({card: card_json(data) for card, data in self.cards.items()}),
        )

    @property
    def changed_settings(self) -> dict[str, Json]:
        """The settings that are not as they are by default."""
        usual = setting_values(self.book.settings())
        return {name: value for name, value in self.settings.items() if value != usual[name]}


def start_json(start: Start) -> dict[str, Json]:
    """A start as it stands in a journal."""
    return {
        "game": start.game,
        "seats": list(start.seats),
        "lead": start.lead,
        "cards": {card: card_json(data) for card, data in start.cards.items()},
        "settings": dict(start.settings),
        "house": [house_json(line) for line in start.house],
        "edition": start.edition.to_json(),
    }


def start_of(payload: Mapping[str, Json]) -> Start:
    """The reverse of `start_json`; further keys are passed over. Raises BadInputError naming the field that doesn't fit."""
    try:
        raw = msgspec.convert(dict(payload), _RawStart)
    except msgspec.ValidationError as error:
        raise BadInputError(f"the game's start doesn't hold together: {error}") from None
    cards = {card: card_of(card, entry) for card, entry in raw.cards.items()}
    house = tuple(house_of(line) for line in raw.house)
    return Start(raw.game, raw.seats, raw.lead, cards, raw.settings, house)


def edition_of(payload: Mapping[str, Json]) -> Edition | None:
    """The edition that a start was written by; None where it doesn't say."""
    try:
        return msgspec.convert(payload.get("edition"), Edition | None)
    except msgspec.ValidationError:
        return None


class _RawStart(msgspec.Struct, frozen=True):
    """A start as it was parsed."""

    game: str
    seats: tuple[str, ...]
    lead: str
    cards: dict[str, dict[str, Any]]
    settings: dict[str, str | int | float | bool] = {}
    house: list[dict[str, Any]] = []


def builtin_start(
    game: str,
    seats: tuple[str, ...],
    lead: str | None = None,
    settings: Mapping[str, Json] | None = None,
    house: tuple[HouseRule, ...] = (),
) -> Start:
    """A game with the deck that comes with the program; the first seat leads unless another is named."""
    first = lead if lead is not None else (seats[0] if seats else "")
    return Start(game, seats, first, builtin_deck(game).cards, settings or {}, house)


def setting_values(settings: Any) -> dict[str, Json]:
    """Every setting of a game, by name; a choice as its text."""
    values = {entry.name: getattr(settings, entry.name) for entry in fields(settings)}
    return {name: value.value if isinstance(value, Enum) else value for name, value in values.items()}


def card_json(card: CardData) -> dict[str, Json]:
    """A card's data: each field as [value, who says so]."""
    told: dict[str, Json] = {name: [_plain(entry.value), entry.source.value] for name, entry in card.fields.items()}
    by = None if card.copies_source is None else card.copies_source.value
    return {"copies": [card.copies, by], "fields": told}


def card_of(card: str, payload: Mapping[str, Json]) -> CardData:
    """The reverse of `card_json`. Raises BadInputError."""
    try:
        copies, by = payload["copies"]
        told = {name: Field(_value(value), Provenance(source)) for name, (value, source) in payload["fields"].items()}
        if isinstance(copies, bool) or not isinstance(copies, int) or copies < 1:
            raise ValueError(f"{copies!r} copies")
        return CardData(card, told, copies, None if by is None else Provenance(by))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInputError(f"the data of card {card} doesn't hold together: {error!r}") from None


def house_json(line: HouseRule) -> dict[str, Json]:
    """A house rule as it stands in a start."""
    return {
        "penalty": line.penalty.kind.value,
        "points": line.penalty.points,
        "level": None if line.level is None else line.level.value,
        "rule": line.rule,
    }


def house_of(payload: Mapping[str, Json]) -> HouseRule:
    """The reverse of `house_json`; `points`, `level` and `rule` may be left out. Raises BadInputError."""
    strange = sorted(set(payload) - {"penalty", "points", "level", "rule"})
    if strange:
        raise BadInputError(f"a house rule has no {strange[0]!r}: it holds penalty, points, level and rule")
    try:
        level = payload.get("level")
        points = payload.get("points", 0)
        if isinstance(points, bool) or not isinstance(points, int):
            raise ValueError(f"{points!r} is no whole number of points")
        penalty = Penalty(PenaltyKind(_word("penalty", payload.get("penalty"), PenaltyKind)), points)
        of = None if level is None else Level(_word("level", level, PUNISHABLE))
        return HouseRule(penalty, of, str(payload.get("rule", "")))
    except ValueError as error:
        raise BadInputError(f"a house rule can't be: {error}") from None


def _word(key: str, value: Json, known: Iterable[StrEnum]) -> str:
    """One of a few words. Raises ValueError that names them."""
    words = sorted(map(str, known))
    if not isinstance(value, str) or value not in words:
        told = "is missing; it" if value is None else f"is {value!r}; it"
        raise ValueError(f"{key} {told} must be one of {', '.join(words)}")
    return value


@cache
def rules_hash(game: str) -> str:
    """SHA-256 of the source that judges a game, in hex."""
    root = files("companion.rules")
    sources = [*root.iterdir(), *(root / game.replace("-", "_")).iterdir()]
    digest = hashlib.sha256()
    for source in sorted((one for one in sources if one.name.endswith(".py")), key=str):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()


def _hash(value: Json) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def _plain(value: Value) -> Json:
    if isinstance(value, tuple):
        return [dict(item) if isinstance(item, Mapping) else item for item in value]
    return value


def _value(value: Json) -> Value:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return tuple(dict(item) for item in value)
    raise ValueError(f"{value!r} is no value of a card's field")
