"""Hoshi Battle's proxy cards: facts and names only.

A Hero's card stands on a light ground under an arch, a Duel card on a dark one in a frame. In the middle is a sign of the card's
own, about it as many dots as its place in its deck; at the top left the number, at the top right the cost in a coin, below
the name and the die, or the kind of Duel card. What is not known is left out. The back looks the same both ways round. Stickers
carry the symbols of the special dice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
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
    Mask,
    blank,
    blend,
    box,
    disc,
    frame,
    letters,
    ring,
    shrunk,
    star,
)
from hardware.camera.base import Image
from hardware.virtual.glyphs import stamp, text_strokes
from hardware.virtual.symbols import SYMBOLS, symbol_mask

DIE_SHAPES: Mapping[str, str] = MappingProxyType({"strike": "bolt", "charm": "moon", "shield": "shield"})
"""The symbols of the special dice, by their names in the rules, to the shapes that the project draws for them."""
_DECKS = ("hoshi-heroes", "hoshi-duels")
_INK: Bgr = (46, 36, 34)
_GOLD: Bgr = (96, 182, 222)
_KINDS: Mapping[str, Bgr] = MappingProxyType(
    {"artifact": (64, 104, 150), "power": (132, 60, 96), "legend": (96, 92, 40), "": (84, 84, 84)}
)
_MIDDLE = (CARD_MM[0] / 2, 43.0)
_SIGN_MM = 30.0
_PEN = 0.15
_NAME_MM, _LONGEST_MM = 5.2, 53.0
_STICKER_MM = 9.0
_COLUMNS, _ROWS = 6, 8


def cards() -> dict[str, dict[str, Any]]:
    """The cards by id, with their attributes: those of the built-in decks of Heroes and of Duel cards."""
    found: dict[str, dict[str, Any]] = {}
    for deck in _DECKS:
        raw = tomllib.loads((files("companion.decks") / "builtin" / f"{deck}.toml").read_text("utf-8"))
        found |= {card: {**data, "source": data.get("source", raw["source"])} for card, data in raw["card"].items()}
    return found


def draw_card(card: str, data: dict[str, Any]) -> Image:
    """A card's face. Of a card that isn't known the id tells the sign and the name."""
    is_hero = data["kind"] == "hero"
    place = [other for other, told in _known().items() if told == data["kind"]].index(card)
    colour = _hue(place * 7 % 20 * 9, 150 if is_hero else 215, 200 if is_hero else 120)
    picture = blank(PAPER)
    blend(picture, colour, box(3.2, 3.2, CARD_MM[0] - 6.4, CARD_MM[1] - 6.4, 3.0))
    if is_hero:
        blend(picture, PAPER, _arch())
    else:
        blend(picture, _GOLD, frame(5.0, 1.0))
    sign = _placed(SYMBOLS[(place if is_hero else place + 11) % len(SYMBOLS)], _MIDDLE, _SIGN_MM)
    blend(picture, _hue(place * 7 % 20 * 9, 225, 105) if is_hero else PAPER, sign)
    # Signs that repeat in the other deck, or stand in a row of hues, are told apart by the rays or dots about them.
    _surround(picture, place, _INK if is_hero else _GOLD)
    if "number" in data:
        number = int(data["number"])
        blend(picture, PAPER, box(2.6, 2.6, 15.0, 12.0, 2.4))
        letters(picture, str(number), (10.0, 8.4), 6.6, _INK, pen=0.18)
    if "cost" in data:
        at = (CARD_MM[0] - 10.0, 9.6)
        blend(picture, _INK, disc(at, 6.6))
        blend(picture, _GOLD, disc(at, 6.0))
        letters(picture, str(data["cost"]), at, 5.2, _INK, pen=0.18)
    blend(picture, PAPER, box(2.6, CARD_MM[1] - 19.6, CARD_MM[0] - 5.2, 17.0, 2.4))
    name = str(data.get("name", card)).replace("-", " ").replace("\u2019", "'").upper()
    written(picture, name, (CARD_MM[0] / 2, CARD_MM[1] - 14.6), _INK)
    if is_hero and "die" in data:
        _die(picture, int(data["die"]), (CARD_MM[0] / 2, CARD_MM[1] - 6.6))
    elif not is_hero:
        kind = str(data.get("type", ""))
        blend(picture, _KINDS[kind], box(4.6, CARD_MM[1] - 10.0, CARD_MM[0] - 9.2, 6.0, 1.6))
        written(picture, kind.upper(), (CARD_MM[0] / 2, CARD_MM[1] - 7.0), PAPER, height=3.4)
    return shrunk(picture)


def draw_back() -> Image:
    """The back of every card: four stones about a loop of string, the same both ways round."""
    picture = blank(PAPER)
    blend(picture, (70, 34, 58), box(3.2, 3.2, CARD_MM[0] - 6.4, CARD_MM[1] - 6.4, 3.0))
    middle = (CARD_MM[0] / 2, CARD_MM[1] / 2)
    for radius, thick in ((22.0, 1.6), (18.5, 0.7)):
        blend(picture, (92, 96, 226), ring(middle, radius, thick))
    blend(picture, _GOLD, star(middle, 12.0, 0.5, 8))
    blend(picture, (70, 34, 58), disc(middle, 4.0))
    for side, down in ((-1, -1), (1, 1), (1, -1), (-1, 1)):
        stone = (middle[0] + 19.0 * side, middle[1] + 31.0 * down)
        blend(picture, (206, 176, 110), disc(stone, 5.4))
        blend(picture, (240, 224, 190), disc((stone[0] - 1.4 * side, stone[1] - 1.4 * down), 1.5))
    blend(picture, _GOLD, frame(5.0, 0.7))
    return shrunk(picture)


def draw_stickers() -> Image:
    """A sheet of a card's size with the symbols of the dice, to be cut out and glued on: rows of one symbol each in turn."""
    picture = blank((255, 255, 255))
    width, height = _COLUMNS * _STICKER_MM, _ROWS * _STICKER_MM
    left, top = (CARD_MM[0] - width) / 2, (CARD_MM[1] - height) / 2
    grid: Bgr = (196, 196, 196)
    for column in range(_COLUMNS + 1):
        blend(picture, grid, box(left + column * _STICKER_MM - 0.1, top, 0.2, height, 0.0))
    for row in range(_ROWS + 1):
        blend(picture, grid, box(left, top + row * _STICKER_MM - 0.1, width, 0.2, 0.0))
    shapes = list(DIE_SHAPES.values())
    for row in range(_ROWS):
        for column in range(_COLUMNS):
            at = (left + (column + 0.5) * _STICKER_MM, top + (row + 0.5) * _STICKER_MM)
            blend(picture, _INK, _placed(shapes[row % len(shapes)], at, 0.72 * _STICKER_MM))
    return shrunk(picture)


