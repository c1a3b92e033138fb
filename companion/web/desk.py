"""What the page needs of the adjudicator, and the shape of the view that it shows.

The view is plain JSON, made by the desk and read by the page's scripts. Fields that a desk does not know are left out or
None; the page shows what is there. `View` and its parts below are the contract's text: a desk may return any mapping that
has these keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from companion.games.steps import RuleFinding, RuleGame

Act = Mapping[str, Any]
"""A fact as JSON: "fact" names it ("card-revealed"), the other keys are its fields, as {"fact": "card-revealed", "seat": "A",
"card": "red-07"}. Which ones the page can tell of a game stands in static/js/<game>.js."""


class Card(TypedDict):
    """A card as the page draws it."""

    id: str
    colour: str
    number: int
    label: str
    size: str
    """"S" or "L"."""
    bid: NotRequired[int | None]


class Seat(TypedDict):
    """A player's place, in clockwise order."""

    name: str
    role: Literal["lead", "draw"] | None
    turn: bool
    tricks_won: int
    hand_left: int
    laid: Literal["up", "down"] | None
    """How the card of the current trick lies."""
    card: Card | None
    bid: int | None
    """Printed on the last card, once it lies open."""


class ExpectationView(TypedDict):
    """Who may or must do what now."""

    who: str | None
    act: str
    text: str
    rule: str
    must: bool
    options: list[str]


class StarView(TypedDict):
    """A star, mm from the board's top left corner."""

    n: int
    x: float
    y: float
    square: int


class LineView(TypedDict):
    """A line on the board, a < b."""

    a: int
    b: int
    colour: str
    trick: NotRequired[int | None]


class CrossingView(TypedDict):
    """A point where two lines of one colour cross, mm from the board's top left corner."""

    x: float
    y: float
    colour: str


class Board(TypedDict):
    """The star map."""

    side_mm: float
    dark: bool
    stars: list[StarView]
    lines: list[LineView]
    crossings: list[CrossingView]
    drawable: list[LineView]
    """Lines that may be drawn now; empty while nobody draws."""
    by_colour: dict[str, int]


class TrickView(TypedDict):
    """A trick that is over."""

    trick: int
    lead: str
    played: dict[str, Card]
    majority: str | None
    winner: str | None
    drawn: list[LineView]
    erased: NotRequired[list[LineView]]
    points: int


class RulingView(TypedDict):
    """A referee's word on a finding."""

    verdict: Literal["upheld", "dismissed"]
    by: str
    text: str


class FindingView(TypedDict):
    """What the judge found. `withdrawn` where a correction took it back."""

    id: str
    level: Literal["illegal", "proved", "suspect", "note"]
    rule: str
    text: str
    player: str | None
    trick: int | None
    proved_at: int | None
    evidence: list[str]
    withdrawn: bool
    life: NotRequired[Literal["correctable", "established", "ruled", "put right", "withdrawn"]]
    penalty: NotRequired[str]
    """What it costs by house rule or ruling; empty where it is only reported."""
    ruling: NotRequired[RulingView | None]


class OptionView(TypedDict):
    """An answer to tap."""

    id: str
    label: str
    picture: NotRequired[str | None]
    """Address of the scan of the card that this answer names, to be held against the question's pictures."""


class QuestionView(TypedDict):
    """A question that waits for a person."""

    id: str
    text: str
    detail: NotRequired[str]
    options: list[OptionView]
    pictures: list[str]
    """Addresses on this service: "/question/<id>/0.png" and so on."""


class SourceView(TypedDict):
    """What a camera or another sensor is doing."""

    name: str
    state: Literal["settled", "moving", "covered", "lost", "ended", "ready", "waiting", "gap", "stepped"]
    """A camera's; "lost" of pad and panel too, which are "ready" otherwise, and the pad "waiting" while it is looked for and
    "gap" after something may have been missed. "stepped": of a clock that was set."""
    text: str


