"""What vision says it saw: small, frozen values. A reading that can't know says so (None, a doubt), it never guesses.

Lengths are millimetres in the table frame (origin at marker 0's outer corner, x right, y down), pixels are those of the
picture as it came, angles are degrees clockwise seen from above.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vision.arena import Arena

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
Polygon = tuple[Point, ...]


class Face(StrEnum):
    """Which side of a card shows."""

    UP = "up"
    DOWN = "down"


class Colour(StrEnum):
    """A marker's colour on the star board."""

    RED = "red"
    BLUE = "blue"


class PoseState(StrEnum):
    """How well the table's pose is known in a picture."""

    LIVE = "live"
    """All four markers were measured."""
    PARTIAL = "partial"
    """Two or three markers: good enough to go on, with a warning."""
    HELD = "held"
    """Markers are covered; the last good pose is kept."""


class DoubtReason(StrEnum):
    """Why nothing can be said of a pair of stars."""

    HIDDEN = "hidden"
    """Something lies over the corridor between them."""
    FAINT = "faint"
    """Evidence lies between that of a line and that of none."""
    COLOUR = "colour"
    """A line, but neither clearly red nor clearly blue."""


@dataclass(frozen=True, slots=True)
class CardReading:
    """A card lying on the table. `card`, `face` and `angle_deg` are None where the evidence is below the acting threshold."""

    card: str | None
    """Id in its deck; None also for a card that lies face down."""
    face: Face | None
    x_mm: float
    y_mm: float
    """The card's middle."""
    angle_deg: float | None
    """0 when the card's own top points to y = 0; None where the top can't be told. What looks the same turned half round has no
    top: its angle is told from 0 to 180."""
    corners_px: Quad
    """Top left, top right, bottom right, bottom left of the card's own frame (any rotation where the angle is None)."""
    confidence: float
    """0 to 1, of the identity where the card is face up, of the back where it is face down."""
    candidates: tuple[tuple[str, float], ...] = ()
    """Best readings first, with their confidence, whether acted on or not."""


@dataclass(frozen=True, slots=True)
class StarReading:
    """A star magnet on the board. `n` is None below the acting threshold."""

    n: int | None
    x_mm: float
    y_mm: float
    square: int | None
    """0 to 8, row by row from the board's top left; None on a dividing line's own width."""
    confidence: float
    candidates: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class LineReading:
    """A marker line that joins two stars, a < b."""

    a: int
    b: int
    colour: Colour
    confidence: float


@dataclass(frozen=True, slots=True)
class PairDoubt:
    """A pair of stars, a < b, of which it can't be said whether a line joins them."""

    a: int
    b: int
    reason: DoubtReason
    colour: Colour | None = None
    """The likelier colour, where there is one."""
    confidence: float = 0.0
    """How likely a line is there, 0 to 1; 0 where nothing can be seen."""


@dataclass(frozen=True, slots=True)
class BoardReading:
    """The star board. A pair of stars in neither `lines` nor `doubts` was seen clear of any line."""

    outline_mm: Quad
    """The board's corners: top left, top right, bottom right, bottom left on the table."""
    dark: bool
    stars: tuple[StarReading, ...]
    """By number, then unread ones by place. Fewer than twelve: the rest are hidden or not yet placed."""
    lines: tuple[LineReading, ...]
    """By a, then b."""
    doubts: tuple[PairDoubt, ...]
    crossings: int
    """Proper crossings of two lines of one colour, by exact geometry on the star centres."""
    points: int
    """Lines plus crossings."""


class DieDoubt(StrEnum):
    """Why something is not said of a die."""

    ON_STRING = "on-string"
    """It lies on the Arena's string, or so near to it or to a hidden stretch of it that a side can't be told."""
    TILTED = "tilted"
    """It leans on something or stands on an edge: no face is on top."""
    FOREIGN = "foreign"
    """Its top face, its colour or its number of sides is none of the enrolled dice's."""
    UNCLEAR = "unclear"
    """Its top face, or how many sides it has, could not be read surely."""


@dataclass(frozen=True, slots=True)
class DieReading:
    """A die lying on the table. `sides` and `symbol` are None where the evidence is below the acting threshold."""

    sides: int | None
    """8 or 10."""
    symbol: str | None
    """Name of the top face, "blank" for a bare one."""
    x_mm: float
    y_mm: float
    """Where the die's middle stands over the table, not where its top face appears."""
    inside: bool | None
    """Of the Arena's loop; None on the string, beside a hidden stretch of it, or without one loop."""
    colour: tuple[int, int, int] | None
    """Red, green, blue, as far as the markers' white paper tells."""
    confidence: float
    """0 to 1, of the symbol."""
    candidates: tuple[tuple[str, float], ...] = ()
    """Best readings first, with their confidence, whether acted on or not."""
    outline_px: Polygon = ()
    """The outline of all that shows of it, in the picture."""
    top_px: Polygon = ()
    """The top face's corners in the picture, as far as one was found."""
    doubts: tuple[DieDoubt, ...] = ()
    """Why `inside`, `symbol` or `sides` is None, or the die not to be counted."""


@dataclass(frozen=True, slots=True)
class SceneReading:
    """Everything read from one settled picture."""

    pose: PoseState
    table_mm: tuple[float, float]
    cards: tuple[CardReading, ...] = ()
    board: BoardReading | None = None
    hidden_mm: tuple[Polygon, ...] = ()
    """Areas of the table of which nothing can be said now: a hand or another thing lies over them."""
    warnings: tuple[str, ...] = ()
    """For people: markers covered, light too low."""
    dice: tuple[DieReading, ...] = ()
    arena: Arena | None = None
    """The loop that dice are thrown into; None where it was not looked for."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A settled look at the table, handed to the adjudicator."""

    source: str
    t_ns: int
    t_err_ns: int
    frame_id: int
    name: str
    scene: SceneReading
    changed: bool = True
    """False where the table moved or was covered and then showed what the last observation told."""


class Activity(StrEnum):
    """What the camera's picture is doing, for the page."""

    SETTLED = "settled"
    MOVING = "moving"
    COVERED = "covered"
    """Still, but a hand or another thing hides part of what matters."""
    LOST = "lost"
    """No table in sight: the markers can't be found and no pose is held."""


@dataclass(frozen=True, slots=True)
class ActivityChange:
    """The picture began to move, settled, or was lost."""

    source: str
    t_ns: int
    activity: Activity
    text: str = ""
    """One line for people where something is to be done."""
