"""Readers that answer what they are told to, and shots of a drawn table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import pytest

from companion.bench.cards import Shot
from companion.bench.cards_tally import ShownCard
from companion.bench.drawn import DrawnDeck, drawn_deck, drawn_shot
from companion.virtual.card_tables import CardTable
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Photo, TableLook
from hardware.virtual.scene import CardOnTable, Scene
from vision.observation import CardReading, Face

cv2.setNumThreads(1)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's own cache."""
    monkeypatch.setenv("HOSHIBAN_CACHE", str(tmp_path / "cache"))


def _said(card: ShownCard, name: str | None, face: Face | None = Face.UP, turn: float = 0.0) -> CardReading:
    corners = tuple(card.corners_px)
    angle = card.angle_deg + turn if face is Face.UP else None
    return CardReading(name, face, card.x_mm, card.y_mm, angle, corners, 0.99)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def said() -> Callable[..., CardReading]:
    """A reading at a card's place: its name, its face, and by how much it is turned wrong."""
    return _said


class Told:
    """A reader that gives the answers that it was told, whatever it is shown."""

    def __init__(self, *readings: CardReading) -> None:
        self.readings = readings

    def read(self, *_: object, **__: object) -> tuple[CardReading, ...]:
        return self.readings


@pytest.fixture(scope="session")
def answering() -> type[Told]:
    """Makes a reader of its answers."""
    return Told


@pytest.fixture(scope="session")
def digits() -> DrawnDeck:
    return drawn_deck("digits")


@pytest.fixture(scope="session")
def take(digits: DrawnDeck) -> Callable[..., Shot]:
    """A picture of cards (name, x, y, angle) of the deck of digits, or of another."""

    def shot(*cards: tuple[str, float, float, float], deck: DrawnDeck = digits, **photo: object) -> Shot:
        scene = Scene((700.0, 420.0), tuple(CardOnTable(*card) for card in cards))
        look = TableLook(card_mm=deck.card_mm, photo=Photo(**photo))  # type: ignore[arg-type]
        return drawn_shot(CardTable("test", deck.name, scene, look, VirtualCameraModel((1280, 720)), frozenset()), deck)

    return shot
