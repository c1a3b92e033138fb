"""A Hoshizora state as the page shows it (companion/web/desk.py, `View`)."""

from __future__ import annotations

from typing import Any

from companion.rules.hoshizora import HoshizoraState, Phase, drawable, stated_colour, worlds
from companion.rules.hoshizora.facts import Colour, Line
from companion.rules.hoshizora.setup import TRICKS

Json = Any
BOARD_MM = 300.0
"""The board's side where the stars don't say more: they lie within it."""


def hoshizora_view(state: HoshizoraState) -> dict[str, Json]:
    """Seats, phase, headline, board, tricks and what is publicly known."""
    return {
        "seats": [_seat(state, seat, place) for place, seat in enumerate(state.setup.seats)],
        "phase": state.phase.value,
        "trick": min(state.trick.number, TRICKS),
        "tricks_total": TRICKS,
        "headline": headline(state),
        "stated": stated_colour(state),
        "majority": state.trick.majority,
        "board": _board(state),
        "points": state.points,
        "tricks": [
            {
                "trick": record.number,
                "lead": record.lead,
                "played": {seat: card_json(state, card) for seat, card in record.played.items()},
                "majority": record.majority,
                "winner": record.winner,
                "drawn": [_line(line, record.number) for line in record.drawn],
                "erased": [_line(line, record.number) for line in record.erased],
                "points": record.points,
            }
            for record in state.done
        ],
        "worlds": _worlds(state) if state.phase is not Phase.OVER else None,
        "cards": [card_json(state, card) for card in sorted(state.setup.cards)],
    }


def headline(state: HoshizoraState) -> str:
    """What happens now, in a few words that can be read across a room."""
    match state.phase:
        case Phase.SETUP:
            return "Place the twelve stars"
        case Phase.LAY:
            waiting = [seat for place, seat in enumerate(state.setup.seats) if not state.trick.laid >> place & 1]
            if len(waiting) == len(state.setup.seats):
                return f"{state.leader or 'The leader'} leads trick {state.trick.number}"
            return f"Waiting for {' and '.join(waiting)}"
        case Phase.REVEAL:
            return "Turn the cards"
        case Phase.DRAW:
            if state.trick.majority is None or state.drawer is None:
                return "The trick is not decided: check the cards"
            possible = drawable(state)
            return f"{state.drawer} draws {state.trick.majority}" if possible else f"{state.drawer} can't draw any more"
        case Phase.BID:
            return "Show your last cards: the bids"
        case Phase.OVER:
            return "The game is over"


def _worlds(state: HoshizoraState) -> str:
    """How many hands are still possible; where none is, what was claimed of them can't all be true."""
    count = worlds(state)
    return f"{count:,}" if count else "none: somebody can't have followed suit where they should have"


def card_json(state: HoshizoraState, card: str) -> dict[str, Json]:
    """A card as the page draws it; one that is not in the deck has only its id."""
    data = state.setup.cards.get(card)
    if data is None:
        return {"id": card, "colour": "", "number": 0, "label": card, "size": "", "bid": None}
    return {
        "id": card,
        "colour": data.colour.value,
        "number": data.number,
        "label": str(data.number),
        "size": "S" if data.is_small else "L",
        "bid": state.setup.bid_of(card),
    }


def _seat(state: HoshizoraState, seat: str, place: int) -> dict[str, Json]:
    trick = state.trick
    card = trick.cards[place]
    laid = "up" if card is not None else ("down" if trick.laid >> place & 1 else None)
    bid_card = state.bids[place]
    if state.phase in (Phase.BID, Phase.OVER):
        card, laid = bid_card, "up" if bid_card is not None else None
    return {
        "name": seat,
        "role": _role(state, seat),
        "turn": _is_due(state, seat, place),
        "tricks_won": state.won[seat],
        "hand_left": 8 - len(state.done) - (1 if laid is not None else 0),
        "laid": laid,
        "card": card_json(state, card) if card is not None else None,
        "bid": state.setup.bid_of(bid_card) if bid_card is not None else None,
    }


def _role(state: HoshizoraState, seat: str) -> str | None:
    if state.phase is Phase.DRAW and state.drawer == seat:
        return "draw"
    if state.phase in (Phase.LAY, Phase.REVEAL, Phase.SETUP) and state.leader == seat:
        return "lead"
    return None


def _is_due(state: HoshizoraState, seat: str, place: int) -> bool:
    match state.phase:
        case Phase.LAY:
            order = [(state.trick.lead or 0) + step for step in range(3)]
            return next((p % 3 for p in order if not state.trick.laid >> (p % 3) & 1), None) == place
        case Phase.REVEAL:
            return state.trick.cards[place] is None
        case Phase.DRAW:
            return state.drawer == seat
        case Phase.BID:
            return state.bids[place] is None
        case _:
            return False


def _board(state: HoshizoraState) -> dict[str, Json] | None:
    board = state.board
    if board is None:
        return None
    drawn_in = {line: record.number for record in state.done for line in record.drawn}
    drawn_in |= dict.fromkeys(state.trick.drawn, state.trick.number)
    extent = max((max(star.x_mm, star.y_mm) for star in board.stars), default=0.0)
    return {
        "side_mm": BOARD_MM if extent <= BOARD_MM else extent,
        "dark": False,
        "stars": [{"n": star.n, "x": star.x_mm, "y": star.y_mm, "square": star.square} for star in board.stars],
        "lines": [_line(line, drawn_in.get(line)) for line in state.lines],
        "crossings": _crossings(state),
        "drawable": [_line(line, None) for line in drawable(state)] if state.phase is Phase.DRAW else [],
        "by_colour": {"red": state.red.bit_count(), "blue": state.blue.bit_count()},
    }


def _line(line: Line, trick: int | None) -> dict[str, Json]:
    return {"a": line.a, "b": line.b, "colour": line.colour.value, "trick": trick}


def _crossings(state: HoshizoraState) -> list[dict[str, Json]]:
    """Where lines of one colour cross, for the eye; whether they do is decided by the rules' exact geometry."""
    if state.board is None:
        return []
    places = {star.n: (star.x_mm, star.y_mm) for star in state.board.stars}
    found = []
    for colour in Colour:
        lines = [line for line in state.lines if line.colour is colour and line.a in places and line.b in places]
        for index, first in enumerate(lines):
            for second in lines[index + 1 :]:
                point = _meeting(places, first, second)
                if point is not None:
                    found.append({"x": round(point[0], 1), "y": round(point[1], 1), "colour": colour.value})
    return found


def _meeting(places: dict[int, tuple[float, float]], first: Line, second: Line) -> tuple[float, float] | None:
    """Where two lines cross properly, or None."""
    if {first.a, first.b} & {second.a, second.b}:
        return None
    (ax, ay), (bx, by) = places[first.a], places[first.b]
    (cx, cy), (dx, dy) = places[second.a], places[second.b]
    along = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
    if along == 0:
        return None
    t = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / along
    u = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / along
    return (ax + t * (bx - ax), ay + t * (by - ay)) if 0 < t < 1 and 0 < u < 1 else None
