"""On which side of the string a die first touched the table.

What counts is the point of the table that the die touches first (Hoshi Battle, Rules of the Duel): not where its middle hangs,
which is up to two thirds of the die's size beside it. So the ways that explain the pictures about the touch are drawn from, each
as likely as it is, and what is told is where all but a small share of them touch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vision.arena import Arena, ArenaState
from vision.dice.eye import Eye
from vision.dice.track_body import (
    FALL,
    NUMBERS,
    PLACE,
    SPIN,
    TIME,
    TURN,
    Body,
    Flight,
    Lights,
    Shot,
    outline_costs,
    shots_of,
    turned,
)
from vision.dice.track_contacts import BAND, Contacts, anywhere, side_of
from vision.dice.track_fit import Fitter, Ways
from vision.dice.track_flight import GRAVITY, TOUCH_HEIGHT, Place, TouchDown, find_touch
from vision.dice.track_known import Known
from vision.dice.track_side import EVEN_REACH
from vision.dice.track_start import ways_of
from vision.dice.track_still import Look
from vision.observation import Point
from vision.table import TablePose

Floats = NDArray[np.float64]

_MOST_BEFORE, _MOST_AFTER = 7, 2
"""Pictures before and after a touch that are looked at: the next bounce may follow soon."""
_DRAWN = 200
"""Of each way."""
_DOUBT = 8.0
"""By which all that speaks for a way against another is divided: the body that is fitted is none of the very die's."""
_WIDER = 1.5
"""How much less well a way is known than the pictures' noise alone would have it."""
_GIVE_S = 0.004
"""A touch may begin so much before the die turns back: both die and table give."""
_FINEST_MM = 0.5
"""No point of a touch is known better."""
_ANYWHERE = 0.004
"""Chance that the pictures were misread."""
_LEAST_CHANCE = 1e-4
_LEAST_BEFORE, _WHOLE_FALL = 2, 14
_STRANGE = 8.0
"""What the outlines of a fall cost at most, a picture, that is one."""
_USUALLY_STRANGE, _TOO_STRANGE = 4.0, 20.0
"""And what they usually do; and from where on nothing is told by them."""
_CLEAR = 5.0
"""By how much a touch must explain the pictures better than an unbroken flight, in units of half a squared deviation."""
_UNBROKEN, _UNBROKEN_STEPS = 3, 8
_OTHER_PICTURES = (-1, 1, 2)
"""Where else the touch is looked for, in pictures, where it isn't clear."""
_SLOW_S = 0.012
"""With pictures farther apart a die may touch before it is seen often enough to tell."""
_UNSEEN_SLACK_S = 0.02
_FALL_SPREAD = 150.0
"""mm/s."""
_UNSEEN_CHANCE = 0.005
_BOUNCED_UNSEEN = 0.5
"""How likely a die that may have bounced under a hand did so, and was not let go there."""
_BOUNCES = (700.0, 1100.0)
"""mm/s: as fast as a bounce of a die that was thrown onto a table goes up often, and as fast as hardly any."""
_LOW_MM, _HIDDEN_S = 15.0, 0.3
_TWICE_UNSEEN, _SLOWED = 0.5, 1.7
"""And had bounced before, if there was time; and how much faster along the table it went until then, at most."""
_ASTRAY = 60.0
"""What the outline of a die costs that was not on its fall yet, a picture."""
_ASTRAY_S = 0.03
_LONGEST_FALL_S = 0.25
_NEXT_S = 0.25
_SHORTEST_S = 0.025
"""A throw flies for longer before it touches."""
_AGREED = 1.5
"""Pictures by which two ways of telling a touch's moment may differ and still mean the same one."""
_HIGH_S = 0.02
_SURELY = 0.98
_MOST_BOUNCES = 2
_HELD = 0.999
_BAND_WIDER, _BAND_MM = 1.75, 3.0
"""Share of the touches that lie within what is told of their place."""


