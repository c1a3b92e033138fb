"""`hoshiban rules`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.commands.rules import rules
from companion.errors import BadInputError


def run(*args: str) -> list[dict]:
    result = CliRunner().invoke(rules, args, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_playout_prints_the_line_of_the_contract() -> None:
    line = run("playout", "--game", "hoshizora", "--games", "5", "--seed", "1")[-1]
    assert list(line) == ["game", "games", "seed", "games_per_s", "acts_per_s", "findings", "digest"]
    assert (line["game"], line["games"], line["seed"], line["findings"]) == ("hoshizora", 5, 1, 0)
    assert run("playout", "--game", "hoshizora", "--games", "5", "--seed", "1")[-1]["digest"] == line["digest"]
    assert run("playout", "--game", "hoshizora", "--games", "5", "--seed", "2")[-1]["digest"] != line["digest"]


def test_playout_with_cheaters_and_variant() -> None:
    line = run("playout", "--game", "hoshizora", "--games", "20", "--cheat", "0.5", "--variant")[-1]
    assert line["findings"] > 0


@pytest.mark.parametrize("share", ["1.5", "-1", "often", "nan"])
def test_playout_with_an_odd_share(share: str) -> None:
    with pytest.raises(BadInputError, match=f"--cheat {share}: must be"):
        run("playout", "--game", "hoshizora", "--games", "1", "--cheat", share)


def test_settings_are_listed() -> None:
    lines = run("settings", "--game", "hoshizora")
    assert {"game", "name", "title", "description", "section", "default"} <= set(lines[0])
    assert "line_elimination" in [line["name"] for line in lines]


def test_perft_counts_each_depth() -> None:
    lines = run("perft", "--game", "hoshizora", "--depth", "4")
    assert [(line["depth"], line["ways"]) for line in lines] == [(1, 8), (2, 28), (3, 104), (4, 375)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lead = ", "is not valid TOML"),
        ('lead = "Z"', "lead: 'Z' is none of the players"),
        ("[hands]\nA = []\nB = []\nC = []\n[stars]\n1 = [0, 0, 0]", "stars: must hold 1 to 12"),
    ],
)
def test_perft_of_a_faulty_deal(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "deal.toml"
    path.write_text(text)
    with pytest.raises(BadInputError, match=message):
        run("perft", "--game", "hoshizora", "--deal", str(path))


def test_perft_of_a_deal_that_is_not_there() -> None:
    with pytest.raises(BadInputError, match="no such file"):
        run("perft", "--game", "hoshizora", "--deal", "nowhere.toml")


@pytest.mark.parametrize(
    ("game", "ways"), [("ahuha", [6, 36, 216]), ("shuhari", [6, 22, 109]), ("hoshizora", [8, 28, 104])]
)
def test_legal_ways_are_counted_in_every_game_of_turns(game: str, ways: list[int]) -> None:
    assert [line["ways"] for line in run("perft", "--game", game, "--depth", "3")] == ways


@pytest.mark.parametrize("game", ["ahuha", "hoshi-battle", "shuhari", "hoshizora"])
def test_soundness_and_power_are_reported(game: str) -> None:
    (line,) = run("soundness", "--game", game, "--games", "12")
    assert line["honest"]["acts"] > 500
    assert (line["honest"]["accusations"], line["dishonest"]["false_accusations"]) == (0, 0)
    assert sum(tally["done"] for tally in line["dishonest"]["kinds"].values()) > 0
    (honest,) = run("soundness", "--game", game, "--games", "2", "--honest")
    assert honest["dishonest"]["kinds"] == {}
