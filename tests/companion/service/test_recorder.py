"""What `serve --record` keeps is all that `watch` needs."""

from __future__ import annotations

import shlex

import pytest

from calibration.zones import Layout, Zone, load_layout
from companion.adjudicator.told import Said, read_told
from companion.errors import BadInputError
from companion.service.recorder import COMMAND_FILE, TOLD_FILE, Recorder
from vision.observation import Observation, PoseState, SceneReading

LAYOUT = Layout({"board": Zone(200, 60, 300, 300), "play.A": Zone(60, 65, 100, 130)})


def recorder(directory, decks=()):
    return Recorder(
        directory,
        game="hoshizora",
        seats=("Ann", "Bo", "Cy"),
        lead="Bo",
        table_mm=(700.0, 420.0),
        layout=LAYOUT,
        decks=decks,
        settings={"line_elimination": True, "mode": "cooperative"},
    )


def observation(name="", t_ns=0):
    return Observation("camera", t_ns, 0, 0, name, SceneReading(PoseState.LIVE, (700.0, 420.0)))


def test_pictures_keep_their_order_by_name(tmp_path):
    kept = recorder(tmp_path / "game")
    for index in range(12):
        kept.keep(observation(t_ns=index * 7 * 10**8), b"jpeg %d" % index, pytest.fail)
    pictures = sorted((tmp_path / "game").glob("*.jpg"))
    assert [path.read_bytes() for path in pictures] == [b"jpeg %d" % index for index in range(12)]


def test_the_layout_and_the_decks_come_along(tmp_path):
    deck = tmp_path / "scans"
    deck.mkdir()
    (deck / "red-01.png").write_bytes(b"scan")
    recorder(tmp_path / "game", [deck])
    assert load_layout(tmp_path / "game" / "layout.toml").zones == LAYOUT.zones
    assert (tmp_path / "game" / "deck" / "red-01.png").read_bytes() == b"scan"


def test_the_command_that_judges_again_is_written_down(tmp_path):
    recorder(tmp_path / "game")
    words = shlex.split((tmp_path / "game" / COMMAND_FILE).read_text("utf-8").splitlines()[1])
    assert words[:3] == ["hoshiban", "watch", "."]
    assert words[words.index("--players") + 1] == "Ann,Bo,Cy"
    assert words[words.index("--lead") + 1] == "Bo"
    assert words[words.index("--setting") + 1] == "line_elimination=true"


def test_pictures_of_another_game_are_not_mixed_in(tmp_path):
    recorder(tmp_path / "game").keep(observation(), b"jpeg", pytest.fail)
    with pytest.raises(BadInputError, match="holds pictures already"):
        recorder(tmp_path / "game")


def test_a_directory_that_can_not_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BadInputError, match="can't be written"):
        recorder(tmp_path / "file" / "game")


def test_a_disk_that_fails_is_told_once_and_then_that_it_works_again(tmp_path):
    kept = recorder(tmp_path / "game")
    said = []
    gone = tmp_path / "elsewhere"
    (tmp_path / "game").rename(gone)
    kept.keep(observation(), b"1", said.append)
    kept.keep(observation(), b"2", said.append)
    gone.rename(tmp_path / "game")
    kept.keep(observation(), b"3", said.append)
    assert len(said) == 2
    assert "are not kept now" in said[0]
    assert "kept again" in said[1]
    assert [path.read_bytes() for path in (tmp_path / "game").glob("*.jpg")] == [b"3"]


def test_what_is_told_comes_between_the_pictures_that_were_kept_before_and_after(tmp_path):
    kept = recorder(tmp_path / "game")
    kept.hear(Said({"fact": "game-begun"}, "page"))
    for index in range(3):
        kept.keep(observation(t_ns=index * 9 * 10**9), b"jpeg", pytest.fail)
    kept.hear(Said({"fact": "card-drawn", "seat": "Ann"}, "Ann"))
    told = read_told(tmp_path / "game" / TOLD_FILE)
    assert [(one.t_ns / 1e9, one.said.act["fact"], one.said.who) for one in told] == [
        (-0.5, "game-begun", "page"),
        (2.5, "card-drawn", "Ann"),
    ]


def test_a_game_in_which_nothing_was_told_names_an_empty_file(tmp_path):
    recorder(tmp_path / "game")
    assert read_told(tmp_path / "game" / TOLD_FILE) == ()
    assert f"--told {TOLD_FILE}" in (tmp_path / "game" / COMMAND_FILE).read_text("utf-8")
