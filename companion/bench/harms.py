"""Harm done to a picture after it was taken: more than a camera at a table does, to see whether the reader knows its limits."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.base import Image

Random = np.random.Generator
Quad = NDArray[np.float64]
Harm = Callable[[Image, Quad, Random], Image]
"""Harms a picture; the quad is the outline of one of its cards, px."""


def _inside(quad: Quad, at: tuple[float, float]) -> tuple[int, int]:
    """The pixel at a place of a card, 0 to 1 across and down."""
    x, y = at
    top, bottom = quad[0] + (quad[1] - quad[0]) * x, quad[3] + (quad[2] - quad[3]) * x
    place = top + (bottom - top) * y
    return round(float(place[0])), round(float(place[1]))


def _some_place(random: Random) -> tuple[float, float]:
    """A card's middle, or the corner where its figure stands."""
    return ((0.5, 0.45), (0.15, 0.12), (0.5, 0.7))[int(random.integers(0, 3))]


def _cut(image: Image, quad: Quad, harmed: Image) -> Image:
    """The harmed picture inside one card, the clear one elsewhere."""
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, quad.round().astype(np.int32), 1)
    mask = cv2.erode(mask, np.ones((9, 9), np.uint8)).astype(np.uint8, copy=False)
    return np.where(mask[..., None] > 0, harmed, image).astype(np.uint8)


def _defocus(image: Image, _quad: Quad, random: Random) -> Image:
    return _as_image(cv2.GaussianBlur(image, (0, 0), float(random.uniform(1.0, 6.0))))


def _smeared(image: Image, quad: Quad, random: Random) -> Image:
    scale = float(np.linalg.norm(quad[3] - quad[0])) / 150
    return _cut(image, quad, _as_image(cv2.GaussianBlur(image, (0, 0), scale * float(random.uniform(2.0, 9.0)))))


def _motion(image: Image, _quad: Quad, random: Random) -> Image:
    length = int(random.integers(5, 30))
    kernel = np.zeros((length, length), np.float32)
    turn = float(random.uniform(0, np.pi))
    middle, reach = (length - 1) / 2, (length - 1) / 2
    ends = [
        (round(middle + s * reach * float(np.cos(turn))), round(middle + s * reach * float(np.sin(turn))))
        for s in (-1, 1)
    ]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1)
    return _as_image(cv2.filter2D(image, -1, kernel / kernel.sum()))


def _noise(image: Image, _quad: Quad, random: Random) -> Image:
    return _as_image(image + random.normal(0, float(random.uniform(15, 60)), image.shape))


def _dim(image: Image, _quad: Quad, random: Random) -> Image:
    return _as_image(image * float(random.uniform(0.06, 0.25)) + random.normal(0, 5, image.shape))


def _jpeg(image: Image, _quad: Quad, random: Random) -> Image:
    coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(6, 22))])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


def _glare(image: Image, quad: Quad, random: Random) -> Image:
    spot = np.zeros(image.shape[:2], np.float32)
    size = float(np.linalg.norm(quad[3] - quad[0]))
    axes = (round(size * float(random.uniform(0.15, 0.5))), round(size * float(random.uniform(0.1, 0.3))))
    cv2.ellipse(spot, _inside(quad, _some_place(random)), axes, float(random.uniform(0, 180)), 0, 360, 1.0, -1)
    soft = np.asarray(cv2.GaussianBlur(spot, (0, 0), size / 14), np.float32)
    return _as_image(image + 330 * soft[..., None])


def _finger(image: Image, quad: Quad, random: Random) -> Image:
    harmed = image.copy()
    size = float(np.linalg.norm(quad[3] - quad[0]))
    place = _inside(quad, _some_place(random))
    turn = float(random.uniform(0, 2 * np.pi))
    far = (round(place[0] + 2 * size * float(np.cos(turn))), round(place[1] + 2 * size * float(np.sin(turn))))
    thick = max(4, round(size * float(random.uniform(0.2, 0.45))))
    cv2.line(harmed, place, far, (120, 160, 215), thick, cv2.LINE_AA)
    return harmed


def _overexposed(image: Image, _quad: Quad, random: Random) -> Image:
    return _as_image(image.astype(np.float32) * float(random.uniform(1.2, 2.6)))


def _clear(image: Image, _quad: Quad, _random: Random) -> Image:
    return image


def _as_image(values: cv2.typing.MatLike) -> Image:
    return np.clip(np.asarray(values, np.float32), 0, 255).astype(np.uint8)


SMALL = "small"
HARMS: MappingProxyType[str, Harm] = MappingProxyType(
    {
        "clear": _clear,
        "defocus": _defocus,
        "smeared": _smeared,
        "motion": _motion,
        SMALL: _clear,
        "noise": _noise,
        "dim": _dim,
        "jpeg": _jpeg,
        "glare": _glare,
        "finger": _finger,
        "overexposed": _overexposed,
    }
)
"""By name. "small" is done by the camera, from whose height a card is 60 to 82 px tall."""
WHOLE = frozenset({"clear", SMALL, "defocus", "motion", "noise", "dim", "jpeg", "overexposed"})
"""Those that harm the whole picture, not a single card of it."""
