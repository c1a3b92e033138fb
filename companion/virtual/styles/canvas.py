"""A sheet to draw a card on, in millimetres, and an alphabet of its own for titles and fine print.

OpenCV's own letters differ between its versions; what is drawn here does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image
from hardware.virtual.glyphs import text_strokes

PX_PER_MM = 8
_SHIFT = 4

Colour = tuple[int, int, int]
"""Blue, green, red."""
Place = tuple[float, float]
"""x and y on the card, mm from its top left corner."""
Random = np.random.Generator


class Canvas:
    """One side of a card. All lengths are millimetres, angles degrees clockwise."""

    def __init__(self, size_mm: tuple[float, float], paper: Colour) -> None:
        self.width, self.height = size_mm
        self.image: Image = np.full((round(self.height * PX_PER_MM), round(self.width * PX_PER_MM), 3), paper, np.uint8)

    @property
    def middle(self) -> Place:
        """The card's middle."""
        return self.width / 2, self.height / 2

    def polygon(self, points: Sequence[Place] | NDArray[np.float64], colour: Colour) -> None:
        """Fills a polygon."""
        cv2.fillPoly(self.image, [_fixed(points)], colour, cv2.LINE_AA, _SHIFT)

    def line(
        self,
        points: Sequence[Place] | NDArray[np.float64],
        colour: Colour,
        pen: float,
        *,
        closed: bool = False,
    ) -> None:
        """Strokes a polyline."""
        thick = max(1, round(pen * PX_PER_MM))
        cv2.polylines(self.image, [_fixed(points)], closed, colour, thick, cv2.LINE_AA, _SHIFT)

    def box(self, x: float, y: float, width: float, height: float, colour: Colour, pen: float | None = None) -> None:
        """A rectangle, filled, or stroked with a pen."""
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        if pen is None:
            self.polygon(corners, colour)
        else:
            self.line(corners, colour, pen, closed=True)

    def frame(self, inset: float, colour: Colour, pen: float) -> None:
        """A line round the card, as far from its edge on every side."""
        self.box(inset, inset, self.width - 2 * inset, self.height - 2 * inset, colour, pen)

    def ring(self, middle: Place, radii: tuple[float, float], colour: Colour, pen: float | None = None) -> None:
        """An ellipse, filled, or stroked with a pen."""
        self.shape(ellipse(60), middle, radii, colour, pen)

    def shape(
        self,
        outline: NDArray[np.float64],
        middle: Place,
        size: tuple[float, float] | float,
        colour: Colour,
        pen: float | None = None,
        turn: float = 0.0,
    ) -> None:
        """An outline about (0, 0), scaled, turned and moved; filled, or stroked with a pen."""
        angle = np.radians(turn)
        rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        points = (outline * np.array(size)) @ rotation.T + np.array(middle)
        if pen is None:
            self.polygon(points, colour)
        else:
            self.line(points, colour, pen, closed=True)

    def text(
        self, text: str, middle: Place, height: float, colour: Colour, pen: float = 0.14, turn: float = 0.0
    ) -> None:
        """A text about its middle. Digits, S and L read as such; other letters are of an alphabet of our own."""
        strokes, width = _strokes(text, pen)
        angle = np.radians(turn)
        rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for stroke in strokes:
            points = ((stroke - np.array([width / 2, 0.5])) * height) @ rotation.T + np.array(middle)
            self.line(points, colour, pen * height)

    def print_rows(
        self, box: tuple[float, float, float, float], row: float, colour: Colour, random: Random, pen: float = 0.14
    ) -> None:
        """Rows of fine print, ragged at the right, into x, y, width, height; `row` is a line's height."""
        left, top, width, height = box
        rows = max(1, int(height / row))
        for n in range(rows):
            length = width * (float(random.uniform(0.8, 1.0)) if n < rows - 1 else float(random.uniform(0.3, 0.7)))
            x = left
            while x < left + length - 2 * row:
                word = "".join(chr(97 + int(c)) for c in random.integers(0, 26, int(random.integers(2, 8))))
                strokes, wide = _strokes(word, pen)
                size = row * 0.55
                for stroke in strokes:
                    points = stroke * size + np.array([x, top + n * row])
                    self.line(points[points[:, 0] < left + width], colour, pen * size)
                x += wide * size + row * 0.45

    def paint(self, picture: NDArray[np.float32], x: float = 0.0, y: float = 0.0) -> None:
        """Lays a picture in full detail on the card, its top left corner at a place."""
        column, row = round(x * PX_PER_MM), round(y * PX_PER_MM)
        height, width = picture.shape[:2]
        self.image[row : row + height, column : column + width] = np.clip(picture, 0, 255).astype(np.uint8)

    def turned_copy(self, x: float, y: float, width: float, height: float) -> None:
        """Repeats a part of the card at the opposite place, turned half round, as indices of playing cards are."""
        left, top = round(x * PX_PER_MM), round(y * PX_PER_MM)
        right, low = left + round(width * PX_PER_MM), top + round(height * PX_PER_MM)
        part = self.image[top:low, left:right][::-1, ::-1].copy()
        tall, wide = self.image.shape[:2]
        self.image[tall - low : tall - top, wide - right : wide - left] = part

    def both_ways(self) -> None:
        """Makes the lower half the upper one turned half round: the card looks the same both ways."""
        tall = self.image.shape[0]
        half = tall // 2
        self.image[tall - half :] = self.image[:half][::-1, ::-1]


