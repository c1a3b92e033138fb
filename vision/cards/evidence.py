"""Whether a picture resolves what sets a card apart: the last word on how surely a settled card is what it seems.

Both sides are compared at the picture's own sharpness. What the best reference leaves unexplained, just where another card
would look different, is weighed against how different that other card would look there. Blur takes that difference away,
noise, glare and covers add to what is unexplained, and a card that is not enrolled leaves as much unexplained as its own
traits differ by: one ratio measures them all.

The light on a card is taken for what explains the picture better: for a change of contrast, or for a veil over it
(vision.cards.veil), as gloss and shade are on dark cards.

Other cards are the enrolled rivals; and strangers, which are taken to differ from the best card by as little as the closest
pairs of the deck differ, wherever those do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from vision.cards.features import CELL_PX, Floats, Grid, describe, in_cells
from vision.cards.matching import REFERENCE_BLUR_MM, Catalogue, Mask, as_picture, compare, pixels_of
from vision.cards.veil import veil_of
from vision.frame import Image

Look = Callable[[int, bool], Floats]
"""A reference's description, by its index and whether it is turned half round."""

_BLURS_PX = (0.0, 1.0, 1.5, 2.2, 3.2, 4.5, 6.5)
"""Blurs of a canonical picture (sigma) beyond a reference's own, of which the fitting one is the picture's sharpness."""
_CLEARLY_BETTER = 0.98
_CLEARLY_VEILED = 0.75
"""Share of what contrast alone leaves unexplained, below which a veil is believed; a smaller gain may be a stranger's trait."""
_LEAST_BLUR_PX = 1.2
"""Detail finer than this is noise and misalignment, never evidence."""
_RIVALS = 8
_TURNED_RIVALS = 4
_FLOOR = 0.23
"""Energy of a cell that means nothing, so that where nothing differs nothing is told apart."""
_TELLING_SHARE = 0.25
"""Share of the most telling cell's difference from which on a cell tells fully."""
_SHOWN_SHARE = 0.3
"""Share of a trait that must be in sight for it to be looked for."""
_LEAST_SHARE = 0.1
_DETAIL_PX = 8.0
_RIVAL = 0.55
_TRAIT = 0.53
_WIDTH = 0.05
"""Unexplained share at which right and wrong are equally likely, against a rival and against a stranger. Measured on drawn
decks: right cards mostly below 0.2, strangers above 0.5."""
_GAIN_REACH = 1.2
_GAINS = (0.3, 1.5)


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """A reference laid over a picture."""

    grid: Grid
    visible: Mask
    gain: Floats
    """Height x width x 3, channels alike: how much of the reference's contrast the picture shows."""
    blur_px: float
    """Of the reference, to be as sharp as the picture."""
    whole_px: float
    """Of that and of the smoothing in which they are compared, together."""
    residual: Floats
    """Height x width x 3: what the reference leaves unexplained."""
    cost: float
    """The sum of squares of what is unexplained in sight, at the picture's own sharpness."""
    alike: float
    """Likeness of the picture and what the reference is expected to look like, over the cells in sight."""
    look: Look | None = None
    """What a card looks like in this light; None where that is the reference's contrast at `gain`."""

    def energy(self, picture: Floats) -> Floats:
        """Of each cell in sight."""
        return energy_in_cells(picture, self.grid) * self.visible

    def difference(self, catalogue: Catalogue, best: int, other: int, *, turned: bool) -> Floats:
        """How much the picture would change if it showed the other, the other way round where it is turned."""
        if self.look is not None:
            return _blurred(self.look(best, False) - self.look(other, turned), self.whole_px)
        theirs = catalogue.picture(other)
        gap = catalogue.picture(best) - (theirs[::-1, ::-1] if turned else theirs)
        return np.asarray(self.gain * _blurred(gap, self.whole_px), np.float32)


@dataclass(frozen=True, slots=True)
class Resolved:
    """How far a picture bears a card out."""

    against_rivals: float
    """0 to 1: how surely it shows this reference and no other enrolled card."""
    against_strangers: float
    """0 to 1: how surely it shows no card that is not enrolled."""
    presence: float
    """How alike the card and the picture are, under a veil where there is one."""


