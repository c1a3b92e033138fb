"""What can happen in a game of Hoshi Battle, as frozen values.

Seats are named as the players named them. Times are whole microseconds on the table's time line; None where a person told what
happened without a time: it then counts in the order in which it was told. An uncertainty (`within_us`) is half the width of the
band in which the true moment lies. Die 0 is the one of the Hero, die 1 an additional one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Face(StrEnum):
    """What a die shows. The icons are lost in the text; the names are ours, and a table may show others for them."""

    STRIKE = "strike"
    """The symbol to hit with."""
    CHARM = "charm"
    """The symbol of the special touches."""
    SHIELD = "shield"
    """The third symbol."""
    BLANK = "blank"
    UNKNOWN = "unknown"
    """Nobody could read it."""


SYMBOLS = (Face.STRIKE, Face.CHARM, Face.SHIELD)


class CardKind(StrEnum):
    """The two decks."""

    HERO = "hero"
    DUEL = "duel"


class Foul(StrEnum):
    """What a person saw that the rules of the duel or of honor forbid."""

    SECOND_HAND = "second hand"
    INTERFERENCE = "interference"
    PUSHED_DIE = "pushed die"
    FORCE = "force"
    JEWELRY = "jewelry"


class Where(StrEnum):
    """Where a hand was touched."""

    HAND = "hand"
    """Palm or back: both are fair."""
    ELSEWHERE = "elsewhere"
    """An arm, a sleeve."""
    UNKNOWN = "unknown"


class Doubt(StrEnum):
    """What else about a touch the witnesses leave open, so that it can't be told what it is worth."""

    NONE = "none"
    DEFENCE = "defence"
    """Whether, and since when, the other hand was raised."""
    TRY = "try"
    """Whether the symbol had been used for another try."""
    HIDDEN = "hidden"
    """A die that something hid: whether it still lay there, and what it showed."""
    BLIND = "blind"
    """A camera or a pad told nothing of that moment."""


class ToldKind(StrEnum):
    """What a card that the deck's data doesn't know can have done."""

    NOTHING = "nothing"
    STONES = "stones"
    """`seat` gets `amount` Stones; less than 0 takes them."""
    DIE = "die"
    """`seat` battles with a die of `amount` sides."""
    EXTRA_DIE = "extra die"
    """`seat` battles with an additional die of `amount` sides."""
    COUNTS_ALSO = "counts also"
    """`rolled` of `seat` counts also as `counts`."""
    COUNTS_INSTEAD = "counts instead"
    """`rolled` of `seat` counts instead as `counts`."""
    HIT = "hit"
    """`seat` is hit."""
    HIT_CANCELLED = "hit cancelled"
    """The hit on `seat` that is being settled doesn't count."""
    DISCARD = "discard"
    """The Duel card of `seat` is discarded."""
    TO_HAND = "to hand"
    """The Hero of `seat` goes back to the hand."""
    ASIDE = "aside"
    """The Hero of `seat` is set aside with `amount` Stones."""
    EXILE = "exile"
    """The Hero of `seat` is exiled."""


class ToldSpan(StrEnum):
    """How long what was told lasts."""

    ROUND = "round"
    DUEL = "duel"
    CARD = "card"
    """While the card is in play."""


@dataclass(frozen=True, slots=True)
class Told:
    """One outcome of a card, as a person tells it."""

    kind: ToldKind
    seat: str
    amount: int = 0
    rolled: Face = Face.BLANK
    counts: Face = Face.BLANK
    lasts: ToldSpan = ToldSpan.DUEL


@dataclass(frozen=True, slots=True)
class DeckBrought:
    """Constructed decks: a seat's two decks, as shown to the referee. Nothing of it is public."""

    seat: str
    heroes: tuple[str, ...]
    duels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """A seat was dealt, or drew, so many cards of a kind face down."""

    seat: str
    kind: CardKind
    count: int


@dataclass(frozen=True, slots=True)
class CardsPassed:
    """In a draft a seat handed so many cards on, face down."""

    seat: str
    to: str
    kind: CardKind
    count: int


@dataclass(frozen=True, slots=True)
class CardsKept:
    """A seat chose so many cards of a kind to use; the others are discarded face down."""

    seat: str
    kind: CardKind
    count: int


@dataclass(frozen=True, slots=True)
class OpponentChosen:
    """With three or more players: who duels with whom."""

    seat: str
    opponent: str


@dataclass(frozen=True, slots=True)
class CardsPlaced:
    """A seat laid its choice for the Duel face down: a Hero, and a Duel card or none."""

    seat: str
    hero: bool = True
    duel: bool = True


@dataclass(frozen=True, slots=True)
class HeroRevealed:
    """A seat's Hero lies open."""

    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class DuelCardRevealed:
    """A seat's Duel card lies open."""

    seat: str
    card: str


@dataclass(frozen=True, slots=True)
class CardDeclined:
    """A seat says that it doesn't play its card now."""

    seat: str


@dataclass(frozen=True, slots=True)
class EffectTold:
    """What a card did, told by a person: for cards that the deck's data doesn't know."""

    seat: str
    card: str
    outcomes: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class DieTaken:
    """A seat took a die of so many sides."""

    seat: str
    sides: int
    die: int = 0


@dataclass(frozen=True, slots=True)
class StonesCounted:
    """So many Hoshi Stones lie before a seat."""

    seat: str
    count: int


@dataclass(frozen=True, slots=True)
class PlayBegan:
    """Play begins or goes on."""

    at_us: int | None = None
    counted: bool = True
    """After a countdown from three to zero, which a Duel's beginning and the end of a timeout need."""


