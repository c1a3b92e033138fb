"""What to think of a card that is laid or turned in a Home: mandatory meetings, order of turns, the way it lies."""

from __future__ import annotations

from companion.rules.ahuha import sections
from companion.rules.ahuha.facts import CardPlaced, Orientation
from companion.rules.ahuha.knowledge import is_new, lie, show, shows
from companion.rules.ahuha.placing import due_for, placing
from companion.rules.ahuha.setup import ROUNDS, shared
from companion.rules.ahuha.state import AhuhaState, Due
from companion.rules.ahuha.turns import effect_of_active
from companion.rules.core import Finding, Level


def _finding(state: AhuhaState, rule: str, level: Level, text: str, player: str | None = None) -> Finding:
    return Finding(rule, level, text, player, min(state.round.number, ROUNDS))


def judge_placed(state: AhuhaState, fact: CardPlaced) -> tuple[Finding, ...]:
    """What to think of a card that now lies so in the Home of a player."""
    if not state.is_dealt:
        text = f"{state.setup.named(fact.card)} lies in {fact.seat}'s Home before a series began."
        return (_finding(state, sections.DEAL, Level.NOTE, text, fact.seat),)
    place, lies, owner, due = placing(state, fact)
    if lies is not None:
        return _turned(state, place, lies, due, fact)
    if owner is None:
        return _unannounced(state, place, fact)
    found: tuple[Finding, ...] = ()
    if state.seats[owner] != fact.seat:
        text = f"{state.setup.named(fact.card)} of {state.seats[owner]} was laid in {fact.seat}'s Home."
        found = (_finding(state, sections.HOME, Level.ILLEGAL, text, state.seats[owner]),)
    return found + _from_field(state, owner, due, fact)


def _from_field(state: AhuhaState, owner: int, due: Due | None, fact: CardPlaced) -> tuple[Finding, ...]:
    current = state.round
    active = current.active
    if active is None or current.lenient:
        return ()
    if current.waits and due is None:
        return (_not_told(state),)
    if owner != active and (due is None or owner != due.partner):
        return (_out_of_turn(state, owner, fact),)
    if due is None:
        return ()
    wanted = due_for(current, due, owner)
    found: tuple[Finding, ...] = (_not_told(state),) if current.waits else ()
    if wanted is None or wanted is fact.orientation:
        return found
    return (*found, _lies_wrong(state, owner, fact, due))


def _not_told(state: AhuhaState) -> Finding:
    current = state.round
    card = "" if current.active is None else state.setup.named(current.cards[current.active] or "")
    text = f"The effect of {card} was not told; cards are taken as they lie."
    return _finding(state, sections.EFFECT, Level.NOTE, text, state.active)


def _out_of_turn(state: AhuhaState, owner: int, fact: CardPlaced) -> Finding:
    """While two that meet are being laid, another's haste does no harm."""
    current, seat, named = state.round, state.seats[owner], state.setup.named
    active = current.active or 0
    if not current.field >> active & 1:
        text = f"{seat} laid {named(fact.card)} Home while {state.active}'s turn was not done."
        return _finding(state, sections.NEXT_TURN, Level.NOTE, text, seat)
    text = f"{seat} laid {named(fact.card)} Home, but it is the turn of {state.active}'s {named(current.cards[active] or '')}."
    return _finding(state, sections.ORDER, Level.ILLEGAL, text, seat)


def _lies_wrong(state: AhuhaState, owner: int, fact: CardPlaced, due: Due) -> Finding:
    seat, card = state.seats[owner], state.setup.named(fact.card)
    if due.is_hosiahi and fact.orientation is Orientation.HORIZONTAL:
        return _missed(state, owner, fact, due)
    wanted = Orientation.UPRIGHT if owner == due.partner else due.orientation
    rule, why = {
        Orientation.UPRIGHT: (sections.UPRIGHT, "cards that meet stand upright"),
        Orientation.INVERTED: (sections.EFFECT_INVERTED, "its effect puts it upside down for 2 points"),
        Orientation.HORIZONTAL: (sections.LEVEL, "it meets no card of the Field and lies horizontally"),
    }[wanted]
    text = f"{seat} laid {card} {fact.orientation}; {why}."
    return _finding(state, rule, Level.ILLEGAL, text, seat)


def _missed(state: AhuhaState, owner: int, fact: CardPlaced, due: Due) -> Finding:
    current, setup = state.round, state.setup
    active = current.active or 0
    card = current.cards[active] or ""
    other = due.turned[1] if due.turned is not None else current.cards[due.partner or 0] or ""
    if due.by_effect:
        rule, why = sections.EFFECT_HOSIAHI, f"by {effect_of_active(state, current).title}"
    else:
        rule, why = sections.MUST_MEET, f"they share {' and '.join(shared(setup.cards[card], setup.cards[other]))}"
    seat, (laid, one, two) = state.seats[owner], map(setup.named, (fact.card, card, other))
    text = f"{seat} laid {laid} horizontally, but {one} and {two} meet: {why}."
    return _finding(state, rule, Level.ILLEGAL, text, seat)


def _turned(
    state: AhuhaState, place: int | None, lies: tuple[int, int], due: Due | None, fact: CardPlaced
) -> tuple[Finding, ...]:
    owner, spot = lies
    card = state.setup.named(fact.card)
    placed = state.homes[owner][spot]
    if place != owner:
        text = f"{card} lies in the Home of {state.seats[owner]}, not of {fact.seat}."
        return (_finding(state, sections.HOME, Level.NOTE, text, fact.seat),)
    if placed.orientation is fact.orientation:
        return ()
    current, wanted = state.round, placed.due
    if due is not None and due.turned == (owner, fact.card):
        wanted = Orientation.UPRIGHT
    if wanted is fact.orientation or current.lenient:
        return ()
    if wanted is None or (current.waits and due is None):
        text = f"{card} was turned {fact.orientation}; it is taken as it lies."
        return (_finding(state, sections.HOME, Level.NOTE, text, fact.seat),)
    text = f"{card} was turned {fact.orientation} in {fact.seat}'s Home, and no effect turns it."
    return (_finding(state, sections.HOME, Level.ILLEGAL, text, fact.seat),)


def _unannounced(state: AhuhaState, place: int | None, fact: CardPlaced) -> tuple[Finding, ...]:
    """A card in a Home that nobody saw open in the Field."""
    setup, current = state.setup, state.round
    if place is None:
        return ()
    if fact.card not in setup.cards:
        text = f"{fact.card} in {fact.seat}'s Home is no star of this deck."
        return (_finding(state, sections.COMPONENTS_DECK, Level.ILLEGAL, text, fact.seat),)
    text = f"Nobody saw {setup.named(fact.card)} in the Field before it lay in {fact.seat}'s Home."
    found = (_finding(state, sections.HOME, Level.NOTE, text, fact.seat),)
    knowledge, number = state.knowledge, current.number
    if number > ROUNDS or current.cards[place] is not None or not is_new(knowledge, setup, fact.card):
        return found
    _, false = shows(knowledge, setup, number, place, fact.card)
    full = show(knowledge, setup, number, place, fact.card)
    return (*(lie(full, setup, state.seats, answer, number) for answer in false), *found)
