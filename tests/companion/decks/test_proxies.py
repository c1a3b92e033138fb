"""Proxy cards: all there, told apart, and the back the same both ways round."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.decks.deck import load_deck
from companion.decks.proxies import CARD_MM, PX_PER_MM, deck_data, draw_deck, write_deck
from companion.errors import BadInputError
from companion.rules.cards import Provenance
from hardware.camera.base import Image


@pytest.fixture(scope="module")
def deck() -> dict[str, Image]:
    return draw_deck("hoshizora")


def test_every_card_and_a_back_is_drawn_at_card_size(deck: dict[str, Image]) -> None:
    assert set(deck) == {*deck_data("hoshizora"), "back"}
    assert len(deck) == 25
    assert {picture.shape for picture in deck.values()} == {(CARD_MM[1] * PX_PER_MM, CARD_MM[0] * PX_PER_MM, 3)}


def test_no_two_cards_look_alike_either_way_round(deck: dict[str, Image]) -> None:
    small = {
        card: cv2.resize(picture, (63, 88), interpolation=cv2.INTER_AREA).astype(int) for card, picture in deck.items()
    }
    for one, picture in small.items():
        for other, its in small.items():
            if one < other:
                assert np.abs(picture - its).mean() > 3
                assert np.abs(picture - its[::-1, ::-1]).mean() > 3


def test_faces_tell_their_top_and_the_back_does_not(deck: dict[str, Image]) -> None:
    for card, picture in deck.items():
        turned = float(np.abs(picture.astype(int) - picture[::-1, ::-1]).mean())
        assert (turned < 1.5) is (card == "back")


def test_a_written_deck_says_who_says_so(tmp_path: Path) -> None:
    write_deck("hoshizora", tmp_path)
    deck = load_deck(tmp_path)
    assert deck.game == "hoshizora"
    assert {card.source("bid") for card in deck.cards.values()} == {Provenance.INFERRED}
    assert all(8 <= int(str(card.value("bid"))) <= 24 for card in deck.cards.values())
    assert (tmp_path / "back.png").is_file()


def test_a_game_without_proxies_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="shuhari"):
        write_deck("shuhari", tmp_path)
