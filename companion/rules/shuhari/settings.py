"""The table's settings: each thing the rulebook leaves open, with the reading taken by default."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from companion.rules.settings import about, check_settings


class Played(StrEnum):
    """Which cards a breaking card is measured against."""

    TRICK = "trick"
    """Every art card of the trick but rests."""
    STAGE = "stage"
    """Those of the current stage only, the card that opened it included."""


class Ring(StrEnum):
    """The ring of the card that counts in the Separate stage."""

    SEPARATE = "separate"
    DETACH = "detach"


class Tie(StrEnum):
    """Which of two equal ranks learns."""

    EARLIER = "earlier"
    LATER = "later"


class ShortDeck(StrEnum):
    """A Preparation card with fewer than four cards in the deck."""

    RENEW = "renew"
    """Take what remains, shuffle the discard pile, and take the rest of the four from it."""
    REMAINING = "remaining"
    """Look at what remains only."""


class ReviewNeeds(StrEnum):
    """What must lie in the discard pile for a Review card."""

    ART = "art"
    """An art card that may be taken."""
    ANY = "any"
    """Any card; there may be nothing to take."""


class ShownHand(StrEnum):
    """Where a leader's hand without art cards goes."""

    DISCARD = "discard"
    BOTTOM = "bottom"


class JointMastery(StrEnum):
    """Two players complete one art in the same trick."""

    BOTH = "both"
    """Both write it; it counts as one art."""
    EARLIER_STAGE = "earlier-stage"
    """Only the one who learned the earlier stage writes it."""


class FinalTie(StrEnum):
    """Players with equal points."""

    SHARED = "shared"
    MASTERIES = "masteries"
    """Whoever has more full masteries; then shared."""


class UntoldDraw(StrEnum):
    """A draw that nobody saw or told before the next card was played."""

    NOTED = "noted"
    """It is taken as done, and a note says so."""
    SILENT = "silent"
    """It is taken as done without a word: for a table that tells no draws."""


@dataclass(frozen=True, slots=True)
class ShuhariSettings:
    """What a table agrees on. Raises ValueError that names a setting which can't be so."""

    already_played: Played = field(
        default=Played.TRICK,
        metadata=about(
            title="Cards already played",
            description="Whether a breaking card is measured against the whole trick, rests aside, or the current stage.",
            section="Playing an Art Card (By Stage)",
        ),
    )
    separate_ring: Ring = field(
        default=Ring.SEPARATE,
        metadata=about(
            title="Ring of the Separate stage",
            description="The mastery box names the Detach suit for the Separate stage; it is taken as a misprint.",
            section="Mastering the Arts",
        ),
    )
    equal_ranks: Tie = field(
        default=Tie.EARLIER,
        metadata=about(
            title="Equal ranks in a stage",
            description="Which of two cards of equal rank learns; with the inferred deck it can't happen.",
            section="Mastering the Arts",
        ),
    )
    aids_count: bool = field(
        default=True,
        metadata=about(
            title="Preparation and Review count as cards of the trick",
            description="Whether they are among the eight or nine cards after which a trick ends.",
            section="Playing Preparation/Review Cards",
        ),
    )
    short_deck: ShortDeck = field(
        default=ShortDeck.RENEW,
        metadata=about(
            title="Preparation with fewer than four cards left",
            description="Whether the discard pile is shuffled for the rest of the four, or only what remains is looked at.",
            section="Preparation Card",
        ),
    )
    review_needs: ReviewNeeds = field(
        default=ReviewNeeds.ART,
        metadata=about(
            title="What a Review card needs",
            description="Whether the discard pile must hold an art card of rank 2 to 11, or any card at all.",
            section="Review Card",
        ),
    )
    shown_hand: ShownHand = field(
        default=ShownHand.DISCARD,
        metadata=about(
            title="A leader without art cards",
            description="The hand is shown and drawn anew; this is where the shown cards go.",
            section="Playing a Lead Card",
        ),
    )
    joint_mastery: JointMastery = field(
        default=JointMastery.BOTH,
        metadata=about(
            title="One art completed by two players in a trick",
            description="Whether both write the last stage, which counts as one art, or only the earlier stage's learner.",
            section="Full Mastery",
        ),
    )
    final_tie: FinalTie = field(
        default=FinalTie.SHARED,
        metadata=about(
            title="Equal points at the end",
            description="Whether equal points share the win, or more full masteries decide first.",
            section="Scoring",
        ),
    )
    untold_draw: UntoldDraw = field(
        default=UntoldDraw.NOTED,
        metadata=about(
            title="A draw that nobody told",
            description=(
                "It is taken as done either way, and from then on nothing is proved by counting; a table that tells no draws may "
                "do without the note."
            ),
            section="Each Player's Turn",
        ),
    )
    suspect_per_mille: int = field(
        default=0,
        metadata=about(
            title="Suspect a rest",
            description=(
                "Says so when the cards shown since a rest could only come from draws that are less likely than this, in a "
                "thousand. Honest luck can look so, hence it is off (0) by default; it is never proof."
            ),
            section="Playing an Art Card (Common)",
            least=0,
            most=200,
        ),
    )

    def __post_init__(self) -> None:
        check_settings(self)
