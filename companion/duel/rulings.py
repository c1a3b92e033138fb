"""What a touch is worth, ruled by the rules in every state that the sensors leave possible; with the gaps and the evidence.

A touch is ruled for sure only where the rules say the same in all of them. Else it is a question: the rules' own "too close", a
draw until a referee says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

from companion.duel.hands import Struck
from companion.duel.happenings import Happening
from companion.duel.reports import Key, Source
from companion.duel.timeline import Blind, Entry
from companion.duel.worlds import Worlds
from companion.rules.hoshi_battle.facts import Doubt, Face, Fact, HandsTouched, Where
from companion.rules.hoshi_battle.reckoning import counted
from companion.rules.hoshi_battle.rounds import same_time
from companion.rules.hoshi_battle.state import HoshiBattleState, Phase, Roll, seat_of, side_of
from companion.rules.hoshi_battle.touches import TouchRuling, Verdict, life_of, rule_touch

Consequence = tuple[object, ...]


class Since(StrEnum):
    """From what a gap is measured."""

    SETTLED = "settled"
    """To the touch: more than 0 where the die had come to rest before."""
    LOST = "lost"
    """From the touch: more than 0 where the die was taken up after it."""


@dataclass(frozen=True, slots=True)
class Gap:
    """How far a touch lies from a symbol's coming or going."""

    seat: str
    die: int
    face: Face
    counts_as: tuple[Face, ...]
    """By the effects in force, in the faces' own order."""
    since: Since
    gap_us: int
    within_us: int
    """The true gap is within this of it."""
    guard_us: int
    """Nearer than this the two have no order."""
    life: str
    """What the rules say of the symbol at the touch: alive, dead, close, unsure."""

    @property
    def is_too_close(self) -> bool:
        """Whether it may be nearer than the guard."""
        return abs(self.gap_us) <= self.guard_us + self.within_us


@dataclass(frozen=True, slots=True)
class ReadTouch:
    """A touch as it may have been: whose hand, and where it met."""

    by: tuple[str, ...]
    where: Where
    may_be: frozenset[Consequence]
    """One where it would be certain."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A touch with its verdict and why."""

    key: Key
    source: Source
    """Whose report it is: the pad's, or people's."""
    fact: HandsTouched
    """As it goes into the record."""
    verdict: Verdict
    rule: str
    """Section of the rulebook."""
    text: str
    seats: tuple[str, str]
    hit: tuple[str, ...]
    """Who is hit by the other's symbol."""
    bluffed: tuple[str, ...]
    """Who is hit for having touched without one."""
    consequence: Consequence
    """What it comes to, whatever it rests on; by sides of the Duel."""
    may_go_on: bool
    """It may have been a miss, after which the round goes on."""
    gaps: tuple[Gap, ...]
    doubts: tuple[str, ...]
    guard_us: int
    """`simultaneous_ms`, without the uncertainties of the touch and of each symbol."""
    defence_us: int
    evidence: tuple[tuple[Source, Key], ...]
    """The reports that it rests on."""
    blinds: tuple[Blind, ...] = ()
    """What was declared blind at that moment."""
    readings: tuple[ReadTouch, ...] = ()
    """Every touch that the camera leaves possible, with all that it may come to."""

    @property
    def is_question(self) -> bool:
        """Whether a referee has to say what it was."""
        return self.verdict is Verdict.TOO_CLOSE


def rule(worlds: Worlds, touch: Entry, by: Struck, evidence: Iterable[Entry], blinds: Iterable[Blind] = ()) -> Ruled:
    """Rules a touch that happened in one of these states."""
    fact, ruling, may_be = _settled(worlds, touch, by, tuple(blinds))
    state = worlds.record
    duel = state.duel
    seats = ("", "") if duel is None else (seat_of(state, 0), seat_of(state, 1))
    table = state.setup.settings
    return Ruled(
        touch.key,
        touch.source,
        fact,
        ruling.verdict,
        ruling.rule,
        ruling.text,
        seats,
        tuple(seats[side] for side in ruling.hit),
        tuple(seats[side] for side in ruling.bluffed),
        consequence(ruling),
        any(found[0] is Verdict.MISS for found in may_be),
        tuple(_gaps(state, fact)),
        ruling.doubts,
        table.simultaneous_ms * 1000,
        table.defence_ms * 1000,
        tuple((entry.source, entry.key) for entry in evidence),
        tuple(blinds),
        tuple(_read(worlds, fact, by)),
    )


