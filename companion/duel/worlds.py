"""All states in which a duel may be, given what the sensors leave open.

The rules decide in each; what they decide in all of them alike is certain, whatever was the case. What they decide differently
nobody can say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.duel.happenings import Happening
from companion.rules.hoshi_battle.facts import DieRolled, Doubt, Face, Fact
from companion.rules.hoshi_battle.fold import apply
from companion.rules.hoshi_battle.state import HoshiBattleState, Phase, Roll, with_fighter

MOST = 64
"""So many states are kept apart; what would make more is a doubt that stays until the next round."""
PAST_US = 200_000
"""A die that was taken up so long before, the guard and its own band apart, is past."""
_BETWEEN = (Phase.HIT, Phase.ROUND_END, Phase.ROUND_START)
"""A die that a camera sees rolled meanwhile is one against a hit, or tried out: a round begins when somebody says so."""


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

    def _then(self, happening: Happening) -> Worlds:
        record = _all_applied(self.record, happening.record)
        found = _apart(
            [_plain(_all_applied(state, way), happening.at_us) for state in self.may_be for way in happening.ways]
        )
        if len(found) > MOST:
            kept = _apart([_all_applied(state, happening.record) for state in self.may_be])
            return Worlds(record, kept, (*self.doubts, happening.doubt), is_full=True)
        if len(found) == 1:
            return Worlds(record, found, is_full=self.is_full)
        doubts = self.doubts
        if len(happening.ways) > 1 and happening.doubt not in doubts:
            doubts = (*doubts, happening.doubt)
        return Worlds(record, found, doubts, self.is_full)


def _all_applied(state: HoshiBattleState, facts: Iterable[Fact]) -> HoshiBattleState:
    for fact in facts:
        if not (isinstance(fact, DieRolled) and state.phase in _BETWEEN):
            state = apply(state, fact)
    return state


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
