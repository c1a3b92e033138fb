"""What is to be known of a game to write it down: its rules, its acts in JSON and in words, and how a start is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Generic, TypeVar

from companion.errors import BadInputError
from companion.games.codec import FactCodec
from companion.games.phrases import Phrase, Slot
from companion.games.words import Card, Many, Names, Seat
from companion.rules.cards import CardData
from companion.rules.core import Rules
from companion.rules.settings import settings_from

SetupT = TypeVar("SetupT")
StateT = TypeVar("StateT")
FactT = TypeVar("FactT")
SettingsT = TypeVar("SettingsT")

STEP_WORDS = frozenset(
    {"undo", "take", "back", "correct", "ruling", "winners", "none", "nobody", "somebody", "and", "by", "referee"}
)
"""Words that begin what is no act of a game, and those of lists."""


@dataclass(frozen=True, slots=True)
class Book(Generic[SetupT, StateT, FactT, SettingsT]):
    """One game."""

    game: str
    title: str
    rules: Rules[SetupT, StateT, FactT]
    facts: FactCodec[FactT]
    settings: type[SettingsT]
    phrases: tuple[Phrase, ...]
    """One for each kind of act, in the order in which they are tried."""
    build: Callable[[Sequence[str], str, Mapping[str, CardData], SettingsT], SetupT]
    """A start. Raises ValueError for what can't be."""
    check: Callable[[StateT, FactT], None]
    """Raises BadInputError for an act that a person can't mean, beyond seats and cards that are not there."""
    heading: Callable[[StateT], str]
    """Where in the game a state is, in a few words: what acts are written under."""

    def setup(
        self, seats: Sequence[str], lead: str, cards: Mapping[str, CardData], settings: Mapping[str, Any]
    ) -> SetupT:
        """A game's start. Raises BadInputError for seats, a lead, cards or settings that can't be."""
        try:
            return self.build(seats, lead, cards, settings_from(self.settings, settings))
        except ValueError as error:
            raise BadInputError(f"this game of {self.title} can't be: {error}") from None

    def check_told(self, names: Names, state: StateT, fact: FactT) -> None:
        """Raises BadInputError for an act that a person can't mean: of a seat or card that is not there, or not now."""
        for slot in phrase_of(self, type(fact)).slots:
            value = getattr(fact, slot.name)
            for one in value if isinstance(value, tuple) else (value,):
                _check_name(slot, one, names)
        self.check(state, fact)

    def names(self, seats: Sequence[str], cards: Mapping[str, CardData]) -> Names:
        """What people at the table call players and cards."""
        called = {card: _called(card, data) for card, data in cards.items()}
        words = frozenset[str]().union(*(phrase.first_words for phrase in self.phrases))
        return Names(tuple(seats), called, words | STEP_WORDS)


def phrase_of(book: Book[Any, Any, Any, Any], kind: type) -> Phrase:
    """How acts of a kind are said."""
    return next(phrase for phrase in book.phrases if phrase.made is kind)


def _check_name(slot: Slot, value: Any, names: Names) -> None:
    word = slot.word.each if isinstance(slot.word, Many) else slot.word
    if value is None:
        return
    if isinstance(word, Seat) and value not in names.seats:
        raise BadInputError(f"{value} is none of the players {', '.join(names.seats)}")
    if isinstance(word, Card) and value not in names.cards:
        raise BadInputError(f"{value} is no card of this deck")


def _called(card: str, data: CardData) -> str:
    name = data.value("name")
    return name if isinstance(name, str) and name.strip() else card


GAMES = ("ahuha", "hoshi-battle", "shuhari", "hoshizora")
"""Every game's id, in the order of the rulebooks."""


@cache
def book_of(game: str) -> Book[Any, Any, Any, Any]:
    """A game's book by its id. Raises BadInputError for a game that is not known."""
    if game not in GAMES:
        raise BadInputError(f"no rules for a game {game!r}; known are {', '.join(GAMES)}")
    book: Book[Any, Any, Any, Any] = import_module(f"companion.games.{game.replace('-', '_')}").BOOK
    return book
