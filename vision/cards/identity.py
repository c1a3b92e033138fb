"""Which reference an aligned description shows, how surely, and which of its cells the card really shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.closer import CloserLook
from vision.cards.evidence import Evidence, Laid, Odds, Rival, Stranger, weigh
from vision.cards.features import Floats, Grid
from vision.cards.matching import Catalogue, Likeness, compare, shrink_cells, turn_half
from vision.frame import Image

Mask = NDArray[np.bool_]

BACK = "back"
"""How a face-down card is called among the candidates."""
SHORTLIST = 24
_NO_SHORTLIST = 32
"""References up to which a shortlist saves nothing."""
_PART_TRUST = 0.9
_CHANGES_OF_MIND = 3
_PRESENT, _PRESENT_WIDTH = 0.395, 0.015
"""Presence at which own and foreign cards are equally likely; measured: own from 0.42 up but for one in a hundred, foreign
mostly below 0.4."""
_EVEN_NATS, _NATS_WIDTH = 6.0, 1.0
"""Odds at which another card is ruled out as likely as not: neither samples nor noise are quite as independent as assumed."""
_EVEN_SHARE, _SHARE_WIDTH = 0.42, 0.035
"""And their share of what they could be. Measured on pictures of any kind of harm: nine right cards in ten lie above 0.6, what
is neither of two cards around 0."""
_EVEN_SPOT, _SPOT_WIDTH = 8.0, 0.6
_EVEN_PART, _PART_WIDTH = 0.08, 0.01
"""Nats for another face in one spot, and their part of the nats against it, at which it is as likely as not. Measured: right
faces lie below 6, nineteen in twenty below 2, and those that something hides below a twentieth; half a five, its other pips
under white paper, passed for a four, but for its index with 10, a seventh."""
_EVEN_TOP = 0.25
"""The same of the two ways round of one card, each of which was pulled into place: what is wrong looks less so."""
_EVEN_TRAIT, _TRAIT_WIDTH = 0.0, 0.05
"""The same share against strangers. Measured: nineteen right cards in twenty lie above 0, strangers mostly below -0.3."""
_EVEN_BACK = 0.40
"""The same for a back, against another deck's: of that share and, twice, of the presence beyond a half; noise lowers the one
and not the other. Measured: right ones lie above 0.58, other decks' backs below 0.4, mostly at 0.2."""
_OUTLINED, _OUTLINE_BONUS = 0.8, 0.05
"""Share of the outline from which on it speaks for a card by itself, and the presence that it is worth where all of it shows."""
_ALONE = 0.35
"""Presence that the one card of a deck must show beyond that: nothing tells it from other cards."""
_EVEN_OUTLINE, _OUTLINE_WIDTH = 0.55, 0.03
"""Measured: ninety-nine right cards in a hundred show more than six tenths of their outline, phantoms mostly less."""
_FLAT = 0.004
"""Mean square description of a cell that shows nothing but paper."""
_CLEAR_SHARE, _CLEAR_WIDTH = 0.72, 0.03
"""Share of the odds against rivals and strangers alike, from which on a card is there however little is printed on it: noise
leaves no such shares. Measured: cards with one small sign above 0.84, other decks' cards below 0.7."""
_CLEAR_NATS = 20.0
_EVEN_COLOUR, _OTHER_COLOUR, _COLOUR_WIDTH = 0.06, -0.08, 0.01
"""How much of its colours a face must show, against its light and dark; and a back, which may have hardly any. Measured: cards in
any light, smear and glare mostly above 0.5, the least of the faces 0.2, of the backs, in warm light, 0; where compression left no
colour 0, and another back, drawn alike on another ground colour, -0.16. One in grey may be any of those that differ in colour."""
_DRAWN = 0.75
"""Presence from which on a card's drawing is all there."""
_UNSEEN = 0.3
"""The most confidence in what is hardly in sight."""
_CONTESTED = 0.5
"""The most confidence in one of two."""
_SETTLED = 0.8
"""From which on no closer look is taken."""
_SURELY_PRESENT = 0.5
_CLOSER_RIVALS = 4
_CLOSER_STRANGERS = 6
"""Where more traits than these seem to be there, something lies on the card, or it is another one."""
_LITTLE = 16.0
"""Nats that odds could be at most, below which too little is to be seen from afar."""
_NEITHER_SHARE, _FOREIGN_SHARE = 0.25, -0.12
"""Shares of odds that could be more, below which a picture shows neither of two cards, and a stranger's trait."""
_LISTED = 3
_TEMPER = 2.0
"""Odds among candidates are softer than measured."""


