"""Shuhari's proxy cards.

An art card shows three rings, from the outside in the Obey, Detach and Separate suit, each in its art's colour and with its
art's sign: a flower, a fan, strings, a bowl, a brush stroke. The rank stands at the top left, the three signs in a column at
the top right; the rank alone is turned round at the bottom right. Preparation shows the four cards that are looked at, Review
a card that comes back; a stage card shows its stage's number among as many arrows. The back looks the same both ways round.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.decks.proxy_paint import (
    CARD_MM,
    PAPER,
    SCALE,
    SIZE,
    Bgr,
    blank,
    blend,
    box,
    disc,
    frame,
    letters,
    ring,
    shrunk,
    star_outline,
)
from companion.rules.shuhari.card_data import PER_RANK, RANKS, RINGS
from companion.rules.shuhari.facts import SUITS, Suit
from hardware.camera.base import Image

_COLOUR: Mapping[str, Bgr] = MappingProxyType(
    {
        Suit.IKEBANA: (158, 120, 232),
        Suit.BUYO: (206, 132, 62),
        Suit.KOTO: (64, 190, 238),
        Suit.CHADO: (96, 166, 92),
        Suit.SHODO: (112, 104, 98),
    }
)
_INK: Bgr = (52, 38, 34)
_NIGHT: Bgr = (74, 52, 40)
_GOLD: Bgr = (120, 190, 220)
_MIDDLE = (CARD_MM[0] / 2, 47.5)
_RADII = (28.0, 19.4, 10.8)
"""Outer edges of the three rings, mm."""
_SIGNS = (9, 6, 3)
"""How many signs stand on each ring."""
AIDS = 5
"""Copies of the Preparation and of the Review card."""


def cards() -> dict[str, dict[str, Any]]:
    """The cards by id, with their attributes: the offset pairs of the ranks as in the built-in deck."""
    found: dict[str, dict[str, Any]] = {}
    offsets = [(a, b) for a in range(1, PER_RANK) for b in range(1, PER_RANK) if a != b]
    for rank, (a, b) in zip(range(1, RANKS + 1), offsets, strict=True):
        for outer in range(PER_RANK):
            suits = [SUITS[(outer + step) % PER_RANK].value for step in (0, a, b)]
            rings = dict(zip(RINGS, suits, strict=True))
            sources = {"source": "inferred", "kind_source": "rulebook", "rank_source": "rulebook"}
            found[f"{rank:02d}-{'-'.join(suits)}"] = {"kind": "art", "rank": rank, **rings, **sources}
    for aid in ("preparation", "review"):
        found[aid] = {"kind": aid, "copies": AIDS, "source": "rulebook", "copies_source": "inferred"}
    for card, stage in (("stage-ha", "detach"), ("stage-ri", "separate")):
        found[card] = {"kind": "stage", "stage": stage, "source": "rulebook"}
    return dict(sorted(found.items()))


def draw_card(data: dict[str, Any]) -> Image:
    """A card's face."""
    match data["kind"]:
        case "art":
            return _draw_art(int(data["rank"]), [str(data[ring_]) for ring_ in RINGS])
        case "preparation":
            return _draw_preparation()
        case "review":
            return _draw_review()
        case _:
            return _draw_stage(2 if data["stage"] == "detach" else 3)


def draw_back() -> Image:
    """The back of every card: waves, the same both ways round."""
    picture = blank(PAPER)
    width, height = CARD_MM
    panel = box(3.2, 3.2, width - 6.4, height - 6.4, 3.0)
    blend(picture, _NIGHT, panel)
    waves = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    for row in range(-6, 7):
        for column in range(-5, 6):
            x = width / 2 + column * 11.0 + (5.5 if row % 2 else 0.0)
            for radius in (5.4, 3.6, 1.8):
                np.maximum(waves, ring((x, height / 2 + row * 7.0), radius, 0.55), out=waves)
    blend(picture, (132, 104, 84), cv2.min(waves, panel).astype(np.uint8, copy=False))
    middle = (width / 2, height / 2)
    blend(picture, _NIGHT, disc(middle, 15.0))
    for radius, suit in zip((14.2, 11.4, 8.6, 5.8, 3.0), SUITS, strict=True):
        blend(picture, _COLOUR[suit], ring(middle, radius, 1.5))
    blend(picture, _GOLD, frame(5.0, 0.6))
    return shrunk(picture)


def _draw_art(rank: int, suits: list[str]) -> Image:
    picture = blank(PAPER)
    blend(picture, (216, 232, 238), box(3.2, 3.2, CARD_MM[0] - 6.4, CARD_MM[1] - 6.4, 3.0))
    for radius, suit, signs in zip(_RADII, suits, _SIGNS, strict=True):
        blend(picture, _INK, disc(_MIDDLE, radius + 0.5))
        blend(picture, _COLOUR[suit], disc(_MIDDLE, radius))
        for n in range(signs):
            turn = 2 * np.pi * (n + 0.5) / signs
            away = radius - 4.3 if signs > 3 else radius - 5.2
            place = (round(_MIDDLE[0] + away * np.sin(turn), 2), round(_MIDDLE[1] - away * np.cos(turn), 2))
            _sign(picture, suit, place, 2.6, PAPER)
    blend(picture, PAPER, box(2.6, 2.6, 17.0, 13.0, 2.4))
    underline = rank in (6, 9)
    letters(picture, str(rank), (11.0, 8.2 if underline else 9.0), 8.4, _INK, pen=0.17, underline=underline)
    for n, suit in enumerate(suits):
        place = (CARD_MM[0] - 7.2, 7.6 + 8.0 * n)
        blend(picture, _COLOUR[suit], disc(place, 3.7))
        _sign(picture, suit, place, 2.5, PAPER)
    blend(picture, PAPER, box(CARD_MM[0] - 15.4, CARD_MM[1] - 11.4, 12.8, 8.8, 2.0))
    letters(picture, str(rank), (CARD_MM[0] - 9.0, CARD_MM[1] - 7.0), 4.8, _INK, turn_deg=180, underline=underline)
    return shrunk(picture)


