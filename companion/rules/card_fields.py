"""What the cards of a game say, described once: the reader, `hoshiban decks` and the documentation all take it from here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeGuard

from companion.rules.cards import CardData

_SHOWN = 60
"""Characters of a wrong value that a message repeats."""


class FieldKind(StrEnum):
    """What a field can hold."""

    TEXT = "text"
    WHOLE = "whole number"
    SWITCH = "true or false"
    CHOICE = "one of its choices"
    CHOICES = "list of its choices"
    WORDS = "list of texts"
    EFFECTS = "list of effects"


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """What people should know of a field of a card, or of an entry of an effect."""

    name: str
    kind: FieldKind
    meaning: str
    example: str
    """A value as it stands in TOML."""
    choices: tuple[str | int, ...] = ()
    """Of a choice, or of the items of a list of choices."""
    choice_meanings: Mapping[str, str] | None = None
    """What the choices mean, where their words alone don't say it."""
    least: int | None = None
    most: int | None = None
    """Bounds of a whole number, or of a text's length, both included."""
    needed: bool = False
    """Whether a card without it can't be played with."""
    otherwise: str = ""
    """What holds where it is not given, in words."""
    items: str = "texts"
    """What a list of texts holds."""

    @property
    def values(self) -> str:
        """What it can be, in words: what a message says after "must be"."""
        match self.kind:
            case FieldKind.TEXT:
                return "a text that is not empty" if self.least else "a text"
            case FieldKind.SWITCH:
                return "true or false"
            case FieldKind.WHOLE:
                return _bounds(self.least, self.most)
            case FieldKind.CHOICE if len(self.choices) == 2:
                return f"{self.choices[0]} or {self.choices[1]}"
            case FieldKind.CHOICE:
                return f"one of {', '.join(map(str, self.choices))}"
            case FieldKind.CHOICES:
                return f"a list of {', '.join(map(str, self.choices))}"
            case FieldKind.WORDS:
                return f"a list of {self.items}"
            case FieldKind.EFFECTS:
                return "a list of tables, each with do"

    def fault(self, value: object) -> str | None:
        """What is wrong with a value, in words; None where it is fine. What stands inside effects is not looked at."""
        return None if self._fits(value) else f"must be {self.values}, not {shown(value)}"

    def _fits(self, value: object) -> bool:
        match self.kind:
            case FieldKind.TEXT:
                return isinstance(value, str) and len(value) >= (self.least or 0)
            case FieldKind.SWITCH:
                return isinstance(value, bool)
            case FieldKind.WHOLE:
                return (
                    is_whole(value)
                    and (self.least is None or value >= self.least)
                    and (self.most is None or value <= self.most)
                )
            case FieldKind.CHOICE:
                return isinstance(value, str | int) and not isinstance(value, bool) and value in self.choices
            case FieldKind.CHOICES:
                return isinstance(value, tuple) and all(item in self.choices for item in value)
            case FieldKind.WORDS:
                return isinstance(value, tuple) and all(isinstance(item, str) for item in value)
            case FieldKind.EFFECTS:
                return isinstance(value, tuple) and all(isinstance(item, Mapping) for item in value)


