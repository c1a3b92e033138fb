"""Who sits where, with which cards, by which settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeGuard

from companion.rules.cards import CardData
from companion.rules.hoshi_battle.effects import DICE, Ask, Effect, Touch, effects_of
from companion.rules.hoshi_battle.facts import CardKind, Face
from companion.rules.hoshi_battle.settings import HoshiBattleSettings

IN_USE = 3
"""Heroes, and Duel cards, that a player uses in a game."""


class Duelkind(StrEnum):
    """The three kinds of Duel cards."""

    ARTIFACT = "artifact"
    POWER = "power"
    LEGEND = "legend"


class Reveal(StrEnum):
    """When a Duel card may be revealed."""

    DUEL_START = "duel-start"
    ROUND_START = "round-start"
    ROUND_END = "round-end"


class Needs(StrEnum):
    """What must have happened for a Duel card to be revealed."""

    NOTHING = "nothing"
    WAS_HIT = "was-hit"
    """Its owner was hit in the round."""
    STONE_LOST = "stone-lost"
    """Somebody lost a Stone in the round before."""
    OWN_TOUCH = "own-touch"
    """Its owner touched the opponent's hand after the face of the card's touch."""
    DEFEATED = "defeated"
    """Its owner's Hero has lost its last Stone."""


@dataclass(frozen=True, slots=True)
class HeroCard:
    """What is known of a Hero."""

    id: str
    name: str
    die: int | None
    cost: int | None
    effects: tuple[Effect, ...]
    copies: int = 1

    @property
    def is_known(self) -> bool:
        """Whether the companion can work out what it does."""
        return not any(isinstance(effect, Ask) for effect in self.effects)


@dataclass(frozen=True, slots=True)
class DuelCard:
    """What is known of a Duel card."""

    id: str
    name: str
    kind: Duelkind | None
    cost: int | None
    reveal: frozenset[Reveal]
    """Empty where it is not known: then any time will do."""
    also_reveal: frozenset[Reveal]
    """By an example of the rulebook only."""
    needs: Needs
    stays: bool | None
    effects: tuple[Effect, ...]
    copies: int = 1

    @property
    def is_known(self) -> bool:
        """Whether the companion can work out what it does."""
        return not any(isinstance(effect, Ask) for effect in self.effects)

    @property
    def touch(self) -> Touch | None:
        """The touch that it grants while it is still hidden."""
        if self.needs is not Needs.OWN_TOUCH:
            return None
        return next((effect for effect in self.effects if isinstance(effect, Touch)), None)


Card = HeroCard | DuelCard


@dataclass(frozen=True, slots=True)
class HoshiBattleSetup:
    """What is agreed before the first card. Raises ValueError where it can't be a game."""

    seats: tuple[str, ...]
    """Clockwise: the next one sits on the left."""
    lead: str
    """The starting player."""
    heroes: Mapping[str, HeroCard]
    duels: Mapping[str, DuelCard]
    settings: HoshiBattleSettings = field(default_factory=HoshiBattleSettings)

    places: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """Seat to its place clockwise from the first, 0-based."""
    hidden_touches: frozenset[Face] = field(init=False, repr=False, compare=False)
    """Faces after which a touch may be worth something by a Duel card that still lies face down."""

    def __post_init__(self) -> None:
        if len(self.seats) < 2 or len(set(self.seats)) != len(self.seats):
            raise ValueError(f"seats: two or more different players, not {', '.join(self.seats)}")
        if self.lead not in self.seats:
            raise ValueError(f"lead: {self.lead} is none of the players {', '.join(self.seats)}")
        if not self.heroes:
            raise ValueError("cards: the deck must hold Heroes")
        both = sorted(set(self.heroes) & set(self.duels))
        if both:
            raise ValueError(f"cards: {both[0]} is a Hero and a Duel card")
        touches = frozenset(card.touch.face for card in self.duels.values() if card.touch is not None)
        object.__setattr__(self, "places", {seat: place for place, seat in enumerate(self.seats)})
        object.__setattr__(self, "hidden_touches", touches)

    def after(self, seat: str, steps: int = 1) -> str:
        """The seat so many places clockwise, which is to the left."""
        return self.seats[(self.places[seat] + steps) % len(self.seats)]


