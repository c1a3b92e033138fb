"""How the scans of a deck are named: whose picture a file is follows from its name alone.

    red-06.png          the face of red-06; a card's id is its scan's stem
    red-06@worn.jpg     another picture of the same face: a worn copy, another printing, another light
    back.png            the other side; back-<name>.png where a deck has several different backs
    back@2.png          another picture of the same back

So no id may hold an @, be `back`, or begin with `back-`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

SUFFIXES = (".png", ".jpg", ".jpeg")
BACK = "back"
AGAIN = "@"
"""Stands between an id and what tells several pictures of one face apart."""

SMALLEST_MM, LARGEST_MM = 20.0, 250.0
"""What a card's side may measure."""


def card_size(value: object) -> tuple[float, float] | None:
    """A card's width and height in mm, of a pair of numbers that can be; else None."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    if not all(isinstance(side, int | float) and not isinstance(side, bool) and math.isfinite(side) for side in value):
        return None
    width, height = float(value[0]), float(value[1])
    return (width, height) if min(width, height) >= SMALLEST_MM and max(width, height) <= LARGEST_MM else None


def side_of(stem: str) -> str:
    """The id of the card, or the name of the back (`back`, `back-red`), that a scan's stem names."""
    return stem.partition(AGAIN)[0]


def is_back(side: str) -> bool:
    """Whether a side's name is that of a back."""
    return side.casefold() == BACK or side.casefold().startswith(f"{BACK}-")


def can_be_id(card: str) -> bool:
    """Whether a card may be called so, so that its scan is taken for its face."""
    return bool(card.strip()) and card.isprintable() and not {"/", AGAIN} & set(card) and not is_back(card)


def are_scans(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Those of the paths that are named as pictures, by name; what begins with a dot is some system's own."""
    return tuple(sorted(p for p in paths if p.suffix.lower() in SUFFIXES and not p.name.startswith(".")))


def first_scans(paths: Iterable[Path]) -> dict[str, Path]:
    """The picture that stands for each side: of several the one that bears the plain name, else the first by name."""
    found: dict[str, Path] = {}
    for path in sorted(are_scans(paths), key=lambda path: (AGAIN in path.stem, path.name)):
        found.setdefault(side_of(path.stem), path)
    return found
