"""The last word on the cards that a search settled: each judged by what is in sight of it once all of them are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vision.cards.closer import CloserLook, Closeup
from vision.cards.elsewhere import fits_elsewhere
from vision.cards.evidence import Odds, odds_of_tops
from vision.cards.features import in_cells
from vision.cards.identity import BACK, CloserLooks, Doubt, Thresholds, confirm, identify, ruled_out, with_top
from vision.cards.layers import Layers
from vision.cards.matching import Catalogue, align, crop, look_at
from vision.cards.outlines import Placement, Support, own_support, tells_place
from vision.cards.patches import Scale
from vision.cards.places import distance, half_turned
from vision.cards.rims import BLURRED_MM, rims_of, shared_sides, unshared
from vision.cards.scene import CardScene
from vision.cards.settled import Settled

Mask = NDArray[np.bool_]
SURE_TOP = 0.2
"""Lead in presence over the other way round, from which on that is not tried."""
_BEYOND_RIVALS = 0.999
"""Confidence from which on no other card is given a place of its own."""
_FOR_ANOTHER = (Doubt.RIVAL, Doubt.DETAIL)
"""Doubts in which another card is at issue."""
_LEAST_IN_SIGHT = 0.2
_OUTLINED = 0.95
"""Share of an outline in sight, none of it a neighbour's, from which on it tells the place whatever lies on a rim."""
_RIMMED = 0.75
"""What a rim down a card and one across it are worth, as a share of its outline, where both show what is printed there."""


def told_by(catalogue: Catalogue, reference: int, support: Support) -> float:
    """How much of an outline tells a card's place: what repeats fits as well a pattern further on."""
    told = tells_place(support.sides)
    if catalogue.repeating[reference]:
        return min(support.share, support.weakest) if all(told) else 0.0
    repeats = catalogue.periodic[reference]
    open_ended = any(is_periodic and not is_told for is_periodic, is_told in zip(repeats, told, strict=True))
    return 0.0 if open_ended else support.share


