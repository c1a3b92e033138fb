"""An Ahuha Ahukaha state as the page shows it (companion/web/desk.py, `View`)."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from companion.games.ahuha import BOOK
from companion.rules.ahuha.effects import ATTRIBUTES, EffectKind
from companion.rules.ahuha.knowledge import worlds
from companion.rules.ahuha.placing import due_now
from companion.rules.ahuha.settings import Mode
from companion.rules.ahuha.setup import HAND, ROUNDS, SEATS, AhuhaSetup, shared
from companion.rules.ahuha.state import (
    ALL_SEATS,
    POINTS,
    AhuhaState,
    Phase,
    Placed,
    RoundRecord,
    SeriesRecord,
    has_bonus,
)
from companion.rules.ahuha.turns import effect_of_active

Json = Any


def ahuha_view(state: AhuhaState) -> dict[str, Json]:
    """Seats with their Homes, phase, headline, the Field with what each pairing shares, frozen cards, rounds and series done."""
    setup, current = state.setup, state.round
    scores = state.scores
    return {
        "seats": [_seat(state, place, scores[seat]) for place, seat in enumerate(state.seats)],
        "phase": state.phase.value,
        "progress": BOOK.heading(state),
        "turn_word": "round",
        "past_title": "Rounds",
        "trick": min(current.number, ROUNDS),
        "tricks_total": ROUNDS,
        "headline": headline(state),
        "points": max(scores.values()),
        "series": state.series,
        "round": min(current.number, ROUNDS),
        "tanabata": current.number == ROUNDS and state.is_dealt,
        "cooperative": setup.settings.mode is Mode.COOPERATIVE,
        "field": [_on_field(state, place) for place in range(SEATS)],
        "pairings": _pairings(state),
        "effect": _effect(state),
        "frozen": [_frozen(state, place) for place in range(SEATS)],
        "tricks": [_round(state, record) for record in state.rounds],
        "series_done": [_series(record) for record in state.done],
        "cards": [card_json(setup, card) for card in setup.ids],
        "attributes": {name: list(values) for name, values in ATTRIBUTES.items()},
        "worlds": _worlds(state),
    }


def _worlds(state: AhuhaState) -> str | None:
    """How many deals are still possible, exactly; None before the deal, or where that is too much to count."""
    possible = worlds(state.knowledge, state.setup) if state.is_dealt else None
    return None if possible is None else str(possible)


def headline(state: AhuhaState) -> str:
    """What happens now, in a few words that can be read across a room."""
    current, setup = state.round, state.setup
    match state.phase:
        case Phase.DEAL:
            return "Deal the stars" if not state.done else f"Deal series {state.series}"
        case Phase.LAY:
            return (
                "Tanabata: lay the frozen card" if current.number == ROUNDS else f"Round {current.number}: lay a card"
            )
        case Phase.REVEAL:
            return "Turn the three cards up"
        case Phase.EFFECT:
            card = setup.named(current.cards[current.active or 0] or "")
            asks = effect_of_active(state, current).kind is EffectKind.RAISE_HANDS
            return f"{card}: hands up?" if asks else f"{card}: what does its effect do?"
        case Phase.HOSIAHI:
            return _home_words(state)
        case Phase.COUNT:
            return "The series is done: count the stars"
        case Phase.OVER:
            return "The game is over"


def _home_words(state: AhuhaState) -> str:
    current, setup, due = state.round, state.setup, due_now(state)
    card = setup.named(current.cards[current.active or 0] or "")
    if due is None:
        return f"{card} goes Home as its effect says"
    if due.partner is not None:
        return f"{card} meets {setup.named(current.cards[due.partner] or '')}"
    if due.turned is not None:
        return f"{card} meets {setup.named(due.turned[1])}"
    return f"{card} goes Home {due.orientation.value}"


def card_json(setup: AhuhaSetup, card: str) -> dict[str, Json]:
    """A card as the page draws it; one that is not in the deck has only its id."""
    data = setup.cards.get(card)
    if data is None:
        return {"id": card, "label": card, "number": None, "two_point": False, "effect": ""} | dict.fromkeys(ATTRIBUTES)
    return {
        "id": card,
        "label": data.name,
        "number": data.number,
        "two_point": data.two_point,
        "effect": data.effect.name,
        **{name: getattr(data, name) for name in ATTRIBUTES},
    }


def shared_by(setup: AhuhaSetup, first: str, second: str) -> list[str]:
    """The attributes that two stars have in common; none where one is not in the deck."""
    one, other = setup.cards.get(first), setup.cards.get(second)
    return [] if one is None or other is None else list(shared(one, other))


def _on_field(state: AhuhaState, place: int) -> dict[str, Json]:
    """Where a seat's card of the round is: "empty", "down", "up" or "home"."""
    current = state.round
    card = current.cards[place]
    closed = "down" if current.laid >> place & 1 else "empty"
    lies = closed if card is None else "up" if current.field >> place & 1 else "home"
    return {
        "seat": state.seats[place],
        "lies": lies,
        "card": None if card is None else card_json(state.setup, card),
        "active": current.active == place,
    }


