"""docs/rules maps each rulebook to tests that are there, and names every setting that `hoshiban rules settings` shows."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from companion.commands.rules import rules

GAMES = ("ahuha", "hoshi-battle", "shuhari", "hoshizora")


@pytest.fixture(params=GAMES)
def page(request, rule_page):
    return rule_page(request.param)


@pytest.fixture
def settings(page) -> list[str]:
    """The settings that the command lists for the page's game."""
    result = CliRunner().invoke(rules, ["settings", "--game", page.game])
    assert result.exit_code == 0
    return [json.loads(line)["name"] for line in result.stdout.splitlines()]


def test_every_test_that_the_page_names_is_there(page) -> None:
    assert len(page.rows) > 40
    assert page.missing_tests() == []


def test_every_row_names_a_test_or_says_that_there_is_nothing_to_judge(page) -> None:
    assert page.bare_rows() == []


def test_every_setting_is_named_by_the_page(page, settings) -> None:
    assert len(settings) > 8
    assert page.unnamed_settings(settings) == []


def test_every_setting_is_set_by_a_test(page, settings) -> None:
    assert page.untested_settings(settings) == []
