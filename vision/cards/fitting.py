"""A reference laid over a picture, at the picture's own sharpness, contrast and light: what it explains of it, and what not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np

from vision.cards.features import CELL_PX, Floats, Grid, describe, in_cells
from vision.cards.matching import REFERENCE_BLUR_MM, Catalogue, compare
from vision.cards.patches import Scale, blurred, drawn, in_channels
from vision.cards.veil import veil_of
from vision.frame import Image

Look = Callable[[int, bool], Floats]
"""A reference's description, by its index and whether it is turned half round."""
_BLURS_PX = (0.0, 1.0, 1.5, 2.2, 3.2, 4.5, 6.5)
"""Blurs of a canonical picture (sigma) beyond a reference's own, of which the fitting one is the picture's sharpness."""
_CLEARLY_BETTER = 0.98
_CLEARLY_VEILED = 0.75
"""Share of what contrast alone leaves unexplained, below which a veil is believed; a smaller gain may be a stranger's trait."""
_SMEARS_PX = (2.5, 4.0, 6.0)
"""Lengths over which a moved camera, or a moved card, may smear a canonical picture."""
_SMEAR_TURNS = 6
"""Directions that are tried, evenly over half a turn."""
_BADLY_FITTED = 0.1
"""Share of a picture that is unexplained at the best blur, from which on it may be smeared."""
_CLEARLY_SMEARED = 0.9
_LEAST_BLUR_PX = 0.8
"""Detail finer than this is noise and misalignment, never evidence."""
_TINT = (0.9, 1.12)
"""How much stronger or weaker than its contrast a card's colours may show: light and camera are not the scanner's."""
_GAIN_REACH = 1.2
_GAINS = (0.3, 1.5)


@dataclass(frozen=True, slots=True)
class _Sharpness:
    """How a picture has lost a reference's detail."""

    blur_px: float
    """Sigma."""
    smear_px: tuple[float, float] = (0.0, 0.0)
    """Across and down, from end to end."""

    def over(self, picture: Floats) -> Floats:
        """A picture that is as sharp as a reference, as sharp as this."""
        soft = blurred(picture, self.blur_px)
        if self.smear_px == (0.0, 0.0):
            return soft
        return np.asarray(cv2.filter2D(soft, -1, _smear(*self.smear_px), borderType=cv2.BORDER_REFLECT), np.float32)

    @property
    def sigma_px(self) -> float:
        """Of a blur that loses about as much."""
        return float(np.hypot(self.blur_px, np.hypot(*self.smear_px) / np.sqrt(24)))


