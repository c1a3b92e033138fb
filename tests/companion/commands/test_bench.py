"""`hoshiban bench cards` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Program


def test_a_set_is_one_json_line_and_words_for_people(program: Program, tmp_path: Path) -> None:
    words = ["--set", "hard", "--set", "styles", "--pictures", 1, "--seed", 3, "--misses", tmp_path / "misses"]
    done = program.run("bench", "cards", *words)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["set"] for line in lines] == ["hard", "styles"]
    for line in lines:
        assert line["pictures"] == 1
        assert line["cards"] == line["up"] + line["down"] + line["undecidable"] > 0
        assert {"detection", "identity", "orientation", "face_down", "third", "wrong", "invented", "ms"} <= set(line)
    assert "hard" in done.stderr
    assert (tmp_path / "misses" / "hard.jsonl").is_file()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--set", "soft"], "soft"),
        (["--set", "footage", "--shared", "nowhere"], "nowhere"),
        (["--shared", "nowhere"], "nowhere"),
        (["--set", "game", "--shared", "."], "hoshizora-game-2"),
        (["--set", "hard", "--pictures", "0"], "0"),
        (["--set", "hard", "--pictures", "1", "--misses", "/proc/none"], "/proc/none"),
    ],
)
def test_a_bad_set_or_folder_is_one_clear_line(program: Program, words: list[str], named: str) -> None:
    done = program.run("bench", "cards", *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_a_film_of_dice_that_a_hand_touches_is_counted_by_what_was_done(program: Program) -> None:
    done = program.run("bench", "dice", "--set", "touched", "--pictures", 2, "--seed", 3)
    assert done.returncode == 0, done.stderr
    (line,) = (json.loads(text) for text in done.stdout.splitlines())
    assert line["set"] == "touched"
    assert sum(line["acts"].values()) == 2
    assert line["ms_a_frame"] > 0
