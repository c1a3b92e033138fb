"""When and where a thrown die first touched the table, from the way it took in the picture.

One camera can't see height, but a falling body's height is known once the moment of touch is: it falls as everything does.
So the way before a supposed touch is a ballistic curve that ends on the table, the way after it another one that begins
there, and both are linear in their unknowns. The moment that explains the whole way best is the touch; what explains it nearly
as well is the band.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.dice.eye import Eye

Floats = NDArray[np.float64]

GRAVITY = 9810.0
"""mm/s^2."""
TOUCH_HEIGHT = 0.66
"""Of a die's middle when a corner or an edge first touches, over the distance of its faces: 0.5 on a face, 0.87 on a corner."""
_TOUCH_SPREAD = 0.1
_STEP_S = 0.001
AFTER_FRAMES = 3
"""Places after the touch that are looked at: the next bounce may follow soon."""
LEAST_BEFORE = 3
_FALL = (-900.0, 700.0)
"""Usual speed of height at the touch, mm/s, and its spread."""
_RISE = (250.0, 350.0)
_UNEXPLAINED = 3.5
"""What a place after the touch costs each way, in squared deviations: more than one that is on the curve."""
_CLEAR = 6.0
"""By how much a touch must explain the way better than an unbroken fall does, in units of half a squared deviation."""
_BAND = 4.5
"""How much worse another moment may explain the way to be possible still, same units."""
_SURELY_BROKEN = 40.0
_HOPELESS = 400.0
"""What a curve costs more than its beginning that goes on through a touch."""
FLOOR_MM = 2.5
"""No place of a touch is known better: a die touches with a corner, and its outline is cut a little off."""
_MOST_OFF = 2
"""Places of a fall that are seen off their curve; more say that it is none."""
_WORST = 36.0
"""A place so far off (squared deviations) tells of a bad picture, not of the way."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a die shows at a moment, on the table's plane."""

    t_s: float
    x_mm: float
    y_mm: float
    """What is so high over the table shows farther from the camera's foot than it stands."""
    noise_mm: float
    """How well it is known."""
    by_hand: bool = True
    """Something that may have let it go is near."""
    peeped_s: float = 0.0
    """For how long a part of it had shown right here before: it came out from under something."""


@dataclass(frozen=True, slots=True)
class TouchDown:
    """A first touch."""

    t_s: float
    t_err_s: float
    """Half-width of the band of moments that explain the way."""
    x_mm: float
    y_mm: float
    """Where the die's middle stood over the table."""
    err_mm: float
    """Half-width of the band of places, in any direction."""


def find_touch(
    way: Sequence[Place], eye: Eye, size_mm: float, knocks_s: Sequence[tuple[float, float]] = ()
) -> TouchDown | None:
    """The first touch on a die's way since it came into sight, or None where the way doesn't tell.

    `knocks_s`: moments and half-widths at which a sensor felt the table knocked.
    """
    if len(way) < LEAST_BEFORE + AFTER_FRAMES:
        return None
    t = np.array([place.t_s for place in way])
    seen = np.array([(place.x_mm, place.y_mm) for place in way])
    noise = np.array([place.noise_mm for place in way])
    task = _Task(t, seen, eye, TOUCH_HEIGHT * size_mm, noise)
    heard = [(at, err) for at, err in knocks_s if t[0] <= at <= t[-AFTER_FRAMES]]
    before, doubtful = task.frames_of_flight()
    if heard:
        at, err = min(heard, key=lambda knock: abs(knock[0] - t[before - 1]))
        before = max(LEAST_BEFORE, int(np.searchsorted(t, at)))
        return _best_of(task, np.linspace(at - err, at + err, 5), before, None, size_mm, known=True)
    found = _best_of(task, _moments_about(t, before), before, doubtful, size_mm)
    later = task.breaks_after(before) if found is None else None
    if later is None:
        return found
    # A place that is off the curve ended it too soon.
    return _best_of(task, _moments_about(t, later), later, before - 1, size_mm)


def _moments_about(t: Floats, before: int) -> Floats:
    low, high = max(before - 3, 1), min(before + 2, len(t) - 1)
    return np.arange(t[low], t[high] + _STEP_S / 2, _STEP_S)


def _best_of(
    task: _Task, moments: Floats, before: int, doubtful: int | None, size_mm: float, *, known: bool = False
) -> TouchDown | None:
    """The likeliest of these moments, where the die comes down after about `before` places; None where it isn't clear that it
    does. `doubtful`: the place at which it may have come down already. `known`: a sensor felt it."""
    end = min(before + 1 + AFTER_FRAMES, len(task.t))
    fits = [task.broken(float(moment), end) for moment in moments]
    costs = np.array([fit.cost for fit in fits])
    best = int(np.argmin(costs))
    if not known and task.whole(float(moments[best]), end).cost - costs[best] < 2 * _CLEAR:
        return None
    # Where even the best explains little, the places are worse than they were taken for.
    loose = max(1.0, costs[best] / max(1, 2 * end - 5))
    near = np.flatnonzero(costs < costs[best] + 2 * _BAND * loose)
    chosen, eye = fits[best], task.eye
    x, y = (float(part) for part in chosen.answer[:2])
    reach = max(float(np.hypot(*(fits[n].answer[:2] - chosen.answer[:2]))) for n in near)
    err_t = max(float(np.abs(moments[near] - moments[best]).max()), _STEP_S)
    off_axis = float(np.hypot(x - eye.x, y - eye.y)) / eye.height if np.isfinite(eye.height) else 0.0
    err = float(np.hypot(chosen.spread * np.sqrt(loose), _TOUCH_SPREAD * size_mm * off_axis))
    band = FLOOR_MM + reach + 2.0 * err
    if doubtful is not None:
        # An earlier touch is nearly as likely: whatever lies between is possible.
        band += float(np.hypot(*(task.seen[doubtful] - (x, y))))
    return TouchDown(float(moments[best]), err_t, x, y, band)