@dataclass(frozen=True, slots=True)
class DieRolled:
    """A die came to rest after a roll."""

    seat: str
    face: Face
    at_us: int | None = None
    """When it came to rest."""
    within_us: int = 0
    inside: bool | None = True
    """Whether it first touched the area inside the Arena; None where nobody could tell."""
    die: int = 0
    released_us: int | None = None
    """When it left the hand."""
    sides: int | None = None
    """Of the die that was rolled, where it was seen."""


@dataclass(frozen=True, slots=True)
class DiePickedUp:
    """A die was picked up: what it showed is gone."""

    seat: str
    at_us: int | None = None
    within_us: int = 0
    die: int = 0


@dataclass(frozen=True, slots=True)
class DiePutBack:
    """A die that was picked up was laid down again without a roll."""

    seat: str
    face: Face
    at_us: int | None = None
    die: int = 0


@dataclass(frozen=True, slots=True)
class DieFell:
    """A die fell off the playing surface."""

    seat: str
    at_us: int | None = None
    die: int = 0


@dataclass(frozen=True, slots=True)
class SwingMissed:
    """A seat reached for the other's hand and touched nothing, or something else than a hand."""

    seat: str
    at_us: int | None = None


@dataclass(frozen=True, slots=True)
class HandRaised:
    """A seat pulled its hand up: the defensive position."""

    seat: str
    at_us: int | None = None


@dataclass(frozen=True, slots=True)
class HandLowered:
    """A seat left the defensive position."""

    seat: str
    at_us: int | None = None


@dataclass(frozen=True, slots=True)
class HandsTouched:
    """The playing hands touched: one closure, whoever closed it."""

    by: tuple[str, ...]
    """The seats whose hand moved into the other: one, both, or none where it can't be told."""
    at_us: int | None = None
    within_us: int = 0
    where: Where = Where.HAND
    doubt: Doubt = Doubt.NONE
    """Any makes the touch too close to tell."""


class Ruling(StrEnum):
    """How a referee can settle a touch."""

    HIT = "hit"
    """`seat` hit the other."""
    BLUFF = "bluff"
    """`seat` touched without a symbol."""
    SPECIAL = "special"
    """`seat` touched with a symbol that a card gives a meaning of its own."""
    DRAW = "draw"
    MISS = "miss"
    """Nothing happened; the round goes on."""


@dataclass(frozen=True, slots=True)
class TouchRuled:
    """A referee settles the last touch, whatever the rules made of it."""

    ruling: Ruling
    seat: str | None = None


@dataclass(frozen=True, slots=True)
class ActAttested:
    """A person says whether a seat did what a card asks of its hit: yelled, covered an eye."""

    seat: str
    act: str
    done: bool


@dataclass(frozen=True, slots=True)
class SaveRolled:
    """A seat that was hit rolled for a card that may cancel the hit."""

    seat: str
    face: Face
    sides: int | None = None


@dataclass(frozen=True, slots=True)
class TimeoutCalled:
    """A seat asked for a timeout."""

    seat: str
    at_us: int | None = None


@dataclass(frozen=True, slots=True)
class HeroExiled:
    """A seat's defeated Hero was taken from the table: the last chance to play a card for it is over."""

    seat: str


@dataclass(frozen=True, slots=True)
class FoulSeen:
    """Somebody saw what the rules forbid: a person, or of a pushed die a camera."""

    seat: str
    foul: Foul
    at_us: int | None = None


Fact = (
    DeckBrought
    | CardsDealt
    | CardsPassed
    | CardsKept
    | OpponentChosen
    | CardsPlaced
    | HeroRevealed
    | DuelCardRevealed
    | CardDeclined
    | EffectTold
    | DieTaken
    | StonesCounted
    | PlayBegan
    | DieRolled
    | DiePickedUp
    | DiePutBack
    | DieFell
    | SwingMissed
    | HandRaised
    | HandLowered
    | HandsTouched
    | TouchRuled
    | ActAttested
    | SaveRolled
    | TimeoutCalled
    | HeroExiled
    | FoulSeen
)
"""Everything that can happen, as the rules take it in."""

FACTS: dict[str, type[Fact]] = {
    "deck-brought": DeckBrought,
    "cards-dealt": CardsDealt,
    "cards-passed": CardsPassed,
    "cards-kept": CardsKept,
    "opponent-chosen": OpponentChosen,
    "cards-placed": CardsPlaced,
    "hero-revealed": HeroRevealed,
    "duel-card-revealed": DuelCardRevealed,
    "card-declined": CardDeclined,
    "effect-told": EffectTold,
    "die-taken": DieTaken,
    "stones-counted": StonesCounted,
    "play-began": PlayBegan,
    "die-rolled": DieRolled,
    "die-picked-up": DiePickedUp,
    "die-put-back": DiePutBack,
    "die-fell": DieFell,
    "swing-missed": SwingMissed,
    "hand-raised": HandRaised,
    "hand-lowered": HandLowered,
    "hands-touched": HandsTouched,
    "touch-ruled": TouchRuled,
    "act-attested": ActAttested,
    "save-rolled": SaveRolled,
    "timeout-called": TimeoutCalled,
    "hero-exiled": HeroExiled,
    "foul-seen": FoulSeen,
}
"""Kind, as a journal writes it, to class."""

KINDS: dict[type[Fact], str] = {fact: kind for kind, fact in FACTS.items()}
"""The reverse of `FACTS`."""
