"""Pairs of cards that look almost alike, and the part of the card that separates them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.deck import EnrolledDeck, Reference
from vision.cards.features import Floats, Grid
from vision.cards.matching import Catalogue, as_picture, compare, turn_half

_ALIKE = 0.80
_SAME = 0.995
_MOST = 40
_ALIKE_FROM_AFAR = 0.70
"""Thumbnails are more alike than what they are made from; pairs below this need no closer look."""
_TELLING = 0.35
"""Share of the greatest difference that still belongs to what separates two cards."""
_SPOT_MM = 2.0
"""Differences nearer together than this belong to one spot."""

Box = tuple[float, float, float, float]
Progress = Callable[[int, int], None]
"""Called with how many sides are compared and how many there are."""


@dataclass(frozen=True, slots=True)
class ConfusablePair:
    """Two cards that differ in a small part only."""

    first: str
    second: str
    difference: float
    """0 for pictures that can't be told apart, 1 for ones with nothing in common."""
    where_mm: Box
    """x, y, width, height on the upright first card of the part that separates them best."""
    where: str
    """The same in words."""
    turned: bool = False
    """True where the second looks like the first when one of the two lies upside down."""

    def __str__(self) -> str:
        other = f"{self.second} upside down" if self.turned else self.second
        if self.difference < 1 - _SAME:
            return f"{self.first} and {other} look the same: they will never be told apart"
        return (
            f"{self.first} and {other} are easily confused (difference {self.difference:.2f}): what separates them is "
            f"{self.where}"
        )


def confusable_pairs(deck: EnrolledDeck, progress: Progress | None = None) -> tuple[ConfusablePair, ...]:
    """The most confusable pairs, the most alike first; at most 40.

    Pictures of one card are no pair, nor are two backs: whichever lies there, the card is face down.
    """
    catalogue = Catalogue.of([deck])
    everything = np.ones(catalogue.grid.rows * catalogue.grid.columns, bool)
    best: dict[tuple[str, str], tuple[float, int, int, bool]] = {}
    for i in range(len(deck.references)):
        for j, turned in _near(catalogue, i):
            own = _detail(catalogue, i)
            other = turn_half(_detail(catalogue, j), catalogue.grid) if turned else _detail(catalogue, j)
            like = compare(own, other[None], (other * other).sum(axis=1)[None])
            score = float(like.scores(everything)[0])
            names = _name(deck.references[i]), _name(deck.references[j])
            if score >= _ALIKE and score > best.get(names, (0.0,))[0]:
                best[names] = (score, i, j, turned)
        if progress is not None:
            progress(i + 1, len(deck.references))
    order = sorted(best.items(), key=lambda found: (-found[1][0], found[0]))[:_MOST]
    return tuple(_pair(catalogue, *found) for _, found in order)


def _near(catalogue: Catalogue, first: int) -> Iterator[tuple[int, bool]]:
    """The later sides of other cards that look like this one from afar, each with whether upside down."""
    grid, me = catalogue.grid, _name(catalogue.references[first])
    everything = np.ones(grid.rows * grid.columns, bool)
    rest = slice(first + 1, None)
    if not len(catalogue.references[rest]):
        return
    for turned in (False, True):
        cells = catalogue.coarse[first]
        seen = turn_half(cells, grid) if turned else cells
        scores = compare(seen, catalogue.coarse[rest], catalogue.coarse_energy[rest]).scores(everything)
        for j in np.flatnonzero(scores >= _ALIKE_FROM_AFAR):
            if _name(catalogue.references[first + 1 + int(j)]) != me:
                yield first + 1 + int(j), turned


def _detail(catalogue: Catalogue, reference: int) -> Floats:
    return np.asarray(catalogue.detail[reference], np.float32)


def _name(reference: Reference) -> str:
    return "back" if reference.card is None else reference.card


def _pair(catalogue: Catalogue, score: float, first: int, second: int, turned: bool) -> ConfusablePair:
    grid, references = catalogue.grid, catalogue.references
    other = turn_half(_detail(catalogue, second), grid) if turned else _detail(catalogue, second)
    box = _in_own_frame(
        _telling_box(as_picture(_detail(catalogue, first) - other, grid), grid), references[first], grid
    )
    size = (grid.height_mm, grid.width_mm) if references[first].turned else (grid.width_mm, grid.height_mm)
    where = _in_words(box, size)
    names = _name(references[first]), _name(references[second])
    return ConfusablePair(*names, round(1 - score, 3), box, where, turned)


def _telling_box(gap: Floats, grid: Grid) -> Box:
    """Around the spot of the canonical picture where two cards differ most, mm."""
    reach = _SPOT_MM * grid.px_per_mm / 2
    energy = cv2.GaussianBlur((gap * gap).sum(axis=2), (0, 0), reach, borderType=cv2.BORDER_REFLECT)
    energy = np.asarray(energy, np.float32)
    spots = (energy >= _TELLING * max(float(energy.max()), 1e-9)).astype(np.uint8)
    count, labels = cv2.connectedComponents(spots)
    weight: Sequence[float] = [float(energy[labels == n].sum()) for n in range(1, count)]
    rows, columns = np.nonzero(labels == 1 + int(np.argmax(weight)))
    return _box(rows, columns, grid)


def _box(rows: NDArray[np.intp], columns: NDArray[np.intp], grid: Grid) -> Box:
    across, down = grid.width_mm / grid.size_px[0], grid.height_mm / grid.size_px[1]
    x, y = float(columns.min()) * across, float(rows.min()) * down
    return x, y, float(np.ptp(columns) + 1) * across, float(np.ptp(rows) + 1) * down


def _in_own_frame(box: Box, reference: Reference, grid: Grid) -> Box:
    x, y, width, height = box
    if reference.turned:
        # Its own top is the canonical picture's right side.
        x, y, width, height = y, grid.width_mm - x - width, height, width
    return round(x, 1), round(y, 1), round(width, 1), round(height, 1)


def _in_words(box: Box, size_mm: tuple[float, float]) -> str:
    """Such as "at the top left, 9 x 12 mm"."""
    x, y, width, height = box
    if width * height > size_mm[0] * size_mm[1] / 3:
        return "spread over the card"
    across = ("left", "", "right")[min(2, int(3 * (x + width / 2) / size_mm[0]))]
    down = ("top", "", "bottom")[min(2, int(3 * (y + height / 2) / size_mm[1]))]
    side = f"{down} {across}".strip()
    return f"{f'at the {side}' if side else 'in the middle'}, {width:.0f} x {height:.0f} mm"
