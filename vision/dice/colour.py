"""A die's own colour, held against the white paper of the markers, so that the light's colour and strength don't count."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.edges import EdgeMap
from vision.dice.fit import DiePose
from vision.frame import Image
from vision.table import MARKER_MM, TablePose

Floats = NDArray[np.float64]

PAPER = 0.87
"""Share of the light that white paper gives back."""
_RIM_MM = (1.5, 5.0)
_LEAST_PAPER = 20.0


class PaperWhite:
    """The light on the table, by the paper around each marker that shows."""

    def __init__(self, image: Image, pose: TablePose) -> None:
        self.places: list[tuple[float, float]] = []
        self.light: list[Floats] = []
        width, height = pose.table_mm
        for x in (0.0, width - MARKER_MM):
            for y in (0.0, height - MARKER_MM):
                white = _paper(image, pose, x, y)
                if white is not None:
                    self.places.append((x + MARKER_MM / 2, y + MARKER_MM / 2))
                    self.light.append(white)

    def at(self, x: float, y: float) -> Floats:
        """Blue, green, red light, 0 to 1 linear, that white paper would show at a place; full light without any marker."""
        if not self.places:
            return np.full(3, PAPER)
        weights = np.array([1 / (20.0 + np.hypot(x - u, y - v)) for u, v in self.places])
        return np.asarray((weights[:, None] * np.array(self.light)).sum(axis=0) / weights.sum())


def _paper(image: Image, pose: TablePose, x: float, y: float) -> Floats | None:
    """Linear light of the white rim around a marker; None where it isn't seen."""
    steps = np.linspace(2.0, MARKER_MM - 2.0, 12)
    values = []
    for off in np.linspace(*_RIM_MM, 4):
        for low, high in ((-off, None), (MARKER_MM + off, None), (None, -off), (None, MARKER_MM + off)):
            points = [(x + (low if low is not None else s), y + (high if high is not None else s)) for s in steps]
            values.append(_pixels(image, pose.to_px(points)))
    seen = np.vstack(values)
    if not len(seen):
        return None
    bright = seen[seen.sum(axis=1) >= np.percentile(seen.sum(axis=1), 60)]
    white = np.median(bright, axis=0)
    return linear(white) if white.min() >= _LEAST_PAPER else None


def _pixels(image: Image, points: Floats) -> Floats:
    place = np.rint(points).astype(np.intp)
    height, width = image.shape[:2]
    here = (place[:, 0] >= 0) & (place[:, 1] >= 0) & (place[:, 0] < width) & (place[:, 1] < height)
    return np.asarray(image[place[here, 1], place[here, 0]], np.float64).reshape(-1, 3)


def linear(level: Floats) -> Floats:
    """Light, 0 to 1, of coded levels 0 to 255 (sRGB)."""
    share = np.asarray(level, np.float64) / 255
    return np.asarray(np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4))


def coded(light: Floats) -> Floats:
    """The reverse of `linear`."""
    share = np.clip(light, 0, 1)
    return np.asarray(255 * np.where(share <= 0.0031308, 12.92 * share, 1.055 * share ** (1 / 2.4) - 0.055))


def colour_of(edges: EdgeMap, pose: DiePose, white: PaperWhite) -> tuple[int, int, int]:
    """Red, green, blue of a die as under full white light."""
    outline = edges.px(pose.outline())
    middle = outline.mean(axis=0)
    mask = np.zeros(edges.picture.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.rint(middle + 0.9 * (outline - middle)).astype(np.int32)], 255)
    own = linear(np.median(edges.picture[mask > 0].astype(np.float64), axis=0)) if mask.any() else np.zeros(3)
    blue, green, red = (
        round(float(level)) for level in coded(own / np.maximum(white.at(pose.x, pose.y), 1e-3) * PAPER)
    )
    return red, green, blue