def written(picture: Image, text: str, middle: tuple[float, float], ink: Bgr, *, height: float = _NAME_MM) -> None:
    """A text about its middle, smaller where it would be too long for the card."""
    if not text:
        return
    _, width = text_strokes(text, _PEN)
    tall = min(height, _LONGEST_MM / width)
    half = round(1.2 * tall * SCALE)
    top = round(middle[1] * SCALE) - half
    line = stamp((SIZE[0], 2 * half), text, (middle[0] * SCALE, middle[1] * SCALE - top), tall * SCALE, pen=_PEN)
    mask = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    mask[top : top + 2 * half] = line[: SIZE[1] - top]
    blend(picture, ink, mask)


@cache
def _known() -> Mapping[str, str]:
    """The cards' kinds by id, in their order."""
    return MappingProxyType({card: str(data["kind"]) for card, data in cards().items()})


def _die(picture: Image, sides: int, middle: tuple[float, float]) -> None:
    """A die's outline, with its number of sides."""
    blend(picture, _INK, star(middle, 5.2, 0.95 if sides == 8 else 0.98, 4 if sides == 8 else 5))
    letters(picture, str(sides), middle, 4.4, PAPER, pen=0.18)


def _surround(picture: Image, place: int, ink: Bgr) -> None:
    """So many dots about the sign as the card's place in its deck, from the top on."""
    for n in range(place + 1):
        turn = 2 * np.pi * n / 20
        at = (round(_MIDDLE[0] + 21.5 * float(np.sin(turn)), 2), round(_MIDDLE[1] - 21.5 * float(np.cos(turn)), 2))
        blend(picture, ink, disc(at, 1.3 if n % 5 else 2.1))


def _arch() -> Mask:
    """An arch over the sign, open below."""
    mask = ring(_MIDDLE, 26.0, 2.0).copy()
    mask[round(_MIDDLE[1] * SCALE) :] = 0
    return mask


def _placed(shape: str, middle: tuple[float, float], side_mm: float) -> Mask:
    """A shape's ink on a whole card, about its middle."""
    drawn = symbol_mask(shape)
    if drawn is None:
        raise ValueError(f"no shape is called {shape!r}")
    side = round(side_mm * SCALE)
    left, top = round(middle[0] * SCALE - side / 2), round(middle[1] * SCALE - side / 2)
    mask = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    mask[top : top + side, left : left + side] = cv2.resize(drawn, (side, side), interpolation=cv2.INTER_AREA)
    return mask


def _hue(hue: int, strength: int, light: int) -> Bgr:
    """A colour by OpenCV's hue (0 to 179), saturation and value."""
    blue, green, red = (
        int(part) for part in cv2.cvtColor(np.array([[[hue, strength, light]]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0]
    )
    return blue, green, red
