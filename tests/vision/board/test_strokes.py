"""Strokes on a real white board, photographed with a telephone under a lamp's glare."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.board.corridors import BLUE_FROM, RED_FROM
from vision.board.strokes import stroke_view


@pytest.mark.parametrize(
    ("colour", "ends"),
    [
        ("blue", (70, 262, 170, 257)),
        ("blue", (200, 254, 340, 254)),
        ("red", (465, 229, 580, 228)),
        ("red", (985, 240, 989, 410)),
    ],
)
def test_real_marker_strokes_show_and_have_their_colour(
    shared: Path, colour: str, ends: tuple[int, int, int, int]
) -> None:
    photo = cv2.imread(str(shared / "photos" / "whiteboard" / "tile-1.jpg"))
    view = stroke_view(photo, 2.4, (), ((9.0, 9.0), (9.0, 9.0)))
    assert not view.dark
    strengths, ratios = [], []
    for x, y in np.linspace(ends[:2], ends[2:], 50).round().astype(int):
        near = view.strength[y - 6 : y + 7, x - 6 : x + 7]
        v, u = np.unravel_index(near.argmax(), near.shape)
        strengths.append(near[v, u])
        ratios.append(view.hue[y - 6 + v, x - 6 + u] / near[v, u])
    assert np.quantile(strengths, 0.1) > 60 > 10 * view.noise
    assert (np.median(ratios) > RED_FROM) == (colour == "red")
    assert (np.median(ratios) < BLUE_FROM) == (colour == "blue")
