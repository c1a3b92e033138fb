"""What `hoshiban virtual render` writes can be read again and agrees with the game."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.zones import load_layout
from companion.commands.virtual import virtual
from companion.decks.deck import load_deck
from companion.errors import BadInputError
from companion.virtual.reel import Timing
from companion.virtual.table import VirtualTable, load_scans
from companion.virtual.writing import write_game, write_video
from hardware.camera.directory import DirectoryCamera

TABLE = VirtualTable(seed=2, size=(640, 360), revoke=True, variant=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("game")
    write_game(TABLE, where)
    return where


def test_pictures_come_in_order_with_their_truth(folder: Path) -> None:
    camera = DirectoryCamera(folder)
    names = []
    while (shot := camera.read()) is not None:
        assert shot.image.shape == (360, 640, 3)
        truth = json.loads((folder / shot.name).with_suffix(".json").read_text())
        assert truth["image"] == shot.name
        assert truth["table_mm"] == [700, 420]
        names.append(shot.name)
    assert names[0] == "00-setup.jpg"
    assert names[-1].endswith("-bids.jpg")


def test_each_pictures_points_are_the_games(folder: Path) -> None:
    steps = json.loads((folder / "game.json").read_text())["steps"]
    assert [step["trick"] for step in steps[:-1]] == list(range(1, 8))
    for step in steps[:-1]:
        (path,) = folder.glob(f"*-trick{step['trick']}-drawn.json")
        assert json.loads(path.read_text())["board"]["points"] == step["points"]
        (path,) = folder.glob(f"*-trick{step['trick']}-up.json")
        assert {card["card"] for card in json.loads(path.read_text())["cards"]} == set(step["played"].values())
    assert steps[-1]["points"] == steps[-2]["points"]
    assert set(steps[-1]["outcome"]["bids"]) == {"A", "B", "C"}
    revoke = steps[-1]["revoke"]
    assert revoke["trick"] < revoke["proved_at"]
    assert any(step["erased"] for step in steps[:-1])


def test_bids_are_those_of_the_written_deck(folder: Path) -> None:
    deck = load_deck(folder / "deck", "hoshizora")
    last = json.loads((folder / "game.json").read_text())["steps"][-1]
    bids = {seat: deck.cards[card].value("bid") for seat, card in last["final"].items()}
    assert bids == last["outcome"]["bids"]
    assert set(load_scans(folder / "deck")) == {*deck.cards, "back"}


def test_the_layout_has_the_board_and_three_play_spots(folder: Path) -> None:
    layout = load_layout(folder / "layout.toml", (700.0, 420.0), ("board", "play.A", "play.B", "play.C"))
    assert layout.seats("play") == 3


def test_a_written_deck_can_be_played_with(folder: Path, tmp_path: Path) -> None:
    table = VirtualTable(seed=2, size=(320, 180), deck=str(folder / "deck"))
    assert write_game(table, tmp_path / "again") >= 23
    assert load_deck(tmp_path / "again" / "deck").cards == load_deck(folder / "deck").cards


def test_pictures_are_not_mixed_with_others(folder: Path) -> None:
    with pytest.raises(BadInputError, match="holds pictures already"):
        write_game(TABLE, folder)


@pytest.mark.parametrize("suffix", [".mp4", ".avi"])
def test_a_video_shows_the_film(tmp_path: Path, suffix: str) -> None:
    table = VirtualTable(seed=2, size=(320, 180), timing=Timing(fps=2.0))
    file = tmp_path / f"game{suffix}"
    number = write_video(table, file)
    video = cv2.VideoCapture(str(file))
    pictures = []
    while True:
        is_read, picture = video.read()
        if not is_read:
            break
        pictures.append(picture)
    assert len(pictures) == number == len(list(table.director().film()))
    first = table.renderer().render(next(table.director().film()).scene, 0)
    assert np.abs(pictures[0].astype(int) - first.astype(int)).mean() < 8


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (VirtualTable(game="chess"), "chess"),
        (VirtualTable(game="hoshi-battle", revoke=True), "nobody can revoke"),
        (VirtualTable(lead="D"), "D is none"),
        (VirtualTable(seats=("A", "A", "B")), "three different"),
    ],
)
def test_a_table_that_cannot_be_set_says_why(table: VirtualTable, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        table.script()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "A"], "two or three names"),
        (["--size", "big"], "width x height"),
        (["--settled-only", "--video", "x.mp4"], "exclude"),
        (["--mischief", "50", "--revoke"], "exclude each other"),
        (["--game", "ahuha", "--roll", "1"], "is for --game hoshi-battle"),
        (["--game", "hoshi-battle", "--roll", "1", "--video", "a.mp4"], "exclude each other"),
    ],
)
def test_bad_options_are_named(tmp_path: Path, arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(virtual, ["render", str(tmp_path / "d"), *arguments])
    assert result.exit_code == 2
    assert words in result.output