CloserLooks = Callable[[Mask], CloserLook]
"""A closer look at a placement, of which these canonical pixels are in sight."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where a reading is believed."""

    acting: float = 0.8
    """At or above this confidence an identity, a back or an angle is stated; below it is only a candidate."""
    presence: float = 0.36
    """Mean likeness of the visible cells from which on there is a card of the deck at all."""


class Doubt(StrEnum):
    """What keeps a card from being stated."""

    RIVAL = "another card fits nearly as well"
    FAINT = "too little of a card shows"
    DETAIL = "what sets it apart from the cards most like it can't be seen"
    OUTLINE = "its edges aren't where this card's would be"
    COLOUR = "none of its colours show"
    STRANGER = "something on it is not as on any enrolled card"
    UNKNOWN = "no enrolled card fits"


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """What lies at a placement."""

    reference: int
    """Index into the catalogue; -1 where nothing fits."""
    turned: bool
    """True where the reference fits better the other way round."""
    presence: float
    upright_lead: float
    """By how much the presence would be lower the other way round."""
    accounted: Mask
    """Cells that the card accounts for, so that nothing else is seen there."""
    plain: Mask
    """Those of them that show nothing but paper."""
    described: Floats | None = None
    """What it rests on: the full description, the reference's way up; None once it is weighed."""
    drawn: float = 0.0
    """As the presence, but by what is printed on the reference alone: noise on bare paper takes nothing from it."""
    confidence: float = 0.0
    upright: float = 0.0
    """Confidence that the top is where the placement says."""
    candidates: tuple[tuple[str, float], ...] = ()
    doubt: Doubt = Doubt.UNKNOWN
    """The weakest link of its confidence."""
    rival: int = -1
    """The reference that the picture, where it was laid, speaks for most beside this one; -1 where there is none."""
    laid: Laid | None = None
    """Its reference laid over the picture, once it is weighed."""

    @classmethod
    def unknown(cls, visible: Mask) -> Identity:
        """A card-sized thing that is none of the deck's cards."""
        return cls(-1, False, 0.0, 0.0, visible, np.zeros_like(visible))

    def faint(self) -> Identity:
        """The same, too little of it in sight to state it."""
        most = min(self.confidence, _UNSEEN)
        others = tuple((name, min(share, most)) for name, share in self.candidates)
        return replace(self, confidence=most, candidates=others, doubt=Doubt.FAINT)

    def contested(self, by: str) -> Identity:
        """The same, where another card fits as well a little further along."""
        most = min(self.confidence, _CONTESTED)
        names = [self.candidates[0][0] if self.candidates else by, by]
        return replace(self, confidence=most, candidates=tuple((n, most) for n in names), doubt=Doubt.RIVAL)


def identify(cells: Floats, catalogue: Catalogue, visible: Mask) -> Identity:
    """Compares a full description with every side of every card, both ways round. Nothing is weighed yet: confidence is 0."""
    grid = catalogue.grid
    sides = (cells, turn_half(cells, grid))
    masks = (visible, visible[::-1])
    short = _shortlist(sides, catalogue, masks)
    every = len(short) == len(catalogue.references)
    detail = catalogue.detail if every else catalogue.detail[short]
    energies = catalogue.detail_energy if every else catalogue.detail_energy[short]
    likeness = [compare(side, detail, energies) for side in sides]
    scores = np.stack([like.scores(mask) for like, mask in zip(likeness, masks, strict=True)])
    turned, row = (int(i) for i in np.unravel_index(int(scores.argmax()), scores.shape))
    best = int(short[row])
    own = catalogue.detail[best].astype(np.float32)
    accounted = _accounted(likeness[turned].similarity[row], sides[turned], own, masks[turned], grid)
    presence = max(float(scores[turned, row]), _presence_of_part(likeness[turned], row, accounted, masks[turned]))
    lead = float(scores[turned, row] - scores[1 - turned, row])
    plain = accounted & _plain(sides[turned], own)
    ink = energies[row] * masks[turned]
    drawn = float((likeness[turned].similarity[row] * ink).sum() / max(float(ink.sum()), 1e-6))
    if turned:
        accounted, plain = accounted[::-1], plain[::-1]
    return Identity(best, bool(turned), presence, lead, accounted, plain, sides[turned], drawn=drawn)


