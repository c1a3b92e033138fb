"""Dice and other things that lie over cards, told from what a card that isn't enrolled would show."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_cards import RED, SCAN_PX_PER_MM, TABLE_MM, Drawn, Laid, draw_number, draw_table, plain

from vision.cards import CardReader, enrol_deck
from vision.cards.features import Grid
from vision.cards.overlays import is_redrawn, lying_over, lying_over_back
from vision.cards.patches import PATCH_PX
from vision.table import locate_table

GRID = Grid.of(63.0, 88.0)
ROWS, COLUMNS = GRID.size_px[1] // PATCH_PX, GRID.size_px[0] // PATCH_PX
NO_TRAITS = np.zeros((0, ROWS, COLUMNS), np.float32)
ALL = np.ones((ROWS, COLUMNS), np.float32)


def disk(x_mm: float, y_mm: float, across_mm: float, inside: float = 20.0) -> np.ndarray:
    """What is unexplained where a round thing lies: rows x columns of patches."""
    down, right = np.mgrid[0:ROWS, 0:COLUMNS]
    mm = 63.0 / COLUMNS, 88.0 / ROWS
    apart = np.hypot((right + 0.5) * mm[0] - x_mm, (down + 0.5) * mm[1] - y_mm)
    return np.where(apart < across_mm / 2, inside, 0.5).astype(np.float32)


@pytest.mark.parametrize("place", [(20.0, 25.0), (31.5, 44.0), (50.0, 70.0)])
def test_a_thing_as_wide_as_a_die_is_found_with_its_shadow(place: tuple[float, float]) -> None:
    over = lying_over(disk(*place, 22.0), ALL, NO_TRAITS, GRID)
    assert over is not None
    down, right = np.mgrid[0 : over.shape[0], 0 : over.shape[1]]
    apart = np.hypot((right + 0.5) / over.shape[1] * 63 - place[0], (down + 0.5) / over.shape[0] * 88 - place[1])
    assert over[apart < 11].all()
    assert not over[apart > 18].any()


def test_a_printed_sign_is_none() -> None:
    assert lying_over(disk(30, 40, 12.0), ALL, NO_TRAITS, GRID) is None


def test_a_patch_that_is_hardly_strange_is_none() -> None:
    assert lying_over(disk(30, 40, 24.0, inside=3.0), ALL, NO_TRAITS, GRID) is None


def test_a_patch_in_the_shape_in_which_cards_of_the_deck_differ_is_the_cards_own() -> None:
    traits = (disk(30, 40, 25.0) > 1).astype(np.float32)[None]
    assert lying_over(disk(31, 41, 22.0), ALL, traits, GRID) is None
    everywhere = np.ones((1, ROWS, COLUMNS), np.float32)
    assert lying_over(disk(31, 41, 22.0), ALL, everywhere, GRID) is not None


def test_what_explains_less_than_half_of_what_shows_is_another_card() -> None:
    assert lying_over(disk(31, 44, 75.0), ALL, NO_TRAITS, GRID) is None


def test_nothing_is_looked_for_where_the_card_is_hidden() -> None:
    assert lying_over(disk(20, 25, 22.0), 1 - (disk(20, 25, 40.0) > 1), NO_TRAITS, GRID) is None


def printed(*covered: np.ndarray) -> np.ndarray:
    """How much of a back's print shows: all of it but where these lie."""
    shown = np.ones((ROWS, COLUMNS), np.float32)
    for thing in covered:
        shown[thing > 1] = 0.1
    return shown


def test_where_a_backs_print_does_not_show_something_lies_over_it() -> None:
    over = lying_over_back(printed(disk(20, 25, 22.0)), ALL, GRID)
    assert over is not None
    assert 0.06 < over.mean() < 0.2
    assert lying_over_back(printed(), ALL, GRID) is None
    assert lying_over_back(printed(disk(20, 25, 4.0)), ALL, GRID) is None


def test_what_is_the_same_turned_half_round_is_another_backs_own_drawing() -> None:
    for own in (printed(disk(31.5, 44, 22.0)), printed(disk(15, 20, 20.0), disk(48, 68, 20.0))):
        assert lying_over_back(own, ALL, GRID) is None
        assert is_redrawn(own, ALL, GRID)
    assert not is_redrawn(printed(disk(20, 25, 22.0)), ALL, GRID)
    assert not is_redrawn(printed(), ALL, GRID)


def test_a_back_of_which_less_than_half_shows_its_print_is_another() -> None:
    assert lying_over_back(printed(disk(20, 30, 90.0)), ALL, GRID) is None


