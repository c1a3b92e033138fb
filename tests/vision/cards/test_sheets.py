"""White cards over white cards: rims and what is drawn tell which hides the other; truth is how they were laid."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_cards import CARD_MM, TABLE_MM, Image, Laid, draw_table, plain

from companion.virtual.styles import STYLES
from vision.cards import CardReader, EnrolledDeck
from vision.cards.deck import make_reference
from vision.cards.features import Grid
from vision.cards.outlines import Placement
from vision.cards.scene import CardScene, Outlook
from vision.cards.sheets import Sheet, Sheets, drawn_alike
from vision.table import locate_table

GRID = Grid.of(*CARD_MM)
CELLS = GRID.rows * GRID.columns


def sheets_of(image: Image, *cards: Laid) -> Sheets:
    scene = CardScene.of(Outlook.of(image, locate_table(image, TABLE_MM), (), (), None))
    sheets = Sheets(scene.edges, GRID)
    for card in cards:
        sheets.add(Sheet(place(card), np.zeros(CELLS, bool), np.zeros(CELLS, bool)))
    return sheets


def edged(scan: Image) -> Image:
    """With the thin shade that a card's cut edge shows against white paper."""
    shade = scan.copy()
    width = max(1, round(0.004 * scan.shape[0]))
    cv2.rectangle(shade, (0, 0), (scan.shape[1] - 1, scan.shape[0] - 1), (205, 208, 210), width)
    return shade


def place(card: Laid) -> Placement:
    return Placement(card.x, card.y, card.angle)


def blank(level: int) -> Image:
    return np.full((704, 504, 3), level, np.uint8)


@pytest.mark.parametrize("turn", [-9.0, 6.0, 84.0])
@pytest.mark.parametrize("on_top", ["settled", "other"])
def test_the_rim_of_the_upper_of_two_blank_cards_crosses_the_lower(turn: float, on_top: str) -> None:
    settled, other = Laid(blank(225), 220, 150, 2.0), Laid(blank(205), 252, 158, turn)
    order = [other, settled] if on_top == "settled" else [settled, other]
    sheets = sheets_of(draw_table(order, plain(90)).image, settled)
    assert bool(sheets.covering([place(other)])[0, 0]) == (on_top == "settled")
    hidden = sheets.hidden_cells(place(other))
    assert hidden.any() == (on_top == "settled")


def test_a_card_beside_another_hides_nothing_of_it() -> None:
    one, other = Laid(blank(225), 150, 150), Laid(blank(205), 260, 150)
    sheets = sheets_of(draw_table([one, other], plain(90)).image, one)
    assert not sheets.covering([place(other)]).any()
    assert sheets.over(place(other)) == []


def test_what_covers_one_of_many_placements_is_what_covers_it_alone() -> None:
    settled = [Laid(blank(225), 120, 90, 2.0), Laid(blank(215), 220, 150, 40.0), Laid(blank(225), 400, 240, 80.0)]
    sheets = sheets_of(draw_table(settled, plain(90)).image, *settled)
    chance = np.random.default_rng(4)
    many = [Placement(*row) for row in chance.uniform((30.0, 30.0, 0.0), (470.0, 290.0, 180.0), (60, 3)).tolist()]
    together = sheets.covering(many)
    assert (together == np.concatenate([sheets.covering([one]) for one in many])).all()
    # Two of the sheets are found over some of them, and none over what no corner of it reaches.
    assert together.any(axis=0).sum() >= 2
    away = np.array([[np.hypot(one.x_mm - card.x, one.y_mm - card.y) for card in settled] for one in many])
    assert not together[away > np.hypot(*CARD_MM)].any()


def test_what_is_drawn_in_a_cell_is_alike_whatever_light_lies_on_it() -> None:
    random = np.random.default_rng(3)
    drawn = random.normal(0, 0.2, (5, 48)).astype(np.float32)
    like, says = drawn_alike(drawn + np.float32(0.4), drawn)
    assert says.all()
    assert like.min() > 0.95
    other, _ = drawn_alike(random.normal(0, 0.2, (5, 48)).astype(np.float32), drawn)
    assert other.max() < 0.6
    _, nothing = drawn_alike(np.full((5, 48), 0.3, np.float32), np.zeros((5, 48), np.float32))
    assert not nothing.any()


@pytest.mark.parametrize(
    ("style", "names"),
    [
        ("symbols", ["s2d1f", "s3t1f", "s3a0f", "s1x2f"]),
        ("pips", ["moss-7", "plum-8", "slate-6", "coral-9"]),
    ],
)
def test_a_row_of_white_cards_without_borders_is_read_card_by_card(style: str, names: list[str]) -> None:
    look = STYLES[style]
    art = look.draw()
    references = [
        make_reference(art[name], None if "back" in name else name, look.card_mm, name) for name in sorted(art)
    ]
    reader = CardReader([EnrolledDeck("drawn", look.card_mm, tuple(references), "drawn")])
    width = look.card_mm[0]
    turns = [4.0, -5.0, 2.0, -3.0]
    row = [Laid(edged(art[name]), 130 + 0.6 * width * i, 150 + 2 * i, turns[i]) for i, name in enumerate(names)]
    drawn = draw_table(row, plain(70), size_px=(1600, 1025), card_mm=look.card_mm)
    read = reader.read(drawn.image, locate_table(drawn.image, TABLE_MM))
    found = {card.card for card in read}
    # A card that shows too little may stay unsure; none is taken for another, and the uppermost is known.
    assert found <= {*names, None}
    assert len(found & set(names)) >= 3
    assert names[-1] in found
