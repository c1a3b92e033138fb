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

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import cv2
import numpy as np

from vision.cards.features import CELL_PX, Floats, Grid, describe, in_cells
from vision.cards.matching import REFERENCE_BLUR_MM, Catalogue, Mask, as_picture, compare
from vision.cards.veil import veil_of
from vision.frame import Image

Look = Callable[[int, bool], Floats]
"""A reference's description, by its index and whether it is turned half round."""

_BLURS_PX = (0.0, 1.0, 1.5, 2.2, 3.2, 4.5, 6.5)
"""Blurs of a canonical picture (sigma) beyond a reference's own, of which the fitting one is the picture's sharpness."""
_CLEARLY_BETTER = 0.98
_CLEARLY_VEILED = 0.75
"""Share of what contrast alone leaves unexplained, below which a veil is believed; a smaller gain may be a stranger's trait."""
_LEAST_BLUR_PX = 0.8
"""Detail finer than this is noise and misalignment, never evidence."""
_TINT = (0.9, 1.12)
"""How much stronger or weaker than its contrast a card's colours may show: light and camera are not the scanner's."""
_DRAWN_PX = 7.0
"""What changes over more than this is light, and how a camera mixes colours; what changes over less is drawn (sigma)."""
_PATCH_PX = 4
"""A patch of a canonical picture, along one side: what is told apart is weighed in these."""
_PATCH_SPREAD = 0.75
"""How far a patch looks around, in patches (sigma)."""
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
_GAIN_REACH = 1.2
_GAINS = (0.3, 1.5)


@dataclass(frozen=True, slots=True)
class Odds:
    """For the card and against another one."""

    nats: float
    """Natural logarithm of the odds."""
    most: float
    """What they would be if the picture showed just this card, as noisy as it is."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """How far a picture bears a reference out."""

    rivals: tuple[Rival, ...]
    """The enrolled cards most like it, the likeliest first."""
    top: Odds
    """That its top is where it seems."""
    strangers: Odds | None
    """Against the likeliest card that is not enrolled; None where no trait is in sight."""
    presence: float
    """How alike the card and the picture are over what is in sight, -1 to 1."""
    laid: Laid
    """The reference as it lies over the picture."""


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """A reference laid over a picture."""

    grid: Grid
    gain: Floats
    """Height x width x 3: how much of the reference's contrast the picture shows."""
    blur_px: float
    """Of the reference, to be as sharp as the picture."""
    whole_px: float
    """Of that and of the smoothing in which they are compared, together."""
    rest: Floats
    """Height x width x 3: what the reference leaves unexplained."""
    expected: Floats
    """Height x width x 3: the picture less that."""
    cost: float
    """The sum of squares of what is unexplained in sight, at the picture's own sharpness."""
    alike: float
    """Likeness of the picture and what the reference is expected to look like, over the cells in sight."""
    look: Look | None = None
    """What a card looks like in this light; None where that is the reference's contrast at `gain`."""

    def change(self, catalogue: Catalogue, best: int, other: int, *, turned: bool) -> Floats:
        """By what the picture would differ if it showed the other, the other way round where it is turned."""
        if self.look is not None:
            gap = _blurred(self.look(best, False) - self.look(other, turned), self.whole_px)
        else:
            theirs = catalogue.picture(other)
            gap = _blurred(catalogue.picture(best) - (theirs[::-1, ::-1] if turned else theirs), self.whole_px)
            gap = np.asarray(self.gain * gap, np.float32)
        return _drawn(gap)


def weigh(cells: Floats, picture: Image, catalogue: Catalogue, best: int, seen: Mask) -> Evidence:
    """What a picture says for a reference.

    `cells` is the full description, cells x values, `picture` the canonical picture, `seen` its pixels (height x width) that
    nothing lies over; all the same way up as the reference.
    """
    grid = catalogue.grid
    scale = _Scale.of(seen, grid)
    fit = _tinted(_best_fit(as_picture(cells, grid), picture, catalogue, best, scale), scale)
    patches = _Patches.of(fit, picture, scale)
    rivals = [
        Rival(other, turned, patches.against(fit.change(catalogue, best, other, turned=turned)))
        for other, turned in _most_alike(catalogue, best, scale.cells)
    ]
    turned = fit.change(catalogue, best, best, turned=True)
    strangers = min(_against_strangers(fit, patches, catalogue, best), key=lambda odds: odds.share, default=None)
    return Evidence(
        tuple(sorted(rivals, key=lambda rival: rival.odds.nats)),
        patches.against(turned),
        strangers,
        fit.alike,
        Laid(patches, scale.mean(_energy(turned))),
    )


def odds_of_tops(first: Laid, second: Laid) -> Odds:
    """For the first and against the second way round of one card, each pulled into place by itself.

    Where a card looks almost the same both ways, what little tells them apart is less than what a placement that was pulled onto
    one of them leaves unexplained of the other.
    """
    patches = first.patches
    theirs = np.asarray(second.patches.unexplained[::-1, ::-1], np.float32)
    return patches.weighed(theirs, first.between_tops)