@cache
def _smear(across: float, down: float) -> Floats:
    """A kernel that spreads a pixel evenly along a line."""
    side = 2 * int(np.ceil(max(abs(across), abs(down)) / 2)) + 3
    fine = np.zeros((side * 8, side * 8), np.float32)
    middle, reach = np.array([side * 4 - 0.5] * 2), np.array([across, down]) * 4
    ends = [(round(x), round(y)) for x, y in (middle + sign * reach for sign in (-1, 1))]
    cv2.line(fine, ends[0], ends[1], 1.0, 8)
    kernel = cv2.resize(fine, (side, side), interpolation=cv2.INTER_AREA)
    return np.asarray(kernel / kernel.sum(), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A reference laid over a picture."""

    grid: Grid
    gain: Floats
    """Height x width x 3: how much of the reference's contrast the picture shows."""
    sharpness: _Sharpness
    """Of the picture, against the reference's."""
    smooth_px: float
    """In which they are compared (sigma), beyond that."""
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

    def change(self, catalogue: Catalogue, best: int, other: int, scale: Scale, *, turned: bool) -> Floats:
        """By what the picture would differ if it showed the other, the other way round where it is turned."""
        if self.look is not None:
            gap = self._as_compared(self.look(best, False) - self.look(other, turned))
        else:
            theirs = catalogue.picture(other)
            gap = self._as_compared(catalogue.picture(best) - (theirs[::-1, ::-1] if turned else theirs))
            gap = np.asarray(self.gain * gap, np.float32)
        return drawn(gap, scale.pixels)

    @property
    def whole_px(self) -> float:
        """Of the picture's sharpness and the smoothing, together (sigma)."""
        return float(np.hypot(self.sharpness.sigma_px, self.smooth_px))

    def _as_compared(self, gap: Floats) -> Floats:
        return blurred(self.sharpness.over(gap), self.smooth_px)


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """A reference at some sharpness, and at the contrast that fits best then."""

    cost: float
    sharpness: _Sharpness
    gain: Floats
    rest: Floats


def best_fit(described: Floats, picture: Image, catalogue: Catalogue, best: int, scale: Scale) -> Fit:
    """Under a veil where that explains clearly more."""
    plain = _fit(described, catalogue.picture(best), scale, catalogue.grid)
    veiled = _veiled_fit(described, picture, plain, catalogue, best, scale)
    return veiled if veiled.cost < _CLEARLY_VEILED * plain.cost else plain


def _fit(picture: Floats, reference: Floats, scale: Scale, grid: Grid) -> Fit:
    """Finds the sharpness and the contrast at which a picture shows a reference."""
    shown = in_channels(scale.pixels)

    def tried(sharpness: _Sharpness) -> _Shown:
        soft = sharpness.over(reference)
        gain = _gain(picture, soft, shown, grid)
        rest = picture - gain * soft
        return _Shown(float((rest * rest * shown).sum()), sharpness, gain, rest)

    chosen = tried(_Sharpness(_BLURS_PX[0]))
    for blur in _BLURS_PX[1:]:
        other = tried(_Sharpness(blur))
        if other.cost < _CLEARLY_BETTER * chosen.cost:
            chosen = other
        elif other.cost > 1.1 * chosen.cost:
            break
    if chosen.sharpness.blur_px > 0 and chosen.cost > _BADLY_FITTED * float((picture * picture * shown).sum()):
        smeared = _smeared(tried)
        chosen = smeared if smeared.cost < _CLEARLY_SMEARED * chosen.cost else chosen
    alike = _alike(picture, reference, scale, grid)
    return _laid_over(grid, chosen.gain, chosen.sharpness, picture, chosen.rest, chosen.cost, alike, None, scale)


def _smeared(tried: Callable[[_Sharpness], _Shown]) -> _Shown:
    """The smear that fits best: its direction first, then its length."""

    def along(turn: float, length: float) -> _Sharpness:
        return _Sharpness(_BLURS_PX[1] / 2, (float(length * np.cos(turn)), float(length * np.sin(turn))))

    turns = [step * np.pi / _SMEAR_TURNS for step in range(_SMEAR_TURNS)]
    usual = _SMEARS_PX[len(_SMEARS_PX) // 2]
    each = [tried(along(turn, usual)) for turn in turns]
    turn = turns[min(range(len(turns)), key=lambda i: each[i].cost)]
    others = [tried(along(turn, length)) for length in _SMEARS_PX if length != usual]
    return min((*each, *others), key=lambda shown: shown.cost)


def _veiled_fit(described: Floats, picture: Image, plain: Fit, catalogue: Catalogue, best: int, scale: Scale) -> Fit:
    """The reference under the light that lies on the picture, as sharp as the plain fit found it."""
    grid = plain.grid
    veil = veil_of(picture, catalogue.references[best].picture, scale.cells, grid)

    @cache
    def look(reference: int, turned: bool) -> Floats:
        scan = catalogue.references[reference].picture
        return describe(veil.over(scan[::-1, ::-1] if turned else scan), grid.px_per_mm, REFERENCE_BLUR_MM)

    mine = look(best, False)
    rest = described - plain.sharpness.over(mine)
    shown = in_channels(scale.pixels)
    gain = _gain(mine, catalogue.picture(best), shown, grid)
    cost, alike = float((rest * rest * shown).sum()), _alike(described, mine, scale, grid)
    return _laid_over(grid, gain, plain.sharpness, described, rest, cost, alike, look, scale)


def _laid_over(
    grid: Grid,
    gain: Floats,
    sharpness: _Sharpness,
    described: Floats,
    rest: Floats,
    cost: float,
    alike: float,
    look: Look | None,
    scale: Scale,
) -> Fit:
    """With both sides smoothed so far that neither noise nor misalignment counts for detail."""
    smooth = max(sharpness.sigma_px, _LEAST_BLUR_PX)
    soft = blurred(rest, smooth, scale.pixels)
    expected = np.asarray(blurred(described, smooth, scale.pixels) - soft, np.float32)
    return Fit(grid, gain, sharpness, smooth, soft, expected, cost, alike, look)


def tinted(fit: Fit, scale: Scale) -> Fit:
    """With each channel as strong as the picture shows it, within what light and camera do to it."""
    shown = in_channels(scale.pixels)
    seen = fit.expected * shown
    dot = ((fit.expected + fit.rest) * seen).sum(axis=(0, 1)) + 1
    tint = np.clip(dot / ((fit.expected * seen).sum(axis=(0, 1)) + 1), *_TINT).astype(np.float32)
    expected = np.asarray(fit.expected * tint, np.float32)
    rest = np.asarray(fit.rest + fit.expected - expected, np.float32)
    look = fit.look
    tinted = None if look is None else lambda reference, turned: np.asarray(look(reference, turned) * tint, np.float32)
    gain = np.asarray(fit.gain * tint, np.float32)
    return replace(fit, gain=gain, rest=rest, expected=expected, look=tinted)


def _alike(picture: Floats, expected: Floats, scale: Scale, grid: Grid) -> float:
    target = in_cells(expected, grid)[None]
    return float(compare(in_cells(picture, grid), target, (target * target).sum(axis=2)).scores(scale.cells)[0])


def _gain(picture: Floats, reference: Floats, shown: Floats, grid: Grid) -> Floats:
    """Smooth over the card: glare, dark and gloss take contrast away here more than there."""
    seen = reference * shown
    dot, energy = _summed(picture * seen, grid), _summed(reference * seen, grid)
    near = [cv2.GaussianBlur(part, (0, 0), _GAIN_REACH, borderType=cv2.BORDER_REFLECT) for part in (dot, energy)]
    whole = float(dot.sum()) / max(float(energy.sum()), 1e-6)
    prior = 0.5 * float(energy.mean()) + 1e-6
    coarse = np.clip((near[0] + prior * whole) / (near[1] + prior), *_GAINS).astype(np.float32)
    gain = cv2.resize(coarse, (picture.shape[1], picture.shape[0]), interpolation=cv2.INTER_LINEAR)
    return in_channels(np.asarray(gain, np.float32))


def _summed(values: Floats, grid: Grid) -> Floats:
    """Rows x columns: the sum over a cell's pixels and channels."""
    # A mean over whole squares is what shrinking by area gives, at a fraction of the cost of numpy's sums.
    means = cv2.resize(values, (grid.columns, grid.rows), interpolation=cv2.INTER_AREA)
    return np.asarray(means.sum(axis=2) * CELL_PX**2, np.float32)