@dataclass(frozen=True, slots=True)
class EffectWord:
    """A word of a game's effect vocabulary."""

    word: str
    meaning: str
    example: str
    """The lines of a card that has it, as they stand in a deck.toml."""
    entries: tuple[FieldInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class CardForm:
    """A kind of card and what it says."""

    kind: str
    """The value of its field `kind`; empty where a game has cards of one kind only."""
    meaning: str
    fields: tuple[FieldInfo, ...]
    once: str = ""
    """What a message calls it, where each such card is there once."""
    in_box: int | None = None
    """How many the rulebook's deck has, copies counted; None where it doesn't say."""

    def field(self, name: str) -> FieldInfo | None:
        """The field of that name."""
        return next((info for info in self.fields if info.name == name), None)


@dataclass(frozen=True, slots=True)
class DeckForm:
    """The kinds of cards of a game's deck."""

    game: str
    forms: tuple[CardForm, ...]
    usual: str = ""
    """The kind of a card that doesn't state one; empty where every card must."""
    apart: bool = False
    """Whether cards of one kind alone may be a deck of their own."""

    @property
    def has_kinds(self) -> bool:
        """Whether cards state their kind."""
        return any(form.kind for form in self.forms)

    def form_of(self, data: CardData) -> CardForm | None:
        """The kind of a card; None where it states none that is known."""
        if not self.has_kinds:
            return self.forms[0]
        kind = data.value("kind")
        wanted = self.usual if kind is None else kind
        return next((form for form in self.forms if form.kind == wanted), None)

    @property
    def kind_field(self) -> FieldInfo:
        """The field `kind`."""
        return FieldInfo(
            "kind",
            FieldKind.CHOICE,
            "what kind of card it is",
            f'"{self.forms[0].kind}"',
            choices=tuple(form.kind for form in self.forms),
            choice_meanings={form.kind: form.meaning for form in self.forms},
            needed=not self.usual,
            otherwise=self.usual,
        )

    def fields_of(self, form: CardForm) -> tuple[FieldInfo, ...]:
        """All fields of a kind of card, its kind first and its copies last."""
        kind = (self.kind_field,) if self.has_kinds else ()
        return (*kind, *form.fields, *(() if form.once else (COPIES,)))


COPIES = FieldInfo(
    "copies", FieldKind.WHOLE, "how many such cards, alike in every way, are in the deck", "1", least=1, otherwise="1"
)


@dataclass(frozen=True, slots=True)
class CardFault:
    """Something in a deck's data with which no game can be set up."""

    text: str
    card: str = ""
    """Its id; empty where it concerns the deck as a whole."""
    at: tuple[str | int, ...] = ()
    """The field and the way into it, 0-based, such as ("effects", 0, "sides"); empty where it concerns the card as a whole."""

    @property
    def path(self) -> tuple[str | int, ...]:
        """The way to it from the top of the deck's data."""
        return ("card", self.card, *self.at) if self.card else ("card",)

    def __str__(self) -> str:
        return f"{shown_path(self.path)}: {self.text}"


def card_faults(deck: DeckForm, cards: Mapping[str, CardData]) -> Iterator[CardFault]:
    """What is wrong with each card by itself: its kind, its fields, its copies. Cards in the deck's order."""
    for card, data in cards.items():
        form = deck.form_of(data)
        if form is None:
            yield CardFault(_missing_or(deck.kind_field, data.value("kind")), card, ("kind",))
            continue
        for info in form.fields:
            value = data.value(info.name)
            if value is None:
                if info.needed:
                    yield CardFault(_missing(info), card, (info.name,))
                continue
            fault = info.fault(value)
            if fault is not None:
                yield CardFault(fault, card, (info.name,))
        if form.once and data.copies != 1:
            yield CardFault(f"each {form.once} is there once, not {shown(data.copies)} times", card, ("copies",))


def refuse(faults: Iterable[CardFault]) -> None:
    """Raises ValueError, which names the card and the field, for the first fault."""
    for fault in faults:
        raise ValueError(str(fault))


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number, and no switch."""
    return isinstance(value, int) and not isinstance(value, bool)


def whole_of(data: CardData, name: str) -> int | None:
    """A field that is a whole number."""
    value = data.value(name)
    return value if is_whole(value) else None


def text_of(data: CardData, name: str) -> str | None:
    """A field that is a text."""
    value = data.value(name)
    return value if isinstance(value, str) else None


def texts_of(data: CardData, name: str) -> tuple[str, ...]:
    """A field that is a list of texts; empty where it is not there."""
    value = data.value(name)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, tuple) else ()


def shown(value: object) -> str:
    """A value for a message: on one line, and not longer than a person reads."""
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of many digits"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        value = list(value)
    try:
        text = repr(str(value)) if isinstance(value, str) else repr(value)
    except ValueError:  # a number of too many digits inside
        return "what stands there"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


_LONGEST_KEY = 80


def shown_path(path: tuple[str | int, ...]) -> str:
    """A way into a deck's data as a message names it: `card.yoss.effects[0].sides`, on one short line whatever the keys hold."""
    text = ""
    for step in path:
        key = str(step) if str(step).isprintable() else str(step).encode("unicode_escape").decode("ascii")
        key = key if len(key) <= _LONGEST_KEY else f"{key[: _LONGEST_KEY - 3]}..."
        text += f"[{step}]" if isinstance(step, int) else f".{key}" if text else key
    return text


def _missing(info: FieldInfo) -> str:
    return f"is missing; it must be {info.values}"


def _missing_or(info: FieldInfo, value: object) -> str:
    return _missing(info) if value is None else str(info.fault(value))


def _bounds(least: int | None, most: int | None) -> str:
    if least is not None and most is not None:
        return f"a whole number from {least} to {most}"
    if least is not None:
        return f"a whole number of at least {least}"
    return "a whole number" if most is None else f"a whole number of at most {most}"