def confirm(
    identity: Identity,
    catalogue: Catalogue,
    picture: Image,
    seen: Mask,
    outline: float,
    closer: CloserLooks | None = None,
    *,
    overlaid: bool = True,
) -> Identity:
    """The identity with the confidence that its picture, weighed by itself, gives it; another card where that is the likelier.

    `picture` is what lies there in canonical form and `seen` its pixels that no card lies over, the reference's way up;
    `outline` is the share of its outline in sight that is edge; `closer` is asked where doubts are left. Where `overlaid`, other
    things may lie over it.
    """
    described = identity.described
    if described is None or identity.reference < 0:
        return identity

    def weighed(reference: int, shown: Mask) -> Evidence:
        evidence = weigh(described, picture, catalogue, reference, shown)
        return evidence if closer is None else _looked_into(evidence, reference, closer(shown))

    best, tried = identity.reference, set[int]()
    while True:
        evidence = weighed(best, seen)
        rival = evidence.rivals[0] if evidence.rivals else None
        tried.add(best)
        if rival is None or rival.odds.nats >= 0 or rival.turned or rival.reference in tried:
            break
        if len(tried) >= _CHANGES_OF_MIND:
            break
        best = rival.reference
    over = evidence.lying_over(catalogue) if overlaid and _leaves_doubts(evidence) else None
    if over is not None and catalogue.references[best].card is None:
        # Another back's own drawing, too, may be what doesn't show this one's: then frame and ground alone, from near, fit well.
        evidence = weigh(described, picture, catalogue, best, seen & ~over)
    elif over is not None:
        evidence = weighed(best, seen & ~over)
    # Where there is nothing to hold a card against, it has to look like itself.
    bonus = _outline_bonus(outline) if evidence.rivals or evidence.strangers else -_ALONE
    # Of a card that it turned out not to be, how alike that one was says nothing.
    known = identity.presence if best == identity.reference else -1.0
    links = _links(evidence, max(known, evidence.presence) + bonus, catalogue, best)
    by_outline = _sigmoid((outline - _EVEN_OUTLINE) / _OUTLINE_WIDTH)
    links[Doubt.OUTLINE] = max(by_outline, _placed(evidence, catalogue, best))
    doubt = min(links, key=links.__getitem__)
    return replace(
        identity,
        reference=best,
        described=None,
        confidence=links[doubt],
        upright=ruled_out(evidence.top),
        candidates=_candidates(catalogue, best, evidence, links[doubt]),
        doubt=doubt,
        rival=next((rival.reference for rival in evidence.rivals if not rival.turned), -1),
        laid=evidence.laid,
    )


def _leaves_doubts(evidence: Evidence) -> bool:
    """Whether a part of the picture may speak against the card."""
    told = [ruled_out(rival.odds) for rival in evidence.rivals]
    told += [is_enrolled(stranger, evidence.presence) for stranger in evidence.strangers]
    return min(told, default=1.0) < _SETTLED or evidence.presence < _SURELY_PRESENT


def _looked_into(evidence: Evidence, best: int, closer: CloserLook) -> Evidence:
    """The evidence with what a closer look says of those other cards that are not ruled out without it."""
    rivals, strangers = list(evidence.rivals), list(evidence.strangers)
    open_rivals = [
        i
        for i, rival in enumerate(rivals)
        if not rival.turned and ruled_out(rival.odds) < _SETTLED and _is_open(rival.odds, _NEITHER_SHARE)
    ]
    for i in open_rivals[:_CLOSER_RIVALS]:
        rivals[i] = replace(rivals[i], odds=_closer(rivals[i].odds, closer.at_rival(best, rivals[i].reference)))
    if any(ruled_out(rival.odds) < _SETTLED for rival in rivals):
        # Which card it is stays open: whether it is an enrolled one does not matter.
        return replace(evidence, rivals=_by_odds(rivals))
    open_strangers = [i for i, stranger in enumerate(strangers) if is_enrolled(stranger, evidence.presence) < _SETTLED]
    if len(open_strangers) <= _CLOSER_STRANGERS and all(
        _is_open(strangers[i].odds, _FOREIGN_SHARE) for i in open_strangers
    ):
        for i in open_strangers:
            strangers[i] = replace(
                strangers[i], odds=_closer(strangers[i].odds, closer.at_stranger(best, strangers[i].pair))
            )
    strangers.sort(key=lambda stranger: stranger.odds.share)
    return replace(evidence, rivals=_by_odds(rivals), strangers=tuple(strangers))


