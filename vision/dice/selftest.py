"""An enrolled die tried on itself: faces that look much alike, and pictures that it would not read as what they show."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import cv2

from vision.dice.enrolled import EnrolledDie
from vision.dice.faces import likeness
from vision.dice.picture import find_die
from vision.dice.tops import read_tops
from vision.frame import Image

CONFUSABLE = 0.96
"""Likeness of two faces' symbols from which on they may stay unread."""
TURN_DEG = 100.0
"""By which a picture is turned before it is read again: no die lies twice as it did."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Two faces whose symbols look much alike."""

    a: str
    b: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Misread:
    """A picture that the die does not read as what it shows."""

    picture: str
    face: str
    read: str | None
    """Another face's name; None where it says nothing."""


def alike_faces(die: EnrolledDie) -> tuple[Alike, ...]:
    """Every two faces that are easily confused, by name."""
    found = []
    for one, other in itertools.combinations(die.faces, 2):
        score = max((likeness(a, b).score for a in one.symbols for b in other.symbols), default=-1.0)
        if score >= CONFUSABLE:
            found.append(Alike(one.name, other.name, score))
    return tuple(found)


def misread(die: EnrolledDie, pictures: Iterable[tuple[str, str, Image]]) -> tuple[Misread, ...]:
    """Those of the photographs (name, face, picture) that the die reads otherwise, or not, once they are turned."""
    found = []
    for name, face, picture in pictures:
        read = _read_turned(die, picture)
        if read != face:
            found.append(Misread(name, face, read))
    return tuple(found)


def _read_turned(die: EnrolledDie, picture: Image) -> str | None:
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), TURN_DEG, 1.0)
    turned = cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE).astype(picture.dtype)
    found = find_die(turned, die.sides)
    if found is None:
        return None
    tops = read_tops(turned, found.poses, found.px, [die])
    return max(tops, key=lambda top: top.weight).read.symbol