def resolved(cells: Floats, picture: Image, catalogue: Catalogue, best: int, visible: Mask) -> Resolved:
    """What the picture's own sharpness, noise and light leave of an identity.

    `cells` is the full description of the card, cells x values, `picture` its canonical picture; both the same way up as the
    reference.
    """
    described = as_picture(cells, catalogue.grid)
    fit = _fit(described, catalogue.picture(best), visible, catalogue.grid)
    veiled = _veiled_fit(described, picture, fit, catalogue, best)
    if veiled.cost < _CLEARLY_VEILED * fit.cost:
        fit = veiled
    own = fit.energy(fit.residual)
    worst_rival = max(_against_rivals(fit, own, catalogue, best), default=0.0)
    worst_trait = max(_against_strangers(fit, own, catalogue, best), default=0.0)
    return Resolved(_sureness(worst_rival, _RIVAL), _sureness(worst_trait, _TRAIT), fit.alike)


def _sureness(unexplained: float, even: float) -> float:
    return float(1 / (1 + np.exp(min((unexplained - even) / _WIDTH, 50.0))))


def _fit(picture: Floats, reference: Floats, visible: Mask, grid: Grid) -> _Fit:
    """Finds the sharpness and the contrast at which a picture shows a reference."""
    shown = _in_channels(pixels_of(visible, grid).astype(np.float32))
    chosen: tuple[float, float, Floats, Floats] | None = None
    for blur in _BLURS_PX:
        soft = _blurred(reference, blur)
        gain = _gain(picture, soft, shown, grid)
        rest = picture - gain * soft
        cost = float((rest * rest * shown).sum())
        if chosen is not None and cost >= _CLEARLY_BETTER * chosen[0]:
            if cost > 1.1 * chosen[0]:
                break
            continue
        chosen = (cost, blur, gain, rest)
    if chosen is None:
        raise ValueError("no blur to try")
    cost, blur, gain, rest = chosen
    smooth = max(blur, _LEAST_BLUR_PX)
    alike = _alike(picture, reference, visible, grid)
    return _Fit(grid, visible, gain, blur, float(np.hypot(blur, smooth)), _blurred(rest, smooth), cost, alike)


def _veiled_fit(described: Floats, picture: Image, plain: _Fit, catalogue: Catalogue, best: int) -> _Fit:
    """The reference under the light that lies on the picture, as sharp as the plain fit found it."""
    grid, visible = plain.grid, plain.visible
    veil = veil_of(picture, catalogue.references[best].picture, visible, grid)

    @cache
    def look(reference: int, turned: bool) -> Floats:
        scan = catalogue.references[reference].picture
        return describe(veil.over(scan[::-1, ::-1] if turned else scan), grid.px_per_mm, REFERENCE_BLUR_MM)

    mine = look(best, False)
    rest = described - _blurred(mine, plain.blur_px)
    shown = _in_channels(pixels_of(visible, grid).astype(np.float32))
    gain = _gain(mine, catalogue.picture(best), shown, grid)
    smooth = _blurred(rest, max(plain.blur_px, _LEAST_BLUR_PX))
    cost, alike = float((rest * rest * shown).sum()), _alike(described, mine, visible, grid)
    return _Fit(grid, visible, gain, plain.blur_px, plain.whole_px, smooth, cost, alike, look)


def _alike(picture: Floats, expected: Floats, visible: Mask, grid: Grid) -> float:
    target = in_cells(expected, grid)[None]
    return float(compare(in_cells(picture, grid), target, (target * target).sum(axis=2)).scores(visible)[0])


def _against_rivals(fit: _Fit, own: Floats, catalogue: Catalogue, best: int) -> Iterator[float]:
    """For the enrolled cards that are most like the best one: what it leaves unexplained, as a share of what they would."""
    for place, other in enumerate(_most_alike(catalogue, best, fit.visible)):
        for turned in (False, True) if place < _TURNED_RIVALS else (False,):
            change = fit.difference(catalogue, best, other, turned=turned)
            weight = _telling(fit.energy(change))
            unexplained = float((weight * own).sum()) + _FLOOR * CELL_PX
            their_unexplained = float((weight * fit.energy(fit.residual + change)).sum()) + _FLOOR * CELL_PX
            yield unexplained / their_unexplained


