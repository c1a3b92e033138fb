"""How an act is said: one template, by which it is both written and read.

A template is made of words and fields: `{seat} plays|played {card} [as {declared}]`.

- `plays|played`: the first is written, any is read, whatever the case.
- `{card}`: a field of the act by its name; its kind follows from its type, or stands behind a colon (`{to:seat}`).
- `[as {declared}]`: written only where a field in it differs from its default; it may be left out when read.
- `(a card)`: always written, and may be left out when read.
- Parts of one word stand together without spaces: `{a}-{b}`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from companion.errors import BadInputError
from companion.games.words import YES, Card, Choice, Many, Names, Number, Seat, Seconds, Text, Whole, Word, choice_of

KINDS: Mapping[str, Word] = {
    "seat": Seat(),
    "card": Card(),
    "word": Text(),
    "time": Seconds(),
    "seats": Many(Seat(), "nobody"),
    "toucher": Many(Seat(), "somebody"),
    "cards": Many(Card()),
    "words": Many(Text()),
    "inside": Choice({"inside": True, "outside": False, "unsure": None}),
}
"""What may stand behind a field's colon."""
_USUAL = {"seat": "seat", "card": "card"}
"""Fields whose kind their name tells."""
_TOKEN = re.compile(r"\{(\w+)(?::(\w+))?\}|([^{}]+)")
MISSING = dataclasses.MISSING


@dataclass(frozen=True, slots=True)
class Slot:
    """A field in a template."""

    name: str
    word: Word
    default: Any
    """MISSING where it must be said."""


@dataclass(frozen=True, slots=True)
class Group:
    """A part of a template that may be left out."""

    nodes: tuple[Node, ...]
    is_silent: bool
    """Always written: `(a card)`."""


Part = Slot | str
Node = tuple[Part, ...] | Group
"""Parts of one word, or a group. A literal part holds its alternatives, with bars between them."""


