"""The table's settings: each thing the rulebook leaves open, with the reading taken by default."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from companion.rules.ahuha.facts import Side
from companion.rules.settings import about, check_settings


class Mode(StrEnum):
    """Against each other or together."""

    STANDARD = "standard"
    COOPERATIVE = "cooperative"


class NoStar(StrEnum):
    """What becomes of a series whose best players have no star that scored."""

    REPLAY = "replay"
    """Nobody wins it; another series is played."""
    SHARED = "shared"
    """All who are level turn their Yono Tigiri card up."""


@dataclass(frozen=True, slots=True)
class AhuhaSettings:
    """What a table agrees on. Raises ValueError that names a setting which can't be so."""

    mode: Mode = field(
        default=Mode.STANDARD,
        metadata=about(
            title="Standard or cooperative",
            description="Cooperative: one series together, and the total of all three earns a title.",
            section="10. Beginner Cooperative Rules",
        ),
    )
    frozen_in_front: Side = field(
        default=Side.RIGHT,
        metadata=about(
            title="The frozen card in front",
            description="Which of the two frozen cards beside a player is the one to play in the seventh round.",
            section="8. Tanabata, Using the Frozen Cards",
        ),
    )
    active_answers: bool = field(
        default=True,
        metadata=about(
            title="The active player answers too",
            description="Whether the player whose card asks for raised hands must raise one as well.",
            section="7. Effect Phase",
        ),
    )
    answers_bind: bool = field(
        default=True,
        metadata=about(
            title="Answers are promises",
            description="A hand raised or not raised is a statement that later cards can prove false.",
            section="Q&A, lying",
        ),
    )
    home_ends_turn: bool = field(
        default=True,
        metadata=about(
            title="An effect that sends the card Home ends the turn",
            description="Otherwise the Hosiahi phase still follows for a card that an effect sent Home upside down.",
            section="7. Effect Phase",
        ),
    )
    inverted_is_hosiahi: bool = field(
        default=False,
        metadata=about(
            title="Upside down counts as a Hosiahi",
            description="Whether a card sent Home upside down by its effect counts as a meeting of its own.",
            section="Example 2-2",
        ),
    )
    tie_counts_inverted: bool = field(
        default=True,
        metadata=about(
            title="Upside-down stars break ties",
            description="Whether a card that lies upside down can be the highest-numbered star that scored.",
            section="9. End of a Series and Victory",
        ),
    )
    no_star: NoStar = field(
        default=NoStar.REPLAY,
        metadata=about(
            title="A tie without any scoring star",
            description="Whether the series is played again or all who are level win it.",
            section="9. End of a Series and Victory",
        ),
    )
    open_top_title: bool = field(
        default=True,
        metadata=about(
            title="Cooperative totals above 25",
            description="Whether more than 25 points together still earn the highest title.",
            section="10. Beginner Cooperative Rules",
        ),
    )

    def __post_init__(self) -> None:
        check_settings(self)
