"""Reads the text of a deck.toml into card data, and collects everything that is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.decks.forms import FAULTS, GAMES
from companion.decks.lines import Path, key_lines, line_of, syntax_fault, toml_of
from companion.rules.card_fields import is_whole, shown, shown_path
from companion.rules.cards import CardData, Field, Provenance, Scalar, Value
from vision.scans import BACK, can_be_id, card_size

_SOURCES = ", ".join(Provenance)
_LARGEST_NUMBER = 2**63


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong, and where."""

    path: Path
    """The way to it from the top of the document; empty for the document as a whole."""
    text: str
    line: int = 1
    """1-based: where the key stands, or the nearest thing around it that is there."""

    @property
    def card(self) -> str | None:
        """The id of the card that it concerns."""
        return str(self.path[1]) if len(self.path) > 1 and self.path[0] == "card" else None

    @property
    def field(self) -> str | None:
        """The field of the card, or of the deck, that it concerns."""
        if self.card is not None:
            return shown_path(self.path[2:]) or None
        return shown_path(self.path) or None

    def __str__(self) -> str:
        where = shown_path(self.path)
        return f"{where}: {self.text}" if where else self.text


@dataclass(slots=True)
class Reading:
    """What a deck.toml says, as far as it can be read."""

    game: str | None = None
    cards: dict[str, CardData] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    """Everything with which no game can be set up, by line, those of the deck as a whole last."""


def read_deck(text: str, game: str | None = None) -> Reading:
    """The cards of a deck.toml and all its faults; `game` where a deck for that game is wanted. Raises nothing."""
    try:
        raw = toml_of(text)
    except ValueError as error:
        line, path, said = syntax_fault(text, error)
        return Reading(faults=[Fault(path, said, line)])
    reading = Reading()
    told = list(_read(raw, game, reading))
    if told:
        lines = key_lines(text)
        faults = [Fault(path, said, line_of(lines, path)) for path, said in told]
        reading.faults = sorted(faults, key=lambda fault: (fault.path == ("card",), fault.line))
    return reading


_Told = tuple[Path, str]
"""Where something is wrong, and what."""


def _read(raw: Mapping[str, Any], game: str | None, reading: Reading) -> Iterator[_Told]:
    for key in raw:
        if key not in ("game", "card", "source", "card_mm"):
            yield (key,), "is not known; a deck holds game, source, card_mm and [card.<id>]"
    if "card_mm" in raw and card_size(raw["card_mm"]) is None:
        yield ("card_mm",), f"must be a card's width and height in mm, such as [63, 88], not {shown(raw['card_mm'])}"
    yield from _game(raw.get("game", game), game, reading)
    whole = _provenance(raw.get("source", Provenance.USER.value))
    if whole is None:
        yield ("source",), f"must be one of {_SOURCES}, not {shown(raw['source'])}"
    tables = raw.get("card")
    if tables is None or tables == {}:
        yield ("card",), "is missing; each card is a table [card.<id>]"
        return
    if not isinstance(tables, dict):
        yield ("card",), f"must be tables [card.<id>], not {shown(tables)}"
        return
    own: list[_Told] = []
    for card, table in tables.items():
        own.extend(_card(card, table, whole or Provenance.USER, reading))
    yield from own
    if reading.game is not None:
        known = {path for path, _ in own}
        for fault in FAULTS[reading.game](reading.cards):
            if not any(fault.path[: len(path)] == path for path in known):
                yield fault.path, fault.text


def _game(stated: Any, wanted: str | None, reading: Reading) -> Iterator[_Told]:
    if not isinstance(stated, str) or stated not in GAMES:
        said = "is missing; it must be" if stated is None else "must be"
        yield ("game",), f"{said} one of {', '.join(GAMES)}{'' if stated is None else f', not {shown(stated)}'}"
        return
    if wanted is not None and stated != wanted:
        yield ("game",), f"is {stated}, where a deck for {wanted} is wanted"
        return
    reading.game = stated


def _card(card: str, table: Any, whole: Provenance, reading: Reading) -> Iterator[_Told]:
    where: Path = ("card", card)
    if not can_be_id(card):
        yield (
            where,
            f"can't be a card's id: it is the name of the card's scan, without / or @, and not {BACK} or {BACK}-...",
        )
        return
    if not isinstance(table, dict):
        yield where, f"must be a table of the card's fields, not {shown(table)}"
        return
    default = _provenance(table.get("source", whole.value))
    if default is None:
        yield (*where, "source"), f"must be one of {_SOURCES}, not {shown(table['source'])}"
    fields: dict[str, Value] = {}
    sources: dict[str, Provenance] = {}
    for key, value in table.items():
        of = key.removesuffix("_source")
        if key == "source":
            continue
        if of != key:
            yield from _source_of(of, value, table, where, sources)
            continue
        told = _value_fault(value) or (_copies_fault(value) if key == "copies" else None)
        if told is None:
            fields[key] = _value(value)
        else:
            inside, said = told
            yield (*where, key, *inside), said
    copies = fields.pop("copies", None)
    by = default or whole
    reading.cards[card] = CardData(
        card,
        {name: Field(value, sources.get(name, by)) for name, value in fields.items()},
        copies if is_whole(copies) else 1,
        sources.get("copies", by) if "copies" in table else None,
    )


def _source_of(
    of: str, value: Any, table: Mapping[str, Any], where: Path, sources: dict[str, Provenance]
) -> Iterator[_Told]:
    """What a key says that ends in _source."""
    by = _provenance(value)
    if of not in table:
        yield (*where, f"{of}_source"), f"there is no {shown_path((of,))} that it could speak of"
    elif by is None:
        yield (*where, f"{of}_source"), f"must be one of {_SOURCES}, not {shown(value)}"
    else:
        sources[of] = by


def _provenance(value: Any) -> Provenance | None:
    return Provenance(value) if isinstance(value, str) and value in tuple(Provenance) else None


def _copies_fault(value: Any) -> _Told | None:
    if is_whole(value) and 1 <= value <= 999:
        return None
    return (), f"must be a whole number of at least 1, not {shown(value)}"


def _value_fault(value: Any) -> _Told | None:
    """What is wrong with a field's value as such, whatever the field; the path leads on from the field."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return _tables_fault(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return None
    return (
        None
        if _is_scalar(value)
        else ((), _scalar_fault(value, "a text, a number, true or false, a list of texts or of tables"))
    )


def _tables_fault(tables: list[Any]) -> _Told | None:
    for place, table in enumerate(tables):
        if not isinstance(table, dict):
            return (place,), f"must be a table like the others of its list, not {shown(table)}"
        for key, value in table.items():
            if not _is_scalar(value):
                return (place, key), _scalar_fault(value, "a text, a number, true or false")
    return None


def _is_scalar(value: Any) -> bool:
    match value:
        case str() | bool():
            return True
        case int():
            return -_LARGEST_NUMBER <= value < _LARGEST_NUMBER
        case float():
            return math.isfinite(value)
        case _:
            return False


def _scalar_fault(value: Any, wanted: str) -> str:
    if isinstance(value, int | float):
        return "is a number that no card shows"
    return f"must be {wanted}, not {shown(value)}"


def _value(value: Any) -> Value:
    """A value in which nothing is wrong."""
    if isinstance(value, list):
        return tuple(dict(item) if isinstance(item, dict) else item for item in value)
    scalar: Scalar = value
    return scalar