@dataclass(frozen=True, slots=True)
class TrackedDie:
    """A die to be followed."""

    name: str
    bgr: tuple[int, int, int]
    """As the camera shows it (`track_colour.colour_at`)."""
    size_mm: float
    """Distance of two opposite faces."""
    sides: int | None = None
    """8 or 10; None where it isn't known: then its turn at the touch is not read."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A first touch of the table."""

    t_ns: int
    t_err_ns: int
    x_mm: float
    y_mm: float
    """Where the die's middle stood over the table."""
    err_mm: float
    """Half-width of the band of places, in any direction."""
    contact_mm: Point
    """Where it is thought to have touched."""
    contact_err_mm: float
    """How far from there it may have touched."""
    inside: bool | None
    """Whether it touched inside the string; None where that can't be told."""
    depth_mm: float | None
    """How far inside the string's middle line it is; None without one Arena."""


@dataclass(frozen=True, slots=True, eq=False)
class _Guess:
    """What is thought of one moment of touch."""

    ways: Ways
    flight: Flight
    lights: Lights
    costs: Floats

    @property
    def moment_s(self) -> float:
        return float(self.ways.numbers[0, TIME])

    @property
    def strange(self) -> float:
        """What the fall's outlines cost, a picture: much where the die did not fly as one does."""
        before = self.flight.t <= self.ways.numbers[0, TIME]
        off, _ = self.flight.misfits(self.ways.numbers[:1], self.ways.turns[:1])
        each = outline_costs(off)[0].reshape(len(before), -1).sum(axis=1)
        return float(each[before].mean()) if before.any() else np.inf