def _pairings(state: AhuhaState) -> list[dict[str, Json]]:
    """Each two open cards of the round, with what they share and whether they meet now, met, or were overlooked."""
    current, setup = state.round, state.setup
    due = due_now(state)
    found = []
    for one, other in combinations(range(SEATS), 2):
        first, second = current.cards[one], current.cards[other]
        if first is None or second is None:
            continue
        now = due is not None and due.partner is not None and {current.active, due.partner} == {one, other}
        pair = {first, second}
        found.append(
            {
                "seats": [state.seats[one], state.seats[other]],
                "cards": [first, second],
                "shared": shared_by(setup, first, second),
                "meet": now,
                "met": any(set(met) == pair for met in current.hosiahi),
                "overlooked": any(set(met) == pair for met in current.overlooked),
            }
        )
    return found


def _effect(state: AhuhaState) -> dict[str, Json] | None:
    """The effect of the card whose turn it is."""
    current = state.round
    if current.active is None:
        return None
    effect = effect_of_active(state, current)
    return {
        "card": current.cards[current.active],
        "seat": state.active,
        "title": effect.title,
        "kind": effect.kind.value,
        "of": list(effect.of),
        "waits": current.waits,
    }


def _frozen(state: AhuhaState, place: int) -> dict[str, Json]:
    """The frozen card on the left of a place: "there", "taken" while cards are passed, "played" at Tanabata, else "none"."""
    current, taker = state.round, (place + 1) % SEATS
    lies = "there" if state.is_dealt else "none"
    if current.passing >= 0:
        taken, placed = current.passing >> taker & 1, current.passing >> (place + SEATS) & 1
        lies = "taken" if taken and not placed else "there"
    elif state.is_dealt and current.number >= ROUNDS:
        lies = "played" if current.number > ROUNDS or current.present == ALL_SEATS else "there"
    return {"between": [state.seats[place], state.seats[taker]], "lies": lies}


def _seat(state: AhuhaState, place: int, points: int) -> dict[str, Json]:
    current, seat = state.round, state.seats[place]
    playing = state.phase in (Phase.EFFECT, Phase.HOSIAHI)
    return {
        "name": seat,
        "role": None,
        "turn": playing and current.active == place,
        "points": points,
        "wins": state.wins[place],
        "hand_left": _in_hand(state, place),
        "asita": bool(state.asita >> place & 1),
        "bonus": has_bonus(state, place),
        "home": [_in_home(state, placed) for placed in state.homes[place]],
    }


def _in_hand(state: AhuhaState, place: int) -> int:
    current = state.round
    if not state.is_dealt or current.number >= ROUNDS:
        return 0
    return HAND + 1 - current.number - (current.present >> place & 1)


def _in_home(state: AhuhaState, placed: Placed) -> dict[str, Json]:
    return {
        "card": card_json(state.setup, placed.card),
        "lies": placed.orientation.value,
        "points": POINTS[placed.orientation],
        "wrong": placed.due is not None and placed.due is not placed.orientation,
        "met": _met(state, placed.card),
    }


def _met(state: AhuhaState, card: str) -> str | None:
    """The name of the star that a card of this series met."""
    for pairs in (*(record.hosiahi for record in state.rounds), state.round.hosiahi):
        for first, second in pairs:
            if card in (first, second) and first != second:
                return state.setup.named(second if card == first else first)
    return None


def _round(state: AhuhaState, record: RoundRecord) -> dict[str, Json]:
    setup = state.setup
    return {
        "trick": record.number,
        "played": {seat: card_json(setup, card) for seat, card in record.cards.items()},
        "hosiahi": [{"cards": list(pair), "shared": shared_by(setup, *pair)} for pair in record.hosiahi],
        "overlooked": [{"cards": list(pair), "shared": shared_by(setup, *pair)} for pair in record.overlooked],
        "passed": record.passed,
    }


def _series(record: SeriesRecord) -> dict[str, Json]:
    return {
        "series": record.number,
        "scores": dict(record.scores),
        "bonus": list(record.bonus),
        "winners": list(record.winners),
        "decided_by": record.decided_by,
    }
