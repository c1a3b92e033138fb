"""Changes fields of a card in a deck.toml and leaves everything else in the file as it was."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from companion.decks.deck import MARK
from companion.decks.forms import FORMS
from companion.decks.lines import key_spans, toml_of
from companion.decks.reading import Fault, Reading, read_deck
from companion.decks.template import waiting_line
from companion.decks.toml_text import toml_key, toml_text
from companion.errors import BadInputError
from companion.files import write_whole
from companion.rules.card_fields import FieldInfo, FieldKind, shown
from companion.rules.cards import CardData, Provenance, Value

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_SWITCHES = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Edit:
    """What is changed on one card."""

    card: str
    values: Mapping[str, Value]
    """By field; `copies` and `source` are fields here."""
    unset: tuple[str, ...] = ()
    """Fields that are taken away, with what says who knows them."""
    source: Provenance = Provenance.USER
    """Who says the values."""
    add: bool = False
    """Whether the card may be a new one."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A deck.toml with an edit made, not written yet."""

    text: str
    fresh: tuple[Fault, ...]
    """Faults that the file did not have before."""
    left: int
    """Faults that it had before and still has."""


def edited(text: str, edit: Edit) -> Edited:
    """The file with the edit made; comments, order and all else stay.

    Raises BadInputError where the text is no TOML, the card is not there, or stands in a form that can't be changed by machine.
    """
    before = read_deck(text)
    try:
        raw = toml_of(text)
    except ValueError:
        fault = before.faults[0]
        raise BadInputError(f"line {fault.line}: {fault}; mend that first") from None
    values, unset = _with_sources(raw, edit)
    wanted = _changed(raw, edit, values, unset)
    fresh = _made(text, edit, values, unset, _hints(before, edit.card, values))
    # Whatever the libraries made of an unusual file, only what was asked for may be different.
    if toml_of(fresh) != wanted:
        raise BadInputError(f"card.{edit.card}: is written in a way that can only be changed by hand, in an editor")
    after = read_deck(fresh).faults
    known = Counter(_identity(fault) for fault in before.faults)
    new = []
    for fault in after:
        if known[_identity(fault)]:
            known[_identity(fault)] -= 1
        else:
            new.append(fault)
    return Edited(fresh, tuple(new), len(after) - len(new))


def _hints(reading: Reading, card: str, values: Mapping[str, Value]) -> dict[str, str]:
    """By field, the line with which a template waits for it."""
    if reading.game is None:
        return {}
    deck = FORMS[reading.game]
    kind = values.get("kind")
    data = reading.cards.get(card, CardData(card))
    own = next((form for form in deck.forms if form.kind == kind), None) or deck.form_of(data)
    forms = deck.forms if own is None else (own,)
    return {info.name: waiting_line(info) for form in forms for info in deck.fields_of(form)}


def _identity(fault: Fault) -> tuple[object, ...]:
    """What makes two faults the same one; the deck as a whole may lack another number of cards than before."""
    return fault.path if fault.path == ("card",) else (fault.path, fault.text)


def _with_sources(raw: Mapping[str, Any], edit: Edit) -> tuple[dict[str, Value], list[str]]:
    """The edit with what says who knows the values, where that is another than what holds for the card."""
    table = _table(raw, edit)
    values, unset = dict(edit.values), list(edit.unset)
    usual = values.get("source", table.get("source", raw.get("source", Provenance.USER.value)))
    for name in edit.values:
        if name == "source":
            continue
        if edit.source == usual:
            unset.append(f"{name}_source")
        else:
            values[f"{name}_source"] = edit.source.value
    unset += [f"{name}_source" for name in edit.unset if name != "source"]
    return values, [name for name in unset if name in table]


def _table(raw: Mapping[str, Any], edit: Edit) -> Mapping[str, Any]:
    cards = raw.get("card", {})
    table = cards.get(edit.card) if isinstance(cards, dict) else None
    if table is None and edit.add:
        return {}
    if not isinstance(table, dict):
        known = ", ".join(cards) if isinstance(cards, dict) else ""
        raise BadInputError(f"card.{edit.card}: is not in the file; --add adds it. There are {known or 'no cards'}")
    return table


def _changed(raw: Mapping[str, Any], edit: Edit, values: Mapping[str, Value], unset: Iterable[str]) -> dict[str, Any]:
    """The values of the whole file as they must be afterwards."""
    wanted: dict[str, Any] = deepcopy(dict(raw))
    table = wanted.setdefault("card", {}).setdefault(edit.card, {})
    for name in unset:
        table.pop(name, None)
    for name, value in values.items():
        table[name] = [dict(x) if isinstance(x, Mapping) else x for x in value] if isinstance(value, tuple) else value
    return wanted