@dataclass(frozen=True, slots=True)
class TouchJudge:
    """Tells on which side of the string touches were."""

    pose: TablePose
    eye: Eye
    px_mm: float
    """Millimetres a pixel."""
    known: Known | None = field(default=None, compare=False)
    """What was worked out of the throw before, when less of it had been seen."""

    def judged(
        self,
        found: TouchDown,
        way: Sequence[Place],
        looks: Sequence[Look],
        die: TrackedDie,
        arena: Arena | None,
        unseen_s: float | None = None,
        heard: tuple[float, float] | None = None,
    ) -> Touch:
        """A touch found on a die's way, of which these pictures were kept.

        `unseen_s`: for how long it may have been hidden in the air before the way begins; None where it left a hand then.
        `heard`: when a sensor felt the touch and the half-width of that, s.
        """
        guesses, later = self._guesses(found, way, looks, die, heard)
        contacts = [self._drawn(guess) for guess in guesses] or [anywhere(found, die.size_mm)]
        t_s, t_err_s, x, y = found.t_s, found.t_err_s, found.x_mm, found.y_mm
        if guesses:
            t_s, x, y = (float(part) for part in guesses[0].ways.numbers[0, :3])
            t_err_s = max(t_err_s, abs(t_s - found.t_s))
        hidden_s = [unseen_s if unseen_s is not None else _hidden_low_s(guess, way) for guess in guesses]
        hidden = [
            None if since is None else _touched_unseen(guess, way[0].t_s, since)
            for guess, since in zip(guesses, hidden_s, strict=True)
        ]
        told = [seen.mixed(other) for seen, other in zip(contacts, hidden, strict=False)] or contacts
        depth = inside = None
        possible = told if later is None else [*told, self._drawn(later)]
        all_of_them = Contacts(
            np.concatenate([each.points for each in possible]), np.concatenate([each.chances for each in possible])
        )
        middle, reach = all_of_them.within(_HELD)
        earlier = self._earlier(guesses, way, looks, die)
        before = max((math.dist(middle, foot) + EVEN_REACH * die.size_mm for foot in earlier), default=0.0)
        reach = max(_BAND_WIDER * reach + _BAND_MM, before)
        if arena is not None and arena.state in {ArenaState.FOUND, ArenaState.HELD}:
            depth = arena.distance(*middle)
            sides = {side_of(each, arena, found.err_mm / BAND) for each in told}
            strange = min((guess.strange for guess in guesses), default=0.0) > _TOO_STRANGE
            known = len(sides) == 1 and (guesses or unseen_s is None) and not strange
            inside = sides.pop() if known else None
            if inside is not None and not self._surely_first(guesses, found, way, earlier, arena, die, inside):
                inside = None
            if inside is not None and not self._either_way(t_s, found, way, arena, die, inside):
                inside = None
        return Touch(round(t_s * 1e9), round(t_err_s * 1e9), x, y, found.err_mm, middle, reach, inside, depth)

    def _earlier(
        self, guesses: Sequence[_Guess], way: Sequence[Place], looks: Sequence[Look], die: TrackedDie
    ) -> list[tuple[float, float]]:
        """Where the die's middle was in sight while it may have touched before, mm."""
        if not guesses:
            return []
        last_s = max(self._off_until(guess, way, looks) for guess in guesses)
        high = TOUCH_HEIGHT * die.size_mm
        return [self.eye.foot(place.x_mm, place.y_mm, high) for place in way if place.t_s <= last_s]

    def _surely_first(
        self,
        guesses: Sequence[_Guess],
        found: TouchDown,
        way: Sequence[Place],
        earlier: Sequence[tuple[float, float]],
        arena: Arena,
        die: TrackedDie,
        inside: bool,
    ) -> bool:
        """Whether an earlier touch, if there was one in sight, changed nothing."""
        if not guesses:
            return _on_one_side(found, way, arena, inside)
        reach = EVEN_REACH * die.size_mm
        return all((arena.distance(*foot) if inside else -arena.distance(*foot)) > reach for foot in earlier)

    def _either_way(
        self, moment_s: float, found: TouchDown, way: Sequence[Place], arena: Arena, die: TrackedDie, inside: bool
    ) -> bool:
        """Whether it changes nothing which of two moments was the touch's: where the way broke, or where the die's turns and
        falls have it."""
        sooner, later = sorted((moment_s, found.t_s))
        step = min((after.t_s - place.t_s for place, after in pairwise(way)), default=np.inf)
        if later - sooner <= _AGREED * step:
            return True
        high, reach = TOUCH_HEIGHT * die.size_mm, EVEN_REACH * die.size_mm
        between = [place for place in way if sooner - step <= place.t_s <= later + step]
        feet = [self.eye.foot(place.x_mm, place.y_mm, high) for place in between]
        return all((arena.distance(*foot) if inside else -arena.distance(*foot)) > reach for foot in feet)

    def _off_until(self, guess: _Guess, way: Sequence[Place], looks: Sequence[Look]) -> float:
        """Until when the die was not where its fall, reckoned back, has it: it may have touched until then, s."""
        # In its first picture a hand may hide a part of it, and it can't have touched at once.
        first = 1 if len(way) > 1 and way[1].t_s - way[0].t_s < _SLOW_S else 0
        early = [place for place in way[first:] if place.t_s <= guess.moment_s]
        shots = shots_of(early, looks, self.pose, guess.moment_s, _LONGEST_FALL_S)
        if not shots:
            return -np.inf
        flight = replace(guess.flight, t=np.array([shot.t_s for shot in shots]), heard=None)
        flight = replace(flight, reach=np.array([shot.reach for shot in shots]), noise=np.ones(len(shots)))
        off, _ = flight.misfits(guess.ways.numbers[:1], guess.ways.turns[:1])
        each = outline_costs(off)[0].reshape(len(shots), -1).sum(axis=1)
        # The longer before the pictures that were fitted, the less nearly it is known where it was.
        before = np.maximum(guess.flight.t[0] - flight.t, 0.0)
        limits = _ASTRAY * (1 + (before / _ASTRAY_S) ** 2)
        astray = [shot.t_s for shot, off_by in zip(shots, each > limits, strict=True) if off_by]
        return max(astray, default=-np.inf)

    def _guesses(
        self,
        found: TouchDown,
        way: Sequence[Place],
        looks: Sequence[Look],
        die: TrackedDie,
        heard: tuple[float, float] | None,
    ) -> tuple[list[_Guess], _Guess | None]:
        """The likeliest first; several where it can't be told which moment was the touch's. And what else may have been
        it, where the next bounce shows more clearly: for the band alone."""
        if die.sides is None or not np.isfinite(self.eye.height):
            return [], None
        shots = shots_of(way, looks, self.pose, found.t_s)
        best = self._guess(shots, found.t_s, die, heard)
        if best is None:
            return [], None
        if heard is not None:
            if best.strange < _STRANGE and self._breaks(best):
                return [best], None
            # Another die knocked, or a hand: that tells nothing of this one.
            return self._guesses(found, way, looks, die, None)
        first = best
        best, after = self._first_of(best, found, way, looks, die)
        if after is not None and best.moment_s - way[0].t_s < _SHORTEST_S:
            # A hand that draws back from a die looks like a touch as well.
            return [best, after], None
        if best.strange < _STRANGE and self._breaks(best):
            return [best], None if first is best else first
        shots = shots_of(way, looks, self.pose, best.moment_s)
        step = float(np.median(np.diff([shot.t_s for shot in shots])))
        others = [self._guess(shots, best.moment_s + n * step, die) for n in _OTHER_PICTURES]
        guesses = [best, *(other for other in others if other is not None)]
        # Costs of other pictures can't be held against each other: what is strange falls out, unless all of it is.
        sound = [guess for guess in guesses if guess.strange < _STRANGE and self._breaks(guess)]
        return sound or guesses, after

    def _first_of(
        self, guess: _Guess, found: TouchDown, way: Sequence[Place], looks: Sequence[Look], die: TrackedDie
    ) -> tuple[_Guess, _Guess | None]:
        """The first touch, where that was none or another one came before: a die that falls so fast has fallen for so long.

        And the next one, as far as it is known.
        """
        after = None
        later_way = [place for place in way if place.t_s > found.t_s]
        later = find_touch(later_way, self.eye, die.size_mm)
        if later is not None and later.t_s - found.t_s < _NEXT_S:
            shots = shots_of(later_way, looks, self.pose, later.t_s, _LONGEST_FALL_S)
            after = self._guess(shots, later.t_s, die, most=_WHOLE_FALL)
            if (
                after is not None
                and after.strange < _STRANGE
                and _was_high(after, guess.moment_s)
                and (not self._breaks(guess) or self._falls_through(guess, after, way, looks, die))
            ):
                # It was high over the table then: something else broke its way, a hand that hid a part of it.
                whole = self._guess(shots_of(way, looks, self.pose, after.moment_s), after.moment_s, die)
                guess, after = after if whole is None else whole, None
        for _ in range(_MOST_BOUNCES):
            sooner_s = self._off_until(guess, way, looks) + 0.5 * float(np.median(np.diff(guess.flight.t)))
            if not np.isfinite(sooner_s):
                sooner_s = float(np.median(_fell_from(guess)))
            if sooner_s < way[0].t_s:
                break
            sooner = self._guess(shots_of(way, looks, self.pose, sooner_s), sooner_s, die)
            if sooner is None or sooner.moment_s > guess.moment_s - _HIGH_S or not self._breaks(sooner):
                break
            sound = guess.strange < _STRANGE
            if sound and (sooner.strange > _STRANGE or _was_high(guess, sooner.moment_s)):
                break
            guess, after = sooner, guess
        return guess, after

    def _falls_through(
        self, guess: _Guess, after: _Guess, way: Sequence[Place], looks: Sequence[Look], die: TrackedDie
    ) -> bool:
        """Whether one fall that ends at the later touch explains the pictures about the sooner one as well."""
        shots = shots_of(way, looks, self.pose, after.moment_s, after.moment_s - float(guess.flight.t[0]) + 1e-6)
        whole = self._guess(shots, after.moment_s, die, most=len(shots))
        return whole is not None and whole.strange < _STRANGE

    def _guess(
        self,
        shots: Sequence[Shot],
        moment_s: float,
        die: TrackedDie,
        heard: tuple[float, float] | None = None,
        most: int = _MOST_BEFORE,
    ) -> _Guess | None:
        before = [shot for shot in shots if shot.t_s <= moment_s][-most:]
        after = [shot for shot in shots if shot.t_s > moment_s][:_MOST_AFTER]
        if len(before) < _LEAST_BEFORE or not after or die.sides is None:
            return None
        about = [*before, *after]
        if self.known is None:
            return self._worked_out(about, moment_s, die, heard)
        question = (die, moment_s, heard, *((shot.place, shot.noise) for shot in about))
        return self.known.of(question, lambda: self._worked_out(about, moment_s, die, heard))

    def _worked_out(
        self, about: Sequence[Shot], moment_s: float, die: TrackedDie, heard: tuple[float, float] | None
    ) -> _Guess | None:
        if die.sides is None:
            return None
        flight = Flight.of(about, Body.of(die.sides, die.size_mm), self.eye, self.px_mm, heard)
        lights = Lights.of(about, die.bgr, self.pose, self.eye)
        ways = ways_of(about, flight, lights, self.pose, die.bgr, moment_s)
        return None if ways is None else _Guess(ways, flight, lights, ways.costs)

    def _breaks(self, guess: _Guess) -> bool:
        """Whether the die turns back there: an unbroken flight explains the pictures clearly worse."""
        # A guess that is known is the same object, and stays one.
        return _turns_back(guess) if self.known is None else self.known.of(guess, lambda: _turns_back(guess))

    def _drawn(self, guess: _Guess) -> Contacts:
        """Points where the die may have touched, by all ways that are likely."""
        chances = np.exp(-(guess.costs - guess.costs.min()) / _DOUBT)
        chances /= chances.sum()
        wider = _WIDER * np.sqrt(max(1.0, guess.strange / _USUALLY_STRANGE))
        random = np.random.default_rng(1)
        points, shares = [], []
        for n in np.flatnonzero(chances > _LEAST_CHANCE):
            numbers = _about(guess.ways, int(n), wider, random)
            sooner = random.uniform(0.0, _GIVE_S, _DRAWN)
            at_touch = turned(-numbers[:, SPIN] * sooner[:, None]) @ turned(numbers[:, TURN]) @ guess.ways.turns[n]
            corners = np.einsum("nij,vj->nvi", at_touch, guess.flight.body.corners)
            lowest = corners[np.arange(_DRAWN), corners[..., 2].argmin(axis=1), :2]
            points.append(numbers[:, PLACE] - numbers[:, FALL][:, :2] * sooner[:, None] + lowest)
            shares.append(np.full(_DRAWN, chances[n] / _DRAWN))
        drawn = np.concatenate(points)
        return Contacts(drawn + random.normal(0, _FINEST_MM, drawn.shape), np.concatenate(shares))


