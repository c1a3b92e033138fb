"""The table's settings: each thing the rulebook leaves open, with the reading taken by default."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from companion.rules.settings import about, check_settings


class Deal(StrEnum):
    """How the players come by their cards."""

    RULEBOOK = "rulebook"
    """Five and five for two players, the draft for three and more."""
    COMBINED = "combined"
    """The set-up variant: four and four at once."""
    CONSTRUCTED = "constructed"
    """Decks brought along."""


class Restart(StrEnum):
    """Whose Stones a Duel that starts over begins with."""

    BEGINNING = "beginning"
    """Those of the Duel's beginning."""
    KEEP = "keep"
    """Those that are left."""


class Silence(StrEnum):
    """What a hit is worth when play went on and nobody attested the act that a card asks of it."""

    STANDS = "stands"
    CANCELLED = "cancelled"


class MutualBluff(StrEnum):
    """What it means when both touch and neither has a symbol."""

    BOTH = "both"
    """Each loses a Stone."""
    NOBODY = "nobody"


class Against(StrEnum):
    """What a hit and a special touch at the same time are worth."""

    BOTH = "both"
    HIT = "hit"
    """The hit alone."""


class AfterStone(StrEnum):
    """How long a card that is played after a Stone was lost may wait."""

    NEXT = "next"
    """For the next time of such cards only."""
    LATER = "later"
    """For any later one of the Duel."""


class Unshown(StrEnum):
    """What a touch is worth for which a face-down card could have been shown, and was not."""

    BLUFF = "bluff"
    NOTHING = "nothing"


class FullHealth(StrEnum):
    """Which number of Stones is full health."""

    HERO = "hero"
    """Those with which the Hero came into its first Duel: a winner that was hit is below it in the next Duel too."""
    DUEL = "duel"
    """Those with which each Duel begins."""


class FirstReveal(StrEnum):
    """Who reveals first in later Duels of three and more players."""

    CHOOSER = "chooser"
    """Who chose the opponent."""
    OPPONENT = "opponent"
    """Who was chosen."""


class ExtraDie(StrEnum):
    """Which additional die a Hero of two dice has."""

    CARD = "card"
    """What the card's data says."""
    D8 = "d8"
    D10 = "d10"