def _read(worlds: Worlds, fact: HandsTouched, struck: Struck) -> Iterator[ReadTouch]:
    """What each touch that may have been would come to, in every state that may be."""
    for one in _readings(replace(fact, doubt=Doubt.NONE), struck):
        may_be = frozenset(consequence(_ruled_in(state, one)) for state in worlds.may_be)
        yield ReadTouch(one.by, one.where, may_be)


def _settled(
    worlds: Worlds, touch: Entry, struck: Struck, blinds: tuple[Blind, ...]
) -> tuple[HandsTouched, TouchRuling, set[Consequence]]:
    """The fact for the record, what the rules make of it there, and all that it may come to."""
    fact = HandsTouched(struck.by, touch.at_us, touch.within_us, struck.where)
    may_be = {consequence(_ruled_in(state, one)) for state in worlds.may_be for one in _readings(fact, struck)}
    if len(may_be) == 1 and not struck.by and struck.where is not Where.ELSEWHERE:
        # Whoever it was, it comes to the same.
        fact = replace(fact, by=struck.ways[0])
    recorded = _ruled_in(worlds.record, fact)
    if recorded.verdict is Verdict.TOO_CLOSE:
        return fact, recorded, may_be
    doubt = Doubt.NONE
    if blinds:
        doubt = Doubt.BLIND
    elif worlds.is_full or may_be != {consequence(recorded)}:
        doubt = worlds.doubts[0] if worlds.doubts else Doubt.HIDDEN
    if doubt is not Doubt.NONE:
        fact = replace(fact, doubt=doubt)
        recorded = _ruled_in(worlds.record, fact)
    return fact, recorded, may_be


def happened(ruled: Ruled, struck: Struck) -> Happening:
    """A ruled touch as it goes on: a miss uses up the symbols of whoever struck, and that may be either; what is asked is a draw
    in every state that may be, as it is in the record.
    """
    ways: tuple[tuple[Fact, ...], ...] = ((ruled.fact,),)
    if ruled.verdict is Verdict.MISS:
        ways = tuple((replace(ruled.fact, by=by),) for by in struck.ways)
    if ruled.is_question and ruled.fact.doubt is Doubt.NONE:
        ways = ((replace(ruled.fact, doubt=Doubt.HIDDEN),),)
    told = ruled.key if ruled.source is Source.PEOPLE else None
    return Happening(ruled.fact.at_us or 0, 4, ways, Doubt.TRY, (ruled.fact,), told)


def _ruled_in(state: HoshiBattleState, fact: HandsTouched) -> TouchRuling:
    """What the rules make of a touch, one that comes at the same time as another taken together with it."""
    merged = same_time(state, fact)
    return rule_touch(state, fact) if merged is None else rule_touch(*merged)


def _readings(fact: HandsTouched, struck: Struck) -> Iterator[HandsTouched]:
    """Every touch that the camera leaves possible."""
    places = (struck.where,) if struck.where is not Where.UNKNOWN else (Where.HAND, Where.ELSEWHERE)
    for by, where in product(struck.ways, places):
        yield replace(fact, by=by, where=where)


def consequence(ruling: TouchRuling) -> Consequence:
    """What a ruling comes to, whatever it rests on."""
    special = tuple((side, active.card) for side, active in ruling.special)
    return ruling.verdict, ruling.hit, ruling.bluffed, special, ruling.hidden


def _gaps(state: HoshiBattleState, fact: HandsTouched) -> Iterator[Gap]:
    duel = state.duel
    if duel is None or state.phase is not Phase.ROLLING or fact.at_us is None:
        return
    guard_us = state.setup.settings.simultaneous_ms * 1000
    for seat in fact.by or (seat_of(state, 0), seat_of(state, 1)):
        side = side_of(state, seat)
        for die, roll in enumerate(() if side is None else duel.fighters[side].rolls):
            if side is None or roll is None or roll.at_us is None:
                continue
            counts = counted(state, side, roll.face)
            also = tuple(face for face in Face if face in counts)
            life = life_of(state, side, die, fact.at_us, fact.within_us).value
            for since, gap_us, within_us in _distances(roll, fact.at_us):
                yield Gap(seat, die, roll.face, also, since, gap_us, within_us + fact.within_us, guard_us, life)


def _distances(roll: Roll, at_us: int) -> Iterator[tuple[Since, int, int]]:
    if roll.at_us is not None:
        yield Since.SETTLED, at_us - roll.at_us, roll.within_us
    if roll.lost_us is not None:
        yield Since.LOST, roll.lost_us - at_us, roll.lost_within_us
