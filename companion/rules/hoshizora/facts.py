"""What can happen in a game of Hoshizora, as frozen values.

Seats are named as the players named them. Places are millimetres in the table frame with one decimal; the rules compute on
whole tenths, so that geometry is exact and the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Colour(StrEnum):
    """A card's and a line's colour."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Star:
    """A magnet on the board."""

    n: int
    """1 to 12, as printed."""
    x_mm: float
    y_mm: float
    square: int | None
    """0 to 8, row by row; None where it stands on a line that divides the squares."""


@dataclass(frozen=True, slots=True)
class Line:
    """A drawn line between two stars, a < b."""

    a: int
    b: int
    colour: Colour


@dataclass(frozen=True, slots=True)
class BoardSet:
    """The magnets are placed (Preparation). Said again with moved stars after set-up, it replaces their places."""

    stars: tuple[Star, ...]


@dataclass(frozen=True, slots=True)
class CardLaid:
    """A seat laid a card face down."""

    seat: str
    look: int | None = None
    """Counts the looks at the table: cards first seen in one look have no known order among them, a card of a later look came
    later. None where nothing is known of the order."""


@dataclass(frozen=True, slots=True)
class ColourStated:
    """The leader said a colour aloud, as told by a person; without it the revealed lead card's colour counts."""

    seat: str
    colour: Colour


@dataclass(frozen=True, slots=True)
class CardRevealed:
    """A seat's card of the current trick lies open."""

    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class LineDrawn:
    """A line appeared on the board, a < b."""

    a: int
    b: int
    colour: Colour


@dataclass(frozen=True, slots=True)
class LinesErased:
    """Lines were wiped off the board together."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class StarMoved:
    """A magnet was shifted, which is allowed after drawing past it."""

    star: Star


@dataclass(frozen=True, slots=True)
class DrawingEnded:
    """The drawer is done: the trick's cards are gone and what must be drawn must be there."""


@dataclass(frozen=True, slots=True)
class BidRevealed:
    """A seat's last card lies open as its bid, after the seventh trick."""

    seat: str
    card: str


Fact = (
    BoardSet | CardLaid | ColourStated | CardRevealed | LineDrawn | LinesErased | StarMoved | DrawingEnded | BidRevealed
)
"""Everything that can happen, as the rules take it in."""

FACTS: dict[str, type[Fact]] = {
    "board-set": BoardSet,
    "card-laid": CardLaid,
    "colour-stated": ColourStated,
    "card-revealed": CardRevealed,
    "line-drawn": LineDrawn,
    "lines-erased": LinesErased,
    "star-moved": StarMoved,
    "drawing-ended": DrawingEnded,
    "bid-revealed": BidRevealed,
}
"""Kind, as a journal writes it, to class."""

KINDS: dict[type[Fact], str] = {fact: kind for kind, fact in FACTS.items()}
"""The reverse of `FACTS`."""
