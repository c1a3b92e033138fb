"""Decides which pairs of stars are joined by a line, from all corridors together.

Three answers: a line, seen clear of any, or a doubt. Tracks that show along enough of their corridor are weighed against
each other (`explain`), so that one stroke is not counted for two pairs; what then stands is a line where it shows along
nearly all of what can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from vision.board.corridors import HALF_ACROSS, Corridor, Track, best_track, corridors, may_hold_stroke
from vision.board.explain import explain
from vision.board.stars import Star
from vision.board.strokes import StrokeView
from vision.observation import Colour, DoubtReason

LEAST_STRENGTH = 22.0
"""Levels below which nothing counts as a stroke, whatever the board's own strokes are like."""
OF_USUAL = 0.35
"""Share of the board's usual stroke strength that a sample must reach."""
INK_OF_USUAL = 0.45
"""The same for a pixel of its area, whose soft edge would make it look too wide."""
PALE = 0.4
"""A stroke with less than this share of the usual hue of its colour on this board is of another marker."""
GREEN_FROM = 0.12
LINE_COVERAGE = 0.72
DOUBT_COVERAGE = 0.5
LEAST_SEEN = 0.3


@dataclass(frozen=True, slots=True)
class Line:
    """A line between two stars, by their place in the list of stars."""

    a: int
    b: int
    colour: Colour
    confidence: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A pair of which it can't be said whether a line joins it."""

    a: int
    b: int
    reason: DoubtReason
    colour: Colour | None
    confidence: float


def read_lines(view: StrokeView, stars: Sequence[Star]) -> tuple[list[Line], list[Doubt]]:
    """The lines between these stars, and the pairs that stay in doubt."""
    pairs = corridors(view, stars)
    floor = max(LEAST_STRENGTH, 5 * view.noise)
    drawn = [pair for pair in pairs if may_hold_stroke(pair, floor)]
    usual = _usual_strength(drawn, floor)
    threshold = max(floor, OF_USUAL * usual)
    tracks = [
        track
        for pair in drawn
        for colour in (Colour.RED, Colour.BLUE, None)
        if (track := best_track(pair, colour, threshold)) is not None and track.coverage >= DOUBT_COVERAGE
    ]
    likely = [track for track in tracks if _seen_enough(track)]
    chosen = explain(view, stars, likely, max(threshold, INK_OF_USUAL * usual))
    usual_ratio = {colour: _usual_ratio([c.track for c in chosen if c.track.colour is colour]) for colour in Colour}
    lines, doubts = [], []
    for choice in chosen:
        track = choice.track
        confidence = _confidence(track)
        if track.colour is None or _strange_colour(view, track, usual_ratio[track.colour]):
            doubts.append(Doubt(track.a, track.b, DoubtReason.COLOUR, None, confidence))
        elif choice.sure and track.coverage >= LINE_COVERAGE:
            lines.append(Line(track.a, track.b, track.colour, confidence))
        else:
            doubts.append(Doubt(track.a, track.b, DoubtReason.FAINT, track.colour, confidence))
    settled = {(line.a, line.b) for line in lines} | {(doubt.a, doubt.b) for doubt in doubts}
    doubts += [doubt for pair in pairs if (pair.a, pair.b) not in settled and (doubt := _unseen(pair, threshold))]
    measured = {(pair.a, pair.b) for pair in pairs}
    doubts += [
        Doubt(a, b, DoubtReason.HIDDEN, None, 0.0)
        for a, b in combinations(range(len(stars)), 2)
        if (a, b) not in measured
    ]
    return lines, doubts


def _usual_strength(pairs: Sequence[Corridor], floor: float) -> float:
    """Strength of this board's plain strokes, from the corridors along nearly all of which one runs; 0 where there are none."""
    plain = []
    for pair in pairs:
        core = pair.strength[pair.seen, HALF_ACROSS - 5 : HALF_ACROSS + 6].max(axis=1)
        if len(core) >= 8 and (core > floor).mean() > 0.85:
            plain.append(float(np.median(core)))
    return float(np.median(plain)) if plain else 0.0


def _usual_ratio(tracks: Sequence[Track]) -> float:
    """How strongly coloured this board's lines of one colour are: the middle of them, hue over strength without its sign."""
    return float(np.median([abs(track.ratio) for track in tracks])) if tracks else 0.0


def _strange_colour(view: StrokeView, track: Track, usual: float) -> bool:
    """Whether a stroke is too pale for its colour on this board (a black one), or green."""
    if abs(track.ratio) < PALE * usual:
        return True
    t = np.linspace(0.05, 0.95, 40)[:, None]
    u, v = np.rint((track.start + t * (track.end - track.start)) * view.px_per_mm - 0.5).astype(np.int64).T
    limit = view.green.shape[0] - 1
    place = (np.clip(v, 0, limit), np.clip(u, 0, limit))
    # Warm light turns blue chalk towards cyan: green must outweigh what makes the stroke blue or red.
    return float(np.median(view.green[place])) > max(GREEN_FROM, 0.9 * abs(track.ratio)) * max(1.0, track.strength)


def _seen_enough(track: Track) -> bool:
    return bool(track.told.sum() >= max(3.0, LEAST_SEEN * len(track.told)))


def _confidence(track: Track) -> float:
    seen = min(1.0, float(track.told.mean()) / 0.6)
    return round(float(np.clip((track.coverage - 0.4) / 0.5, 0.0, 1.0)) * (0.5 + 0.5 * seen), 3)


def _unseen(pair: Corridor, threshold: float) -> Doubt | None:
    """A doubt where too little of the corridor shows to rule a line out."""
    bare = pair.seen & (
        pair.strength[:, pair.strength.shape[1] // 2 - 3 : pair.strength.shape[1] // 2 + 4] < threshold
    ).all(1)
    if bare.sum() >= max(3.0, min(10.0, 0.25 * len(bare))):
        return None
    if pair.seen.mean() >= 0.5:
        return None
    return Doubt(pair.a, pair.b, DoubtReason.HIDDEN, None, 0.0)
