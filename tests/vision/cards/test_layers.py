"""Which card lies over which is asked of the picture, whatever order the cards were found in; truth is plane geometry."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_cards import CARD_MM, TABLE_MM, Drawn, Image, Laid, draw_table

from vision.cards import EnrolledDeck
from vision.cards.deck import make_reference
from vision.cards.features import Grid
from vision.cards.layers import Layers, Lying, overlap_of
from vision.cards.matching import Catalogue
from vision.cards.outlines import Placement
from vision.cards.scene import CardScene, Outlook
from vision.table import locate_table

GRID = Grid.of(*CARD_MM)


@pytest.fixture(scope="module")
def catalogue(scans: dict[str, Image]) -> Catalogue:
    references = [make_reference(scans[n], None if n == "back" else n, CARD_MM, n) for n in sorted(scans)]
    return Catalogue.of([EnrolledDeck("drawn", CARD_MM, tuple(references), "drawn")])


def lying(name: str, card: Laid, catalogue: Catalogue) -> Lying:
    wanted = None if name == "back" else name
    reference = [r.card for r in catalogue.references].index(wanted)
    width, height = GRID.size_px
    return Lying(Placement(card.x, card.y, card.angle), reference, np.ones((height, width), bool), 0.9)


def layers(drawn: Drawn, cards: list[Lying], catalogue: Catalogue) -> Layers:
    scene = CardScene.of(Outlook.of(drawn.image, locate_table(drawn.image, TABLE_MM), (), (), None))
    return Layers(scene, catalogue, cards)


def rectangle(card: Placement | Laid) -> tuple[tuple[float, float], tuple[float, float], float]:
    x, y, angle = (card.x, card.y, card.angle) if isinstance(card, Laid) else (card.x_mm, card.y_mm, card.angle_deg)
    return ((x, y), CARD_MM, angle)


def shared_area(first: Placement | Laid, second: Placement | Laid) -> float:
    """mm2, by another library function than the one under test."""
    kind, points = cv2.rotatedRectangleIntersection(rectangle(first), rectangle(second))
    return 0.0 if kind == cv2.INTERSECT_NONE else float(cv2.contourArea(cv2.convexHull(points)))


def test_an_overlap_is_what_two_rectangles_share() -> None:
    random = np.random.default_rng(5)
    for _ in range(60):
        first = Placement(200, 150, float(random.uniform(0, 360)))
        second = Placement(200 + float(random.uniform(-80, 80)), 150 + float(random.uniform(-80, 80)), 33.0)
        share = float(overlap_of(first, second, GRID).mean())
        assert share == pytest.approx(shared_area(first, second) / (CARD_MM[0] * CARD_MM[1]), abs=0.015)


@pytest.mark.parametrize("found_first", ["upper", "lower"])
@pytest.mark.parametrize("apart_mm", [25.0, 45.0])
def test_the_upper_card_hides_what_it_covers_in_whatever_order_they_were_found(
    catalogue: Catalogue, scans: dict[str, Image], found_first: str, apart_mm: float
) -> None:
    lower, upper = Laid(scans["red-3"], 200, 150, 4.0), Laid(scans["blue-9"], 200 + apart_mm, 156, -7.0)
    drawn = draw_table([lower, upper])
    cards = [lying("red-3", lower, catalogue), lying("blue-9", upper, catalogue)]
    order = [1, 0] if found_first == "upper" else [0, 1]
    seen = layers(drawn, [cards[i] for i in order], catalogue)
    below, above = order.index(0), order.index(1)
    bare = 1 - shared_area(lower, upper) / (CARD_MM[0] * CARD_MM[1])
    assert float(seen.in_sight(below, (0, 1)).mean()) == pytest.approx(bare, abs=0.02)
    assert float(seen.in_sight(above, (0, 1)).mean()) == 1.0
    assert seen.needed() == (0, 1)


def test_a_phantom_that_two_real_cards_explain_is_not_needed(catalogue: Catalogue, scans: dict[str, Image]) -> None:
    left, right = Laid(scans["back"], 170, 150), Laid(scans["back"], 233, 150)
    phantom = replace(lying("back", Laid(scans["back"], 201, 150), catalogue), quality=0.5)
    cards = [lying("back", left, catalogue), phantom, lying("back", right, catalogue)]
    assert layers(draw_table([left, right]), cards, catalogue).needed() == (0, 2)


def test_what_is_borne_out_far_less_explains_no_card_away(catalogue: Catalogue) -> None:
    # A long striped thing: a card two stripes up, and one two stripes down, show all that the one between them shows.
    rows = np.arange(int(CARD_MM[1] * 8)) / 8
    striped = np.full((len(rows), int(CARD_MM[0] * 8), 3), (60, 60, 200), np.uint8)
    striped[rows % 8 < 4] = (230, 240, 240)
    deck = EnrolledDeck("striped", CARD_MM, (make_reference(striped, "stripes", CARD_MM, "stripes"),), "striped")
    stripes = Catalogue.of([deck])
    middle, up, down = (Laid(striped, 200, y) for y in (150, 134, 166))
    drawn = draw_table([up, down])

    def kept(weak: float) -> tuple[int, ...]:
        ends = [replace(lying("stripes", card, stripes), quality=weak) for card in (up, down)]
        return layers(drawn, [replace(lying("stripes", middle, stripes), quality=0.6), *ends], stripes).needed()

    assert kept(0.7) == (1, 2)
    assert kept(0.2) == (0, 1, 2)
