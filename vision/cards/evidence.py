"""Whether a picture bears a card out: the last word on how surely a settled card is what it seems.

A reference is laid over the picture at the picture's own sharpness, contrast and light (vision.cards.veil). What it leaves
unexplained is compared, patch by patch, with what another card would leave: log odds that need not know how noisy the patch
is, for a likelihood whose variance is unknown depends on the ratio alone. So a patch in which neither card fits, under a
finger or in a lamp's reflection, says nothing; a clear patch says much; and noise, blur and small pixels leave less of what
tells two cards apart, hence less odds. Beside the odds counts which share they are of the odds that a picture of just this
card would give: one that is as unlike this card as it is unlike the other one is neither.

Other cards are the enrolled rivals; and strangers, which are taken to differ from the best card by as little as the closest
pairs of the deck differ, wherever those do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np

from vision.cards.features import CELL_PX, Floats, Grid
from vision.cards.fitting import Fit, best_fit, tinted
from vision.cards.matching import Catalogue, Mask, as_picture
from vision.cards.overlays import is_redrawn, lying_over, lying_over_back
from vision.cards.patches import PATCH_PX, Scale, blurred, drawn, energy_of, in_channels, in_patches, spread
from vision.frame import Image

_INDEPENDENT = 1.0
"""Independent samples in a patch: neighbours share noise that camera and alignment have blurred."""
_FLOOR = 0.003
"""Unexplained energy a pixel that means nothing at all."""
_USUAL = 0.8
"""Weight of what is unexplained all over the card, in places as bright: noise, which another card would leave as well."""
_BRIGHTNESSES = 4
_WOBBLE_PX = 0.3
"""How far a placement may be off: edges may be unexplained by so much."""
_NEITHER = (0.5, 1.5)
"""Energy that the better of two cards leaves unexplained, over half of what they differ by, at which a patch still says all, and
at which it says nothing."""
_RIVALS = 8
_TURNED_RIVALS = 4
_SHOWN_SHARE = 0.3
"""Share of a trait that must be in sight for it to be looked for."""
_DETAIL_PX = 8.0
_SPOT = (5, 5)
"""Patches of a spot, about 13 mm wide: a sign, or an index."""

_COLOURED = 0.1
"""Share of a description's energy in its colours from which on a card has any."""


@dataclass(frozen=True, slots=True)
class Odds:
    """For the card and against another one."""

    nats: float
    """Natural logarithm of the odds."""
    most: float
    """What they would be if the picture showed just this card, as noisy as it is."""
    against: float = 0.0
    """Nats for the other card in that spot which speaks most for it."""

    @property
    def share(self) -> float:
        """Of what they could be, about 1 for the card, -1 for the other one."""
        return self.nats / max(self.most, 0.1)


@dataclass(frozen=True, slots=True)
class Rival:
    """Another enrolled card that the picture might show."""

    reference: int
    turned: bool
    """Half round, against the reference it is held against."""
    odds: Odds
    """For the reference and against it."""


@dataclass(frozen=True, slots=True)
class Stranger:
    """A card that is not enrolled, and differs from the reference as two enrolled ones differ."""

    pair: tuple[int, int] | None
    """Their indices; None where it is another back, which lacks this one's drawing."""
    odds: Odds
    """For the reference and against it."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """How far a picture bears a reference out."""

    rivals: tuple[Rival, ...]
    """The enrolled cards most like it, the likeliest first."""
    top: Odds
    """That its top is where it seems."""
    strangers: tuple[Stranger, ...]
    """Cards that are not enrolled and that it might show, the likeliest first; none where no trait is in sight."""
    presence: float
    """How alike the card and the picture are over what is in sight, -1 to 1."""
    laid: Laid
    """The reference as it lies over the picture."""
    printed: Floats | None
    """How much of a back's print shows around each patch, about 1 where it does; None of a face."""
    blur_px: float
    """Of the picture, and of what is compared (sigma)."""
    colour: float
    """How much of the card's colours the picture shows, against its light and dark: about 1 in any light; 1 of a card in grey."""

    def lying_over(self, catalogue: Catalogue) -> Mask | None:
        """Pixels of the canonical picture that something which is no card hides; None where nothing is seen to."""
        patches = self.laid.patches
        if self.printed is not None:
            # What a weave leaves unexplained where it is covered is no more than what it leaves a little off its place.
            over = lying_over_back(self.printed, patches.scale.patches, catalogue.grid)
            if over is not None:
                return over
        strange = np.asarray(patches.unexplained / patches.meaningless, np.float32)
        traits = traits_of(catalogue, round(self.blur_px, 1))
        return lying_over(strange, patches.scale.patches, traits, catalogue.grid)

    def is_redrawn(self, grid: Grid) -> bool:
        """Whether this back's frame or weave is there, and something else is printed in it."""
        return self.printed is not None and is_redrawn(self.printed, self.laid.patches.scale.patches, grid)