def _most_alike(catalogue: Catalogue, best: int, visible: Mask) -> list[int]:
    gap = catalogue.coarse - catalogue.coarse[best]
    energy = (gap * gap).sum(axis=2) @ visible.astype(np.float32)
    me = catalogue.references[best].card, catalogue.decks[best]
    others = [int(i) for i in np.argsort(energy, kind="stable")]
    return [i for i in others if (catalogue.references[i].card, catalogue.decks[i]) != me][:_RIVALS]


def _against_strangers(fit: _Fit, own: Floats, catalogue: Catalogue, best: int) -> Iterator[float]:
    """For each trait: what is unexplained there, as a share of that and of what another card's trait would add."""
    mean_gain = float(fit.gain.mean()) ** 2
    # What is unexplained everywhere is light and noise; a stranger's trait stands out from it.
    usual = float(np.median(own[fit.visible])) if fit.visible.any() else 0.0
    if catalogue.references[best].card is None:
        # Another back of the same colours lacks this one's drawing.
        reference = catalogue.picture(best)
        coarse = _blurred(reference, _DETAIL_PX)
        traits = energy_in_cells(_blurred(reference - coarse, fit.whole_px), fit.grid)[None]
    else:
        traits = traits_of(catalogue, fit.whole_px)
    for whole in traits:
        seen = whole * fit.visible
        if seen.sum() < _SHOWN_SHARE * whole.sum():
            continue
        weight = _telling(seen)
        raw = float((weight * own).sum())
        unexplained = max(raw - usual * float(weight.sum()), _LEAST_SHARE * raw) + _FLOOR * CELL_PX
        yield unexplained / (unexplained + mean_gain * float((weight * seen).sum()))


def traits_of(catalogue: Catalogue, blur_px: float) -> Floats:
    """Pairs x cells: how the closest pairs of a deck's cards differ, at this sharpness. Kept in the catalogue."""
    known = catalogue.traits.get(blur_px)
    if known is None:
        energies = [
            energy_in_cells(_blurred(catalogue.picture(a) - catalogue.picture(b), blur_px), catalogue.grid)
            for a, b in catalogue.pairs
        ]
        cells = catalogue.grid.rows * catalogue.grid.columns
        known = np.stack(energies) if energies else np.zeros((0, cells), np.float32)
        catalogue.traits[blur_px] = known
    return known


def _telling(difference: Floats) -> Floats:
    """Weight of each cell as a witness."""
    top = _TELLING_SHARE * float(difference.max()) + 1e-9
    return np.asarray(np.minimum(difference / top, 1.0), np.float32)


def _gain(picture: Floats, reference: Floats, shown: Floats, grid: Grid) -> Floats:
    """Smooth over the card: glare, dark and gloss take contrast away here more than there."""
    seen = reference * shown
    dot, energy = _summed(picture * seen, grid), _summed(reference * seen, grid)
    near = [cv2.GaussianBlur(part, (0, 0), _GAIN_REACH, borderType=cv2.BORDER_REFLECT) for part in (dot, energy)]
    whole = float(dot.sum()) / max(float(energy.sum()), 1e-6)
    prior = 0.5 * float(energy.mean()) + 1e-6
    coarse = np.clip((near[0] + prior * whole) / (near[1] + prior), *_GAINS).astype(np.float32)
    gain = cv2.resize(coarse, (picture.shape[1], picture.shape[0]), interpolation=cv2.INTER_LINEAR)
    return _in_channels(np.asarray(gain, np.float32))


def _in_channels(values: Floats) -> Floats:
    """Three times the same: numpy is slow where it has to repeat a short last axis by itself."""
    return np.asarray(cv2.merge([values, values, values]), np.float32)


def energy_in_cells(picture: Floats, grid: Grid) -> Floats:
    """The sum of squares in each cell, row by row."""
    return _summed(picture * picture, grid).ravel()


def _summed(values: Floats, grid: Grid) -> Floats:
    """Rows x columns: the sum over a cell's pixels and channels."""
    # A mean over whole squares is what shrinking by area gives, at a fraction of the cost of numpy's sums.
    means = cv2.resize(values, (grid.columns, grid.rows), interpolation=cv2.INTER_AREA)
    return np.asarray(means.sum(axis=2) * CELL_PX**2, np.float32)


def _blurred(picture: Floats, sigma_px: float) -> Floats:
    if sigma_px <= 0:
        return picture
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px), np.float32)
