"""Which card lies at a placement that was pulled onto another one; the truth is what was drawn, and where."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_cards import CARD_MM, SCAN_PX_PER_MM, TABLE_MM, Image, Laid, draw_number, draw_table, plain

from vision.cards import EnrolledDeck
from vision.cards.deck import make_reference
from vision.cards.features import Grid, in_cells
from vision.cards.identity import Thresholds, identify
from vision.cards.judging import Judge
from vision.cards.matching import Catalogue, align
from vision.cards.outlines import Placement
from vision.cards.scene import CardScene, Outlook
from vision.cards.settled import Settled
from vision.table import locate_table

X_MM, Y_MM = 250.0, 160.0
GRID = Grid.of(*CARD_MM)


def shapes(lean_mm: float) -> Image:
    """Three four-sided shapes across the card, their sides leaning by so much."""
    card = np.full((int(CARD_MM[1] * SCAN_PX_PER_MM), int(CARD_MM[0] * SCAN_PX_PER_MM), 3), (244, 248, 250), np.uint8)
    for top_mm in (10, 36, 62):
        low_mm = top_mm + 17
        corners = np.array([(18, top_mm), (45, top_mm), (45 - lean_mm, low_mm), (18 + lean_mm, low_mm)])
        cv2.fillPoly(card, [(corners * SCAN_PX_PER_MM).astype(np.int32)], (40, 140, 40), cv2.LINE_AA)
    return card


@pytest.mark.parametrize("true", ["upright", "leaning"])
@pytest.mark.parametrize("lean_mm", [2.0, 3.0, 4.0, 5.0])
def test_another_card_that_fits_is_weighed_where_it_fits_best(lean_mm: float, true: str) -> None:
    # The right half lies under something: the one card's left sides are the other's, a little aside.
    scans = {"upright": shapes(0.0), "leaning": shapes(lean_mm), "third": draw_number("8", (40, 40, 200))}
    references = tuple(make_reference(scan, name, CARD_MM, name) for name, scan in scans.items())
    catalogue = Catalogue.of([EnrolledDeck("shapes", CARD_MM, references, "shapes")])
    drawn = draw_table([Laid(scans[true], X_MM, Y_MM)], plain(60))
    pose = locate_table(drawn.image, TABLE_MM)
    scene = CardScene.of(Outlook.of(drawn.image, pose, (), (), None))
    left = np.zeros((GRID.size_px[1], GRID.size_px[0]), bool)
    left[:, : GRID.size_px[0] // 2] = True
    cells = cv2.resize(left.astype(np.uint8), (GRID.columns, GRID.rows), interpolation=cv2.INTER_AREA).ravel() > 0
    wrong = 1 if true == "upright" else 0
    start = Placement(X_MM + lean_mm / 2 * (1 - 2 * wrong), Y_MM, 0.0, 0.8, 0.5)
    aside, described = align(drawn.image, pose, start, catalogue.picture(wrong), GRID, cells)
    identity = identify(in_cells(described, GRID), catalogue, cells)
    (judged,) = Judge(scene, catalogue, Thresholds()).judged(
        [Settled(catalogue, aside, identity, 0.7, 0.95, seen=left)], []
    )
    assert judged.identity.confidence >= Thresholds().acting
    assert catalogue.references[judged.identity.reference].card == true
    assert abs(judged.placement.x_mm - X_MM) < 0.4
