"""Each roll's life, put together from what a camera told of it: let go, touched down, settled, read, hidden, taken up.

A life says only what happened to the die. What its symbol counts as, whether it is alive or spent, the rules know.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from companion.duel.reports import DieNews, DieReport
from companion.duel.timeline import NEVER_US, Entry
from companion.rules.hoshi_battle.facts import Face


@dataclass(frozen=True, slots=True)
class Band:
    """When something happened: no earlier than the first moment, no later than the last."""

    earliest_us: int
    latest_us: int

    @property
    def at_us(self) -> int:
        """The middle."""
        return (self.earliest_us + self.latest_us) // 2

    @property
    def within_us(self) -> int:
        """Half the width, rounded up."""
        return -((self.earliest_us - self.latest_us) // 2)


class Stage(StrEnum):
    """How far a roll has come at a moment."""

    HELD = "held"
    """In the hand."""
    ROLLING = "rolling"
    SETTLED = "settled"
    HIDDEN = "hidden"
    """Something is over it: it may lie there, or have been taken."""
    LOST = "lost"
    """Taken up after it had come to rest: what it showed is gone."""
    SNATCHED = "snatched"
    """Taken up before it came to rest: it never showed anything."""
    UNSURE = "unsure"
    """It was between two of these at that moment."""


@dataclass(frozen=True, slots=True)
class RollLife:
    """A roll from the hand to the hand, as far as was told."""

    seat: str
    die: int
    throw: int
    released: Band | None = None
    settled: Band | None = None
    is_decided: bool = False
    """Where it first touched has been worked out: `inside` says what came of it."""
    inside: bool | None = None
    is_read: bool = False
    face: Face = Face.UNKNOWN
    sides: int | None = None
    pushes: tuple[Band, ...] = ()
    is_tipped: bool = False
    """It changed its face without a throw, or may have."""
    hidden: tuple[tuple[int, int], ...] = ()
    """When something was over it; until NEVER_US while it is."""
    lifted: Band | None = None

    @property
    def is_open(self) -> bool:
        """Something of it is still to be told: its side of the string, its face, or what became of it under a hand."""
        return self.settled is not None and not (self.is_decided and self.is_read)

    @property
    def is_hidden(self) -> bool:
        """Something is over it now."""
        return bool(self.hidden) and self.hidden[-1][1] == NEVER_US and self.lifted is None

    @property
    def gone_us(self) -> int:
        """It certainly lies there no more from here on."""
        return NEVER_US if self.lifted is None else self.lifted.latest_us

    def stage(self, at_us: int) -> Stage:
        """How far it had come."""
        if self.lifted is not None and at_us > self.lifted.latest_us:
            return Stage.SNATCHED if self.settled is None else Stage.LOST
        if self.released is not None and at_us < self.released.earliest_us:
            return Stage.HELD
        if any(since <= at_us <= until for since, until in self.hidden):
            return Stage.HIDDEN
        for band in (self.released, self.settled, self.lifted):
            if band is not None and band.earliest_us <= at_us <= band.latest_us:
                return Stage.UNSURE
        if self.settled is not None and at_us > self.settled.latest_us:
            return Stage.SETTLED
        return Stage.ROLLING


def lives_of(entries: Iterable[Entry]) -> tuple[RollLife, ...]:
    """Every roll that a camera told of, each as its latest report leaves it; by seat, die and throw.

    Reports are taken in the order in which they were told (their keys): a rest that is withdrawn was told before.
    """
    lives: dict[tuple[str, int, int], RollLife] = {}
    told = [(entry, entry.report) for entry in entries if isinstance(entry.report, DieReport)]
    for entry, report in sorted(told, key=lambda pair: pair[0].key):
        name = report.seat, report.die, report.throw
        lives[name] = _lived(lives.get(name, RollLife(*name)), entry, report)
    return _one_after_the_other([lives[name] for name in sorted(lives)])


def _lived(life: RollLife, entry: Entry, report: DieReport) -> RollLife:
    band = Band(entry.earliest_us, entry.latest_us)
    if report.sides is not None:
        life = replace(life, sides=report.sides)
    match report.news:
        case DieNews.RELEASED:
            return replace(life, released=band)
        case DieNews.SETTLED:
            return replace(life, settled=band)
        case DieNews.UNSETTLED:
            return replace(life, settled=None, is_decided=False, inside=None, is_read=False, face=Face.UNKNOWN)
        case DieNews.DECIDED:
            return replace(life, is_decided=True, inside=report.inside)
        case DieNews.READ:
            return replace(life, is_read=True, face=report.face or Face.UNKNOWN)
        case DieNews.PUSHED:
            return replace(life, pushes=(*life.pushes, band))
        case DieNews.TIPPED:
            return replace(life, is_tipped=True)
        case DieNews.HIDDEN:
            return replace(life, hidden=(*life.hidden, (band.earliest_us, NEVER_US)))
        case DieNews.SHOWN:
            return replace(life, hidden=_until(life, band.latest_us))
        case DieNews.TAKEN_UP | DieNews.LOST:
            return replace(life, lifted=band, hidden=_until(life, band.latest_us))


def _until(life: RollLife, at_us: int) -> tuple[tuple[int, int], ...]:
    """What hid it does so no longer."""
    if not life.hidden or life.hidden[-1][1] != NEVER_US:
        return life.hidden
    return (*life.hidden[:-1], (life.hidden[-1][0], at_us))


def _one_after_the_other(lives: list[RollLife]) -> tuple[RollLife, ...]:
    """A die was taken up before it was let go again: the next throw tells the latest moment of the one before."""
    found = []
    for life, after in zip(lives, [*lives, None][1:], strict=True):
        if after is not None and (after.seat, after.die) == (life.seat, life.die) and after.released is not None:
            latest_us = after.released.latest_us
            lifted = life.lifted or Band(_last_seen(life), latest_us)
            if lifted.latest_us > latest_us:
                lifted = Band(min(lifted.earliest_us, latest_us), latest_us)
            life = replace(life, lifted=lifted, hidden=_until(life, lifted.latest_us))  # noqa: PLW2901
        found.append(life)
    return tuple(found)


def _last_seen(life: RollLife) -> int:
    """From when on nothing shows any more that it lies there."""
    if life.hidden and life.hidden[-1][1] == NEVER_US:
        return life.hidden[-1][0]
    told = [band.earliest_us for band in (life.released, life.settled, *life.pushes) if band is not None]
    return max([*told, *(until for _, until in life.hidden)], default=0)
