"""The page that maps the rulebook to these tests names tests that exist, every section of findings, and every setting."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from companion.decks.deck import parse_deck
from companion.rules.hoshi_battle import VOCABULARY, HoshiBattleSettings, cards_of, sections
from companion.rules.hoshi_battle.effects import At, Lasts, When, Who
from companion.rules.hoshi_battle.setup import Needs, Reveal

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[3] / "docs" / "rules" / "hoshi-battle.md"


def test_every_test_that_the_page_names_exists() -> None:
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", PAGE.read_text("utf-8"))
    assert len(named) > 150
    missing = [(file, test) for file, test in named if f"def {test}(" not in (HERE / file).read_text("utf-8")]
    assert missing == []


def test_every_row_has_a_test_or_says_why_not() -> None:
    rows = [
        line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ") and not line.startswith("|---")
    ]
    heads = ("| Rule |", "| Card |", "| Term |", "| Reading |")
    bare = [
        row for row in rows if "::test_" not in row and "prepares the table" not in row and not row.startswith(heads)
    ]
    assert bare == []


def test_every_section_of_a_finding_is_tested() -> None:
    tests = "".join(file.read_text("utf-8") for file in HERE.glob("test_*.py"))
    rules = "".join(file.read_text("utf-8") for file in Path(sections.__file__).parent.glob("*.py"))
    names = [name for name in vars(sections) if name.isupper()]
    unused = [name for name in names if f"sections.{name}" not in rules]
    assert unused == []
    judged = [name for name in names if re.search(rf"finding\(\s*\w+,\s*sections\.{name}\b", rules)]
    assert len(judged) > 20
    assert [name for name in judged if f"sections.{name}" not in tests] == []


def test_every_setting_is_named_by_a_test_or_the_page() -> None:
    text = PAGE.read_text("utf-8") + "".join(file.read_text("utf-8") for file in HERE.glob("test_*.py"))
    assert [entry.name for entry in fields(HoshiBattleSettings) if entry.name not in text] == []


def test_the_cards_on_the_page_can_be_entered_and_every_word_stands_there() -> None:
    text = PAGE.read_text("utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    heroes, duels = cards_of(parse_deck('game = "hoshi-battle"\n' + example, "page", "page").cards)
    assert heroes["hero-02"].is_known
    assert duels["duel-06"].is_known
    words = [*VOCABULARY, *When, *Lasts, *At, *Who, *Needs, *Reveal]
    assert [word for word in words if f"`{word}`" not in text and word not in example] == []
