"""Strangers are unknown to the reader they are shown to, and harm changes the picture, not the truth."""

from __future__ import annotations

import numpy as np
import pytest

from companion.bench.cards import Shot
from companion.bench.harms import HARMS
from companion.bench.strangers import KINDS, OF_ANOTHER, OF_THE_DECK, strangers


@pytest.fixture(scope="module")
def shots() -> dict[str, Shot]:
    return {shot.kinds[0]: shot for shot in strangers(len(KINDS), 4)}


def test_every_kind_of_harm_comes_up(shots: dict[str, Shot]) -> None:
    assert set(shots) == set(KINDS)


@pytest.mark.parametrize("kind", [OF_THE_DECK, OF_ANOTHER])
def test_the_reader_was_never_shown_a_stranger(shots: dict[str, Shot], kind: str) -> None:
    shot = shots[kind]
    assert len(shot.shown) == 4
    assert not any(card.known for card in shot.shown)
    assert not {card.card for card in shot.shown if card.card is not None} & set(shot.decks[0].cards)


def test_cards_under_harm_are_known(shots: dict[str, Shot]) -> None:
    for kind in HARMS:
        assert all(card.known for card in shots[kind].shown)
        assert {card.card for card in shots[kind].shown if card.card} <= set(shots[kind].decks[0].cards)


@pytest.mark.parametrize("kind", [kind for kind in HARMS if kind not in ("clear", "small")])
def test_harm_changes_a_picture_of_cards(kind: str) -> None:
    rng = np.random.default_rng(3)
    picture = rng.integers(60, 200, (200, 160, 3)).astype(np.uint8)
    quad = np.array([(30, 30), (130, 30), (130, 170), (30, 170)], np.float64)
    harmed = HARMS[kind](picture, quad, np.random.default_rng(5))
    assert harmed.shape == picture.shape
    assert harmed.dtype == np.uint8
    assert np.abs(harmed.astype(int) - picture).mean() > 1
