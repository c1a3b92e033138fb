"""Proxy cards: all there, told apart, and the back the same both ways round."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.decks.deck import builtin_deck, load_deck
from companion.decks.proxies import CARD_MM, PX_PER_MM, deck_data, draw_deck, draw_stickers, write_deck
from companion.errors import BadInputError
from companion.rules.cards import Provenance
from hardware.camera.base import Image

GAMES = {"hoshizora": 25, "shuhari": 65, "ahuha": 24, "hoshi-battle": 41}
"""Pictures of each game's proxies."""


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def deck(game: str) -> dict[str, Image]:
    return draw_deck(game)


def test_every_card_and_a_back_is_drawn_at_card_size(game: str, deck: dict[str, Image]) -> None:
    assert set(deck) == {*deck_data(game), "back"}
    assert len(deck) == GAMES[game]
    assert {picture.shape for picture in deck.values()} == {(CARD_MM[1] * PX_PER_MM, CARD_MM[0] * PX_PER_MM, 3)}


def test_no_two_cards_look_alike_either_way_round(deck: dict[str, Image]) -> None:
    small = np.stack([cv2.resize(picture, (63, 88), interpolation=cv2.INTER_AREA) for picture in deck.values()])
    small = small.astype(np.int16)
    for n, picture in enumerate(small[1:], start=1):
        assert np.abs(small[:n] - picture).mean(axis=(1, 2, 3)).min() > 3
        assert np.abs(small[:n] - picture[::-1, ::-1]).mean(axis=(1, 2, 3)).min() > 3


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


def test_shuharis_proxies_show_what_the_built_in_deck_says(tmp_path: Path) -> None:
    write_deck("shuhari", tmp_path)
    deck, builtin = load_deck(tmp_path), builtin_deck("shuhari")
    assert set(deck.cards) == set(builtin.cards)
    for card, data in builtin.cards.items():
        for name in ("kind", "rank", "obey", "detach", "separate", "stage"):
            assert deck.cards[card].value(name) == data.value(name)
        assert deck.cards[card].copies == data.copies


def test_a_game_without_proxies_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="'chess'"):
        write_deck("chess", tmp_path)


def test_hoshi_battles_proxies_are_the_two_built_in_decks(tmp_path: Path) -> None:
    write_deck("hoshi-battle", tmp_path)
    deck, builtin = load_deck(tmp_path), builtin_deck("hoshi-battle")
    assert dict(deck.cards) == dict(builtin.cards)


def test_stickers_carry_each_symbol_of_the_dice_and_other_games_have_none() -> None:
    sheet = draw_stickers("hoshi-battle")
    assert sheet is not None
    assert sheet.shape == (CARD_MM[1] * PX_PER_MM, CARD_MM[0] * PX_PER_MM, 3)
    rows = [sheet[round(PX_PER_MM * (8 + 9 * row)) : round(PX_PER_MM * (17 + 9 * row))] for row in range(4)]
    differences = [np.abs(rows[0].astype(int) - row).mean() for row in rows[1:]]
    assert min(differences[:2]) > 5
    assert differences[2] == 0
    assert draw_stickers("shuhari") is None
