"""Proposals of where a card may lie, the most promising first, given what is still free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.cards.features import COARSE_PX, in_cells
from vision.cards.matching import Catalogue, look_in_view, rank_all
from vision.cards.outlines import Placement, outline_support, without
from vision.cards.places import distance, same_place, very_near
from vision.cards.scene import CardScene

Mask = NDArray[np.bool_]
_BATCH = 48
_MIN_COARSE = 0.07
_NEXT_READING = 0.8
_MIN_OWN_EDGE = 0.12
READINGS = 3
MIN_SHOWN = 0.22


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
        self._proposals = proposals
        grid = catalogue.grid
        origin = scene.claims.origin_mm
        self._thumbnails = np.stack(
            [in_cells(look_in_view(scene.view, origin, p, grid, COARSE_PX), grid) for p in proposals]
        )
        self._edges = scene.edges
        self._places = np.array([(p.x_mm, p.y_mm) for p in proposals])
        self._support = np.array([p.support for p in proposals])
        self._rank = np.zeros(len(proposals))
        self._references = np.zeros((len(proposals), READINGS), np.intp)
        self._turns = np.zeros((len(proposals), READINGS), np.intp)
        self._scores = np.zeros((len(proposals), READINGS))
        self._alive = np.ones(len(proposals), bool)
        self._tried = np.zeros(len(proposals), bool)
        self._aligned: list[Placement] = []
        self._update(np.arange(len(proposals)))

    def take_best(self) -> Candidate | None:
        """The most promising proposal not yet tried."""
        rank = np.where(self._tried | ~self._alive, 0.0, self._rank)
        best = int(rank.argmax())
        if rank[best] <= 0:
            return None
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
            self._update(again)

    def _update(self, which: NDArray[np.intp]) -> None:
        visible = np.stack([self._visible(self._proposals[int(i)]) for i in which])
        for start in range(0, len(which), _BATCH):
            part = slice(start, start + _BATCH)
            scores, references, turns = rank_all(
                self._thumbnails[which[part]], self._catalogue, visible[part], READINGS
            )
            score = scores[:, 0]
            share = visible[part].mean(axis=1)
            hope = (score >= _MIN_COARSE) & (share >= MIN_SHOWN)
            rank = score * (0.4 + 0.6 * self._support[which[part]]) * (0.5 + 0.5 * share)
            self._rank[which[part]] = np.where(hope, rank, 0.0)
            count = references.shape[1]
            self._scores[which[part], :count] = scores
            self._references[which[part], :count], self._turns[which[part], :count] = references, turns