def ellipse(points: int) -> NDArray[np.float64]:
    """A circle of radius 1 as a polygon."""
    turn = np.linspace(0, 2 * np.pi, points, endpoint=False)
    return np.stack([np.cos(turn), np.sin(turn)], axis=1)


def star(points: int, waist: float) -> NDArray[np.float64]:
    """A star of radius 1 with its first point up; `waist` is its inner radius."""
    turn = np.pi / points * np.arange(2 * points) - np.pi / 2
    radius = np.where(np.arange(2 * points) % 2 == 0, 1.0, waist)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)


def blob(random: Random, points: int = 9, rough: float = 0.35) -> NDArray[np.float64]:
    """A round lump of about radius 1, of its own shape."""
    radius = 1 + rough * random.uniform(-1, 1, points)
    ring = np.interp(np.linspace(0, points, 72, endpoint=False), np.arange(points + 1), [*radius, radius[0]])
    return np.asarray(ellipse(72) * ring[:, None], np.float64)


def clouds(random: Random, size_mm: tuple[float, float], lump_mm: float, octaves: int = 5) -> NDArray[np.float32]:
    """Fractal noise from 0 to 1, height x width at the card's full detail."""
    size = (round(size_mm[0] * PX_PER_MM), round(size_mm[1] * PX_PER_MM))
    total = np.zeros((size[1], size[0]), np.float32)
    for octave in range(octaves):
        cell = max(1.0, lump_mm * PX_PER_MM / 2**octave)
        lumps = random.normal(0, 1, (int(size[1] / cell) + 3, int(size[0] / cell) + 3)).astype(np.float32)
        total += cv2.resize(lumps, size, interpolation=cv2.INTER_CUBIC) * np.float32(0.55**octave)
    low, high = float(total.min()), float(total.max())
    return np.asarray((total - low) / max(1e-6, high - low), np.float32)


def shaded(share: NDArray[np.float32], *stops: Colour) -> NDArray[np.float32]:
    """Colours of a picture of shares from 0 to 1, through the stops at even distances."""
    at = np.linspace(0, 1, len(stops))
    return np.stack([np.interp(share, at, [stop[n] for stop in stops]) for n in range(3)], axis=-1).astype(np.float32)


def ramp(size_mm: tuple[float, float], top: Colour, bottom: Colour) -> NDArray[np.float32]:
    """A picture that goes from one colour to another, from top to bottom."""
    size = (round(size_mm[0] * PX_PER_MM), round(size_mm[1] * PX_PER_MM))
    down = np.linspace(0, 1, size[1], dtype=np.float32)[:, None] * np.ones((1, size[0]), np.float32)
    return shaded(down, top, bottom)


def _fixed(points: Sequence[Place] | NDArray[np.float64]) -> NDArray[np.int32]:
    scaled = (np.asarray(points, np.float64) * PX_PER_MM - 0.5) * (1 << _SHIFT)
    return np.round(scaled).astype(np.int32).reshape(-1, 1, 2)


def _strokes(text: str, pen: float) -> tuple[list[NDArray[np.float64]], float]:
    """The strokes of a text of height 1, and its width."""
    strokes: list[NDArray[np.float64]] = []
    x = 0.0
    for n, letter in enumerate(text):
        parts, width = text_strokes(letter, pen) if letter in "0123456789SL" else _letter(letter)
        x += 0.2 + pen * 0.6 if n else 0.0
        strokes += [part + np.array([x, 0.0]) for part in parts]
        x += width
    return strokes, x


@cache
def _letter(letter: str) -> tuple[tuple[NDArray[np.float64], ...], float]:
    """Two or three strokes between the points of a small grid, the same for the same letter."""
    if letter == " ":
        return (), 0.4
    random = np.random.default_rng((ord(letter), 61))
    tall = 0.0 if letter.isupper() or random.random() < 0.3 else 0.3
    grid = np.array([(x, y) for x in (0.0, 0.28, 0.56) for y in (tall, (1 + tall) / 2, 1.0)])
    strokes = []
    for _ in range(int(random.integers(2, 4))):
        picked = grid[random.choice(len(grid), 3, replace=False)]
        t = np.linspace(0, 1, 8)[:, None]
        strokes.append((1 - t) ** 2 * picked[0] + 2 * t * (1 - t) * picked[1] + t**2 * picked[2])
    return tuple(strokes), 0.56
