"""Which reference an aligned description shows, how surely, and which of its cells the card really shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.evidence import resolved
from vision.cards.features import Floats, Grid
from vision.cards.matching import Catalogue, Likeness, compare, shrink_cells, turn_half
from vision.frame import Image

Mask = NDArray[np.bool_]

BACK = "back"
"""How a face-down card is called among the candidates."""
SHORTLIST = 24
_NO_SHORTLIST = 32
"""References up to which a shortlist saves nothing."""
_RIVALS = 6
_PART_TRUST = 0.9
_PRESENT = 0.425
"""Presence at which own and foreign cards are equally likely; measured: own from 0.46 up, foreign up to 0.41, one 0.46."""
_PRESENT_WIDTH = 0.02
_TELLING = 0.004
"""Mean square difference of two references from which on a cell can tell them apart."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where a reading is believed."""

    acting: float = 0.8
    """At or above this confidence an identity, a back or an angle is stated; below it is only a candidate."""
    presence: float = 0.36
    """Mean likeness of the visible cells from which on there is a card of the deck at all."""


class Doubt(StrEnum):
    """What keeps a card from being stated."""

    NONE = "nothing"
    RIVAL = "another card fits nearly as well"
    FAINT = "too little of a card shows"
    DETAIL = "what sets it apart from the cards most like it can't be seen"
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
    confidence: float
    upright: float
    """Confidence that the top is where the placement says."""
    candidates: tuple[tuple[str, float], ...]
    accounted: Mask
    """Cells that the card accounts for, so that nothing else is seen there."""
    described: Floats | None = None
    """What the confidence rests on: the full description, the reference's way up."""
    shown: Mask | None = None
    """Its cells in which the card can be seen."""
    doubt: Doubt = Doubt.NONE
    """The weakest link of its confidence."""

    @classmethod
    def unknown(cls, visible: Mask) -> Identity:
        """A card-sized thing that is none of the deck's cards."""
        return cls(-1, False, 0.0, 0.0, 0.0, (), visible, doubt=Doubt.UNKNOWN)


def identify(cells: Floats, catalogue: Catalogue, visible: Mask) -> Identity:
    """Compares a full description with every side of every card, both ways round, then the best rivals on what differs."""
    grid = catalogue.grid
    sides = (cells, turn_half(cells, grid))
    masks = (visible, visible[::-1])
    short = _shortlist(sides, catalogue, masks)
    every = len(short) == len(catalogue.references)
    detail = catalogue.detail if every else catalogue.detail[short]
    energies = catalogue.detail_energy if every else catalogue.detail_energy[short]
    likeness = [compare(side, detail, energies) for side in sides]
    scores = np.full((2, len(catalogue.references)), -1.0, np.float32)
    for way, like in enumerate(likeness):
        scores[way, short] = like.scores(masks[way])
    turned, best = (int(i) for i in np.unravel_index(int(scores.argmax()), scores.shape))
    presence = float(scores[turned, best])
    similarity = likeness[turned].similarity[int(np.flatnonzero(short == best)[0])]
    accounted = _accounted(similarity, sides[turned], catalogue.detail[best].astype(np.float32), masks[turned], grid)
    presence = max(
        presence, _presence_of_part(likeness[turned], int(np.flatnonzero(short == best)[0]), accounted, masks[turned])
    )
    rivals = _rivals(scores, turned, best)
    own = catalogue.detail[best].astype(np.float32)
    seen = sides[turned]
    name = catalogue.references[best].card
    lead, upright = 1.0, 1.0
    candidates: dict[str, float] = {}
    for other_turn, other in rivals:
        theirs = catalogue.detail[other].astype(np.float32)
        if other_turn != turned:
            theirs = turn_half(theirs, grid)
        sure = confidence_of(*agreement(seen, own, theirs, accounted, grid))
        if (other, other_turn) == (best, 1 - turned):
            upright = min(upright, sure)
        elif catalogue.references[other].card == name and catalogue.decks[other] == catalogue.decks[best]:
            continue
        else:
            lead = min(lead, sure)
            label = catalogue.references[other].card or BACK
            candidates[label] = max(candidates.get(label, 0.0), 1 - sure)
    confidence = lead * _presence_factor(presence)
    ranked = sorted(candidates.items(), key=lambda item: -item[1])[:3]
    listed = (
        (name or BACK, round(confidence, 4)),
        *((label, round(share, 4)) for label, share in ranked if share > 0.005),
    )
    if turned:
        accounted = accounted[::-1]
    return Identity(best, bool(turned), presence, confidence, upright, listed, accounted, seen, masks[turned])


