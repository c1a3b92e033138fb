"""Pairs of cards that look almost alike, and the part of the card that separates them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.cards.deck import EnrolledDeck
from vision.cards.identity import BACK
from vision.cards.matching import Catalogue, compare

_ALIKE = 0.80
_SAME = 0.995
_MOST = 40


@dataclass(frozen=True, slots=True)
class ConfusablePair:
    """Two sides that differ in a small part only."""

    first: str
    second: str
    difference: float
    """0 for pictures that can't be told apart, 1 for ones with nothing in common."""
    where_mm: tuple[float, float, float, float]
    """x, y, width, height on the upright card of the part that separates them best."""

    def __str__(self) -> str:
        x, y, width, height = self.where_mm
        if self.difference < 1 - _SAME:
            return f"{self.first} and {self.second} look the same: they will never be told apart"
        return (
            f"{self.first} and {self.second} are easily confused (difference {self.difference:.2f}): what separates them "
            f"lies at {x:.0f},{y:.0f} mm, {width:.0f} x {height:.0f} mm"
        )


def confusable_pairs(deck: EnrolledDeck) -> tuple[ConfusablePair, ...]:
    """The most confusable pairs, the most alike first; at most 40."""
    catalogue = Catalogue.of([deck])
    grid = catalogue.grid
    everything = np.ones(grid.rows * grid.columns, bool)
    found = []
    for i in range(len(deck.references) - 1):
        likeness = compare(
            catalogue.detail[i].astype(np.float32), catalogue.detail[i + 1 :], catalogue.detail_energy[i + 1 :]
        )
        for j in np.flatnonzero(likeness.scores(everything) >= _ALIKE):
            gap = catalogue.detail[i + 1 + j].astype(np.float32) - catalogue.detail[i].astype(np.float32)
            energy = (gap * gap).sum(axis=1).reshape(grid.rows, grid.columns)
            score = float(likeness.scores(everything)[j])
            found.append((score, i, i + 1 + int(j), energy))
    found.sort(key=lambda pair: -pair[0])
    cell = (grid.width_mm / grid.columns, grid.height_mm / grid.rows)
    pairs = []
    for score, first, second, energy in found[:_MOST]:
        rows, columns = np.nonzero(energy >= 0.4 * energy.max())
        box = (columns.min() * cell[0], rows.min() * cell[1])
        size = ((np.ptp(columns) + 1) * cell[0], (np.ptp(rows) + 1) * cell[1])
        names = (deck.references[first].card or BACK, deck.references[second].card or BACK)
        where = (round(float(box[0]), 1), round(float(box[1]), 1), round(float(size[0]), 1), round(float(size[1]), 1))
        pairs.append(ConfusablePair(*names, round(1 - score, 3), where))
    return tuple(pairs)
