"""Symbols of which something hides a part: compared where the face is bare, around its middle, in every turn and usual size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.dice.faces import FACE_PX, INCIRCLE_PX, SYMBOL_PX, SYMBOL_SPREAD_PX, FaceView, Symbol

Floats = NDArray[np.float32]

_SIDE = FACE_PX // 2
_SIZES = (0.34, 0.40, 0.46, 0.52, 0.58)
"""Root mean square distance of symbols' ink from their middles, in incircle radii of their faces."""
_TURNS = range(0, 360, 5)
_SHIFTS = (-1, 0, 1)
_SOFT_PX = 0.6
_LEAST_SHOWN = 0.35
"""Share of what varies in a symbol that must lie where the face is bare: a plain end of one is like many."""


def likenesses_of_part(view: FaceView, known: Sequence[tuple[str, Symbol]]) -> dict[str, float]:
    """How like what shows of a face's ink is to each name's symbol, -1 to 1; empty where nothing of the face is bare."""
    ink = cv2.resize(view.ink, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).astype(np.float32)
    bare = _bare(view)
    if not bare.any():
        return {}
    moved = [
        (np.roll(ink, (down, across), (0, 1)).ravel(), np.roll(bare, (down, across), (0, 1)).ravel().astype(np.float32))
        for across in _SHIFTS
        for down in _SHIFTS
    ]
    found: dict[str, float] = {}
    for name, symbol in known:
        score = max(_best(symbol, seen, where) for seen, where in moved)
        found[name] = max(found.get(name, -1.0), score)
    return found


def least_shown(view: FaceView, known: Sequence[tuple[str, Symbol]]) -> float:
    """What share of its ink at least shows of whichever known symbol lies on a face, however it is turned; 0 without symbols."""
    bare = _bare(view).ravel().astype(np.float32)
    shares = []
    for _, symbol in known:
        patterns, _, _ = _patterns(symbol.ink.tobytes())
        shares.append(float((patterns @ bare / np.maximum(patterns.sum(axis=1), 1e-6)).min()))
    return min(shares, default=0.0)


_ALL_BARE = 0.99


def _bare(view: FaceView) -> NDArray[np.bool_]:
    """Where nothing lies over the face, at the scale of the patterns."""
    return np.asarray(
        cv2.resize(view.open.astype(np.float32), (_SIDE, _SIDE), interpolation=cv2.INTER_AREA) > _ALL_BARE
    )


def _best(symbol: Symbol, ink: Floats, bare: Floats) -> float:
    """The best correlation over all turns and sizes, where it is bare."""
    patterns, squares, whole = _patterns(symbol.ink.tobytes())
    count = float(bare.sum())
    seen = bare * (ink - float((bare * ink).sum()) / count)
    means = patterns @ bare / count
    varies = np.sqrt(np.maximum(squares @ bare - count * means**2, 1e-6))
    scores = (patterns @ seen) / (varies * max(float(np.linalg.norm(seen)), 1e-6))
    return float(np.where(varies >= _LEAST_SHOWN * whole, scores, -1.0).max())


@lru_cache(maxsize=64)
def _patterns(ink: bytes) -> tuple[Floats, Floats, Floats]:
    """A symbol in every size and turn, row by row, the squares of that, and how much each varies as a whole."""
    picture = np.frombuffer(ink, np.float32).reshape(SYMBOL_PX, SYMBOL_PX)
    middle, half = SYMBOL_PX / 2 - 0.5, _SIDE / 2 - 0.5
    rows = []
    for size in _SIZES:
        scale = size * INCIRCLE_PX / 2 / SYMBOL_SPREAD_PX
        source = cv2.GaussianBlur(picture, (0, 0), 0.45 / scale)
        for turn in _TURNS:
            matrix = np.asarray(cv2.getRotationMatrix2D((middle, middle), -turn, scale), np.float64)
            matrix[:, 2] += half - middle
            drawn = cv2.warpAffine(source, matrix, (_SIDE, _SIDE))
            rows.append(cv2.GaussianBlur(drawn, (0, 0), _SOFT_PX).ravel())
    patterns = np.stack(rows).astype(np.float32)
    squares = patterns**2
    whole = np.sqrt(np.maximum(squares.sum(axis=1) - patterns.sum(axis=1) ** 2 / patterns.shape[1], 1e-6))
    return patterns, squares, whole.astype(np.float32)
