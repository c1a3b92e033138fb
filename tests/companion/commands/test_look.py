"""`hoshiban look`: one line a picture, one clear line for what goes wrong, the others read all the same."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.commands.look import look
from companion.errors import BadInputError
from vision.errors import BadDeckScansError, BadDiceError


def run(*arguments: object) -> Result:
    return CliRunner().invoke(look, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare table with its four markers, 700 x 420 mm at 1.5 px/mm."""
    image = np.full((700, 1120, 3), 140, np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for n, (x, y) in enumerate(((0, 0), (660, 0), (660, 380), (0, 380))):
        left, top = round(35 + 1.5 * x), round(35 + 1.5 * y)
        image[top - 14 : top + 74, left - 14 : left + 74] = 255
        marker = cv2.aruco.generateImageMarker(dictionary, n, 60)
        image[top : top + 60, left : left + 60] = marker[..., None]
    path = tmp_path_factory.mktemp("pictures") / "bare.png"
    cv2.imwrite(str(path), image)
    return path


def test_a_bare_table_prints_one_line_of_json(picture: Path) -> None:
    done = run(picture, "--table", "700x420")
    assert done.exit_code == 0
    (line,) = (json.loads(text) for text in done.stdout.splitlines())
    assert line["picture"] == "bare.png"
    assert (line["cards"], line["dice"], line["arena"], line["board"]) == ([], [], None, None)


def test_a_missing_and_a_broken_picture_leave_the_others_alone(picture: Path, tmp_path: Path) -> None:
    broken, missing = tmp_path / "broken.jpg", tmp_path / "missing.jpg"
    broken.write_bytes(b"no picture")
    done = run(missing, picture, broken, "--table", "700x420")
    assert done.exit_code == 2
    assert [json.loads(text)["picture"] for text in done.stdout.splitlines()] == ["bare.png"]
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert str(missing) in lines[0]
    assert str(broken) in lines[1]


def test_a_picture_without_markers_is_named(tmp_path: Path) -> None:
    grey = tmp_path / "grey.png"
    cv2.imwrite(str(grey), np.full((480, 640, 3), 128, np.uint8))
    done = run(grey, "--table", "700x420")
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert str(grey) in line
    assert "marker" in line


def test_a_wrong_table_size_is_named(picture: Path) -> None:
    done = run(picture, "--table", "420x700")
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert str(picture) in line
    assert "420" in line


def test_a_deck_without_scans_ends_the_command(picture: Path, tmp_path: Path) -> None:
    done = run(picture, "--table", "700x420", "--deck", tmp_path)
    assert isinstance(done.exception, BadDeckScansError)
    assert str(tmp_path) in str(done.exception)
    assert not done.stdout


def test_a_missing_folder_of_symbols_ends_the_command(picture: Path, tmp_path: Path) -> None:
    done = run(picture, "--table", "700x420", "--symbols", tmp_path / "none")
    assert isinstance(done.exception, BadDiceError)
    assert "none" in str(done.exception)


def test_what_was_found_is_drawn(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "found.png"
    assert run(picture, "--table", "700x420", "--explain", out).exit_code == 0
    drawn = cv2.imread(str(out))
    assert drawn.shape[0] == 700
    assert drawn.shape[1] > 1120
    other = tmp_path / "other.png"
    other.write_bytes(picture.read_bytes())
    assert run(picture, other, "--table", "700x420", "--explain", out).exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"found.png", "found-bare.png", "found-other.png", "other.png"}


def test_an_explanation_that_can_not_be_written_is_named(picture: Path, tmp_path: Path) -> None:
    for out, words in (
        (tmp_path / "found.tiff", "written as PNG"),
        (tmp_path / "no" / "found.png", "can't be written"),
    ):
        done = run(picture, "--table", "700x420", "--explain", out)
        assert isinstance(done.exception, BadInputError)
        assert words in str(done.exception)
