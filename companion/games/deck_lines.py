"""Cards in a written game: a line for each card that is not as in the deck that comes with the program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from companion.errors import BadInputError
from companion.games.start import card_json, card_of
from companion.games.words import PLAIN, QUOTED, quote, unquoted
from companion.journal.events import canonical
from companion.rules.cards import CardData

_LINE = re.compile(rf"\s*card:\s*({QUOTED}|[^=\"]*?)\s*=\s*(\S.*)", re.IGNORECASE)
_COPIES = "copies"


def card_lines(cards: Mapping[str, CardData], usual: Mapping[str, CardData]) -> list[str]:
    """`Card: id = {field: [value, source], ...}` with the fields that differ from the usual card's, null for those that are not
    there; `Card: id = none` for a card that is not in the deck. By id."""
    lines = {
        card: canonical(_changes(data, usual.get(card))) for card, data in cards.items() if usual.get(card) != data
    }
    lines.update({card: "none" for card in usual if card not in cards})
    return [f"Card: {_id(card)} = {lines[card]}" for card in sorted(lines)]


def is_card_line(line: str) -> bool:
    """Whether a line tells of a card."""
    return line.lstrip().casefold().startswith("card:")


def card_told(line: str) -> tuple[str, str]:
    """A line's card and what is told of it. Raises BadInputError."""
    found = _LINE.fullmatch(line.rstrip())
    if found is None or not found[1]:
        raise BadInputError('must be such as red-01 = {"bid":[7,"user"]}, or red-01 = none')
    return unquoted(found[1]) if found[1].startswith('"') else found[1], found[2].strip()


def changed_card(card: str, changes: Mapping[str, Any], usual: CardData | None) -> CardData:
    """The usual card, or one without fields, with what was told of it. Raises BadInputError."""
    copies: Any = [1, None]
    fields: dict[str, Any] = {}
    if usual is not None:
        known = card_json(usual)
        copies, fields = known[_COPIES], dict(known["fields"])
    for key, value in changes.items():
        if key == _COPIES:
            copies = value
        elif value is None:
            fields.pop(key, None)
        else:
            fields[key] = value
    return card_of(card, {_COPIES: copies, "fields": fields})


def _changes(card: CardData, usual: CardData | None) -> dict[str, Any]:
    mine = card_json(card)
    theirs: dict[str, Any] = {_COPIES: [1, None], "fields": {}} if usual is None else card_json(usual)
    changes = {key: value for key, value in mine["fields"].items() if theirs["fields"].get(key) != value}
    changes.update({key: None for key in theirs["fields"] if key not in mine["fields"]})
    return changes | ({_COPIES: mine[_COPIES]} if mine[_COPIES] != theirs[_COPIES] else {})


def _id(card: str) -> str:
    return card if PLAIN.fullmatch(card) else quote(card)
