"""Placements pulled onto references from afar; what a pull needs of a reference is kept from one to the next."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from drawn_cards import CARD_MM, TABLE_MM, Laid, draw_picture, draw_table

from vision.cards import matching
from vision.cards.deck import EnrolledDeck, make_reference
from vision.cards.matching import Catalogue, align_roughly
from vision.cards.outlines import Placement
from vision.cards.scene import CardScene, Outlook
from vision.table import locate_table

SCANS = {f"p{seed}": draw_picture(seed) for seed in (1, 2, 3)}


def catalogue() -> Catalogue:
    references = tuple(make_reference(scan, name, CARD_MM, name) for name, scan in SCANS.items())
    return Catalogue.of([EnrolledDeck("drawn", CARD_MM, references, "drawn")])


def test_pulls_are_the_same_whatever_was_pulled_before_and_no_more_is_kept_than_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laid = [Laid(scan, x, 160.0, 7.0) for scan, x in zip(SCANS.values(), (100.0, 240.0, 380.0), strict=True)]
    image = draw_table(laid).image
    scene = CardScene.of(Outlook.of(image, locate_table(image, TABLE_MM), (), (), None))
    origin, starts = scene.claims.origin_mm, [Placement(card.x + 2.0, card.y - 2.0, card.angle + 2.0) for card in laid]

    def pulled(known: Catalogue, start: Placement, reference: int) -> tuple[Placement, float]:
        return align_roughly(scene.view, origin, start, known, reference, np.ones(len(known.coarse[0]), bool))

    each = list(itertools.product(starts, range(len(SCANS))))
    alone = [pulled(catalogue(), *one) for one in each]
    for most in (2, 3, 100):
        monkeypatch.setattr(matching, "_MOST_SYSTEMS", most)
        shared = catalogue()
        assert [pulled(shared, *one) for one in each] == alone
        assert len(shared.systems) == min(most, 2 * len(SCANS))
    # Each is pulled to where it lies by its own card.
    for card, (placement, like) in zip(laid, alone[:: len(SCANS) + 1], strict=True):
        assert (placement.x_mm, placement.y_mm) == pytest.approx((card.x, card.y), abs=0.5)
        assert like > 0.6
