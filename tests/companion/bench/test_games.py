"""Whole games, drawn, seen, judged, and held against what was played. The shortest there are: a look costs 0.2 s."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.bench.games import play, table_of
from companion.commands.bench import bench
from companion.virtual.table import VirtualTable

GAMES = ("hoshizora", "shuhari", "ahuha")


def game(seed: int, players: int, **how: object) -> VirtualTable:
    return VirtualTable(game="shuhari", seed=seed, seats=("A", "B", "C")[:players], **how)  # type: ignore[arg-type]


@pytest.mark.parametrize(("seed", "players"), [(195, 2), (249, 2), (109, 3)])
def test_an_honest_game_is_seen_as_it_was_played_without_a_question(seed: int, players: int) -> None:
    tally = play(game(seed, players), "easy")
    assert tally.is_right
    assert (tally.wrong, tally.missed, tally.questions, tally.by_hand) == (0, 0, 0, 0)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_honest_game_of_hoshizora_is_seen_as_it_was_played_without_a_question(seed: int) -> None:
    tally = play(table_of("hoshizora", seed, "easy"), "easy")
    assert tally.is_right
    assert (tally.wrong, tally.missed, tally.questions, tally.by_hand) == (0, 0, 0, 0)


@pytest.mark.parametrize(("name", "seed"), [("hoshizora", 8), ("shuhari", 146)])
def test_a_dishonest_game_at_a_bad_table_has_the_findings_of_its_truth(name: str, seed: int) -> None:
    tally = play(table_of(name, seed, "hard", mischief=60), "hard")
    assert len(tally.breaches) >= 3
    assert (tally.wrong, tally.missed) == (0, 0)
    assert tally.is_right


@pytest.mark.soak
def test_a_game_with_other_cards_is_seen_as_well(shared: Path) -> None:
    tally = play(game(195, 2, deck=str(shared / "decks" / "shuhari")), "easy")
    assert tally.is_right
    assert tally.questions == 0


def test_the_hard_setting_is_harder_and_the_same_game() -> None:
    easy, hard = (table_of("shuhari", 195, setting) for setting in ("easy", "hard"))
    assert easy.script().facts == hard.script().facts
    assert hard.clumsiness > easy.clumsiness
    assert hard.noise > easy.noise
    assert hard.exposure < easy.exposure
    assert hard.mishaps


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 21))
@pytest.mark.parametrize("name", GAMES)
def test_twenty_games_in_the_easy_setting_ask_nothing(seed: int, name: str) -> None:
    tally = play(table_of(name, seed, "easy"), "easy")
    assert tally.is_right
    assert tally.questions == 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 21))
@pytest.mark.parametrize("name", GAMES)
def test_twenty_games_in_the_hard_setting_are_never_ruled_wrongly(seed: int, name: str) -> None:
    assert play(table_of(name, seed, "hard"), "hard").wrong == 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("how", [{"revoke": True}, {"mischief": 60}, {"mischief": 60, "greedy": True}])
@pytest.mark.parametrize("name", GAMES)
def test_dishonest_games_have_the_findings_of_their_truth(seed: int, name: str, how: dict[str, Any]) -> None:
    tally = play(table_of(name, seed, "easy", **how), "easy")
    assert tally.is_right


@pytest.mark.soak
def test_the_bench_prints_a_line_a_game() -> None:
    done = CliRunner().invoke(bench, ["games", "--seeds", "1", "--first", "4"])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["is_right"] is True