def weigh(cells: Floats, picture: Image, catalogue: Catalogue, best: int, seen: Mask) -> Evidence:
    """What a picture says for a reference.

    `cells` is the full description, cells x values, `picture` the canonical picture, `seen` its pixels (height x width) that
    nothing lies over; all the same way up as the reference.
    """
    grid = catalogue.grid
    scale = Scale.of(seen, grid)
    described = as_picture(cells, grid)
    fit = tinted(best_fit(described, picture, catalogue, best, scale), scale)
    patches = _Patches.of(fit, picture, scale)
    rivals = [
        Rival(other, turned, patches.against(fit.change(catalogue, best, other, scale, turned=turned)))
        for other, turned in _most_alike(catalogue, best, scale.cells)
    ]
    turned = fit.change(catalogue, best, best, scale, turned=True)
    strangers = sorted(_against_strangers(fit, patches, catalogue, best), key=lambda stranger: stranger.odds.share)
    return Evidence(
        tuple(sorted(rivals, key=lambda rival: rival.odds.nats)),
        patches.against(turned),
        tuple(strangers),
        fit.alike,
        Laid(patches, scale.mean(energy_of(turned))),
        _printed(fit, scale) if catalogue.references[best].card is None else None,
        fit.whole_px,
        _colour(described, blurred(catalogue.picture(best), fit.whole_px), scale),
    )


def _printed(fit: Fit, scale: Scale) -> Floats:
    """How much of what is expected shows, about 1 where all of it does, or nothing is printed; rows x columns of patches."""
    shown = (fit.expected * (fit.expected + fit.rest)).sum(axis=2).astype(np.float32)
    energy = scale.mean(energy_of(fit.expected))
    return np.asarray((scale.mean(shown) + _FLOOR) / (energy + _FLOOR), np.float32)


def _colour(picture: Floats, reference: Floats, scale: Scale) -> float:
    """A reference's colour ratios in a picture, as a share of its contrasts there; both height x width x 3."""
    seen = reference * in_channels(scale.pixels)
    energy, shown = (seen * seen).sum(axis=(0, 1)), (seen * picture).sum(axis=(0, 1))
    if energy[1:].sum() < _COLOURED * energy.sum() or shown[0] <= 0:
        return 1.0
    return float(shown[1:].sum() / energy[1:].sum() / (shown[0] / energy[0]))


def odds_of_tops(first: Laid, second: Laid) -> Odds:
    """For the first and against the second way round of one card, each pulled into place by itself.

    Where a card looks almost the same both ways, what little tells them apart is less than what a placement that was pulled onto
    one of them leaves unexplained of the other.
    """
    patches = first.patches
    theirs = np.asarray(second.patches.unexplained[::-1, ::-1], np.float32)
    return patches.weighed(theirs, first.between_tops)