class Judge:
    """Judges the cards of one size in a scene."""

    def __init__(self, scene: CardScene, catalogue: Catalogue, thresholds: Thresholds) -> None:
        self._scene = scene
        self._catalogue = catalogue
        self._grid = catalogue.grid
        self._thresholds = thresholds

    def judged(self, settled: Sequence[Settled], known: Sequence[Settled]) -> list[Settled]:
        """Those of the settled cards that there must be, beside those that are known, each by what is in sight of it."""
        reach = float(np.hypot(self._grid.width_mm, self._grid.height_mm))
        near = [card for card in known if any(distance(card.placement, one.placement) < reach for one in settled)]
        cards = (*near, *settled)
        layers = Layers(self._scene, self._catalogue, [card.lying() for card in cards])
        needed = layers.needed()
        first = len(near)
        judged = []
        for i in (i for i in needed if i >= first):
            seen = layers.in_sight(i, needed)
            others = [cards[j].placement for j in needed if j != i]
            placed, firmly = self._placed(cards[i], seen, others)
            sure = self._judged_alone(placed, seen, overlaid=firmly)
            judged.append(self._held_to_its_place(sure, seen, others))
        return [card for card in judged if not card.faint or card.identity.confidence >= self._thresholds.acting]

    def _placed(self, card: Settled, seen: Mask, others: Sequence[Placement]) -> tuple[Settled, bool]:
        """Only its own sides tell the place of what repeats: none that lies inside a weave or a row, and no neighbour's rim.

        And whether its place is so sure that what it doesn't explain may be something that lies over it.
        """
        reference, scene = card.identity.reference, self._scene
        if reference < 0:
            return card, True
        woven = self._catalogue.repeating[reference]
        if not woven and not any(self._catalogue.periodic[reference]):
            return card, True
        size = (self._grid.width_mm, self._grid.height_mm)
        described = look_at(scene.image, scene.pose, card.placement, self._grid)
        rims = rims_of(described, self._catalogue.picture(reference), seen, self._grid)
        shared = shared_sides(card.placement, others, size)
        support = own_support(scene.edges, card.placement, size, scene.claims.in_view(card.placement, self._grid, seen))
        outline = max(card.outline, told_by(self._catalogue, reference, support))
        rimmed = all(tells_place(rims.alike))
        if not woven:
            lies = not rims.contradict(unshared(support.firm, shared))
            lies = lies or (outline >= _OUTLINED and not any(shared))
        elif rimmed:
            lies, outline = not rims.contradict(rims.alike), max(outline, _RIMMED)
        else:
            own = unshared(support.sides, shared)
            lies = not rims.contradict(rims.alike) and all(tells_place(own))
        return replace(card, outline=outline if lies else 0.0), rimmed or not woven

    def _held_to_its_place(self, card: Settled, seen: Mask, others: Sequence[Placement]) -> Settled:
        """The card, unsure where another one fits as well along a way in which no side tells its place."""
        reference, scene, size = card.identity.reference, self._scene, (self._grid.width_mm, self._grid.height_mm)
        if reference < 0 or card.identity.confidence < self._thresholds.acting:
            return card
        in_view = scene.claims.in_view(card.placement, self._grid, seen)
        firm = own_support(scene.edges, card.placement, size, in_view).firm
        told = tells_place(unshared(firm, shared_sides(card.placement, others, size, BLURRED_MM)))
        if all(told):
            return card
        other = fits_elsewhere(scene, self._catalogue, (card.placement, card.identity), seen, told, others)
        if other is None:
            return card
        return replace(card, identity=card.identity.contested(self._catalogue.references[other].card or BACK))

    def _judged_alone(self, card: Settled, seen: Mask, *, overlaid: bool) -> Settled:
        """With the confidence that its picture, weighed by itself, gives it, and the way round that it bears out."""
        sure = self._best_placed(card, seen, overlaid=overlaid)
        if seen.mean() < _LEAST_IN_SIGHT:
            # Hardly anything of it is in sight, once it is known what lies over it.
            return replace(sure, identity=sure.identity.faint()).told()
        if sure.identity.laid is None or sure.identity.upright_lead >= SURE_TOP:
            return sure.told()
        if self._catalogue.topless[sure.identity.reference]:
            return replace(sure, identity=replace(sure.identity, upright=1.0)).told()
        # Both ways by the same part of the picture: what the wrong way leaves unexplained isn't something that lies over it.
        shown = sure.identity.laid.seen[::-1, ::-1]
        other = self._weighed(self._other_way(sure), shown, overlaid=False)
        if other.identity.laid is None or other.identity.reference != sure.identity.reference:
            return sure.told()
        odds = odds_of_tops(sure.identity.laid, other.identity.laid)
        if odds.nats < 0:
            sure, odds = other, Odds(-odds.nats, odds.most)
        return self._with_top(sure, odds).told()

    def _best_placed(self, card: Settled, seen: Mask, *, overlaid: bool) -> Settled:
        """The card weighed, or another one that fits nearly as well where it lies and better in a place of its own.

        A picture says most for the card that a placement was pulled onto: a shape that leans passes for one that doesn't, a
        millimetre aside.
        """
        best = self._weighed(card, seen, overlaid=overlaid)
        identity = best.identity
        if identity.confidence >= _BEYOND_RIVALS or identity.doubt not in _FOR_ANOTHER:
            return best
        # Where weighing changed its mind, the placement is still the first one's.
        changed = identity.reference != card.identity.reference
        for reference in (identity.reference, identity.rival) if changed else (identity.rival,):
            other = None if reference < 0 else self._pulled_onto(reference, card, seen)
            if other is None:
                continue
            placed = self._weighed(*other, overlaid=overlaid)
            unsure = best.identity.confidence < self._thresholds.acting
            is_better = unsure or placed.identity.presence > best.identity.presence
            if is_better and placed.identity.confidence >= self._thresholds.acting:
                best = placed
        return best

    def _pulled_onto(self, reference: int, card: Settled, seen: Mask) -> tuple[Settled, Mask] | None:
        """Another card in its own place, and what is in sight of it there; None where a third one is likelier."""
        scene, grid = self._scene, self._grid
        cells = Scale.of(seen, grid).cells
        target = self._catalogue.picture(reference)
        placement, described = align(scene.image, scene.pose, card.placement, target, grid, cells)
        identity = identify(in_cells(described, grid), self._catalogue, cells)
        if identity.reference != reference or identity.turned:
            return None
        in_view = scene.claims.in_view(card.placement, grid, seen)
        support = own_support(scene.edges, placement, (grid.width_mm, grid.height_mm), in_view)
        outline = told_by(self._catalogue, reference, support)
        moved = replace(card, placement=placement, identity=identity, outline=outline)
        return moved, scene.claims.pixels(placement, grid, in_view)

    def _with_top(self, card: Settled, odds: Odds) -> Settled:
        """With these odds that its top is where its placement says; looked at more closely where they leave that open."""
        identity = with_top(card.identity, odds)
        if identity.laid is not None and identity.upright < self._thresholds.acting:
            # One pip among nine is little beside all that the two ways share.
            look = self._closer(card)(identity.laid.seen).at_top(identity.reference)
            closer = 0.0 if look is None else ruled_out(look)
            identity = replace(identity, upright=max(identity.upright, closer))
        return replace(card, identity=identity)

    def _weighed(self, card: Settled, seen: Mask, *, overlaid: bool) -> Settled:
        picture = crop(self._scene.image, self._scene.pose, card.placement, self._grid, self._grid.size_px)
        closer = self._closer(card)
        identity = confirm(card.identity, self._catalogue, picture, seen, card.outline, closer, overlaid=overlaid)
        return replace(card, identity=identity)

    def _closer(self, card: Settled) -> CloserLooks:
        image, pose = self._scene.whole

        def closer(shown: Mask) -> CloserLook:
            take = partial(Closeup.of, image, pose, card.placement, self._grid, shown)
            return CloserLook(self._catalogue.references, take)

        return closer

    def _other_way(self, card: Settled) -> Settled:
        """The same card, pulled into place the other way round."""
        scene, grid, identity = self._scene, self._grid, card.identity
        target, placement = self._catalogue.picture(identity.reference), half_turned(card.placement)
        accounted = identity.accounted[::-1]
        placement, described = align(scene.image, scene.pose, placement, target, grid, accounted)
        cells = in_cells(described, grid)
        return replace(card, placement=placement, identity=replace(identity, accounted=accounted, described=cells))