class OutcomeView(TypedDict):
    """How the game ended."""

    winners: list[str]
    decided_by: str
    points: int
    bids: dict[str, int]


class HistoryView(TypedDict):
    """A line of the journal for people, oldest first."""

    seq: int
    t_text: str
    text: str
    kind: str
    undoable: bool
    undone: bool
    act: NotRequired[Act | None]
    """The fact, where it can be corrected."""


class TapView(TypedDict):
    """An act that no camera sees and that is due now: one tap tells it."""

    label: str
    act: Act
    whole: bool
    """False where the page has to ask for what the act lacks."""


class PromptView(TypedDict):
    """Advice, or a difference between the table and the record."""

    text: str


class ArtCard(TypedDict):
    """A card of Shuhari as the page draws it."""

    id: str
    kind: Literal["art", "preparation", "review", ""]
    rank: int
    suits: list[str]
    """Obey, Detach, Separate; empty where it is no art card."""
    label: str


class RowCardView(TypedDict):
    """A card of Shuhari's row, in the order of play."""

    seat: str
    card: ArtCard
    play: Literal["lead", "practice", "rest", "break", "aid", "void"] | None
    play_text: str
    stage: Literal["obey", "detach", "separate"]
    """In which it counts, that which it opened for a break."""
    sideways: bool
    opens: bool
    learns: bool
    """It is the one that learns its stage, once the trick is complete."""


class ChartCellView(TypedDict):
    """What a seat has learned of an art."""

    seat: str
    stages: list[str]
    fresh: list[str]
    """Those of this trick."""
    points: int


class ChartLineView(TypedDict):
    """An art of the mastery chart."""

    art: str
    mastered: bool
    seats: list[ChartCellView]


class ShuhariView(TypedDict):
    """What a view of Shuhari has beside what is the same for every game; its seats have points, hand_left, known and mastered."""

    phase: Literal["play", "refill", "clear", "over"]
    art: str | None
    stage: str
    row: list[RowCardView]
    row_length: int
    chart: list[ChartLineView]
    trick_points: dict[str, int]
    deck: int
    pile: dict[str, Any]
    """"size" and "cards", which all have seen."""


class StarCard(TypedDict):
    """A star of Ahuha Ahukaha as the page draws it; one that is not in the deck has no number and no attributes."""

    id: str
    label: str
    number: int | None
    two_point: bool
    effect: str
    """Its name."""
    arika: str | None
    kesiki: str | None
    sugata: str | None


class OnFieldView(TypedDict):
    """A seat's card of the round."""

    seat: str
    lies: Literal["empty", "down", "up", "home"]
    card: StarCard | None
    active: bool


class PairingView(TypedDict):
    """Two open cards of the round."""

    seats: list[str]
    cards: list[str]
    shared: list[str]
    """Attributes that they have in common."""
    meet: bool
    """They have to meet now."""
    met: bool
    overlooked: bool


class AhuhaView(TypedDict):
    """What a view of Ahuha Ahukaha has beside what is the same for every game.

    Its seats have points, wins, hand_left, asita, bonus and home: cards with how each lies, what it counts, whether it ought to
    lie otherwise, and whom it met. Its tricks are rounds.
    """

    phase: Literal["deal", "lay", "reveal", "effect", "hosiahi", "count", "over"]
    series: int
    round: int
    tanabata: bool
    cooperative: bool
    field: list[OnFieldView]
    pairings: list[PairingView]
    effect: dict[str, Any] | None
    """Of the card whose turn it is: "card", "seat", "title", "kind", "of", and "waits" while it has to be told."""
    frozen: list[dict[str, Any]]
    """Between which seats, and "there", "taken", "played" or "none"."""
    series_done: list[dict[str, Any]]
    attributes: dict[str, list[str]]


