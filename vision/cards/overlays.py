"""Things that lie over a card and are no cards: dice, stones, a thumb. What they hide says nothing of the card.

They show as a wide patch in which the card explains nothing of the picture. A card that isn't enrolled may show such a patch as
well, but one of the shape in which cards of the deck differ; so a patch that fills the outline of such a difference is the
card's own, and stays.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.features import Floats, Grid
from vision.cards.matching import Mask
from vision.cards.patches import PATCH_PX

_UNEXPLAINED, _STRANGE = 2.0, 4.0
"""Energy over what means nothing, from which on a patch may show something else, and does. Measured: dice 8 to 40 on most of
them, a card's own edges up to 4, once the card is in place."""
_STRANGE_SHARE = 0.2
"""Of a thing's patches, the least that do."""
_LEAST_MM = 16.0
"""Narrower than this is what is printed on cards, mostly: a sign of 8 mm shows 13 mm wide here, a die of 14 mm at least 19 mm."""
_RIM_MM = 3.0
"""Around it its shadow lies."""
_MOST = 0.5
"""Share of what is in sight of a card; where more than this is something else, it is another card."""
_ALONG_SIDE = 0.45
_IN_TRAIT, _OF_TRAIT = 0.6, 0.4
"""Shares of a patch inside a trait, and of the trait inside the patch, from which on the one may be the other."""
_TRAIT = 0.25
"""Share of a trait's greatest energy that belongs to it."""
_NOT_PRINTED = 0.65
"""How much of a back's print shows, below which something else does. Measured: 0.9 to 1.1 where it is in sight; about 0 on dice
and cards, whose own weave may be in step with it here and there."""
_LOOK_AROUND = 1.2
"""In patches (sigma)."""
_LEAST_OVER_BACK_MM = 9.0
_PERHAPS_MIRRORED, _MIRRORED = 0.5, 0.8
"""Share of what isn't printed that is the same turned half round, from which on it may be another back's own drawing, and is: a
die of 20 mm reaches 0.8 where it lies within 1.6 mm of the middle."""
_LEAST_TOLD = 0.25

Patches = NDArray[np.uint8]


def lying_over(unexplained: Floats, in_sight: Floats, traits: Floats, grid: Grid) -> Mask | None:
    """Pixels of the canonical picture (height x width) that something which is no card hides; None where nothing is seen to.

    `unexplained` is energy over what means nothing, `in_sight` shares of 0 to 1, both rows x columns of patches; `traits` are
    pairs x rows x columns: how cards of the deck differ.
    """
    px_per_mm = grid.px_per_mm / PATCH_PX
    shown = in_sight > 0.5
    strange = ((unexplained > _UNEXPLAINED) & shown).astype(np.uint8)
    # The face of a die may look like the card here and there.
    filled = cv2.morphologyEx(strange, cv2.MORPH_CLOSE, _disk(3.0 * px_per_mm))
    wide = cv2.morphologyEx(filled, cv2.MORPH_OPEN, _disk(_LEAST_MM * px_per_mm))
    count, labels = cv2.connectedComponents(wide)
    things = np.zeros(wide.shape, np.uint8)
    for label in range(1, count):
        thing = labels == label
        strange_enough = (unexplained[thing] > _STRANGE).mean() >= _STRANGE_SHARE
        if strange_enough and not _is_along_a_side(thing) and not _is_trait(thing, traits):
            things[thing] = 1
    if not things.any() or np.count_nonzero(things) > _MOST * np.count_nonzero(shown):
        return None
    # Opening has cut corners.
    whole = cv2.bitwise_and(filled, cv2.dilate(things, _disk(_LEAST_MM / 2 * px_per_mm)))
    grown = cv2.dilate(whole, _disk(2 * _RIM_MM * px_per_mm))
    return _pixels(np.asarray(grown, np.uint8))


def lying_over_back(printed: Floats, in_sight: Floats, grid: Grid) -> Mask | None:
    """Pixels of a back's canonical picture (height x width) that something hides; None where nothing is seen to.

    `printed` is how much of its print shows, about 1 where it does, `in_sight` shares of 0 to 1, both rows x columns of patches.
    What may be another back's own drawing hides nothing.
    """
    wide = _not_printed(printed, in_sight, grid)
    if not wide.any() or np.count_nonzero(wide) > _MOST * np.count_nonzero(in_sight > 0.5):
        return None
    if _mirrored(wide, in_sight) > _PERHAPS_MIRRORED:
        return None
    return _pixels(
        np.asarray(cv2.dilate(wide.astype(np.uint8), _disk(2 * _RIM_MM * grid.px_per_mm / PATCH_PX)), np.uint8)
    )


def is_redrawn(printed: Floats, in_sight: Floats, grid: Grid) -> bool:
    """Whether something else is printed within a back's frame, or its weave: that is the same turned half round, as backs are."""
    wide = _not_printed(printed, in_sight, grid)
    return bool(wide.any()) and _mirrored(wide, in_sight) > _MIRRORED


def _not_printed(printed: Floats, in_sight: Floats, grid: Grid) -> Mask:
    """The patches in which a back's print doesn't show, where these are wide."""
    px_per_mm = grid.px_per_mm / PATCH_PX
    around, near = (cv2.GaussianBlur(part, (0, 0), _LOOK_AROUND) for part in (printed * in_sight, in_sight))
    strange = ((around < _NOT_PRINTED * near) & (in_sight > 0.5)).astype(np.uint8)
    filled = cv2.morphologyEx(strange, cv2.MORPH_CLOSE, _disk(3.0 * px_per_mm))
    wide: Mask = cv2.morphologyEx(filled, cv2.MORPH_OPEN, _disk(_LEAST_OVER_BACK_MM * px_per_mm)) > 0
    return wide


def _mirrored(things: Mask, in_sight: Floats) -> float:
    """Share of things that is the same turned half round, where that is in sight; 0 where hardly any of it is."""
    other_way = in_sight[::-1, ::-1] > 0.5
    told = int(np.count_nonzero(things & other_way))
    if told == 0 or told < _LEAST_TOLD * int(np.count_nonzero(things)):
        return 0.0
    return int(np.count_nonzero(things & things[::-1, ::-1])) / told


def _pixels(patches: Patches) -> Mask:
    size = (patches.shape[1] * PATCH_PX, patches.shape[0] * PATCH_PX)
    pixels: Mask = cv2.resize(patches, size, interpolation=cv2.INTER_NEAREST) > 0
    return pixels


def _is_along_a_side(thing: Mask) -> bool:
    """Whether it reaches along most of one: that is where a card that lies further along isn't explained."""
    return any(side.mean() > _ALONG_SIDE for side in (thing[1], thing[-2], thing[:, 1], thing[:, -2]))


def _is_trait(thing: Mask, traits: Floats) -> bool:
    """Whether what isn't explained has the shape in which two cards of the deck differ."""
    if not len(traits):
        return False
    own = traits > _TRAIT * traits.max(axis=(1, 2), keepdims=True)
    shared = (own & thing).sum(axis=(1, 2))
    in_trait = shared / max(np.count_nonzero(thing), 1)
    of_trait = shared / np.maximum(own.sum(axis=(1, 2)), 1)
    return bool(((in_trait > _IN_TRAIT) & (of_trait > _OF_TRAIT)).any())


def _disk(diameter: float) -> Patches:
    side = 2 * round(max(diameter - 1, 0) / 2) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
