"""A table as a plain value, for the renderer: what lies where, with no idea of why."""

from __future__ import annotations

from dataclasses import dataclass, field

from hardware.virtual.dice import DieOnTable
from hardware.virtual.loop import LoopOnTable

Point = tuple[float, float]
HAND_HEIGHT_MM = 28.0
"""Of a hand that is busy on the table."""


@dataclass(frozen=True, slots=True)
class Finish:
    """What a card's surface does to the light, and that it need not lie flat."""

    gloss: float = 0.0
    """Share of a lamp's light that the surface mirrors: 0 matt, 0.02 coated card, 0.05 plastic film."""
    rough: float = 0.1
    """How far the mirror image is smeared: 0.01 film, 0.1 coated card, 0.3 linen."""
    wavy_deg: float = 0.0
    """How far the surface leans here and there."""
    lean_deg: Point = (0.0, 0.0)
    """How far the card as a whole leans, about its own y and its own x axis."""
    bow_mm: float = 0.0
    """How high its middle stands over the table; negative: how high two opposite edges do."""
    bow_turn_deg: float = 0.0
    """Along which line it is bent: 0 from its left to its right edge, 90 from top to bottom."""
    sleeve_mm: float | None = None
    """How far a clear sleeve reaches beyond the card on each side; None for a bare card."""
    seed: int = 0
    """Of the surface's waves and of how the card sits in its sleeve."""


@dataclass(frozen=True, slots=True)
class CardOnTable:
    """A card lying on the table; later ones of a scene lie over earlier ones."""

    art: str
    """Key into the renderer's pictures; "back" is the deck's back."""
    x_mm: float
    y_mm: float
    angle_deg: float = 0.0
    lift_mm: float = 0.0
    """Height over the table while a hand carries it."""
    finish: Finish | None = None
    """None for a matt card that lies flat."""


@dataclass(frozen=True, slots=True)
class StoneOnTable:
    """A round glass stone, or another small token."""

    x_mm: float
    y_mm: float
    diameter_mm: float = 11.0
    bgr: tuple[int, int, int] = (216, 176, 96)


@dataclass(frozen=True, slots=True)
class StarOnBoard:
    """A numbered magnet; mm on the table."""

    n: int
    x_mm: float
    y_mm: float
    angle_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """A marker stroke on the board, mm on the table."""

    colour: str
    """"red" or "blue"."""
    start: Point
    end: Point
    width_mm: float = 2.5
    drawn: float = 1.0
    """Share of its length that is drawn so far, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Smudge:
    """What a tissue leaves of a stroke: a faint cloud of a colour."""

    colour: str
    x_mm: float
    y_mm: float
    radius_mm: float
    strength: float
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class BoardOnTable:
    """The star board; its top left corner, its side, its turn about that corner."""

    x_mm: float
    y_mm: float
    side_mm: float = 300.0
    angle_deg: float = 0.0
    dark: bool = False
    stars: tuple[StarOnBoard, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    smudges: tuple[Smudge, ...] = ()


@dataclass(frozen=True, slots=True)
class HandOverTable:
    """A hand and its forearm reaching in from an edge."""

    tip_x_mm: float
    tip_y_mm: float
    from_deg: float
    """Direction from the tip toward the body, degrees clockwise from up (0 = the body sits at y < 0)."""
    skin: tuple[int, int, int] = (120, 150, 200)
    """Blue, green, red: any skin, glove or sleeve."""
    height_mm: float = HAND_HEIGHT_MM
    """Over the table; a raised hand shows larger and its shadow falls farther off."""
    sleeve: tuple[int, int, int] | None = None
    """Blue, green, red from the wrist on; None is the sleeve of the look."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything on the table at one moment."""

    table_mm: tuple[float, float] = (700.0, 420.0)
    cards: tuple[CardOnTable, ...] = ()
    board: BoardOnTable | None = None
    hands: tuple[HandOverTable, ...] = ()
    covered_markers: frozenset[int] = field(default_factory=frozenset)
    loops: tuple[LoopOnTable, ...] = ()
    dice: tuple[DieOnTable, ...] = ()
    stones: tuple[StoneOnTable, ...] = ()