@dataclass(frozen=True, slots=True, eq=False)
class Phrase:
    """An act, or a part of one, with the templates that say it."""

    made: type
    templates: tuple[str, ...]
    """The first is written, any is read."""
    parts: Mapping[str, Word] = field(default_factory=dict)
    """Kinds of its own, by the name behind the colon or the field's name."""

    nodes: tuple[tuple[Node, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", tuple(_Reader(self, template).nodes() for template in self.templates))

    @property
    def words(self) -> frozenset[str]:
        """Every literal word that it uses, in lower case."""
        return frozenset(
            word.casefold()
            for nodes in self.nodes
            for part in _parts(nodes)
            if isinstance(part, str)
            for word in part.split("|")
        )

    @property
    def first_words(self) -> frozenset[str]:
        """The words with which it can begin, in lower case; empty where it begins with a field."""
        first = [nodes[0][0] for nodes in self.nodes if not isinstance(nodes[0], Group)]
        return frozenset(word.casefold() for part in first if isinstance(part, str) for word in part.split("|"))

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The fields of its first template, in order."""
        return tuple(part for part in _parts(self.nodes[0]) if isinstance(part, Slot))

    def pattern(self, names: Names) -> str:
        """A regular expression without groups for any of its templates."""
        return "|".join(_regex(nodes, names, None) for nodes in self.nodes)

    def readers(self, names: Names) -> tuple[Reader, ...]:
        """What reads its templates at one table."""
        return tuple(Reader(self, nodes, names) for nodes in self.nodes)

    def read(self, text: str, names: Names) -> Any:
        """The act that a text says. Raises BadInputError."""
        for reader in self.readers(names):
            if (values := reader.values(text)) is not None:
                return self.made(**values)
        raise BadInputError(f"{text!r} can't be read; it is said as {self.templates[0]!r}")

    def write(self, value: Any, names: Names) -> str:
        """The act in its canonical words."""
        return " ".join(_written(self.nodes[0], value, names))


class Reader:
    """One template, ready to read at one table."""

    def __init__(self, phrase: Phrase, nodes: tuple[Node, ...], names: Names) -> None:
        self.phrase = phrase
        self._names = names
        self._slots: list[Slot] = []
        self._regex = re.compile(_regex(nodes, names, self._slots), re.IGNORECASE)

    def values(self, text: str) -> dict[str, Any] | None:
        """The fields that a text names; None where it says something else. Raises BadInputError for a value that can't be."""
        found = self._regex.fullmatch(text)
        if found is None:
            return None
        values: dict[str, Any] = {}
        for slot, piece in zip(self._slots, found.groups(), strict=True):
            values[slot.name] = slot.default if piece is None else slot.word.read(piece, self._names)
        return values


class _Reader:
    """Takes a template apart."""

    def __init__(self, phrase: Phrase, template: str) -> None:
        self._phrase = phrase
        self._hints = get_type_hints(phrase.made)
        self._fields = {entry.name: entry for entry in dataclasses.fields(phrase.made)}
        self._tokens = re.findall(r"[\[\]()]|(?:\{[^}]*\}|[^\s\[\](){}])+", template)
        self._place = 0

    def nodes(self) -> tuple[Node, ...]:
        found: list[Node] = []
        while self._place < len(self._tokens):
            token = self._tokens[self._place]
            self._place += 1
            if token in "])":
                break
            if token in "[(":
                found.append(Group(self.nodes(), token == "("))
            else:
                found.append(tuple(self._part(match) for match in _TOKEN.finditer(token)))
        return tuple(found)

    def _part(self, match: re.Match[str]) -> Part:
        name, kind, literal = match.groups()
        if literal is not None:
            return str(literal)
        entry = self._fields[name]
        hint = self._hints[name]
        default: Any = MISSING
        if entry.default is not MISSING:
            default = entry.default
        elif NoneType in get_args(hint):
            default = None
        return Slot(name, self._word(name, kind, hint), default)

    def _word(self, name: str, kind: str | None, hint: Any) -> Word:
        kind = kind or _USUAL.get(name, name)
        if kind in self._phrase.parts:
            return self._phrase.parts[kind]
        if kind in KINDS:
            return KINDS[kind]
        return _word_for(hint)


def _word_for(hint: Any) -> Word:
    """The kind that a type asks for."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(one for one in get_args(hint) if one is not NoneType)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return choice_of(hint)
    simple: dict[Any, Word] = {bool: YES, int: Whole(), float: Number(), str: Text()}
    return simple[hint]


def _parts(nodes: tuple[Node, ...]) -> list[Part]:
    found: list[Part] = []
    for node in nodes:
        found += _parts(node.nodes) if isinstance(node, Group) else node
    return found


def _regex(nodes: tuple[Node, ...], names: Names, slots: list[Slot] | None) -> str:
    """Words with spaces between them. Slots become groups of their own, in order, where they are asked for."""
    text = ""
    for node in nodes:
        gap = r"\s+" if text else ""
        if isinstance(node, Group):
            text += f"(?:{gap}{_regex(node.nodes, names, slots)})?"
        else:
            text += gap + r"\s*".join(_part_regex(part, names, slots) for part in node)
    return text


def _part_regex(part: Part, names: Names, slots: list[Slot] | None) -> str:
    if isinstance(part, str):
        return "(?:" + "|".join("[-–—]" if word == "-" else re.escape(word) for word in part.split("|")) + ")"
    if slots is None:
        return f"(?:{part.word.pattern(names)})"
    slots.append(part)
    return f"({part.word.pattern(names)})"


def _written(nodes: tuple[Node, ...], value: Any, names: Names) -> list[str]:
    words = []
    for node in nodes:
        if isinstance(node, Group):
            if node.is_silent or any(_differs(part, value) for part in _parts(node.nodes)):
                words += _written(node.nodes, value, names)
        else:
            words.append("".join(_part_text(part, value, names) for part in node))
    return words


def _differs(part: Part, value: Any) -> bool:
    return isinstance(part, Slot) and getattr(value, part.name) != part.default


def _part_text(part: Part, value: Any, names: Names) -> str:
    if isinstance(part, str):
        return part.split("|", maxsplit=1)[0]
    return part.word.write(getattr(value, part.name), names)


@dataclass(frozen=True, slots=True)
class Nested:
    """A value within an act that is said by a phrase of its own."""

    phrase: Phrase

    def pattern(self, names: Names) -> str:
        return self.phrase.pattern(names)

    def read(self, text: str, names: Names) -> Any:
        return self.phrase.read(text, names)

    def write(self, value: Any, names: Names) -> str:
        return self.phrase.write(value, names)
