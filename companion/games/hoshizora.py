"""Hoshizora as it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.errors import BadInputError
from companion.games.book import Book
from companion.games.codec import FactCodec
from companion.games.phrases import Nested, Phrase
from companion.games.words import Many
from companion.rules.cards import CardData
from companion.rules.hoshizora import RULES, HoshizoraSettings, HoshizoraSetup, HoshizoraState, Phase
from companion.rules.hoshizora.facts import (
    FACTS,
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
    Star,
    StarMoved,
)
from companion.rules.hoshizora.setup import SEATS, TRICKS, cards_of

STARS = 12
_LINE = Nested(Phrase(Line, ("{a}-{b} {colour}", "{colour} {a}-{b}")))
_STAR = Nested(Phrase(Star, ("{n} at {x_mm} {y_mm} [in square {square}]",)))
PHRASES = (
    Phrase(BoardSet, ("stars {stars}",), {"stars": Many(_STAR)}),
    Phrase(CardLaid, ("{seat} lays|lay|laid (a card) [in look {look}]",)),
    Phrase(ColourStated, ("{seat} says|say|said|states|stated|calls {colour}",)),
    Phrase(CardRevealed, ("{seat} plays|play|played|reveals|revealed|turns {card}",)),
    Phrase(LineDrawn, ("line {a}-{b} {colour}", "{colour} line {a}-{b}", "draws|drew {a}-{b} {colour}")),
    Phrase(LinesErased, ("erased|erases|wiped {lines}",), {"lines": Many(_LINE)}),
    Phrase(StarMoved, ("moved|moves star {star}",), {"star": _STAR}),
    Phrase(DrawingEnded, ("drawing ends|ended|done",)),
    Phrase(BidRevealed, ("{seat} bids|bid (with) {card}",)),
)


def _build(
    seats: Sequence[str], lead: str, cards: Mapping[str, CardData], settings: HoshizoraSettings
) -> HoshizoraSetup:
    if len(seats) != SEATS:
        raise ValueError(f"it is for three players, not {len(seats)} ({', '.join(seats)})")
    first, second, third = seats
    return HoshizoraSetup((first, second, third), lead, cards_of(cards), settings)


def _check(state: HoshizoraState, fact: Any) -> None:
    """Raises BadInputError for lines that can't be, and for an end or a bid before its time."""
    match fact:
        case LineDrawn() as line:
            _check_line(line.a, line.b)
        case LinesErased(lines=lines):
            if not lines:
                raise BadInputError("no line was named; say which were wiped off")
            for erased in lines:
                _check_line(erased.a, erased.b)
        case DrawingEnded() if state.phase is not Phase.DRAW:
            raise BadInputError("nobody is drawing now: a drawing ends after all three cards are open")
        case BidRevealed() if len(state.done) < TRICKS - 1:
            raise BadInputError("bids are shown after the seventh trick")  # in it the last card can be shown, too early
        case _:
            pass


def _check_line(a: int, b: int) -> None:
    if not 1 <= a < b <= STARS:
        raise BadInputError(f"no line can join stars {a} and {b}: name two of 1 to {STARS}, the smaller first")


def _heading(state: HoshizoraState) -> str:
    if state.board is None:
        return "Preparation"
    return f"Trick {state.trick.number}" if len(state.done) < TRICKS else "Bids"


BOOK: Book[HoshizoraSetup, HoshizoraState, Fact, HoshizoraSettings] = Book(
    game="hoshizora",
    title="Hoshizora",
    rules=RULES,
    facts=FactCodec(FACTS),
    settings=HoshizoraSettings,
    phrases=PHRASES,
    build=_build,
    check=_check,
    heading=_heading,
)
