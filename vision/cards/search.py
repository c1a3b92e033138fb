"""The search of a scene for the cards of one size.

The best placements are settled first; what a settled card accounts for is no longer evidence for another one, so that the
cards of an overlapping row come out from top to bottom, each with the cells that it really shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.evidence import Odds, odds_of_tops
from vision.cards.features import COARSE_PX, in_cells
from vision.cards.identity import Identity, Thresholds, confirm, identify, with_top
from vision.cards.layers import Layers, Lying
from vision.cards.matching import Catalogue, align, align_roughly, blown_out, crop, look_in_view, rank_all
from vision.cards.outlines import Placement, outline_support, own_support, propose, without
from vision.cards.scene import CardScene
from vision.frame import Image
from vision.table import TablePose

Mask = NDArray[np.bool_]

_MAX_PROPOSALS = 140
_BATCH = 48
_MIN_COARSE = 0.07
_MIN_ROUGH = 0.22
_SURE_PLACE = 0.7
_SURE_TOP = 0.2
"""Lead in presence over the other way round, from which on that is not tried."""
_READINGS = 3
_NEXT_READING = 0.8
_SURE_QUALITY = 0.6
_MIN_OUTLINE = 0.25
_MIN_OWN_EDGE = 0.12
_SURE_PRESENCE = 0.66
_MIN_SHOWN = 0.22
_SAME_CARD_MM = 9.0
_FEW = 4
"""Proposals that are tried first where only a part of the scene is wanted."""
_LEAST_PART = np.ones((15, 15), np.uint8)
"""Of the view: where less than this is left of a card, it can't be read."""
_BETWEEN_SUPPORT = 0.55
_FAINT_PRESENCE = 0.12
_FAINT_SUPPORT = 0.75
_FAINT_SHARE = 0.4
"""Likeness, outline and share in sight from which on a card may show though noise all but drowns what is printed on it."""
_UNKNOWN_SUPPORT = 0.92
_UNKNOWN_WEAKEST = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A card that was found, with what it shows."""

    catalogue: Catalogue
    placement: Placement
    identity: Identity
    quality: float
    """How well picture and outline bear the card out, 0 to 1."""
    outline: float = 1.0
    """Share of its outline, where it is in sight, that is edge; of its worst side where what is printed repeats."""
    faint: bool = False
    """Whether it is there only if the evidence says so without doubt."""
    seen: Mask | None = None
    """Pixels of its canonical picture, the placement's way up, that nothing settled before hides."""

    @property
    def doubt(self) -> str:
        """For people: what keeps the card from being stated; the weakest link where it is stated."""
        return self.identity.doubt.value

    @property
    def scan(self) -> Image | None:
        """The reference that it is held against; None where none fits."""
        reference = self.identity.reference
        return None if reference < 0 else self.catalogue.references[reference].picture

    def lying(self) -> Lying:
        """For what lies over what."""
        width, height = self.catalogue.grid.size_px
        seen = self.seen if self.seen is not None else np.ones((height, width), bool)
        return Lying(self.placement, self.identity.reference, seen, self.quality)

    def told(self) -> Settled:
        """Without what it was weighed by, which is large."""
        return replace(self, identity=replace(self.identity, laid=None))

    def picture(self, image: Image, pose: TablePose) -> Image:
        """What lies there, in canonical form, the reference's way up."""
        grid = self.catalogue.grid
        return crop(image, pose, self.placement, grid, grid.size_px)


