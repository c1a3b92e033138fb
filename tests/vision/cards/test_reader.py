"""Cards read from drawn tables of known truth, and from the shared pictures where they are."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_cards import BLUE, CARD_MM, TABLE_MM, Laid, draw_number, draw_picture, draw_table, plain, wood

from vision.cards import CardReader, enrol_deck
from vision.observation import CardReading, Face
from vision.table import locate_table


@pytest.fixture(scope="module")
def reader(deck_folder: Path) -> CardReader:
    return CardReader([enrol_deck(deck_folder)])


def look(reader: CardReader, cards: list[Laid], **setting: object) -> tuple[CardReading, ...]:
    drawn = draw_table(cards, **setting)  # type: ignore[arg-type]
    return reader.read(drawn.image, locate_table(drawn.image, TABLE_MM))


@pytest.mark.parametrize("angle", [0.0, 33.0, 90.0, 178.0, 251.0])
def test_place_angle_and_corners_at_any_turn(reader: CardReader, scans: dict[str, np.ndarray], angle: float) -> None:
    drawn = draw_table([Laid(scans["red-6"], 240, 160, angle)], tilt=0.6)
    (card,) = reader.read(drawn.image, locate_table(drawn.image, TABLE_MM))
    assert (card.card, card.face) == ("red-6", Face.UP)
    assert np.hypot(card.x_mm - 240, card.y_mm - 160) < 0.4
    assert card.angle_deg is not None
    assert abs((card.angle_deg - angle + 180) % 360 - 180) < 0.5
    turn = np.radians(angle)
    top_left = (
        240 - 31.5 * np.cos(turn) + 44 * np.sin(turn),
        160 - 31.5 * np.sin(turn) - 44 * np.cos(turn),
    )
    assert np.abs(np.array(card.corners_px[0]) - drawn.px([top_left])[0]).max() < 1.2


@pytest.mark.parametrize("ground", [wood, plain(40), plain(225)], ids=["wood", "dark", "light"])
def test_near_identical_cards_are_told_apart_on_any_ground(
    reader: CardReader, scans: dict[str, np.ndarray], ground: object
) -> None:
    laid = {"red-6": (105, 130), "red-9": (190, 130), "blue-6": (275, 130), "blue-9": (360, 130)}
    found = look(reader, [Laid(scans[n], x, y, 4.0) for n, (x, y) in laid.items()], ground=ground)
    assert [card.card for card in found] == list(laid)


@pytest.mark.parametrize("light", [0.3, 0.6])
def test_low_light_and_noise_never_give_a_wrong_card(
    reader: CardReader, scans: dict[str, np.ndarray], light: float
) -> None:
    names = ["red-3", "red-8", "art-1", "red-5"]
    cards = [Laid(scans[n], 105 + 85 * i, 150, 180.0) for i, n in enumerate(names)]
    found = look(reader, cards, light=light, noise=4.0)
    assert [card.card for card in found] == names


def test_a_back_without_a_top_tells_its_angle_within_half_a_turn(
    reader: CardReader, scans: dict[str, np.ndarray]
) -> None:
    (card,) = look(reader, [Laid(scans["back"], 200, 150, 20.0)])
    assert (card.card, card.face, card.angle_deg) == (None, Face.DOWN, pytest.approx(20.0, abs=1))
    assert card.candidates[0][0] == "back"


def test_a_foreign_card_is_reported_without_a_name(reader: CardReader) -> None:
    (card,) = look(reader, [Laid(draw_picture(99), 200, 150, 10.0)])
    assert (card.card, card.face) == (None, None)
    assert np.hypot(card.x_mm - 200, card.y_mm - 150) < 3


def test_an_unknown_number_of_the_same_style_is_never_called_a_known_one(reader: CardReader) -> None:
    for card in look(reader, [Laid(draw_number("7", BLUE), 160, 150), Laid(draw_number("2", (40, 160, 40)), 260, 150)]):
        assert card.card is None


def test_a_card_that_lies_there_twice_is_reported_twice(reader: CardReader, scans: dict[str, np.ndarray]) -> None:
    found = look(reader, [Laid(scans["red-5"], 120, 150, 3.0), Laid(scans["red-5"], 300, 160, 92.0)])
    assert [card.card for card in found] == ["red-5", "red-5"]


def test_an_overlapping_row_is_read_from_top_to_bottom(reader: CardReader, scans: dict[str, np.ndarray]) -> None:
    names = ["art-1", "red-8", "art-2", "red-3"]
    found = look(reader, [Laid(scans[n], 110 + 45 * i, 150, 2.0 * i) for i, n in enumerate(names)])
    assert [card.card for card in found] == names


def test_what_covers_a_card_may_hide_it_but_not_change_it(reader: CardReader, scans: dict[str, np.ndarray]) -> None:
    found = look(reader, [Laid(scans["art-2"], 200, 150, 5.0)], cover=[(205, 100, 60, 40)])
    assert [card.card for card in found] == ["art-2"]
    hidden = look(reader, [Laid(scans["red-6"], 200, 150, 0.0)], cover=[(160, 100, 80, 92)])
    assert [card.card for card in hidden if card.card] == []


def test_nothing_is_invented_on_an_empty_table_or_in_an_ignored_area(
    reader: CardReader, scans: dict[str, np.ndarray]
) -> None:
    assert look(reader, []) == ()
    drawn = draw_table([Laid(scans["art-1"], 200, 150)])
    pose = locate_table(drawn.image, TABLE_MM)
    around = ((140.0, 90.0), (260.0, 90.0), (260.0, 210.0), (140.0, 210.0))
    assert reader.read(drawn.image, pose, ignore_mm=[around]) == ()
    assert [c.card for c in reader.read(drawn.image, pose, hidden_mm=[around]) if c.card] == []


def test_a_part_of_the_table_can_be_read_alone(reader: CardReader, scans: dict[str, np.ndarray]) -> None:
    drawn = draw_table([Laid(scans["art-1"], 110, 150), Laid(scans["art-2"], 330, 150)])
    pose = locate_table(drawn.image, TABLE_MM)
    assert [c.card for c in reader.read(drawn.image, pose, area_mm=(280, 100, 120, 100))] == ["art-2"]


def test_landscape_scans_and_other_card_sizes(tmp_path: Path) -> None:
    scans = {f"wide-{n}": cv2.rotate(draw_picture(n), cv2.ROTATE_90_CLOCKWISE) for n in (11, 12)}
    for name, scan in scans.items():
        cv2.imwrite(str(tmp_path / f"{name}.jpg"), scan)
    small = (44.0, 44.0 * CARD_MM[1] / CARD_MM[0])
    reader = CardReader([enrol_deck(tmp_path, size_mm=small)])
    drawn = draw_table([Laid(scans["wide-11"], 200, 150, 15.0)], card_mm=small)
    (card,) = reader.read(drawn.image, locate_table(drawn.image, TABLE_MM))
    assert card.card == "wide-11"
    assert card.angle_deg == pytest.approx(15.0, abs=0.6)
    top = np.array(card.corners_px[1]) - np.array(card.corners_px[0])
    side = np.array(card.corners_px[3]) - np.array(card.corners_px[0])
    assert np.linalg.norm(top) > 1.2 * np.linalg.norm(side)


def test_a_reader_without_decks_reads_nothing() -> None:
    drawn = draw_table()
    assert CardReader([]).read(drawn.image, locate_table(drawn.image, TABLE_MM)) == ()


def test_every_card_of_a_trick_of_the_shared_game(shared: Path) -> None:
    reader = CardReader([enrol_deck(shared / "decks" / "hoshizora")])
    for name in ("01-trick1-down", "05-trick2-up", "22-bids"):
        folder = shared / "footage" / "hoshizora-game-2"
        truth = json.loads((folder / f"{name}.json").read_text())
        image = cv2.imread(str(folder / f"{name}.jpg"))
        (x, y), side = truth["board"]["origin_mm"], truth["board"]["side_mm"]
        board = ((x, y), (x + side, y), (x + side, y + side), (x, y + side))
        found = reader.read(image, locate_table(image, tuple(truth["table_mm"])), ignore_mm=[board])
        assert len(found) == len(truth["cards"])
        for card in truth["cards"]:
            reading = min(found, key=lambda r: np.hypot(r.x_mm - card["x"], r.y_mm - card["y"]))
            assert (reading.card, reading.face) == (card["card"], Face.UP if card["face_up"] else Face.DOWN)
            assert np.hypot(reading.x_mm - card["x"], reading.y_mm - card["y"]) < 0.5
