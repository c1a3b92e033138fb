"""Ahuha Ahukaha's proxy cards.

A star card shows its star on a night sky: as large as its size, in its light's colour, with a number of rays for each part of the
sky. The number stands at the top left under the star of one point; cards with a second icon have two stars at the bottom right.
The three attributes are a row of signs below. The back looks the same both ways round.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import cv2
import numpy as np

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
    gradient,
    letters,
    ring,
    shrunk,
    star,
)
from companion.rules.ahuha.effects import ATTRIBUTES
from hardware.camera.base import Image

_LIGHT: Mapping[str, Bgr] = MappingProxyType(
    {
        "sora": (238, 196, 120),
        "siro": (250, 250, 246),
        "kiku": (160, 236, 252),
        "ihanu": (84, 206, 250),
        "tachibana": (62, 148, 246),
        "momiji": (70, 72, 222),
    }
)
_SKY: Mapping[str, tuple[Bgr, Bgr]] = MappingProxyType(
    {
        "january": ((92, 44, 30), (58, 26, 20)),
        "april": ((70, 84, 34), (44, 52, 22)),
        "july": ((104, 40, 76), (62, 24, 46)),
        "october": ((46, 62, 98), (28, 36, 58)),
        "south": ((96, 88, 22), (54, 50, 16)),
    }
)
_INK: Bgr = (44, 34, 30)
_GOLD: Bgr = (110, 190, 226)
_MIDDLE = (CARD_MM[0] / 2, 43.0)
_RADII = (8.5, 11.5, 14.5, 18.0, 22.0)
"""Of the star, mm, by its size from small on."""


def cards() -> dict[str, dict[str, Any]]:
    """The cards by id, with their attributes: those of the built-in deck."""
    raw = tomllib.loads((files("companion.decks") / "builtin" / "ahuha.toml").read_text("utf-8"))
    return {card: {**data, "source": data.get("source", raw["source"])} for card, data in raw["card"].items()}


def draw_card(data: dict[str, Any]) -> Image:
    """A card's face."""
    match data.get("kind", "star"):
        case "asita":
            return _draw_helper((70, 60, 150), 1)
        case "yono-tigiri":
            return _draw_helper((60, 110, 60), 2)
        case _:
            return _draw_star(data)


def draw_back() -> Image:
    """The back of every card: the river of stars between two, the same both ways round."""
    picture = blank(PAPER)
    width, height = CARD_MM
    panel = box(3.2, 3.2, width - 6.4, height - 6.4, 3.0)
    blend(picture, (78, 40, 34), panel)
    middle = (width / 2, height / 2)
    rng = np.random.default_rng(7)
    for x, y, size in zip(rng.uniform(-24, 24, 70), rng.uniform(0, 37, 70), rng.uniform(0.5, 1.3, 70), strict=True):
        bent = x * 0.5 + y * 0.35
        for turn in (1, -1):
            place = (round(middle[0] + turn * x, 2), round(middle[1] + turn * (bent * 0.7 + y * 0.5), 2))
            blend(picture, (206, 178, 150), disc(place, round(float(size), 2)))
    for turn in (1, -1):
        place = (middle[0] + turn * 15.0, middle[1] - turn * 27.0)
        blend(picture, _GOLD, ring(place, 9.0, 0.9))
        blend(picture, PAPER, star(place, 7.0, 0.34, 8))
    blend(picture, _GOLD, frame(5.0, 0.7))
    return shrunk(picture)


