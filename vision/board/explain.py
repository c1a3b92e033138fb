"""Which tracks together reproduce the strokes: the fewest that, drawn with their own widths, cover the ink and nothing else.

A stroke may lie in several corridors at once: a line that passes close to a third star, two lines that leave a star almost
side by side. Tracks that overlap form a group; for each group the choice is sought that covers the most ink and the least
bare ground at a small price a line. The best few choices are settled first, each track moved and widened to where it fits
beside its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board.corridors import BLUE_FROM, CLEAR_OF_STAR_MM, OFF_MM, RED_FROM, Track
from vision.board.stars import Star
from vision.board.strokes import StrokeView
from vision.observation import Colour

MASK_PX_PER_MM = 2.0
LINE_COST_MM2 = 9.0
"""Price of a line; a very short one pays a share of its own area instead."""
OFF_COST_MM2 = 1.0
"""Price of each square millimetre by which a track's end misses its star's middle."""
EXHAUSTIVE = 7
SETTLED = 8
"""How many of a group's best choices are settled before the last comparison."""
WITHIN_MM2, WITHIN_SHARE = 60.0, 0.3
"""Choices so far behind the best before settling, mm² or share of its gain, are not settled."""
OVERDRAWN = 0.2
"""What another colour's ink costs in bare ground: a line may run under it, but that must not come for nothing."""
AMBIGUOUS_MM2 = 6.0
"""Settled choices this close leave it open which of them was drawn."""

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Strip:
    """A track as it is drawn: where its ends lie across the line between the stars' middles, and how wide it is, mm."""

    track: Track
    near: Floats
    """Board mm of the middles' line at the track's ends."""
    far: Floats
    first: float
    last: float
    width: float


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A track that belongs to the best explanation."""

    track: Track
    sure: bool
    """False where another explanation without it does nearly as well."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ink:
    """One colour's strokes on a grid of half millimetres."""

    value: NDArray[np.float32]
    """Per pixel, mm²: its area where this colour lies, less its area where bare ground shows, 0 where nothing can be seen."""


def explain(view: StrokeView, stars: Sequence[Star], tracks: Sequence[Track], threshold: float) -> list[Choice]:
    """The tracks that together reproduce the strokes best, one for a pair.

    `threshold` is the least strength of a stroke's pixel.
    """
    if not tracks:
        return []
    size = round(view.strength.shape[0] / view.px_per_mm * MASK_PX_PER_MM)
    strength = cv2.resize(view.strength, (size, size), interpolation=cv2.INTER_AREA)
    ratio = cv2.resize(view.hue, (size, size), interpolation=cv2.INTER_AREA) / np.maximum(strength, 1.0)
    covered = cv2.resize(view.hidden.astype(np.uint8), (size, size), interpolation=cv2.INTER_NEAREST)
    for star in stars:
        # A line may run on under a magnet: nothing can be said there.
        middle = (round(star.x * MASK_PX_PER_MM - 0.5), round(star.y * MASK_PX_PER_MM - 0.5))
        cv2.circle(covered, middle, round((star.radius + CLEAR_OF_STAR_MM) * MASK_PX_PER_MM), 1, -1)
    hidden = covered > 0
    stroke = strength > threshold
    chosen: list[Choice] = []
    for colour, own in (
        (Colour.RED, ratio > RED_FROM), (Colour.BLUE, ratio < BLUE_FROM), (None, (ratio <= RED_FROM) & (ratio >= BLUE_FROM)),
    ):  # fmt: skip
        value = np.where(hidden, 0.0, np.where(~stroke, -1.0, np.where(own, 1.0, -OVERDRAWN))) / MASK_PX_PER_MM**2
        ink = _Ink(value.astype(np.float32))
        strips = [_strip(track) for track in tracks if track.colour is colour]
        for group in _groups(strips, size):
            chosen += _best_choice(group, ink)
    return _one_colour_a_pair(chosen)


