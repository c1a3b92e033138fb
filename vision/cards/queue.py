"""Proposals of where a card may lie, the most promising first, given what is still free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.cards.features import COARSE_PX, Floats, in_cells
from vision.cards.matching import Catalogue, look_in_view, rank_all
from vision.cards.outlines import Placement, outline_support, without
from vision.cards.places import distance, on_table, same_place, very_near
from vision.cards.scene import CardScene

Mask = NDArray[np.bool_]
_BATCH = 48
_MIN_COARSE = 0.07
_NEXT_READING = 0.8
_MIN_OWN_EDGE = 0.12
READINGS = 3
MIN_SHOWN = 0.22
_FIRST = 120
"""So many are looked at before the others: most outlines after them are of cards that these tell."""
_OUTLINED, _LIKE_NOTHING = 0.75, 0.2
"""Support of an outline that is hardly chance, and likeness to every card below which it is looked at again from beside."""
_BESIDE_MM = 2.0
"""By so much an outline may be off: a sleeve's rim, or a printed frame, passes for the card's own edge."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal on its way to be tried."""

    index: int
    placement: Placement
    readings: tuple[tuple[int, bool], ...]
    """Reference and whether it lies the other way round, the likeliest first."""


class Queue:
    """Proposals in the order of how promising they are, given what is still free."""

    def __init__(
        self,
        scene: CardScene,
        catalogue: Catalogue,
        proposals: Sequence[Placement],
        visible: Callable[[Placement], Mask],
    ) -> None:
        self._visible = visible
        self._scene = scene
        self._catalogue = catalogue
        self._proposals = list(proposals)
        self._thumbnails: dict[int, Floats] = {}
        self._edges = scene.edges
        self._places = np.array([(p.x_mm, p.y_mm) for p in proposals])
        self._support = np.array([p.support for p in proposals])
        self._rank = np.zeros(len(proposals))
        self._references = np.zeros((len(proposals), READINGS), np.intp)
        self._turns = np.zeros((len(proposals), READINGS), np.intp)
        self._scores = np.zeros((len(proposals), READINGS))
        self._alive = np.ones(len(proposals), bool)
        self._tried = np.zeros(len(proposals), bool)
        self._is_moved = np.zeros(len(proposals), bool)
        self._awake = np.arange(len(proposals)) < _FIRST
        self._aligned: list[Placement] = []
        self._update(np.flatnonzero(self._awake))

    def take_best(self) -> Candidate | None:
        """The most promising proposal not yet tried."""
        rank = np.where(self._tried | ~self._alive, 0.0, self._rank)
        best = int(rank.argmax())
        if rank[best] <= 0:
            return self.take_best() if self._wake() else None
        self._tried[best] = True
        likely = self._scores[best] >= _NEXT_READING * self._scores[best][0]
        readings = zip(
            self._references[best][likely].tolist(), self._turns[best][likely].astype(bool).tolist(), strict=True
        )
        return Candidate(best, self._proposals[best], tuple(dict.fromkeys(readings)))

    def was_tried(self, aligned: Placement) -> bool:
        """Whether another proposal was already pulled to this very place; remembers the place."""
        known = any(very_near(aligned, other) for other in self._aligned)
        if not known:
            self._aligned.append(aligned)
        return known

    def rank_near(self, settled: Placement, covered: Mask) -> None:
        """Ranks again what a newly settled card, which covers this part of the view, may hide or be."""
        grid = self._catalogue.grid
        reach = float(np.hypot(grid.width_mm, grid.height_mm))
        gap = np.hypot(*(self._places - (settled.x_mm, settled.y_mm)).T)
        near = np.flatnonzero((gap < reach) & self._alive)
        self._alive[[i for i in near if same_place(self._proposals[int(i)], settled, grid.width_mm)]] = False
        again = near[self._alive[near]]
        if len(again):
            self._tried[again] = False
            self._aligned = [placement for placement in self._aligned if distance(placement, settled) > reach]
            raw = np.array([(p.x_mm, p.y_mm, p.angle_deg) for p in (self._proposals[int(i)] for i in again)])
            self._edges = without(self._edges, covered)
            self._support[again] = outline_support(self._edges, raw, grid.width_mm, grid.height_mm)[0]
            self._alive[again[self._support[again] < _MIN_OWN_EDGE]] = False
            self._update(again[self._awake[again]])

    def _wake(self) -> bool:
        """Looks at the less well outlined ones, which no card found so far accounts for; whether there were any."""
        asleep = np.flatnonzero(~self._awake & self._alive)
        self._awake[:] = True
        self._update(asleep)
        return len(asleep) > 0

    def _update(self, which: NDArray[np.intp]) -> None:
        if not len(which):
            return
        visible = np.stack([self._visible(self._proposals[int(i)]) for i in which])
        share = visible.mean(axis=1)
        for start in range(0, len(which), _BATCH):
            self._compare(which[start : start + _BATCH], visible[start : start + _BATCH])
        like_nothing = (self._scores[which, 0] < _LIKE_NOTHING) & (share >= MIN_SHOWN)
        for row in np.flatnonzero(like_nothing & (self._support[which] >= _OUTLINED) & ~self._is_moved[which]):
            self._look_beside(int(which[row]), visible[row])
        score = self._scores[which, 0]
        hope = (score >= _MIN_COARSE) & (share >= MIN_SHOWN)
        rank = score * (0.4 + 0.6 * self._support[which]) * (0.5 + 0.5 * share)
        self._rank[which] = np.where(hope, rank, 0.0)

    def _compare(self, which: NDArray[np.intp], visible: Mask) -> None:
        scores, references, turns = rank_all(
            np.stack([self._seen(int(i)) for i in which]), self._catalogue, visible, READINGS
        )
        count = references.shape[1]
        self._scores[which, :count] = scores
        self._references[which, :count], self._turns[which, :count] = references, turns

    def _look_beside(self, i: int, visible: Mask) -> None:
        """Moves a proposal to where it shows a card best: what is drawn finely shows nothing until it lies where it should."""
        here = self._proposals[i]
        steps = [(across, down) for across in (-1, 0, 1) for down in (-1, 0, 1) if across or down]
        places = on_table(here, _BESIDE_MM * np.array(steps, np.float64))
        beside = [replace(here, x_mm=float(x), y_mm=float(y)) for x, y in places]
        seen = np.stack([self._thumbnail(placement) for placement in beside])
        scores, _references, _turns = rank_all(seen, self._catalogue, np.repeat(visible[None], len(seen), axis=0), 1)
        best = int(scores[:, 0].argmax())
        self._is_moved[i] = True
        if scores[best, 0] > max(float(self._scores[i, 0]), _LIKE_NOTHING):
            self._proposals[i], self._thumbnails[i] = beside[best], seen[best]
            self._places[i] = (beside[best].x_mm, beside[best].y_mm)
            self._compare(np.array([i]), visible[None])

    def _seen(self, i: int) -> Floats:
        if i not in self._thumbnails:
            self._thumbnails[i] = self._thumbnail(self._proposals[i])
        return self._thumbnails[i]

    def _thumbnail(self, placement: Placement) -> Floats:
        grid = self._catalogue.grid
        return in_cells(look_in_view(self._scene.view, self._scene.claims.origin_mm, placement, grid, COARSE_PX), grid)
