"""Reads the numbers printed on star magnets: a small network a magnet, then one assignment over the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.stars import Star
from vision.frame import Image

Floats = NDArray[np.float64]

MODEL = Path(__file__).parent / "data" / "numbers.onnx"
SURE, TURNS_DEG = 0.98, (-15.0, 15.0)
"""A magnet read with less than the first is read again, turned a little: what all readings agree on is rarely wrong."""
ACTING = 0.7
"""Least confidence at which a number is acted on."""

CROP_PX = 48
"""Side of the square crop that the network reads."""
RADIUS_PX = 21.0
"""The magnet's radius in that crop."""


def normalise_crops(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Crops (n, 48, 48, 3) as the network takes them: (n, 3, 48, 48), each less its mean and over its spread."""
    flat = crops.astype(np.float32)
    mean = flat.mean(axis=(1, 2, 3), keepdims=True)
    spread = flat.std(axis=(1, 2, 3), keepdims=True) + 4.0
    return np.ascontiguousarray(((flat - mean) / spread).transpose(0, 3, 1, 2))


@dataclass(frozen=True, slots=True)
class NumberReading:
    """What one magnet's number may be."""

    n: int | None
    """None below the acting threshold."""
    confidence: float
    candidates: tuple[tuple[int, float], ...]
    """Best first."""
    blank: float
    """How likely it is that no number stands there."""


class NumberReader:
    """The network, loaded once."""

    def __init__(self, model: Path = MODEL) -> None:
        self._net = cv2.dnn.readNetFromONNX(str(model))

    def chances(self, picture: Image, px_per_mm: float, stars: Sequence[Star]) -> Floats:
        """For each magnet of a view of the board the chance of the numbers 1 to 12 and of none, n x 13."""
        if not stars:
            return np.zeros((0, 13))
        first = self._chances(picture, px_per_mm, stars, 0.0)
        unsure = np.flatnonzero(first.max(axis=1) < SURE)
        if len(unsure):
            few = [stars[int(i)] for i in unsure]
            turned = [self._chances(picture, px_per_mm, few, turn) for turn in TURNS_DEG]
            together = np.exp(np.log(np.stack([first[unsure], *turned]) + 1e-6).mean(axis=0))
            first[unsure] = together / together.sum(axis=1, keepdims=True)
        return first

    def _chances(self, picture: Image, px_per_mm: float, stars: Sequence[Star], turn_deg: float) -> Floats:
        crops = np.stack([_crop(picture, px_per_mm, star, turn_deg) for star in stars])
        self._net.setInput(normalise_crops(crops))
        logits = np.asarray(self._net.forward(), np.float64).reshape(len(stars), 13)
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float64)


def _crop(picture: Image, px_per_mm: float, star: Star, turn_deg: float) -> Image:
    """The magnet's square as the network takes it, turned about its middle."""
    scale = star.radius * px_per_mm / RADIUS_PX
    c, s = scale * np.cos(np.radians(turn_deg)), scale * np.sin(np.radians(turn_deg))
    middle = CROP_PX / 2 - 0.5
    u, v = star.x * px_per_mm - 0.5, star.y * px_per_mm - 0.5
    matrix = np.array([[c, -s, u - (c - s) * middle], [s, c, v - (s + c) * middle]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    crop = cv2.warpAffine(picture, matrix, (CROP_PX, CROP_PX), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(crop, np.uint8)


def assign_numbers(chances: Floats) -> tuple[NumberReading, ...]:
    """One reading a magnet; each number is given at most once, and a sure magnet's number is out of reach of the others."""
    count = len(chances)
    if count == 0:
        return ()
    likely = np.clip(chances[:, :12], 1e-6, None)
    chosen = _best_assignment(-np.log(likely))
    readings = []
    for index in range(count):
        others = np.delete(likely, index, axis=0)
        free = likely[index] * np.prod(1 - np.minimum(others, 0.999), axis=0)
        free = free / (free.sum() + chances[index, 12] + 1e-12)
        number = chosen[index]
        confidence = float(free[number])
        order = [int(n) for n in np.argsort(-free)[:3] if free[n] > 0.02]
        readings.append(
            NumberReading(
                number + 1 if confidence >= ACTING else None,
                confidence,
                tuple((n + 1, round(float(free[n]), 4)) for n in order),
                float(chances[index, 12]),
            )
        )
    return tuple(readings)


def _best_assignment(cost: Floats) -> list[int]:
    """The column of each row (rows <= columns) in the cheapest assignment, by shortest augmenting paths."""
    rows, columns = cost.shape
    row_price, column_price = np.zeros(rows + 1), np.zeros(columns + 1)
    owner = np.zeros(columns + 1, np.int64)
    for row in range(1, rows + 1):
        owner[0] = row
        at = 0
        least = np.full(columns + 1, np.inf)
        before = np.zeros(columns + 1, np.int64)
        used = np.zeros(columns + 1, np.bool_)
        while owner[at]:
            used[at] = True
            here = owner[at]
            slack = cost[here - 1] - row_price[here] - column_price[1:]
            better = ~used[1:] & (slack < least[1:])
            least[1:][better] = slack[better]
            before[1:][better] = at
            open_columns = np.where(used[1:], np.inf, least[1:])
            nearest = int(open_columns.argmin()) + 1
            step = float(open_columns[nearest - 1])
            row_price[owner[used]] += step
            column_price[used] -= step
            least[1:][~used[1:]] -= step
            at = nearest
        while at:
            owner[at] = owner[before[at]]
            at = int(before[at])
    result = [0] * rows
    for column in range(1, columns + 1):
        if owner[column]:
            result[int(owner[column]) - 1] = column - 1
    return result
