"""The line of every key, against files whose lines are known from how they were made."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.decks.lines import key_lines, key_spans, line_of

BUILTIN = ("ahuha", "hoshi-heroes", "hoshi-duels", "shuhari", "hoshizora")


@dataclass
class Lines:
    """The text of a file under construction, and where its keys were put."""

    rows: list[str] = field(default_factory=list)
    where: dict[tuple[str | int, ...], int] = field(default_factory=dict)

    def put(self, path: tuple[str | int, ...]) -> None:
        """The next row is where the key stands."""
        self.where.setdefault(path, len(self.rows) + 1)


@st.composite
def toml_files(draw: st.DrawFn) -> Lines:
    """A file of tables [card.<id>] whose keys are never repeated, with its true lines."""
    lines = Lines()
    noise = st.lists(st.sampled_from(["", "# game = 3", "   # [card.a]", "#"]), max_size=2)
    tail = st.sampled_from(["", "   # x = 1", " # ]", "  "])
    lines.rows += draw(noise)
    lines.put(("game",))
    lines.rows.append('game = "shuhari"' + draw(tail))
    for n in range(draw(st.integers(1, 4))):
        card = f"c{n}"
        lines.rows += draw(noise)
        if n == 0:
            lines.put(("card",))
        lines.put(("card", card))
        lines.rows.append(f"{draw(st.sampled_from(['', '  ']))}[card.{card}]{draw(tail)}")
        for m in range(draw(st.integers(0, 4))):
            lines.rows += draw(noise)
            _put_value(draw, lines, ("card", card, f"k{m}"), tail)
    return lines


def _put_value(draw: st.DrawFn, lines: Lines, path: tuple[str | int, ...], tail: st.SearchStrategy[str]) -> None:
    lines.put(path)
    name = path[-1]
    match draw(st.sampled_from(["number", "text", "long text", "list", "long list", "tables"])):
        case "number":
            lines.rows.append(f"{name} = {draw(st.integers(-5, 5))}{draw(tail)}")
        case "text":
            lines.rows.append(f'{name} = "# [card.x] k0 = 1"{draw(tail)}')
        case "long text":
            quotes = draw(st.sampled_from(['"""', "'''"]))
            inside = draw(st.lists(st.sampled_from(["k0 = 1", "", "[card.c0]", "# no comment"]), max_size=3))
            lines.rows += [f"{name} = {quotes}", *inside, quotes + draw(tail)]
        case "list":
            lines.put((*path, 0))
            lines.put((*path, 1))
            lines.rows.append(f'{name} = ["a", "b"]{draw(tail)}')
        case "long list":
            lines.rows.append(f"{name} = [{draw(tail)}")
            for place in range(draw(st.integers(1, 3))):
                lines.rows += draw(st.lists(st.sampled_from(["", "  # 'x', "]), max_size=2))
                lines.put((*path, place))
                lines.rows.append(f"    'k0 = [',{draw(tail)}")
            lines.rows.append("]" + draw(tail))
        case _:
            lines.rows.append(f"{name} = [{draw(tail)}")
            for place in range(draw(st.integers(1, 3))):
                lines.rows += draw(st.lists(st.just("  # { do = 'x' },"), max_size=1))
                lines.put((*path, place))
                lines.put((*path, place, "do"))
                lines.put((*path, place, "n"))
                lines.rows.append(f"    {{ do = 'x', n = {place} }},{draw(tail)}")
            lines.rows.append("]")


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """Every key and list item of parsed TOML."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = {path} if path else set()
    for key, item in inside:
        found |= paths_of(item, (*path, key))
    return found


@settings(max_examples=150, deadline=None)
@given(toml_files(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_lines_are_those_of_the_file(lines: Lines, end: str, closed: bool) -> None:
    text = end.join(lines.rows) + (end if closed else "")
    assert key_lines(text) == lines.where
    assert set(lines.where) == paths_of(tomllib.loads(text))


@pytest.mark.parametrize("stem", BUILTIN)
def test_lines_of_the_built_in_decks(stem: str) -> None:
    """Of a plain file an editor's search finds the same: the header of a card, and below it the field."""
    text = (files("companion.decks") / "builtin" / f"{stem}.toml").read_text("utf-8")
    rows = text.splitlines()
    found = key_lines(text)
    assert set(found) == paths_of(tomllib.loads(text))
    for path, line in found.items():
        if path == ("card",):
            assert rows[line - 1].startswith("[card.")
        elif len(path) == 2:
            assert rows[line - 1] == f"[card.{path[1]}]"
        elif len(path) in (1, 3):
            assert rows[line - 1].startswith(f"{path[-1]} = ")
            head = f"[card.{path[1]}]" if len(path) == 3 else rows[0]
            assert rows.index(head) < line


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("a.b = 1\na.c = 2", ("a", "c"), 2),
        ("[x]\n\n[a.b]\nc = 1\n[a]\nd = 2", ("a", "d"), 6),
        ("[[a]]\nb = 1\n# x\n[[a]]\nb = 2", ("a", 1, "b"), 5),
        ("a = {b = [1,\n2], c = 3}", ("a", "c"), 2),
        ('"a b" = 1\n\n["c.d"]\n"e=f" = 1', ("c.d", "e=f"), 4),
        ("[a] # [b]\n[b]\nc=1\n[a.d]\ne=1", ("a", "d", "e"), 5),
    ],
)
def test_unusual_ways_to_write_a_key(text: str, path: tuple[str | int, ...], line: int) -> None:
    assert key_lines(text)[path] == line


def test_what_is_not_there_has_the_line_of_what_is_around_it() -> None:
    lines = key_lines('game = "x"\n\n[card.a]\nb = [\n  {do = "x"},\n]')
    assert line_of(lines, ("card", "a", "b", 0, "who")) == 5
    assert line_of(lines, ("card", "a", "nothing")) == 3
    assert line_of(lines, ("card", "z")) == 3
    assert line_of(lines, ("nowhere",)) == 1


def test_spans_reach_over_values_of_many_lines() -> None:
    spans = key_spans('[card.a]\nb = [\n 1,\n 2,\n]  # x\nc = """\n\n"""\nd = 1')
    assert spans["card", "a"] == (1, 1)
    assert (spans["card", "a", "b"], spans["card", "a", "c"], spans["card", "a", "d"]) == ((2, 5), (6, 8), (9, 9))


def test_a_text_that_is_no_toml_has_no_lines() -> None:
    assert key_lines("a = ") == {}
