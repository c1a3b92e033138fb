"""A virtual table for duels as the service has it: those who sit there and the pad go along with the camera's film."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.duel.reports import Source
from companion.service.duelling import DuelSenses
from companion.virtual.battle_arena import directed
from companion.virtual.battle_felt import FilmPad
from companion.virtual.battle_pad import FeelingPad
from companion.virtual.battle_people import BattlePeople, Rulings
from companion.virtual.table import VirtualTable

PAD_LATE_US = 20_000
"""A pad tells what it feels within this."""
NEVER_NS = 1 << 62


def _same(t_ns: int) -> int:
    return t_ns


@dataclass(frozen=True, slots=True)
class DuelScript:
    """What is played at a virtual table."""

    table: VirtualTable
    film_time: Callable[[int], int] = _same
    """The film's time, ns, for a picture's."""
    thinks_us: int = 0
    """The referee takes so long to answer, for people who watch."""


class VirtualDuel:
    """The people and the pad of one game. `go_on` is called by one thread."""

    def __init__(self, script: DuelScript, desk: DuelDesk, senses: DuelSenses, pad: FeelingPad | None = None) -> None:
        """`pad`: a virtual one that has a port; without it touches are told as a pad would."""
        director = directed(script.table)
        self._film_time = script.film_time
        self._desk = desk
        self._people = BattlePeople(desk, director, script.thinks_us, time_of=script.film_time)
        self._pad = FilmPad(director, senses.pad, pad)
        if pad is not None:
            senses.film_pad = self._pad

    @property
    def rulings(self) -> Rulings:
        """How the touches were ruled so far."""
        return self._people.rulings

    def go_on(self, t_ns: int) -> None:
        """The pictures have come to that time; to the end where that is no picture's."""
        if t_ns < NEVER_NS:
            self._pad.feel_until(t_ns, self._film_time(t_ns))
            self._desk.told_through(Source.PAD, self._pad.told_through_ns(t_ns) // 1000 - PAD_LATE_US)
        self._people.tap_until(t_ns if t_ns < NEVER_NS else sys.maxsize)

    def wait(self, now_us: int) -> None:
        """No pictures come: nobody plays on, and the pad feels nothing."""
        self._desk.told_through(Source.PAD, now_us - PAD_LATE_US)