def fall_and_rise(way: Sequence[Place], eye: Eye, high: float, moment: float) -> Floats:
    """The middle of a die `high` mm over the table at a moment, and its speeds before and after, mm and mm/s.

    In order: x, y; the fall's speeds along x, y and height; the rise's.
    """
    t = np.array([place.t_s for place in way])
    seen = np.array([(place.x_mm, place.y_mm) for place in way])
    noise = np.array([place.noise_mm for place in way])
    return _Task(t, seen, eye, high, noise).broken(moment, len(way)).answer


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    answer: Floats
    """x and y at the moment of touch; then for each stretch the speeds in x, y and height."""
    cost: float
    spread: float


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """A way to be explained."""

    t: Floats
    seen: Floats
    eye: Eye
    high: float
    noise: Floats

    def frames_of_flight(self) -> tuple[int, int | None]:
        """How many of the first places lie on one ballistic curve that comes down at the last of them; and at which of them it
        may have come down already, if the curve looks broken there."""
        before = self._on_one_curve()
        while True:
            gain, earlier = self._broken_before(before)
            if gain < 2 * _CLEAR:
                return before, None
            if gain < _SURELY_BROKEN:
                return before, earlier
            before = earlier + 1

    def _broken_before(self, before: int) -> tuple[float, int]:
        """How much better two curves explain a flight than one, and at which place they meet."""
        best = (0.0, 0)
        # One flight comes down at its end: one that is as low sooner would go on below the table.
        whole = self.whole(float(self.t[before - 1]), before).cost
        for n in range(1, before - 2):
            moment = float(self.t[n])
            gain = min(whole, self.whole(moment, before).cost) - self.broken(moment, before).cost
            best = max(best, (gain, n))
        return best

    def breaks_after(self, before: int) -> int | None:
        """How many more of the first places lie on one curve but for a few, off which the next place is by far; None where none
        is."""
        costs = self._curve_costs()
        rises = np.diff(costs)
        for count in range(before + 1, LEAST_BEFORE + len(rises)):
            if rises[count - LEAST_BEFORE] > _SURELY_BROKEN:
                off = rises[before - LEAST_BEFORE : count - LEAST_BEFORE] > 2 * _UNEXPLAINED
                return count if off.sum() <= _MOST_OFF else None
        return None

    def _on_one_curve(self) -> int:
        costs = self._curve_costs()
        return LEAST_BEFORE + int(np.argmin(costs + 2 * _UNEXPLAINED * np.arange(len(costs), 0, -1)))

    def _curve_costs(self) -> Floats:
        """What one curve through the first LEAST_BEFORE places costs, through one more, and so on, while that explains them."""
        costs: list[float] = []
        for before in range(LEAST_BEFORE, len(self.t)):
            costs.append(self.whole(float(self.t[before - 1]), before).cost)
            if costs[-1] > costs[0] + _HOPELESS:
                break
        return np.array(costs)

    def broken(self, moment: float, end: int) -> _Answer:
        """A fall that ends at this moment and a rise that begins then, over the first `end` places."""
        before = self.t[:end] <= moment
        return self._solve(moment, end, [before, ~before])

    def whole(self, moment: float, end: int) -> _Answer:
        """A fall that goes on."""
        return self._solve(moment, end, [np.ones(end, bool)])

    def _solve(self, moment: float, end: int, stretches: Sequence[NDArray[np.bool_]]) -> _Answer:
        return _solve(self.t[:end] - moment, self.seen[:end], self.eye, self.high, self.noise[:end], stretches)


def _solve(
    late: Floats, seen: Floats, eye: Eye, high: float, noise: Floats, stretches: Sequence[NDArray[np.bool_]]
) -> _Answer:
    """Least squares for ways that share their place at moment 0: place = shown - height / H * (shown - eye)."""
    away = (seen - np.array([eye.x, eye.y])) / eye.height if np.isfinite(eye.height) else np.zeros_like(seen)
    unknowns = 2 + 3 * len(stretches)
    rows = np.zeros((2, len(late), unknowns))
    rows[0, :, 0] = rows[1, :, 1] = 1.0
    for n, stretch in enumerate(stretches):
        at = 2 + 3 * n
        rows[0, stretch, at] = rows[1, stretch, at + 1] = late[stretch]
        rows[0, stretch, at + 2] = late[stretch] * away[stretch, 0]
        rows[1, stretch, at + 2] = late[stretch] * away[stretch, 1]
    known = seen - (high - GRAVITY / 2 * late**2)[:, None] * away
    # Speeds of height by what throws and bounces are like: near the camera's foot the way says nothing of them.
    usual = [_FALL, _RISE]
    prior = np.zeros((len(stretches), unknowns))
    wanted = np.zeros(len(stretches))
    for n in range(len(stretches)):
        mean, spread = usual[n]
        prior[n, 2 + 3 * n + 2] = 1 / spread
        wanted[n] = mean / spread
    system = np.vstack([(rows / noise[:, None]).reshape(-1, unknowns), prior])
    right = np.concatenate([(known / noise[:, None]).T.ravel(), wanted])
    normal = system.T @ system + 1e-12 * np.eye(unknowns)
    answer = np.linalg.solve(normal, system.T @ right)
    left = system @ answer - right
    spread = float(np.sqrt(max(np.linalg.inv(normal)[0, 0], 0.0)))
    return _Answer(answer, float(np.minimum(left**2, _WORST).sum()), spread)
