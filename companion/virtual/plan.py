"""A script of facts as the handful of things that hands do: per trick cards laid and turned, lines wiped and drawn."""

from __future__ import annotations

from dataclasses import dataclass, field

from companion.rules.hoshizora.drawing import drawable
from companion.rules.hoshizora.facts import (
    BidRevealed,
    CardLaid,
    CardRevealed,
    ColourStated,
    DrawingEnded,
    Fact,
    Line,
    LineDrawn,
    LinesErased,
)
from companion.rules.hoshizora.fold import apply, start
from companion.rules.hoshizora.setup import TRICKS
from companion.virtual.players import GameScript


@dataclass(frozen=True, slots=True)
class Aside:
    """What players say while a trick's cards are laid: a colour, and what was done against the rules unseen."""

    laid: int
    """So many of the trick's cards lie by then."""
    fact: ColourStated | CardLaid | CardRevealed | BidRevealed

    @property
    def is_noticed(self) -> bool:
        """Whether play stops for it; a colour is said in passing."""
        return not isinstance(self.fact, ColourStated)


@dataclass(frozen=True, slots=True)
class TrickPlan:
    """What happens on the table in one trick."""

    number: int
    """1 to 7."""
    played: tuple[tuple[str, str], ...]
    """Seat and card, in turn."""
    drawer: str
    """Whose hand draws and takes the cards away; the leader's where nobody won."""
    changes: tuple[LineDrawn | LinesErased, ...]
    """Lines drawn and lines wiped, in order."""
    asides: tuple[Aside, ...] = ()
    is_misdrawn: bool = False
    """A line was drawn that the trick doesn't call for."""
    is_called_off: bool = False
    """A further line could be drawn, and the players say that the drawing is over: nobody can see it, and the colour said next
    belongs to the next trick."""

    @property
    def steps(self) -> tuple[tuple[int, tuple[Aside, ...]], ...]:
        """At how many cards play stops, the last time at all, and what is said then."""
        stops = sorted({aside.laid for aside in self.asides if aside.is_noticed} | {len(self.played)})
        before = (0, *stops)
        return tuple(
            (stop, tuple(aside for aside in self.asides if last < aside.laid <= stop))
            for last, stop in zip(before, stops, strict=False)
        )


@dataclass(slots=True)
class _Trick:
    """A trick in the telling."""

    laid: list[str] = field(default_factory=list)
    cards: dict[str, str] = field(default_factory=dict)
    changes: list[LineDrawn | LinesErased] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)

    def say(self, fact: ColourStated | CardLaid | CardRevealed | BidRevealed) -> None:
        self.asides.append(Aside(len(self.laid), fact))

    def take(self, fact: Fact, players: int) -> None:
        """A fact before the drawing's end."""
        match fact:
            case CardLaid(seat) if seat in self.laid:
                self.say(CardLaid(seat))
            case CardLaid(seat):
                self.laid.append(seat)
            case ColourStated() | BidRevealed() as said:
                self.say(said)
            case CardRevealed(seat, card) as shown:
                self.cards[seat] = card
                if len(self.laid) < players:
                    self.say(shown)
            case LineDrawn() | LinesErased() as change:
                self.changes.append(change)
            case _:
                pass


def tricks_of(script: GameScript) -> tuple[TrickPlan, ...]:
    """The script's tricks in order."""
    plans = []
    misdrawn = {wrong.trick for wrong in script.wrongs if wrong.kind == "wrong_line"}
    is_spoken = any(isinstance(fact, ColourStated) for fact in script.facts)
    trick, players = _Trick(), len(script.setup.seats)
    after = start(script.setup)
    for act in script.acts:
        if act.trick > TRICKS:
            break
        state, after = after, apply(after, act.fact)
        if not isinstance(act.fact, DrawingEnded):
            trick.take(act.fact, players)
            continue
        played = tuple((seat, trick.cards[seat]) for seat in trick.laid)
        drawer = act.seat if act.seat is not None else trick.laid[0]
        changes, asides = tuple(trick.changes), tuple(trick.asides)
        is_called_off = is_spoken and bool(drawable(state))
        plans.append(TrickPlan(act.trick, played, drawer, changes, asides, act.trick in misdrawn, is_called_off))
        trick = _Trick()
    return tuple(plans)


def bids_of(script: GameScript) -> tuple[tuple[str, str], ...]:
    """Seat and bid card, in the order in which they are shown."""
    return tuple((act.fact.seat, act.fact.card) for act in script.acts if isinstance(act.fact, BidRevealed))


def line_of(drawn: LineDrawn) -> Line:
    """The line that a fact tells of."""
    return Line(drawn.a, drawn.b, drawn.colour)