@dataclass(frozen=True, slots=True, eq=False)
class _Patches:
    """What a reference leaves unexplained, patch by patch; rows x columns."""

    scale: Scale
    rest: Floats
    unexplained: Floats
    """Energy a pixel."""
    meaningless: Floats
    """Energy a pixel that speaks against no card: noise, and edges that are a little off."""

    @classmethod
    def of(cls, fit: Fit, picture: Image, scale: Scale) -> _Patches:
        fit = replace(fit, rest=drawn(fit.rest, scale.pixels))
        unexplained = scale.mean(energy_of(fit.rest))
        across = np.asarray(cv2.Sobel(fit.expected, cv2.CV_32F, 1, 0, scale=1 / 8), np.float32)
        down = np.asarray(cv2.Sobel(fit.expected, cv2.CV_32F, 0, 1, scale=1 / 8), np.float32)
        wobble = _WOBBLE_PX**2 * scale.mean(np.asarray(energy_of(across) + energy_of(down), np.float32))
        noise = _FLOOR + _USUAL * _usual(unexplained, picture, scale)
        return cls(scale, fit.rest, unexplained, np.asarray(noise + wobble, np.float32))

    def against(self, change: Floats) -> Odds:
        """For the reference and against a card that would make this change."""
        return self.weighed(self.scale.mean(energy_of(self.rest + change)), self.scale.mean(energy_of(change)))

    def weighed(self, theirs: Floats, between: Floats) -> Odds:
        """For the reference and against a card that leaves so much unexplained and differs from it by so much."""
        noise = self.meaningless
        better = np.minimum(self.unexplained, theirs) / (between / 2 + noise)
        says = np.clip((_NEITHER[1] - better) / (_NEITHER[1] - _NEITHER[0]), 0, 1)
        most = np.log((between + noise) / noise)
        odds = np.log((theirs + noise) / (self.unexplained + noise)) * says
        return self._summed(np.asarray(odds, np.float32), np.asarray(most, np.float32))

    def against_trait(self, energy: Floats) -> Odds:
        """For the reference and against a card that would differ from it by so much, in a way that isn't known."""
        noise = self.meaningless
        most = np.log((energy + noise) / noise)
        odds = most - self.unexplained * (1 / noise - 1 / (energy + noise))
        return self._summed(np.asarray(np.maximum(odds, -most), np.float32), np.asarray(most, np.float32))

    def _summed(self, odds: Floats, most: Floats) -> Odds:
        half = 0.5 * _INDEPENDENT * self.scale.patches
        told = np.asarray(half * odds, np.float32)
        spots = cv2.boxFilter(told, -1, _SPOT, normalize=False, borderType=cv2.BORDER_CONSTANT)
        return Odds(float(told.sum()), float((half * most).sum()), max(-float(spots.min()), 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A reference laid over a picture, to be held against another way of laying it."""

    patches: _Patches
    between_tops: Floats
    """Energy a pixel by which the two ways round of the reference differ, patch by patch."""

    @property
    def seen(self) -> Mask:
        """Of the canonical picture, what it was weighed by; height x width."""
        seen: Mask = self.patches.scale.pixels > 0
        return seen


def _usual(unexplained: Floats, picture: Image, scale: Scale) -> Floats:
    """What is unexplained in most places as bright as each patch: in the dark there is more noise."""
    light = in_patches(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32))
    seen = scale.patches > 0.5
    if not seen.any():
        return np.zeros_like(unexplained)
    whole = float(np.median(unexplained[seen]))
    bounds = np.quantile(light[seen], np.linspace(0, 1, _BRIGHTNESSES + 1))
    at, usual = [], []
    for low, high in pairwise(bounds):
        some = seen & (light >= low) & (light <= high)
        if np.count_nonzero(some) >= 12:
            at.append(float(light[some].mean()))
            usual.append(min(float(np.median(unexplained[some])), 4 * whole))
    if not at:
        return np.full_like(unexplained, whole)
    return np.interp(light, at, usual).astype(np.float32)


def _most_alike(catalogue: Catalogue, best: int, visible: Mask) -> Iterator[tuple[int, bool]]:
    """Other cards and whether they are turned, those that look most like the best one where it is in sight."""
    gap = catalogue.coarse - catalogue.coarse[best]
    energy = (gap * gap).sum(axis=2) @ visible.astype(np.float32)
    faces = {(catalogue.references[best].card, catalogue.decks[best])}
    rivals: list[int] = []
    for other in (int(i) for i in np.argsort(energy, kind="stable")):
        # Of several pictures of one face the likest one will do; a back may be one of several.
        face = catalogue.references[other].card, catalogue.decks[other]
        if face not in faces and len(rivals) < _RIVALS:
            faces.add(face)
            rivals.append(other)
    for place, other in enumerate(rivals):
        yield other, False
        if place < _TURNED_RIVALS:
            yield other, True


def _against_strangers(fit: Fit, patches: _Patches, catalogue: Catalogue, best: int) -> Iterator[Stranger]:
    """For each trait that is in sight."""
    strength = in_patches(np.asarray((fit.gain**2).mean(axis=2), np.float32))
    strength = np.full_like(strength, float(strength.mean()))
    if catalogue.references[best].card is None:
        # Another back of the same colours lacks this one's drawing.
        reference = catalogue.picture(best)
        detail = blurred(reference - blurred(reference, _DETAIL_PX), fit.whole_px)
        traits = in_patches(energy_of(detail))[None]
        pairs: tuple[tuple[int, int] | None, ...] = (None,)
    else:
        traits, pairs = traits_of(catalogue, round(fit.whole_px, 1)), catalogue.pairs
    scale = patches.scale
    for pair, trait in zip(pairs, traits, strict=True):
        seen = trait * scale.patches
        if seen.sum() < _SHOWN_SHARE * trait.sum():
            continue
        energy = np.asarray(strength * spread(seen) / scale.near, np.float32)
        yield Stranger(pair, patches.against_trait(energy))


def traits_of(catalogue: Catalogue, blur_px: float) -> Floats:
    """Pairs x rows x columns of patches: how the closest pairs of a deck's cards differ, energy a pixel, at this sharpness.

    Kept in the catalogue.
    """
    known = catalogue.traits.get(blur_px)
    if known is None:
        energies = [
            in_patches(energy_of(drawn(blurred(catalogue.picture(a) - catalogue.picture(b), blur_px))))
            for a, b in catalogue.pairs
        ]
        side = CELL_PX // PATCH_PX
        empty = np.zeros((0, catalogue.grid.rows * side, catalogue.grid.columns * side), np.float32)
        known = np.stack(energies) if energies else empty
        catalogue.traits[blur_px] = known
    return known
