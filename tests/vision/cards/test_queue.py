"""Where a card is tried for first, of outlines that are a little off; the truth is where it was drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from drawn_cards import CARD_MM, SCAN_PX_PER_MM, TABLE_MM, Image, Laid, draw_number, draw_table

from vision.cards import EnrolledDeck
from vision.cards.deck import make_reference
from vision.cards.features import Grid
from vision.cards.matching import Catalogue
from vision.cards.outlines import Placement
from vision.cards.queue import Queue
from vision.cards.scene import CardScene, Outlook
from vision.table import locate_table

GRID = Grid.of(*CARD_MM)
X_MM, Y_MM = 200.0, 150.0


def woven() -> Image:
    """A back of waves of 8 mm, both ways, here weaker and there stronger: two millimetres aside it is like nothing."""
    y, x = np.mgrid[0 : CARD_MM[1] * SCAN_PX_PER_MM, 0 : CARD_MM[0] * SCAN_PX_PER_MM] / SCAN_PX_PER_MM
    waves = np.sin(2 * np.pi * x / 8) * np.sin(2 * np.pi * y / 8) * (0.7 + 0.3 * np.sin(x / 9 + y / 13))
    return (np.array([150, 90, 90]) + waves[..., None] * (60, 80, 80)).astype(np.uint8)


@dataclass(frozen=True)
class Table:
    """On which that card lies."""

    scene: CardScene
    catalogue: Catalogue

    def queue(self, off: tuple[float, float], support: float) -> Queue:
        """Of one outline near the card, off by so much, supported so well."""
        start = Placement(X_MM + off[0], Y_MM + off[1], 0.0, support, support)
        return Queue(self.scene, self.catalogue, [start], lambda placement: self.scene.claims.visible(placement, GRID))


@pytest.fixture(scope="module")
def table() -> Table:
    back, face = woven(), draw_number("3", (40, 40, 200))
    references = (make_reference(back, None, CARD_MM, "back"), make_reference(face, "three", CARD_MM, "three"))
    drawn = draw_table([Laid(back, X_MM, Y_MM)])
    scene = CardScene.of(Outlook.of(drawn.image, locate_table(drawn.image, TABLE_MM), (), (), None))
    return Table(scene, Catalogue.of([EnrolledDeck("woven", CARD_MM, references, "woven")]))


@pytest.mark.parametrize("off", [(2.0, 2.0), (-2.0, 1.8), (0.0, 2.2), (-2.2, 0.0), (1.8, -2.0)])
def test_a_fine_drawing_is_found_beside_an_outline_that_is_off_by_a_sleeves_rim(
    table: Table, off: tuple[float, float]
) -> None:
    best = table.queue(off, 0.9).take_best()
    assert best is not None
    assert np.hypot(best.placement.x_mm - X_MM, best.placement.y_mm - Y_MM) < 0.6


def test_beside_what_is_hardly_an_outline_nothing_is_looked_for(table: Table) -> None:
    best = table.queue((2.0, 2.0), 0.5).take_best()
    assert best is None or (best.placement.x_mm, best.placement.y_mm) == (X_MM + 2, Y_MM + 2)