def _turns_back(guess: _Guess) -> bool:
    """Whether an unbroken flight explains the pictures clearly worse than one that ends at the touch."""
    likeliest = guess.ways.picked(np.arange(min(_UNBROKEN, len(guess.costs))))
    end = float(guess.flight.t[-1]) + 1e-4
    numbers = likeliest.numbers.copy()
    late = end - numbers[:, TIME]
    turns = turned(numbers[:, SPIN] * late[:, None]) @ likeliest.turns
    numbers[:, PLACE] += numbers[:, FALL][:, :2] * late[:, None]
    numbers[:, FALL.start + 2] -= GRAVITY * late
    numbers[:, TIME] = end
    whole = Fitter(guess.flight, guess.lights, (end, end + 0.06)).fitted(numbers, turns, _UNBROKEN_STEPS)
    return float(whole.costs.min() - guess.costs.min()) > _CLEAR


def _fell_from(guess: _Guess) -> Floats:
    """When the die would have left the table to fall as it did, drawn by chance, s.

    What leaves a hand over the table has fallen for less long.
    """
    random = np.random.default_rng(2)
    numbers = _about(guess.ways, 0, _WIDER, random)
    # How fast it falls shows in how its outline grows, of which little is sure.
    numbers[:, FALL.start + 2] += random.normal(0.0, _FALL_SPREAD, _DRAWN)
    return np.asarray(numbers[:, TIME] - 2 * np.maximum(-numbers[:, FALL.start + 2], 0.0) / GRAVITY)


