"""In which line of a deck.toml each key stands. Lines are 1-based, as editors count them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.items import AoT, Array, Comment, InlineTable, Item, Key, Null, Table, Whitespace

Path = tuple[str | int, ...]
"""The way to a value from the top: keys, and places in lists, 0-based."""

_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)$| \(at end of document\)$")
_TWICE = re.compile(r"Cannot (?:declare|mutate|overwrite|define|redefine)|already|immutable", re.IGNORECASE)
_LONGEST = 60
"""Lines of the longest statement that is looked for around a fault."""
_LARGEST = 200_000
"""Characters up to which the statement with a fault is looked for."""


def key_lines(text: str) -> dict[Path, int]:
    """The line of every key and list item of a TOML document; a table stands where it is first spoken of.

    Empty where tomlkit can't read what the standard library can.
    """
    walk = _walked(text)
    return {} if walk is None else walk.lines


def line_of(lines: Mapping[Path, int], path: Path) -> int:
    """The line of a value, or of the nearest thing around it that is there; 1 where nothing is."""
    for length in range(len(path), 0, -1):
        found = lines.get(path[:length])
        if found is not None:
            return found
    return 1


def key_spans(text: str) -> dict[Path, tuple[int, int]]:
    """The first and last line of every key, and of every table's header."""
    walk = _walked(text)
    return {} if walk is None else {path: (walk.lines[path], end) for path, end in walk.ends.items()}


class _Walk:
    """Goes through a parsed document in the order of its text and counts the lines."""

    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self.table: Path = ()
        """The last table with a header of its own."""
        self.ends: dict[Path, int] = {}
        """By table or key, the line in which it ends; of a table, its header."""
        self.keys: list[Path] = []
        """The keys of what is no table."""
        self._line = 1

    def body(self, container: Container, path: Path) -> None:
        for key, item in container.body:
            if key is None:
                self._pass(item.as_string())
                continue
            here = (*path, *_names(key))
            if isinstance(item, Table):
                self._table(item, here, is_dotted=key.is_dotted())
            elif isinstance(item, AoT):
                for place, table in enumerate(item.body):
                    self._meet(here)
                    self._table(table, (*here, place), is_dotted=False)
            else:
                self._pass(item.trivia.indent)
                self._meet(here)
                self.keys.append(here)
                self._pass(key.as_string() + key.sep)
                self._value(item, here)
                self.ends[here] = self._line
                self._pass(item.trivia.comment_ws + item.trivia.comment + item.trivia.trail)

    def _table(self, table: Table, path: Path, *, is_dotted: bool) -> None:
        if is_dotted or table.is_super_table():
            if table.trivia.indent == "\n":
                self._pass(table.trivia.indent)
            self.lines.setdefault(path, 0)  # its line is that of the first thing in it
        else:
            self._pass(table.trivia.indent)
            self._meet(path)
            self.table = path
            self.ends[path] = self._line
            self._pass(table.trivia.comment_ws + table.trivia.comment + table.trivia.trail)
        self.body(table.value, path)

    def _value(self, item: Item, path: Path) -> None:
        if isinstance(item, InlineTable):
            keys = len(self.keys)
            self.body(item.value, path)
            del self.keys[keys:]
        elif isinstance(item, Array):
            self._array(item, path)
        else:
            self._pass(item.as_string())

    def _array(self, array: Array, path: Path) -> None:
        place = 0
        for part in array._iter_items():  # the only way to the comments and line ends between the items
            if isinstance(part, Comment | Whitespace | Null):
                self._pass(part.as_string())
                continue
            self._meet((*path, place))
            self._value(part, (*path, place))
            place += 1

    def _meet(self, path: Path) -> None:
        for length in range(1, len(path) + 1):
            if not self.lines.get(path[:length]):
                self.lines[path[:length]] = self._line

    def _pass(self, text: str) -> None:
        self._line += text.count("\n")


def _names(key: Key) -> Iterator[str]:
    return (part.key for part in key)


def syntax_fault(text: str, error: ValueError) -> tuple[int, Path, str]:
    """From what `toml_of` said of a document: the line in which the faulty statement begins, the table or key that it speaks of
    as far as it can be told, and what is wrong."""
    lines = text.replace("\r\n", "\n").split("\n")
    said = str(error)
    found = _AT_LINE.search(said)
    last = min(int(found[1]) if found is not None and found[1] else len(lines), len(lines))
    line = _statement(lines, last) if len(text) <= _LARGEST else last
    what = _AT_LINE.sub("", said)
    path = _spoken_of(lines[: line - 1], lines[line - 1 : last])
    if _TWICE.search(what) and path:
        return line, path, "is there twice; each table and key may be there once"
    statement = lines[line - 1].strip()
    return line, path, f"is not valid TOML: {_printable(what)}{f', in {_shown(statement)}' if statement else ''}"


def _spoken_of(before: list[str], statement: list[str]) -> Path:
    """The table or key of a statement that can be read by itself; else the table in which it stands."""
    above = _walked("\n".join(before))
    key, equals, _ = statement[0].partition("=") if statement else ("", "", "")
    alone = _walked("\n".join(statement)) or (_walked(f"{key}= 0") if equals else None)
    inside = () if above is None else above.table
    if alone is None:
        return inside
    return alone.table or (*inside, *max(alone.keys, key=len, default=()))


def _walked(text: str) -> _Walk | None:
    walk = _Walk()
    try:
        document = tomlkit.parse(text)
        walk.body(document, ())
        if document.as_string().count("\n") != text.count("\n"):
            return None
    except Exception:  # a library's own faults must not hide the fault that is looked for
        return None
    return walk


def _statement(lines: list[str], last: int) -> int:
    """The line where the statement begins that can't be read; the first `last` lines hold its fault."""
    low, high = 0, last
    while True:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _is_readable(lines[:middle]) else (low, middle)
        # The border that was found may lie inside a value of several lines that is fine: look behind it.
        further = next((n for n in range(low + 2, min(last, low + _LONGEST)) if _is_readable(lines[:n])), None)
        if further is None:
            break
        low, high = further, last
    while low < last - 1 and (not lines[low].strip() or lines[low].lstrip().startswith("#")):
        low += 1
    return low + 1


def _is_readable(lines: list[str]) -> bool:
    try:
        tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return False
    return True


def _shown(statement: str) -> str:
    text = _printable(statement)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def toml_of(text: str) -> dict[str, Any]:
    """The values of a TOML document. Raises ValueError, also for numbers of too many digits and for lists too deep."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("lists or tables are nested too deep") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise ValueError("a number has too many digits") from None
