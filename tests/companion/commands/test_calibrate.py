"""`hoshiban calibrate`, as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner, Result

from calibration.profile import default_profile, load_profile, save_profile
from calibration.zones import Zone
from companion.commands.calibrate import calibrate
from companion.errors import BadInputError
from hardware.errors import HardwareError
from vision.errors import BadTableSizeError, PoseLostError

PX_PER_MM = 2.5
EDGE_PX = 50


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """A table of 500 x 300 mm from straight above, 2.5 px a mm, its corner at (50, 50) px."""
    side, white = round(40 * PX_PER_MM), 20
    image = np.full((300 * 5 // 2 + 2 * EDGE_PX, 500 * 5 // 2 + 2 * EDGE_PX), 100, np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number, (x, y) in enumerate(((0, 0), (460, 0), (460, 260), (0, 260))):
        left, top = round(x * PX_PER_MM) + EDGE_PX, round(y * PX_PER_MM) + EDGE_PX
        image[top - white : top + side + white, left - white : left + side + white] = 220
        marker = cv2.aruco.generateImageMarker(dictionary, number, side)
        image[top : top + side, left : left + side] = np.where(marker > 128, 220, 30)
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), cv2.GaussianBlur(image, (0, 0), 0.6))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(calibrate, [str(argument) for argument in arguments])


def test_calibrating_the_table_writes_the_profile_and_one_line_of_json(picture: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.toml"
    result = run("table", picture, "--table", "500x300", "--profile", profile)
    assert result.exit_code == 0, result.output
    line = json.loads(result.stdout)
    assert line["px_per_mm"] == pytest.approx(PX_PER_MM, rel=0.01)
    assert line["tilt_deg"] < 1
    assert line["residual_mm"] < 0.5
    assert [marker["marker"] for marker in line["markers"]] == [0, 1, 2, 3]
    assert line["advice"] == []
    assert "scale 2.50 px/mm" in result.stderr
    table = load_profile(profile).table
    assert (table.width_mm, table.height_mm, table.picture_px) == (500, 300, (1350, 850))
    truth = np.array([(0, 0), (500, 0), (500, 300), (0, 300)]) * PX_PER_MM + EDGE_PX - 0.5
    assert table.corners_px is not None
    assert np.abs(np.array(table.corners_px) - truth).max() < 0.7


def test_calibrating_keeps_everything_else_in_the_profile(picture: Path, tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    before = msgspec.structs.replace(
        default_profile((400, 300)), decks=("hoshizora",), seats=("A", "B"), zones={"board": Zone(1, 2, 3, 4)}
    )
    save_profile(before, path)
    assert run("table", picture, "--table", "500x300", "--profile", path).exit_code == 0
    after = load_profile(path)
    assert (after.decks, after.seats, after.zones) == (before.decks, before.seats, before.zones)
    assert after.table.size_mm == (500, 300)


def test_a_directory_gives_its_first_picture_and_a_video_its_first_frame(picture: Path, tmp_path: Path) -> None:
    profile = tmp_path / "p.toml"
    assert run("table", picture.parent, "--table", "500x300", "--profile", profile).exit_code == 0
    video = tmp_path / "v.avi"
    writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), 10, (1350, 850))
    for _ in range(3):
        writer.write(cv2.imread(str(picture)))
    writer.release()
    result = run("table", video, "--table", "500x300", "--profile", profile)
    assert result.exit_code == 0, result.output
    assert load_profile(profile).camera.source == "", "a recording is no camera to remember"


@pytest.mark.parametrize(
    ("source", "table", "error", "words"),
    [
        ("gone.png", "500x300", HardwareError, "no such picture"),
        ("gone", "500x300", HardwareError, "no such file or directory"),
        ("blank.png", "500x300", PoseLostError, "at least 2"),
        ("table.png", "650x300", (BadInputError, BadTableSizeError), "not 650x300.*calibrate lens"),
    ],
)
def test_bad_input_is_one_line_and_leaves_the_profile_alone(
    picture: Path, tmp_path: Path, source: str, table: str, error: type[Exception], words: str
) -> None:
    cv2.imwrite(str(tmp_path / "blank.png"), np.full((480, 640, 3), 128, np.uint8))
    profile = tmp_path / "profile.toml"
    result = run("table", tmp_path / source, "--table", table, "--profile", profile)
    assert isinstance(result.exception, error)
    assert "\n" not in str(result.exception)
    assert re.search(words, str(result.exception))
    assert not profile.exists()


def test_show_prints_the_profile_without_its_password(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    profile = default_profile((500, 300))
    camera = msgspec.structs.replace(profile.camera, source="rtsp://mia:s3cret@cam/x")
    save_profile(msgspec.structs.replace(profile, camera=camera), path)
    result = run("show", "--profile", path)
    assert json.loads(result.stdout)["camera"]["source"] == "rtsp://***@cam/x"
    assert "s3cret" not in result.output


def test_the_sheet_of_markers_is_written_as_svg_only(tmp_path: Path) -> None:
    assert run("mat", tmp_path / "mat.svg").exit_code == 0
    assert (tmp_path / "mat.svg").read_text().startswith("<svg")
    result = run("mat", tmp_path / "mat.pdf")
    assert isinstance(result.exception, BadInputError)
    assert "ends in .svg" in str(result.exception)


def test_a_lens_needs_a_profile_or_the_tables_size_and_pictures_with_a_board(picture: Path, tmp_path: Path) -> None:
    result = run("lens", tmp_path, "--profile", tmp_path / "p.toml")
    assert "run `hoshiban calibrate table` first" in str(result.exception)
    result = run("lens", tmp_path, "--profile", tmp_path / "p.toml", "--table", "500x300")
    assert "seen in 0 of 1 pictures" in str(result.exception)
    result = run("lens", tmp_path, "--profile", tmp_path / "p.toml", "--table", "500x300", "--chessboard", "9")
    assert "--chessboard 9: must be columns x rows" in str(result.exception)