def _strip(track: Track) -> _Strip:
    across = _across(track.start, track.end)
    near, far = track.start - track.off[0] * across, track.end - track.off[1] * across
    return _Strip(track, near, far, track.off[0], track.off[1], track.width)


def _across(start: Floats, end: Floats) -> Floats:
    along = end - start
    return np.array([-along[1], along[0]]) / max(1e-9, float(np.linalg.norm(along)))


def _corners(strip: _Strip, wider: float = 0.0) -> Floats:
    across = _across(strip.near, strip.far)
    half = strip.width / 2 + wider
    start, end = strip.near + strip.first * across, strip.far + strip.last * across
    return np.array([start + half * across, end + half * across, end - half * across, start - half * across])


def _pixels(strip: _Strip, size: int, wider: float = 0.0) -> NDArray[np.int64]:
    """Flat indices of the strip's pixels on the mask grid."""
    corners = _corners(strip, wider) * MASK_PX_PER_MM - 0.5
    left, top = np.clip(np.floor(corners.min(axis=0)).astype(int), 0, size - 1)
    right, bottom = np.clip(np.ceil(corners.max(axis=0)).astype(int) + 1, 1, size)
    mask = np.zeros((max(1, bottom - top), max(1, right - left)), np.uint8)
    cv2.fillConvexPoly(mask, np.rint((corners - (left, top)) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
    v, u = np.nonzero(mask)
    return np.asarray((v + top) * size + u + left, np.int64)


def _groups(strips: Sequence[_Strip], size: int) -> list[list[_Strip]]:
    """Strips that share more than a crossing's area, directly or through others."""
    pixels = [_pixels(strip, size) for strip in strips]
    groups: list[list[int]] = []
    for index in range(len(strips)):
        touching = [group for group in groups if any(_overlap(pixels[index], pixels[other]) for other in group)]
        groups = [group for group in groups if group not in touching]
        groups.append([index, *(other for group in touching for other in group)])
    return [[strips[index] for index in group] for group in groups]


def _overlap(first: NDArray[np.int64], second: NDArray[np.int64]) -> bool:
    shared = len(np.intersect1d(first, second, assume_unique=True))
    return shared > 0.12 * min(len(first), len(second))


class _Group:
    """Overlapping strips and the pixels around them: what a choice among them is worth."""

    def __init__(self, strips: Sequence[_Strip], ink: _Ink) -> None:
        size = ink.value.shape[0]
        around = np.unique(np.concatenate([_pixels(strip, size, 2.0) for strip in strips]))
        self.value = ink.value.ravel()[around].astype(np.float64)
        self.places = (np.stack([around % size, around // size], axis=1) + 0.5) / MASK_PX_PER_MM

    def covered(self, strip: _Strip) -> Mask:
        """Which of the pixels the strip covers."""
        along = strip.far - strip.near
        length = max(1e-9, float(np.linalg.norm(along)))
        along = along / length
        offset = self.places - strip.near
        t = offset @ along
        d = offset @ np.array([-along[1], along[0]])
        middle = strip.first + (strip.last - strip.first) * t / length
        return np.asarray((np.abs(d - middle) <= strip.width / 2) & (t >= 0) & (t <= length), np.bool_)

    def cost(self, strip: _Strip) -> float:
        """What a line at this place costs before it has covered anything."""
        area = strip.width * float(np.linalg.norm(strip.far - strip.near))
        return min(LINE_COST_MM2, 0.3 * area) + OFF_COST_MM2 * (strip.first**2 + strip.last**2)

    def gain(self, covered: Sequence[Mask], strips: Sequence[_Strip]) -> float:
        """Ink less bare ground under the strips together, less their cost."""
        if not strips:
            return 0.0
        union = np.logical_or.reduce(covered)
        return float(self.value[union].sum()) - sum(self.cost(strip) for strip in strips)

    def settle(self, strips: Sequence[_Strip]) -> tuple[float, list[_Strip]]:
        """The gain once every strip has moved and widened to where it fits beside the others."""
        placed = list(strips)
        covered = [self.covered(strip) for strip in placed]
        reached = self.gain(covered, placed)
        for step in (0.4, 0.2):
            for _ in range(3):
                before = reached
                for index in range(len(placed)):
                    for moved in _moves(placed[index], step):
                        mask = self.covered(moved)
                        trial = [*placed[:index], moved, *placed[index + 1 :]]
                        worth = self.gain([*covered[:index], mask, *covered[index + 1 :]], trial)
                        if worth > reached:
                            reached, placed = worth, trial
                            covered[index] = mask
                if reached - before < 0.5:
                    break
        return reached, placed


def _moves(strip: _Strip, step: float) -> list[_Strip]:
    moves = []
    for first, last, width in (
        (1, 0, 0),
        (-1, 0, 0),
        (0, 1, 0),
        (0, -1, 0),
        (1, 1, 0),
        (-1, -1, 0),
        (0, 0, 1),
        (0, 0, -1),
    ):
        a, b, w = strip.first + step * first, strip.last + step * last, strip.width + step * width
        if max(abs(a), abs(b)) <= OFF_MM and 0.8 <= w <= 5.0:
            moves.append(replace(strip, first=a, last=b, width=w))
    return moves


def _best_choice(strips: Sequence[_Strip], ink: _Ink) -> list[Choice]:
    """The tracks of the group's most worthwhile choice; those that a choice as good does without are not sure."""
    group = _Group(strips, ink)
    if len(strips) == 1 and group.gain([group.covered(strips[0])], strips) > 0:
        return [Choice(strips[0].track, True)]
    covered = [group.covered(strip) for strip in strips]

    def worth(choice: Sequence[int]) -> float:
        return group.gain([covered[i] for i in choice], [strips[i] for i in choice])

    choices = _all_choices(len(strips)) if len(strips) <= EXHAUSTIVE else _climb(len(strips), worth)
    ranked = sorted(((worth(choice), choice) for choice in choices), reverse=True)
    least = ranked[0][0] - max(WITHIN_MM2, WITHIN_SHARE * ranked[0][0])
    likely = [choice for rough, choice in ranked[:SETTLED] if choice and rough >= least]
    settled = [(group.settle([strips[i] for i in choice])[0], choice) for choice in likely]
    gain, best = max([(0.0, ()), *settled])
    rivals = [frozenset(choice) for rival, choice in settled if rival > gain - AMBIGUOUS_MM2]
    if not best:
        return []
    sure = frozenset(best).intersection(*rivals)
    return [Choice(strips[i].track, i in sure) for i in best]


def _all_choices(count: int) -> list[tuple[int, ...]]:
    return [tuple(i for i in range(count) if bits[i]) for bits in product((False, True), repeat=count)]


def _climb(count: int, worth: Callable[[Sequence[int]], float]) -> list[tuple[int, ...]]:
    """Good choices of a large group: one or two strips are added, dropped or swapped at a time while that helps."""
    here: frozenset[int] = frozenset()
    tried: dict[tuple[int, ...], float] = {(): 0.0}
    while True:
        for i in range(count):
            for j in range(i, count):
                trial = tuple(sorted(here ^ {i, j}))
                if trial not in tried:
                    tried[trial] = worth(trial)
        best = max(tried, key=lambda choice: tried[choice])
        if frozenset(best) == here:
            return sorted(tried, key=lambda choice: -tried[choice])[: 4 * SETTLED]
        here = frozenset(best)


def _one_colour_a_pair(choices: Sequence[Choice]) -> list[Choice]:
    """A pair is joined once: where two colours claim it, the one that shows along more of it."""
    best: dict[tuple[int, int], Choice] = {}
    for choice in choices:
        key = (choice.track.a, choice.track.b)
        if key not in best or choice.track.hit.sum() > best[key].track.hit.sum():
            best[key] = choice
    return list(best.values())