@dataclass(frozen=True, slots=True, eq=False)
class _Scale:
    """What of a canonical picture is in sight, in pixels, cells and patches."""

    pixels: Floats
    """1 where it is, a pixel from its rim on; height x width."""
    cells: Mask
    patches: Floats
    """Share of each patch; rows x columns."""
    near: Floats
    """The same, as smoothed as what is measured in patches."""

    @classmethod
    def of(cls, seen: Mask, grid: Grid) -> _Scale:
        pixels = cv2.erode(seen.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.float32)
        cells = cv2.resize(pixels, (grid.columns, grid.rows), interpolation=cv2.INTER_AREA).ravel() > 0.5
        patches = _in_patches(pixels)
        return cls(pixels, cells, patches, _spread(patches) + np.float32(1e-3))

    def mean(self, energy: Floats) -> Floats:
        """Around each patch, over what is in sight: rows x columns, of a value for each pixel."""
        return np.asarray(_spread(_in_patches(energy * self.pixels)) / self.near, np.float32)


def _in_patches(values: Floats) -> Floats:
    size = (values.shape[1] // _PATCH_PX, values.shape[0] // _PATCH_PX)
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), np.float32)


def _spread(values: Floats) -> Floats:
    soft = cv2.GaussianBlur(values, (0, 0), _PATCH_SPREAD, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(soft.reshape(values.shape), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _Patches:
    """What a reference leaves unexplained, patch by patch; rows x columns."""

    scale: _Scale
    rest: Floats
    unexplained: Floats
    """Energy a pixel."""
    meaningless: Floats
    """Energy a pixel that speaks against no card: noise, and edges that are a little off."""

    @classmethod
    def of(cls, fit: _Fit, picture: Image, scale: _Scale) -> _Patches:
        fit = replace(fit, rest=_drawn(fit.rest))
        unexplained = scale.mean(_energy(fit.rest))
        across = np.asarray(cv2.Sobel(fit.expected, cv2.CV_32F, 1, 0, scale=1 / 8), np.float32)
        down = np.asarray(cv2.Sobel(fit.expected, cv2.CV_32F, 0, 1, scale=1 / 8), np.float32)
        wobble = _WOBBLE_PX**2 * scale.mean(np.asarray(_energy(across) + _energy(down), np.float32))
        noise = _FLOOR + _USUAL * _usual(unexplained, picture, scale)
        return cls(scale, fit.rest, unexplained, np.asarray(noise + wobble, np.float32))

    def against(self, change: Floats) -> Odds:
        """For the reference and against a card that would make this change."""
        return self.weighed(self.scale.mean(_energy(self.rest + change)), self.scale.mean(_energy(change)))

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
        return Odds(float((half * odds).sum()), float((half * most).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A reference laid over a picture, to be held against another way of laying it."""

    patches: _Patches
    between_tops: Floats
    """Energy a pixel by which the two ways round of the reference differ, patch by patch."""


def _drawn(values: Floats) -> Floats:
    """Without what changes slowly."""
    height, width = values.shape[:2]
    small = cv2.resize(values, (width // _PATCH_PX, height // _PATCH_PX), interpolation=cv2.INTER_AREA)
    slow = cv2.resize(cv2.GaussianBlur(small, (0, 0), _DRAWN_PX / _PATCH_PX), (width, height))
    return np.asarray(values - slow, np.float32)


def _energy(values: Floats) -> Floats:
    """Of each pixel, over the channels."""
    a, b, c = cv2.split(values)
    return np.asarray(a * a + b * b + c * c, np.float32)


def _usual(unexplained: Floats, picture: Image, scale: _Scale) -> Floats:
    """What is unexplained in most places as bright as each patch: in the dark there is more noise."""
    light = _in_patches(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32))
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


def _best_fit(described: Floats, picture: Image, catalogue: Catalogue, best: int, scale: _Scale) -> _Fit:
    """Under a veil where that explains clearly more."""
    plain = _fit(described, catalogue.picture(best), scale, catalogue.grid)
    veiled = _veiled_fit(described, picture, plain, catalogue, best, scale)
    return veiled if veiled.cost < _CLEARLY_VEILED * plain.cost else plain


def _fit(picture: Floats, reference: Floats, scale: _Scale, grid: Grid) -> _Fit:
    """Finds the sharpness and the contrast at which a picture shows a reference."""
    shown = _in_channels(scale.pixels)
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
    alike = _alike(picture, reference, scale, grid)
    return _laid_over(grid, gain, blur, picture, rest, cost, alike, None)


def _veiled_fit(described: Floats, picture: Image, plain: _Fit, catalogue: Catalogue, best: int, scale: _Scale) -> _Fit:
    """The reference under the light that lies on the picture, as sharp as the plain fit found it."""
    grid = plain.grid
    veil = veil_of(picture, catalogue.references[best].picture, scale.cells, grid)

    @cache
    def look(reference: int, turned: bool) -> Floats:
        scan = catalogue.references[reference].picture
        return describe(veil.over(scan[::-1, ::-1] if turned else scan), grid.px_per_mm, REFERENCE_BLUR_MM)

    mine = look(best, False)
    rest = described - _blurred(mine, plain.blur_px)
    shown = _in_channels(scale.pixels)
    gain = _gain(mine, catalogue.picture(best), shown, grid)
    cost, alike = float((rest * rest * shown).sum()), _alike(described, mine, scale, grid)
    return _laid_over(grid, gain, plain.blur_px, described, rest, cost, alike, look)


def _laid_over(
    grid: Grid,
    gain: Floats,
    blur_px: float,
    described: Floats,
    rest: Floats,
    cost: float,
    alike: float,
    look: Look | None,
) -> _Fit:
    """With both sides smoothed so far that neither noise nor misalignment counts for detail."""
    smooth = max(blur_px, _LEAST_BLUR_PX)
    soft = _blurred(rest, smooth)
    expected = np.asarray(_blurred(described, smooth) - soft, np.float32)
    return _Fit(grid, gain, blur_px, float(np.hypot(blur_px, smooth)), soft, expected, cost, alike, look)


def _tinted(fit: _Fit, scale: _Scale) -> _Fit:
    """With each channel as strong as the picture shows it, within what light and camera do to it."""
    shown = _in_channels(scale.pixels)
    seen = fit.expected * shown
    dot = ((fit.expected + fit.rest) * seen).sum(axis=(0, 1)) + 1
    tint = np.clip(dot / ((fit.expected * seen).sum(axis=(0, 1)) + 1), *_TINT).astype(np.float32)
    expected = np.asarray(fit.expected * tint, np.float32)
    rest = np.asarray(fit.rest + fit.expected - expected, np.float32)
    look = fit.look
    tinted = None if look is None else lambda reference, turned: np.asarray(look(reference, turned) * tint, np.float32)
    gain = np.asarray(fit.gain * tint, np.float32)
    return _Fit(fit.grid, gain, fit.blur_px, fit.whole_px, rest, expected, fit.cost, fit.alike, tinted)


def _alike(picture: Floats, expected: Floats, scale: _Scale, grid: Grid) -> float:
    target = in_cells(expected, grid)[None]
    return float(compare(in_cells(picture, grid), target, (target * target).sum(axis=2)).scores(scale.cells)[0])


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


def _against_strangers(fit: _Fit, patches: _Patches, catalogue: Catalogue, best: int) -> Iterator[Odds]:
    """For each trait that is in sight."""
    strength = _in_patches(np.asarray((fit.gain**2).mean(axis=2), np.float32))
    strength = np.full_like(strength, float(strength.mean()))
    if catalogue.references[best].card is None:
        # Another back of the same colours lacks this one's drawing.
        reference = catalogue.picture(best)
        detail = _blurred(reference - _blurred(reference, _DETAIL_PX), fit.whole_px)
        traits = _in_patches(_energy(detail))[None]
    else:
        traits = traits_of(catalogue, fit.whole_px)
    scale = patches.scale
    for trait in traits:
        seen = trait * scale.patches
        if seen.sum() < _SHOWN_SHARE * trait.sum():
            continue
        yield patches.against_trait(np.asarray(strength * _spread(seen) / scale.near, np.float32))


def traits_of(catalogue: Catalogue, blur_px: float) -> Floats:
    """Pairs x rows x columns of patches: how the closest pairs of a deck's cards differ, energy a pixel, at this sharpness.

    Kept in the catalogue.
    """
    known = catalogue.traits.get(blur_px)
    if known is None:
        energies = [
            _in_patches(_energy(_drawn(_blurred(catalogue.picture(a) - catalogue.picture(b), blur_px))))
            for a, b in catalogue.pairs
        ]
        side = CELL_PX // _PATCH_PX
        empty = np.zeros((0, catalogue.grid.rows * side, catalogue.grid.columns * side), np.float32)
        known = np.stack(energies) if energies else empty
        catalogue.traits[blur_px] = known
    return known


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


def _summed(values: Floats, grid: Grid) -> Floats:
    """Rows x columns: the sum over a cell's pixels and channels."""
    # A mean over whole squares is what shrinking by area gives, at a fraction of the cost of numpy's sums.
    means = cv2.resize(values, (grid.columns, grid.rows), interpolation=cv2.INTER_AREA)
    return np.asarray(means.sum(axis=2) * CELL_PX**2, np.float32)


def _blurred(picture: Floats, sigma_px: float) -> Floats:
    if sigma_px <= 0:
        return picture
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px), np.float32)