@dataclass(frozen=True, slots=True)
class HoshiBattleSettings:
    """What a table agrees on. Raises ValueError that names a setting which can't be so."""

    deal: Deal = field(
        default=Deal.RULEBOOK,
        metadata=about(
            title="Deal",
            description="Five and five (a draft for three or more), four and four together, or constructed decks.",
            section="Setup",
        ),
    )
    cost_limit: int = field(
        default=40,
        metadata=about(
            title="Cost of a constructed deck",
            description="What the four Heroes and four Duel cards of a constructed deck may cost together.",
            section="Constructed deck variant",
            least=0,
            most=200,
        ),
    )
    stones: int = field(
        default=2,
        metadata=about(
            title="Hoshi Stones",
            description="How many Stones a new Hero begins with.",
            section="Starting the Duel",
            least=1,
            most=9,
        ),
    )
    simultaneous_ms: int = field(
        default=40,
        metadata=about(
            title="At the same time",
            description="Touches, and a symbol that came or went, so near to each other in ms have no order.",
            section="Rules of honor",
            least=0,
            most=500,
        ),
    )
    defence_ms: int = field(
        default=1000,
        metadata=about(
            title="A moment of defence",
            description="After so many ms in the defensive position the other's symbol counts as a miss.",
            section="Rules of honor",
            least=0,
            most=10_000,
        ),
    )
    example_windows: bool = field(
        default=True,
        metadata=about(
            title="Times shown by the rulebook's examples",
            description="A card may also be played when an example plays it: Fire Axe at the start of a round.",
            section="Card effect priority",
        ),
    )
    extra_die: ExtraDie = field(
        default=ExtraDie.CARD,
        metadata=about(
            title="Second die",
            description="The additional die of a Hero with two; two d8 would leave none for the opponent.",
            section="The cards",
        ),
    )
    restart_stones: Restart = field(
        default=Restart.BEGINNING,
        metadata=about(
            title="Stones of a Duel that starts over",
            description="Whether the opponent of a Hero that went back to hand has the Stones of the Duel's beginning again.",
            section="The cards",
        ),
    )
    gains_raise_full_health: bool = field(
        default=True,
        metadata=about(
            title="Stones gained before the first round",
            description="Whether Stones that a card gives before the first round belong to full health.",
            section="Terminology",
        ),
    )
    full_health: FullHealth = field(
        default=FullHealth.HERO,
        metadata=about(
            title="Full health of a winner",
            description="Whether a winner that was hit is below full health in the next Duel, or its Stones there are full.",
            section="Terminology",
        ),
    )
    gates_on_bluff: bool = field(
        default=False,
        metadata=about(
            title="Acts asked of a hit by bluff",
            description="Whether a hit that a bluffer brings upon himself needs the act that his Hero asks of opponents.",
            section="Rules of honor",
        ),
    )
    bluff_hits_for_opponent: bool = field(
        default=True,
        metadata=about(
            title="Last to hit after a bluff",
            description="Whether the opponent of a bluffer who was hit counts as the last to hit.",
            section="Card effect priority",
        ),
    )
    mutual_bluff: MutualBluff = field(
        default=MutualBluff.BOTH,
        metadata=about(
            title="Both touch, neither with a symbol",
            description="Whether both bluffers lose a Stone or nobody does.",
            section="Rules of honor",
        ),
    )
    hit_against_bluff: int = field(
        default=1,
        metadata=about(
            title="Hit against a bluff at the same time",
            description="How many Stones it costs to be hit while touching without a symbol.",
            section="Rules of honor",
            least=1,
            most=2,
        ),
    )
    hit_against_special: Against = field(
        default=Against.BOTH,
        metadata=about(
            title="Hit against a special touch at the same time",
            description="Whether both apply or the hit alone.",
            section="Rules of honor",
        ),
    )
    unshown_touch: Unshown = field(
        default=Unshown.BLUFF,
        metadata=about(
            title="A card not shown for a touch",
            description="What a touch is worth that only a face-down card would explain, when it is not shown (Backstab).",
            section="Starting the Duel",
        ),
    )
    after_stone: AfterStone = field(
        default=AfterStone.NEXT,
        metadata=about(
            title="After a Stone was lost",
            description="Whether a card that is played after a Stone was lost (Deowi) must be played at its next time.",
            section="The cards",
        ),
    )
    first_reveal: FirstReveal = field(
        default=FirstReveal.CHOOSER,
        metadata=about(
            title="First reveal in later Duels of many players",
            description="Whether the one who chose the opponent reveals and decides first, or the one who was chosen.",
            section="Rules for 3 or more players",
        ),
    )
    unattested: Silence = field(
        default=Silence.STANDS,
        metadata=about(
            title="A hit nobody attested",
            description="What a hit is worth when play goes on and nobody said whether the asked act was done.",
            section="The cards",
        ),
    )
    timeout_clears_dice: bool = field(
        default=True,
        metadata=about(
            title="Dice after a timeout",
            description="Whether symbols rolled before a timeout are gone when play goes on.",
            section="Rules of honor",
        ),
    )
    winner_takes_new_card: bool = field(
        default=False,
        metadata=about(
            title="A new Duel card for the winner",
            description="Whether a winner whose Duel card is used up may take another one for the next Duel.",
            section="End of a Duel",
        ),
    )
    artifacts_act_again: bool = field(
        default=False,
        metadata=about(
            title="Artifacts in the next Duel",
            description="Whether an artifact that stays in play gives its Stones again when its owner begins the next Duel.",
            section="Duel cards",
        ),
    )

    def __post_init__(self) -> None:
        check_settings(self)
