"""Measures the corridor between each two stars: does a stroke of one colour run along it, where exactly, how wide, how strong?

Every pair is one hypothesis. Its corridor is sampled every millimetre, across it every third of a millimetre. A stroke may
miss the stars' middles a little (`OFF_MM`), so the straight track that gathers most of the stroke is sought first; what is
then asked of each sample is whether a stroke of that colour lies on the track, bare ground, or something that tells nothing
(another star, a hand, the other colour's stroke drawn over it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.stars import Star
from vision.board.strokes import StrokeView
from vision.observation import Colour

STEP_MM = 1.0
SHORT_STEP_MM, SHORT_SAMPLES = 0.3, 8
"""Between magnets that nearly touch: finer, so that the little that shows is judged at all."""
ACROSS_MM = 0.35
HALF_ACROSS = 11
"""Samples to either side of the middle: 3.85 mm."""
OFF_MM = 1.75
"""How far a stroke's end may miss a star's middle."""
CLEAR_OF_STAR_MM = 0.9
LEAST_SHOWN = 0.34
"""Share of a corridor along which some stroke must show for a track to be sought."""
RED_FROM = 0.18
BLUE_FROM = -0.08
"""Hue over strength: a red marker's stroke lies above the first, a blue one's below the second. Cheap cameras show a blue marker
almost as black: measured on a photograph of a white board, red 0.24 to 0.48, blue -0.16 to 0, black 0.02."""

Floats = NDArray[np.float64]
Layer = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Corridor:
    """What lies between two stars (by their place in the list of stars)."""

    a: int
    b: int
    start: Floats
    """Board mm of the first sample's place on the straight line between the middles."""
    end: Floats
    strength: Layer
    """samples x across, levels."""
    ratio: Layer
    """Hue over strength, samples x across."""
    seen: Mask
    """Samples of which something can be said."""

    @property
    def length(self) -> float:
        """Visible length between the two magnets, mm."""
        return float(np.linalg.norm(self.end - self.start))


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A stroke that may run along a corridor."""

    a: int
    b: int
    colour: Colour | None
    """None for a stroke that is neither red nor blue."""
    start: Floats
    end: Floats
    off: tuple[float, float]
    """Distance of the stroke's ends from the line between the middles, mm."""
    width: float
    hit: Mask
    """Samples on whose track a stroke of this colour lies."""
    told: Mask
    """Samples of which something can be said for this colour."""
    strength: float
    """Median over the stroke, levels."""
    ratio: float
    """Median hue over strength."""

    @property
    def coverage(self) -> float:
        """Share of the told samples that show the stroke."""
        told = int(self.told.sum())
        return float(self.hit[self.told].sum()) / told if told else 0.0


def corridors(view: StrokeView, stars: Sequence[Star]) -> list[Corridor]:
    """The corridor of every pair, in the order of the stars; pairs between whose magnets nothing shows are left out."""
    places = np.array([(star.x, star.y) for star in stars])
    radii = np.array([star.radius for star in stars])
    found: list[Corridor] = []
    for a, b in combinations(range(len(stars)), 2):
        along = places[b] - places[a]
        length = float(np.linalg.norm(along))
        along /= length
        first, last = radii[a] + CLEAR_OF_STAR_MM, length - radii[b] - CLEAR_OF_STAR_MM
        count = max(int((last - first) / STEP_MM), min(SHORT_SAMPLES, int((last - first) / SHORT_STEP_MM)))
        if count < 3:
            continue
        t = np.linspace(first, last, count)
        middle = places[a] + t[:, None] * along
        across = np.array([-along[1], along[0]])
        offsets = np.arange(-HALF_ACROSS, HALF_ACROSS + 1) * ACROSS_MM
        points = middle[:, None, :] + offsets[None, :, None] * across
        columns, rows = cv2.split((points * view.px_per_mm - 0.5).astype(np.float32))
        strength = np.asarray(cv2.remap(view.strength, columns, rows, cv2.INTER_LINEAR), np.float32)
        hue = np.asarray(cv2.remap(view.hue, columns, rows, cv2.INTER_LINEAR), np.float32)
        gap = middle[:, None, :] - places[None]
        under = (gap**2).sum(axis=2) < (radii + CLEAR_OF_STAR_MM) ** 2
        under[:, (a, b)] = False
        clear = ~under.any(axis=1)
        u, v = np.clip((middle * view.px_per_mm).astype(np.int64), 0, view.hidden.shape[0] - 1).T
        seen = clear & ~view.hidden[v, u] & ~view.magnets[v, u]
        ratio = np.asarray(hue / np.maximum(strength, 1.0), np.float32)
        found.append(Corridor(a, b, middle[0], middle[-1], strength, ratio, seen))
    return found


