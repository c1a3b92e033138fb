"""Enrolling dice: names of faces, flat pictures and photographs, what is refused, and the store."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.dice.enrolled import BLANK, enrol_die, find_pictures, is_flat, view_of
from vision.dice.faces import likeness, symbol_of_picture
from vision.dice.identify import read_face
from vision.dice.picture import find_die
from vision.dice.store import check_die_name, install_die, kept_die, resolve_die
from vision.errors import BadDiceError

from .conftest import MARKS, flat_picture


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    folder = tmp_path / "flat"
    folder.mkdir()
    for mark in MARKS:
        cv2.imwrite(str(folder / f"{mark}.png"), flat_picture(mark))
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOSHIBAN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOSHIBAN_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_further_pictures_of_a_face_carry_a_number_and_a_number_alone_is_a_face(tmp_path: Path) -> None:
    for name in ("strike", "strike-2", "strike-3", "10", "value-7"):
        (tmp_path / f"{name}.png").write_bytes(b"")
    faces = {path.stem: face for face, path in find_pictures(tmp_path)}
    assert faces == {"strike": "strike", "strike-2": "strike", "strike-3": "strike", "10": "10", "value-7": "value-7"}


def test_flat_symbols_leave_the_other_faces_blank(flat: Path) -> None:
    die = enrol_die(flat, "three")
    assert [face.name for face in die.faces] == sorted([*MARKS, BLANK])
    assert die.has_blank
    assert die.colour is None


def test_a_drawing_is_flat_in_either_colouring_and_a_photograph_is_not() -> None:
    drawing = flat_picture("plus")
    photograph = np.random.default_rng(0).normal(120, 30, drawing.shape).clip(0, 255).astype(np.uint8)
    assert is_flat(drawing)
    assert is_flat(255 - drawing)
    assert not is_flat(photograph)


@pytest.mark.parametrize("turn", [0, 35, 140, 275])
def test_a_symbol_is_itself_in_any_turn_size_and_place_and_no_other(turn: int) -> None:
    matrix = cv2.getRotationMatrix2D((200, 200), turn, 0.6)
    matrix[:, 2] += (25, -18)
    known = {mark: symbol_of_picture(flat_picture(mark)) for mark in MARKS}
    for mark in MARKS:
        moved = cv2.warpAffine(flat_picture(mark), matrix, (400, 400), borderValue=(255, 255, 255))
        seen = symbol_of_picture(moved)
        assert seen is not None
        scores = {name: likeness(seen, symbol).score for name, symbol in known.items() if symbol is not None}
        assert max(scores, key=lambda name: scores[name]) == mark
        assert scores[mark] > 0.97


def test_a_folder_without_pictures_and_a_picture_without_a_die_are_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadDiceError, match="no pictures there"):
        enrol_die(tmp_path, "none")
    noise = np.random.default_rng(0).normal(120, 30, (300, 400, 3)).clip(0, 255).astype(np.uint8)
    cv2.imwrite(str(tmp_path / "strike.png"), noise)
    with pytest.raises(BadDiceError, match=r"strike\.png: no die found; photograph it"):
        enrol_die(tmp_path, "none")
    (tmp_path / "strike.png").write_bytes(b"no picture")
    with pytest.raises(BadDiceError, match=r"strike\.png: not a picture"):
        enrol_die(tmp_path, "none")


def test_a_named_die_outlives_its_folder_and_comes_from_the_cache_as_it_was(flat: Path, home: Path) -> None:
    fresh = kept_die(flat, "mine", 8)
    install_die(flat, "mine", 8)
    for path in flat.iterdir():
        path.unlink()
    again = resolve_die("mine")
    assert again.sides == 8
    assert [face.name for face in again.faces] == [face.name for face in fresh.faces]
    for one, other in zip(fresh.faces, again.faces, strict=True):
        assert [symbol.ink.tolist() for symbol in one.symbols] == [symbol.ink.tolist() for symbol in other.symbols]


def test_a_name_that_is_no_name_and_a_die_that_nobody_enrolled_are_refused(home: Path) -> None:
    with pytest.raises(BadDiceError, match="begin with a letter"):
        check_die_name("../up")
    with pytest.raises(BadDiceError, match="no die is enrolled yet"):
        resolve_die("nobody")


def test_real_dice_are_enrolled_from_photographs_and_read_turned_and_at_half_size(shared: Path, tmp_path: Path) -> None:
    photographs = sorted((shared / "photos" / "polyhedral-dice").glob("d8-*.jpg"))[:4]
    for path in photographs:
        (tmp_path / f"{int(path.stem[-2:])}.jpg").write_bytes(path.read_bytes())
    die = enrol_die(tmp_path, "real", 8)
    for path in photographs:
        image = cv2.imread(str(path))
        height, width = image.shape[:2]
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), 151, 1.0)
        turned = cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
        half = cv2.resize(turned, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA).astype(np.uint8)
        found = find_die(half, 8)
        assert found is not None
        assert read_face(view_of(half, found), [die]).symbol == str(int(path.stem[-2:]))
