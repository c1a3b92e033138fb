"""Layouts: quoted, dotted and nested names, seats in order, and every bad file named by its field."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.errors import BadProfileError
from calibration.zones import Layout, Zone, load_layout


def write(folder: Path, text: str) -> Path:
    path = folder / "layout.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "[zones]\nboard = [200, 60, 300, 300]\nplay.A = [1, 2, 3, 4]\nplay.B = [5, 6, 7, 8.5]",
        '[zones]\nboard = [200, 60, 300, 300]\n"play.A" = [1, 2, 3, 4]\n"play.B" = [5, 6, 7, 8.5]',
        "[zones]\nboard = [200, 60, 300, 300]\n[zones.play]\nA = [1, 2, 3, 4]\nB = [5, 6, 7, 8.5]",
        "zones = {board = [200, 60, 300, 300], play = {A = [1, 2, 3, 4], B = [5, 6, 7, 8.5]}}",
    ],
    ids=["dotted", "quoted", "table", "inline"],
)
def test_a_seats_zone_is_found_however_its_name_is_written(tmp_path: Path, text: str) -> None:
    layout = load_layout(write(tmp_path, text), (700, 420))
    assert layout.zone("board") == Zone(200, 60, 300, 300)
    assert layout.seat_zone("play", 0) == Zone(1, 2, 3, 4)
    assert layout.seat_zone("play", 1) == Zone(5, 6, 7, 8.5)
    assert layout.seats("play") == 2
    assert layout.seats("hand") == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[zones\n", r"is not valid TOML: .*line 1"),
        ("[zones]\nboard = [1, 2, 3, 4]\nboard = [1, 2, 3, 4]\n", r"is not valid TOML: .*line 3"),
        ("[zone]\nboard = [1, 2, 3, 4]", r"zone: is not known"),
        ("", r"zones: is missing"),
        ("zones = 3", r"zones: must be a table"),
        ("[zones]\nboard = [1, 2, 3]", r"zones\.board: must be \[x, y, width, height\]"),
        ('[zones]\nplay.A = [1, 2, 3, "4"]', r"zones\.play\.A: must be \[x, y, width, height\]"),
        ("[zones]\nplay.A = [1, 2, 3, true]", r"zones\.play\.A: must be .*True"),
        ("[zones]\nplay.A = [1, 2, nan, 4]", r"zones\.play\.A: must be"),
        ("[zones]\nboard = 7", r"zones\.board: must be .* not 7"),
        ("[zones]\nboard = [1, 2, 0, 4]", r"zones\.board: width and height must be more than 0"),
        ("[zones]\nboard = [600, 60, 300, 300]", r"zones\.board: reaches to \(900, 360\).*off the table of 700 x 420"),
        ("[zones]\nboard = [-5, 60, 300, 300]", r"zones\.board: reaches .*off the table"),
        ('[zones]\nplay.A = [1, 2, 3, 4]\n"play.A" = [1, 2, 3, 4]', r"zones\.play\.A: is there twice"),
    ],
)
def test_a_bad_layout_is_named_by_file_and_field_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadProfileError, match=r"layout\.toml: " + words) as caught:
        load_layout(write(tmp_path, text), (700, 420))
    assert "\n" not in str(caught.value)


def test_a_zone_that_is_needed_and_missing_says_which_there_are(tmp_path: Path) -> None:
    path = write(tmp_path, "[zones]\nplay.A = [1, 2, 3, 4]")
    with pytest.raises(BadProfileError, match=r"layout\.toml: zones\.board: is missing; there are play\.A"):
        load_layout(path, required=["board"])
    with pytest.raises(BadProfileError, match=r"zones\.play\.B: is missing"):
        load_layout(path).seat_zone("play", 1)


def test_a_missing_file_a_directory_and_foreign_bytes_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(BadProfileError, match="no such file"):
        load_layout(tmp_path / "gone.toml")
    with pytest.raises(BadProfileError, match="can't be read"):
        load_layout(tmp_path)
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe[zones]")
    with pytest.raises(BadProfileError, match="is not UTF-8"):
        load_layout(tmp_path / "x.toml")


def test_a_zone_holds_its_edges() -> None:
    zone = Zone(10, 20, 30, 40)
    assert zone.centre == (25, 40)
    assert zone.contains(10, 20)
    assert zone.contains(40, 60)
    assert not zone.contains(40.01, 60)
    assert not zone.contains(25, 19.9)


def test_a_seat_past_z_is_refused() -> None:
    with pytest.raises(BadProfileError, match="seats go from A to Z"):
        Layout().seat_zone("play", 26)


def test_the_sample_games_layout_reads(shared: Path) -> None:
    layout = load_layout(shared / "footage/hoshizora-game-2/layout.toml", (700, 420), ["board"])
    assert layout.seats("play") == 3
    assert layout.seat_zone("play", 2) == Zone(540, 235, 100, 130)
