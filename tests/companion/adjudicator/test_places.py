"""What lies on a spot for one card."""

from __future__ import annotations

import pytest

from calibration.zones import Zone
from companion.adjudicator.places import Shows, hidden_mm2, is_hidden, on_spot
from vision.observation import CardReading, Face, PoseState, SceneReading

SPOT = Zone(100, 100, 100, 130)
CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def card(x_mm: float, name: str | None, face: Face | None) -> CardReading:
    return CardReading(name, face, x_mm, 165.0, 0.0, CORNERS, 0.99 if name or face is Face.DOWN else 0.0)


def spot(*cards: CardReading) -> Shows:
    return on_spot(SceneReading(PoseState.LIVE, (700.0, 420.0), cards), SPOT).shows


@pytest.mark.parametrize(("name", "face", "shows"), [("altair", Face.UP, Shows.UP), (None, Face.DOWN, Shows.DOWN)])
def test_a_thing_without_face_or_name_beside_a_card_that_was_read_is_none(
    name: str | None, face: Face, shows: Shows
) -> None:
    read, thing = card(180, name, face), card(110, None, None)
    assert spot(read, thing) is shows
    assert spot(thing, read) is shows


def test_two_cards_are_too_many_and_a_thing_alone_is_asked_about() -> None:
    open_card, back = card(110, "altair", Face.UP), card(180, None, Face.DOWN)
    assert spot(open_card, back) is Shows.CROWDED
    assert (
        spot(open_card, card(180, None, Face.UP)) is Shows.CROWDED
    )  # a face that can't be named is a card all the same
    assert spot(card(110, None, None)) is Shows.UNREAD
    assert spot(card(110, None, None), card(180, None, None)) is Shows.CROWDED


def under(*polygons: tuple[tuple[float, float], ...]) -> SceneReading:
    return SceneReading(PoseState.LIVE, (700.0, 420.0), (), hidden_mm=polygons)


def square(x: float, y: float, side: float) -> tuple[tuple[float, float], ...]:
    return (x, y), (x + side, y), (x + side, y + side), (x, y + side)


@pytest.mark.parametrize(
    ("polygons", "mm2"),
    [
        ((), 0.0),
        ((square(300, 300, 50),), 0.0),
        ((square(0, 0, 400),), 100.0 * 130.0),
        ((square(50, 50, 100),), 50.0 * 50.0),
        ((square(50, 50, 100), square(60, 60, 90)), 50.0 * 50.0),  # what two things hide counts once
        ((square(120, 120, 50), square(180, 200, 60)), 50.0 * 50.0 + 20.0 * 30.0),
    ],
)
def test_how_much_of_a_zone_is_hidden(polygons: tuple[tuple[tuple[float, float], ...], ...], mm2: float) -> None:
    scene = under(*polygons)
    assert hidden_mm2(scene, SPOT) == pytest.approx(mm2, abs=600)
    assert is_hidden(scene, SPOT) is (mm2 > 0)
