"""Whether a card that was taken is one that was taken before: two pictures of one card by one camera, each straightened."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.cards.deck import Reference
from vision.cards.features import Floats, Grid, describe

_BLUR_MM = 0.8
_SPOT_MM = 1.5
_EDGE_MM = 4.0
"""What lies so near the edge differs between two pictures of one card: the ground shines in."""
_SHIFTS_PX = (-1, 0, 1)
_SAME = 0.02
"""Greatest difference of a spot between two takes of one card. Measured on drawn decks of seven styles: takes of one card, one of
them in four fifths of the light, up to 0.002; cards of one deck that differ least from 0.03 up."""


def most_like(side: Reference, others: Sequence[Reference], size_mm: tuple[float, float]) -> int | None:
    """The index of the picture that shows the same side, either way up; None where there is none.

    `size_mm` are the cards' short and long side.
    """
    grid = Grid.of(*size_mm)
    seen = _described(side, grid)
    known = [_described(other, grid) for other in others]
    gaps = [min(_gap(other, seen, grid), _gap(other, seen[::-1, ::-1], grid)) for other in known]
    best = int(np.argmin(gaps)) if gaps else -1
    return best if best >= 0 and gaps[best] <= _SAME else None


def _described(side: Reference, grid: Grid) -> Floats:
    return describe(side.picture, grid.px_per_mm, _BLUR_MM)


def _gap(one: Floats, other: Floats, grid: Grid) -> float:
    """How much the spot differs where two descriptions differ most, at the best of the small shifts between them."""
    margin = round(_EDGE_MM * grid.px_per_mm)
    found = []
    for dx in _SHIFTS_PX:
        for dy in _SHIFTS_PX:
            gap = one - np.roll(other, (dy, dx), (0, 1))
            spots = cv2.GaussianBlur((gap * gap).sum(axis=2), (0, 0), _SPOT_MM * grid.px_per_mm)
            found.append(float(np.max(spots[margin:-margin, margin:-margin])))
    return min(found)