class HoshiBattleView(TypedDict):
    """What a view of Hoshi Battle has beside what is the same for every game; its seats have heroes_left, exiled, aside, duels.
    Its tricks are Duels that are over. Of a live duel the state is ahead of the record while a round goes on.
    """

    phase: Literal["deal", "opponent", "place", "reveal", "ready", "rolling", "hit", "round-end", "round-start", "over"]
    duel: dict[str, Any] | None
    """"number", "round", "rolling", "timeout" (who called it), "waits_for" (what a hit asks for), "claims", and "fighters": each
    with hero, card, stones, dice, and "rolls" with face, what it counts as, and how it stands: "hand", "alive", "open" where its
    face or side is not known yet, "spent", "lost", "outside", "blank"."""
    effects: list[dict[str, str]]
    """In force, the last played first: "card", "owner", "text", "lasts"."""
    touches: list[dict[str, Any]]
    """The newest first, each as the contract's event of it, with "answer", what a referee said."""
    waiting: list[dict[str, Any]]
    """Touches that are not ruled yet: "at_us", "why"."""
    sensors: list[str]
    """What the table has: "pad", "dice", "hands"."""
    clips: NotRequired[list[dict[str, Any]]]
    """Touches of which there are pictures: "key" and "count". "/clip/<key>/frames.json" has their times, microseconds from the
    touch; a frame is "/clip/<key>/<n>.jpg", those about the touch as one picture "/clip/<key>/strip.jpg"."""


class View(TypedDict):
    """Everything that the page shows at one version. Board, stated and majority are Hoshizora's, as are its seats and tricks."""

    version: int
    game: str
    title: str
    game_id: str
    seats: list[Seat]
    phase: Literal["setup", "lay", "reveal", "draw", "bid", "over"]
    trick: int
    tricks_total: int
    progress: NotRequired[str]
    """Where the game is, in words; by trick unless it is told."""
    turn_word: NotRequired[str]
    """What a trick is called: "round"."""
    past_title: NotRequired[str]
    """Heading of what is over: "Rounds"."""
    headline: str
    stated: NotRequired[str | None]
    """The colour that the lead stated, or the revealed lead card's."""
    majority: NotRequired[str | None]
    """The current trick's, once it is known."""
    expectations: list[ExpectationView]
    board: Board | None
    points: int
    tricks: list[TrickView]
    findings: list[FindingView]
    questions: list[QuestionView]
    prompts: list[PromptView]
    taps: NotRequired[list[TapView]]
    sources: list[SourceView]
    outcome: OutcomeView | None
    points_off: NotRequired[dict[str, int]]
    """Points that penalties take, by seat."""
    history: list[HistoryView]
    worlds: str | None
    """How many hands are still possible, exactly, as text."""
    cards: NotRequired[list[Card]]
    """The whole deck, for telling a card by hand."""


class Desk(Protocol):
    """The adjudicator as the page sees it. Every method may be called from any thread.

    The methods that act return once what they say is committed to the journal, and raise BadInputError with one line for
    people where it can't be done; then nothing has changed.
    """

    def view(self) -> Mapping[str, Any]:
        """The newest view (see `View`), JSON-able. Changes nothing."""

    def wait(self, after_version: int, timeout_s: float) -> int:
        """The current version; blocks until it is above `after_version` or the time is up. 0 seconds: at once."""

    def answer(self, question_id: str, option_id: str, who: str) -> None:
        """Answers a pending question."""

    def undo(self, seq: int | None, who: str, *, as_play: bool = False) -> None:
        """Takes back an event by its sequence number; None for the last that can be. `as_play` where a player took it back."""

    def tell(self, act: Act, who: str) -> None:
        """Records what a person says happened at the table."""

    def correct(self, seq: int, act: Act, who: str) -> None:
        """Puts another fact in the place of an event."""

    def rule(self, ruling: RuleFinding | RuleGame) -> None:
        """A referee rules on a finding, by its id's number, or says who has won."""

    def card_picture(self, card_id: str) -> bytes | None:
        """A card's scan, a PNG or JPEG, or None."""

    def question_picture(self, question_id: str, index: int) -> bytes | None:
        """A picture that belongs to a question, 0-based, as PNG, or None."""