def _is_open(odds: Odds, least_share: float) -> bool:
    """Whether a closer look may say more: where these odds say little, or nearly enough. What is neither from afar stays so."""
    return odds.most < _LITTLE or odds.share >= least_share


def _by_odds(rivals: Sequence[Rival]) -> tuple[Rival, ...]:
    return tuple(sorted(rivals, key=lambda rival: rival.odds.nats))


def _closer(odds: Odds, look: Odds | None) -> Odds:
    """What the closer look says; what was known before where that says nothing."""
    return odds if look is None else look


def is_enrolled(stranger: Stranger, presence: float) -> float:
    """How surely that stranger is not there, 0 to 1, where the card is as alike as `presence` says."""
    if stranger.pair is not None:
        return _sigmoid((stranger.odds.share - _EVEN_TRAIT) / _TRAIT_WIDTH)
    return _sigmoid((stranger.odds.share + 2 * (presence - 0.5) - _EVEN_BACK) / _TRAIT_WIDTH)


def with_top(identity: Identity, odds: Odds) -> Identity:
    """The identity with these odds of being the right way up."""
    enough = _sigmoid((odds.nats - _EVEN_NATS) / _NATS_WIDTH)
    return replace(identity, upright=min(enough, _sigmoid((odds.share - _EVEN_TOP) / _SHARE_WIDTH)))


def ruled_out(odds: Odds) -> float:
    """How surely the other card of these odds is not there, 0 to 1."""
    return min(_sigmoid((odds.nats - _EVEN_NATS) / _NATS_WIDTH), _sigmoid((odds.share - _EVEN_SHARE) / _SHARE_WIDTH))


def _links(evidence: Evidence, presence: float, catalogue: Catalogue, best: int) -> dict[Doubt, float]:
    """Each of them can be what keeps a card from being stated."""
    worst = min((rival.odds for rival in evidence.rivals), key=ruled_out, default=None)
    # Where even a perfect picture of the card would not rule the rival out, it is the picture that lacks something.
    weak = worst is not None and worst.most < _EVEN_NATS + 2 * _NATS_WIDTH
    first = evidence.strangers[0] if evidence.strangers else None
    shares = [
        odds.share
        for odds in (worst, None if first is None else first.odds)
        if odds is not None and odds.nats > _CLEAR_NATS
    ]
    clear = _sigmoid((min(shares) - _CLEAR_SHARE) / _CLEAR_WIDTH) if len(shares) == 2 else 0.0
    # The back may be under something; which face it is, one spot alone can tell.
    is_face = catalogue.references[best].card is not None
    unspoken = [_unspoken(rival.odds) for rival in evidence.rivals if is_face and not rival.turned]
    return {
        Doubt.DETAIL if weak else Doubt.RIVAL: min([1.0 if worst is None else ruled_out(worst), *unspoken]),
        Doubt.FAINT: max(_sigmoid((presence - _PRESENT) / _PRESENT_WIDTH), clear),
        Doubt.COLOUR: _sigmoid((evidence.colour - (_EVEN_COLOUR if is_face else _OTHER_COLOUR)) / _COLOUR_WIDTH),
        Doubt.STRANGER: _is_enrolled(evidence, catalogue),
    }


def _is_enrolled(evidence: Evidence, catalogue: Catalogue) -> float:
    """How surely it is no card that isn't enrolled, 0 to 1."""
    if evidence.is_redrawn(catalogue.grid):
        return 0.0
    return is_enrolled(evidence.strangers[0], evidence.presence) if evidence.strangers else 1.0


def _unspoken(odds: Odds) -> float:
    """How surely no spot speaks for the other card of these odds, 0 to 1: clearly, and beside what all of it says."""
    clear = _sigmoid((_EVEN_SPOT - odds.against) / _SPOT_WIDTH)
    return max(clear, _sigmoid((_EVEN_PART - odds.against / max(odds.nats, 1.0)) / _PART_WIDTH))


