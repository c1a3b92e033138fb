"""Ways of a thrown die to begin with: pairs of turns that two pictures before the touch allow, and the spin between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.dice.eye import Eye
from vision.dice.track_body import (
    FALL,
    GROWN,
    NUMBERS,
    PLACE,
    RISE,
    SPIN,
    SPUN,
    TIME,
    Flight,
    Lights,
    Shot,
    turn_of,
    turned,
)
from vision.dice.track_fit import Fitter, Ways
from vision.dice.track_flight import GRAVITY, TOUCH_HEIGHT, fall_and_rise
from vision.dice.track_turn import Sight, Turns, axes_of, likely_turns, own_turns
from vision.table import TablePose

Floats = NDArray[np.float64]

_TURNS = 50
"""That are thought of in each picture."""
_PAIRS = 110
_BEGINNINGS = 14
_FINER = 6
"""Of which the light on the faces is fitted too."""
_USUAL_SPIN = 22.0
"""rad/s."""
_KEPT_SPIN = 0.3
"""Of the spin before the touch, after it."""
_APART_RAD, _APART_SPIN = 0.12, 6.0
"""Ways nearer to each other come to the same."""
_STEPS = (10, 7)
_SLACK_S = 0.02
_TRIED_PICTURES = 3


def ways_of(
    shots: Sequence[Shot], flight: Flight, lights: Lights, pose: TablePose, bgr: tuple[int, int, int], about_s: float
) -> Ways | None:
    """Ways that explain pictures of a touch about this moment, the likeliest first; None with fewer than two pictures before."""
    before = np.flatnonzero(flight.t <= about_s)
    if len(before) < 2:
        return None
    last, other = int(before[-1]), int(before[-2])
    numbers, turns, costs = _pairs(shots, flight, pose, bgr, (last, other), about_s)
    tried = list(before[-_TRIED_PICTURES:])
    quick = Fitter(_only(flight, tried), _lights_of(lights, tried))
    rough = costs + quick.costs(numbers, turns)
    own = own_turns(flight.body.sides)
    first = _distinct(numbers, turns, rough, own, _BEGINNINGS)
    within = (about_s - _SLACK_S, about_s + _SLACK_S)
    ways = Fitter(flight, None, within).fitted(numbers[first], turns[first], _STEPS[0])
    fine = Fitter(flight, lights, within)
    best = _distinct(ways.numbers, ways.turns, fine.costs(ways.numbers, ways.turns), own, _FINER)
    ways = fine.fitted(ways.numbers[best], ways.turns[best], _STEPS[1])
    return ways.picked(np.argsort(ways.costs))


def _pairs(
    shots: Sequence[Shot],
    flight: Flight,
    pose: TablePose,
    bgr: tuple[int, int, int],
    which: tuple[int, int],
    about_s: float,
) -> tuple[Floats, Floats, Floats]:
    """Ways by two pictures, and what speaks against them."""
    body, eye = flight.body, flight.eye
    places = [shot.place for shot in shots]
    x, y, *speeds = fall_and_rise(places, eye, TOUCH_HEIGHT * body.size_mm, about_s)
    seen = []
    for n in which:
        late = shots[n].t_s - about_s
        height = TOUCH_HEIGHT * body.size_mm + speeds[2] * late - GRAVITY / 2 * late**2
        seen.append(_turns(shots[n], body.sides, body.size_mm, max(height, 0.5 * body.size_mm), pose, eye, bgr))
    one, other = seen
    # A turn and the same one turned as the solid repeats itself show the same: the spin is the least of them.
    alike = np.einsum("aij,sjk->asik", one.rotations, own_turns(body.sides))
    least = np.einsum("asij,bij->abs", alike, other.rotations, optimize=True).argmax(axis=-1)
    a, b = (part.ravel() for part in np.indices(least.shape))
    spin = turn_of(alike[a, least.ravel()] @ np.swapaxes(other.rotations[b], -1, -2))
    spin /= shots[which[0]].t_s - shots[which[1]].t_s
    costs = one.costs[a] + other.costs[b] + (spin**2).sum(axis=-1) / (2 * _USUAL_SPIN**2)
    likely = np.argsort(costs)[:_PAIRS]
    spin = spin[likely]
    numbers = np.zeros((len(likely), NUMBERS))
    numbers[:, TIME], numbers[:, PLACE] = about_s, (x, y)
    numbers[:, FALL], numbers[:, RISE] = speeds[:3], speeds[3:]
    numbers[:, SPIN], numbers[:, SPUN] = spin, _KEPT_SPIN * spin
    numbers[:, GROWN] = 0.2 * flight.px_mm
    turns = turned(spin * (about_s - shots[which[0]].t_s)) @ one.rotations[a[likely]]
    return numbers, turns, costs[likely]


def _turns(
    shot: Shot, sides: int, size_mm: float, height: float, pose: TablePose, eye: Eye, bgr: tuple[int, int, int]
) -> Turns:
    """How the die may be turned in a picture."""
    place, look = shot.place, shot.look
    foot = eye.foot(place.x_mm, place.y_mm, height)
    toward = np.array([eye.x - foot[0], eye.y - foot[1], eye.height - height])
    toward /= np.linalg.norm(toward)
    # Steps along the view's axes as they show on the table's plane, then in the picture.
    axes = axes_of(toward) * size_mm
    steps = eye.height / (eye.height - height) * (axes[:, :2] - axes[:, 2:] * toward[:2] / toward[2])
    points = [(place.x_mm, place.y_mm), *((place.x_mm + dx, place.y_mm + dy) for dx, dy in steps)]
    middle, first, second = pose.to_px(points)
    at = (float(middle[0]) - look.left, float(middle[1]) - look.top)
    sight = Sight(look.part, shot.own, at, np.column_stack([first - middle, second - middle]), toward, bgr)
    return likely_turns(sides, sight, _TURNS)


def _distinct(numbers: Floats, turns: Floats, costs: Floats, own: Floats, most: int) -> NDArray[np.intp]:
    """The likeliest ways, each other than those before it."""
    chosen: list[int] = []
    near = 1 + 2 * np.cos(_APART_RAD)
    for n in np.argsort(costs):
        same = [
            m
            for m in chosen
            if np.einsum("ij,sij->s", turns[n], turns[m] @ own).max() > near
            and np.linalg.norm(numbers[n, SPIN] - numbers[m, SPIN]) < _APART_SPIN
        ]
        if not same:
            chosen.append(int(n))
        if len(chosen) == most:
            break
    return np.array(chosen, np.intp)


def _only(flight: Flight, which: Sequence[int]) -> Flight:
    """Some pictures of a flight."""
    return Flight(
        flight.body, flight.eye, flight.t[which], flight.reach[which], flight.noise[which], flight.px_mm, flight.heard
    )


def _lights_of(lights: Lights, which: Sequence[int]) -> Lights:
    return Lights(lights.rays[which], lights.light[which], lights.weight[which])