class Search:
    """One pass over a scene for the cards of one size. `known` are cards of that size whose claims the scene holds already."""

    def __init__(
        self, scene: CardScene, catalogue: Catalogue, thresholds: Thresholds, known: Sequence[Settled] = ()
    ) -> None:
        self._scene = scene
        self._catalogue = catalogue
        self._grid = catalogue.grid
        self._thresholds = thresholds
        self._known = tuple(known)
        self._settled: list[Settled] = []

    def run(self, likely: Sequence[Placement] = (), wanted: Mask | None = None) -> list[Settled]:
        """The cards beside the known ones; `likely` are placements to try beside the outlines in the scene.

        With `wanted`, a mask of the view, the search is over once nothing as large as a card's part is left of it unclaimed.
        """
        outlined = propose(self._scene.edges, self._grid.width_mm, self._grid.height_mm)
        here = [placement for placement in (*self._measured(likely), *outlined) if self._scene.wants(placement)]
        proposals = [placement for placement in here if not self._taken(placement)][:_MAX_PROPOSALS]
        if not proposals:
            return []
        if wanted is not None and len(proposals) > _FEW:
            # Where little changed the best outlines mostly do.
            self._settle_sure(_Queue(self._scene, self._catalogue, proposals[:_FEW]), [], wanted)
        if not self._explained(wanted):
            self._settle_all([placement for placement in proposals if not self._taken(placement)], wanted)
        self._settle_between(proposals, wanted)
        self._add_unknown(proposals)
        return self._confirmed()

    def _measured(self, placements: Sequence[Placement]) -> list[Placement]:
        """With the support that their outlines have in this scene."""
        if not placements:
            return []
        raw = np.array([(p.x_mm, p.y_mm, p.angle_deg) for p in placements])
        support, weakest = outline_support(self._scene.edges, raw, self._grid.width_mm, self._grid.height_mm)
        return [
            replace(p, support=float(all_round), weakest=float(least))
            for p, all_round, least in zip(placements, support, weakest, strict=True)
        ]

    def _settle_all(self, proposals: Sequence[Placement], wanted: Mask | None) -> None:
        if not proposals:
            return
        queue = _Queue(self._scene, self._catalogue, proposals)
        waiting: list[Settled] = []
        while not self._explained(wanted):
            self._settle_sure(queue, waiting, wanted)
            if not waiting:
                break
            self._settle(max(waiting, key=lambda card: card.quality), queue, waiting)

    def _settle_between(self, proposals: Sequence[Placement], wanted: Mask | None) -> None:
        """Cards that show little but paper, where their neighbours have taken it for their own."""
        if not self._settled or not self._scene.claims.release_plain():
            return
        left = [p for p in proposals if p.support >= _BETWEEN_SUPPORT and not self._taken(p) and self._is_beside(p)]
        if left:
            self._settle_all(left, wanted)

    def _is_beside(self, placement: Placement) -> bool:
        reach = float(np.hypot(self._grid.width_mm, self._grid.height_mm))
        near = any(_distance(placement, card.placement) < reach for card in (*self._known, *self._settled))
        return near and float(self._scene.claims.visible(placement, self._grid).mean()) >= _MIN_SHOWN

    def _settle_sure(self, queue: _Queue, waiting: list[Settled], wanted: Mask | None) -> None:
        """Whole and well lit cards at once: they say what of the doubtful ones, which wait, can be seen at all."""
        while (best := queue.take_best()) is not None:
            found = self._try(best, queue)
            if found is None:
                continue
            if found.identity.presence < _SURE_PRESENCE or found.quality < _SURE_QUALITY:
                waiting.append(found)
                continue
            self._settle(found, queue, waiting)
            if self._explained(wanted):
                break

    def _explained(self, wanted: Mask | None) -> bool:
        """Whether what is left of the wanted part of the view is too little to show a card."""
        if wanted is None:
            return False
        left = (wanted & self._scene.claims.free).astype(np.uint8)
        return cv2.countNonZero(cv2.erode(left, _LEAST_PART)) == 0

    def _confirmed(self) -> list[Settled]:
        """Those of the settled cards that there must be, each judged by what is in sight of it."""
        cards = (*self._known, *self._settled)
        layers = Layers(self._scene, self._catalogue, [card.lying() for card in cards])
        needed = layers.needed()
        first = len(self._known)
        judged = [self._judged_alone(cards[i], layers.in_sight(i, needed)) for i in needed if i >= first]
        return [card for card in judged if not card.faint or card.identity.confidence >= self._thresholds.acting]

    def _judged_alone(self, card: Settled, seen: Mask) -> Settled:
        """With the confidence that its picture, weighed by itself, gives it, and the way round that it bears out."""
        sure = self._weighed(card, seen)
        if sure.identity.laid is None or sure.identity.upright_lead >= _SURE_TOP:
            return sure.told()
        if self._catalogue.topless[sure.identity.reference]:
            return replace(sure, identity=replace(sure.identity, upright=1.0)).told()
        other = self._weighed(self._other_way(sure), seen[::-1, ::-1])
        if other.identity.laid is None or other.identity.reference != sure.identity.reference:
            return sure.told()
        odds = odds_of_tops(sure.identity.laid, other.identity.laid)
        if odds.nats < 0:
            sure, odds = other, Odds(-odds.nats, odds.most)
        return replace(sure, identity=with_top(sure.identity, odds)).told()

    def _weighed(self, card: Settled, seen: Mask) -> Settled:
        picture = crop(self._scene.image, self._scene.pose, card.placement, self._grid, self._grid.size_px)
        return replace(card, identity=confirm(card.identity, self._catalogue, picture, seen, card.outline))

    def _other_way(self, card: Settled) -> Settled:
        """The same card, pulled into place the other way round."""
        scene, grid, identity = self._scene, self._grid, card.identity
        target, placement = self._catalogue.picture(identity.reference), _half_turned(card.placement)
        accounted = identity.accounted[::-1]
        placement, described = align(scene.image, scene.pose, placement, target, grid, accounted)
        cells = in_cells(described, grid)
        return replace(card, placement=placement, identity=replace(identity, accounted=accounted, described=cells))

    def _settle(self, card: Settled, queue: _Queue, waiting: list[Settled]) -> None:
        """Gives a card what it accounts for; what waits near it has to prove itself again with what is left."""
        blown = blown_out(self._scene.image, self._scene.pose, card.placement, self._grid)
        card = replace(card, seen=self._scene.claims.pixels(card.placement, self._grid))
        cells = card.identity.accounted | blown
        covered = self._scene.claims.take(card.placement, self._grid, cells, card.identity.plain | blown)
        self._settled.append(card)
        queue.rank_near(card.placement, covered)
        reach = float(np.hypot(self._grid.width_mm, self._grid.height_mm))
        waiting[:] = [other for other in waiting if _distance(other.placement, card.placement) > reach]

    def _try(self, best: _Candidate, queue: _Queue) -> Settled | None:
        """Aligns a proposal and says which card it is; None where it turns out to be none, or one that is known."""
        rough = self._roughly(best)
        if rough is None or queue.was_tried(rough[0]):
            return None
        placement, reference = rough
        found = self._finely(placement, reference)
        if found is None or found.identity.upright_lead >= _SURE_TOP:
            return found
        # What was pulled onto the wrong way round may only seem to fit: give the other way the same chance.
        other = self._finely(_half_turned(found.placement), found.identity.reference)
        return other if other is not None and other.identity.presence > found.identity.presence else found

    def _roughly(self, best: _Candidate) -> tuple[Placement, int] | None:
        """The likeliest readings pulled into place in the table view: the best one's placement and reference."""
        scene, grid = self._scene, self._grid
        highest, chosen = _MIN_ROUGH, None
        for reference, turned in best.readings:
            placement = _half_turned(best.placement) if turned else best.placement
            target = self._catalogue.picture(reference)
            visible = scene.claims.visible(placement, grid)
            placement, like = align_roughly(scene.view, scene.claims.origin_mm, placement, target, grid, visible)
            if like > highest and not self._taken(placement):
                highest, chosen = like, (placement, reference)
            if highest >= _SURE_PLACE:
                # The place is right; which card it is is found out in full detail, among all.
                break
        return chosen

    def _finely(self, placement: Placement, reference: int, presence: float | None = None) -> Settled | None:
        """Pulls a placement onto a reference in full detail, changing to a likelier one on the way where there is one."""
        least = self._thresholds.presence if presence is None else presence
        scene, grid = self._scene, self._grid
        target = self._catalogue.picture(reference)
        for attempt in range(3):
            shown = self._shown(placement)
            placement, described = align(scene.image, scene.pose, placement, target, grid, shown)
            shown = self._shown(placement)
            if shown.mean() < _MIN_SHOWN or not scene.wants(placement) or self._taken(placement):
                return None
            identity = identify(in_cells(described, grid), self._catalogue, shown)
            if identity.presence < least:
                return None
            if identity.reference == reference and not identity.turned:
                return self._judged(placement, identity)
            if attempt < 2:
                reference, target = identity.reference, self._catalogue.picture(identity.reference)
                placement = _half_turned(placement) if identity.turned else placement
        return None

    def _shown(self, placement: Placement) -> Mask:
        """Cells in which the card can be seen: free, and not lost in a reflection."""
        visible = self._scene.claims.visible(placement, self._grid)
        clear = visible & ~blown_out(self._scene.image, self._scene.pose, placement, self._grid)
        return clear if clear.mean() >= _MIN_SHOWN else visible

    def _judged(self, placement: Placement, identity: Identity) -> Settled | None:
        """With how much of its outline shows where it should; None where too little does."""
        size = (self._grid.width_mm, self._grid.height_mm)
        outline, weakest = own_support(self._scene.edges, placement, size, self._scene.claims.free)
        if outline < _MIN_OUTLINE:
            return None
        quality = identity.presence * (0.1 + 0.9 * outline)
        # What repeats fits as well a pattern further on: only its edges tell its place.
        told = min(outline, weakest) if self._catalogue.repeating[identity.reference] else outline
        return Settled(self._catalogue, placement, identity, quality, outline=told)

    def _taken(self, placement: Placement) -> bool:
        others = (*self._known, *self._settled)
        return any(same_place(placement, other.placement, self._grid.width_mm) for other in others)

    def _add_unknown(self, proposals: Sequence[Placement]) -> None:
        """Card-sized outlines that no reference explains well, with the likeliest one, for the evidence to judge."""
        for placement in proposals:
            if placement.support < _FAINT_SUPPORT or self._taken(placement):
                continue
            visible = self._scene.claims.visible(placement, self._grid)
            share = float(visible.mean())
            whole = placement.support >= _UNKNOWN_SUPPORT and placement.weakest >= _UNKNOWN_WEAKEST and share >= 0.95
            found = self._likeliest(placement) if share >= _FAINT_SHARE else None
            if found is None and whole:
                found = Settled(self._catalogue, placement, Identity.unknown(visible), 0.0, placement.support)
            if found is None:
                continue
            seen = self._scene.claims.pixels(found.placement, self._grid)
            self._settled.append(replace(found, seen=seen, faint=not whole))
            self._scene.claims.take(found.placement, self._grid, visible)

    def _likeliest(self, placement: Placement) -> Settled | None:
        """What a whole outline may show though hardly anything on it can be told from noise, or under a lamp's reflection."""
        best = _Queue(self._scene, self._catalogue, [placement]).take_best()
        tries = (
            []
            if best is None
            else [
                self._finely(_half_turned(placement) if turned else placement, reference, _FAINT_PRESENCE)
                for reference, turned in best.readings
            ]
        )
        found = [card for card in tries if card is not None]
        return max(found, key=lambda card: card.identity.presence, default=None)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A proposal on its way to be tried."""

    index: int
    placement: Placement
    readings: tuple[tuple[int, bool], ...]
    """Reference and whether it lies the other way round, the likeliest first."""


class _Queue:
    """Proposals in the order of how promising they are, given what is still free."""

    def __init__(self, scene: CardScene, catalogue: Catalogue, proposals: Sequence[Placement]) -> None:
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
        self._references = np.zeros((len(proposals), _READINGS), np.intp)
        self._turns = np.zeros((len(proposals), _READINGS), np.intp)
        self._scores = np.zeros((len(proposals), _READINGS))
        self._alive = np.ones(len(proposals), bool)
        self._tried = np.zeros(len(proposals), bool)
        self._aligned: list[Placement] = []
        self._update(np.arange(len(proposals)))

    def take_best(self) -> _Candidate | None:
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
        return _Candidate(best, self._proposals[best], tuple(dict.fromkeys(readings)))

    def was_tried(self, aligned: Placement) -> bool:
        """Whether another proposal was already pulled to this very place; remembers the place."""
        known = any(_very_near(aligned, other) for other in self._aligned)
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
            self._aligned = [placement for placement in self._aligned if _distance(placement, settled) > reach]
            raw = np.array([(p.x_mm, p.y_mm, p.angle_deg) for p in (self._proposals[int(i)] for i in again)])
            self._edges = without(self._edges, covered)
            self._support[again] = outline_support(self._edges, raw, grid.width_mm, grid.height_mm)[0]
            self._alive[again[self._support[again] < _MIN_OWN_EDGE]] = False
            self._update(again)

    def _update(self, which: NDArray[np.intp]) -> None:
        claims, grid = self._scene.claims, self._catalogue.grid
        visible = np.stack([claims.visible(self._proposals[int(i)], grid) for i in which])
        for start in range(0, len(which), _BATCH):
            part = slice(start, start + _BATCH)
            scores, references, turns = rank_all(
                self._thumbnails[which[part]], self._catalogue, visible[part], _READINGS
            )
            score = scores[:, 0]
            share = visible[part].mean(axis=1)
            hope = (score >= _MIN_COARSE) & (share >= _MIN_SHOWN)
            rank = score * (0.4 + 0.6 * self._support[which[part]]) * (0.5 + 0.5 * share)
            self._rank[which[part]] = np.where(hope, rank, 0.0)
            count = references.shape[1]
            self._scores[which[part], :count] = scores
            self._references[which[part], :count], self._turns[which[part], :count] = references, turns


def _half_turned(placement: Placement) -> Placement:
    turned = placement.angle_deg + 180
    return Placement(placement.x_mm, placement.y_mm, turned, placement.support, placement.weakest)


def _distance(a: Placement, b: Placement) -> float:
    return float(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm))


def _very_near(a: Placement, b: Placement) -> bool:
    turn = abs((a.angle_deg - b.angle_deg + 180) % 360 - 180)
    return abs(a.x_mm - b.x_mm) < 1.2 and abs(a.y_mm - b.y_mm) < 1.2 and turn < 1.5


def same_place(a: Placement, b: Placement, width_mm: float) -> bool:
    """Whether two placements can't be two cards."""
    turn = abs((a.angle_deg - b.angle_deg + 90) % 180 - 90)
    return _distance(a, b) < min(_SAME_CARD_MM, width_mm / 6) and turn < 12
