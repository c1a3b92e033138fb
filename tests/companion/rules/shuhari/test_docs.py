"""docs/rules/shuhari.md names tests that are there, and every setting."""

from __future__ import annotations

import re
from pathlib import Path

from companion.rules.shuhari import ShuhariSettings

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[3] / "docs" / "rules" / "shuhari.md"


def test_every_test_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)", PAGE.read_text("utf-8"))) - {path.stem for path in HERE.glob("test_*.py")}
    there = {
        name
        for path in HERE.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.M)
    }
    assert named
    assert named - there == set()


def test_every_rulebook_test_is_named_by_the_page() -> None:
    page = PAGE.read_text("utf-8")
    for file in ("test_tricks.py", "test_aids.py", "test_mastery.py"):
        for name in re.findall(r"^def (test_\w+)", (HERE / file).read_text("utf-8"), re.M):
            assert name in page or name in UNNAMED, name


UNNAMED = {
    "test_a_stranger_plays_no_card",
    "test_only_the_last_card_can_still_be_told",
    "test_expectations_are_conditional",
}
"""Of no sentence of the rulebook: facts that don't fit the table, and what is said to people."""


def test_every_setting_is_named_by_the_page() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in ShuhariSettings.__dataclass_fields__ if f"`{name}`" not in page] == []
