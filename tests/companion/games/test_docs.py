"""docs/notation.md lists every act and step, and its examples are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.games.book import GAMES, book_of
from companion.games.house import parse_house
from companion.games.reading import read_game
from companion.games.saying import act_text, plain_template
from companion.games.start import builtin_start
from companion.games.steps import PHRASES
from companion.rules.ledger import Life
from companion.virtual.players import play_game

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "notation.md").read_text("utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_every_act_stands_on_the_page(game: str) -> None:
    section = PAGE[PAGE.index(f"### {book_of(game).title}") :].split("\n### ")[0]
    for phrase in book_of(game).phrases:
        for template in phrase.templates:
            assert f"`{plain_template(template)}`" in section


def test_every_step_stands_on_the_page() -> None:
    assert all(f"`{plain_template(phrase.templates[0])}`" in PAGE for phrase in PHRASES)


def test_the_pages_game_is_read_and_comes_out_as_the_page_says() -> None:
    (text,) = re.findall(r"```\n(Hoshiban game.*?)```", PAGE, re.DOTALL)
    start = builtin_start("hoshizora", ("Ann", "Bo", "Cy"))
    boards = [act_text(start, play_game(start.setup, seed).facts[0]) for seed in range(40)]
    readings = [read_game(re.sub(r"stars 1 at .*", board, text), "the page") for board in boards]
    (finding,) = next(reading.game.findings() for reading in readings if not reading.warnings)
    assert (finding.finding.player, finding.life) == ("Bo", Life.PUT_RIGHT)


def test_the_pages_house_rules_are_read() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert [str(line.penalty) for line in parse_house(text, "the page")] == ["2 points"]
