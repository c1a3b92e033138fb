"""Placements of one spot are one: which are kept is what comparing each with all that are kept gives."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.cards.outlines import Placement, edge_map, outline_support
from vision.cards.places import distinct, same_spot
from vision.cards.proposals import propose, propose_from_ends, propose_in_strips

CARD_MM = (63.0, 88.0)


def compared_with_all(placements: list[Placement]) -> list[Placement]:
    kept: list[Placement] = []
    for one in placements:
        if not any(same_spot(other, one.x_mm, one.y_mm, one.angle_deg) for other in kept):
            kept.append(one)
    return kept


def crowded(seed: int, cards: int, grain: float) -> np.ndarray:
    """Cards of many colours over each other in grain and a lamp's slope, 1 px/mm."""
    chance = np.random.default_rng(seed)
    view = np.full((420, 700, 3), chance.integers(30, 110, 3), np.uint8)
    for _ in range(cards):
        x, y, angle = chance.uniform((40, 40, 0), (660, 380, 180))
        corners = (Placement(x, y, angle).corners_mm(*CARD_MM) - 0.5).round().astype(np.int32)
        cv2.fillConvexPoly(view, corners, chance.integers(60, 250, 3).tolist())
        cv2.polylines(view, [corners], True, chance.integers(0, 250, 3).tolist(), 2)
    slope = np.linspace(0.5, 1.0, view.shape[1])[None, :, None]
    return np.clip(view * slope + chance.normal(0, grain, view.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("seed", "cards", "grain"), [(1, 24, 3.0), (2, 24, 9.0), (3, 40, 6.0)])
def test_what_is_proposed_in_a_crowded_view_is_what_comparing_all_with_all_keeps(
    seed: int, cards: int, grain: float
) -> None:
    edges = edge_map(crowded(seed, cards, grain), (-12.0, -12.0))
    raw = np.concatenate([propose_from_ends(edges, *CARD_MM), propose_in_strips(edges, *CARD_MM)])
    support, weakest = outline_support(edges, raw, *CARD_MM)
    order = np.argsort(-support, kind="stable")[:2500]
    placements = [Placement(*row) for row in np.column_stack([raw, support, weakest])[order].tolist()]
    kept = distinct(placements)
    assert kept == compared_with_all(placements)
    assert 100 < len(kept) < len(placements)
    proposed = propose(edges, *CARD_MM)
    assert len(proposed) > 100
    assert proposed == compared_with_all(proposed)


def test_spots_are_told_apart_across_the_squares_of_a_lattice_and_across_a_half_turn() -> None:
    chance = np.random.default_rng(7)
    near = chance.choice([-2.5, -2.4999, 0.0, 2.4999, 2.5], (3000, 2)) + chance.integers(-2, 3, (3000, 2)) * 2.5
    turns = chance.choice([0.0, 1.0, 3.99, 4.0, 176.0, 176.01, 179.9], 3000)
    placements = [Placement(float(x), float(y), float(angle)) for (x, y), angle in zip(near, turns, strict=True)]
    assert distinct(placements) == compared_with_all(placements)
