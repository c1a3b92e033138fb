"""A script of facts as the handful of things that hands do: per trick cards laid and turned, lines wiped and drawn."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.hoshizora.facts import (
    BidRevealed,
    CardRevealed,
    DrawingEnded,
    Line,
    LineDrawn,
    LinesErased,
)
from companion.virtual.players import GameScript


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


def tricks_of(script: GameScript) -> tuple[TrickPlan, ...]:
    """The script's tricks in order."""
    plans = []
    played: list[tuple[str, str]] = []
    changes: list[LineDrawn | LinesErased] = []
    for act in script.acts:
        match act.fact:
            case CardRevealed(seat, card):
                played.append((seat, card))
            case LineDrawn() | LinesErased() as change:
                changes.append(change)
            case DrawingEnded():
                drawer = act.seat if act.seat is not None else played[0][0]
                plans.append(TrickPlan(act.trick, tuple(played), drawer, tuple(changes)))
                played, changes = [], []
            case _:
                pass
    return tuple(plans)


def bids_of(script: GameScript) -> tuple[tuple[str, str], ...]:
    """Seat and bid card, in the order in which they are shown."""
    return tuple((act.fact.seat, act.fact.card) for act in script.acts if isinstance(act.fact, BidRevealed))


def line_of(drawn: LineDrawn) -> Line:
    """The line that a fact tells of."""
    return Line(drawn.a, drawn.b, drawn.colour)
