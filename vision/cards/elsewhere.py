"""Other cards that fit as well a little further along, where no side tells how far along a card lies.

Rivals are weighed where the best card was pulled to. Where both ends of a card lie under others that is where its own print fits
best, which a sparse one does almost anywhere: another card, pulled to where its own print fits, may be as much like the picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.cards.claims import Claims
from vision.cards.features import COARSE_PX, in_cells
from vision.cards.identity import Identity, confirm, identify
from vision.cards.matching import Catalogue, align, align_roughly, crop, look_at, look_in_view, rank_all
from vision.cards.outlines import Placement
from vision.cards.places import half_turned, on_table, same_place
from vision.cards.scene import CardScene

Mask = NDArray[np.bool_]

_SLIDES_MM = (-9.0, -6.0, -3.0, 0.0, 3.0, 6.0, 9.0)
_READINGS = 3
_RIVALS = 4
_BORNE_OUT = 0.3
"""Confidence in another card from which on it may be the one."""
_AS_WELL = 0.85
"""Of the likeness of the card that was found, over what is in sight of each, that the one further along must reach. Measured on
rows of sparse signs: where the wrong one was found the right one had 1.0 and more, elsewhere others had at most 0.8."""


def fits_elsewhere(
    scene: CardScene,
    catalogue: Catalogue,
    card: tuple[Placement, Identity],
    seen: Mask,
    told: tuple[bool, bool],
    others: Sequence[Placement],
) -> int | None:
    """The reference of another card that the same part of the picture bears out as well a few mm along; None where there is none.

    `card` is where which identity was found, `seen` its canonical pixels in sight, `told` whether a side tells the place down
    the card and across it; `others` are where other cards lie.
    """
    placement, reference = card[0], card[1].reference
    grid, least = catalogue.grid, _AS_WELL * card[1].presence * float(seen.mean())
    free = Claims((scene.claims.free.shape[1], scene.claims.free.shape[0]), scene.claims.origin_mm)
    free.free = scene.claims.in_view(placement, grid, seen)
    tried: set[int] = {reference}
    for start, other in _readings(scene, catalogue, list(_slid(placement, told)), free):
        if other in tried or len(tried) > _RIVALS:
            continue
        tried.add(other)
        at = _pulled(scene, catalogue, start, other, free)
        if any(same_place(at, there, grid.width_mm) for there in others):
            continue
        found = _confirmed(scene, catalogue, at, free)
        if found is None or found.confidence < _BORNE_OUT:
            continue
        if found.presence * float(free.visible(at, grid).mean()) < least:
            continue
        if catalogue.references[found.reference].card != catalogue.references[reference].card:
            return found.reference
    return None


def _pulled(scene: CardScene, catalogue: Catalogue, start: Placement, reference: int, free: Claims) -> Placement:
    grid, target = catalogue.grid, catalogue.picture(reference)
    at, _ = align_roughly(scene.view, scene.claims.origin_mm, start, catalogue, reference, free.visible(start, grid))
    return align(scene.image, scene.pose, at, target, grid, free.visible(at, grid))[0]


def _confirmed(scene: CardScene, catalogue: Catalogue, at: Placement, free: Claims) -> Identity | None:
    """What the picture says for what lies at a placement; None where that is none of the cards this way up."""
    grid = catalogue.grid
    cells = in_cells(look_at(scene.image, scene.pose, at, grid), grid)
    identity = identify(cells, catalogue, free.visible(at, grid))
    if identity.turned:
        return None
    picture = crop(scene.image, scene.pose, at, grid, grid.size_px)
    return confirm(identity, catalogue, picture, free.pixels(at, grid), 1.0, overlaid=False)


def _slid(placement: Placement, told: tuple[bool, bool]) -> Iterator[Placement]:
    """A placement, slid along where nothing tells its place."""
    down, across = (not is_told for is_told in told)
    steps = [(0.0, y) for y in _SLIDES_MM if down] + [(x, 0.0) for x in _SLIDES_MM if across]
    for x, y in on_table(placement, np.array(steps).reshape(-1, 2)).tolist():
        yield Placement(x, y, placement.angle_deg)


def _readings(
    scene: CardScene, catalogue: Catalogue, placements: list[Placement], free: Claims
) -> Iterator[tuple[Placement, int]]:
    """What the placements show from afar, the likeliest first, each the reference's way up."""
    grid = catalogue.grid
    views = [look_in_view(scene.view, scene.claims.origin_mm, p, grid, COARSE_PX) for p in placements]
    cells = np.stack([in_cells(view, grid) for view in views])
    visible = np.stack([free.visible(p, grid) for p in placements])
    scores, references, turns = rank_all(cells, catalogue, visible, _READINGS)
    for i, j in zip(*np.unravel_index(np.argsort(-scores, axis=None, kind="stable"), scores.shape), strict=True):
        start = placements[int(i)]
        yield half_turned(start) if turns[i, j] else start, int(references[i, j])
