"""Card-sized outlines in a view, by brightness and by colour."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_cards import CARD_MM, view_with

from vision.cards.outlines import Placement, corners_of, edge_map, outline_support, own_support, tells_place

WIDTH_MM, HEIGHT_MM = CARD_MM


def test_a_side_that_is_hidden_tells_no_place() -> None:
    card = Placement(330.0, 160.0, 0.0)
    edges = edge_map(view_with((230, 230, 230), card), (0.0, 0.0))
    free = np.ones((320, 500), bool)
    assert own_support(edges, card, (WIDTH_MM, HEIGHT_MM), free).sides == (True,) * 4
    # Both short sides out of sight: how far down it lies is told by nothing.
    free[:130] = False
    free[190:] = False
    share, weakest, sides, _ = own_support(edges, card, (WIDTH_MM, HEIGHT_MM), free)
    assert (share, weakest, sides) == (1.0, 1.0, (False, True, False, True))
    assert tells_place(sides) == (False, True)


@pytest.mark.parametrize("reach_mm", [1, 2])
@pytest.mark.parametrize("angle", [0.0, 20.0])
def test_a_side_at_which_a_hand_begins_is_unseen_and_not_missing(angle: float, reach_mm: int) -> None:
    card = Placement(330.0, 160.0, angle)
    corners = card.corners_mm(WIDTH_MM - 2 * reach_mm, HEIGHT_MM)
    usable = np.ones((320, 500), np.uint8)
    away = corners[1] - corners[0]
    hand = np.array([corners[1], corners[1] + away, corners[2] + away, corners[2]])
    cv2.fillConvexPoly(usable, hand.round().astype(np.int32), 0)
    edges = edge_map(view_with((230, 230, 230), card), (0.0, 0.0), usable > 0)
    support = own_support(edges, card, (WIDTH_MM, HEIGHT_MM), np.ones((320, 500), bool))
    assert support.share == pytest.approx(1.0, abs=0.03)
    assert support.sides == (True, False, True, True)
    assert support.firm == (True, False, True, True)


def test_a_side_that_is_missing_in_the_open_is_not_firm() -> None:
    card = Placement(330.0, 160.0, 0.0)
    edges = edge_map(view_with((230, 230, 230), card), (0.0, 0.0))
    further = Placement(350.0, 160.0, 0.0)
    support = own_support(edges, further, (WIDTH_MM, HEIGHT_MM), np.ones((320, 500), bool))
    assert support.sides == (True,) * 4
    assert (support.firm[1], support.firm[3]) == (False, False)


@pytest.mark.parametrize("noise", [10.0, 14.0, 18.0])
def test_a_side_that_is_fainter_than_the_grain_shows_by_its_steps_together(noise: float) -> None:
    card, size = Placement(330.0, 160.0, 20.0), (WIDTH_MM, HEIGHT_MM)
    free = np.ones((320, 500), bool)
    edges = edge_map(view_with((140, 140, 140), card, noise), (0.0, 0.0))
    alone = outline_support(edges, np.array([[330.0, 160.0, 20.0]]), *size)[0]
    assert alone[0] < 0.6
    assert own_support(edges, card, size, free).share > 0.95
    beside = [own_support(edges, Placement(x, 160.0, 20.0), size, free).share for x in (230.0, 250.0, 420.0)]
    assert max(beside) < 0.1


def test_half_a_side_makes_no_edge_of_the_other_half() -> None:
    view = np.full((320, 500, 3), 120, np.uint8)
    view[116:160, 298:500] = 230
    edges = edge_map(view, (0.0, 0.0))
    free = np.zeros((320, 500), bool)
    free[116:204, 298:330] = True
    # Of the left side, 88 mm long, the upper half is an edge; the lower one, but for two steps at most, isn't.
    share = own_support(edges, Placement(298 + WIDTH_MM / 2, 160.0, 0.0), (WIDTH_MM, HEIGHT_MM), free)
    assert share.weakest == 0.0
    left = 88 / 2
    assert abs(share.share * (88 + 2 * 32) - (left + 32)) < 8


def test_the_corners_of_one_placement_are_those_of_many() -> None:
    chance = np.random.default_rng(5)
    raw = chance.uniform((-20.0, -20.0, -400.0), (500.0, 320.0, 400.0), (200, 3))
    for row, corners in zip(raw.tolist(), corners_of(raw, WIDTH_MM, HEIGHT_MM), strict=True):
        np.testing.assert_allclose(Placement(*row).corners_mm(WIDTH_MM, HEIGHT_MM), corners, rtol=0, atol=1e-9)


def test_no_edge_is_seen_outside_the_view() -> None:
    card, size = Placement(330.0, 160.0, 0.0), (WIDTH_MM, HEIGHT_MM)
    edges = edge_map(view_with((230, 230, 230), card), (0.0, 0.0))
    edges.gradient[0, 0] = 100.0
    # Carried round to the far rim, each side of these outlines would lie on the card's own.
    beyond = [(330.0 - 500.0, 160.0), (330.0 + 500.0, 160.0), (330.0, 160.0 - 320.0), (330.0, 160.0 + 320.0)]
    assert outline_support(edges, np.array([(330.0, 160.0, 0.0)]), *size)[0] > 0.9
    assert (outline_support(edges, np.array([(x, y, 0.0) for x, y in beyond]), *size)[0] == 0).all()
