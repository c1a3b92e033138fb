"""The shared pictures of boards: everything legible is read, what a hand hides is not invented, other tables hold no board."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.board.reader import BoardReader
from vision.observation import BoardReading
from vision.table import locate_table

BOARDS = [f"boards/board-{n:02d}" for n in range(1, 9)]
GAME = [
    "00-setup",
    "03-trick1-drawn",
    "06-trick2-drawn",
    "09-trick3-drawn",
    "12-trick4-drawn",
    "15-trick5-drawn",
    "20-trick7-up",
    "22-bids",
]


def read(reader: BoardReader, shared: Path, name: str) -> tuple[BoardReading | None, dict]:
    path = shared / "footage" / f"{name}.jpg"
    facts = json.loads(path.with_suffix(".json").read_text())
    image = cv2.imread(str(path))
    return reader.read(image, locate_table(image, tuple(facts["table_mm"]))), facts.get("board")


@pytest.mark.parametrize("name", [*BOARDS, *(f"hoshizora-game-2/{name}" for name in GAME)])
def test_every_star_square_and_line_is_right(reader: BoardReader, shared: Path, name: str) -> None:
    reading, board = read(reader, shared, name)
    assert reading is not None
    assert [(s.n, s.square) for s in reading.stars] == [
        (s["n"], s["square"]) for s in sorted(board["stars"], key=lambda s: s["n"])
    ]
    for star, true in zip(reading.stars, sorted(board["stars"], key=lambda s: s["n"]), strict=True):
        assert np.hypot(star.x_mm - true["x"], star.y_mm - true["y"]) < 1.5
    assert {(x.a, x.b, str(x.colour)) for x in reading.lines} == {(x["a"], x["b"], x["colour"]) for x in board["lines"]}
    assert reading.doubts == ()
    assert (reading.crossings, reading.points) == (board["crossings"], board["points"])
    assert reading.dark == board["dark"]


@pytest.mark.parametrize("name", ["boards-hand/board-00", "boards-hand/board-09"])
def test_under_a_hand_nothing_is_invented(reader: BoardReader, shared: Path, name: str) -> None:
    reading, board = read(reader, shared, name)
    assert reading is not None
    truth = {s["n"]: (s["x"], s["y"]) for s in board["stars"]}
    for star in reading.stars:
        assert star.n is not None
        assert np.hypot(star.x_mm - truth[star.n][0], star.y_mm - truth[star.n][1]) < 1.5
    assert {(x.a, x.b, str(x.colour)) for x in reading.lines} <= {(x["a"], x["b"], x["colour"]) for x in board["lines"]}
    assert len(reading.stars) >= 11


@pytest.mark.parametrize("folder", ["cards", "dice"])
def test_tables_without_a_board_have_none(reader: BoardReader, shared: Path, folder: str) -> None:
    names = sorted(path.stem for path in (shared / "footage" / folder).glob("*.jpg"))[::6][:6]
    assert names
    for name in names:
        assert read(reader, shared, f"{folder}/{name}")[0] is None
