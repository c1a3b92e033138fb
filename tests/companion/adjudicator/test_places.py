"""What lies on a spot for one card."""

from __future__ import annotations

import pytest

from calibration.zones import Zone
from companion.adjudicator.places import Shows, on_spot
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
