"""Hoshizora as the adjudicator handles it."""

from __future__ import annotations

from calibration.zones import Layout, seat_letter
from companion.adjudicator.hoshizora.resolver import HoshizoraResolver
from companion.adjudicator.hoshizora.view import hoshizora_view
from companion.adjudicator.kit import Tap, since
from companion.games.codec import Json
from companion.games.hoshizora import BOOK
from companion.rules.hoshizora import HoshizoraSetup, HoshizoraState
from companion.rules.hoshizora.facts import (
    BidRevealed,
    BoardSet,
    CardLaid,
    CardRevealed,
    ColourStated,
    DrawingEnded,
    Fact,
    Line,
    LineDrawn,
    LinesErased,
    StarMoved,
)
from companion.rules.hoshizora.state import TrickRecord


class HoshizoraKit:
    """See companion.adjudicator.kit.Kit."""

    book = BOOK
    has_board = True

    def resolver(self, setup: HoshizoraSetup, layout: Layout) -> HoshizoraResolver:
        """What turns settled pictures into facts."""
        return HoshizoraResolver(setup, layout)

    def announcements(self, before: HoshizoraState, after: HoshizoraState) -> list[dict[str, Json]]:
        """A `trick` for each that is done since."""
        return since(before.done, after.done, "trick", _trick)

    def describe(self, fact: Fact, setup: HoshizoraSetup) -> str:
        """A few words for the history."""
        match fact:
            case BoardSet():
                return "stars placed"
            case CardLaid(seat=seat):
                return f"{seat} laid a card"
            case ColourStated(seat=seat, colour=colour):
                return f"{seat} said {colour}"
            case CardRevealed(seat=seat, card=card):
                return f"{seat} played {setup.named(card)}"
            case LineDrawn(a=a, b=b, colour=colour):
                return f"{colour} line {a}–{b} drawn"
            case LinesErased(lines=lines):
                return "wiped off: " + ", ".join(f"{line.colour} {line.a}–{line.b}" for line in lines)
            case StarMoved(star=star):
                return f"star {star.n} moved"
            case DrawingEnded():
                return "drawing ended"
            case BidRevealed(seat=seat, card=card):
                return f"{seat} bids with {setup.named(card)}"

    def view(self, state: HoshizoraState) -> dict[str, Json]:
        """The page's part."""
        return hoshizora_view(state)

    def taps(self, _state: HoshizoraState) -> tuple[Tap, ...]:
        """Nothing: all that counts can be seen."""
        return ()

    def zones(self, seats: int) -> tuple[str, ...]:
        """A play spot a seat; where the board lies is found without a zone."""
        return tuple(f"play.{seat_letter(seat)}" for seat in range(seats))


def _trick(record: TrickRecord) -> dict[str, Json]:
    return {
        "trick": record.number,
        "lead": record.lead,
        "played": dict(record.played),
        "majority": record.majority,
        "winner": record.winner,
        "drawn": [line_json(line) for line in record.drawn],
        "erased": [line_json(line) for line in record.erased],
        "points": record.points,
    }


def line_json(line: Line) -> dict[str, Json]:
    """A line as the contract writes it."""
    return {"a": line.a, "b": line.b, "colour": line.colour.value}
