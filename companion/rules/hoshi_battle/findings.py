"""Findings of this game: a round takes the place of a trick."""

from __future__ import annotations

from companion.rules.core import Finding, Level
from companion.rules.hoshi_battle import sections
from companion.rules.hoshi_battle.state import HoshiBattleState


def finding(
    state: HoshiBattleState,
    rule: str,
    level: Level,
    text: str,
    player: str | None = None,
    evidence: tuple[str, ...] = (),
) -> Finding:
    """A finding in the current round, counted over the whole game; 0 before the first."""
    rounds = sum(record.rounds for record in state.done) + (0 if state.duel is None else state.duel.round)
    return Finding(rule, level, text, player, rounds, evidence=evidence)


def stranger(state: HoshiBattleState, seat: str) -> tuple[Finding, ...]:
    """An act of somebody who is not in the Duel, or not in the game."""
    if seat not in state.setup.places:
        text = f"{seat} is none of the players {', '.join(state.setup.seats)}."
        return (finding(state, sections.SEATS, Level.ILLEGAL, text, seat),)
    if state.duel is None:
        return (finding(state, sections.SEATS, Level.NOTE, f"{seat} acted while nobody duels.", seat),)
    text = f"{seat} is not in this Duel, which is between {' and '.join(state.duellists)}."
    return (finding(state, sections.OPPONENT, Level.ILLEGAL, text, seat),)
