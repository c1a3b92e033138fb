"""The pages of docs/rules, read for the tests that hold each game's page to its tests and to its settings."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

RULES = Path(__file__).resolve().parent
sys.path.insert(0, str(RULES))  # for what the games' tests share: watched.py, any_play.py
PAGES = RULES.parents[2] / "docs" / "rules"
NAMED = re.compile(r"`(?:(?P<file>test_\w+)\.py::)?(?P<test>test_\w+)(?:\[[^`]*\])?`")
"""A test on a page: `test_x`, `test_x[case]` or `test_file.py::test_x`."""
DEFINED = re.compile(r"^def (test_\w+)\(", re.MULTILINE)
NOTHING_TO_JUDGE = ("nothing to judge", "prepares the table")


@dataclass(frozen=True)
class RulePage:
    """A page of docs/rules beside the folder of its game's tests."""

    game: str

    @property
    def folder(self) -> Path:
        """Where the game's tests stand."""
        return RULES / self.game.replace("-", "_")

    @cached_property
    def text(self) -> str:
        """The page."""
        return (PAGES / f"{self.game}.md").read_text("utf-8")

    @cached_property
    def sources(self) -> dict[str, str]:
        """Test file's stem to its text."""
        return {path.stem: path.read_text("utf-8") for path in sorted(self.folder.glob("test_*.py"))}

    @property
    def defined(self) -> set[tuple[str, str]]:
        """(file's stem, test) of each test of the game."""
        return {(stem, test) for stem, text in self.sources.items() for test in DEFINED.findall(text)}

    @property
    def rows(self) -> list[str]:
        """The rows of the page's tables that map a rule, without heads."""
        lines = self.text.splitlines()
        heads = {n for n, line in enumerate(lines[:-1]) if lines[n + 1].startswith("|---")}
        return [x for n, x in enumerate(lines) if x.startswith("| ") and n not in heads]

    def missing_tests(self) -> list[str]:
        """What the page names and no file of the game's tests defines: there, or anywhere where no file is named."""
        defined = self.defined
        names = {test for _, test in defined}
        return sorted(
            found[0]
            for found in NAMED.finditer(self.text)
            if not (
                ((found["file"], found["test"]) in defined)
                if found["file"]
                else found["test"] in names | set(self.sources)
            )
        )

    def bare_rows(self) -> list[str]:
        """Rows that name no test and don't say that there is nothing to judge."""
        return [row for row in self.rows if not NAMED.search(row) and not any(word in row for word in NOTHING_TO_JUDGE)]

    def unnamed_tests(self, *stems: str) -> list[str]:
        """Tests of these files that the page does not name."""
        named = {found["test"] for found in NAMED.finditer(self.text)}
        return sorted(test for stem, test in self.defined if stem in stems and test not in named)

    def unnamed_settings(self, names: list[str]) -> list[str]:
        """Of these settings, those that the page does not name."""
        return [name for name in names if f"`{name}`" not in self.text]

    def untested_settings(self, names: list[str]) -> list[str]:
        """Of these settings, those that no test of the game sets."""
        tests = "\n".join(text for stem, text in self.sources.items() if stem != "test_docs")
        return [name for name in names if not re.search(rf"\b{name}\b", tests)]


@pytest.fixture(scope="session")
def rule_page() -> Callable[[str], RulePage]:
    """The page of a game, by the game's id."""
    return RulePage
