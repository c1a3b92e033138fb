"""Which known face a top face is, or that it is blank, with a confidence that is held to be acted on at ACTING and above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.dice.enrolled import BLANK, EnrolledDie
from vision.dice.faces import FaceView, Symbol, likenesses, symbol_of_face
from vision.dice.partial import least_shown, likenesses_of_part

ACTING = 0.8
"""Least confidence at which a face's symbol is acted on."""
_INK = (0.45, 0.06)
"""Contrast, natural logarithm of light, at which ink and bare ground are equally likely, and the width of the change."""
_INK_NOISES = 3.3
"""Ground noises that ink differs by at least."""
_LIKE_INK = (20.0, 0.4)
"""How many times likelier what differs is ink where it is like a known symbol, and where it is like none."""
_SHARP = (0.22, 0.015)
"""Sharpness from which on what a known symbol is like is ink, and the width of the change."""
_LIKE = (0.9, 0.02)
"""Likeness at which a known symbol and an unknown one are equally likely, and the width of the change."""
_LIKE_PART = (0.925, 0.012)
"""The same of a symbol of which only a part shows."""
_AHEAD = 0.25
"""Of the logarithm of what a symbol leaves unexplained: so much more makes it e times less likely."""
OFF_CENTRE = 0.5
"""Symbols lie nearer to the middles of their faces than this, in incircle radii."""
_WELL_CENTRED = 0.35
"""A symbol that lies farther from it says nothing for the face."""
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
    astray: float = 0.0
    """0 to 1: that there is ink, and it lies away from the face's middle, where no symbol is."""
    unknown: float = 0.0
    """0 to 1: that there is ink which is none of the known symbols."""
    unlike: float = 0.0
    """0 to 1: the same of a face of which something hides a part; there it may be a known one that lies otherwise."""
    centred: float = 0.0
    """0 to 1: that a known symbol lies right in the face's middle, as it would hardly by chance."""


def known_faces(dice: Sequence[EnrolledDie], sides: int | None) -> list[EnrolledDie]:
    """The dice that may have so many sides."""
    return [die for die in dice if sides is None or die.sides is None or die.sides == sides]


def read_face(view: FaceView, dice: Sequence[EnrolledDie]) -> FaceReading:
    """The likeliest of the faces of the dice."""
    whole = view.bare >= WHOLE
    symbol = symbol_of_face(view)
    symbols = _symbols(symbol, dice) if whole else _partly_hidden(view, dice)
    inked = _inked(view, sum(share for _, share in symbols))
    candidates = [(name, inked * share) for name, share in symbols]
    if any(die.has_blank for die in dice):
        # What is covered may be the symbol, where it is not so large that it would show.
        shown = 1.0 if whole else least_shown(view, _known(dice))
        told = max(_step((view.bare - _BARE[0]) / _BARE[1]), _step((shown - _SHOWN[0]) / _SHOWN[1]))
        candidates.append((BLANK, (1 - inked) * told))
    if not whole:
        # What a hand hides for the most part is told nothing, whatever the rest looks like.
        half = _step((view.sight - _IN_SIGHT[0]) / _IN_SIGHT[1])
        candidates = [(name, share * half) for name, share in candidates]
    ranked = tuple(sorted(((name, round(share, 4)) for name, share in candidates), key=lambda each: -each[1])[:4])
    known = inked * sum(share for _, share in symbols)
    # A part of a symbol is looked for in the middle alone.
    off = (float(np.hypot(*symbol.offset)) if symbol is not None else np.inf) if whole else 0.0
    astray = inked if OFF_CENTRE < off < np.inf else 0.0
    unknown = inked - known if dice and whole else 0.0
    unlike = inked - known if dice and not whole and view.bare >= _LEAST_BARE else 0.0
    centred = known * max(1 - off / _WELL_CENTRED, 0.0)
    name, confidence = ranked[0] if ranked else (None, 0.0)
    return FaceReading(name if confidence >= ACTING else None, confidence, ranked, astray, unknown, unlike, centred)


WHOLE = 0.93
"""Share of a face's middle that must be bare for its symbol to be taken as a whole."""
_LEAST_BARE = 0.42
"""The same for a part of it to be told by."""
_BARE = (0.78, 0.03)
"""The same for a face that shows no ink to be as likely blank as not, and the width of the change."""

_SHOWN = (0.15, 0.02)
"""The same for the share of any known symbol's ink that would show."""
_IN_SIGHT = (0.54, 0.008)
"""Share of the whole face in sight at which it is as likely more as less than half, for outlines are never quite true, and the
width of the change."""


def _inked(view: FaceView, known: float) -> float:
    """How likely something is on the face; `known`: that it would be a known symbol."""
    middle, width = _INK
    needed = max(middle, _INK_NOISES * view.noise)
    like, unlike = _LIKE_INK
    # What darkens little by little may be like any symbol without sharp corners.
    like = 1 + (like - 1) * _step((view.sharp - _SHARP[0]) / _SHARP[1])
    odds = np.log(known * like + (1 - known) * unlike)
    return _step((view.contrast - needed) / (width * needed / middle) + float(odds))


def _symbols(symbol: Symbol | None, dice: Sequence[EnrolledDie]) -> list[tuple[str, float]]:
    """How likely each symbol is, if the face bears one."""
    if symbol is None:
        return []
    return _shares(likenesses(symbol, _known(dice)), _LIKE)


def _partly_hidden(view: FaceView, dice: Sequence[EnrolledDie]) -> list[tuple[str, float]]:
    """The same where something hides a part of the face; nothing where it hides too much."""
    return _shares(likenesses_of_part(view, _known(dice)), _LIKE_PART) if view.bare >= _LEAST_BARE else []


def _known(dice: Sequence[EnrolledDie]) -> list[tuple[str, Symbol]]:
    return [(face.name, known) for die in dice for face in die.faces for known in face.symbols]


def _shares(scores: dict[str, float], even: tuple[float, float]) -> list[tuple[str, float]]:
    """How likely each name is by its likeness; `even`: where a known symbol is as likely as an unknown one, and the width."""
    if not scores:
        return []
    ranked = sorted(scores.items(), key=lambda each: -each[1])
    known_at_all = _step((ranked[0][1] - even[0]) / even[1])
    residues = np.array([_residue(score) for _, score in ranked])
    shares = np.exp((residues[0] - residues) / _AHEAD)
    shares *= known_at_all / shares.sum()
    return [(name, float(each)) for (name, _), each in zip(ranked, shares, strict=True)]


def _residue(score: float) -> float:
    """Logarithm of what a likeness leaves unexplained."""
    return float(np.log(1 - score + _LEAST_RESIDUE))


def _step(x: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(x, -40, 40))))