def cards_of(cards: Mapping[str, CardData]) -> tuple[dict[str, HeroCard], dict[str, DuelCard]]:
    """A deck's data as Heroes and Duel cards; a card with nothing but its kind is one that isn't known yet.

    Raises ValueError that names the card and the field.
    """
    heroes: dict[str, HeroCard] = {}
    duels: dict[str, DuelCard] = {}
    for card, data in cards.items():
        kind = data.value("kind")
        if kind == CardKind.HERO:
            heroes[card] = _hero(card, data)
        elif kind == CardKind.DUEL:
            duels[card] = _duel(card, data)
        else:
            raise ValueError(f"card.{card}.kind: must be hero or duel, not {kind!r}")
    return heroes, duels


def completed(cards: Mapping[str, CardData], known: Mapping[str, CardData]) -> dict[str, CardData]:
    """The cards of a deck whose data says less, each with the fields that `known` has for its id and the deck has not."""
    return {
        card: CardData(card, {**known[card].fields, **data.fields}, data.copies) if card in known else data
        for card, data in cards.items()
    }


def combined(cards: Mapping[str, CardData], games: int) -> dict[str, CardData]:
    """The cards of so many games together, for many players (Rules for 3 or more players)."""
    return {card: CardData(card, data.fields, data.copies * games) for card, data in cards.items()}


def _hero(card: str, data: CardData) -> HeroCard:
    die = _whole(data, card, "die", 0)
    if die is not None and die not in DICE:
        raise ValueError(f"card.{card}.die: must be 8 or 10, not {die}")
    _number(data, card)
    return HeroCard(card, _name(data, card), die, _whole(data, card, "cost", 0), effects_of(data), data.copies)


def _duel(card: str, data: CardData) -> DuelCard:
    type_ = data.value("type")
    if type_ is not None and type_ not in tuple(Duelkind):
        raise ValueError(f"card.{card}.type: must be one of {', '.join(Duelkind)}, not {type_!r}")
    needs = data.value("needs") or Needs.NOTHING.value
    if needs not in tuple(Needs):
        raise ValueError(f"card.{card}.needs: must be one of {', '.join(Needs)}, not {needs!r}")
    stays = data.value("stays")
    if stays is not None and not isinstance(stays, bool):
        raise ValueError(f"card.{card}.stays: must be true or false, not {stays!r}")
    _number(data, card)
    found = DuelCard(
        card,
        _name(data, card),
        None if type_ is None else Duelkind(str(type_)),
        _whole(data, card, "cost", 0),
        _reveals(data, card, "reveal"),
        _reveals(data, card, "also_reveal"),
        Needs(str(needs)),
        stays,
        effects_of(data),
        data.copies,
    )
    if found.needs is Needs.OWN_TOUCH and found.touch is None:
        raise ValueError(f"card.{card}.needs: {Needs.OWN_TOUCH} needs an effect that is a touch")
    return found


def _reveals(data: CardData, card: str, name: str) -> frozenset[Reveal]:
    told = data.value(name)
    if told is None:
        return frozenset()
    if not isinstance(told, tuple) or any(time not in tuple(Reveal) for time in told):
        raise ValueError(f"card.{card}.{name}: must be a list of {', '.join(Reveal)}, not {told!r}")
    return frozenset(Reveal(str(time)) for time in told)


def _number(data: CardData, card: str) -> None:
    number = _whole(data, card, "number", 1)
    if number is not None and number > 99:
        raise ValueError(f"card.{card}.number: must be a whole number from 1 to 99, not {number}")


def _name(data: CardData, card: str) -> str:
    name = data.value("name")
    if name is not None and not isinstance(name, str):
        raise ValueError(f"card.{card}.name: must be a text, not {name!r}")
    return name or card


def _whole(data: CardData, card: str, name: str, least: int) -> int | None:
    value = data.value(name)
    if value is not None and (not _is_whole(value) or value < least):
        raise ValueError(f"card.{card}.{name}: must be a whole number of at least {least}, not {value!r}")
    return value if _is_whole(value) else None


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
