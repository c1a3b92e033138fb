"""The search of a scene for the cards of one size.

The best placements are settled first; what a settled card accounts for is no longer evidence for another one, so that the
cards of an overlapping row come out from top to bottom, each with the cells that it really shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.features import COARSE_PX, in_cells
from vision.cards.identity import Identity, Thresholds, identify
from vision.cards.judging import SURE_TOP, Judge, told_by
from vision.cards.matching import Catalogue, align, align_roughly, blown_out, look_in_view, rank_all
from vision.cards.outlines import (
    VIEW_PX_PER_MM,
    Placement,
    outline_support,
    own_support,
    share_along,
    tells_place,
)
from vision.cards.places import distance, distinct, first_of_each_place, half_turned, same_place
from vision.cards.proposals import propose, propose_from_ends, propose_in_strips
from vision.cards.queue import MIN_SHOWN, READINGS, Candidate, Queue
from vision.cards.scene import CardScene
from vision.cards.settled import Settled
from vision.cards.sheets import Sheets

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
_MAX_PROPOSALS, _MAX_FURTHER = 500, 60
"""Measured: in clean rows of overlapping cards with white rims, true outlines lie beyond the 180th of up to a thousand."""
_MIN_ROUGH = 0.22
_MIN_ROUGH_BETWEEN = 0.16
_MIN_PULL = 0.1
_MANY_READINGS = 10
_SURE_PLACE = 0.7
_SURE_QUALITY = 0.6
_MIN_OUTLINE = 0.25
_SURE_PRESENCE = 0.66
_FIRM = 0.33
"""Quality from which on a card is settled at once where it is the best that waits."""
_FEW = 4
"""Proposals that are tried first where only a part of the scene is wanted."""
_LEAST_PART = np.ones((15, 15), np.uint8)
"""Of the view: where less than this is left of a card, it can't be read."""
_BETWEEN_SUPPORT, _ALONG_STRIP, _LEAST_ALONG_STRIP = 0.55, 0.85, 0.6
_LEAST_BETWEEN = 0.25
_MAX_BETWEEN = 60
_ROUNDS_BETWEEN = 4
_ROUNDS_OF_WEAK = 2
_RIM = np.ones((9, 9), np.uint8)
"""Of the view: beside a card, where an edge may be its own."""
_FAINT_PRESENCE = 0.12
_FAINT_SUPPORT = 0.75
_DRAWN = 0.55
"""Likeness of what is printed from which on a card may be there though noise drowns the bare paper around it."""
_FAINT_SHARE, _LEAST_OF_ALL = 0.4, 0.35
"""Likeness, outline and share in sight from which on a card may show though noise all but drowns what is printed on it."""
_OUTLINES_HERE = 3
"""Of one place, how many outlines are tried there."""
_UNKNOWN_SUPPORT = 0.92
_UNKNOWN_WEAKEST = 0.8
_WHOLE = 0.95
"""Share in sight of an outline that nothing lies over."""
_STILL = 0.9
_OUTLINED_PRESENCE = 0.2
"""Likeness from which on a card is tried where all of an outline shows."""


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
        self._sheets: Sheets | None = None
        """What is settled, once cards are looked for between it."""
        self._strips: Floats | None = None

    def run(self, likely: Sequence[Placement] = (), wanted: Mask | None = None) -> list[Settled]:
        """The cards beside the known ones; `likely` are placements to try beside the outlines in the scene.

        With `wanted`, a mask of the view, the search is over once nothing as large as a card's part is left of it unclaimed.
        """
        outlined = propose(self._scene.edges, self._grid.width_mm, self._grid.height_mm)
        here = [placement for placement in (*self._measured(likely), *outlined) if self._scene.wants(placement)]
        here = [placement for placement in here if not self._taken(placement)]
        proposals, further = here[:_MAX_PROPOSALS], here[_MAX_PROPOSALS:]
        if not proposals:
            return []
        if wanted is not None and len(proposals) > _FEW:
            # Where little changed the best outlines mostly do.
            self._settle_sure(self._queue(proposals[:_FEW]), [], wanted)
        if not self._explained(wanted):
            self._settle_the_rest(proposals, further, wanted)
        return Judge(self._scene, self._catalogue, self._thresholds).judged(self._settled, self._known)

    def _settle_the_rest(
        self, proposals: Sequence[Placement], further: Sequence[Placement], wanted: Mask | None
    ) -> None:
        """Cards under others and between them, faint ones, and things of a card's size that are none of the deck's."""
        here = [placement for placement in proposals if not self._taken(placement)]
        weak = self._settle_all(here, wanted, _FIRM)
        # What the cards found so far leave in sight: where one is half hidden, parts of others are outlined better.
        weak += self._settle_all(self._in_sight(further)[:_MAX_FURTHER], wanted, _FIRM)
        weak += self._settle_between(proposals, wanted)
        for _ in range(_ROUNDS_OF_WEAK):
            # What speaks weakly for a card may be parts of two that are found better.
            found = len(self._settled)
            self._settle_all([placement for placement in weak if not self._taken(placement)], wanted)
            if len(self._settled) == found:
                break
            weak = self._settle_between(proposals, wanted)
        if not self._explained(wanted):
            self._add_unknown([*proposals, *(self._between(proposals) if self._settled else ())])

    def _queue(self, proposals: Sequence[Placement]) -> Queue:
        return Queue(self._scene, self._catalogue, proposals, self._visible)

    def _in_sight(self, placements: Sequence[Placement], least: float = MIN_SHOWN) -> list[Placement]:
        """Those of which enough is free, and that are no settled card."""
        if not placements:
            return []
        shares = self._scene.claims.free_share(
            np.array([(p.x_mm, p.y_mm, p.angle_deg) for p in placements]), self._grid
        )
        return [p for p, share in zip(placements, shares, strict=True) if share >= least and not self._taken(p)]

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

    def _settle_all(
        self, proposals: Sequence[Placement], wanted: Mask | None, least_quality: float = 0.0
    ) -> list[Placement]:
        """Returns where cards of less quality wait."""
        if not proposals:
            return []
        queue = self._queue(proposals)
        waiting: list[Settled] = []
        while not self._explained(wanted):
            self._settle_sure(queue, waiting, wanted)
            best = max(waiting, key=lambda card: card.quality, default=None)
            if best is None or best.quality < least_quality:
                break
            self._settle(best, queue, waiting)
        return [card.placement for card in waiting]

    def _settle_between(self, proposals: Sequence[Placement], wanted: Mask | None) -> list[Placement]:
        """Cards that show little but paper, where their neighbours have taken it for their own; returns where weak ones wait."""
        cards = (*self._known, *self._settled)
        if not cards or not self._scene.claims.release_plain():
            return []
        if self._sheets is None:
            self._sheets = Sheets(self._scene.edges, self._grid)
            for card in cards:
                self._sheets.add(card.sheet())
        weak: list[Placement] = []
        for _ in range(_ROUNDS_BETWEEN):
            # Each card that is found shows what of the next ones it hides.
            found = len(self._settled)
            weak += self._settle_all(self._between(proposals), wanted, _FIRM)
            if len(self._settled) == found:
                break
        return weak

    def _between(self, proposals: Sequence[Placement]) -> list[Placement]:
        """Where a card may lie beside those that are settled: what of its outline would be in sight mostly is."""
        scene, grid = self._scene, self._grid
        size = (grid.width_mm, grid.height_mm)
        cards = np.array([(c.placement.x_mm, c.placement.y_mm) for c in (*self._known, *self._settled)])
        proposed = np.array([(p.x_mm, p.y_mm, p.angle_deg) for p in proposals]).reshape(-1, 3)
        raw = np.concatenate([proposed, propose_from_ends(scene.edges, *size)])
        gaps = np.hypot(*(raw[:, None, :2] - cards[None]).transpose(2, 0, 1))
        raw = raw[(gaps < np.hypot(*size)).any(axis=1)]
        raw = raw[scene.claims.free_share(raw, grid) >= MIN_SHOWN]
        support, weakest = outline_support(scene.edges, raw, *size)
        order = np.argsort(-support, kind="stable")
        order = first_of_each_place(raw, order[support[order] >= _LEAST_BETWEEN])
        here = [
            Placement(float(x), float(y), float(angle), float(support[i]), float(weakest[i]))
            for i, (x, y, angle) in zip(order.tolist(), raw[order], strict=True)
        ]
        here = [p for p in here if scene.wants(p) and not self._taken(p)]
        own = self._sheets.own_support(here, scene.claims.free) if self._sheets is not None else np.zeros(len(here))
        best = sorted(zip(here, own.tolist(), strict=True), key=lambda one: -one[1])
        outlined = distinct([*(p for p, share in best if share >= _BETWEEN_SUPPORT), *self._in_strips()])
        return [p for p in outlined[:_MAX_BETWEEN] if self._visible(p).mean() >= MIN_SHOWN]

    def _in_strips(self) -> list[Placement]:
        """Where two opposite sides show all along outside the settled cards, whose rectangles may lie over both ends."""
        scene, size = self._scene, (self._grid.width_mm, self._grid.height_mm)
        if self._strips is None:
            self._strips = propose_in_strips(scene.edges, *size)
        raw, apart = self._strips[scene.claims.free_share(self._strips, self._grid) >= _FAINT_SHARE], self._apart()
        raw = raw[share_along(scene.edges, raw, size, apart) >= _LEAST_ALONG_STRIP]
        found = []
        for x, y, angle in raw.tolist():
            placement = Placement(x, y, angle)
            if scene.wants(placement) and not self._taken(placement):
                support = own_support(scene.edges, placement, size, apart)
                found.append(replace(placement, support=support.share))
        return [placement for placement in found if placement.support >= _ALONG_STRIP]

    def _apart(self) -> Mask:
        """Of the view, what lies outside every settled card's rectangle."""
        covered = np.zeros(self._scene.claims.free.shape, np.uint8)
        for card in (*self._known, *self._settled):
            corners = card.placement.corners_mm(self._grid.width_mm, self._grid.height_mm)
            px = (corners - self._scene.claims.origin_mm) * VIEW_PX_PER_MM - 0.5
            cv2.fillConvexPoly(covered, px.round().astype(np.int32), 1)
        apart: Mask = self._scene.claims.free & (cv2.dilate(covered, _RIM) == 0)
        return apart

    def _visible(self, placement: Placement) -> Mask:
        """Cells of a card at a placement that nothing settled has taken, or lies over."""
        visible = self._scene.claims.visible(placement, self._grid)
        return visible if self._sheets is None else visible & ~self._sheets.hidden_cells(placement)

    def _free_for(self, placement: Placement) -> Mask:
        """Of the view, what is free for a card at a placement."""
        free = self._scene.claims.free
        over = [] if self._sheets is None else self._sheets.over(placement)
        if not over:
            return free
        hidden = np.zeros(free.shape, np.uint8)
        for sheet in over:
            corners = sheet.corners_mm(self._grid.width_mm, self._grid.height_mm)
            px = (corners - self._scene.claims.origin_mm) * VIEW_PX_PER_MM - 0.5
            cv2.fillConvexPoly(hidden, px.round().astype(np.int32), 1)
        # The upper card's rim is an edge of that card alone.
        left: Mask = free & (cv2.dilate(hidden, _RIM) == 0)
        return left

    def _settle_sure(self, queue: Queue, waiting: list[Settled], wanted: Mask | None) -> None:
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

    def _settle(self, card: Settled, queue: Queue, waiting: list[Settled]) -> None:
        """Gives a card what it accounts for; what waits near it has to prove itself again with what is left."""
        blown = blown_out(self._scene.image, self._scene.pose, card.placement, self._grid)
        card = replace(card, seen=self._scene.claims.pixels(card.placement, self._grid))
        cells = card.identity.accounted | blown
        covered = self._scene.claims.take(card.placement, self._grid, cells, card.identity.plain | blown)
        self._settled.append(card)
        if self._sheets is not None:
            self._sheets.add(card.sheet())
        queue.rank_near(card.placement, covered)
        reach = float(np.hypot(self._grid.width_mm, self._grid.height_mm))
        near = [other for other in waiting if distance(other.placement, card.placement) <= reach]
        waiting[:] = [other for other in waiting if other not in near]
        # From where they were pulled to: from afar a part of a fine drawing may be like nothing.
        waiting += [other for other in (self._again(one) for one in near) if other is not None]

    def _again(self, card: Settled) -> Settled | None:
        """What waits, with what is left of it in sight: no less alike for what a settled card has taken from it."""
        least = min(self._thresholds.presence, _STILL * card.identity.presence)
        return self._finely(card.placement, card.identity.reference, least)

    def _try(self, best: Candidate, queue: Queue) -> Settled | None:
        """Aligns a proposal and says which card it is; None where it turns out to be none, or one that is known."""
        rough = self._roughly(best)
        if rough is None or queue.was_tried(rough[0]):
            return None
        placement, reference = rough
        # Where all of an outline shows there is something of a card's size, however little is printed on it.
        least = _OUTLINED_PRESENCE if self._is_whole(best.placement) else self._thresholds.presence
        found = self._finely(placement, reference, least)
        if found is None or found.identity.upright_lead >= SURE_TOP:
            return found
        # What was pulled onto the wrong way round may only seem to fit: give the other way the same chance.
        other = self._finely(half_turned(found.placement), found.identity.reference, least)
        return other if other is not None and other.identity.presence > found.identity.presence else found

    def _roughly(self, best: Candidate) -> tuple[Placement, int] | None:
        """The likeliest readings pulled into place in the table view: the best one's placement and reference."""
        placement, reference, like = self._pulled(best.placement, best.readings)
        if self._sheets is not None and _MIN_PULL < like < _SURE_PLACE:
            # Thin frames tell nothing from afar until they lie on one another, whatever card's they are.
            again = self._pulled(placement, self._readings(placement))
            placement, reference, like = max((placement, reference, like), again, key=lambda one: one[2])
        least = _MIN_ROUGH if self._sheets is None else _MIN_ROUGH_BETWEEN
        return (placement, reference) if like > least else None

    def _readings(self, placement: Placement, most: int = READINGS) -> list[tuple[int, bool]]:
        """What a placement shows from afar, the likeliest first."""
        grid = self._grid
        seen = look_in_view(self._scene.view, self._scene.claims.origin_mm, placement, grid, COARSE_PX)
        visible = self._visible(placement)
        _scores, references, turns = rank_all(in_cells(seen, grid)[None], self._catalogue, visible[None], most)
        return [(int(reference), bool(turned)) for reference, turned in zip(references[0], turns[0], strict=True)]

    def _pulled(self, start: Placement, readings: Sequence[tuple[int, bool]]) -> tuple[Placement, int, float]:
        """A placement pulled onto the reading that it is most like, and how much so; 0 where all lead to settled cards."""
        scene = self._scene
        best = start, -1, 0.0
        for reference, turned in readings:
            placement = half_turned(start) if turned else start
            visible = self._visible(placement)
            placement, like = align_roughly(
                scene.view, scene.claims.origin_mm, placement, self._catalogue, reference, visible
            )
            if like > best[2] and not self._taken(placement):
                best = placement, reference, like
            if best[2] >= _SURE_PLACE:
                # The place is right; which card it is is found out in full detail, among all.
                break
        return best

    def _finely(self, placement: Placement, reference: int, least: float) -> Settled | None:
        """Pulls a placement onto a reference in full detail, changing to a likelier one on the way where there is one.

        None where its presence is less than `least`.
        """
        scene, grid = self._scene, self._grid
        target = self._catalogue.picture(reference)
        for attempt in range(3):
            shown = self._shown(placement)
            placement, described = align(scene.image, scene.pose, placement, target, grid, shown)
            shown = self._shown(placement)
            if shown.mean() < MIN_SHOWN or not scene.wants(placement) or self._taken(placement):
                return None
            identity = identify(in_cells(described, grid), self._catalogue, shown)
            if identity.presence < least and identity.drawn < _DRAWN:
                return None
            if identity.reference == reference and not identity.turned:
                return self._judged(placement, identity)
            if attempt < 2:
                reference, target = identity.reference, self._catalogue.picture(identity.reference)
                placement = half_turned(placement) if identity.turned else placement
        return None

    def _shown(self, placement: Placement) -> Mask:
        """Cells in which the card can be seen: free, and not lost in a reflection."""
        visible = self._visible(placement)
        clear = visible & ~blown_out(self._scene.image, self._scene.pose, placement, self._grid)
        return clear if clear.mean() >= MIN_SHOWN else visible

    def _judged(self, placement: Placement, identity: Identity) -> Settled | None:
        """With how much of its outline shows where it should; None where too little does."""
        size = (self._grid.width_mm, self._grid.height_mm)
        support = own_support(self._scene.edges, placement, size, self._free_for(placement))
        if self._sheets is not None:
            # Whether an end shows or lies under a settled card may be told by nothing but what shows beside it.
            beside = own_support(self._scene.edges, placement, size, self._apart())
            support = max(support, beside, key=lambda one: one.share)
        if support.share < _MIN_OUTLINE:
            return None
        quality = identity.presence * (0.1 + 0.9 * support.share)
        return Settled(
            self._catalogue,
            placement,
            identity,
            quality,
            outline=told_by(self._catalogue, identity.reference, support),
            faint=identity.presence < self._thresholds.presence and not self._is_whole(placement),
        )

    def _taken(self, placement: Placement) -> bool:
        others = (*self._known, *self._settled)
        return any(same_place(placement, other.placement, self._grid.width_mm) for other in others)

    def _add_unknown(self, proposals: Sequence[Placement]) -> None:
        """Card-sized outlines that no reference explains well, with the likeliest one, for the evidence to judge."""
        outlined = [placement for placement in self._in_sight(proposals, _FAINT_SHARE) if self._is_outlined(placement)]
        for placement in outlined:
            if self._taken(placement):
                continue
            visible = self._visible(placement)
            whole = self._is_whole(placement)
            found = None
            if visible.mean() >= _FAINT_SHARE:
                # The best outline may have one side on a neighbour's rim: what is printed tells which of them it is.
                here = [other for other in outlined if same_place(placement, other, self._grid.width_mm)]
                tries = [self._likeliest(other) for other in here[:_OUTLINES_HERE]]
                found = max((card for card in tries if card is not None), key=_presence, default=None)
            if found is None and whole:
                found = Settled(self._catalogue, placement, Identity.unknown(visible), 0.0, placement.support)
            if found is None:
                continue
            seen = self._scene.claims.pixels(found.placement, self._grid)
            self._settled.append(replace(found, seen=seen, faint=not whole))
            self._scene.claims.take(found.placement, self._grid, visible)

    def _is_outlined(self, placement: Placement) -> bool:
        """Whether its outline shows, or what is in sight of it."""
        if not _LEAST_OF_ALL <= placement.support < _FAINT_SUPPORT:
            return placement.support >= _FAINT_SUPPORT
        size = (self._grid.width_mm, self._grid.height_mm)
        support = own_support(self._scene.edges, placement, size, self._free_for(placement))
        return support.share >= _FAINT_SUPPORT and all(tells_place(support.sides))

    def _is_whole(self, placement: Placement) -> bool:
        """Whether all of its outline shows, and nothing lies over it."""
        if placement.support < _UNKNOWN_SUPPORT or placement.weakest < _UNKNOWN_WEAKEST:
            return False
        return float(self._visible(placement).mean()) >= _WHOLE

    def _likeliest(self, placement: Placement) -> Settled | None:
        """What a whole outline may show though hardly anything on it can be told from noise, or under a lamp's reflection."""
        best = self._queue([placement]).take_best()
        readings = [] if best is None else best.readings
        tries = [
            self._finely(half_turned(placement) if turned else placement, reference, _FAINT_PRESENCE)
            for reference, turned in readings
        ]
        # Where a lamp drowns most of it, a card tells what it is only once its frame lies where it should.
        pulled, reference, like = self._pulled(placement, [*readings, *self._readings(placement, _MANY_READINGS)])
        if like > _MIN_PULL:
            tries.append(self._finely(pulled, reference, _FAINT_PRESENCE))
        return max((card for card in tries if card is not None), key=_presence, default=None)


def _presence(card: Settled) -> float:
    return card.identity.presence
