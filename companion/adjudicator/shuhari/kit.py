"""Shuhari as the adjudicator handles it."""

from __future__ import annotations

from collections.abc import Iterator

from calibration.zones import Layout
from companion.adjudicator.kit import Tap, since
from companion.adjudicator.shuhari.resolver import ShuhariResolver
from companion.adjudicator.shuhari.table import DECK, PILE, ROW
from companion.adjudicator.shuhari.view import shuhari_view
from companion.games.codec import Json
from companion.games.shuhari import BOOK
from companion.rules.shuhari import ShuhariSetup, ShuhariState
from companion.rules.shuhari.aids import pile_size, takes
from companion.rules.shuhari.facts import (
    CardDrawn,
    CardPlayed,
    CardShown,
    CardTaken,
    ChartMarked,
    DeckRenewed,
    DeckSearched,
    Fact,
    HandPutAway,
    Play,
    PlayDeclared,
    StageShown,
    TrickCleared,
)
from companion.rules.shuhari.setup import LOOK
from companion.rules.shuhari.state import Due, Phase, TrickRecord


class ShuhariKit:
    """See companion.adjudicator.kit.Kit."""

    book = BOOK
    has_board = False

    def resolver(self, setup: ShuhariSetup, layout: Layout) -> ShuhariResolver:
        """What turns settled pictures into facts."""
        return ShuhariResolver(setup, layout)

    def announcements(self, before: ShuhariState, after: ShuhariState) -> list[dict[str, Json]]:
        """A `trick` for each that is done since."""
        return since(before.done, after.done, "trick", _trick)

    def describe(self, fact: Fact, setup: ShuhariSetup) -> str:
        """A few words for the history."""
        match fact:
            case CardPlayed(seat=seat, card=card, declared=declared):
                return f"{seat} played {setup.named(card)}{_as(declared)}"
            case PlayDeclared(seat=seat, play=play):
                return f"{seat}'s last card is a {play}"
            case StageShown(stage=stage):
                return f"stage card: {stage}"
            case CardDrawn(seat=seat):
                return f"{seat} drew a card"
            case DeckSearched(seat=seat, looked=looked):
                return f"{seat} looked at {looked} cards and kept one"
            case CardTaken(seat=seat, card=card):
                return f"{seat} took {setup.named(card)} back"
            case CardShown(seat=seat, card=card):
                return f"{seat} showed {setup.named(card)}"
            case HandPutAway(seat=seat, cards=cards):
                return f"{seat} put away {len(cards)} cards without an art"
            case ChartMarked(seat=seat, art=art, stage=stage):
                return f"{seat} wrote down {art}, {stage}"
            case DeckRenewed() | TrickCleared():
                return _SAID[type(fact)]

    def view(self, state: ShuhariState) -> dict[str, Json]:
        """The page's part."""
        return shuhari_view(state)

    def taps(self, state: ShuhariState) -> tuple[Tap, ...]:
        """Draws, searches and what a Review card takes back: hands are hidden, and a pile shows its top card only."""
        facts = self.book.facts
        return tuple(Tap(label, facts.to_json(fact)) for label, fact in _due(state)) + _hand_put_away(state)

    def zones(self, _seats: int) -> tuple[str, ...]:
        """The row and the two piles."""
        return (ROW, DECK, PILE)


def _trick(record: TrickRecord) -> dict[str, Json]:
    return {
        "trick": record.number,
        "lead": record.lead,
        "art": record.art,
        "played": [
            {"seat": seat, "card": card, "play": play.value if play is not None else None}
            for seat, card, play in record.played
        ],
        "stage": record.stage.value,
        "learned": [{"stage": stage.value, "seat": seat, "new": new} for stage, seat, new in record.learned],
        "points": dict(record.points),
    }


_SAID = {DeckRenewed: "the discard pile became the deck", TrickCleared: "trick cleared"}


def _as(declared: Play | None) -> str:
    match declared:
        case Play.REST:
            return ", a rest"
        case Play.BREAK:
            return ", breaking the mold"
        case _:
            return ""


def _due(state: ShuhariState) -> Iterator[tuple[str, Fact]]:
    trick, pool, seat = state.trick, state.pool, state.turn
    if trick.cards and trick.cards[-1].play is None:
        last = state.setup.seats[trick.cards[-1].place]
        yield f"{last} rests", PlayDeclared(last, Play.REST)
        yield f"{last} breaks the mold", PlayDeclared(last, Play.BREAK)
    if state.phase is not Phase.REFILL:
        return
    match trick.due:
        case Due.TAKE:
            for card in takes(state):
                yield f"{seat} took {state.setup.named(card)}", CardTaken(seat, card)
        case Due.SEARCH if pool.deck:
            looked = min(LOOK, pool.deck)
            yield f"{seat} looked at {looked} and kept one", DeckSearched(seat, looked)
        case _ if pool.deck:
            yield f"{seat} drew a card", CardDrawn(seat)
        case _:
            pass
    if pool.deck < LOOK and pile_size(pool) and trick.due is not Due.TAKE:
        yield "The discard pile was shuffled", DeckRenewed()


def _hand_put_away(state: ShuhariState) -> tuple[Tap, ...]:
    """A leader without an art card shows the hand: the page asks for its cards."""
    if state.phase is not Phase.PLAY or state.trick.cards:
        return ()
    seat = state.turn
    return (Tap(f"{seat} has no art card", {"fact": "hand-put-away", "seat": seat}, whole=False),)