def confirm(identity: Identity, catalogue: Catalogue, picture: Image) -> Identity:
    """The identity with the confidence that the picture's own sharpness, noise, contrast and light leave of it.

    `picture` is what lies there in canonical form, the reference's way up.
    """
    if identity.described is None or identity.shown is None or identity.reference < 0:
        return identity
    found = resolved(identity.described, picture, catalogue, identity.reference, identity.shown)
    # Its own light may have hidden the card from the comparison that does without it.
    plain, there = (_presence_factor(x) for x in (identity.presence, max(found.presence, identity.presence)))
    share = found.against_rivals * found.against_strangers * there / max(plain, 1e-9)
    links = {
        Doubt.RIVAL: identity.confidence / max(plain, 1e-9),
        Doubt.FAINT: there,
        Doubt.DETAIL: found.against_rivals,
        Doubt.STRANGER: found.against_strangers,
    }
    doubt = min(links, key=links.__getitem__)
    (name, first), *others = identity.candidates
    listed = ((name, round(first * share, 4)), *others)
    return replace(
        identity, confidence=identity.confidence * share, candidates=listed, described=None, shown=None, doubt=doubt
    )


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


def _rivals(scores: Floats, turned: int, best: int) -> list[tuple[int, int]]:
    order = np.argsort(-scores.ravel(), kind="stable")[: _RIVALS + 1]
    listed = [(int(i) // scores.shape[1], int(i) % scores.shape[1]) for i in order]
    if (1 - turned, best) not in listed:
        listed.append((1 - turned, best))
    return [rival for rival in listed if rival != (turned, best)]


def _presence_factor(presence: float) -> float:
    return float(1 / (1 + np.exp(-(presence - _PRESENT) / _PRESENT_WIDTH)))


def confidence_of(lead: float, sureness: float) -> float:
    """How surely the first of two rivals is right."""
    return float(1 / (1 + np.exp(-min(lead / 0.08, sureness))))


def agreement(cells: Floats, first: Floats, second: Floats, visible: Mask, grid: Grid) -> tuple[float, float]:
    """The difference check: on what differs between two references, with which one does the picture agree?

    Returns the lead, +1 wholly with the first and -1 wholly with the second, and how many standard errors it is away from
    a tie, taking each cell for one witness.
    """
    gain = _local_gain(cells, first, second, visible, grid)
    difference = (first - second) * visible[:, None]
    energy = (difference * difference).sum(axis=1)
    # Cells in which the two differ by no more than print and camera blur are no witnesses.
    energy = np.where(energy >= _TELLING * cells.shape[1], energy, 0)
    total = float(energy.sum())
    if total <= 0:
        return 0.0, 0.0
    middle = (first + second) / 2
    projected = ((cells / gain[:, None] - middle) * difference).sum(axis=1)
    share = np.clip(projected / np.maximum(energy / 2, 1e-9), -1.5, 1.5)
    lead = float((share * energy).sum() / total)
    spread = float((energy**2 * (share - lead) ** 2).sum()) ** 0.5 / total
    floor = 0.5 * float((energy**2).sum()) ** 0.5 / total
    return lead, lead / max(spread, floor, 1e-6)


def _local_gain(cells: Floats, first: Floats, second: Floats, visible: Mask, grid: Grid) -> Floats:
    """How much of the references' contrast the picture shows around each cell: glare and blur take some away."""
    middle = (first + second) / 2
    dot = ((cells * middle).sum(axis=1) * visible).reshape(grid.rows, grid.columns)
    energy = ((middle * middle).sum(axis=1) * visible).reshape(grid.rows, grid.columns)
    near = [
        cv2.GaussianBlur(part.astype(np.float32), (0, 0), 1.2, borderType=cv2.BORDER_REFLECT) for part in (dot, energy)
    ]
    whole = float(dot.sum() / max(float(energy.sum()), 1e-6))
    prior = 0.5 * float(energy.mean()) + 1e-6
    gain = (near[0] + prior * whole) / (near[1] + prior)
    return np.asarray(np.clip(gain, 0.25, 1.6).ravel(), np.float32)


def _accounted(similarity: Floats, cells: Floats, reference: Floats, visible: Mask, grid: Grid) -> Mask:
    """Visible cells that show the card: alike, or with nothing to show; single dissenters among them count too."""
    own = (cells * cells).mean(axis=1)
    theirs = (reference * reference).mean(axis=1)
    flat = (own < 0.004) & (theirs < 0.004)
    vote = np.where(flat, 0.15, similarity - 0.12).reshape(grid.rows, grid.columns).astype(np.float32)
    vote = vote * visible.reshape(grid.rows, grid.columns)
    smooth = cv2.blur(vote, (3, 3), borderType=cv2.BORDER_REFLECT)
    agreed: Mask = ((vote * 0.4 + smooth) > 0).ravel() & visible
    return agreed
