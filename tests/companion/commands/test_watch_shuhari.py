"""`hoshiban watch` on a rendered game of Shuhari, from pictures and what its players said to the contract's lines."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from .conftest import PROGRAM

OPTIONS = ("--game", "shuhari", "--players", "A,B")
SHORT = 195
"""A seed whose game has two tricks."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("shuhari") / "game"
    words = ["virtual", "render", where, *OPTIONS, "--seed", SHORT, "--size", "1280x720"]
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return where


def words(folder: Path) -> list[object]:
    return [folder, *OPTIONS, "--table", "700x420", "--deck", folder / "deck", "--layout", folder / "layout.toml"]


def test_a_rendered_game_is_judged_as_it_was_played(program, folder):
    done = program.run("watch", *words(folder), "--told", folder / "told.jsonl")
    assert done.returncode == 0, done.stderr
    truth = json.loads((folder / "game.json").read_text("utf-8"))
    events = program.events(done)
    tricks = [{key: trick[key] for key in step} for trick, step in zip(events, truth["steps"], strict=False)]
    assert tricks == truth["steps"]
    assert not [event for event in events if event["event"] in ("finding", "question")]
    outcome = {key: events[-1][key] for key in ("winners", "decided_by", "points")}
    assert (events[-1]["event"], outcome) == ("outcome", truth["outcome"])
    replayed = program.run("log", "export", "-o", "game.jsonl")
    assert replayed.returncode == 0
    assert json.loads(program.run("log", "replay", "game.jsonl").stdout)["same"] is True


def test_a_layout_without_a_row_is_one_clear_line(program, folder, tmp_path):
    layout = tmp_path / "layout.toml"
    layout.write_text("[zones]\ndeck = [540, 40, 70, 100]\n")
    done = program.run("watch", *words(folder)[:-1], layout)
    assert done.returncode == 2
    assert "zones.row" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_was_said_in_a_file_that_is_none_is_named(program, folder, tmp_path):
    told = tmp_path / "told.jsonl"
    told.write_text("{}\n")
    done = program.run("watch", *words(folder), "--told", told)
    assert done.returncode == 2
    assert "told.jsonl:1" in done.stderr
