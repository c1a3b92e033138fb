"""`hoshiban virtual render`, `watch --told` and `demo` on Ahuha Ahukaha, to the contract's lines."""

from __future__ import annotations

import json

import pytest

from companion.decks.proxies import write_deck
from companion.virtual.table import VirtualTable

PLAYERS = ("--game", "ahuha", "--players", "A,B,C")


@pytest.mark.soak
def test_a_rendered_series_is_judged_as_it_was_played(program, tmp_path):
    folder = tmp_path / "game"
    done = program.run("virtual", "render", folder, *PLAYERS, "--variant", "--size", "1280x720")
    assert done.returncode == 0, done.stderr
    words = ["--table", "840x472", "--deck", folder / "deck", "--layout", folder / "layout.toml"]
    told = ["--told", folder / "told.jsonl", "--setting", "mode=cooperative"]
    done = program.run("watch", folder, *PLAYERS, *words, *told)
    assert done.returncode == 0, done.stderr
    truth = json.loads((folder / "game.json").read_text("utf-8"))
    events = program.events(done)
    rounds = [event for event in events if event["event"] == "round"]
    assert [{key: one[key] for key in step} for one, step in zip(rounds, truth["steps"][0]["rounds"], strict=True)] == (
        truth["steps"][0]["rounds"]
    )
    assert not [event for event in events if event["event"] == "question"]
    assert {key: events[-1][key] for key in truth["outcome"]} == truth["outcome"]
    replayed = program.run("log", "export", "-o", "game.jsonl")
    assert replayed.returncode == 0
    assert json.loads(program.run("log", "replay", "game.jsonl").stdout)["same"] is True


@pytest.mark.soak
@pytest.mark.timeout(1000)
@pytest.mark.parametrize("options", [("--variant",), (), ("--revoke",)])
def test_a_filmed_game_ends_with_its_truth(program, options):
    done = program.run("demo", *PLAYERS, "--headless", *options, timeout=900)
    wishes = {"variant": "--variant" in options, "revoke": "--revoke" in options}
    truth = json.loads(json.dumps(VirtualTable(game="ahuha", short=True, **wishes).truth()))
    events = program.events(done)
    found = [{key: event[key] for key in event if key not in ("event", "t")} for event in events if "level" in event]
    assert found == truth["findings"]
    assert not [event for event in events if event["event"] == "question"]
    assert {key: events[-1][key] for key in truth["outcome"]} == truth["outcome"]
    assert done.returncode == (1 if "--revoke" in options else 0)


def test_two_players_are_one_clear_line(program):
    done = program.run("demo", "--game", "ahuha", "--players", "A,B", "--headless")
    assert done.returncode == 2
    assert "three players" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_layout_without_a_home_is_one_clear_line(program, tmp_path):
    (tmp_path / "pictures").mkdir()
    layout = tmp_path / "layout.toml"
    layout.write_text("[zones]\nfield.A = [540, 40, 70, 100]\n")
    write_deck("ahuha", tmp_path / "deck")
    words = ["--table", "840x472", "--deck", tmp_path / "deck", "--layout", layout]
    done = program.run("watch", tmp_path / "pictures", *PLAYERS, *words)
    assert done.returncode == 2
    assert "zones.home.A" in done.stderr
    assert "Traceback" not in done.stderr