def _placed(evidence: Evidence, catalogue: Catalogue, best: int) -> float:
    """How surely what is printed on a card tells by itself that it lies there, 0 to 1: nothing that repeats does."""
    repeats = any(catalogue.periodic[best]) or catalogue.references[best].card is None
    if repeats or not evidence.rivals or not evidence.strangers:
        return 0.0
    shares = [rival.odds.share for rival in evidence.rivals] + [stranger.odds.share for stranger in evidence.strangers]
    drawn = _sigmoid((evidence.presence - _DRAWN) / _PRESENT_WIDTH)
    return min(drawn, _sigmoid((min(shares) - _CLEAR_SHARE) / _CLEAR_WIDTH))


def _outline_bonus(outline: float) -> float:
    """Presence that an outline is worth which shows all around: phantoms have none, but each other card of that size has."""
    return _OUTLINE_BONUS * float(np.clip((outline - _OUTLINED) / (1 - _OUTLINED), 0, 1))


def _candidates(
    catalogue: Catalogue, best: int, evidence: Evidence, confidence: float
) -> tuple[tuple[str, float], ...]:
    """The best reading and the likeliest others, with what is left of certainty shared among them."""

    def label(reference: int) -> str:
        return catalogue.references[reference].card or BACK

    shares: dict[str, float] = {}
    for rival in evidence.rivals:
        weight = float(np.exp(-max(rival.odds.nats, 0.0) / _TEMPER))
        shares[label(rival.reference)] = max(shares.get(label(rival.reference), 0.0), weight)
    shares.pop(label(best), None)
    whole = 1 + sum(shares.values())
    ranked = sorted(shares.items(), key=lambda item: -item[1])[:_LISTED]
    others = [(name, round((1 - confidence) * weight / whole, 4)) for name, weight in ranked]
    return (
        (label(best), round(confidence, 4)),
        *(other for i, other in enumerate(others) if i == 0 or other[1] > 0.005),
    )


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(x, -50, 50))))


def accounted_by(cells: Floats, catalogue: Catalogue, reference: int, visible: Mask) -> Mask:
    """Which visible cells of a full description a reference accounts for."""
    one = slice(reference, reference + 1)
    like = compare(cells, catalogue.detail[one], catalogue.detail_energy[one])
    own = catalogue.detail[reference].astype(np.float32)
    return _accounted(like.similarity[0], cells, own, visible, catalogue.grid)


def _presence_of_part(like: Likeness, row: int, accounted: Mask, visible: Mask) -> float:
    """Presence by the cells that show the card alone: something else may lie over the others."""
    share = float(accounted.sum()) / max(float(visible.sum()), 1.0)
    return float(_PART_TRUST * float(like.scores(accounted)[row]) * np.sqrt(share))


def _shortlist(sides: Sequence[Floats], catalogue: Catalogue, masks: Sequence[Mask]) -> NDArray[np.intp]:
    """The references that look most alike from afar, either way round."""
    if len(catalogue.references) <= _NO_SHORTLIST:
        return np.arange(len(catalogue.references))
    best = np.full(len(catalogue.references), -1.0, np.float32)
    for side, mask in zip(sides, masks, strict=True):
        small = shrink_cells(side, catalogue.grid)
        best = np.maximum(best, compare(small, catalogue.coarse, catalogue.coarse_energy).scores(mask))
    return np.sort(np.argsort(-best, kind="stable")[:SHORTLIST])


def _accounted(similarity: Floats, cells: Floats, reference: Floats, visible: Mask, grid: Grid) -> Mask:
    """Visible cells that show the card: alike, or with nothing to show; single dissenters among them count too."""
    vote = (
        np.where(_plain(cells, reference), 0.15, similarity - 0.12).reshape(grid.rows, grid.columns).astype(np.float32)
    )
    vote = vote * visible.reshape(grid.rows, grid.columns)
    smooth = cv2.blur(vote, (3, 3), borderType=cv2.BORDER_REFLECT)
    agreed: Mask = ((vote * 0.4 + smooth) > 0).ravel() & visible
    return agreed


def _plain(cells: Floats, reference: Floats) -> Mask:
    """Cells with nothing to show on either side."""
    flat: Mask = ((cells * cells).mean(axis=1) < _FLAT) & ((reference * reference).mean(axis=1) < _FLAT)
    return flat