def woven(colour: tuple[int, int, int], emblem: bool) -> np.ndarray:
    """A back with a white rim, the same turned half round: a weave, or a weave around an emblem."""
    height, width = 88 * SCAN_PX_PER_MM, 63 * SCAN_PX_PER_MM
    down, right = np.mgrid[0:height, 0:width]
    middle = np.stack([down - (height - 1) / 2, right - (width - 1) / 2])
    threads = (np.cos(middle * 2 * np.pi / (3.4 * SCAN_PX_PER_MM)) > 0).sum(axis=0)
    back = (np.array(colour) * (0.5 + 0.25 * threads[..., None])).astype(np.uint8)
    if emblem:
        back[np.hypot(*middle) < 16 * SCAN_PX_PER_MM] = (210, 225, 230)
    rim = (np.abs(middle[0]) > height / 2 - 20) | (np.abs(middle[1]) > width / 2 - 20)
    back[rim] = (235, 235, 235)
    return back


def test_a_woven_back_under_another_one_is_face_down_and_one_with_an_emblem_is_not(
    deck_folder: Path, tmp_path: Path
) -> None:
    for path in deck_folder.glob("*.png"):
        if "back" not in path.stem:
            (tmp_path / path.name).write_bytes(path.read_bytes())
    own = woven((120, 90, 60), emblem=False)
    cv2.imwrite(str(tmp_path / "back.png"), own)
    reads = CardReader([enrol_deck(tmp_path)])

    def told(*cards: Laid) -> list[str | None]:
        image = draw_table(cards, plain(60)).image
        found = reads.read(image, locate_table(image, TABLE_MM))
        return [card.face for card in found if abs(card.x_mm - 150) < 6]

    over = Laid(own, 190, 165, 87.0)
    assert told(Laid(own, 150, 160, 4.0), over) == ["down"]
    strange = woven((120, 90, 60), emblem=True)
    assert told(Laid(strange, 150, 160, 4.0)) == [None]
    assert told(Laid(strange, 150, 160, 4.0), Laid(own, 205, 165, 87.0)) == [None]


@pytest.fixture(scope="module")
def reader(deck_folder: Path) -> CardReader:
    return CardReader([enrol_deck(deck_folder)])


def with_a_die(drawn: Drawn, x_mm: float, y_mm: float, colour: tuple[int, int, int]) -> np.ndarray:
    """The picture with an eight-sided die of 18 mm, seen from above: three faces lit one by one, and a shadow."""
    image = drawn.image.copy()
    turns = np.radians(np.arange(6) * 60 + 10)
    rim = drawn.px([(x_mm + 10 * np.cos(a), y_mm + 10 * np.sin(a)) for a in turns])
    shadow = drawn.px([(x_mm + 3 + 10 * np.cos(a), y_mm + 3 + 10 * np.sin(a)) for a in turns])
    dark = image.copy()
    cv2.fillPoly(dark, [shadow.round().astype(np.int32)], (40, 40, 40))
    image = cv2.addWeighted(image, 0.5, dark, 0.5, 0)
    for light, part in ((1.0, rim[[0, 2, 4]]), (0.7, rim[[0, 1, 2]]), (0.6, rim[[2, 3, 4]]), (0.8, rim[[4, 5, 0]])):
        cv2.fillPoly(image, [part.round().astype(np.int32)], tuple(int(light * part) for part in colour))
    return image


@pytest.mark.parametrize("colour", [(40, 200, 60), (200, 60, 200), (30, 160, 230), (60, 40, 30)])
@pytest.mark.parametrize("place", [(-20, 14), (19, -12), (-17, 25)])
def test_a_die_on_a_card_leaves_it_its_name(
    reader: CardReader, scans: dict[str, np.ndarray], colour: tuple[int, int, int], place: tuple[float, float]
) -> None:
    drawn = draw_table([Laid(scans["red-6"], 240, 160, 0.0)], ground=plain(90))
    picture = with_a_die(drawn, 240 + place[0], 160 + place[1], colour)
    found = reader.read(picture, locate_table(picture, TABLE_MM))
    assert [card.card for card in found] == ["red-6"]


def test_a_die_does_not_make_a_card_that_is_not_enrolled_a_known_one(reader: CardReader) -> None:
    for text in ("2", "7"):
        drawn = draw_table([Laid(draw_number(text, RED), 240, 160, 0.0)], ground=plain(90))
        picture = with_a_die(drawn, 222, 178, (40, 200, 60))
        assert [c.card for c in reader.read(picture, locate_table(picture, TABLE_MM)) if c.card] == []
