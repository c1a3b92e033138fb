"""Who sits where, with which cards, by which settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.rules.card_fields import refuse, text_of, texts_of, whole_of
from companion.rules.cards import CardData
from companion.rules.hoshi_battle.card_data import Duelkind, Needs, Reveal, faults_of
from companion.rules.hoshi_battle.effects import Ask, Effect, Touch
from companion.rules.hoshi_battle.facts import CardKind, Face
from companion.rules.hoshi_battle.settings import HoshiBattleSettings
from companion.rules.hoshi_battle.vocabulary import effects_of

__all__ = [
    "IN_USE",
    "DuelCard",
    "Duelkind",
    "HeroCard",
    "HoshiBattleSetup",
    "Needs",
    "Reveal",
    "cards_of",
    "combined",
    "completed",
]

IN_USE = 3
"""Heroes, and Duel cards, that a player uses in a game."""


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
    refuse(faults_of(cards))
    heroes = {card: _hero(data) for card, data in cards.items() if data.value("kind") == CardKind.HERO}
    duels = {card: _duel(data) for card, data in cards.items() if data.value("kind") == CardKind.DUEL}
    return heroes, duels


def completed(cards: Mapping[str, CardData], known: Mapping[str, CardData]) -> dict[str, CardData]:
    """The cards of a deck whose data says less, each with the fields that `known` has for its id and the deck has not."""
    return {
        card: CardData(card, {**known[card].fields, **data.fields}, data.copies, data.copies_source)
        if card in known
        else data
        for card, data in cards.items()
    }


def combined(cards: Mapping[str, CardData], games: int) -> dict[str, CardData]:
    """The cards of so many games together, for many players (Rules for 3 or more players)."""
    return {card: CardData(card, data.fields, data.copies * games, data.copies_source) for card, data in cards.items()}


def _hero(data: CardData) -> HeroCard:
    name, die, cost = text_of(data, "name") or data.id, whole_of(data, "die"), whole_of(data, "cost")
    return HeroCard(data.id, name, die, cost, effects_of(data), data.copies)


def _duel(data: CardData) -> DuelCard:
    type_, stays = text_of(data, "type"), data.value("stays")
    return DuelCard(
        data.id,
        text_of(data, "name") or data.id,
        None if type_ is None else Duelkind(type_),
        whole_of(data, "cost"),
        frozenset(map(Reveal, texts_of(data, "reveal"))),
        frozenset(map(Reveal, texts_of(data, "also_reveal"))),
        Needs(text_of(data, "needs") or Needs.NOTHING),
        stays if isinstance(stays, bool) else None,
        effects_of(data),
        data.copies,
    )
