"""Card-sized outlines in a view, by brightness and by colour."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.cards.outlines import (
    Placement,
    edge_map,
    outline_support,
    own_support,
    propose,
    propose_in_strips,
    share_along,
    tells_place,
)

GREY = np.array([0.2, 0.5, 0.3])
WIDTH_MM, HEIGHT_MM = 63.0, 88.0


def view_with(colour: tuple[int, int, int], place: Placement, noise: float = 1.5) -> np.ndarray:
    """A grey ground, two large things in red and in green that are as bright, and a card in one colour."""
    view = np.full((320, 500, 3), 120, np.float32)
    view[20:120, 20:160] = (120, 84, 180)
    view[200:300, 20:160] = (120, 156, 60)
    corners = place.corners_mm(WIDTH_MM, HEIGHT_MM) - 0.5
    cv2.fillConvexPoly(view, (corners * 16).round().astype(np.int32), colour, cv2.LINE_AA, shift=4)
    view += np.random.default_rng(3).normal(0, noise, view.shape)
    return np.clip(view, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("angle", [0.0, 25.0, 104.0])
@pytest.mark.parametrize(
    "colour",
    [(120, 78, 190), (120, 162, 50), (195, 102, 100), (60, 132, 140)],
    ids=["redder", "greener", "bluer", "yellower"],
)
def test_a_card_as_bright_as_the_ground_is_outlined_by_either_direction_of_colour(
    colour: tuple[int, int, int], angle: float
) -> None:
    assert abs(np.array(colour) @ GREY - 120) < 1
    card = Placement(330.0, 160.0, angle)
    edges = edge_map(view_with(colour, card), (0.0, 0.0))
    found = propose(edges, WIDTH_MM, HEIGHT_MM)
    near = [
        p for p in found if np.hypot(p.x_mm - 330, p.y_mm - 160) < 2 and abs((p.angle_deg - angle + 90) % 180 - 90) < 1
    ]
    assert near
    assert near[0].support > 0.9


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


@pytest.mark.parametrize("noise", [8.0, 10.0, 12.0, 14.0])
@pytest.mark.parametrize("angle", [0.0, 20.0])
def test_a_card_is_proposed_where_noise_breaks_its_sides_up(angle: float, noise: float) -> None:
    card = Placement(330.0, 160.0, angle)
    edges = edge_map(view_with((155, 155, 155), card, noise), (0.0, 0.0))
    near = [p for p in propose(edges, WIDTH_MM, HEIGHT_MM) if np.hypot(p.x_mm - 330, p.y_mm - 160) < 2]
    assert near
    assert near[0].support > 0.85


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


@pytest.mark.parametrize("angle", [0.0, 17.0, 90.0])
@pytest.mark.parametrize("along_mm", [-9.0, 0.0, 8.0])
def test_a_card_of_which_two_sides_show_between_others_is_proposed_along_them(angle: float, along_mm: float) -> None:
    # Paper of the same white over both ends, more of the one than of the other.
    card = Placement(330.0, 160.0, angle)
    view = view_with((230, 230, 230), card)
    apart = np.ones(view.shape[:2], np.uint8)
    down = np.array([-np.sin(np.radians(angle)), np.cos(np.radians(angle))])
    for way in (-1, 1):
        x, y = (330.0, 160.0) + way * down * (62 + way * along_mm)
        sheet = Placement(x, y, angle + 90).corners_mm(WIDTH_MM, HEIGHT_MM)
        cv2.fillConvexPoly(view, (sheet - 0.5).round().astype(np.int32), (230, 230, 230))
        cv2.fillConvexPoly(apart, (sheet - 0.5).round().astype(np.int32), 0)
    apart = cv2.erode(apart, np.ones((9, 9), np.uint8)) > 0
    edges = edge_map(view, (0.0, 0.0))
    found = propose_in_strips(edges, WIDTH_MM, HEIGHT_MM)
    gaps = np.hypot(*(found[:, :2] - (330.0, 160.0)).T) + np.abs((found[:, 2] - angle + 90) % 180 - 90)
    assert gaps.min() < 3.0
    assert share_along(edges, found, (WIDTH_MM, HEIGHT_MM), apart)[gaps.argmin()] > 0.9
    nothing = np.zeros_like(apart)
    assert share_along(edges, found, (WIDTH_MM, HEIGHT_MM), nothing).max() == 0.0
