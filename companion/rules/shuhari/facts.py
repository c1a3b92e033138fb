"""What can happen in a game of Shuhari, as frozen values.

Seats are named as the players named them. Hands are hidden: a fact tells what everybody at the table could see. A `slot` names
one place of a hand whose card backs were followed (any number that stays with the card); None where nobody followed them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Suit(StrEnum):
    """The five arts."""

    IKEBANA = "ikebana"
    BUYO = "buyo"
    KOTO = "koto"
    CHADO = "chado"
    SHODO = "shodo"


class Stage(StrEnum):
    """The three stages of a trick, and the three rings of an art card from the outside in."""

    OBEY = "obey"
    DETACH = "detach"
    SEPARATE = "separate"


SUITS = tuple(Suit)
STAGES = tuple(Stage)


class Play(StrEnum):
    """As what a card is played."""

    LEAD = "lead"
    PRACTICE = "practice"
    REST = "rest"
    BREAK = "break"
    AID = "aid"
    """A Preparation or Review card."""
    VOID = "void"
    """Played as something that it can't be; it counts for nothing."""


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A seat played a card from its hand to the field."""

    seat: str
    card: str
    declared: Play | None = None
    """What was said, or seen: a card laid sideways is a rest, one under a stage card a break. None where nothing is known."""
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class PlayDeclared:
    """What the card played last is, told or seen after it was played."""

    seat: str
    play: Play


@dataclass(frozen=True, slots=True)
class StageShown:
    """A stage display card was laid on the card played last: Shu to Ha shows detach, Ha to Ri separate."""

    stage: Stage


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A seat added the top card of the deck to its hand, unseen by the others."""

    seat: str
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class DeckSearched:
    """By a Preparation card a seat looked at the top cards of the deck, kept one and put the others under it."""

    seat: str
    looked: int = 4
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class CardTaken:
    """By a Review card a seat took a card from the discard pile, seen by all."""

    seat: str
    card: str
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class DeckRenewed:
    """The discard pile was shuffled and became the deck, under what was left of it."""


@dataclass(frozen=True, slots=True)
class CardShown:
    """Everybody saw that a seat holds this card, as when hands are laid open after the game."""

    seat: str
    card: str
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class HandPutAway:
    """A leader showed a hand without any art card and put it away, to draw as many cards one by one."""

    seat: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChartMarked:
    """A box of the learning table was filled in, as told."""

    seat: str
    art: Suit
    stage: Stage


@dataclass(frozen=True, slots=True)
class TrickCleared:
    """The cards in play were moved to the discard pile."""


Fact = (
    CardPlayed
    | PlayDeclared
    | StageShown
    | CardDrawn
    | DeckSearched
    | CardTaken
    | DeckRenewed
    | CardShown
    | HandPutAway
    | ChartMarked
    | TrickCleared
)
"""Everything that can happen, as the rules take it in."""

FACTS: dict[str, type[Fact]] = {
    "card-played": CardPlayed,
    "play-declared": PlayDeclared,
    "stage-shown": StageShown,
    "card-drawn": CardDrawn,
    "deck-searched": DeckSearched,
    "card-taken": CardTaken,
    "deck-renewed": DeckRenewed,
    "card-shown": CardShown,
    "hand-put-away": HandPutAway,
    "chart-marked": ChartMarked,
    "trick-cleared": TrickCleared,
}
"""Kind, as a journal writes it, to class."""

KINDS: dict[type[Fact], str] = {fact: kind for kind, fact in FACTS.items()}
"""The reverse of `FACTS`."""
