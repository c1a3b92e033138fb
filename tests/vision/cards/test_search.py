"""Which of several outlines at one place a faint card is tried by; the truth is where it was drawn."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_cards import CARD_MM, TABLE_MM, Laid, draw_number, draw_sign, draw_table, plain

from vision.cards import EnrolledDeck
from vision.cards.deck import make_reference
from vision.cards.identity import Thresholds
from vision.cards.matching import Catalogue
from vision.cards.outlines import Placement
from vision.cards.scene import CardScene, Outlook
from vision.cards.search import Search
from vision.table import locate_table

X_MM, Y_MM = 250.0, 160.0


@pytest.mark.parametrize("off_mm", [5.5, 7.0])
@pytest.mark.parametrize("seed", [1, 4])
def test_of_outlines_at_one_place_what_is_printed_tells_the_cards_own(seed: int, off_mm: float) -> None:
    # The rim of a card beneath, or beside it, may make a whole outline of the wrong one.
    scans = {f"sign-{n}": draw_sign(n) for n in range(6)} | {"number": draw_number("8", (40, 40, 200))}
    references = tuple(make_reference(scan, name, CARD_MM, name) for name, scan in scans.items())
    catalogue = Catalogue.of([EnrolledDeck("signs", CARD_MM, references, "signs")])
    drawn = draw_table([Laid(scans[f"sign-{seed}"], X_MM, Y_MM, 90.0)], plain(90), noise=16.0)
    scene = CardScene.of(Outlook.of(drawn.image, locate_table(drawn.image, TABLE_MM), (), (), None))
    search = Search(scene, catalogue, Thresholds())
    search._add_unknown(
        [Placement(X_MM + off_mm, Y_MM - 1, 86.0, 0.91, 0.78), Placement(X_MM + 0.5, Y_MM, 90.0, 0.9, 0.5)]
    )
    (found,) = search._settled
    assert np.hypot(found.placement.x_mm - X_MM, found.placement.y_mm - Y_MM) < 0.5
    assert references[found.identity.reference].card == f"sign-{seed}"
