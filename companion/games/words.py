"""The smallest parts of the notation: seats, cards, numbers, choices and lists of them, each read and written the same way."""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any, Protocol

from companion.errors import BadInputError

QUOTED = r'"(?:[^"\\]|\\.)*"'
PLAIN = re.compile(r"[\w.'’-]+")
"""A name that needs no quotes, unless it is a word of the notation."""
WHOLE_DIGITS = 16
"""Longest whole number that is read: no count or time at a table is longer."""


class Word(Protocol):
    """One kind of value in an act."""

    def pattern(self, names: Names) -> str:
        """A regular expression without groups that finds it."""

    def read(self, text: str, names: Names) -> Any:
        """The value. Raises BadInputError."""

    def write(self, value: Any, names: Names) -> str:
        """The text that reads as the value again."""


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """The names at one table: who plays, with which cards; and the notation's own words, which a name can't be without quotes.

    Two of them are the same only if they are one: what is made ready for reading is kept by it.
    """

    seats: tuple[str, ...]
    cards: Mapping[str, str]
    """Card id to the name that people use, the same where it has none."""
    reserved: frozenset[str] = frozenset()
    """In lower case."""

    seat_pattern: str = field(init=False, repr=False, compare=False)
    card_pattern: str = field(init=False, repr=False, compare=False)
    spellings: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """How a card may be written, in its normal form, to its id; what two cards could be called is not in it."""

    def __post_init__(self) -> None:
        spellings: dict[str, str] = {}
        for card, name in self.cards.items():
            for spelling in (card, name):
                known = spellings.setdefault(normal(spelling), card)
                if known != card:
                    spellings[normal(spelling)] = ""
        object.__setattr__(self, "spellings", {spelling: card for spelling, card in spellings.items() if card})
        seats = sorted(map(re.escape, self.seats), key=len, reverse=True)
        object.__setattr__(self, "seat_pattern", "|".join([QUOTED, *seats]))
        texts = {text for pair in self.cards.items() for text in pair}
        loose = sorted({_loose(text) for text in texts if normal(text)}, key=len, reverse=True)
        object.__setattr__(
            self, "card_pattern", "|".join([QUOTED, *(f"{text}(?![\\w-])" for text in loose), PLAIN.pattern])
        )

    def seat(self, text: str) -> str:
        """A seat as it was written: in quotes any, else one of the table, whatever its case."""
        if text.startswith('"'):
            return unquoted(text)
        if text in self.seats:
            return text
        alike = [seat for seat in self.seats if _same(seat) == _same(text)]
        if len(alike) != 1:
            raise BadInputError(f"{text!r} is none of the players {', '.join(self.seats)}")
        return alike[0]

    def card(self, text: str) -> str:
        """A card as it was written: one of the deck by id or name, its number with or without zeros; in quotes also any other."""
        is_quoted = text.startswith('"')
        text = unquoted(text) if is_quoted else text
        if text in self.cards:
            return text
        found = self.spellings.get(normal(text))
        if found is None:
            if is_quoted:
                return text
            near = difflib.get_close_matches(normal(text), self.spellings, n=3, cutoff=0.6)
            hint = (
                f"; is it {' or '.join(dict.fromkeys(self.spellings[spelling] for spelling in near))}?" if near else ""
            )
            raise BadInputError(f"{text!r} is no card of this deck{hint}")
        return found

    def quoted(self, name: str) -> str:
        """A name, in quotes where it would not be read as one."""
        plain = PLAIN.fullmatch(name) is not None and name.casefold() not in self.reserved
        return name if plain else quote(name)


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def normal(text: str) -> str:
    """A name without case, spaces, signs and leading zeros: "Red 7" and "red-07" are the same."""
    parts = re.findall(r"[^\W\d_]+|\d+", text.casefold())
    return " ".join(str(int(part)) if part.isdecimal() else part for part in parts)


def _loose(text: str) -> str:
    parts = re.findall(r"[^\W\d_]+|\d+", text)
    return r"[\s_&'’.,-]*".join(f"0*{int(part)}" if part.isdecimal() else re.escape(part) for part in parts)


def quote(text: str) -> str:
    """A text in quotes, in one line whatever it holds."""
    written = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in written)


def unquoted(text: str) -> str:
    """What stands in quotes. Raises BadInputError."""
    try:
        value = json.loads(text, strict=False)
        value.encode("utf-8")
    except (ValueError, UnicodeError):
        raise BadInputError(f"{text} is no text in quotes: a backslash in it must be written twice") from None
    return str(value)


