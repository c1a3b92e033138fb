"""Which sides of a card in the picture are its own: for what repeats, nothing else tells where it lies."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.features import Floats, Grid
from vision.cards.outlines import Placement, Sides, along, corners_of

Mask = NDArray[np.bool_]
_SHARED_MM, _SHARED = 1.5, 0.5
"""How near two sides are that are one edge in the picture, and along how much of the one."""
_STRIP_MM, _LEAST_MM = 4.0, 10.0
"""Width of what is printed along a side, and the length of it that must be in sight."""
_SOFT_PX = 1.0
_NOISE = 0.0015
"""Energy of a pixel's description that noise alone explains."""
_DRAWN = 0.05
"""Energy a pixel that is more than noise, or a neighbour's shadow: a row of signs cut by the rim makes several times as much."""
_UNLIKE = 0.3
"""Likeness below which a strip isn't the card's rim. Measured on backs with a white rim around a weave: of 18 that lay where they
were told 16 are above 0.39 on each side, of 5 that lay further along each has a side below 0.22."""


def shared_sides(placement: Placement, others: Sequence[Placement], size_mm: tuple[float, float]) -> Sides:
    """Which sides of a card of this size run along a side of another one: top, right, bottom, left."""
    if not others:
        return False, False, False, False
    mine = corners_of(np.array([[placement.x_mm, placement.y_mm, placement.angle_deg]]), *size_mm)
    starts = np.stack([other.corners_mm(*size_mm) for other in others])
    ways = np.roll(starts, -1, axis=1) - starts
    shared = []
    for i in range(4):
        gap = along(mine, i, *size_mm)[0][0][:, None, None] - starts
        place = np.clip((gap * ways).sum(axis=-1) / (ways * ways).sum(axis=-1), 0, 1)
        near = np.hypot(*np.moveaxis(gap - place[..., None] * ways, -1, 0)) < _SHARED_MM
        shared.append(bool((near.mean(axis=0) > _SHARED).any()))
    return shared[0], shared[1], shared[2], shared[3]


def unlike_sides(described: Floats, reference: Floats, seen: Mask, grid: Grid) -> Sides:
    """Along which sides in sight the picture doesn't show what is printed there: top, right, bottom, left.

    Descriptions and `seen` are canonical, height x width (x 3). Inside a weave every place looks like an edge; a rim has a
    drawing of its own.
    """
    a, b = (np.asarray(cv2.GaussianBlur(one, (0, 0), _SOFT_PX), np.float32) for one in (described, reference))
    width = round(_STRIP_MM * grid.px_per_mm)
    least = width * _LEAST_MM * grid.px_per_mm
    strips = (np.s_[:width], np.s_[:, -width:], np.s_[-width:], np.s_[:, :width])
    top, right, bottom, left = (
        np.count_nonzero(seen[strip]) >= least and _differ(a[strip][seen[strip]], b[strip][seen[strip]])
        for strip in strips
    )
    return bool(top), bool(right), bool(bottom), bool(left)


def _differ(a: Floats, b: Floats) -> bool:
    """Of pixels x channels: whether they are unlike by more than noise, or blank paper, would make them."""
    apart = a - b
    if float((apart * apart).sum()) < _DRAWN * a.shape[0]:
        return False
    return float(2 * (a * b).sum() / ((a * a).sum() + (b * b).sum() + _NOISE * a.size)) < _UNLIKE
