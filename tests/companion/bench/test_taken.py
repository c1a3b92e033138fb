"""Sets on disk: a folder that is not what it should be gets one line that names it."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.bench import taken
from companion.decks.proxies import write_deck
from companion.errors import BadInputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one picture of a table and its deck."""
    write_deck("hoshizora", tmp_path / "decks" / "hoshizora")
    cards = tmp_path / "footage" / "cards"
    cards.mkdir(parents=True)
    cv2.imwrite(str(cards / "hoshizora-00.jpg"), np.full((90, 160, 3), 120, np.uint8))
    corners = [[1.0, 1.0], [9.0, 1.0], [9.0, 9.0], [1.0, 9.0]]
    card = {"card": "red-01", "x": 10, "y": 20, "angle": 30, "visible": 1.0, "corners_px": corners}
    truth = {"table_mm": [700, 420], "game": "hoshizora", "cards": [card], "light": "dim"}
    (cards / "hoshizora-00.json").write_text(json.dumps(truth))
    return tmp_path


def test_a_pictures_deck_and_truth_come_with_it(folder: Path) -> None:
    (shot,) = taken.footage(folder)
    assert shot.table_mm == (700.0, 420.0)
    assert [card.card for card in shot.shown] == ["red-01"]
    assert shot.decks[0].name == "hoshizora"
    assert "dim" in shot.kinds


def test_a_folder_without_pictures_is_named(folder: Path) -> None:
    with pytest.raises(BadInputError, match=r"no pictures in .*hoshizora-game-2"):
        list(taken.game(folder))


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"game": "hoshizora"}', '{"game": "hoshizora", "table_mm": [7], "cards": []}', '{"game": "x"}']
)
def test_a_bad_truth_file_or_deck_is_one_line(folder: Path, text: str) -> None:
    (folder / "footage" / "cards" / "hoshizora-00.json").write_text(text)
    with pytest.raises(BadInputError) as caught:
        list(taken.footage(folder))
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


def test_a_picture_that_is_none_is_one_line(folder: Path) -> None:
    (folder / "footage" / "cards" / "hoshizora-00.jpg").write_bytes(b"no picture")
    with pytest.raises(BadInputError, match=r"hoshizora-00\.jpg"):
        list(taken.footage(folder))


def test_the_shared_footage_counts_every_card_of_its_truth(shared: Path) -> None:
    first = next(iter(taken.footage(shared)))
    truth = json.loads((shared / "footage" / "cards" / first.name).with_suffix(".json").read_text())
    assert len(first.shown) == len(truth["cards"])
