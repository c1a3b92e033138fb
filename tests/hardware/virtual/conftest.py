"""A small scene and plain art for the renderer's tests."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.camera.base import Image
from hardware.virtual.scene import BoardOnTable, CardOnTable, Scene, StarOnBoard, Stroke


@pytest.fixture(scope="session")
def art() -> dict[str, Image]:
    """A magenta and a green card, and a back, plain."""
    colours = {"magenta": (200, 20, 220), "green": (40, 200, 40), "back": (150, 60, 20)}
    return {name: np.full((176, 126, 3), bgr, np.uint8) for name, bgr in colours.items()}


@pytest.fixture
def scene() -> Scene:
    """A board with three stars and a line, and three cards of which one lies over another."""
    stars = (StarOnBoard(1, 250, 100), StarOnBoard(2, 450, 120, 5), StarOnBoard(3, 350, 300))
    board = BoardOnTable(200, 60, stars=stars, strokes=(Stroke("red", (250, 100), (450, 120)),))
    cards = (
        CardOnTable("magenta", 110, 130, 20),
        CardOnTable("back", 600, 130),
        CardOnTable("green", 620, 190, 90),
    )
    return Scene(cards=cards, board=board)
