"""Tops of dice at rest: asked beside the eyes until they are told, and ahead of a rest that is told some pictures later."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Protocol

from companion.rules.hoshi_battle.facts import Face
from companion.service.arena_beside import Beside, TopAsked, TopTold
from vision.dice.track import DiceEvent, DiceEventKind, DieState
from vision.frame import Image

LARGE_PX = 1200
"""A picture so wide shows what lies on top of a die."""
READ_EACH, READ_TRIES = 4, 6
"""A die's top is read in every so-manieth picture since its rest was told, so often at most."""
STILL_AHEAD = 4
"""In so many pictures a die has not moved that may be at rest: its top is read ahead, for its rest is told later."""
SAME_PLACE_MM = 1.0
"""It has not where it shows no farther from where it showed."""


class Places(Protocol):
    """What is needed of a dice tracker."""

    def state(self, die: str) -> DieState:
        """What a die is doing now."""

    def place(self, die: str) -> tuple[float, float] | None:
        """Where its middle stands, mm; None while it is away."""


@dataclass(slots=True)
class _Unread:
    """A die at rest whose top is not told yet."""

    rest: DiceEvent
    looked_at: int = 0
    """In so many pictures since its rest was told."""
    tries: int = 0
    is_asked: bool = False
    is_gone: bool = False
    """It lies there no more: only what is asked already can tell."""


@dataclass(slots=True)
class _Ahead:
    """A die that may be at rest, and what is read of it before that is told."""

    x_mm: float
    y_mm: float
    count: int = 0
    """Of pictures in which it shows there."""
    t_ns: int = 0
    """Of the picture in which its top is read; 0 while that was not asked."""
    face: Face | None = None
    """None while that is not told."""


@dataclass(slots=True)
class TopsWanted:
    """The tops that are to be told, of the table as it was learned last."""

    beside: Beside[TopAsked, TopTold]
    tell: Callable[[str, Face, int], None]
    """Takes a die, what lay on top of it, and the time of its rest, ns; UNKNOWN where that can't be read."""
    table: int = 0
    _unread: dict[tuple[str, int], _Unread] = field(default_factory=dict)
    """By the die and the time of its rest."""
    _ahead: dict[str, _Ahead] = field(default_factory=dict)
    _asked_as: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)
    """Of tops that were asked ahead, the rest that they turned out to be of."""

    def learned(self, table: int) -> None:
        """The table was learned anew: nothing lies there."""
        self.table = table
        self._unread, self._ahead, self._asked_as = {}, {}, {}

    def expect(self, event: DiceEvent) -> None:
        """A die's rest is to be read; one that went on by itself has none, and one that was taken up shows nothing more."""
        match event.kind:
            case DiceEventKind.SETTLED:
                self._unread[event.die, event.t_ns] = _Unread(event)
                self._take_ahead(event)
            case DiceEventKind.UNSETTLED:
                self._unread = {key: unread for key, unread in self._unread.items() if key[0] != event.die}
            case DiceEventKind.TAKEN_UP:
                for (die, _), unread in self._unread.items():
                    unread.is_gone |= die == event.die

    def ask(self, image: Image, t_ns: int) -> None:
        """What lies on top of dice at rest, in the larger picture; where a hand is in the way, in a later one."""
        for key, unread in list(self._unread.items()):
            if unread.is_gone and not unread.is_asked:
                self._told(key, Face.UNKNOWN)
                continue
            is_due = unread.looked_at >= READ_EACH * unread.tries and not unread.is_gone
            unread.looked_at += 1
            x_mm, y_mm = unread.rest.x_mm, unread.rest.y_mm
            if is_due and not unread.is_asked and x_mm is not None and y_mm is not None:
                unread.is_asked, unread.tries = True, unread.tries + 1
                self.beside.ask(TopAsked(self.table, *key, x_mm, y_mm, t_ns, _large(image)))

    def ask_ahead(self, dice: Collection[str], tracker: Places, image: Image, t_ns: int) -> None:
        """What lies on top of dice that seem to have come to rest."""
        if not self.beside.works_ahead:
            return
        for name in dice:
            place = tracker.place(name)
            if place is None or tracker.state(name) not in (DieState.MOVING, DieState.LEANING):
                self._ahead.pop(name, None)
                continue
            ahead = self._ahead.get(name)
            if ahead is None or math.dist(place, (ahead.x_mm, ahead.y_mm)) > SAME_PLACE_MM:
                ahead = self._ahead[name] = _Ahead(*place)
            ahead.count += 1
            if ahead.count == STILL_AHEAD:
                ahead.t_ns = t_ns
                self.beside.ask(TopAsked(self.table, name, t_ns, *place, t_ns, _large(image)))

    def hear(self) -> None:
        """What has come of it."""
        for top in self.beside.told():
            key = self._asked_as.pop((top.die, top.rest_ns), (top.die, top.rest_ns))
            unread, ahead = self._unread.get(key), self._ahead.get(top.die)
            if top.table == self.table and ahead is not None and ahead.t_ns == top.rest_ns:
                ahead.face = top.face
            if unread is None or top.table != self.table:
                continue
            unread.is_asked = False
            if top.face is not Face.UNKNOWN or unread.tries > READ_TRIES:
                self._told(key, top.face)

    def _take_ahead(self, rest: DiceEvent) -> None:
        """Takes what was read ahead for what lies on top at rest, where the die lay there already in that picture."""
        key = rest.die, rest.t_ns
        ahead, unread = self._ahead.pop(rest.die, None), self._unread[key]
        if ahead is None or not ahead.t_ns or rest.x_mm is None or rest.y_mm is None:
            return
        is_same = math.dist((rest.x_mm, rest.y_mm), (ahead.x_mm, ahead.y_mm)) <= SAME_PLACE_MM
        if not is_same or ahead.t_ns < rest.t_ns + rest.t_err_ns:
            return
        if ahead.face is None:
            unread.is_asked, unread.tries = True, 1
            self._asked_as[rest.die, ahead.t_ns] = key
        elif ahead.face is not Face.UNKNOWN:
            self._told(key, ahead.face)

    def _told(self, key: tuple[str, int], face: Face) -> None:
        del self._unread[key]
        self.tell(key[0], face, key[1])


def _large(image: Image) -> Image | None:
    """A copy of a picture that shows what lies on top of a die; None of one that is too small for it."""
    return image.copy() if image.shape[1] >= LARGE_PX else None
