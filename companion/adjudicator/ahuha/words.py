"""Facts of Ahuha Ahukaha in a few words, for the history and for questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.rules.ahuha.facts import (
    AsitaShown,
    CardLaid,
    CardPlaced,
    CardRevealed,
    Dealt,
    EffectTold,
    Fact,
    FrozenPlaced,
    FrozenTaken,
    Orientation,
    RoundEnded,
    SeatsSwapped,
    SeriesEnded,
    Told,
    YonoTigiriShown,
)

Naming = Callable[[str], str]
"""A card's name by its id."""

LIES = {
    Orientation.UPRIGHT: "upright",
    Orientation.HORIZONTAL: "sideways",
    Orientation.INVERTED: "upside down",
}
_SAID: Mapping[type[Fact], str] = {
    Dealt: "the series was dealt",
    RoundEnded: "the round is over",
    SeriesEnded: "the series is over, the cards are gathered",
}
_OUTCOMES = {
    Told.NOTHING: "nothing came of the effect",
    Told.PASSED: "frozen cards are passed",
    Told.INVERTED: "by its effect the card lies upside down",
    Told.OTHER: "the effect did something of its own",
}


def described(fact: Fact, name: Naming) -> str:
    """A fact in a few words."""
    match fact:
        case CardLaid(seat=seat):
            return f"{seat} laid a card"
        case CardRevealed(seat=seat, card=card):
            return f"{seat} played {name(card)}"
        case EffectTold():
            return effect_words(fact, name)
        case FrozenTaken(seat=seat, side=side):
            return f"{seat} took the frozen card on the {side}"
        case FrozenPlaced(seat=seat, side=side):
            return f"{seat} put a frozen card on the {side}"
        case CardPlaced(seat=seat, card=card, orientation=orientation):
            return f"{name(card)} {LIES[orientation]} in {seat}'s Home"
        case AsitaShown(seat=seat):
            return f"{seat} turned the Asita card up"
        case YonoTigiriShown(seat=seat):
            return f"{seat} turned the Yono Tigiri card up"
        case SeatsSwapped(first=first, second=second):
            return f"{first} and {second} changed seats"
        case Dealt() | RoundEnded() | SeriesEnded():
            return _SAID[type(fact)]


def effect_words(told: EffectTold, name: Naming) -> str:
    """What came of an effect, in a few words."""
    match told.outcome:
        case Told.HANDS:
            return hands_words(told.seats)
        case Told.HOSIAHI:
            return f"the effect makes it meet {name(told.card or '')}"
        case outcome:
            return _OUTCOMES[outcome]


def hands_words(seats: tuple[str, ...]) -> str:
    """Who raised a hand."""
    if not seats:
        return "nobody raised a hand"
    *others, last = seats
    return f"{', '.join(others)} and {last} raised a hand" if others else f"{last} raised a hand"
