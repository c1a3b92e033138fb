"""Cards whose print says little: a disc tells no angle, and an outline differs from the next card's by its colour alone."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_cards import SCAN_PX_PER_MM, TABLE_MM, Laid, draw_table, plain

from vision.cards import CardReader, enrol_deck
from vision.observation import Face
from vision.table import locate_table

COLOURS = {"red": (50, 50, 200), "green": (70, 150, 60), "purple": (150, 60, 120), "amber": (40, 140, 220)}


def disc(colour: tuple[int, int, int], thick: int) -> np.ndarray:
    """A white card with one disc in its middle, filled where `thick` is -1."""
    card = np.full((88 * SCAN_PX_PER_MM, 63 * SCAN_PX_PER_MM, 3), (250, 250, 250), np.uint8)
    cv2.circle(card, (252, 352), 80, colour, thick, cv2.LINE_AA)
    return card


@pytest.fixture(scope="module")
def scans() -> dict[str, np.ndarray]:
    kinds = {"full": -1, "ring": 10}
    return {f"{name}-{kind}": disc(bgr, thick) for name, bgr in COLOURS.items() for kind, thick in kinds.items()}


@pytest.fixture(scope="module")
def reader(scans: dict[str, np.ndarray], tmp_path_factory: pytest.TempPathFactory) -> CardReader:
    folder = tmp_path_factory.mktemp("discs")
    for name, scan in scans.items():
        cv2.imwrite(str(folder / f"{name}.png"), scan)
    return CardReader([enrol_deck(folder)])


@pytest.mark.parametrize("angle", [0.0, 3.0, 91.0])
@pytest.mark.parametrize("name", ["red-full", "purple-ring"])
def test_the_angle_of_a_disc_is_its_outlines(
    reader: CardReader, scans: dict[str, np.ndarray], name: str, angle: float
) -> None:
    over = Laid(scans["green-full"], 250 - 50, 160, 88.0)
    image = draw_table([Laid(scans[name], 250, 160, angle), over], plain(60), noise=6.0).image
    found = [card for card in reader.read(image, locate_table(image, TABLE_MM)) if abs(card.x_mm - 250) < 5]
    assert [card.card for card in found] == [name]
    assert found[0].angle_deg is not None
    assert abs((found[0].angle_deg - angle + 90) % 180 - 90) < 2


@pytest.mark.parametrize("name", ["red-ring", "green-ring", "purple-ring", "amber-ring", "purple-full"])
@pytest.mark.parametrize("left", [1.0, 0.0])
def test_without_its_colours_a_card_is_none_of_those_that_differ_in_colour(
    reader: CardReader, scans: dict[str, np.ndarray], name: str, left: float
) -> None:
    image = draw_table([Laid(scans[name], 250, 160, 4.0)], plain(60)).image
    grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    shown = cv2.addWeighted(image, left, grey, 1 - left, 0)
    (card,) = reader.read(shown, locate_table(shown, TABLE_MM))
    assert card.card == (name if left else None)


def test_a_back_drawn_alike_on_a_ground_of_another_colour_is_another(
    scans: dict[str, np.ndarray], tmp_path: Path
) -> None:
    def back(ground: tuple[int, int, int]) -> np.ndarray:
        drawn = np.full((88 * SCAN_PX_PER_MM, 63 * SCAN_PX_PER_MM, 3), ground, np.uint8)
        cv2.rectangle(drawn, (24, 24), (479, 679), (190, 215, 225), 6)
        cv2.drawMarker(drawn, (252, 352), (190, 215, 225), cv2.MARKER_STAR, 260, 14)
        return drawn

    purple, green = back((72, 40, 75)), back((50, 62, 42))
    for name, scan in {**scans, "back": purple}.items():
        cv2.imwrite(str(tmp_path / f"{name}.png"), scan)
    reads = CardReader([enrol_deck(tmp_path)])
    for shown, face in ((purple, Face.DOWN), (green, None)):
        image = draw_table([Laid(shown, 250, 160, 8.0)]).image
        assert [card.face for card in reads.read(image, locate_table(image, TABLE_MM))] == [face]
