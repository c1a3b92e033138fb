"""How cards lie for their players: held against plain vectors, for every seat and every degree."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from calibration.errors import BadProfileError
from calibration.seats import Seats, Way
from calibration.zones import Layout, Zone, load_layout

TABLE = (700.0, 420.0)
PLACES = {
    "bottom": (Zone(300, 320, 100, 90), (0, -1)),
    "left": (Zone(10, 150, 100, 120), (1, 0)),
    "top": (Zone(300, 10, 100, 90), (0, 1)),
    "right": (Zone(590, 150, 100, 120), (-1, 0)),
}
"""A zone at each side, and where its player looks: over the table, x right, y down."""


def write(folder: Path, text: str) -> Path:
    path = folder / "layout.toml"
    path.write_text(text, "utf-8")
    return path


def seen_by(looks: tuple[float, float], angle: float) -> tuple[float, float]:
    """How far a card's top points away from the player and to the player's right hand: 1 is wholly."""
    top = math.sin(math.radians(angle)), -math.cos(math.radians(angle))
    right = -looks[1], looks[0]  # y points down: a quarter clockwise
    return top[0] * looks[0] + top[1] * looks[1], top[0] * right[0] + top[1] * right[1]


@pytest.mark.parametrize("side", PLACES)
def test_every_degree_at_every_side(side: str) -> None:
    zone, looks = PLACES[side]
    seats = Seats.of(Layout({"play.A": zone}), TABLE)
    for angle in range(360):
        lie = seats.lie(*zone.centre, angle)
        assert lie is not None
        assert lie.seat == "A"
        away, right = seen_by(looks, angle)
        assert lie.angle_deg is not None
        assert math.cos(math.radians(lie.angle_deg)) == pytest.approx(away, abs=1e-9)
        assert math.sin(math.radians(lie.angle_deg)) == pytest.approx(right, abs=1e-9)
        clear = math.cos(math.radians(30)) - 1e-9
        if away >= clear:
            assert (lie.way, lie.top_points) == (Way.UPRIGHT, None)
        elif -away >= clear:
            assert (lie.way, lie.top_points) == (Way.UPSIDE_DOWN, None)
        elif abs(right) >= clear:
            assert (lie.way, lie.top_points) == (Way.SIDEWAYS, "right" if right > 0 else "left")
        else:
            assert (lie.way, lie.top_points) == (None, None)


@pytest.mark.parametrize("angle", [-0.0, -1e-13, 359.9999999, 360.0, 719.9])
def test_an_angle_at_the_seam_is_upright(angle: float) -> None:
    lie = Seats.of(Layout({"play.A": PLACES["bottom"][0]}), TABLE).lie(350, 365, angle)
    assert lie is not None
    assert lie.way is Way.UPRIGHT
    assert lie.angle_deg is not None
    assert 0 <= lie.angle_deg < 360


def test_a_card_outside_all_seats_zones_has_no_seat_and_one_of_unknown_angle_no_way() -> None:
    seats = Seats.of(Layout({"board": Zone(200, 60, 300, 240), "play.A": PLACES["left"][0]}), TABLE)
    assert seats.lie(350, 180, 0.0) is None
    lie = seats.lie(60, 210, None)
    assert lie is not None
    assert (lie.seat, lie.angle_deg, lie.way) == ("A", None, None)


def test_all_zones_of_a_seat_together_say_where_it_sits() -> None:
    zones = {"home.A": Zone(20, 300, 500, 100), "play.A": Zone(20, 200, 80, 100), "home.B": Zone(200, 10, 300, 100)}
    seats = Seats.of(Layout(zones), TABLE)
    assert seats.directions == {"A": 0.0, "B": 180.0}
    assert seats.seat_at(60, 250) == "A"


def test_a_layout_may_say_where_a_seat_sits(tmp_path: Path) -> None:
    zones = "[zones]\nplay.A = [10, 150, 100, 120]\nplay.B = [590, 150, 100, 120]\n"
    assert load_layout(write(tmp_path, zones)).directions == {}
    layout = load_layout(write(tmp_path, zones + '[seats]\nA = "bottom"\nB = -45\n'), TABLE)
    assert layout.directions == {"A": 0.0, "B": 315.0}
    lie = Seats.of(layout, TABLE).lie(640, 210, 315)
    assert lie is not None
    assert (lie.seat, lie.way) == ("B", Way.UPRIGHT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seats = 3", r"seats: must be a table"),
        ('[seats]\nA = "north"', r"seats\.A: must be bottom, left, right, top, or the degrees .*'north'"),
        ("[seats]\nA = nan", r"seats\.A: must be"),
        ("[seats]\nA = true", r"seats\.A: must be"),
        ("[seats]\nAnna = 90", r"seats\.Anna: seats are named A, B, C"),
    ],
)
def test_a_bad_seat_is_named_by_file_and_field(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadProfileError, match=r"layout\.toml: " + words):
        load_layout(write(tmp_path, f"{text}\n[zones]\nplay.A = [1, 2, 3, 4]\n"))
