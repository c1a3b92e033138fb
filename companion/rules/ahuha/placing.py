"""A card that is laid or turned in a Home, worked out once for both who judges it and who applies it."""

from __future__ import annotations

from typing import NamedTuple

from companion.rules.ahuha.effects import EffectKind
from companion.rules.ahuha.facts import CardPlaced, Orientation
from companion.rules.ahuha.state import AhuhaState, Due, Round, home_of, place_of
from companion.rules.ahuha.turns import by_attributes, effect_of_active


class Placing(NamedTuple):
    """Where a card comes from, and how the turn ought to end in which it goes Home."""

    place: int | None
    """Of the seat in whose Home it lies now; None for a stranger."""
    lies: tuple[int, int] | None
    """In whose Home it lay before, and where in the row."""
    owner: int | None
    """The place whose card in the Field it is, where it lay in no Home."""
    due: Due | None
    """How the current turn ought to end; None where nothing can be said."""


class _Latest:
    """The card worked out last. Facts and states never change, so what was worked out of the same two stays right."""

    __slots__ = ("entry",)

    def __init__(self) -> None:
        self.entry: tuple[AhuhaState, CardPlaced, Placing] | None = None


_latest = _Latest()


def placing(state: AhuhaState, fact: CardPlaced) -> Placing:
    """What is known of a card on its way Home; asked for the same state and fact again it is not worked out anew."""
    latest = _latest.entry
    if latest is not None and latest[0] is state and latest[1] is fact:
        return latest[2]
    card = fact.card
    lies = home_of(state, card)
    owner = owner_of(state.round, card) if lies is None else None
    found = tuple.__new__(Placing, (place_of(state, fact.seat), lies, owner, due_now(state)))
    _latest.entry = state, fact, found
    return found


def owner_of(current: Round, card: str) -> int | None:
    """The place whose card in the Field this is."""
    for place, open_card in enumerate(current.cards):
        if open_card == card and current.field >> place & 1:
            return place
    return None


def due_now(state: AhuhaState) -> Due | None:
    """How the current turn ought to end; where a hand's answer was not told the Hosiahi phase is known all the same."""
    current = state.round
    if current.active is None or current.lenient:
        return None
    if current.waits and effect_of_active(state, current).kind is EffectKind.RAISE_HANDS:
        return by_attributes(state, current, current.active)
    return current.due


def due_for(current: Round, due: Due | None, place: int) -> Orientation | None:
    """How the card of a place in the Field ought to be laid Home where the turn ought to end so; None where that is not known."""
    if due is None:
        return None
    if place == current.active:
        return due.orientation
    return Orientation.UPRIGHT if place == due.partner else None
