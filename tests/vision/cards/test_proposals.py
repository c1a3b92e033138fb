"""Where cards are proposed in a view, by what little of their outlines shows; the truth is where they were drawn."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_cards import CARD_MM, view_with

from vision.cards.outlines import Placement, edge_map, share_along
from vision.cards.proposals import propose, propose_in_strips

GREY = np.array([0.2, 0.5, 0.3])
WIDTH_MM, HEIGHT_MM = CARD_MM


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


@pytest.mark.parametrize("noise", [8.0, 10.0, 12.0, 14.0])
@pytest.mark.parametrize("angle", [0.0, 20.0])
def test_a_card_is_proposed_where_noise_breaks_its_sides_up(angle: float, noise: float) -> None:
    card = Placement(330.0, 160.0, angle)
    edges = edge_map(view_with((155, 155, 155), card, noise), (0.0, 0.0))
    near = [p for p in propose(edges, WIDTH_MM, HEIGHT_MM) if np.hypot(p.x_mm - 330, p.y_mm - 160) < 2]
    assert near
    assert near[0].support > 0.85


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


def near_the_card(found: list[Placement], card: Placement) -> list[Placement]:
    return [
        p
        for p in found
        if np.hypot(p.x_mm - card.x_mm, p.y_mm - card.y_mm) < 2.5
        and abs((p.angle_deg - card.angle_deg + 90) % 180 - 90) < 1.5
    ]


def with_round_papers(card: Placement, papers: list[tuple[float, float, float]]) -> np.ndarray:
    """A white card and round white papers over its rim: across and down from its top left corner, and radius, mm."""
    view = view_with((230, 230, 230), card, noise=0.0)
    corners = card.corners_mm(WIDTH_MM, HEIGHT_MM)
    right, down = (corners[1] - corners[0]) / WIDTH_MM, (corners[3] - corners[0]) / HEIGHT_MM
    for x, y, radius in papers:
        middle = corners[0] + right * x + down * y - 0.5
        cv2.circle(view, (middle * 16).round().astype(int).tolist(), int(radius * 16), (230,) * 3, -1, cv2.LINE_AA, 4)
    noise = np.random.default_rng(3).normal(0, 1.5, view.shape)
    return np.clip(view + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("angle", [0.0, 20.0, 100.0])
def test_a_card_is_proposed_where_one_of_two_sides_is_covered_near_their_corner(angle: float) -> None:
    card = Placement(330.0, 160.0, angle)
    papers = [(8, 0, 8), (WIDTH_MM, 0, 22), (WIDTH_MM, HEIGHT_MM, 22), (0, HEIGHT_MM, 22)]
    edges = edge_map(with_round_papers(card, papers), (0.0, 0.0))
    assert near_the_card(propose(edges, WIDTH_MM, HEIGHT_MM), card)


@pytest.mark.parametrize("angle", [0.0, 20.0, 100.0])
def test_a_card_is_proposed_by_one_side_of_which_both_ends_show(angle: float) -> None:
    card = Placement(330.0, 160.0, angle)
    papers = [(11, 0, 8), (22, 0, 8), (11, HEIGHT_MM, 8), (22, HEIGHT_MM, 8), (63, 0, 23), (63, HEIGHT_MM, 23)]
    edges = edge_map(with_round_papers(card, papers), (0.0, 0.0))
    assert near_the_card(propose(edges, WIDTH_MM, HEIGHT_MM), card)


@pytest.mark.parametrize("angle", [0.0, 20.0, 100.0])
def test_a_card_over_one_of_its_colour_is_proposed_by_two_opposite_sides_of_which_one_ends_with_it(
    angle: float,
) -> None:
    # Round papers at both ends of the one side; the other one's lower end is the card's, and no side across shows.
    card = Placement(330.0, 160.0, angle)
    middle = WIDTH_MM / 2
    across = [(x, y, 15) for y in (0, HEIGHT_MM) for x in (middle - 8, middle + 8)]
    ends = [(0, 4, 14), (0, HEIGHT_MM - 4, 14), (WIDTH_MM, 8, 16), (WIDTH_MM - 12, HEIGHT_MM, 9)]
    edges = edge_map(with_round_papers(card, [*across, *ends]), (0.0, 0.0))
    assert near_the_card(propose(edges, WIDTH_MM, HEIGHT_MM), card)
