"""The table's settings: each thing the rulebook leaves open, with the reading taken by default."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from companion.rules.settings import about, check_settings


class BidSource(StrEnum):
    """Where a bid is read."""

    PRINTED = "printed"
    """The card's own bid figure; its number where the deck's data has none."""
    NUMBER = "number"
    """Always the card's number."""


class FewerLines(StrEnum):
    """What to say of a drawer who could have drawn two lines and drew one."""

    NOTE = "note"
    ILLEGAL = "illegal"
    ALLOWED = "allowed"


class Steps(StrEnum):
    """How squares are counted."""

    ORTHOGONAL = "orthogonal"
    """Up, down, left, right."""
    DIAGONAL = "diagonal"
    """Diagonal steps count one, which forbids nothing within two squares."""


class EraseTime(StrEnum):
    """When the drawer may erase."""

    BEFORE = "before"
    AFTER = "after"
    EITHER = "either"


class EraseColour(StrEnum):
    """Which of the crossed lines are erased."""

    EITHER = "either"
    MAJORITY = "majority"


class FinalTie(StrEnum):
    """What becomes of a tie that neither the colour nor the tricks break."""

    SHARED = "shared"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class HoshizoraSettings:
    """What a table agrees on. Raises ValueError that names a setting which can't be so."""

    bid_source: BidSource = field(
        default=BidSource.PRINTED,
        metadata=about(
            title="Bid figure",
            description="The bid is a figure of its own on each card; where it is not known, the card's number stands in.",
            section="Explanation of the cards",
        ),
    )
    lines_for_three: int = field(
        default=2,
        metadata=about(
            title="Lines for three cards of one colour",
            description="Three cards of one colour make this many lines; with two, the drawer chooses the star in the middle.",
            section="Drawing a line",
            least=1,
            most=3,
        ),
    )
    fewer_lines: FewerLines = field(
        default=FewerLines.NOTE,
        metadata=about(
            title="Fewer lines than can be drawn",
            description="The rulebook obliges to draw one line if one can be; this is what to say of one where two could be.",
            section="When you cannot draw a line",
        ),
    )
    reach_squares: int = field(
        default=2,
        metadata=about(
            title="Reach in squares",
            description="How many squares away a line may end.",
            section="Rules for drawing",
            least=0,
            most=4,
        ),
    )
    reach_steps: Steps = field(
        default=Steps.ORTHOGONAL,
        metadata=about(
            title="Counting squares",
            description="Whether squares are counted by orthogonal steps or diagonal ones count too.",
            section="Rules for drawing",
        ),
    )
    max_lines_a_star: int = field(
        default=3,
        metadata=about(
            title="Lines at a star",
            description="How many lines may end at a star, both colours together.",
            section="Rules for drawing",
            least=1,
            most=11,
        ),
    )
    near_line_mm: float = field(
        default=5.0,
        metadata=about(
            title="Three stars nearly in a line",
            description="Advice at set-up where a star stands so near, in mm, to the way between two that may be joined.",
            section="Preparation",
            least=0.0,
            most=50.0,
        ),
    )
    star_shift_mm: float = field(
        default=20.0,
        metadata=about(
            title="Moving a star a little",
            description="A star moved further than this, in mm, during the game is worth a note.",
            section="When there are other stars on your path",
            least=0.0,
            most=100.0,
        ),
    )
    final_tie: FinalTie = field(
        default=FinalTie.SHARED,
        metadata=about(
            title="Level to the last",
            description="Whether those still level after colour and tricks share the win, or nobody wins.",
            section="End of the game",
        ),
    )
    line_elimination: bool = field(
        default=False,
        metadata=about(
            title="Line elimination",
            description="The optional rule that lets each drawer erase crossed lines once a game.",
            section="Special rule (line elimination)",
        ),
    )
    erase_when: EraseTime = field(
        default=EraseTime.BEFORE,
        metadata=about(
            title="Time of erasing",
            description="Whether the drawer erases before or after the drawing of the trick.",
            section="Special rule (line elimination)",
        ),
    )
    erase_colour: EraseColour = field(
        default=EraseColour.EITHER,
        metadata=about(
            title="Colour of erased lines",
            description="Whether every crossed line goes, or only those in the majority's colour.",
            section="Special rule (line elimination)",
        ),
    )

    def __post_init__(self) -> None:
        check_settings(self)
