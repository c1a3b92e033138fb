"""Sides of a card that are its own, and such as are not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_cards import draw_back

from vision.cards.features import Grid, describe
from vision.cards.outlines import Placement, tells_place
from vision.cards.rims import Rims, rims_of, shared_sides, unshared

WIDTH_MM, HEIGHT_MM = 63.0, 88.0
GRID = Grid.of(WIDTH_MM, HEIGHT_MM)


def test_a_side_along_a_neighbours_is_shared() -> None:
    card = Placement(330.0, 160.0, 0.0)
    size = (WIDTH_MM, HEIGHT_MM)
    beside, apart, crossing = Placement(267.5, 170.0, 0.3), Placement(262.0, 170.0, 0.0), Placement(300.0, 160.0, 45.0)
    assert shared_sides(card, [], size) == (False,) * 4
    assert shared_sides(card, [apart, crossing], size) == (False,) * 4
    assert shared_sides(card, [apart, beside], size) == (False, False, False, True)
    assert shared_sides(card, [Placement(330.0, 160.0 + HEIGHT_MM, 180.0)], size) == (False, False, True, False)


def woven() -> np.ndarray:
    """A back with a white rim of 3 mm around a weave of 4 mm, 8 px a mm."""
    scan = np.full((704, 504, 3), 235, np.uint8)
    for y in range(24, 680, 32):
        for x in range(24, 480, 32):
            cv2.rectangle(scan, (x, y), (x + 15, y + 15), (150, 60, 30), -1)
            cv2.rectangle(scan, (x + 16, y + 16), (x + 31, y + 31), (150, 60, 30), -1)
    return scan


def described(scan: np.ndarray) -> np.ndarray:
    small = cv2.resize(scan, GRID.size_px, interpolation=cv2.INTER_AREA)
    return describe(small, GRID.px_per_mm, 0.45)


@pytest.mark.parametrize("scan", [woven(), draw_back()], ids=["woven", "ringed"])
def test_a_back_where_it_lies_is_like_itself_along_each_side(scan: np.ndarray) -> None:
    seen = np.ones(GRID.size_px[::-1], bool)
    rims = rims_of(described(scan), described(scan), seen, GRID)
    assert all(tells_place(rims.alike))
    assert rims.unlike == (False,) * 4
    assert not rims.contradict(rims.alike)


@pytest.mark.parametrize("threads", [1, 3, 6])
def test_a_weave_that_goes_on_beyond_a_side_is_unlike_its_rim(threads: int) -> None:
    # The picture as it shows for a placement that lies some threads too far down the card.
    shown = np.roll(woven(), -32 * threads, axis=0)
    seen = np.ones(GRID.size_px[::-1], bool)
    rims = rims_of(described(shown), described(woven()), seen, GRID)
    assert rims.unlike[0]
    assert not rims.unlike[1]
    assert not rims.unlike[3]
    assert (rims.alike[0], rims.alike[2]) == (False, False)
    assert rims.contradict(rims.alike)


def test_what_is_hidden_along_a_side_says_nothing_of_it() -> None:
    shown = np.roll(woven(), -64, axis=0)
    seen = np.ones(GRID.size_px[::-1], bool)
    seen[:20] = False
    seen[-40:] = False
    rims = rims_of(described(shown), described(woven()), seen, GRID)
    assert rims.unlike == (False,) * 4
    assert (rims.alike[0], rims.alike[2]) == (False, False)


def covered(scan: np.ndarray, *parts: tuple[slice, slice]) -> np.ndarray:
    """With something of another drawing over parts of it."""
    shown = scan.copy()
    for part in parts:
        shown[part] = (40, 160, 40)
    return shown


def test_what_lies_over_one_side_does_not_speak_against_the_place_that_the_opposite_one_bears_out() -> None:
    seen = np.ones(GRID.size_px[::-1], bool)
    one = rims_of(described(covered(woven(), np.s_[:40, :])), described(woven()), seen, GRID)
    assert one.unlike[0]
    assert one.alike[2]
    assert not one.contradict(one.alike)
    both = rims_of(described(covered(woven(), np.s_[:40, :], np.s_[-40:, :])), described(woven()), seen, GRID)
    assert both.contradict(both.alike)


def test_a_strange_side_is_forgiven_only_where_the_opposite_one_is_the_cards_own() -> None:
    rims = Rims((False,) * 4, (True, False, False, False))
    assert rims.contradict((False,) * 4)
    assert rims.contradict((True, True, False, True))
    assert not rims.contradict((False, False, True, False))
    # A neighbour's edge is not the card's own.
    assert rims.contradict(unshared((False, False, True, False), (False, False, True, False)))
    assert Rims((False,) * 4, (True, True, False, False)).contradict((False, False, True, True))


def test_blank_paper_along_a_side_is_neither_alike_nor_unlike() -> None:
    blank = np.full_like(woven(), 235)
    seen = np.ones(GRID.size_px[::-1], bool)
    assert rims_of(described(blank), described(blank), seen, GRID) == Rims((False,) * 4, (False,) * 4)
