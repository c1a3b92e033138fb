"""The profile: what goes in comes out, and every bad field is named."""

from __future__ import annotations

import copy
import os
import stat
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.errors import BadProfileError
from calibration.profile import (
    CameraProfile,
    LensProfile,
    PadProfile,
    PanelProfile,
    Profile,
    TableProfile,
    decode_profile,
    default_path,
    default_profile,
    load_profile,
    save_profile,
)
from calibration.zones import Zone

FULL = Profile(
    table=TableProfile(
        width_mm=700, height_mm=420, corners_px=((1, 2), (1900, 3), (1890, 1000.5), (5, 990)), picture_px=(1920, 1080)
    ),
    camera=CameraProfile(
        source="rtsp://cam/x", fps=25, exposure_us=8000, gain=2.5, colour_gains=(1.5, 1.75), focus=1.25
    ),
    lens=LensProfile(
        width=1920,
        height=1080,
        matrix=((1500, 0, 960), (0, 1500, 540), (0, 0, 1)),
        coefficients=(-0.1, 0.02, 1e-9, 0, 0),
        error_px=0.3,
    ),
    game="hoshizora",
    decks=("hoshizora", '/a "b",\n [c]'),
    seats=("Mia", "Ben,\n  Jo", "星"),
    zones={"board": Zone(200, 60, 300, 300), "play.A": Zone(60, 65, 100, 130.25)},
    pad=PadProfile(port="/dev/serial/by-id/usb-pad"),
    panel=PanelProfile(start=0, players=(5, 6, 13), lights={"ready": 22, "a b": 23}, buzzer=18),
)

RAW: dict[str, Any] = {
    "table": {"width_mm": 700, "height_mm": 420},
    "lens": {
        "width": 100,
        "height": 100,
        "matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "coefficients": [0, 0, 0, 0, 0],
    },
}


