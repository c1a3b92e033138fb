"""All states in which a duel may be, given what the sensors leave open.

The rules decide in each; what they decide in all of them alike is certain, whatever was the case. What they decide differently
nobody can say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from companion.duel.happenings import Happening, Way
from companion.duel.reports import Key
from companion.rules.hoshi_battle.facts import DieRolled, Doubt, Face, Fact
from companion.rules.hoshi_battle.fold import apply
from companion.rules.hoshi_battle.state import HoshiBattleState, Phase, Roll, with_fighter

MOST = 64
"""So many states are kept apart; what would make more is a doubt that stays until the next round."""
PAST_US = 200_000
"""A die that was taken up so long before, the guard and its own band apart, is past."""
SENSED = 2
"""The last order of what sensors tell of dice and hands."""


@dataclass(frozen=True, slots=True)
class Worlds:
    """The state as recorded, and every state that may be the true one."""

    record: HoshiBattleState
    may_be: tuple[HoshiBattleState, ...]
    doubts: tuple[Doubt, ...] = ()
    """Why there are several."""
    is_full: bool = False
    """More was left open than is kept apart."""

    @classmethod
    def of(cls, state: HoshiBattleState) -> Worlds:
        """A state that is certain."""
        return cls(state, (state,))

    def after(self, happenings: Iterable[Happening]) -> Worlds:
        """After things happened, one after the other."""
        worlds = self
        for happening in happenings:
            worlds = worlds._then(happening)
        return worlds

    def in_a_new_round(self) -> Worlds:
        """What was left open of dice and hands is over with its round; not so whether a Hero's ability was woken in it."""
        duel = self.record.duel
        may_have_woken = duel is not None and any(fighter.frees is not None for fighter in duel.fighters)
        doubts = self.doubts if len(self.may_be) > 1 else ()
        return Worlds(self.record, self.may_be, doubts, self.is_full and may_have_woken)

    def _then(self, happening: Happening) -> Worlds:
        record = _after(self.record, happening, happening.record)
        found = _apart(
            [_plain(_after(state, happening, way), happening.at_us) for state in self.may_be for way in happening.ways]
        )
        if len(found) > MOST:
            kept = _apart([_after(state, happening, happening.record) for state in self.may_be])
            return Worlds(record, kept, (*self.doubts, happening.doubt), is_full=True)
        if len(found) == 1:
            return Worlds(record, found, is_full=self.is_full)
        doubts = self.doubts
        if len(happening.ways) > 1 and happening.doubt not in doubts:
            doubts = (*doubts, happening.doubt)
        return Worlds(record, found, doubts, self.is_full)


def _after(state: HoshiBattleState, happening: Happening, way: Way) -> HoshiBattleState:
    for fact in way:
        if not _is_idle(state, happening, fact):
            state = apply(state, fact)
    return state


def _is_idle(state: HoshiBattleState, happening: Happening, fact: Fact) -> bool:
    """Whether a sensor tells it of a time at which no round is on: a die is then rolled against a hit, tried out or put away, for
    a round begins when somebody says so. But who rolls once all is ready for the countdown has begun.
    """
    if happening.order > SENSED or state.phase is Phase.ROLLING:
        return False
    return state.phase is not Phase.READY or not isinstance(fact, DieRolled)


@dataclass(frozen=True, slots=True)
class Settled:
    """A fact of the record that nothing which is still to come can change."""

    fact: Fact
    told: Key | None = None
    """The key of the report by which people told it; None for what sensors told."""


def recorded(state: HoshiBattleState, happenings: Iterable[Happening]) -> Iterator[Settled]:
    """The facts by which happenings go into the record, in their order; dice of between the rounds are none."""
    for happening in happenings:
        for fact in happening.record:
            if not _is_idle(state, happening, fact):
                yield Settled(fact, happening.told)
                state = apply(state, fact)


def _plain(state: HoshiBattleState, at_us: int) -> HoshiBattleState:
    """The same for all that is still to come: what a die showed that can never count again, is nothing."""
    duel = state.duel
    if duel is None or state.phase is not Phase.ROLLING:
        return state
    guard_us = state.setup.settings.simultaneous_ms * 1000
    for side, fighter in enumerate(duel.fighters):
        rolls = tuple(None if roll is None or _is_past(roll, at_us, guard_us) else roll for roll in fighter.rolls)
        if rolls != fighter.rolls:
            state = with_fighter(state, side, fighter._replace(rolls=rolls))
    return state


def _is_past(roll: Roll, at_us: int, guard_us: int) -> bool:
    """Whether a roll is dead for good, at any moment that may still be asked about."""
    if roll.spent or roll.face is Face.BLANK or roll.inside is False:
        return True
    return roll.lost_us is not None and roll.lost_us + roll.lost_within_us + guard_us + PAST_US < at_us


def _apart(states: Sequence[HoshiBattleState]) -> tuple[HoshiBattleState, ...]:
    """Each state once."""
    found: list[HoshiBattleState] = []
    for state in states:
        if not any(state == other for other in found):
            found.append(state)
    return tuple(found)
