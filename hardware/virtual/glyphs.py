"""A stroke font of the project's own for whatever it draws: digits and capitals, as polylines in a unit-high box.

OpenCV's built-in letters changed between its versions 4 and 5; pictures that tests rest on must not.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Polyline = NDArray[np.float64]
"""N x 2: x right, y down; a glyph stands between y = 0 and y = 1."""

Mask = NDArray[np.uint8]

GAP = 0.2
"""Space between two glyphs' middle lines, as a share of their height, before the pen's own width."""


def _line(*points: tuple[float, float]) -> Polyline:
    return np.array(points, np.float64)


def _arc(middle: tuple[float, float], radii: tuple[float, float], start_deg: float, end_deg: float) -> Polyline:
    """Clockwise on the page from `start_deg`; 0 points right."""
    angles = np.radians(np.linspace(start_deg, end_deg, 40))
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.asarray(ring * np.array(radii) + np.array(middle), np.float64)


def _curve(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> Polyline:
    """A quadratic curve from a to c that leans toward b."""
    t = np.linspace(0, 1, 24)[:, None]
    return np.asarray((1 - t) ** 2 * np.array(a) + 2 * t * (1 - t) * np.array(b) + t**2 * np.array(c), np.float64)


def _bow(left: float, straight: float, top: float, bottom: float, right: float) -> Polyline:
    """A bow to the right between two heights, begun and ended by straight pieces."""
    middle = (left + straight, (top + bottom) / 2)
    half = _arc(middle, (right - left - straight, (bottom - top) / 2), -90, 90)
    return np.concatenate([_line((left, top)), half, _line((left, bottom))])


def _six() -> tuple[Polyline, ...]:
    return (_arc((0.3, 0.69), (0.29, 0.31), 0, 360), _curve((0.46, 0.0), (0.06, 0.3), (0.01, 0.69)))


def _turned(strokes: tuple[Polyline, ...], width: float) -> tuple[Polyline, ...]:
    return tuple(np.array([width, 1.0]) - stroke for stroke in strokes)


_GLYPHS: dict[str, tuple[float, tuple[Polyline, ...]]] = {
    "0": (0.6, (_arc((0.3, 0.5), (0.29, 0.5), 0, 360),)),
    "1": (0.3, (_line((0.0, 0.24), (0.26, 0.0), (0.26, 1.0)),)),
    "2": (0.58, (np.concatenate([_arc((0.29, 0.29), (0.28, 0.29), 180, 395), _line((0.0, 1.0), (0.58, 1.0))]),)),
    "3": (
        0.57,
        (np.concatenate([_arc((0.27, 0.245), (0.25, 0.245), 205, 450), _arc((0.27, 0.735), (0.29, 0.265), -90, 155)]),),
    ),
    "4": (0.64, (_line((0.64, 0.72), (0.0, 0.72), (0.44, 0.0), (0.44, 1.0)),)),
    "5": (
        0.58,
        (np.concatenate([_line((0.52, 0.0), (0.1, 0.0), (0.06, 0.47)), _arc((0.28, 0.68), (0.3, 0.32), 228, 510)]),),
    ),
    "6": (0.6, _six()),
    "7": (0.58, (_line((0.0, 0.0), (0.58, 0.0), (0.2, 1.0)),)),
    "8": (0.58, (_arc((0.29, 0.24), (0.24, 0.24), 0, 360), _arc((0.29, 0.74), (0.29, 0.26), 0, 360))),
    "9": (0.6, _turned(_six(), 0.6)),
    "S": (
        0.56,
        (np.concatenate([_arc((0.28, 0.26), (0.26, 0.26), 330, 90), _arc((0.28, 0.75), (0.28, 0.25), -80, 150)]),),
    ),
    "L": (0.5, (_line((0.0, 0.0), (0.0, 1.0), (0.5, 1.0)),)),
    "A": (0.66, (_line((0.0, 1.0), (0.33, 0.0), (0.66, 1.0)), _line((0.12, 0.64), (0.54, 0.64)))),
    "B": (
        0.54,
        (_line((0.0, 0.0), (0.0, 1.0)), _bow(0.0, 0.26, 0.0, 0.48, 0.5), _bow(0.0, 0.28, 0.48, 1.0, 0.54)),
    ),
    "C": (0.6, (_arc((0.36, 0.5), (0.36, 0.5), 50, 310),)),
    "D": (0.6, (_line((0.0, 0.0), (0.0, 1.0)), _bow(0.0, 0.14, 0.0, 1.0, 0.6))),
    "E": (0.5, (_line((0.5, 0.0), (0.0, 0.0), (0.0, 1.0), (0.5, 1.0)), _line((0.0, 0.48), (0.42, 0.48)))),
    "F": (0.5, (_line((0.5, 0.0), (0.0, 0.0), (0.0, 1.0)), _line((0.0, 0.48), (0.42, 0.48)))),
    "G": (0.64, (np.concatenate([_arc((0.36, 0.5), (0.36, 0.5), 310, 8), _line((0.66, 0.55), (0.4, 0.55))]),)),
    "H": (0.6, (_line((0.0, 0.0), (0.0, 1.0)), _line((0.6, 0.0), (0.6, 1.0)), _line((0.0, 0.48), (0.6, 0.48)))),
    "I": (0.08, (_line((0.04, 0.0), (0.04, 1.0)),)),
    "J": (0.42, (np.concatenate([_line((0.42, 0.0), (0.42, 0.74)), _arc((0.21, 0.76), (0.21, 0.24), 0, 170)]),)),
    "K": (0.58, (_line((0.0, 0.0), (0.0, 1.0)), _line((0.56, 0.0), (0.0, 0.6)), _line((0.2, 0.42), (0.58, 1.0)))),
    "M": (0.74, (_line((0.0, 1.0), (0.04, 0.0), (0.37, 0.7), (0.7, 0.0), (0.74, 1.0)),)),
    "N": (0.6, (_line((0.0, 1.0), (0.0, 0.0), (0.6, 1.0), (0.6, 0.0)),)),
    "O": (0.7, (_arc((0.35, 0.5), (0.35, 0.5), 0, 360),)),
    "P": (0.54, (_line((0.0, 0.0), (0.0, 1.0)), _bow(0.0, 0.26, 0.0, 0.54, 0.54))),
    "Q": (0.7, (_arc((0.35, 0.5), (0.35, 0.5), 0, 360), _line((0.42, 0.68), (0.7, 1.02)))),
    "R": (
        0.56,
        (_line((0.0, 0.0), (0.0, 1.0)), _bow(0.0, 0.26, 0.0, 0.5, 0.54), _line((0.24, 0.5), (0.56, 1.0))),
    ),
    "T": (0.6, (_line((0.0, 0.0), (0.6, 0.0)), _line((0.3, 0.0), (0.3, 1.0)))),
    "U": (
        0.6,
        (np.concatenate([_line((0.6, 0.0), (0.6, 0.7)), _arc((0.3, 0.7), (0.3, 0.3), 0, 180), _line((0.0, 0.0))]),),
    ),
    "V": (0.64, (_line((0.0, 0.0), (0.32, 1.0), (0.64, 0.0)),)),
    "W": (0.86, (_line((0.0, 0.0), (0.2, 1.0), (0.43, 0.3), (0.66, 1.0), (0.86, 0.0)),)),
    "X": (0.6, (_line((0.0, 0.0), (0.6, 1.0)), _line((0.6, 0.0), (0.0, 1.0)))),
    "Y": (0.62, (_line((0.0, 0.0), (0.31, 0.5), (0.62, 0.0)), _line((0.31, 0.5), (0.31, 1.0)))),
    "Z": (0.56, (_line((0.0, 0.0), (0.56, 0.0), (0.0, 1.0), (0.56, 1.0)),)),
    " ": (0.16, ()),
    "'": (0.08, (_line((0.06, 0.0), (0.02, 0.24)),)),
    ",": (0.1, (_line((0.08, 0.92), (0.0, 1.16)),)),
    "-": (0.32, (_line((0.0, 0.54), (0.32, 0.54)),)),
}


def text_strokes(text: str, pen: float) -> tuple[tuple[Polyline, ...], float]:
    """The strokes of a text and its width, for height 1 and a pen of this width (all shares of the height)."""
    strokes: list[Polyline] = []
    x = 0.0
    for n, letter in enumerate(text):
        width, parts = _GLYPHS[letter]
        x += (GAP + pen * 0.6) if n else 0.0
        strokes.extend(part + np.array([x, 0.0]) for part in parts)
        x += width
    return tuple(strokes), x


def stamp(
    size: tuple[int, int],
    text: str,
    middle: tuple[float, float],
    height: float,
    *,
    pen: float = 0.16,
    turn_deg: float = 0.0,
    underline: bool = False,
) -> Mask:
    """A text's coverage, 0 to 255, on a picture of `size` (width, height) px.

    `middle` is the text's middle in px (0, 0 the picture's corner), `height` in px, `pen` a share of the height, `turn_deg`
    clockwise. `underline` tells a 6 from a 9.
    """
    strokes, width = text_strokes(text, pen)
    lines: Sequence[Polyline] = strokes
    if underline:
        lines = (*strokes, np.array([[0.0, 1.0], [width, 1.0]]) + np.array([0.0, 0.16 + pen]))
    turn = np.radians(turn_deg)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    over = 4
    mask = np.zeros((size[1] * over, size[0] * over), np.uint8)
    for line in lines:
        points = ((line - np.array([width / 2, 0.5])) * height) @ rotation.T + np.array(middle)
        fixed = np.round((points * over - 0.5) * 16).astype(np.int32)
        thickness = max(1, round(pen * height * over))
        cv2.polylines(mask, [fixed.reshape(-1, 1, 2)], False, 255, thickness, cv2.LINE_8, 4)
    return cv2.resize(mask, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
