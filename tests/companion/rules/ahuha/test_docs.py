"""The rulebook's numbered sections, questions and examples are all on the page."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def page(rule_page):
    return rule_page("ahuha")


def test_every_section_of_the_rulebook_is_on_the_page(page) -> None:
    for number in range(1, 11):
        assert re.search(rf"^\| {number}[ .a-c|]", page.text, re.MULTILINE), number
    for step in ("6a", "6b", "6c", "7.1", "7.2", "7.3-A", "7.3-B", "7.4", "8.1", "8.2"):
        assert f"\n| {step} |" in page.text, step
    for example in ("1-1", "1-2", "2-1", "2-2"):
        assert f"\n| Example {example} |" in page.text, example


def test_every_question_and_tip_of_the_rulebook_has_a_row(page, shared) -> None:
    book = (shared / "rulebooks" / "ahuha-ahukaha.txt").read_text("utf-8")
    assert page.text.count("\n| Q&A |") >= book.count("**Q:")
    tips = book.partition("## Tips")[2].partition("## Examples")[0]
    assert page.text.count("\n| Tips |") >= tips.count("\n###")


def test_every_rulebook_test_is_on_the_page(page) -> None:
    assert page.unnamed_tests("test_rounds", "test_series", "test_questions", "test_examples", "test_effects") == []
