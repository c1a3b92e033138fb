"""`hoshiban rules` for Hoshi Battle."""

from __future__ import annotations

import json

from click.testing import CliRunner

from companion.commands.rules import rules


def run(*args: str) -> list[dict]:
    result = CliRunner().invoke(rules, args, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_playout_prints_the_line_of_the_contract() -> None:
    line = run("playout", "--game", "hoshi-battle", "--games", "4", "--seed", "1")[-1]
    assert list(line) == ["game", "games", "seed", "games_per_s", "acts_per_s", "findings", "digest"]
    assert (line["game"], line["games"], line["seed"]) == ("hoshi-battle", 4, 1)
    assert run("playout", "--game", "hoshi-battle", "--games", "4", "--seed", "1")[-1]["digest"] == line["digest"]


def test_playout_with_mischief_and_the_variant() -> None:
    assert run("playout", "--game", "hoshi-battle", "--games", "3", "--cheat", "0.1", "--variant")[-1]["findings"] > 0


def test_every_reading_is_a_setting_with_a_title_a_description_and_a_section() -> None:
    lines = run("settings", "--game", "hoshi-battle")
    names = {line["name"] for line in lines}
    assert {"simultaneous_ms", "defence_ms", "example_windows", "extra_die", "cost_limit", "mutual_bluff"} <= names
    assert all(line["title"] and line["description"].endswith(".") and line["section"] for line in lines)
