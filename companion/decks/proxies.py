"""Proxy cards drawn by code, so that the virtual table and a printed table need no scans: a look of the project's own.

A night sky in the card's colour, the number large on a moon, a constellation of as many stars as the number says. The
corners tell which way up the card lies: number over S or L at the top left, the bid in a star at the bottom left, the
number turned round at the bottom right. The back looks the same both ways round.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import tomli_w
from numpy.typing import NDArray

from companion.errors import BadInputError
from hardware.camera.base import Image
from hardware.virtual.glyphs import stamp
from hardware.virtual.paint import rounded_box

PX_PER_MM = 6
CARD_MM = (63, 88)
BACK = "back"

Bgr = tuple[int, int, int]
Mask = NDArray[np.uint8]

_OVER = 2
"""Cards are drawn this much finer and shrunk."""
_SCALE = PX_PER_MM * _OVER
_SIZE = (CARD_MM[0] * _SCALE, CARD_MM[1] * _SCALE)

_PAPER: Bgr = (232, 242, 245)
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


def deck_data(game: str) -> dict[str, dict[str, Any]]:
    """The proxy deck's cards by id, with their attributes.

    Raises BadInputError for a game without proxies.
    """
    if game != "hoshizora":
        raise BadInputError(f"proxies: no cards are drawn for game {game!r} yet; hoshizora is there")
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


def draw_deck(game: str) -> dict[str, Image]:
    """Pictures by card id, and "back": 378 x 528 px for 63 x 88 mm. Raises BadInputError for a game without proxies."""
    pictures = {
        card: _draw_card(str(data["colour"]), int(data["number"]), int(data["bid"]))
        for card, data in deck_data(game).items()
    }
    pictures[BACK] = _draw_back()
    return pictures


def write_deck(game: str, folder: Path) -> None:
    """Writes a deck directory: a scan for each card and the back, and deck.toml.

    Raises BadInputError for a game without proxies or a folder that can't be written.
    """
    table = {"game": game, "card": deck_data(game)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for card, picture in draw_deck(game).items():
            packed = cv2.imencode(".png", picture)[1]
            (folder / f"{card}.png").write_bytes(packed.tobytes())
        (folder / "deck.toml").write_text("# Proxy cards drawn by hoshiban, 63 x 88 mm.\n" + tomli_w.dumps(table))
    except OSError as error:
        raise BadInputError(f"deck directory {folder}: can't be written: {error.strerror}") from error


def _draw_card(colour: str, number: int, bid: int) -> Image:
    picture = _sky(colour).copy()
    ink = _INK[colour]
    _starfield(picture, number + (100 if colour == "blue" else 0))
    _constellation(picture, number, colour)
    middle = (CARD_MM[0] / 2, CARD_MM[1] * 0.46)
    _blend(picture, (222, 236, 242), _disc(middle, 17.5))
    _blend(picture, (206, 224, 234), _ring(middle, 16.2, 0.35))
    underline = number in (6, 9)
    # The underline belongs to the figure: both together stand in the moon's middle.
    place = (middle[0], middle[1] - 2.6) if underline else middle
    _letters(picture, str(number), place, 16.5 if underline else 20.0, ink, pen=0.17, underline=underline)
    _corner(picture, number, ink)
    _bid_star(picture, bid, ink)
    return _shrunk(picture)


@cache
def _sky(colour: str) -> Image:
    """Paper with the evening sky on it; not to be painted on."""
    picture = _blank(_PAPER)
    margin = 3.2
    panel = _box(margin, margin, CARD_MM[0] - 2 * margin, CARD_MM[1] - 2 * margin, 3.0)
    _blend(picture, _gradient(*_SKY[colour]), panel)
    return picture


def _corner(picture: Image, number: int, ink: Bgr) -> None:
    """The number over S or L at the top left, the number alone turned round at the bottom right."""
    width, height = CARD_MM
    _blend(picture, _PAPER, _box(2.0, 2.0, 12.8, 19.4, 2.4))
    half = "S" if number <= 6 else "L"
    underline = number in (6, 9)
    _letters(picture, str(number), (8.2, 7.4), 5.4, ink, underline=underline)
    _blend(picture, ink, _disc((8.2, 16.8), 3.2))
    _letters(picture, half, (8.2, 16.8), 3.5, _PAPER, pen=0.2)
    _blend(picture, _PAPER, _box(width - 14.8, height - 13.2, 12.8, 11.2, 2.4))
    _letters(picture, str(number), (width - 8.2, height - 7.4), 5.4, ink, turn_deg=180, underline=underline)


def _bid_star(picture: Image, bid: int, ink: Bgr) -> None:
    middle = (12.6, CARD_MM[1] - 12.4)
    _blend(picture, (92, 196, 246), _star(middle, 9.0, 0.58))
    _blend(picture, (214, 240, 252), _star(middle, 7.6, 0.58))
    _letters(picture, str(bid), (middle[0], middle[1] + 0.3), 4.0, ink, pen=0.19)


def _starfield(picture: Image, seed: int) -> None:
    rng = np.random.default_rng((seed, 17))
    for x, y, radius in rng.uniform((5, 5, 0.15), (CARD_MM[0] - 5, CARD_MM[1] - 5, 0.45), (46, 3)):
        place = (round((x * _SCALE - 0.5) * 16), round((y * _SCALE - 0.5) * 16))
        cv2.circle(picture, place, round(radius * _SCALE * 16), (190, 206, 214), -1, cv2.LINE_AA, 4)


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
    fixed = np.round(places * _SCALE * 16).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(picture, [fixed], False, (206, 222, 230), round(0.4 * _SCALE), cv2.LINE_AA, 4)
    for x, y in places:
        cv2.fillPoly(picture, [_star_outline((float(x), float(y)), 2.3, 0.45, 5)], (236, 246, 250), cv2.LINE_AA, 4)


def _draw_back() -> Image:
    picture = _blank(_PAPER)
    width, height = CARD_MM
    panel = _box(3.2, 3.2, width - 6.4, height - 6.4, 3.0)
    _blend(picture, (66, 62, 28), panel)
    lattice = np.zeros((_SIZE[1], _SIZE[0]), np.uint8)
    for (x, y), (u, v) in _lattice():
        a, b = (round(x * _SCALE * 16), round(y * _SCALE * 16)), (round(u * _SCALE * 16), round(v * _SCALE * 16))
        cv2.line(lattice, a, b, 255, round(0.45 * _SCALE), cv2.LINE_AA, 4)
    _blend(picture, (118, 116, 62), cv2.min(lattice, panel).astype(np.uint8, copy=False))
    middle = (width / 2, height / 2)
    _blend(picture, (66, 62, 28), _disc(middle, 16.0))
    _blend(picture, (120, 196, 226), _ring(middle, 15.2, 0.7))
    _blend(picture, (120, 196, 226), _star(middle, 12.5, 0.42, 8))
    _blend(picture, (66, 62, 28), _star(middle, 8.0, 0.42, 8))
    _blend(picture, (206, 232, 242), _disc(middle, 2.2))
    for x in (10.2, width - 10.2):
        for y in (10.2, height - 10.2):
            _blend(picture, (66, 62, 28), _disc((x, y), 4.6))
            _blend(picture, (120, 196, 226), _star((x, y), 3.9, 0.4, 4))
    _blend(picture, (120, 196, 226), _frame(5.0, 0.5))
    return _shrunk(picture)


def _lattice() -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Crossing diagonals through the middle, the same both ways round."""
    width, height = CARD_MM
    for n in range(-12, 13):
        shift = n * 9.0
        for lean in (1, -1):
            x = width / 2 + shift
            yield (x - lean * height, -height / 2), (x + lean * height, 1.5 * height)


