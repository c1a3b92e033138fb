"""Where a throw first touched, as a task of its own: it takes some hundred pictures' time, and no picture waits for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.arena import Arena
from vision.dice.track_flight import TOUCH_HEIGHT, Place, TouchDown, find_touch
from vision.dice.track_known import Known
from vision.dice.track_past import UNTOLD_S
from vision.dice.track_side import EVEN_REACH, reach_of_way, side_of_way
from vision.dice.track_still import Look
from vision.dice.track_touch import Touch, TouchJudge, TrackedDie
from vision.dice.track_way import flown, gap_before, out_of_hand

_SURE_NOISES = 1.5
_PEEPED_S = 0.04
"""A die that took longer to come out from under a hand may have touched there."""
_KNOCK_NEAR_S = 0.025
"""A knock farther from the touch that was seen is another one."""
_OPEN_S = 0.3
"""For so long a die that comes into sight with nothing near may have been hidden in the air."""
_ROLLS_S = 0.08
"""A throw takes longer from its first touch to its rest."""
_LEAST_WAY = 12
"""Places of a die that was thrown, and did not lie there from the first."""
_BORDER_MM = 40.0
"""What comes in over the picture's border is first seen so near to it."""


@dataclass(frozen=True, slots=True, eq=False)
class TouchTask:
    """A throw that has settled and all that was seen of it: values alone, to be run in whatever thread or process."""

    number: int
    """By which the tracker is told what came of it."""
    die: TrackedDie
    settled_ns: int
    way: tuple[Place, ...]
    """Since it came into sight."""
    looks: tuple[Look, ...]
    judge: TouchJudge
    arena: Arena | None
    noise_mm: float
    size_px: tuple[int, int]
    """Of the pictures, width and height."""
    knocks: tuple[tuple[float, float], ...] = ()
    """Moments and half-widths, s, at which a sensor felt the table knocked."""
    alone: bool = True
    """No other die is followed."""

    def run(self, known: Known | None = None) -> Touch | None:
        """The first touch; None where it was not in sight. Takes about a second.

        A touch that was not in sight is told where the whole way lies on one side of the string. `known`: what was worked out of
        this throw ahead, when less of it had been seen; nothing comes out otherwise by it, but sooner.
        """
        task = self if known is None else replace(self, judge=replace(self.judge, known=known))
        touch = task._seen()
        return touch if touch is not None and touch.inside is not None else self._by_way(touch)

    def at_once(self) -> Touch | None:
        """The touch where nothing has to be worked out: the whole way lies on one side of the string. Takes a picture's time.

        Its side is what `run` tells, its moment and place are known less well.
        """
        return self._by_way(None)

    def _by_way(self, touch: Touch | None) -> Touch | None:
        """What is told of a touch whose side can't be seen: the side on which the whole way lies, if it does."""
        if self.arena is None or not self.arena.is_one:
            return touch
        if len(self.way) < _LEAST_WAY or self.settled_ns / 1e9 - self.way[0].t_s < _ROLLS_S:
            return touch
        unseen, eye, size = self._unseen_s(self.way[0]), self.judge.eye, self.die.size_mm
        inside = side_of_way(self.way, eye, size, self.arena, unseen)
        if inside is None:
            return touch
        x, y, reach = reach_of_way(self.way, eye, size, unseen)
        if touch is not None:
            return replace(touch, inside=inside)
        sooner, later = round(self.way[0].t_s * 1e9), self.settled_ns
        err_ns = (later - sooner) // 2
        depth = self.arena.distance(x, y)
        return Touch(sooner + err_ns, err_ns, x, y, reach, (x, y), reach, inside, depth)

    def _seen(self) -> Touch | None:
        way = out_of_hand(self.way, _SURE_NOISES * self.noise_mm)
        if not way:
            return None
        found = self._found(way)
        unseen = self._unseen_s(way[0])
        if found is not None and (gap := gap_before(way, found.t_s)):
            # What was in sight before the gap may have been no fall, where it is not known that one began there.
            since = way[gap - 1].t_s if unseen is None else way[0].t_s - unseen
            unseen, way = way[gap].t_s - since, way[gap:]
            found = self._found(way)
        if found is None or self.settled_ns / 1e9 - found.t_s < _ROLLS_S:
            return None
        if unseen is not None and unseen >= UNTOLD_S:
            return None
        heard = min(self.knocks, key=lambda knock: abs(knock[0] - found.t_s), default=None)
        if heard is not None and abs(heard[0] - found.t_s) > found.t_err_s + heard[1]:
            heard = None
        touch = self.judge.judged(found, way, self.looks, self.die, self.arena, unseen, heard)
        return self._or_before(touch, way[0].t_s)

    def _or_before(self, touch: Touch, since_s: float) -> Touch:
        """What is told if it may have touched where it was seen before it was out of sight, or what was taken for it."""
        reach = EVEN_REACH * self.die.size_mm
        high = TOUCH_HEIGHT * self.die.size_mm
        clear = [place for place in self.way if place.t_s < since_s and place.noise_mm < _SURE_NOISES * self.noise_mm]
        feet = [self.judge.eye.foot(place.x_mm, place.y_mm, high) for place in clear]
        band = max((math.dist(foot, touch.contact_mm) + reach for foot in feet), default=0.0)
        inside = touch.inside
        if inside is not None and self.arena is not None:
            depths = [self.arena.distance(*foot) * (1 if inside else -1) for foot in feet]
            inside = inside if all(depth > reach for depth in depths) else None
        flew = flown([place for place in self.way if place.t_s < since_s])
        if inside is not None and self.arena is not None and flew:
            # A hand beside it, or over its rim, makes a flight no less one: it may have come down while it was out of sight.
            rest = [place for place in self.way if place.t_s >= since_s]
            along = side_of_way([*flew, *rest], self.judge.eye, self.die.size_mm, self.arena, None)
            inside = inside if along is inside else None
        return replace(touch, inside=inside, contact_err_mm=max(touch.contact_err_mm, band))

    def _found(self, way: Sequence[Place]) -> TouchDown | None:
        """A touch on a way, by the knock that was felt then: another die's says nothing of this one."""
        eye, size = self.judge.eye, self.die.size_mm
        seen = find_touch(way, eye, size)
        if seen is None and not self.alone:
            return None
        felt = [knock for knock in self.knocks if seen is None or abs(knock[0] - seen.t_s) <= _KNOCK_NEAR_S]
        return find_touch(way, eye, size, felt) if felt else seen

    def _unseen_s(self, first: Place) -> float | None:
        """For how long a die may have been in the air unseen before its first place, s; None where it left a hand there."""
        if first.peeped_s > _PEEPED_S:
            return first.peeped_s
        # One that is first seen in the open may have touched before.
        return None if first.by_hand or self._at_border(first) else _OPEN_S

    def _at_border(self, place: Place) -> bool:
        u, v = self.judge.pose.to_px([(place.x_mm, place.y_mm)])[0]
        width, height = self.size_px
        return bool(min(u, v, width - u, height - v) * self.judge.px_mm < _BORDER_MM)
