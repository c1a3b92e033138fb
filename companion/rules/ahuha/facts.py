"""What can happen in a game of Ahuha Ahukaha, as frozen values. Seats are named as the players named them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Orientation(StrEnum):
    """How a card lies in a Home (Game Setup, Home Area)."""

    UPRIGHT = "upright"
    """Vertical: 1 point."""
    HORIZONTAL = "horizontal"
    """0 points."""
    INVERTED = "inverted"
    """Vertical and upside down: 2 points."""


class Side(StrEnum):
    """On which side of a player a frozen card lies, as the player sees it: the next player clockwise sits on the left."""

    RIGHT = "right"
    LEFT = "left"


class Told(StrEnum):
    """What came of a card's effect, as people tell it."""

    NOTHING = "nothing"
    HANDS = "hands-raised"
    """These seats raised their hands, the others did not."""
    HOSIAHI = "hosiahi"
    """The card met another one, in the Field or in a Home."""
    PASSED = "frozen-passed"
    """Everyone took the frozen card on the right, then everyone placed one on the left."""
    INVERTED = "placed-inverted"
    """The card goes Home upside down and shows 2 points."""
    OTHER = "other"
    """Something that is none of these: what is laid Home in this round is taken as it lies."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """Six cards each and a frozen card between each pair lie face down: a series begins (Game Setup)."""


@dataclass(frozen=True, slots=True)
class CardLaid:
    """A seat laid a card face down in the Field."""

    seat: str


@dataclass(frozen=True, slots=True)
class CardRevealed:
    """A seat's card in the Field lies open."""

    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class EffectTold:
    """What came of the effect of the card whose turn it is, where it can't be known from the card alone."""

    outcome: Told
    seats: tuple[str, ...] = ()
    """Who raised a hand."""
    card: str | None = None
    """Whom it met."""
    asked: tuple[str, ...] = ()
    """What the card asked for, where it is told: card ids, or attributes as "kesiki:siro"."""


@dataclass(frozen=True, slots=True)
class FrozenTaken:
    """A seat took a frozen card into the hand."""

    seat: str
    side: Side


@dataclass(frozen=True, slots=True)
class FrozenPlaced:
    """A seat put a card down as a frozen card."""

    seat: str
    side: Side


@dataclass(frozen=True, slots=True)
class CardPlaced:
    """A card lies in a seat's Home in this way: it came from the Field, or it was turned where it lay."""

    seat: str
    card: str
    orientation: Orientation


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """The Field is empty, whether or not each card was seen to go (Checking for the Next Turn)."""


@dataclass(frozen=True, slots=True)
class AsitaShown:
    """A seat turned the Asita card up as the eighth card of its Home (Bonus Points)."""

    seat: str


@dataclass(frozen=True, slots=True)
class YonoTigiriShown:
    """A seat turned the Yono Tigiri card up as the winner of a series (End of a Series)."""

    seat: str


@dataclass(frozen=True, slots=True)
class SeriesEnded:
    """The points of the series are counted and the cards gathered."""


@dataclass(frozen=True, slots=True)
class SeatsSwapped:
    """Two players changed seats between two series (Q&A, seating order)."""

    first: str
    second: str


Fact = (
    Dealt
    | CardLaid
    | CardRevealed
    | EffectTold
    | FrozenTaken
    | FrozenPlaced
    | CardPlaced
    | RoundEnded
    | AsitaShown
    | YonoTigiriShown
    | SeriesEnded
    | SeatsSwapped
)
"""Everything that can happen, as the rules take it in."""

FACTS: dict[str, type[Fact]] = {
    "dealt": Dealt,
    "card-laid": CardLaid,
    "card-revealed": CardRevealed,
    "effect-told": EffectTold,
    "frozen-taken": FrozenTaken,
    "frozen-placed": FrozenPlaced,
    "card-placed": CardPlaced,
    "round-ended": RoundEnded,
    "asita-shown": AsitaShown,
    "yono-tigiri-shown": YonoTigiriShown,
    "series-ended": SeriesEnded,
    "seats-swapped": SeatsSwapped,
}
"""Kind, as a journal writes it, to class."""

KINDS: dict[type[Fact], str] = {fact: kind for kind, fact in FACTS.items()}
"""The reverse of `FACTS`."""
