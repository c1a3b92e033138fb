"""Hoshizora's proxy cards.

A night sky in the card's colour, the number large on a moon, a constellation of as many stars as the number says. The
corners tell which way up the card lies: number over S or L at the top left, the bid in a star at the bottom left, the
number turned round at the bottom right. The back looks the same both ways round.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
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
    star_outline,
)
from hardware.camera.base import Image

_SKY: dict[str, tuple[Bgr, Bgr]] = {
    "red": ((44, 30, 96), (62, 66, 196)),
    "blue": ((84, 40, 26), (190, 124, 50)),
}
"""Sky at the top and at the horizon."""
_INK: dict[str, Bgr] = {"red": (44, 34, 168), "blue": (140, 62, 22)}

NUMBERS = range(1, 13)
COLOURS = ("red", "blue")

_BIDS: dict[str, tuple[int, ...]] = {
    "red": (8, 14, 20, 11, 17, 23, 9, 15, 21, 12, 18, 24),
    "blue": (16, 10, 22, 19, 13, 8, 24, 18, 12, 21, 15, 9),
}
"""Bids of our proxies by number: the range that games end in, small and large ones in both halves of both colours."""


def cards() -> dict[str, dict[str, Any]]:
    """The cards by id, with their attributes."""
    return {
        f"{colour}-{n:02d}": {
            "colour": colour,
            "number": n,
            "bid": _BIDS[colour][n - 1],
            "source": "rulebook",
            "bid_source": "inferred",
        }
        for colour in COLOURS
        for n in NUMBERS
    }


def draw_card(data: dict[str, Any]) -> Image:
    """A card's face."""
    return _draw_face(str(data["colour"]), int(data["number"]), int(data["bid"]))


def _draw_face(colour: str, number: int, bid: int) -> Image:
    picture = _sky(colour).copy()
    ink = _INK[colour]
    _starfield(picture, number + (100 if colour == "blue" else 0))
    _constellation(picture, number, colour)
    middle = (CARD_MM[0] / 2, CARD_MM[1] * 0.46)
    blend(picture, (222, 236, 242), disc(middle, 17.5))
    blend(picture, (206, 224, 234), ring(middle, 16.2, 0.35))
    underline = number in (6, 9)
    # The underline belongs to the figure: both together stand in the moon's middle.
    place = (middle[0], middle[1] - 2.6) if underline else middle
    letters(picture, str(number), place, 16.5 if underline else 20.0, ink, pen=0.17, underline=underline)
    _corner(picture, number, ink)
    _bid_star(picture, bid, ink)
    return shrunk(picture)


@cache
def _sky(colour: str) -> Image:
    """Paper with the evening sky on it; not to be painted on."""
    picture = blank(PAPER)
    margin = 3.2
    panel = box(margin, margin, CARD_MM[0] - 2 * margin, CARD_MM[1] - 2 * margin, 3.0)
    blend(picture, gradient(*_SKY[colour]), panel)
    return picture


def _corner(picture: Image, number: int, ink: Bgr) -> None:
    """The number over S or L at the top left, the number alone turned round at the bottom right."""
    width, height = CARD_MM
    blend(picture, PAPER, box(2.0, 2.0, 12.8, 19.4, 2.4))
    half = "S" if number <= 6 else "L"
    underline = number in (6, 9)
    letters(picture, str(number), (8.2, 7.4), 5.4, ink, underline=underline)
    blend(picture, ink, disc((8.2, 16.8), 3.2))
    letters(picture, half, (8.2, 16.8), 3.5, PAPER, pen=0.2)
    blend(picture, PAPER, box(width - 14.8, height - 13.2, 12.8, 11.2, 2.4))
    letters(picture, str(number), (width - 8.2, height - 7.4), 5.4, ink, turn_deg=180, underline=underline)


def _bid_star(picture: Image, bid: int, ink: Bgr) -> None:
    middle = (12.6, CARD_MM[1] - 12.4)
    blend(picture, (92, 196, 246), star(middle, 9.0, 0.58))
    blend(picture, (214, 240, 252), star(middle, 7.6, 0.58))
    letters(picture, str(bid), (middle[0], middle[1] + 0.3), 4.0, ink, pen=0.19)


def _starfield(picture: Image, seed: int) -> None:
    rng = np.random.default_rng((seed, 17))
    for x, y, radius in rng.uniform((5, 5, 0.15), (CARD_MM[0] - 5, CARD_MM[1] - 5, 0.45), (46, 3)):
        place = (round((x * SCALE - 0.5) * 16), round((y * SCALE - 0.5) * 16))
        cv2.circle(picture, place, round(radius * SCALE * 16), (190, 206, 214), -1, cv2.LINE_AA, 4)


def _constellation(picture: Image, number: int, colour: str) -> None:
    """As many joined stars as the number, on a winding path round the moon."""
    rng = np.random.default_rng((number, 23 if colour == "red" else 29))
    start = float(rng.uniform(0, 360))
    turns = np.radians(start + np.arange(number) * (330.0 / max(number, 5)))
    radii = rng.uniform(0.86, 1.12, number)
    places = np.stack(
        [CARD_MM[0] / 2 + 22.6 * radii * np.cos(turns), CARD_MM[1] * 0.47 + 29.0 * radii * np.sin(turns)], axis=1
    )
    places = np.clip(places, (8.0, 8.0), (CARD_MM[0] - 8.0, CARD_MM[1] - 8.0))
    fixed = np.round(places * SCALE * 16).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(picture, [fixed], False, (206, 222, 230), round(0.4 * SCALE), cv2.LINE_AA, 4)
    for x, y in places:
        cv2.fillPoly(picture, [star_outline((float(x), float(y)), 2.3, 0.45, 5)], (236, 246, 250), cv2.LINE_AA, 4)


def draw_back() -> Image:
    """The back of every card."""
    picture = blank(PAPER)
    width, height = CARD_MM
    panel = box(3.2, 3.2, width - 6.4, height - 6.4, 3.0)
    blend(picture, (66, 62, 28), panel)
    lattice = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    for (x, y), (u, v) in _lattice():
        a, b = (round(x * SCALE * 16), round(y * SCALE * 16)), (round(u * SCALE * 16), round(v * SCALE * 16))
        cv2.line(lattice, a, b, 255, round(0.45 * SCALE), cv2.LINE_AA, 4)
    blend(picture, (118, 116, 62), cv2.min(lattice, panel).astype(np.uint8, copy=False))
    middle = (width / 2, height / 2)
    blend(picture, (66, 62, 28), disc(middle, 16.0))
    blend(picture, (120, 196, 226), ring(middle, 15.2, 0.7))
    blend(picture, (120, 196, 226), star(middle, 12.5, 0.42, 8))
    blend(picture, (66, 62, 28), star(middle, 8.0, 0.42, 8))
    blend(picture, (206, 232, 242), disc(middle, 2.2))
    for x in (10.2, width - 10.2):
        for y in (10.2, height - 10.2):
            blend(picture, (66, 62, 28), disc((x, y), 4.6))
            blend(picture, (120, 196, 226), star((x, y), 3.9, 0.4, 4))
    blend(picture, (120, 196, 226), frame(5.0, 0.5))
    return shrunk(picture)


def _lattice() -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Crossing diagonals through the middle, the same both ways round."""
    width, height = CARD_MM
    for n in range(-12, 13):
        shift = n * 9.0
        for lean in (1, -1):
            x = width / 2 + shift
            yield (x - lean * height, -height / 2), (x + lean * height, 1.5 * height)
