"""A card that is being played, worked out once for both who judges it and who applies it."""

from __future__ import annotations

from typing import NamedTuple

from companion.rules.shuhari import hands as holding
from companion.rules.shuhari.facts import CardPlayed
from companion.rules.shuhari.learning import completed
from companion.rules.shuhari.plays import Reading, read
from companion.rules.shuhari.setup import Art
from companion.rules.shuhari.state import Due, ShuhariState, Trick, made


class Playing(NamedTuple):
    """What a card means that a player of the table plays while the trick is not complete."""

    before: ShuhariState
    """The state with the draws that nobody saw."""
    place: int
    art: Art | None
    reading: Reading
    showing: holding.Showing | None
    """What it says of the hand; None where it can't come from it."""


class _Latest:
    """The card worked out last. Facts and states never change, so what was worked out of the same two stays right."""

    __slots__ = ("entry",)

    def __init__(self) -> None:
        self.entry: tuple[ShuhariState, CardPlayed, Playing] | None = None


_latest = _Latest()


def playing(state: ShuhariState, fact: CardPlayed) -> Playing:
    """What a card means; asked for the same state and fact again, as when it is applied after it was judged, it is known."""
    latest = _latest.entry
    if latest is not None and latest[0] is state and latest[1] is fact:
        return latest[2]
    found = _worked_out(state, fact)
    _latest.entry = (state, fact, found)
    return found


def _worked_out(state: ShuhariState, fact: CardPlayed) -> Playing:
    setup, trick, card = state.setup, state.trick, fact.card
    place, art = setup.places[fact.seat], setup.arts.get(card)
    if trick.due is not None or trick.owed:
        state = assume_filled(state)
        trick = state.trick
    comes = holding.can_come(state, place, card)
    showing = holding.showing(state, place, card, fact.slot) if comes else None
    return made(Playing, (state, place, art, read(trick, art, fact.declared), showing))


def assume_filled(state: ShuhariState) -> ShuhariState:
    """Draws that nobody saw: they are taken to have happened, and the counts are certain no more."""
    trick, now = state.trick, state.clock
    place, count = (trick.lead, trick.owed) if trick.owed else (trick.cards[-1].place, 1)
    hand, pool = state.hands[place], state.pool
    for _ in range(count):
        now += 1
        hand, pool = holding.added(hand, now, None), holding.drawn(pool, 1)
    trick = with_due(trick, None)._replace(owed=0)
    state = state._replace(hands=holding.put(state.hands, place, hand), pool=pool, clock=now, trick=trick)
    return completed(holding.uncounted(state))


def with_due(trick: Trick, due: Due | None) -> Trick:
    """The trick with what the last player has still to do."""
    number, lead, cards, art, stage, best, _, learned, doubtful, shown, owed = trick
    return made(Trick, (number, lead, cards, art, stage, best, due, learned, doubtful, shown, owed))