def _draw_preparation() -> Image:
    """Four cards in a fan, one of them chosen."""
    picture = _dark_card((84, 92, 40))
    for n in range(4):
        x, y = 9.0 + 11.2 * n, 30.0 - (9.0 if n == 2 else 0.0)
        blend(picture, _INK, box(x - 0.6, y - 0.6, 13.2, 19.2, 1.8))
        blend(picture, _GOLD if n == 2 else PAPER, box(x, y, 12.0, 18.0, 1.6))
    letters(picture, "4", (CARD_MM[0] / 2, 66.0), 15.0, PAPER, pen=0.17)
    return shrunk(picture)


def _draw_review() -> Image:
    """A card among those put away, and the way it comes back."""
    picture = _dark_card((66, 44, 112))
    for n in range(4):
        blend(picture, _INK, box(10.4 + 2.4 * n, 50.4 - 2.0 * n, 25.2, 31.2, 2.2))
        blend(picture, (190, 204, 212) if n < 3 else _GOLD, box(11.0 + 2.4 * n, 51.0 - 2.0 * n, 24.0, 30.0, 2.0))
    arrow = np.array([(34, 40), (34, 24), (28, 24), (39, 11), (50, 24), (44, 24), (44, 40)], np.float64)
    cv2.fillPoly(picture, [_fixed(arrow)], PAPER, cv2.LINE_AA, 4)
    return shrunk(picture)


def _draw_stage(number: int) -> Image:
    """The stage's number, and an arrow for each stage gone through."""
    picture = blank((206, 222, 208) if number == 2 else (208, 206, 226))
    ink: Bgr = (70, 92, 44) if number == 2 else (92, 44, 92)
    blend(picture, ink, frame(3.0, 1.4))
    letters(picture, str(number), (CARD_MM[0] / 2, 46.0), 30.0, ink, pen=0.18)
    for n in range(number - 1):
        x = CARD_MM[0] / 2 + 13.0 * (n - (number - 2) / 2)
        tip = np.array(
            [(x - 5, 18), (x, 9), (x + 5, 18), (x + 2, 18), (x + 2, 24), (x - 2, 24), (x - 2, 18)], np.float64
        )
        cv2.fillPoly(picture, [_fixed(tip)], ink, cv2.LINE_AA, 4)
    return shrunk(picture)


def _dark_card(colour: Bgr) -> Image:
    picture = blank(PAPER)
    blend(picture, colour, box(3.2, 3.2, CARD_MM[0] - 6.4, CARD_MM[1] - 6.4, 3.0))
    blend(picture, _GOLD, frame(5.0, 0.6))
    return picture


def _sign(picture: Image, suit: str, place: tuple[float, float], reach: float, ink: Bgr) -> None:
    """An art's sign about its middle, within `reach` mm."""
    x, y = place
    match suit:
        case Suit.IKEBANA:
            outlines = [star_outline(place, reach, 0.55, 5)]
        case Suit.BUYO:
            turns = np.radians(np.linspace(-60, 60, 13))
            edge = np.stack([x + 1.9 * reach * np.sin(turns), y + 0.9 * reach - 1.9 * reach * np.cos(turns)], axis=1)
            outlines = [_fixed(np.vstack([edge, [(x, y + 0.9 * reach)]]))]
        case Suit.KOTO:
            string = np.array([(-0.14, -1.0), (0.14, -1.0), (0.14, 1.0), (-0.14, 1.0)]) * reach + np.array(place)
            outlines = [_fixed(string + np.array([step * reach, 0.0])) for step in (-0.62, 0.0, 0.62)]
        case Suit.CHADO:
            turns = np.radians(np.linspace(0, 180, 15))
            edge = np.stack([x + reach * np.cos(turns), y - 0.3 * reach + reach * np.sin(turns)], axis=1)
            outlines = [_fixed(edge)]
        case _:
            slant = [(-0.9, 0.7), (0.5, -0.95), (0.95, -0.5), (-0.3, 0.95)]
            outlines = [_fixed(np.array([(x + u * reach, y + v * reach) for u, v in slant]))]
    cv2.fillPoly(picture, outlines, ink, cv2.LINE_AA, 4)


def _fixed(outline: NDArray[np.float64]) -> NDArray[np.int32]:
    """A shape's corners, mm, in sixteenths of a fine pixel."""
    return np.round((outline * SCALE - 0.5) * 16).astype(np.int32).reshape(-1, 1, 2)
