"""The picture that explains a look: what was found, where, and why a card was refused."""

from __future__ import annotations

import numpy as np
import pytest

from vision.drawing import AMBER, GREEN, RED, ExplainedCard, colour_of, draw_scene, words_of
from vision.observation import CardReading, Face, PoseState, SceneReading
from vision.table import TablePose

TABLE_MM = (400.0, 300.0)
PICTURE = np.full((600, 800, 3), 128, np.uint8)


def card(name: str | None, face: Face | None, x: float, *, angle: float | None = 0.0, guesses=()) -> ExplainedCard:
    corners = ((x, 100.0), (x + 126, 100.0), (x + 126, 276.0), (x, 276.0))
    reading = CardReading(name, face, x / 2 + 31.5, 94.0, angle, corners, 0.9 if face else 0.3, guesses)
    seen = np.full((176, 126, 3), 40, np.uint8)
    return ExplainedCard(reading, seen, seen if guesses else None, "too little of a card shows", 0.8)


STATED = card("red-07", Face.UP, 100, guesses=(("red-07", 0.9),))
UNSURE = card(None, None, 300, angle=None, guesses=(("red-06", 0.3), ("red-09", 0.2)))
STRANGE = card(None, None, 500, angle=None)


def drawn(*cards: ExplainedCard) -> np.ndarray:
    pose = TablePose(np.diag([0.5, 0.5, 1.0]), TABLE_MM, next(iter(PoseState)), None, ())
    return draw_scene(PICTURE, pose, SceneReading(next(iter(PoseState)), TABLE_MM), cards)


@pytest.mark.parametrize(("one", "colour"), [(STATED, GREEN), (UNSURE, AMBER), (STRANGE, RED)])
def test_an_outline_says_how_sure_a_card_is(one: ExplainedCard, colour: tuple[int, int, int]) -> None:
    assert colour_of(one.reading) == colour
    picture = drawn(one)
    x, y = (int(value) for value in one.reading.corners_px[3])
    near = picture[y - 40 : y, x - 4 : x + 5].reshape(-1, 3).astype(int)
    assert np.abs(near - colour).sum(axis=1).min() < 30


def test_a_stated_cards_own_top_is_drawn_thick() -> None:
    left, top = 100, 100
    thick = (np.abs(drawn(STATED)[top - 6 : top + 7, left + 30].astype(int) - GREEN).sum(axis=1) < 60).sum()
    thin = (np.abs(drawn(STATED)[276 - 6 : 276 + 7, left + 30].astype(int) - GREEN).sum(axis=1) < 60).sum()
    assert thick > thin + 2


def test_what_a_card_was_taken_for_and_why_it_was_refused_is_told() -> None:
    assert words_of(STATED)[0].startswith("red-07  0.90")
    assert not any("refused" in line for line in words_of(STATED))
    words = words_of(UNSURE)
    assert words[0].startswith("unsure  0.30")
    assert "which way up can't be told" in words[1]
    assert words[2:] == ["seen as: red-06 0.30, red-09 0.20", "refused: too little of a card shows"]
    assert "nothing that is enrolled" in words_of(STRANGE)[2]


def test_a_panel_of_many_cards_stays_about_as_high_as_the_picture() -> None:
    few, many = drawn(STATED), drawn(*[STATED] * 14)
    assert few.shape[0] == many.shape[0] == 600
    assert many.shape[1] > few.shape[1] > 800


def test_a_large_picture_is_shrunk_and_the_cards_with_it() -> None:
    pose = TablePose(np.diag([0.125, 0.125, 1.0]), TABLE_MM, next(iter(PoseState)), None, ())
    large = draw_scene(
        np.full((2400, 3200, 3), 128, np.uint8), pose, SceneReading(next(iter(PoseState)), TABLE_MM), [STATED]
    )
    assert large.shape[0] == 1200
    x, y = 50, 100  # the card's left edge at half scale
    assert np.abs(large[y, x - 3 : x + 4].astype(int) - GREEN).sum(axis=1).min() < 60
