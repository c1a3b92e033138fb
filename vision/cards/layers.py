"""Which of several found cards lies over which, what of each is in sight, and which of them there need not be at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.features import Floats, Grid
from vision.cards.matching import Catalogue, blown_out, look_at, lost_in_light, pixels_of
from vision.cards.outlines import Placement
from vision.cards.scene import CardScene

Mask = NDArray[np.bool_]

_SOFT_PX = 1.0
_NOISE = 0.0015
"""Energy of a pixel's description that noise alone explains."""
_AS_LIKE = 0.1
"""By so much less like the picture a card may be, and still explain it."""
_OWN_SHARE = 0.06
"""Of a card: with less than this in sight that no other card explains, it need not be there."""
_EXPLAINS = 0.5
"""Of a card's quality: what is borne out by less explains nothing of it away."""


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """A card where it was found."""

    placement: Placement
    reference: int
    """-1 where nothing fits."""
    seen: Mask
    """Pixels of its canonical picture that nothing found before hides."""
    quality: float
    """How well picture and outline bear it out."""


@dataclass(frozen=True, slots=True, eq=False)
class _Overlap:
    """Where two cards both are, in canonical pixels of the first, and how like their references they are there."""

    where: Mask
    mine: float
    theirs: float


class Layers:
    """The cards of one size that were found in a scene."""

    def __init__(self, scene: CardScene, catalogue: Catalogue, cards: Sequence[Lying]) -> None:
        self._scene = scene
        self._catalogue = catalogue
        self._grid = catalogue.grid
        self._cards = tuple(cards)
        self._pictures: dict[int, tuple[Floats, Floats]] = {}
        self._overlaps: dict[tuple[int, int], _Overlap | None] = {}

    def needed(self) -> tuple[int, ...]:
        """The cards that explain something that no other one does, by their index: phantoms lie where two others show alike."""
        left = list(range(len(self._cards)))
        for i in sorted(left, key=lambda i: self._cards[i].quality):
            least = _EXPLAINS * self._cards[i].quality
            others = [j for j in left if self._cards[j].quality >= least]
            if self._cards[i].reference >= 0 and self._own_share(i, others) < _OWN_SHARE:
                left.remove(i)
        return tuple(left)

    def in_sight(self, i: int, among: Sequence[int]) -> Mask:
        """Pixels of a card that none of the others lies over: of two cards the upper one is like the picture where both are."""
        card = self._cards[i]
        lost = pixels_of(self._lost(card), self._grid)
        seen, hidden = card.seen.copy(), lost.copy()
        for j in among:
            overlap = self._overlap(i, j)
            if overlap is None:
                continue
            if overlap.theirs > overlap.mine:
                hidden |= overlap.where
            else:
                seen |= overlap.where
        visible: Mask = seen & ~hidden
        return visible

    def _lost(self, card: Lying) -> Mask:
        where = self._scene.image, self._scene.pose, card.placement, self._grid
        if card.reference < 0:
            return blown_out(*where)
        return lost_in_light(*where, self._catalogue.references[card.reference].picture)

    def _own_share(self, i: int, among: Sequence[int]) -> float:
        own = self._cards[i].seen.copy()
        for j in among:
            overlap = self._overlap(i, j)
            if overlap is not None and overlap.theirs > overlap.mine - _AS_LIKE:
                own &= ~overlap.where
        return float(own.mean())

    def _overlap(self, i: int, j: int) -> _Overlap | None:
        if (i, j) not in self._overlaps:
            self._overlaps[i, j] = self._measured(i, j)
        return self._overlaps[i, j]

    def _measured(self, i: int, j: int) -> _Overlap | None:
        first, second = self._cards[i], self._cards[j]
        reach = float(np.hypot(self._grid.width_mm, self._grid.height_mm))
        gap = np.hypot(first.placement.x_mm - second.placement.x_mm, first.placement.y_mm - second.placement.y_mm)
        if i == j or second.reference < 0 or gap > reach:
            return None
        mine = overlap_of(first.placement, second.placement, self._grid)
        theirs = overlap_of(second.placement, first.placement, self._grid)
        if not mine.any() or not theirs.any():
            return None
        return _Overlap(mine, self._like(i, mine), self._like(j, theirs))

    def _like(self, i: int, where: Mask) -> float:
        """How like its reference a card is in a part of it, -1 to 1."""
        card = self._cards[i]
        if card.reference < 0:
            return 0.0
        if i not in self._pictures:
            picture = look_at(self._scene.image, self._scene.pose, card.placement, self._grid)
            both = (picture, self._catalogue.picture(card.reference))
            a, b = (np.asarray(cv2.GaussianBlur(one, (0, 0), _SOFT_PX), np.float32) for one in both)
            self._pictures[i] = a, b
        a, b = (one[where] for one in self._pictures[i])
        return float(2 * (a * b).sum() / ((a * a).sum() + (b * b).sum() + _NOISE * a.size))


def overlap_of(card: Placement, other: Placement, grid: Grid) -> Mask:
    """Pixels of a card's canonical picture that lie within another card of its size."""
    width, height = grid.size_px
    turn = np.radians(card.angle_deg)
    away = other.corners_mm(grid.width_mm, grid.height_mm) - (card.x_mm, card.y_mm)
    own = away @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    px = (own / (grid.width_mm, grid.height_mm) + 0.5) * (width, height) - 0.5
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, (px * 16).round().astype(np.int32), 1, shift=4)
    inside: Mask = mask > 0
    return inside