class Seat:
    """A player."""

    def pattern(self, names: Names) -> str:
        return names.seat_pattern

    def read(self, text: str, names: Names) -> str:
        return names.seat(text)

    def write(self, value: str, names: Names) -> str:
        return names.quoted(value) if value in names.seats else quote(value)


class Card:
    """A card, by id or name."""

    def pattern(self, names: Names) -> str:
        return names.card_pattern

    def read(self, text: str, names: Names) -> str:
        return names.card(text)

    def write(self, value: str, names: Names) -> str:
        sure = value in names.cards and PLAIN.fullmatch(value) is not None
        return value if sure else quote(value)


class Text:
    """A word, or any text in quotes."""

    def pattern(self, _names: Names) -> str:
        return rf"{QUOTED}|[\w.:'’-]+"

    def read(self, text: str, _names: Names) -> str:
        return unquoted(text) if text.startswith('"') else text

    def write(self, value: str, names: Names) -> str:
        return value if re.fullmatch(r"[\w.:-]+", value) else names.quoted(value)


class Whole:
    """A whole number."""

    def pattern(self, _names: Names) -> str:
        return r"[+-]?\d+"

    def read(self, text: str, _names: Names) -> int:
        if len(text) > WHOLE_DIGITS:
            raise BadInputError(f"{text[:WHOLE_DIGITS]}... is too long for a number")
        return int(text)

    def write(self, value: int, _names: Names) -> str:
        return str(value)


class Number:
    """A number, with a decimal point or without."""

    def pattern(self, _names: Names) -> str:
        return r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?"

    def read(self, text: str, _names: Names) -> float:
        value = float(text)
        if abs(value) > 10.0**WHOLE_DIGITS:
            raise BadInputError(f"{text} is too large for a number")
        return value

    def write(self, value: float, _names: Names) -> str:
        return repr(float(value))


class Seconds:
    """Whole microseconds, written as seconds."""

    def pattern(self, _names: Names) -> str:
        return r"[+-]?\d+(?:\.\d+)?\s*(?:s\b)?"

    def read(self, text: str, _names: Names) -> int:
        try:
            us = Decimal(text.rstrip("sS \t")) * 1_000_000
        except InvalidOperation:
            raise BadInputError(f"{text} is no time in seconds") from None
        if us != us.to_integral_value() or abs(us) > 10**WHOLE_DIGITS:
            raise BadInputError(f"{text}: a time is told in seconds, with at most six decimals")
        return int(us)

    def write(self, value: int, _names: Names) -> str:
        whole, rest = divmod(abs(value), 1_000_000)
        return f"{'-' if value < 0 else ''}{whole}.{rest:06d}s"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    values: Mapping[str, Any]
    """Word to value; the word's spaces are written as hyphens."""

    def pattern(self, _names: Names) -> str:
        words = sorted(self.values, key=len, reverse=True)
        return "|".join(rf"{_gapped(word)}(?![\w-])" for word in words)

    def read(self, text: str, _names: Names) -> Any:
        wanted = re.sub(r"[\s_-]+", "-", text.casefold())
        return next(value for word, value in self.values.items() if word.casefold() == wanted)

    def write(self, value: Any, _names: Names) -> str:
        return next(word for word, known in self.values.items() if known is value or known == value)


def choice_of(members: type[Enum]) -> Choice:
    """The members of an enumeration by their values."""
    return Choice({str(member.value).replace(" ", "-"): member for member in members})


def _gapped(word: str) -> str:
    return r"[\s_-]+".join(map(re.escape, word.split("-")))


YES = Choice({"yes": True, "no": False})


@dataclass(frozen=True, slots=True)
class Many:
    """Values one after the other, with commas."""

    each: Word
    empty: str = "none"
    """The word for no value at all."""

    def pattern(self, names: Names) -> str:
        one = f"(?:{self.each.pattern(names)})"
        return rf"{one}(?:\s*(?:,|\band\b)\s*{one})*|{self.empty}(?![\w-])"

    def read(self, text: str, names: Names) -> tuple[Any, ...]:
        if text.casefold() == self.empty:
            return ()
        one = re.compile(self.each.pattern(names), re.IGNORECASE)
        gap = re.compile(r"\s*(?:,|\band\b)\s*", re.IGNORECASE)
        values, place = [], 0
        while True:
            found = one.match(text, place)
            if found is None:
                raise BadInputError(f"{text[place:]!r} can't be read; values stand with commas between them")
            values.append(self.each.read(found.group(), names))
            between = gap.match(text, found.end())
            if between is None:
                return tuple(values)
            place = between.end()

    def write(self, value: Sequence[Any], names: Names) -> str:
        return ", ".join(self.each.write(one, names) for one in value) if value else self.empty
