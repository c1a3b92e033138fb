"""Where a throw first touched, as a task of its own: it takes some hundred pictures' time, and no picture waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vision.arena import Arena
from vision.dice.track_flight import Place, TouchDown, find_touch
from vision.dice.track_still import Look
from vision.dice.track_touch import Touch, TouchJudge, TrackedDie
from vision.dice.track_way import gap_before, out_of_hand

_SURE_NOISES = 1.5
_PEEPED_S = 0.04
"""A die that took longer to come out from under a hand may have touched there."""
UNTOLD_S = 1.0
"""What was hidden for so long tells of no touch."""
_KNOCK_NEAR_S = 0.025
"""A knock farther from the touch that was seen is another one."""
_OPEN_S = 0.3
"""For so long a die that comes into sight with nothing near may have been hidden in the air."""
_ROLLS_S = 0.08
"""A throw takes longer from its first touch to its rest."""
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

    def run(self) -> Touch | None:
        """The first touch; None where it was not in sight. Takes about a second."""
        way = out_of_hand(self.way, _SURE_NOISES * self.noise_mm)
        if not way:
            return None
        found = self._found(way)
        unseen = self._unseen_s(way[0])
        if found is not None and (gap := gap_before(way, found.t_s)):
            unseen, way = way[gap].t_s - way[gap - 1].t_s, way[gap:]
            found = self._found(way)
        if found is None or self.settled_ns / 1e9 - found.t_s < _ROLLS_S:
            return None
        if unseen is not None and unseen >= UNTOLD_S:
            return None
        heard = min(self.knocks, key=lambda knock: abs(knock[0] - found.t_s), default=None)
        if heard is not None and abs(heard[0] - found.t_s) > found.t_err_s + heard[1]:
            heard = None
        return self.judge.judged(found, way, self.looks, self.die, self.arena, unseen, heard)

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
