"""What people of an Ahuha Ahukaha table tell with one tap: what came of an effect, helper cards, changed seats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from companion.adjudicator.ahuha.words import hands_words
from companion.adjudicator.kit import Tap
from companion.games.ahuha import BOOK
from companion.rules.ahuha.counted import winners_of
from companion.rules.ahuha.effects import EffectKind
from companion.rules.ahuha.facts import AsitaShown, EffectTold, Fact, SeatsSwapped, Told, YonoTigiriShown
from companion.rules.ahuha.settings import Mode
from companion.rules.ahuha.setup import ROUNDS
from companion.rules.ahuha.state import AhuhaState, Phase
from companion.rules.ahuha.turns import effect_of_active


def taps_of(state: AhuhaState) -> tuple[Tap, ...]:
    """What is due now and can't be seen, the likeliest first."""
    match state.phase:
        case Phase.EFFECT:
            return tuple(_effects(state))
        case Phase.DEAL if state.done:
            neighbours = zip(state.seats, (*state.seats[1:], state.seats[0]), strict=True)
            return tuple(
                _tap(f"{one} and {other} changed seats", SeatsSwapped(one, other)) for one, other in neighbours
            )
        case Phase.COUNT:
            return tuple(_helpers(state))
        case _:
            return ()


def _effects(state: AhuhaState) -> Iterator[Tap]:
    """What can have come of the effect of the card whose turn it is."""
    current, setup = state.round, state.setup
    if effect_of_active(state, current).kind is EffectKind.RAISE_HANDS:
        yield from _hands(state)
        return
    yield _tap("Nothing came of it", EffectTold(Told.NOTHING))
    if current.number < ROUNDS:
        yield Tap("Hands were raised …", {"fact": "effect-told", "outcome": Told.HANDS.value}, whole=False)
    active = current.active or 0
    for place, card in enumerate(current.cards):
        if place != active and card is not None and current.field >> place & 1:
            yield _tap(f"It meets {setup.named(card)}", EffectTold(Told.HOSIAHI, card=card))
    if any(state.homes):
        yield Tap("It meets a card in a Home …", {"fact": "effect-told", "outcome": Told.HOSIAHI.value}, whole=False)
    if current.number < ROUNDS:
        yield _tap("Frozen cards are passed", EffectTold(Told.PASSED))
    data = setup.cards.get(current.cards[active] or "")
    if data is None or data.two_point:
        yield _tap("It goes Home upside down", EffectTold(Told.INVERTED))
    yield _tap("Something else", EffectTold(Told.OTHER))


def _hands(state: AhuhaState) -> Iterator[Tap]:
    """Every way in which hands can be raised."""
    current = state.round
    asked = [
        seat for place, seat in enumerate(state.seats) if place != current.active or state.setup.settings.active_answers
    ]
    for number in range(len(asked) + 1):
        for raised in combinations(asked, number):
            words = hands_words(raised)
            yield _tap(words[0].upper() + words[1:], EffectTold(Told.HANDS, raised))


def _helpers(state: AhuhaState) -> Iterator[Tap]:
    """Helper cards that the end of a series calls for: they may lie where no camera looks."""
    for place, seat in enumerate(state.seats):
        if state.earned >> place & 1 and not state.asita >> place & 1:
            yield _tap(f"{seat} turned the Asita card up", AsitaShown(seat))
    if state.setup.settings.mode is Mode.COOPERATIVE:
        return
    for seat in winners_of(state)[0]:
        if not state.tigiri >> state.seats.index(seat) & 1:
            yield _tap(f"{seat} turned the Yono Tigiri card up", YonoTigiriShown(seat))


def _tap(label: str, fact: Fact) -> Tap:
    return Tap(label, BOOK.facts.to_json(fact))
