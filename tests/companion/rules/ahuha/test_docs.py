"""The page that maps the rulebook to tests names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[3] / "docs" / "rules" / "ahuha.md"


def test_every_test_on_the_page_exists() -> None:
    written = "\n".join(path.read_text("utf-8") for path in HERE.glob("test_*.py"))
    defined = set(re.findall(r"^def (test_\w+)\(", written, re.MULTILINE))
    named = set(re.findall(r"`(test_\w+)`", PAGE.read_text("utf-8")))
    assert named
    assert named <= defined


def test_every_section_of_the_rulebook_is_on_the_page(shared) -> None:
    """Numbered sections, questions and examples: the page has at least as many rows as each has in the rulebook."""
    book = (shared / "rulebooks" / "ahuha-ahukaha.txt").read_text("utf-8")
    page = PAGE.read_text("utf-8")
    assert page.count("| Q&A |") >= book.count("**Q:") - 1  # two questions share a row
    for number in range(1, 11):
        assert re.search(rf"^\| {number}[ .a-c|]", page, re.MULTILINE), number