def _made(text: str, edit: Edit, values: Mapping[str, Value], unset: Iterable[str], hints: Mapping[str, str]) -> str:
    if edit.card not in toml_of(text).get("card", {}):
        end = "" if not text or text.endswith("\n") else "\n"
        head = f"{end}\n[card.{toml_key(edit.card)}]\n"
        return text + _line_ends(text, head + "".join(f"{toml_key(n)} = {toml_text(v)}\n" for n, v in values.items()))
    try:
        document = tomlkit.parse(text)
        cards: Any = document["card"]
        table = cards[edit.card]
        for name in unset:
            del table[name]
        there = [name for name in values if name in table or not isinstance(table, Table)]
        for name in there:
            table[name] = tomlkit.value(_line_ends(text, toml_text(values[name])))
        fresh = document.as_string()
    except (tomlkit.exceptions.TOMLKitError, KeyError, TypeError, ValueError):
        raise BadInputError(f"card.{edit.card}: can only be changed by hand, in an editor") from None
    for name, value in values.items():
        if name not in there:
            fresh = _inserted(fresh, edit.card, name, value, hints.get(name, ""))
    return fresh


def _inserted(text: str, card: str, name: str, value: Value, hint: str) -> str:
    """A new field: in the place of the template's line that waits for it, behind the field of which it tells the source, or else
    behind the card's last one."""
    spans = {path: span for path, span in key_spans(text).items() if path[:2] == ("card", card) and len(path) <= 3}
    of = ("card", card, name.removesuffix("_source"))
    last = spans[of][1] if of in spans else max((span[1] for span in spans.values()), default=0)
    end = "\r" if "\r\n" in text else ""
    lines = [line.removesuffix(end) for line in text.split("\n")]
    new = f"{toml_key(name)} = {toml_text(value)}".split("\n")
    head = spans[("card", card)][0] if ("card", card) in spans else last
    waiting = _waiting_place(lines, head, hint)
    if waiting is None:
        lines[last:last] = new
    else:
        note = hint.rpartition("  # ")[2]
        lines[waiting : waiting + 1] = [f"{new[0]}  # {note}"] if len(new) == 1 and "hoshiban" not in note else new
    return f"{end}\n".join(lines)


def _waiting_place(lines: Sequence[str], head: int, hint: str) -> int | None:
    """Where the template's line for a field stands below a card's header, 0-based; None where it is no more."""
    for place in range(head, len(lines)):
        if hint and lines[place] == hint:
            return place
        if lines[place].startswith("["):
            return None
    return None


def _line_ends(text: str, added: str) -> str:
    """Added text with the line ends of the file."""
    return added.replace("\n", "\r\n") if "\r\n" in text else added


def read_value(info: FieldInfo | None, name: str, text: str) -> Value:
    """A value as people type it: texts without quotes, lists with commas, effects as TOML tables.

    `info` is None for a field that the game does not know, such as an icon that effects refer to. Raises BadInputError that names
    the field and what it can be.
    """
    if info is None:
        return _untyped(text.strip())
    value = _typed(info, name, text.strip())
    fault = info.fault(value)
    if fault is not None:
        raise BadInputError(f"{name}: {fault}")
    return value


def _typed(info: FieldInfo, name: str, text: str) -> Value:
    match info.kind:
        case FieldKind.WHOLE:
            return int(text) if _WHOLE.fullmatch(text) else text
        case FieldKind.SWITCH:
            return _SWITCHES.get(text.lower(), text)
        case FieldKind.CHOICE:
            plain = str(_unquoted(text))
            number = int(plain) if _WHOLE.fullmatch(plain) else plain
            return next((choice for choice in info.choices if str(choice) == plain.lower()), number)
        case FieldKind.CHOICES | FieldKind.WORDS:
            if text.startswith("["):
                return _list(info, name, text)
            return tuple(word.strip() for word in text.split(",") if word.strip())
        case FieldKind.EFFECTS:
            return _list(info, name, text if text.startswith("[") else f"[{text}]")
        case _:
            return _unquoted(text)


def _list(info: FieldInfo, name: str, text: str) -> Value:
    try:
        value = toml_of(f"value = {text}")["value"]
    except ValueError as error:
        example = f"such as {info.example}"
        raise BadInputError(f"{name}: must be {info.values}, {example}; {shown(text)} is not TOML ({error})") from None
    return tuple(value) if isinstance(value, list) else str(value)


def _unquoted(text: str) -> str:
    value = _untyped(text) if text[:1] in ("'", '"') else text
    return value if isinstance(value, str) else text


def _untyped(text: str) -> Value:
    """A text, unless it is a number, true or false, or a list as TOML writes it."""
    try:
        value = toml_of(f"value = {text}").get("value")
    except ValueError:
        return text
    if isinstance(value, list):
        return tuple(value)
    return value if isinstance(value, str | int | float | bool) else text


def replace_file(file: Path, was: str, text: str) -> None:
    """Puts the text in the place of the old one in one step, where the file still says what it `was`.

    Raises BadInputError where it can't be written or somebody else changed it meanwhile.
    """
    target = file.resolve()
    try:
        old = target.read_bytes()
        mark = MARK if old.startswith(MARK.encode()) else ""
        if old != (mark + was).encode():
            raise BadInputError(f"{file}: was changed by somebody else meanwhile; nothing was written, try again")
    except OSError as error:
        raise BadInputError(f"{file}: can't be read ({error.strerror}); nothing was changed") from None
    write_whole(target, lambda fresh: fresh.write((mark + text).encode()))
