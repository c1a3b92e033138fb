"""Which known face a top face is, or that it is blank, with a confidence that is held to be acted on at ACTING and above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.dice.enrolled import BLANK, EnrolledDie
from vision.dice.faces import FaceView, likeness, symbol_of_face

ACTING = 0.8
"""Least confidence at which a face's symbol is acted on."""
_INK = (0.3, 0.055)
"""Contrast, natural logarithm of light, at which ink and bare ground are equally likely, and the width of the change."""
_INK_NOISES = 3.0
"""Ground noises that ink differs by at least."""
_LIKE = (0.8, 0.03)
"""Likeness at which a known symbol and an unknown one are equally likely, and the width of the change."""
_AHEAD = (0.55, 0.22)
"""Logarithm of how much better the best symbol fits than the next, at which it is even odds."""
_LEAST_RESIDUE = 0.012
"""What is left over even where everything fits: pixels, blur, paint."""


@dataclass(frozen=True, slots=True)
class FaceReading:
    """What a face shows."""

    symbol: str | None
    """Name, `blank`, or None below the acting threshold."""
    confidence: float
    candidates: tuple[tuple[str, float], ...]
    """Likeliest first."""


def known_faces(dice: Sequence[EnrolledDie], sides: int | None) -> list[EnrolledDie]:
    """The dice that may have so many sides."""
    return [die for die in dice if sides is None or die.sides is None or die.sides == sides]


def read_face(view: FaceView, dice: Sequence[EnrolledDie]) -> FaceReading:
    """The likeliest of the faces of the dice."""
    inked = _inked(view)
    candidates = []
    if any(die.has_blank for die in dice):
        candidates.append((BLANK, 1 - inked))
    candidates += [(name, inked * share) for name, share in _symbols(view, dice)]
    ranked = tuple(sorted(((name, round(share, 4)) for name, share in candidates), key=lambda each: -each[1])[:4])
    if not ranked:
        return FaceReading(None, 0.0, ())
    name, confidence = ranked[0]
    return FaceReading(name if confidence >= ACTING else None, confidence, ranked)


def _inked(view: FaceView) -> float:
    """How likely something is on the face."""
    middle, width = _INK
    needed = max(middle, _INK_NOISES * view.noise)
    return _step((view.contrast - needed) / (width * needed / middle))


def _symbols(view: FaceView, dice: Sequence[EnrolledDie]) -> list[tuple[str, float]]:
    """How likely each symbol is, if the face bears one."""
    symbol = symbol_of_face(view)
    if symbol is None:
        return []
    scores: dict[str, float] = {}
    for die in dice:
        for face in die.faces:
            for known in face.symbols:
                scores[face.name] = max(scores.get(face.name, -1.0), likeness(symbol, known).score)
    if not scores:
        return []
    ranked = sorted(scores.items(), key=lambda each: -each[1])
    best = ranked[0][1]
    known_at_all = _step((best - _LIKE[0]) / _LIKE[1])
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    ahead = _step((_residue(second) - _residue(best) - _AHEAD[0]) / _AHEAD[1])
    confidence = known_at_all * ahead
    rest = (1 - ahead) * known_at_all
    others = np.array([np.exp(-3 * (_residue(score) - _residue(best))) for _, score in ranked[1:]])
    shares = rest * others / max(float(others.sum()), 1e-9)
    return [(ranked[0][0], confidence), *((name, float(p)) for (name, _), p in zip(ranked[1:], shares, strict=True))]


def _residue(score: float) -> float:
    """Logarithm of what a likeness leaves unexplained."""
    return float(np.log(1 - score + _LEAST_RESIDUE))


def _step(x: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(x, -40, 40))))