def test_a_profile_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    save_profile(FULL, tmp_path / "new" / "profile.toml")
    assert load_profile(tmp_path / "new" / "profile.toml") == FULL


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(names, unique=True, max_size=4),
    st.lists(names, max_size=3),
    st.dictionaries(names, st.just(Zone(1, 2, 3, 4))),
)
def test_any_names_come_back_as_they_were_saved(
    tmp_path_factory: pytest.TempPathFactory, seats: list[str], decks: list[str], zones: dict[str, Zone]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    profile = msgspec.structs.replace(default_profile((700, 420)), seats=tuple(seats), decks=tuple(decks), zones=zones)
    save_profile(profile, path)
    assert load_profile(path) == profile


def test_saving_keeps_the_comments_on_top_and_the_files_rights(tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    save_profile(default_profile((700, 420)), path)
    assert path.read_text().startswith("# Hoshiban's profile")
    path.write_text(path.read_text().replace("# Hoshiban's profile", "# The long table"))
    path.chmod(0o640)
    save_profile(FULL, path)
    assert path.read_text().startswith("# The long table")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["profile.toml"]


def test_a_failed_write_leaves_the_old_profile_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "profile.toml"
    save_profile(FULL, path)

    def full_disk(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(BadProfileError, match=r"profile\.toml: can't be written \(No space left on device\)"):
        save_profile(default_profile((500, 300)), path)
    assert load_profile(path) == FULL
    assert [file.name for file in tmp_path.iterdir()] == ["profile.toml"]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("table", None, "table: is missing"),
        ("table", 7, "table: expected table, got whole number"),
        ("tabel", {}, "tabel: is not a known field"),
        ("table.width_mm", None, "table.width_mm: is missing"),
        ("table.width_mm", "700", "table.width_mm: expected number, got text"),
        ("table.width_mm", 7, "table.width_mm: expected number >= 100"),
        ("table.width_mm", float("nan"), "table.width_mm: "),
        ("table.depth_mm", 7, "table.depth_mm: is not a known field"),
        ("table.markers", "no", "table.markers: expected true or false, got text"),
        ("table.markers", False, "table.corners_px: is missing; a table without markers"),
        ("table.corners_px", [[0, 0], [9, 0], [9, 9], [0, 9]], "table.picture_px: is missing"),
        ("table.corners_px", [[0, 0], [9, 0], [9, 9]], "table.corners_px: expected list of length 4, got 3"),
        ("table.corners_px", [[0, 0], [9, 0], [9, float("inf")], [0, 9]], "table.corners_px: must be a finite number"),
        ("camera.fps", 0, "camera.fps: expected number >= 1"),
        ("camera.width", 19.5, "camera.width: expected whole number"),
        ("camera.exposure_us", "auto", "camera.exposure_us: expected whole number, got text"),
        ("camera.colour_gains", [1], "camera.colour_gains: expected list of length 2, got 1"),
        ("camera.colour_gains", [1, -1], "camera.colour_gains[1]: expected number > 0"),
        ("lens.matrix", [[1, 0, 0], [0, 1, 0], [0, 0, 2]], "lens.matrix: must read"),
        ("lens.matrix", [[0, 0, 0], [0, 1, 0], [0, 0, 1]], "lens.matrix: must read"),
        ("lens.coefficients", [0, 0], "lens.coefficients: expected list of length 5, got 2"),
        ("lens.width", 0, "lens.width: expected whole number >= 16"),
        ("game", "chess", "game: is 'chess', not one of ahuha, hoshi-battle, shuhari, hoshizora"),
        ("decks", "hoshizora", "decks: expected list, got text"),
        ("decks", ["x", ""], "decks[1]: expected text of length >= 1"),
        ("seats", ["A", "B", "A"], "seats: must have different names"),
        ("pad.port", 3, "pad.port: expected text, got whole number"),
        ("panel.start", 28, "panel.start: expected whole number <= 27"),
        ("panel.players", [5, 99], "panel.players[1]: expected whole number <= 27"),
        ("panel.lights", {"ready": "x"}, "panel.lights"),
        ("zones", {"play": {"A": [1, 2, 3]}}, "zones.play.A: must be [x, y, width, height]"),
        ("zones", {"board": [600, 0, 200, 100]}, "zones.board: reaches to (800, 100)"),
    ],
)
def test_a_bad_profile_names_its_field_in_one_line(field: str, value: object, words: str) -> None:
    raw = copy.deepcopy(RAW)
    section, _, name = field.rpartition(".")
    target = raw.setdefault(section, {}) if section else raw
    if value is None:
        del target[name]
    else:
        target[name] = value
    with pytest.raises(BadProfileError) as caught:
        decode_profile(raw, "p.toml")
    assert str(caught.value).startswith(f"p.toml: {words}")
    assert "\n" not in str(caught.value)


def test_corners_that_do_not_go_round_are_refused() -> None:
    raw = copy.deepcopy(RAW)
    raw["table"] |= {"corners_px": [[0, 0], [9, 9], [9, 0], [0, 9]], "picture_px": [100, 100]}
    with pytest.raises(BadProfileError, match=r"table\.corners_px: must go round"):
        decode_profile(raw, "p.toml")


def test_the_environment_names_the_profile_or_its_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOSHIBAN_CONFIG", str(tmp_path))
    assert default_path() == tmp_path / "profile.toml"
    monkeypatch.setenv("HOSHIBAN_CONFIG", str(tmp_path / "mine.toml"))
    assert default_path() == tmp_path / "mine.toml"
    monkeypatch.delenv("HOSHIBAN_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert default_path() == tmp_path / "config" / "hoshiban" / "profile.toml"


def test_a_lens_measured_small_bends_a_large_picture_alike() -> None:
    measured = LensProfile(
        width=960, height=540, matrix=((800, 0, 470), (0, 810, 280), (0, 0, 1)), coefficients=(-0.2, 0.05, 0.001, 0, 0)
    )
    small, large = measured.lens(960, 540), measured.lens(1920, 1080)
    points = np.array([(10.0, 20.0), (900.0, 500.0), (480.0, 270.0)])
    # The same spot of the sensor: pixel middles are whole numbers, so a picture begins at -0.5.
    doubled = (points + 0.5) * 2 - 0.5
    assert np.allclose((small.undistort(points) + 0.5) * 2 - 0.5, large.undistort(doubled), atol=0.02)


def test_a_lens_is_not_used_for_a_picture_of_another_shape() -> None:
    measured = LensProfile(
        width=960, height=540, matrix=((800, 0, 470), (0, 810, 280), (0, 0, 1)), coefficients=(0, 0, 0, 0, 0)
    )
    with pytest.raises(BadProfileError, match="measured at 960x540 px and can't be used at 640x480"):
        measured.lens(640, 480)


def test_a_cameras_settings_are_the_profiles() -> None:
    settings = FULL.camera.settings()
    assert (settings.fps, settings.exposure_us, settings.colour_gains, settings.focus) == (25, 8000, (1.5, 1.75), 1.25)


def test_a_player_has_the_button_of_their_seat() -> None:
    panel = PanelProfile(start=17, players=(5, 6, 13))
    assert panel.pins(("A", "B")).players == {"A": 5, "B": 6}
    assert panel.pins(("A", "B")).start == 17


def test_a_table_without_pad_and_panel_writes_nothing_of_them(tmp_path: Path) -> None:
    save_profile(default_profile((700, 420)), tmp_path / "profile.toml")
    text = (tmp_path / "profile.toml").read_text("utf-8")
    assert "[pad]" not in text
    assert "[panel]" not in text
