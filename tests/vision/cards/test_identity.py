"""How alike a card is where noise drowns what little is printed on it; the truth is what was drawn."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_cards import CARD_MM, TABLE_MM, Image, Laid, draw_sign, draw_table, plain

from vision.cards import EnrolledDeck
from vision.cards.deck import make_reference
from vision.cards.features import Grid, in_cells
from vision.cards.identity import Identity, Thresholds, identify
from vision.cards.matching import Catalogue, look_at
from vision.cards.outlines import Placement
from vision.table import locate_table

GRID = Grid.of(*CARD_MM)
EVERY_CELL = np.ones(GRID.rows * GRID.columns, bool)


def bare_sign(seed: int) -> Image:
    """A sign and no frame around it."""
    scan = draw_sign(seed)
    cv2.rectangle(scan, (0, 0), (503, 703), (244, 248, 250), 16)
    return scan


@pytest.fixture(scope="module")
def signs() -> Catalogue:
    references = tuple(make_reference(bare_sign(n), f"sign-{n}", CARD_MM, f"sign-{n}") for n in range(6))
    return Catalogue.of([EnrolledDeck("signs", CARD_MM, references, "signs")])


def seen(scan: Image, catalogue: Catalogue, noise: float) -> Identity:
    drawn = draw_table([Laid(scan, 250, 160, 8.0)], plain(90), noise=noise)
    described = look_at(drawn.image, locate_table(drawn.image, TABLE_MM), Placement(250, 160, 8.0), GRID)
    return identify(in_cells(described, GRID), catalogue, EVERY_CELL)


@pytest.mark.parametrize("sign", range(6))
def test_noise_on_bare_paper_takes_nothing_from_what_is_drawn(signs: Catalogue, sign: int) -> None:
    noisy = seen(bare_sign(sign), signs, noise=20.0)
    assert noisy.presence < Thresholds().presence
    assert noisy.drawn > 0.55
    assert signs.references[noisy.reference].card == f"sign-{sign}"


def test_bare_paper_is_like_no_drawing(signs: Catalogue) -> None:
    bare = np.full((704, 504, 3), (244, 248, 250), np.uint8)
    assert seen(bare, signs, noise=20.0).drawn < 0.3
