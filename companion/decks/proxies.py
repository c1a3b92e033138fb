"""Proxy cards drawn by code, so that the virtual table and a printed table need no scans: looks of the project's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import cv2
import tomli_w

from companion.decks import proxies_ahuha, proxies_hoshi_battle, proxies_hoshizora, proxies_shuhari
from companion.decks.proxy_paint import CARD_MM, PX_PER_MM
from companion.errors import BadInputError
from hardware.camera.base import Image

__all__ = [
    "BACK",
    "CARD_MM",
    "PROXY_GAMES",
    "PX_PER_MM",
    "deck_data",
    "deck_text",
    "draw_deck",
    "draw_stickers",
    "write_deck",
]

BACK = "back"


@dataclass(frozen=True, slots=True)
class _Proxies:
    """A game's proxies."""

    cards: Callable[[], dict[str, dict[str, Any]]]
    """By id, with their attributes as a deck.toml has them."""
    draw_card: Callable[[str, dict[str, Any]], Image]
    """From its id and its attributes."""
    draw_back: Callable[[], Image]
    draw_stickers: Callable[[], Image] | None = None
    """A sheet of a card's size with what is glued on other parts of the game; None where there are none."""


def _by_data(draw: Callable[[dict[str, Any]], Image]) -> Callable[[str, dict[str, Any]], Image]:
    """Of a game whose cards are told apart by their attributes alone."""
    return lambda _card, data: draw(data)


_GAMES: Mapping[str, _Proxies] = MappingProxyType(
    {
        "hoshizora": _Proxies(
            proxies_hoshizora.cards, _by_data(proxies_hoshizora.draw_card), proxies_hoshizora.draw_back
        ),
        "shuhari": _Proxies(proxies_shuhari.cards, _by_data(proxies_shuhari.draw_card), proxies_shuhari.draw_back),
        "ahuha": _Proxies(proxies_ahuha.cards, _by_data(proxies_ahuha.draw_card), proxies_ahuha.draw_back),
        "hoshi-battle": _Proxies(
            proxies_hoshi_battle.cards,
            proxies_hoshi_battle.draw_card,
            proxies_hoshi_battle.draw_back,
            proxies_hoshi_battle.draw_stickers,
        ),
    }
)


PROXY_GAMES = tuple(_GAMES)
"""Games whose cards are drawn."""


def deck_data(game: str) -> dict[str, dict[str, Any]]:
    """The proxy deck's cards by id, with their attributes. Raises BadInputError for a game without proxies."""
    return _proxies(game).cards()


def draw_deck(game: str) -> dict[str, Image]:
    """Pictures by card id, and "back": 378 x 528 px for 63 x 88 mm. Raises BadInputError for a game without proxies."""
    proxies = _proxies(game)
    pictures = {card: proxies.draw_card(card, data) for card, data in proxies.cards().items()}
    pictures[BACK] = proxies.draw_back()
    return pictures


def draw_stickers(game: str) -> Image | None:
    """A sheet of stickers of a card's size, or None. Raises BadInputError for a game without proxies."""
    draw = _proxies(game).draw_stickers
    return None if draw is None else draw()


def deck_text(game: str) -> str:
    """The proxy deck's deck.toml. Raises BadInputError for a game without proxies."""
    return "# Proxy cards drawn by hoshiban, 63 x 88 mm.\n" + tomli_w.dumps({"game": game, "card": deck_data(game)})


def write_deck(game: str, folder: Path) -> None:
    """Writes a deck directory: a scan for each card and the back, and deck.toml.

    Raises BadInputError for a game without proxies or a folder that can't be written.
    """
    text = deck_text(game)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for card, picture in draw_deck(game).items():
            packed = cv2.imencode(".png", picture)[1]
            (folder / f"{card}.png").write_bytes(packed.tobytes())
        (folder / "deck.toml").write_text(text)
    except OSError as error:
        raise BadInputError(f"deck directory {folder}: can't be written: {error.strerror}") from error


def _proxies(game: str) -> _Proxies:
    found = _GAMES.get(game)
    if found is None:
        raise BadInputError(f"proxies: no cards are drawn for game {game!r} yet; there is {', '.join(_GAMES)}")
    return found
