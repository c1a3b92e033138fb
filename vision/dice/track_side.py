"""On which side of the string a whole way lies: enough where the first touch itself was hidden."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from vision.arena import Arena
from vision.dice.eye import Eye
from vision.dice.track_flight import TOUCH_HEIGHT, Place

EVEN_REACH = 0.71
"""How far beside the middle the lowest corner of any such die may be, in its sizes."""
_LEAST = 5
_GAP = 1.5
"""Pictures' times, from which on a die was out of sight."""
_ASIDE, _ASIDE_MM = 0.6, 6.0
"""How far it may have strayed there from the straight way, over how far it is to its nearer end, and besides."""
_BACK_S, _BACK_ASIDE = 0.3, 0.35
"""So long before it came into sight a die that is seen to fly may have touched, and what it may have strayed a millimetre."""
_STEPS = 9

Spot = tuple[float, float, float]
"""Of the table, mm, and by how much it may have been elsewhere."""


def side_of_way(way: Sequence[Place], eye: Eye, size_mm: float, arena: Arena, unseen_s: float | None) -> bool | None:
    """Whether all of it lies inside the string (True) or outside, wherever on it the die first touched; None where it does not.

    `unseen_s`: for how long the die may have been in the air unseen before the way begins; None where it left a hand there.
    """
    if len(way) < _LEAST:
        return None
    needed = EVEN_REACH * size_mm + arena.width_mm / 2
    depths = [(arena.distance(x, y), needed + aside) for x, y, aside in _spots(way, eye, size_mm, unseen_s)]
    if all(depth > least for depth, least in depths):
        return True
    return False if all(-depth > least for depth, least in depths) else None


def reach_of_way(way: Sequence[Place], eye: Eye, size_mm: float, unseen_s: float | None) -> tuple[float, float, float]:
    """The middle of a way, and how far from there the die may have touched, mm."""
    spots = _spots(way, eye, size_mm, unseen_s)
    x, y = (float(np.mean([spot[axis] for spot in spots])) for axis in (0, 1))
    return x, y, max(math.dist((x, y), spot[:2]) + spot[2] for spot in spots) + EVEN_REACH * size_mm


def _spots(way: Sequence[Place], eye: Eye, size_mm: float, unseen_s: float | None) -> list[Spot]:
    """Where its middle may have been when it touched."""
    feet = [eye.foot(place.x_mm, place.y_mm, TOUCH_HEIGHT * size_mm) for place in way]
    times = [place.t_s for place in way]
    spots: list[Spot] = [(x, y, 0.0) for x, y in feet]
    usual = min(later - sooner for sooner, later in pairwise(times))
    for n in range(1, len(way)):
        if times[n] - times[n - 1] > _GAP * usual:
            spots += _between(feet[n - 1], feet[n])
    if unseen_s is not None:
        later = min(3, len(way) - 1)
        seconds = times[later] - times[0]
        back = min(unseen_s, _BACK_S)
        then = tuple(feet[0][axis] - (feet[later][axis] - feet[0][axis]) / seconds * back for axis in (0, 1))
        far = math.dist(feet[0], then)
        for share in np.linspace(0, 1, _STEPS)[1:]:
            x, y = (feet[0][axis] + float(share) * (then[axis] - feet[0][axis]) for axis in (0, 1))
            spots.append((x, y, _BACK_ASIDE * float(share) * far + _ASIDE_MM))
    return spots


def _between(one: tuple[float, float], other: tuple[float, float]) -> list[Spot]:
    far = math.dist(one, other)
    return [
        (
            one[0] + float(share) * (other[0] - one[0]),
            one[1] + float(share) * (other[1] - one[1]),
            _ASIDE * far * float(min(share, 1 - share)) + _ASIDE_MM,
        )
        for share in np.linspace(0, 1, _STEPS)
    ]
