"""What `hoshiban decks` says to people: cards, problems and effects as lines that fit the terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping

import click

from companion.decks.checking import Level, Problem
from companion.decks.template import needs_in_words
from companion.decks.toml_text import table_text, toml_text
from companion.rules.card_fields import EffectWord, FieldInfo
from companion.rules.cards import CardData, Provenance, Value

_NARROWEST = 30
_COLOURS = {Provenance.RULEBOOK: "green", Provenance.INFERRED: "yellow", Provenance.USER: "cyan"}


def say(line: str = "") -> None:
    """A line for people; colours are left out where nobody could see them."""
    click.echo(line, err=True)


def card_lines(data: CardData) -> Iterator[str]:
    """A card: its id, then each field with who says so and what it says."""
    yield click.style(data.id, bold=True)
    rows: list[tuple[str, Provenance, Value]] = [(name, x.source, x.value) for name, x in data.fields.items()]
    if data.copies_source is not None:
        rows.append(("copies", data.copies_source, data.copies))
    if not rows:
        yield "  nothing is entered"
    wide = min(max((len(name) for name, *_ in rows), default=0), 20)
    for name, source, value in rows:
        head = f"  {name:{wide}}  {source.value:8}  "
        coloured = f"  {name:{wide}}  {click.style(f'{source.value:8}', fg=_COLOURS[source])}  "
        lines = [line for part in _value_parts(value) for line in _wrapped(part, len(head))]
        if _width() - len(head) < _NARROWEST:
            # A narrow terminal gives the value lines of its own.
            yield coloured.rstrip()
            yield from (f"    {line}" for part in _value_parts(value) for line in _wrapped(part, 4))
        else:
            yield f"{coloured}{lines[0] if lines else ''}"
            yield from (" " * len(head) + line for line in lines[1:])


def problem_lines(problem: Problem) -> str:
    """A problem on one line, which a terminal may break and an editor can jump to."""
    text = str(problem)
    return click.style(text, fg="red") if problem.level is Level.ERROR else text


def effect_lines(word: EffectWord) -> Iterator[str]:
    """A word of the vocabulary, its entries and an example."""
    yield click.style(word.word, bold=True)
    yield from (f"  {line}" for line in _wrapped(word.meaning, 2))
    for info in word.entries:
        first, *rest = _wrapped(f"{info.name}: {needs_in_words(info)}", 8)
        yield f"    {first}"
        yield from (f"        {line}" for line in rest)
    yield from (f"    {line}" for line in word.example.split("\n"))


def entry_lines(words: Iterable[EffectWord]) -> Iterator[str]:
    """What the entries mean, each once, in whichever effects it stands."""
    yield "What the entries mean:"
    for info in {info.name: info for word in words for info in word.entries}.values():
        first, *rest = _wrapped(f"{info.name}: {info.meaning}", 6)
        yield f"  {first}"
        yield from (f"      {line}" for line in rest)
        yield from choice_lines(info)


def field_lines(info: FieldInfo, indent: int = 0) -> Iterator[str]:
    """A field: its name, what it means, what it can be, and what the choices mean."""
    text = f"{info.name}: {info.meaning}; {needs_in_words(info)}"
    first, *rest = _wrapped(text, indent + 4)
    yield " " * indent + first
    yield from (" " * (indent + 4) + line for line in rest)


def choice_lines(info: FieldInfo) -> Iterator[str]:
    """The choices of a field with their meanings, where they have any."""
    meanings: Mapping[str, str] = info.choice_meanings or {}
    for choice, meaning in meanings.items():
        first, *rest = _wrapped(f"{choice}: {meaning}", 8)
        yield f"    {first}"
        yield from (f"      {line}" for line in rest)


def value_text(value: Value) -> str:
    """A value on one line, as it is typed at the command line."""
    return value if isinstance(value, str) else " ".join(toml_text(value).split())


def _value_parts(value: Value) -> list[str]:
    if isinstance(value, tuple) and any(isinstance(item, Mapping) for item in value):
        return [table_text(item) if isinstance(item, Mapping) else str(item) for item in value]
    return [value_text(value)]


def _wrapped(text: str, taken: int) -> list[str]:
    """Lines of text, as wide as the terminal leaves beside what is taken."""
    return textwrap.wrap(text, max(_width() - taken, 16), break_on_hyphens=False) or [""]


def _width() -> int:
    return min(shutil.get_terminal_size().columns, 120)
