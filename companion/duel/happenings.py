"""What the reports on a time line may have been, as facts of the rules: one way where they are sure, else each that is left open.

The first way goes into the record. It says as much as is known, and no more: an unread face is UNKNOWN, an unseen side None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from companion.duel.reports import Key, RaisedReport, SwingReport, ToldReport
from companion.duel.rolls import Band, RollLife, lives_of
from companion.duel.timeline import NEVER_US, Entry
from companion.rules.hoshi_battle.facts import (
    SYMBOLS,
    DiePickedUp,
    DieRolled,
    Doubt,
    Face,
    Fact,
    Foul,
    FoulSeen,
    HandLowered,
    HandRaised,
    SwingMissed,
    TimeoutCalled,
)

FRAME_US = 16_667
REST_SLACK_US = 2 * FRAME_US
"""A die's rest is told within two pictures of a camera of 60 a second, or with the band that it needs (docs/dice.md)."""
HAND_SLACK_US = 2 * FRAME_US
"""The same of a hand that rises, sinks, or is nearest."""
UNTOLD_REST_US = 10 * FRAME_US
"""So long a die lies in sight before a camera tells that it has come to rest; one that goes out of sight sooner is never told."""
Way = tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened, in each way in which it may have."""

    at_us: int
    order: int
    """Among what happened at the same time: dice before hands before what people told."""
    ways: tuple[Way, ...]
    """The first goes into the record."""
    doubt: Doubt = Doubt.NONE
    """What several ways leave open."""
    recorded: Way | None = None
    """What goes into the record where no way may: each says more than is known."""
    told: Key | None = None
    """The key of what people told, where it was told by people."""

    @property
    def record(self) -> Way:
        """What goes into the record."""
        return self.ways[0] if self.recorded is None else self.recorded

    @property
    def earliest_us(self) -> int:
        """It happened no earlier, in any way."""
        return min([self.at_us, *(_first(fact, self.at_us) for way in self.ways for fact in way)])

    def before(self, at_us: int) -> Happening:
        """As far as it had happened by a moment: a way that was later is then none."""
        ways = tuple(tuple(fact for fact in way if _at(fact, self.at_us) < at_us) for way in self.ways)
        record = tuple(fact for fact in self.record if _at(fact, self.at_us) < at_us)
        return replace(self, ways=ways, recorded=record)


def happenings_of(entries: Iterable[Entry], horizon_us: int) -> list[Happening]:
    """All that was told and may have happened before a moment, touches left out, in the order of its times."""
    told = list(entries)
    found = [each for life in lives_of(told) for each in _of_die(life, horizon_us)]
    for entry in told:
        match entry.report:
            case RaisedReport() as report:
                found.append(_of_raised(entry, report))
            case SwingReport() as report:
                found.append(_of_swing(entry, report))
            case ToldReport(fact=fact):
                found.append(_of_people(entry, fact))
            case _:
                pass
    return sorted((each for each in found if each.earliest_us <= horizon_us), key=lambda each: (each.at_us, each.order))


def _at(fact: Fact, else_us: int) -> int:
    """When a fact says that it happened."""
    at_us: int | None = getattr(fact, "at_us", None)
    return else_us if at_us is None else at_us


def _first(fact: Fact, else_us: int) -> int:
    """No earlier than this it happened."""
    within_us: int = getattr(fact, "within_us", 0)
    return _at(fact, else_us) - within_us


# -- dice ---------------------------------------------------------------------------------------------------------------


def _of_die(life: RollLife, horizon_us: int) -> Iterator[Happening]:
    if life.settled is not None:
        yield _rolled(life, _at_least(life.settled, REST_SLACK_US))
    elif life.hidden or life.lifted is not None:
        unseen = _out_of_sight(life, horizon_us)
        if unseen is not None:
            yield _perhaps_rolled(life, unseen)
    for push in life.pushes:
        yield Happening(push.at_us, 1, ((FoulSeen(life.seat, Foul.PUSHED_DIE, push.at_us),),))
    lifted = life.lifted
    if lifted is None and life.is_hidden:
        # Whether it still lies there nobody can tell.
        lifted = Band(life.hidden[-1][0], max(horizon_us, life.hidden[-1][0]))
    if lifted is not None:
        yield Happening(lifted.at_us, 1, ((DiePickedUp(life.seat, lifted.at_us, lifted.within_us, life.die),),))


def _rolled(life: RollLife, settled: Band) -> Happening:
    """A die that came to rest, with each face that it may show and each side on which it may first have touched."""
    face = life.face if life.is_read and not life.is_tipped else Face.UNKNOWN
    inside = life.inside if life.is_decided else None
    fact = DieRolled(
        life.seat,
        face,
        settled.at_us,
        settled.within_us,
        inside,
        life.die,
        None if life.released is None else life.released.earliest_us,
        life.sides,
    )
    if inside is False or face is Face.BLANK:
        return Happening(settled.at_us, 0, ((fact,),))
    faces = (*SYMBOLS, Face.BLANK) if face is Face.UNKNOWN else (face,)
    sides = (True, False) if inside is None else (inside,)
    ways = tuple((replace(fact, face=one, inside=side),) for one in faces for side in sides if side or one is faces[0])
    return Happening(settled.at_us, 0, ways, Doubt.HIDDEN, (fact,))


def _perhaps_rolled(life: RollLife, unseen: Band) -> Happening:
    """A die that went out of sight while it rolled may have come to rest before it was taken, with any face."""
    released = None if life.released is None else life.released.earliest_us
    facts = [
        DieRolled(life.seat, face, unseen.at_us, unseen.within_us, True, life.die, released, life.sides)
        for face in SYMBOLS
    ]
    # It accuses nobody: whether there was a roll at all nobody can tell.
    unknown = replace(facts[0], face=Face.UNKNOWN, inside=None, sides=None)
    return Happening(unseen.at_us, 0, ((), *((fact,) for fact in facts)), Doubt.HIDDEN, (unknown,))


def _out_of_sight(life: RollLife, horizon_us: int) -> Band | None:
    """When a die may have come to rest of which that was never told: just before it went out of sight, or since."""
    until_us = min(life.gone_us, horizon_us)
    since_us = life.hidden[0][0] if life.hidden else (life.lifted.earliest_us if life.lifted is not None else NEVER_US)
    since_us -= UNTOLD_REST_US
    if life.released is not None:
        since_us = max(since_us, life.released.earliest_us)
    return Band(since_us, until_us) if since_us < until_us else None


def _at_least(band: Band, within_us: int) -> Band:
    """The band, no narrower than this to either side of its middle."""
    within_us = max(band.within_us, within_us)
    return Band(band.at_us - within_us, band.at_us + within_us)


# -- hands and people -----------------------------------------------------------------------------------------------------


def _of_raised(entry: Entry, report: RaisedReport) -> Happening:
    kind = HandRaised if report.is_up else HandLowered
    within_us = entry.within_us + HAND_SLACK_US
    ways = _at_either(kind(report.seat, entry.at_us), entry.at_us, within_us, is_sure=report.is_sure)
    return Happening(entry.at_us, 2, ways, Doubt.DEFENCE, (kind(report.seat, entry.at_us),) if report.is_sure else ())


def _of_swing(entry: Entry, report: SwingReport) -> Happening:
    within_us = entry.within_us + HAND_SLACK_US
    fact = SwingMissed(report.seat, entry.at_us)
    ways = _at_either(fact, entry.at_us, within_us, is_sure=report.is_sure)
    return Happening(entry.at_us, 2, ways, Doubt.TRY, (fact,) if report.is_sure else ())


def _of_people(entry: Entry, fact: Fact) -> Happening:
    if isinstance(fact, TimeoutCalled) and entry.within_us:
        ways = _at_either(fact, entry.at_us, entry.within_us, is_sure=True)
        return Happening(entry.at_us, 3, ways, Doubt.TRY, (fact,), entry.key)
    return Happening(entry.at_us, 3, ((fact,),), told=entry.key)


def _at_either(
    fact: HandRaised | HandLowered | SwingMissed | TimeoutCalled, at_us: int, within_us: int, *, is_sure: bool
) -> tuple[Way, ...]:
    """At the first and at the last moment at which it may have been: what lies between is worth what one of them is."""
    ways: tuple[Way, ...] = tuple((replace(fact, at_us=at_us + off),) for off in (-within_us, within_us))
    return ways if is_sure else ((), *ways)
