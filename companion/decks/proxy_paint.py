"""Shapes in millimetres on a proxy card of 63 x 88 mm that is drawn finer than it is kept."""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.virtual.glyphs import stamp
from hardware.virtual.paint import rounded_box

PX_PER_MM = 6
CARD_MM = (63, 88)

Bgr = tuple[int, int, int]
Mask = NDArray[np.uint8]

OVER = 2
"""Cards are drawn this much finer and shrunk."""
SCALE = PX_PER_MM * OVER
SIZE = (CARD_MM[0] * SCALE, CARD_MM[1] * SCALE)
"""Of a fine card, px."""
PAPER: Bgr = (232, 242, 245)


def blank(colour: Bgr) -> Image:
    picture = np.empty((SIZE[1], SIZE[0], 3), np.uint8)
    picture[:] = colour
    return picture


def shrunk(picture: Image) -> Image:
    size = (CARD_MM[0] * PX_PER_MM, CARD_MM[1] * PX_PER_MM)
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def gradient(top: Bgr, bottom: Bgr) -> Image:
    share = np.linspace(0, 1, SIZE[1], dtype=np.float32)[:, None, None]
    column = np.array(top, np.float32) * (1 - share) + np.array(bottom, np.float32) * share
    return np.broadcast_to(column, (SIZE[1], SIZE[0], 3)).astype(np.uint8)


def blend(picture: Image, colour: Bgr | Image, cover: Mask) -> None:
    """Paints a colour or a picture where the coverage says; only the covered part is touched."""
    x, y, width, height = cv2.boundingRect(cover)
    if width == 0:
        return
    part = (slice(y, y + height), slice(x, x + width))
    small = cover[part]
    share = cv2.merge([small, small, small])
    area = picture[part]
    kept = cv2.multiply(area, cv2.bitwise_not(share), scale=1 / 255)
    paint: Any = colour[part] if isinstance(colour, np.ndarray) else (*colour, 0.0)
    picture[part] = cv2.add(kept, cv2.multiply(share, paint, scale=1 / 255))


@cache
def box(x: float, y: float, width: float, height: float, radius: float) -> Mask:
    return rounded_box(SIZE, (x * SCALE, y * SCALE, width * SCALE, height * SCALE), radius * SCALE)


def frame(inset: float, thick: float) -> Mask:
    width, height = CARD_MM
    outer = box(inset, inset, width - 2 * inset, height - 2 * inset, 2.0)
    inner = inset + thick
    hole = box(inner, inner, width - 2 * inner, height - 2 * inner, 1.6)
    return cv2.subtract(outer, hole).astype(np.uint8, copy=False)


@cache
def disc(middle: tuple[float, float], radius: float) -> Mask:
    mask = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    place = (round((middle[0] * SCALE - 0.5) * 16), round((middle[1] * SCALE - 0.5) * 16))
    cv2.circle(mask, place, round(radius * SCALE * 16), 255, -1, cv2.LINE_AA, 4)
    return mask


@cache
def ring(middle: tuple[float, float], radius: float, thick: float) -> Mask:
    return cv2.subtract(disc(middle, radius), disc(middle, radius - thick)).astype(np.uint8, copy=False)


def star_outline(middle: tuple[float, float], radius: float, waist: float, points: int) -> NDArray[np.int32]:
    """In sixteenths of a fine pixel."""
    angles = np.pi / points * np.arange(2 * points) - np.pi / 2
    radii = np.where(np.arange(2 * points) % 2 == 0, radius, radius * waist)
    outline = np.stack([middle[0] + radii * np.cos(angles), middle[1] + radii * np.sin(angles)], axis=1)
    return np.round((outline * SCALE - 0.5) * 16).astype(np.int32).reshape(-1, 1, 2)


@cache
def star(middle: tuple[float, float], radius: float, waist: float, points: int = 5) -> Mask:
    """A star with its first point up; `waist` is the inner radius as a share."""
    mask = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    cv2.fillPoly(mask, [star_outline(middle, radius, waist, points)], 255, cv2.LINE_AA, 4)
    return mask


def letters(
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
    reach = round(height * SCALE * 1.2)
    left, top = round(middle[0] * SCALE) - reach, round(middle[1] * SCALE) - reach
    local = (middle[0] * SCALE - left, middle[1] * SCALE - top)
    small = stamp((2 * reach, 2 * reach), text, local, height * SCALE, pen=pen, turn_deg=turn_deg, underline=underline)
    mask = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(SIZE[0], left + 2 * reach), min(SIZE[1], top + 2 * reach)
    mask[y0:y1, x0:x1] = small[y0 - top : y1 - top, x0 - left : x1 - left]
    blend(picture, ink, mask)