def _was_high(guess: _Guess, then_s: float) -> bool:
    """Whether the die, to fall as it did, was still high over the table then."""
    return float(np.quantile(_fell_from(guess), _SURELY)) < then_s - 2 * _HIGH_S


def _hidden_low_s(guess: _Guess, way: Sequence[Place]) -> float | None:
    """For how long a die may have been in the air unseen that came out from under something in a moment, and so low over the
    table that it may just have bounced there, s; None where it left a hand, which is higher than that."""
    if not way or not way[0].peeped_s:
        return None
    since = float(guess.moment_s - way[0].t_s)
    height = -float(guess.ways.numbers[0, FALL.start + 2]) * since - GRAVITY / 2 * since**2
    return _HIDDEN_S if height < _LOW_MM else None


def _touched_unseen(guess: _Guess, first_s: float, unseen_s: float) -> Contacts | None:
    """Where the die must have touched first, had it come to its fall by a bounce since it might be hidden, and how likely that
    was; None where it was longer ago. Where there was time for more bounces, the first may have been one before that."""
    random = np.random.default_rng(2)
    numbers = _about(guess.ways, 0, _WIDER, random)
    then = _fell_from(guess)
    since_s = first_s - unseen_s - _UNSEEN_SLACK_S
    possible = then > since_s
    low, high = _BOUNCES
    likely = np.clip((high - GRAVITY / 2 * (numbers[:, TIME] - then)) / (high - low), 0.0, 1.0)
    chance = _BOUNCED_UNSEEN * float((likely * possible).mean())
    if chance < _UNSEEN_CHANCE:
        return None
    possible &= random.random(len(likely)) < likely
    flown_s = (numbers[:, TIME] - then)[possible]
    room_s = np.minimum(then[possible] - since_s, _LONGEST_FALL_S)
    earlier = (random.random(len(room_s)) < _TWICE_UNSEEN) & (room_s > _SHORTEST_S)
    # A bounce takes speed: before it the die went on as fast at least.
    flown_s += earlier * room_s * random.random(len(room_s)) * random.uniform(1.0, _SLOWED, len(room_s))
    points = numbers[possible][:, PLACE] - numbers[possible][:, FALL][:, :2] * flown_s[:, None]
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    around = EVEN_REACH * guess.flight.body.size_mm * np.column_stack([np.cos(angles), np.sin(angles)])
    spread = (points[:, None] + around).reshape(-1, 2)
    return Contacts(spread, np.full(len(spread), chance / len(spread)))


def _about(ways: Ways, n: int, wider: float, random: np.random.Generator) -> Floats:
    """A way's numbers as they may be, drawn by chance."""
    spread, axes = np.linalg.eigh(np.linalg.inv(ways.normal[n] + 1e-9 * np.eye(NUMBERS)))
    drawn = random.standard_normal((_DRAWN, NUMBERS)) * np.sqrt(np.maximum(spread, 0.0)) * wider
    return np.asarray(ways.numbers[n] + drawn @ axes.T)


def _on_one_side(found: TouchDown, way: Sequence[Place], arena: Arena, inside: bool) -> bool:
    """Whether an earlier touch, which pictures far apart would not show, changed nothing."""
    if len(way) < 2 or way[1].t_s - way[0].t_s < _SLOW_S:
        return True
    earlier = [(2 * way[0].x_mm - way[1].x_mm, 2 * way[0].y_mm - way[1].y_mm)]
    earlier += [(place.x_mm, place.y_mm) for place in way if place.t_s < found.t_s]
    return all((arena.distance(x, y) > 0) == inside for x, y in earlier)