# Shapes in mm on a fine card


def _blank(colour: Bgr) -> Image:
    picture = np.empty((_SIZE[1], _SIZE[0], 3), np.uint8)
    picture[:] = colour
    return picture


def _shrunk(picture: Image) -> Image:
    size = (CARD_MM[0] * PX_PER_MM, CARD_MM[1] * PX_PER_MM)
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def _gradient(top: Bgr, bottom: Bgr) -> Image:
    share = np.linspace(0, 1, _SIZE[1], dtype=np.float32)[:, None, None]
    column = np.array(top, np.float32) * (1 - share) + np.array(bottom, np.float32) * share
    return np.broadcast_to(column, (_SIZE[1], _SIZE[0], 3)).astype(np.uint8)


def _blend(picture: Image, colour: Bgr | Image, cover: Mask) -> None:
    """Paints a colour or a picture where the coverage says; only the covered part is touched."""
    x, y, width, height = cv2.boundingRect(cover)
    if width == 0:
        return
    part = (slice(y, y + height), slice(x, x + width))
    small = cover[part]
    share = cv2.merge([small, small, small])
    area = picture[part]
    paint = colour[part] if isinstance(colour, np.ndarray) else np.full_like(area, colour)
    kept = cv2.multiply(area, cv2.bitwise_not(share), scale=1 / 255)
    picture[part] = cv2.add(kept, cv2.multiply(paint, share, scale=1 / 255))


