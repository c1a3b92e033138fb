"""Whose turn it is and how it ought to end: order, effects that are known, mandatory meetings (Round Progression)."""

from __future__ import annotations

from companion.rules.ahuha.effects import Effect, EffectKind
from companion.rules.ahuha.facts import EffectTold, Orientation, Told
from companion.rules.ahuha.setup import ROUNDS
from companion.rules.ahuha.state import AhuhaState, Due, Round, home_of

ALONE = Due(Orientation.HORIZONTAL)
INVERTED = Due(Orientation.INVERTED, by_effect=True)


def next_place(state: AhuhaState, current: Round) -> int | None:
    """The place with the lowest-numbered card left in the Field; a card that is in no deck comes last."""
    best, lowest = None, 1 << 20
    index = state.setup.index
    for place, card in enumerate(current.cards):
        if card is not None and current.field >> place & 1:
            number = index.get(card, 1 << 19)
            if number < lowest:
                best, lowest = place, number
    return best


def partner_of(state: AhuhaState, current: Round, place: int, among: int | None = None) -> int | None:
    """The place whose card this place's card must meet: the lowest-numbered eligible one in the Field (Hosiahi Phase).

    `among` is a set of stars that an effect names; without it two shared attributes decide.
    """
    index = state.setup.index
    card = current.cards[place]
    own = None if card is None else index.get(card)
    if own is None:
        return None
    eligible = state.setup.partners[own] if among is None else among
    best, lowest = None, 1 << 20
    for other, its_card in enumerate(current.cards):
        if other != place and its_card is not None and current.field >> other & 1:
            number = index.get(its_card)
            if number is not None and eligible >> number & 1 and number < lowest:
                best, lowest = other, number
    return best


def effect_of_active(state: AhuhaState, current: Round) -> Effect:
    """The effect of the card whose turn it is; an unknown one where the card is in no deck."""
    card = None if current.active is None else current.cards[current.active]
    data = None if card is None else state.setup.cards.get(card)
    return Effect() if data is None else data.effect


def must_be_told(effect: Effect, number: int) -> bool:
    """Whether people must tell what came of an effect in a round; at Tanabata there are no hands to ask."""
    if effect.needs_hand and number == ROUNDS:
        return False
    return effect.kind in (EffectKind.UNKNOWN, EffectKind.RAISE_HANDS)


def due_of(state: AhuhaState, current: Round, place: int, effect: Effect) -> Due:
    """How a turn ought to end by a card's known effect, then by the Hosiahi phase."""
    match effect.kind:
        case EffectKind.MEET_HOME:
            met = _lying(state, place, current)
            if met is not None:
                return Due(Orientation.UPRIGHT, turned=met, by_effect=True)
        case EffectKind.MEET_FIELD:
            card = current.cards[place] or ""
            partner = partner_of(state, current, place, state.setup.asked.get(card, 0))
            if partner is not None:
                return Due(Orientation.UPRIGHT, partner, by_effect=True)
        case EffectKind.INVERT_AFTER_HOSIAHI:
            if current.hosiahi:
                return sent_home(state, current, place)
        case _:
            pass
    return by_attributes(state, current, place)


def by_attributes(state: AhuhaState, current: Round, place: int) -> Due:
    """How a turn ought to end in the Hosiahi phase."""
    partner = partner_of(state, current, place)
    return ALONE if partner is None else Due(Orientation.UPRIGHT, partner)


def sent_home(state: AhuhaState, current: Round, place: int) -> Due:
    """Upside down by an effect; a partner still follows where the table plays it so."""
    if state.setup.settings.home_ends_turn:
        return INVERTED
    return Due(Orientation.INVERTED, partner_of(state, current, place), by_effect=True)


def due_as_told(state: AhuhaState, current: Round, place: int, told: EffectTold) -> Due | None:
    """How a turn ought to end after its effect was told; None where nothing can be said."""
    match told.outcome:
        case Told.OTHER:
            return None
        case Told.INVERTED:
            return sent_home(state, current, place)
        case Told.HOSIAHI:
            return _met(state, current, place, told.card)
        case _:
            return by_attributes(state, current, place)


def _met(state: AhuhaState, current: Round, place: int, card: str | None) -> Due | None:
    if card is None:
        return None
    for other, its_card in enumerate(current.cards):
        if other != place and its_card == card and current.field >> other & 1:
            return Due(Orientation.UPRIGHT, other, by_effect=True)
    found = home_of(state, card)
    return None if found is None else Due(Orientation.UPRIGHT, turned=(found[0], card), by_effect=True)


def _lying(state: AhuhaState, place: int, current: Round) -> tuple[int, str] | None:
    """The lowest-numbered card of which the effect speaks that lies horizontally in any Home."""
    asked = state.setup.asked.get(current.cards[place] or "", 0)
    index = state.setup.index
    lying = [
        (number, owner, placed.card)
        for owner, home in enumerate(state.homes)
        for placed in home
        if placed.orientation is Orientation.HORIZONTAL
        and (number := index.get(placed.card)) is not None
        and asked >> number & 1
    ]
    return min(lying)[1:] if lying else None
