"""Hoshizora as the adjudicator handles it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from calibration.zones import Layout
from companion.adjudicator.hoshizora.resolver import HoshizoraResolver
from companion.adjudicator.hoshizora.table import STARS
from companion.adjudicator.hoshizora.view import card_name, hoshizora_view
from companion.adjudicator.kit import FactCodec
from companion.errors import BadInputError
from companion.rules.cards import CardData
from companion.rules.hoshizora import RULES, HoshizoraCard, HoshizoraSettings, HoshizoraSetup, HoshizoraState, Phase
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
    StarMoved,
)
from companion.rules.hoshizora.setup import SEATS, cards_of
from companion.rules.settings import settings_from

Json = Any


class _Start(msgspec.Struct, frozen=True):
    """What a game-started event holds of Hoshizora; its further keys are the session's."""

    seats: tuple[str, str, str]
    lead: str
    cards: dict[str, HoshizoraCard]
    settings: HoshizoraSettings


class HoshizoraKit:
    """See companion.adjudicator.kit.Kit."""

    game = "hoshizora"
    title = "Hoshizora"
    rules = RULES
    facts: FactCodec[Fact] = FactCodec(FACTS)

    def setup(
        self, seats: Sequence[str], lead: str, cards: Mapping[str, CardData], settings: Mapping[str, Json]
    ) -> HoshizoraSetup:
        """Raises BadInputError for a wrong number of players, or a setting that is not there or can't be so."""
        if len(seats) != SEATS:
            raise BadInputError(f"Hoshizora is for three players, not {len(seats)} ({', '.join(seats)})")
        first, second, third = seats
        try:
            chosen = settings_from(HoshizoraSettings, settings)
            return HoshizoraSetup((first, second, third), lead, cards_of(cards), chosen)
        except ValueError as error:
            raise BadInputError(f"this game of Hoshizora can't be: {error}") from None

    def setup_json(self, setup: HoshizoraSetup) -> dict[str, Json]:
        """Seats, lead, cards and every setting."""
        return {
            "seats": list(setup.seats),
            "lead": setup.lead,
            "cards": {card: msgspec.to_builtins(data) for card, data in setup.cards.items()},
            "settings": msgspec.to_builtins(setup.settings),
        }

    def setup_of(self, payload: Mapping[str, Json]) -> HoshizoraSetup:
        """Raises BadInputError naming the field that doesn't fit."""
        try:
            start = msgspec.convert(dict(payload), _Start)
            return HoshizoraSetup(start.seats, start.lead, start.cards, start.settings)
        except (msgspec.ValidationError, ValueError) as error:
            raise BadInputError(f"the game's start doesn't hold together: {error}") from None

    def resolver(self, setup: HoshizoraSetup, layout: Layout) -> HoshizoraResolver:
        """What turns settled pictures into facts."""
        return HoshizoraResolver(setup, layout)

    def announcements(self, before: HoshizoraState, after: HoshizoraState) -> list[dict[str, Json]]:
        """A `trick` for each that is done since, and the `outcome` when it is there."""
        due: list[dict[str, Json]] = [
            {
                "event": "trick",
                "trick": record.number,
                "lead": record.lead,
                "played": dict(record.played),
                "majority": record.majority,
                "winner": record.winner,
                "drawn": [line_json(line) for line in record.drawn],
                "erased": [line_json(line) for line in record.erased],
                "points": record.points,
            }
            for record in after.done[len(before.done) :]
        ]
        outcome = RULES.outcome(after)
        if outcome is not None and outcome != RULES.outcome(before):
            due.append(
                {
                    "event": "outcome",
                    "winners": list(outcome.winners),
                    "decided_by": outcome.decided_by,
                    "points": outcome.points,
                    "bids": dict(outcome.bids),
                }
            )
        return due

    def check_told(self, state: HoshizoraState, fact: Fact) -> None:
        """Raises BadInputError for an unknown seat, card or star, and for an end or a bid before its time."""
        seat, card = getattr(fact, "seat", None), getattr(fact, "card", None)
        if seat is not None and seat not in state.setup.seats:
            raise BadInputError(f"{seat} is none of the players {', '.join(state.setup.seats)}")
        if card is not None and card not in state.setup.cards:
            raise BadInputError(f"{card} is no card of this deck")
        match fact:
            case LineDrawn() as line:
                check_line(line.a, line.b)
            case LinesErased(lines=lines):
                if not lines:
                    raise BadInputError("no line was named; say which were wiped off")
                for erased in lines:
                    check_line(erased.a, erased.b)
            case DrawingEnded() if state.phase is not Phase.DRAW:
                raise BadInputError("nobody is drawing now: a drawing ends after all three cards are open")
            case BidRevealed() if state.phase not in (Phase.BID, Phase.OVER):
                raise BadInputError("bids are shown after the seventh trick")
            case _:
                pass

    def describe(self, fact: Fact) -> str:
        """A few words for the history."""
        match fact:
            case BoardSet():
                return "stars placed"
            case CardLaid(seat=seat):
                return f"{seat} laid a card"
            case ColourStated(seat=seat, colour=colour):
                return f"{seat} said {colour}"
            case CardRevealed(seat=seat, card=card):
                return f"{seat} played {card_name(card)}"
            case LineDrawn(a=a, b=b, colour=colour):
                return f"{colour} line {a}–{b} drawn"
            case LinesErased(lines=lines):
                return "wiped off: " + ", ".join(f"{line.colour} {line.a}–{line.b}" for line in lines)
            case StarMoved(star=star):
                return f"star {star.n} moved"
            case DrawingEnded():
                return "drawing ended"
            case BidRevealed(seat=seat, card=card):
                return f"{seat} bids with {card_name(card)}"

    def view(self, state: HoshizoraState) -> dict[str, Json]:
        """The page's part."""
        return hoshizora_view(state)


def check_line(a: int, b: int) -> None:
    """Raises BadInputError for a line that can't be."""
    if not 1 <= a < b <= STARS:
        raise BadInputError(f"no line can join stars {a} and {b}: name two of 1 to {STARS}, the smaller first")


def line_json(line: Line) -> dict[str, Json]:
    """A line as the contract writes it."""
    return {"a": line.a, "b": line.b, "colour": line.colour.value}
