"""What a card does, as values; `vocabulary` reads them from the tables of a deck's data and says what each word means.

`who` is seen from the card's owner. `when` is a condition that is looked at after every change; each time it becomes true the
effect counts as played anew. `lasts` says how long.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.rules.hoshi_battle.facts import Face

DICE = (8, 10)


class Who(StrEnum):
    """Whom an effect concerns, seen from the card's owner."""

    SELF = "self"
    OPPONENT = "opponent"
    ALL = "all"


class When(StrEnum):
    """A condition, seen from the card's owner."""

    ALWAYS = "always"
    BELOW_FULL_HEALTH = "below-full-health"
    FULL_HEALTH = "full-health"
    OPPONENT_COSTS_MORE = "opponent-costs-more"
    OPPONENT_COSTS_LESS = "opponent-costs-less"
    OPPONENT_HAS_ARTIFACT = "opponent-has-artifact"
    LAST_HERO = "last-hero"


class Lasts(StrEnum):
    """How long an effect holds."""

    CARD = "card"
    """While its card is in play."""
    ROUND = "round"
    DUEL = "duel"


class At(StrEnum):
    """The moment of an effect that acts once."""

    PLAYED = "played"
    """When the card is revealed."""
    LEAVING = "leaving"
    """When the card leaves play or changes owner."""
    EXILED = "exiled"
    """When the Hero is exiled."""
    DUEL_START = "duel-start"
    """Before each Duel of its owner starts."""


class What(StrEnum):
    """Which card is moved."""

    HERO = "hero"
    DUEL_CARD = "duel-card"


class To(StrEnum):
    """Where a card goes."""

    DISCARD = "discard"
    HAND = "hand"
    ASIDE = "aside"
    EXILE = "exile"
    OTHER_OWNER = "other-owner"


class Only(StrEnum):
    """Which Duel cards a move concerns."""

    ANY = "any"
    ARTIFACT = "artifact"
    POWER = "power"
    LEGEND = "legend"


class Then(StrEnum):
    """What a granted touch does."""

    HIT = "hit"
    SET_DIE = "set-die"


@dataclass(frozen=True, slots=True)
class SetDie:
    """Battle with the die of so many sides."""

    sides: int
    who: Who = Who.SELF
    when: When = When.ALWAYS
    lasts: Lasts = Lasts.CARD


@dataclass(frozen=True, slots=True)
class ExtraDie:
    """Battle with an additional die."""

    sides: int
    who: Who = Who.SELF
    when: When = When.ALWAYS
    lasts: Lasts = Lasts.CARD


@dataclass(frozen=True, slots=True)
class KeepDice:
    """What modifies the type of the dice has no effect."""

    who: Who = Who.SELF
    when: When = When.ALWAYS
    lasts: Lasts = Lasts.CARD


@dataclass(frozen=True, slots=True)
class CountAlso:
    """A symbol counts for what it is and for something else."""

    rolled: Face
    counts: Face
    who: Who = Who.SELF
    when: When = When.ALWAYS
    lasts: Lasts = Lasts.CARD


@dataclass(frozen=True, slots=True)
class CountInstead:
    """A symbol counts for something else only; not the other way round."""

    rolled: Face
    counts: Face
    who: Who = Who.SELF
    when: When = When.ALWAYS
    lasts: Lasts = Lasts.CARD


@dataclass(frozen=True, slots=True)
class AskAct:
    """A hit is cancelled unless the hitter did something that a person attests."""

    act: str
    who: Who = Who.SELF
    when: When = When.ALWAYS
    lasts: Lasts = Lasts.CARD


@dataclass(frozen=True, slots=True)
class SaveRoll:
    """Whoever is hit rolls a die; the face cancels the hit."""

    sides: int
    face: Face
    who: Who = Who.SELF
    when: When = When.ALWAYS
    lasts: Lasts = Lasts.CARD


@dataclass(frozen=True, slots=True)
class Stones:
    """Stones more, or less where the amount is below 0."""

    amount: int
    who: Who = Who.SELF
    at: At = At.PLAYED


@dataclass(frozen=True, slots=True)
class NextHeroStones:
    """The owner's next Hero begins with more Stones."""

    amount: int


@dataclass(frozen=True, slots=True)
class Move:
    """A card leaves its place."""

    what: What
    to: To
    who: Who = Who.SELF
    at: At = At.PLAYED
    only: Only = Only.ANY


@dataclass(frozen=True, slots=True)
class ReplaceExile:
    """A defeated Hero that is not the last is set aside with Stones; another Hero goes on with the Duel."""

    stones: int


@dataclass(frozen=True, slots=True)
class RestartDuel:
    """The Hero, if it is not the last, goes back to hand, and the Duel starts over with another one."""


@dataclass(frozen=True, slots=True)
class SuppressUntil:
    """The Hero ability does not work until its owner rolls a face, which can't be used for anything else."""

    face: Face
    who: Who = Who.OPPONENT
    lasts: Lasts = Lasts.CARD


@dataclass(frozen=True, slots=True)
class Touch:
    """Touching the opponent's hand after a face does something of its own."""

    face: Face
    then: Then
    sides: int = 0
    lasts: Lasts = Lasts.DUEL


@dataclass(frozen=True, slots=True)
class CancelHit:
    """The hit on the owner that is being settled doesn't count."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Nobody entered yet what the card does: it is read aloud, and a person tells what happened."""


Effect = (
    SetDie
    | ExtraDie
    | KeepDice
    | CountAlso
    | CountInstead
    | AskAct
    | SaveRoll
    | Stones
    | NextHeroStones
    | Move
    | ReplaceExile
    | RestartDuel
    | SuppressUntil
    | Touch
    | CancelHit
    | Ask
)

Lasting = SetDie | ExtraDie | KeepDice | CountAlso | CountInstead | AskAct | SaveRoll | SuppressUntil | Touch
"""Effects that hold for a while; the others act once."""
LASTING = (SetDie, ExtraDie, KeepDice, CountAlso, CountInstead, AskAct, SaveRoll, SuppressUntil, Touch)