def may_hold_stroke(corridor: Corridor, threshold: float) -> bool:
    """A quick look that rules out the pairs along whose corridor hardly anything is drawn."""
    reach = round(OFF_MM / ACROSS_MM) + 1
    middle = corridor.strength[:, HALF_ACROSS - reach : HALF_ACROSS + reach + 1]
    drawn = (middle.max(axis=1) > threshold) & corridor.seen
    return bool(drawn.sum() >= LEAST_SHOWN * max(1, corridor.seen.sum()))


def best_track(corridor: Corridor, colour: Colour | None, threshold: float) -> Track | None:
    """The track that gathers most of a stroke of this colour; None where not a third of the corridor shows any."""
    stroke: Mask = np.asarray(corridor.strength > threshold)
    own: Mask = stroke & _of_colour(corridor.ratio, colour)
    other = stroke & ~own
    reach = round(OFF_MM / ACROSS_MM)
    near = np.asarray(own[:, HALF_ACROSS - reach - 1 : HALF_ACROSS + reach + 2].any(axis=1))
    if near[corridor.seen].sum() < LEAST_SHOWN * max(1, corridor.seen.sum()):
        return None
    samples = np.arange(len(own))
    share = samples / max(1, len(own) - 1)
    offs = np.arange(-reach, reach + 1)
    first, last = (grid.ravel() for grid in np.meshgrid(offs, offs))
    column = np.rint(first[:, None] * (1 - share) + last[:, None] * share).astype(np.int64) + HALF_ACROSS
    # The window is about as wide as a stroke, so that the sum is greatest when the track runs down its middle.
    window = cv2.blur(own.astype(np.float32), (7, 1))
    weight = corridor.seen.astype(np.float32)
    worth = (window[samples, column] * weight).sum(axis=1) / max(1.0, float(weight.sum()))
    worth -= 0.012 * ACROSS_MM**2 * (first**2 + last**2)
    best = int(worth.argmax())
    track = column[best]
    core = own[samples, track] | (own[samples, track - 1] & own[samples, track + 1])
    for step in (-1, 1):
        core |= own[samples, track + step] & own[samples, track + 2 * step]
    hidden = other[samples, track] & ~core
    told = corridor.seen & ~hidden
    hit = core & told
    if not hit.any():
        return None
    off = (float(first[best] * ACROSS_MM), float(last[best] * ACROSS_MM))
    along = corridor.end - corridor.start
    across = np.array([-along[1], along[0]]) / max(1e-9, float(np.linalg.norm(along)))
    return Track(
        corridor.a, corridor.b, colour, corridor.start + off[0] * across, corridor.end + off[1] * across, off,
        _width(own, track, hit), hit, told,
        float(np.median(corridor.strength[samples, track][hit])), float(np.median(corridor.ratio[samples, track][hit])),
    )  # fmt: skip


def _of_colour(ratio: Layer, colour: Colour | None) -> Mask:
    match colour:
        case Colour.RED:
            return ratio > RED_FROM
        case Colour.BLUE:
            return ratio < BLUE_FROM
        case _:
            return (ratio <= RED_FROM) & (ratio >= BLUE_FROM)


def _width(own: Mask, track: NDArray[np.int64], hit: Mask) -> float:
    """Width of the stroke around its track, mm: a low quantile, since where strokes merge they look wider."""
    rows = np.nonzero(hit)[0]
    size = own.shape[1]
    place = np.arange(size)[None, :]
    gap = ~own[rows]
    left = np.where(gap & (place < track[rows, None]), place, -1).max(axis=1)
    right = np.where(gap & (place > track[rows, None]), place, size).min(axis=1)
    return float(np.clip(np.quantile((right - left - 1) * ACROSS_MM, 0.35), 1.0, 4.5))
