"""Decks drawn by code: whole, of the size they say, and no two cards of one deck alike."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
import pytest

from companion.errors import BadInputError
from companion.virtual.styles import STYLES, style


@pytest.mark.parametrize("name", STYLES)
def test_a_deck_has_a_back_and_cards_of_its_size_of_which_no_two_are_alike(name: str) -> None:
    deck, (short, long) = style(name).draw(), style(name).card_mm
    assert "back" in deck
    assert len(deck) >= 15
    small = {}
    for card, picture in deck.items():
        assert min(picture.shape[:2]) / max(picture.shape[:2]) == pytest.approx(short / long, rel=0.01)
        small[card] = cv2.resize(picture, (63, 88), interpolation=cv2.INTER_AREA).astype(int)
    for one, other in itertools.combinations(small, 2):
        # In 1 mm squares: a figure of 4 mm changes several of them by far more than print does.
        assert np.count_nonzero(np.abs(small[one] - small[other]).max(axis=2) > 40) >= 4, (one, other)


def test_the_same_deck_is_drawn_each_time() -> None:
    one, other = STYLES["fantasy"].draw(), STYLES["fantasy"].draw()
    assert all(np.array_equal(one[card], other[card]) for card in one)


def test_an_unknown_style_is_named_with_those_there_are() -> None:
    with pytest.raises(BadInputError, match=r"'oil'.*abstract"):
        style("oil")
