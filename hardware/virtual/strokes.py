"""Marker strokes as a hand draws them along a ruler: nearly straight, of uneven width."""

from __future__ import annotations

import numpy as np

from hardware.virtual.lens import Points
from hardware.virtual.look import Bgr
from hardware.virtual.scene import Stroke

STEP_MM = 4.0

INK_ON_LIGHT: dict[str, Bgr] = {"red": (52, 46, 214), "blue": (186, 84, 36)}
INK_ON_DARK: dict[str, Bgr] = {"red": (70, 68, 228), "blue": (236, 138, 70)}


def ink(colour: str, dark: bool) -> Bgr:
    """The marker's colour on a light or a dark board, blue-green-red."""
    return (INK_ON_DARK if dark else INK_ON_LIGHT)[colour]


def stroke_outline(stroke: Stroke) -> Points | None:
    """The polygon that the drawn share of a stroke covers, mm; None where nothing is drawn yet.

    The wobble follows from the stroke's ends, so that a growing stroke never changes what is already there.
    """
    start, end = np.array(stroke.start, np.float64), np.array(stroke.end, np.float64)
    length = float(np.hypot(*(end - start)))
    drawn = min(1.0, max(0.0, stroke.drawn)) * length
    if drawn < 0.5:
        return None
    along = (end - start) / length
    across = np.array([-along[1], along[0]])
    seed = [round(abs(value) * 10) for value in (*stroke.start, *stroke.end)]
    rng = np.random.default_rng(seed)
    knots = np.arange(0, length + STEP_MM, STEP_MM)
    sway = np.convolve(rng.normal(0, 0.5, len(knots) + 4), np.ones(5) / 5, "valid")
    # A ruler holds both ends.
    sway *= np.sin(np.pi * np.clip(knots / length, 0, 1)) ** 0.5
    half = stroke.width_mm / 2 * (1 + np.clip(rng.normal(0, 0.09, len(knots)), -0.25, 0.25))
    places = np.append(knots[knots < drawn], drawn)
    middle = start + along * places[:, None] + across * np.interp(places, knots, sway)[:, None]
    reach = across * np.interp(places, knots, half)[:, None]
    return np.concatenate([middle + reach, (middle - reach)[::-1]])
