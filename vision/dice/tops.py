"""What lies on top of a die of which several poses may be the true one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.dice.edges import EdgeMap
from vision.dice.enrolled import EnrolledDie
from vision.dice.faces import lay_flat
from vision.dice.fit import DiePose
from vision.dice.identify import FaceReading, known_faces, read_face
from vision.dice.silhouette import overlap
from vision.frame import Image

Floats = NDArray[np.float64]

_MOST = 5
_SAME_TOP = 0.7
"""Overlap from which on two poses show the same top face."""
_POSE_WIDTH = 0.028
"""By how much a pose must be worthier than another to be e times as likely."""
_LEAST_BARE = 0.3
"""Least share of a die in sight by which the difference of two poses is made to count less."""
_ASTRAY = 0.09
"""What ink far from its face's middle speaks against a pose, in its worth."""
_UNKNOWN = 0.07
"""And ink that is like no known symbol."""
_UNLIKE = 0.06
"""The same on a face that is hidden in part."""
_CENTRED = 0.05
"""And what a known symbol right in a face's middle speaks for one."""
_HOPELESS = 0.3
"""Poses so much less worthy than the best are no longer thought of."""


@dataclass(frozen=True, slots=True)
class Top:
    """What lies on top in one pose."""

    pose: DiePose
    weight: float
    """How likely the pose is; all tops of a die together make 1."""
    read: FaceReading


def read_tops(
    image: Image,
    poses: Sequence[DiePose],
    to_px: Callable[[Floats], Floats],
    dice: Sequence[EnrolledDie],
    edges: EdgeMap | None = None,
    bare: float = 1.0,
) -> list[Top]:
    """What lies on top in each pose that may be the true one, worthiest first. Symbols lie in the middle of faces and are known:
    where they are not, the pose is doubtful.

    `to_px` gives the picture's pixels of points on the table's plane; `edges` says what something lies over, `bare` which share
    of the die is in sight: the less, the less do its edges tell one pose from another.
    """
    found, worths = [], []
    shown = max(bare, _LEAST_BARE)
    for tried in distinct_tops(poses):
        if tried.worth < poses[0].worth - _HOPELESS:
            break
        top = tried.shown_top()
        cover = None if edges is None or edges.cover is None else (edges.cover, edges.px(top))
        read = read_face(lay_flat(image, to_px(top), tried.top(), cover), known_faces(dice, tried.sides))
        found.append((tried, read))
        against = _ASTRAY * read.astray + _UNKNOWN * read.unknown + _UNLIKE * read.unlike
        worths.append(shown * tried.worth - against + _CENTRED * read.centred)
    weights = np.exp((np.array(worths) - max(worths)) / _POSE_WIDTH)
    return [Top(tried, float(w), read) for w, (tried, read) in zip(weights / weights.sum(), found, strict=True)]


def over_all(tops: Sequence[Top]) -> tuple[tuple[str, float], ...]:
    """What lies on top over all poses, likeliest first."""
    shares: dict[str, float] = {}
    for top in tops:
        for name, share in top.read.candidates:
            shares[name] = shares.get(name, 0.0) + top.weight * share
    return tuple(sorted(shares.items(), key=lambda each: -each[1])[:4])


def distinct_tops(poses: Sequence[DiePose]) -> list[DiePose]:
    """The poses, worthiest first, without those that show the same top face as a worthier one."""
    kept: list[DiePose] = []
    for pose in poses:
        if all(pose.sides != other.sides or overlap(pose.shown_top(), other.shown_top()) < _SAME_TOP for other in kept):
            kept.append(pose)
        if len(kept) == _MOST:
            break
    return kept
