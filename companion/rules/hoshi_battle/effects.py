"""The effect vocabulary: what a card does, as values, read from the tables of a deck's data.

An effect is a table with `do` and its own entries. An entry that begins with `@` names another field of the same card, so that
an icon which the text lost is a field with a provenance of its own. `who` is seen from the card's owner. `when` is a condition
that is looked at after every change; each time it becomes true the effect counts as played anew. `lasts` says how long.

| do | entries | what it does |
|---|---|---|
| set-die | sides, who, when, lasts | battle with the die of so many sides |
| extra-die | sides, who, when, lasts | battle with an additional die |
| keep-dice | who, when, lasts | nothing changes the type of the dice |
| count-also, count-instead | rolled, counts, who, when, lasts | what a symbol counts as |
| ask-act | act, who, when, lasts | a hit on `who` stands only if the hitter did the act, which a person attests |
| save-roll | sides, face, who, when, lasts | who is hit rolls; this face cancels the hit |
| stones | amount, who, at | Stones more or less |
| next-hero-stones | amount | the owner's next Hero begins with so many more |
| move | what, to, who, at, only | a card leaves its place |
| replace-exile | stones | instead of being exiled the Hero (not the last) is set aside; another goes on |
| restart-duel | | the Hero (not the last) goes back to hand and the Duel starts over |
| suppress-until | face, who, lasts | the Hero ability of `who` sleeps until that seat rolls the face, which is spent on it |
| touch | face, then, sides, lasts | touching after this face hits, or sets the other's die |
| cancel-hit | | the hit on the owner that is being settled doesn't count |
| ask | | read the card aloud and tell what happened |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Any

from companion.rules.cards import CardData, Scalar
from companion.rules.hoshi_battle.facts import SYMBOLS, Face

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

VOCABULARY: Mapping[str, type[Effect]] = {
    "set-die": SetDie,
    "extra-die": ExtraDie,
    "keep-dice": KeepDice,
    "count-also": CountAlso,
    "count-instead": CountInstead,
    "ask-act": AskAct,
    "save-roll": SaveRoll,
    "stones": Stones,
    "next-hero-stones": NextHeroStones,
    "move": Move,
    "replace-exile": ReplaceExile,
    "restart-duel": RestartDuel,
    "suppress-until": SuppressUntil,
    "touch": Touch,
    "cancel-hit": CancelHit,
    "ask": Ask,
}
"""The word after `do`, to its effect."""

Lasting = SetDie | ExtraDie | KeepDice | CountAlso | CountInstead | AskAct | SaveRoll | SuppressUntil | Touch
"""Effects that hold for a while; the others act once."""
LASTING = (SetDie, ExtraDie, KeepDice, CountAlso, CountInstead, AskAct, SaveRoll, SuppressUntil, Touch)

_CHOICES: Mapping[str, type[StrEnum]] = {
    "who": Who,
    "when": When,
    "lasts": Lasts,
    "at": At,
    "what": What,
    "to": To,
    "only": Only,
    "then": Then,
}
_FACES = ("rolled", "counts", "face")


def effects_of(card: CardData) -> tuple[Effect, ...]:
    """What a card does; `Ask` where its data doesn't say.

    Raises ValueError that begins with the card and the field.
    """
    told = card.value("effects")
    where = f"card.{card.id}.effects"
    if told is None:
        return (Ask(),)
    if not isinstance(told, tuple):
        raise ValueError(f"{where}: must be a list of tables, each with do, not {told!r}")
    found = []
    for place, table in enumerate(told):
        if not isinstance(table, Mapping):
            raise ValueError(f"{where}[{place}]: must be a table with do, not {table!r}")
        found.append(_effect(card, table, f"{where}[{place}]"))
    return tuple(found)


def _effect(card: CardData, table: Mapping[str, Scalar], where: str) -> Effect:
    word = table.get("do")
    if not isinstance(word, str) or word not in VOCABULARY:
        raise ValueError(f"{where}.do: must be one of {', '.join(VOCABULARY)}, not {word!r}")
    kind = VOCABULARY[word]
    entries = {entry.name: entry for entry in fields(kind)}
    unknown = [name for name in table if name != "do" and name not in entries]
    if unknown:
        has = f"it has {', '.join(entries)}" if entries else "it has no entries"
        raise ValueError(f"{where}.{unknown[0]}: is not known of {word}; {has}")
    missing = [name for name, entry in entries.items() if entry.default is MISSING and name not in table]
    if missing:
        raise ValueError(f"{where}.{missing[0]}: is missing; {word} needs it")
    values = {name: _entry(card, name, value, f"{where}.{name}") for name, value in table.items() if name != "do"}
    effect = kind(**values)
    if isinstance(effect, Touch) and effect.then is Then.SET_DIE and effect.sides not in DICE:
        raise ValueError(f"{where}.sides: is missing; a touch that sets the die needs it")
    return effect


def _entry(card: CardData, name: str, value: Scalar, where: str) -> Any:
    found: object = value
    if isinstance(value, str) and value.startswith("@"):
        found = card.value(value[1:])
        if found is None:
            raise ValueError(f"{where}: {value} names no field of this card")
    if name in _CHOICES:
        return _choice(_CHOICES[name], found, where)
    if name in _FACES:
        if found not in SYMBOLS:
            raise ValueError(f"{where}: must be one of {', '.join(SYMBOLS)}, not {found!r}")
        return Face(str(found))
    if name == "act":
        if not isinstance(found, str) or not found:
            raise ValueError(f"{where}: must say in words what the hitter has to do, not {found!r}")
        return found
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(f"{where}: must be a whole number, not {found!r}")
    if name == "sides" and found not in DICE:
        raise ValueError(f"{where}: must be 8 or 10, not {found!r}")
    if name in ("amount", "stones") and not -9 <= found <= 9:
        raise ValueError(f"{where}: must be from -9 to 9, not {found!r}")
    return found


def _choice(choices: type[StrEnum], value: object, where: str) -> StrEnum:
    if value not in tuple(choices):
        raise ValueError(f"{where}: must be one of {', '.join(choices)}, not {value!r}")
    return choices(str(value))
