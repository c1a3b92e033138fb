"""Which sides of a card in the picture are its own: for what repeats, nothing else tells where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.features import Floats, Grid
from vision.cards.outlines import Placement, Sides, along, corners_of

Mask = NDArray[np.bool_]
SHARED_MM, BLURRED_MM = 1.5, 3.0
"""How near two sides are that are one edge in the picture; and that may be, in a blurred one."""
_SHARED = 0.5
"""Along how much of the one."""
_STRIP_MM, _LEAST_MM = 4.0, 10.0
"""Width of what is printed along a side, and the length of it that must be in sight."""
_SOFT_PX = 1.0
_NOISE = 0.0015
"""Energy of a pixel's description that noise alone explains."""
_DRAWN = 0.05
"""Energy a pixel that is more than noise, or a neighbour's shadow: a row of signs cut by the rim makes several times as much."""
_UNLIKE, _ALIKE = 0.3, 0.8
"""Likeness below which a strip isn't the card's rim, and from which on it is. Measured on woven backs with a white rim: where one
is in full sight and lies where it is told its sides are at 0.9 in good light and at 0.5 in noise; of one that lies further along
at least one of the two across its way is below 0.6."""


@dataclass(frozen=True, slots=True)
class Rims:
    """Along which sides in sight the picture shows what is printed there, and along which it shows something else."""

    alike: Sides
    unlike: Sides

    def contradict(self, own: Sides) -> bool:
        """Whether they speak against a card's place: one strange side whose opposite is the card's own has something on it."""
        own_opposite = (own[2], own[3], own[0], own[1])
        strange = sum(self.unlike)
        return strange > 1 or any(
            is_strange and not is_own for is_strange, is_own in zip(self.unlike, own_opposite, strict=True)
        )


def shared_sides(
    placement: Placement, others: Sequence[Placement], size_mm: tuple[float, float], within_mm: float = SHARED_MM
) -> Sides:
    """Which sides of a card of this size run so near along a side of another one: top, right, bottom, left."""
    if not others:
        return False, False, False, False
    mine = corners_of(np.array([[placement.x_mm, placement.y_mm, placement.angle_deg]]), *size_mm)
    starts = np.stack([other.corners_mm(*size_mm) for other in others])
    ways = np.roll(starts, -1, axis=1) - starts
    shared = []
    for i in range(4):
        gap = along(mine, i, *size_mm)[0][0][:, None, None] - starts
        place = np.clip((gap * ways).sum(axis=-1) / (ways * ways).sum(axis=-1), 0, 1)
        near = np.hypot(*np.moveaxis(gap - place[..., None] * ways, -1, 0)) < within_mm
        shared.append(bool((near.mean(axis=0) > _SHARED).any()))
    return shared[0], shared[1], shared[2], shared[3]


def unshared(sides: Sides, shared: Sides) -> Sides:
    """Those sides that are no neighbour's."""
    own = [is_side and not is_shared for is_side, is_shared in zip(sides, shared, strict=True)]
    return own[0], own[1], own[2], own[3]


def rims_of(described: Floats, reference: Floats, seen: Mask, grid: Grid) -> Rims:
    """The rims of a card whose picture is laid under its reference.

    Descriptions and `seen` are canonical, height x width (x 3). Inside a weave every place looks like an edge; a rim has a
    drawing of its own.
    """
    a, b = (np.asarray(cv2.GaussianBlur(one, (0, 0), _SOFT_PX), np.float32) for one in (described, reference))
    width = round(_STRIP_MM * grid.px_per_mm)
    least = width * _LEAST_MM * grid.px_per_mm

    def told(strip: tuple[slice, slice]) -> tuple[bool, bool]:
        where = seen[strip]
        return _tell(a[strip][where], b[strip][where]) if np.count_nonzero(where) >= least else (False, False)

    top, right = told(np.s_[:width, :]), told(np.s_[:, -width:])
    bottom, left = told(np.s_[-width:, :]), told(np.s_[:, :width])
    return Rims((top[0], right[0], bottom[0], left[0]), (top[1], right[1], bottom[1], left[1]))


def _tell(a: Floats, b: Floats) -> tuple[bool, bool]:
    """Of pixels x channels: whether they are alike, and unlike, by more than noise, or blank paper, would make them."""
    like = float(2 * (a * b).sum() / ((a * a).sum() + (b * b).sum() + _NOISE * a.size))
    alike = like >= _ALIKE and float((b * b).sum()) >= _DRAWN * b.shape[0]
    apart = a - b
    return alike, like < _UNLIKE and float((apart * apart).sum()) >= _DRAWN * a.shape[0]