def _draw_star(data: dict[str, Any]) -> Image:
    picture = blank(PAPER)
    arika, kesiki, sugata = (str(data[name]) for name in ATTRIBUTES)
    sky = gradient(*_SKY[arika])
    blend(picture, sky, box(3.2, 3.2, CARD_MM[0] - 6.4, CARD_MM[1] - 6.4, 3.0))
    number = int(data["number"])
    _constellation(picture, number)
    radius = _RADII[ATTRIBUTES["sugata"].index(sugata)]
    points = 4 + ATTRIBUTES["arika"].index(arika)
    blend(picture, _LIGHT[kesiki], star(_MIDDLE, radius, 0.42, points))
    blend(picture, PAPER, disc(_MIDDLE, round(radius * 0.26, 2)))
    blend(picture, PAPER, box(2.6, 2.6, 16.4, 21.0, 2.4))
    blend(picture, _INK, star((10.8, 7.2), 3.6, 0.42))
    letters(picture, str(number), (10.8, 16.6), 8.0, _INK, pen=0.18, underline=number in (6, 9))
    if data.get("two_point"):
        blend(picture, PAPER, box(CARD_MM[0] - 22.0, CARD_MM[1] - 12.2, 19.4, 9.6, 2.4))
        for x in (CARD_MM[0] - 16.8, CARD_MM[0] - 7.8):
            blend(picture, _INK, star((x, CARD_MM[1] - 7.4), 3.6, 0.42))
    _attributes(picture, arika, kesiki, sugata)
    return shrunk(picture)


def _constellation(picture: Image, number: int) -> None:
    """Small stars about the large one, of each card its own, joined by a line."""
    rng = np.random.default_rng(100 + number)
    turns = np.sort(rng.uniform(0, 2 * np.pi, 7))
    away = rng.uniform(0.78, 1.0, 7)
    spots = np.stack([_MIDDLE[0] + 25.5 * away * np.sin(turns), _MIDDLE[1] - 32.0 * away * np.cos(turns)], axis=1)
    line = np.round((spots * SCALE - 0.5) * 16).astype(np.int32).reshape(-1, 1, 2)
    mask = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    cv2.polylines(mask, [line], False, 255, round(0.5 * SCALE), cv2.LINE_AA, 4)
    blend(picture, (150, 134, 120), mask)
    for (x, y), size in zip(spots, rng.uniform(1.0, 2.2, 7), strict=True):
        blend(picture, PAPER, disc((round(float(x), 2), round(float(y), 2)), round(float(size), 2)))


def _attributes(picture: Image, arika: str, kesiki: str, sugata: str) -> None:
    """A row of three signs: the place in the year, the light's colour, the size."""
    top = CARD_MM[1] - 21.5
    blend(picture, PAPER, box(2.6, top, 38.6, 18.9, 2.4))
    year = (9.6, top + 9.4)
    blend(picture, _SKY[arika][0], disc(year, 5.4))
    turn = 2 * np.pi * ATTRIBUTES["arika"].index(arika) / len(ATTRIBUTES["arika"])
    hand = (round(year[0] + 3.2 * float(np.sin(turn)), 2), round(year[1] - 3.2 * float(np.cos(turn)), 2))
    blend(picture, PAPER, disc(hand, 1.7))
    light = (22.0, top + 9.4)
    blend(picture, _INK, disc(light, 5.4))
    blend(picture, _LIGHT[kesiki], disc(light, 4.7))
    for n in range(len(ATTRIBUTES["sugata"])):
        is_there = n <= ATTRIBUTES["sugata"].index(sugata)
        size = 2.4 + 2.6 * n
        blend(picture, _INK if is_there else (196, 206, 210), box(29.4 + 2.2 * n, top + 16.4 - size, 1.6, size, 0.3))


def _draw_helper(colour: Bgr, stars: int) -> Image:
    """A card that is no star: as many of them as it stands for, under a bridge."""
    picture = blank(PAPER)
    blend(picture, colour, box(3.2, 3.2, CARD_MM[0] - 6.4, CARD_MM[1] - 6.4, 3.0))
    blend(picture, _GOLD, frame(5.0, 0.7))
    for radius in (24.0, 20.0):
        arch = ring((CARD_MM[0] / 2, 66.0), radius, 1.8).copy()
        arch[round(66.0 * SCALE) :] = 0
        blend(picture, PAPER, arch)
    for n in range(stars):
        x = CARD_MM[0] / 2 + 19.0 * (n - (stars - 1) / 2)
        blend(picture, _GOLD if n else PAPER, star((x, 24.0), 9.0, 0.4))
    return shrunk(picture)
