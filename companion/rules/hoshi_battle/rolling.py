"""Dice and hands while a round goes on."""

from __future__ import annotations

from companion.rules.hoshi_battle.facts import DiePickedUp, DieRolled, Face, SwingMissed
from companion.rules.hoshi_battle.reckoning import counted, refreshed
from companion.rules.hoshi_battle.rounds import begin, spend
from companion.rules.hoshi_battle.state import (
    Duel,
    Fighter,
    HoshiBattleState,
    Phase,
    Roll,
    side_of,
    with_fighter,
)
from companion.rules.hoshi_battle.touches import defended_away


def rolled(state: HoshiBattleState, fact: DieRolled) -> HoshiBattleState:
    """A die shows a face. In a window the first roll begins the next round, unless the die was in the air since before it."""
    if state.phase is not Phase.ROLLING:
        if state.phase not in (Phase.READY, Phase.ROUND_END, Phase.ROUND_START) or was_in_the_air(state, fact):
            return state
        state = begin(state)
        if state.phase is not Phase.ROLLING:
            return state
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None or fact.die not in (0, 1):
        return state
    fighter = duel.fighters[side]
    dead = fact.inside is False or in_timeout(duel, side, fact)
    roll = Roll(fact.face, fact.at_us, fact.within_us, fact.inside, dead)
    if not dead and fighter.frees is not None and fighter.frees in counted(state, side, fact.face):
        fighter = fighter._replace(freed=True)
        roll = roll._replace(spent=True)
        state = with_fighter(state, side, _with_roll(fighter, fact.die, roll))
        return refreshed(state)
    return with_fighter(state, side, _with_roll(fighter, fact.die, roll))


def was_in_the_air(state: HoshiBattleState, fact: DieRolled) -> bool:
    """Whether a die that comes to rest after the touch had left the hand before it."""
    made = None if state.duel is None else state.duel.touch
    if made is None or made.fact.at_us is None:
        return False
    since = fact.released_us if fact.released_us is not None else fact.at_us
    return since is not None and since <= made.fact.at_us


def in_timeout(duel: Duel, side: int, fact: DieRolled) -> bool:
    """Whether a roll belongs to a timeout: the other may finish a roll that was on its way when it was called."""
    if duel.timeout is None:
        return False
    caller, called_us = duel.timeout
    since = fact.released_us if fact.released_us is not None else fact.at_us
    if called_us is None or since is None:
        return side == caller
    return since >= called_us


def _with_roll(fighter: Fighter, die: int, roll: Roll | None) -> Fighter:
    first, second = fighter.rolls
    rolls = (roll, second) if die == 0 else (first, roll)
    return Fighter(*fighter[:9], rolls, *fighter[10:])


def picked_up(state: HoshiBattleState, fact: DiePickedUp) -> HoshiBattleState:
    """What the die showed is gone."""
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None or fact.die not in (0, 1):
        return state
    fighter = duel.fighters[side]
    roll = fighter.rolls[fact.die]
    if roll is None or roll.is_lost:
        return state
    lost = Roll(roll.face, roll.at_us, roll.within_us, roll.inside, roll.spent, fact.at_us, fact.within_us, True)
    return with_fighter(state, side, _with_roll(fighter, fact.die, lost))


def put_back(state: HoshiBattleState, seat: str, die: int, face: Face) -> HoshiBattleState:
    """A die laid down again without a roll shows nothing that counts."""
    side, duel = side_of(state, seat), state.duel
    if side is None or duel is None or die not in (0, 1):
        return state
    return with_fighter(state, side, _with_roll(duel.fighters[side], die, Roll(face, None, 0, True, True)))


def fell(state: HoshiBattleState, seat: str, die: int) -> HoshiBattleState:
    """A die that fell off the playing surface shows nothing."""
    side, duel = side_of(state, seat), state.duel
    if side is None or duel is None or die not in (0, 1):
        return state
    return with_fighter(state, side, _with_roll(duel.fighters[side], die, None))


def missed(state: HoshiBattleState, fact: SwingMissed) -> HoshiBattleState:
    """A try that touched no hand: the symbols it rested on are used up."""
    side, duel = side_of(state, fact.seat), state.duel
    if side is None or duel is None:
        return state
    tried = [
        (side, die)
        for die, roll in enumerate(duel.fighters[side].rolls)
        if roll is not None and not roll.spent and not _came_later(roll, fact.at_us)
    ]
    return state._replace(duel=spend(duel, tuple(tried)))


def _came_later(roll: Roll, at_us: int | None) -> bool:
    return at_us is not None and roll.at_us is not None and roll.at_us > at_us


def raised(state: HoshiBattleState, seat: str, at_us: int | None) -> HoshiBattleState:
    """A hand goes into the defensive position."""
    side, duel = side_of(state, seat), state.duel
    if side is None or duel is None or duel.fighters[side].is_raised:
        return state
    return with_fighter(state, side, duel.fighters[side]._replace(is_raised=True, raised_us=at_us))


def lowered(state: HoshiBattleState, seat: str, at_us: int | None) -> HoshiBattleState:
    """A hand leaves the defensive position; symbols that it outlasted are lost."""
    side, duel = side_of(state, seat), state.duel
    if side is None or duel is None or not duel.fighters[side].is_raised:
        return state
    other = 1 - side
    gone = [
        (other, die)
        for die, roll in enumerate(duel.fighters[other].rolls)
        if roll is not None and defended_away(state, other, roll, at_us)
    ]
    state = state._replace(duel=spend(duel, tuple(gone)))
    if state.duel is None:
        return state
    return with_fighter(state, side, state.duel.fighters[side]._replace(is_raised=False, raised_us=None))


def timeout(state: HoshiBattleState, seat: str, at_us: int | None) -> HoshiBattleState:
    """A timeout is called; the first call counts."""
    side, duel = side_of(state, seat), state.duel
    if side is None or duel is None or duel.timeout is not None or state.phase is not Phase.ROLLING:
        return state
    return state._replace(duel=duel._replace(timeout=(side, at_us)))


def resumed(state: HoshiBattleState) -> HoshiBattleState:
    """Play begins or goes on; after a timeout the dice may count for nothing."""
    duel = state.duel
    if duel is None or duel.timeout is None or state.phase is not Phase.ROLLING:
        return begin(state)
    duel = duel._replace(timeout=None)
    if state.setup.settings.timeout_clears_dice:
        first, second = (x._replace(rolls=(None, None), is_raised=False, raised_us=None) for x in duel.fighters)
        duel = duel._replace(fighters=(first, second))
    return state._replace(duel=duel)