@cache
def _box(x: float, y: float, width: float, height: float, radius: float) -> Mask:
    return rounded_box(_SIZE, (x * _SCALE, y * _SCALE, width * _SCALE, height * _SCALE), radius * _SCALE)


def _frame(inset: float, thick: float) -> Mask:
    width, height = CARD_MM
    outer = _box(inset, inset, width - 2 * inset, height - 2 * inset, 2.0)
    inner = inset + thick
    hole = _box(inner, inner, width - 2 * inner, height - 2 * inner, 1.6)
    return cv2.subtract(outer, hole).astype(np.uint8, copy=False)


@cache
def _disc(middle: tuple[float, float], radius: float) -> Mask:
    mask = np.zeros((_SIZE[1], _SIZE[0]), np.uint8)
    place = (round((middle[0] * _SCALE - 0.5) * 16), round((middle[1] * _SCALE - 0.5) * 16))
    cv2.circle(mask, place, round(radius * _SCALE * 16), 255, -1, cv2.LINE_AA, 4)
    return mask


@cache
def _ring(middle: tuple[float, float], radius: float, thick: float) -> Mask:
    return cv2.subtract(_disc(middle, radius), _disc(middle, radius - thick)).astype(np.uint8, copy=False)


def _star_outline(middle: tuple[float, float], radius: float, waist: float, points: int) -> NDArray[np.int32]:
    """In sixteenths of a fine pixel."""
    angles = np.pi / points * np.arange(2 * points) - np.pi / 2
    radii = np.where(np.arange(2 * points) % 2 == 0, radius, radius * waist)
    outline = np.stack([middle[0] + radii * np.cos(angles), middle[1] + radii * np.sin(angles)], axis=1)
    return np.round((outline * _SCALE - 0.5) * 16).astype(np.int32).reshape(-1, 1, 2)


@cache
def _star(middle: tuple[float, float], radius: float, waist: float, points: int = 5) -> Mask:
    """A star with its first point up; `waist` is the inner radius as a share."""
    mask = np.zeros((_SIZE[1], _SIZE[0]), np.uint8)
    cv2.fillPoly(mask, [_star_outline(middle, radius, waist, points)], 255, cv2.LINE_AA, 4)
    return mask


def _letters(
    picture: Image,
    text: str,
    middle: tuple[float, float],
    height: float,
    ink: Bgr,
    *,
    pen: float = 0.16,
    turn_deg: float = 0.0,
    underline: bool = False,
) -> None:
    """A text of a height in mm about its middle; drawn on the part of the card that it needs."""
    reach = round(height * _SCALE * 1.2)
    left, top = round(middle[0] * _SCALE) - reach, round(middle[1] * _SCALE) - reach
    local = (middle[0] * _SCALE - left, middle[1] * _SCALE - top)
    small = stamp((2 * reach, 2 * reach), text, local, height * _SCALE, pen=pen, turn_deg=turn_deg, underline=underline)
    mask = np.zeros((_SIZE[1], _SIZE[0]), np.uint8)
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(_SIZE[0], left + 2 * reach), min(_SIZE[1], top + 2 * reach)
    mask[y0:y1, x0:x1] = small[y0 - top : y1 - top, x0 - left : x1 - left]
    _blend(picture, ink, mask)
