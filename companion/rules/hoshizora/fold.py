"""`apply`: the state after a fact, whatever the fact."""

from __future__ import annotations

from typing import TypeVar

from companion.rules.hoshizora.board import Board, pair_number, sets_of
from companion.rules.hoshizora.drawing import is_taken_back, largest_drawing, proper_lines, standing
from companion.rules.hoshizora.facts import (
    BidRevealed,
    BoardSet,
    CardLaid,
    CardRevealed,
    Colour,
    ColourStated,
    DrawingEnded,
    Fact,
    Line,
    LineDrawn,
    LinesErased,
    StarMoved,
)
from companion.rules.hoshizora.knowledge import doubt, false_at_once, show, trick_claims, with_claims
from companion.rules.hoshizora.setup import TRICKS, HoshizoraSetup
from companion.rules.hoshizora.state import (
    Hands,
    HoshizoraState,
    Phase,
    Trick,
    TrickRecord,
    decide,
    in_turn,
    stated_colour,
)
from companion.rules.knowledge import Claim

ItemT = TypeVar("ItemT")


def start(setup: HoshizoraSetup) -> HoshizoraState:
    """The state before anything happened: hands are dealt, stars not yet placed."""
    return HoshizoraState(setup, Trick(1, setup.places[setup.lead]))


def apply(state: HoshizoraState, fact: Fact) -> HoshizoraState:
    """The state after a fact. Once all bids are known nothing changes any more: the table is cleared."""
    if len(state.done) >= TRICKS and state.phase is Phase.OVER:
        return state
    after: HoshizoraState
    match fact:
        case CardRevealed():
            after = _card(state, fact.seat, fact.card)
        case CardLaid():
            after = _laid(state, fact)
        case LineDrawn():
            after = _line(state, fact)
        case DrawingEnded():
            after = _ended(state)
        case BidRevealed():
            after = _bid(state, fact.seat, fact.card)
        case ColourStated():
            after = _stated(state, fact)
        case LinesErased():
            after = _erased(state, fact)
        case BoardSet():
            after = _on_board(state, Board.of(fact.stars))
        case StarMoved():
            board = Board.of((fact.star,)) if state.board is None else state.board.with_star(fact.star)
            after = _on_board(state, board)
    return after


def _laid(state: HoshizoraState, fact: CardLaid) -> HoshizoraState:
    place = state.setup.places.get(fact.seat)
    trick = state.trick
    if place is None or trick.number > TRICKS:
        return state
    if trick.is_revealed:
        return _with_trick(state, trick._replace(ahead=trick.ahead | 1 << place))
    if trick.laid >> place & 1 or trick.cards[place] is not None:
        return state
    looks = trick.looks if fact.look is None else _put(trick.looks, place, fact.look)
    return _with_trick(
        state,
        Trick(
            trick.number,
            trick.lead,
            trick.laid | 1 << place,
            looks,
            trick.told,
            trick.cards,
            trick.trusted,
            drawn=trick.drawn,
            erased=trick.erased,
        ),
    )


def _stated(state: HoshizoraState, fact: ColourStated) -> HoshizoraState:
    place = state.setup.places.get(fact.seat)
    trick = state.trick
    if place is None or trick.told is not None or trick.is_revealed or trick.number > TRICKS:
        return state
    if trick.lead is not None and place != trick.lead:
        return state
    return _with_trick(state, trick._replace(lead=place, told=fact.colour))


def _card(state: HoshizoraState, seat: str, card: str) -> HoshizoraState:
    trick, setup, hands = state.trick, state.setup, state.hands
    if trick.number > TRICKS:
        return _bid(state, seat, card)
    place = setup.places.get(seat)
    if place is None or trick.cards[place] is not None:
        return state
    seats = 1 << place
    trusted = trick.trusted
    if is_new(state, card):
        hands = show(hands, setup, place, card)
        trusted |= seats
    elif card in setup.cards:
        hands = doubt(hands, card)
    cards = _put(trick.cards, place, card)
    trick = Trick(
        trick.number,
        trick.lead,
        trick.laid,
        trick.looks,
        trick.told,
        cards,
        trusted,
        drawn=trick.drawn,
        erased=trick.erased,
    )
    if None not in cards:
        trick = _decided(state, trick)
        hands = with_claims(hands, _lasting_claims(state, trick))
    return HoshizoraState(
        setup, trick, state.board, state.red, state.blue, state.crossings, hands, state.bids, state.erasers, state.done
    )


def is_new(state: HoshizoraState, card: str) -> bool:
    """Whether the card is in the deck and nobody has shown it before."""
    first, second, third = state.hands.shown
    return bool(state.setup.bits.get(card, 0) & ~(first | second | third))


def _decided(state: HoshizoraState, trick: Trick) -> Trick:
    majority, winner, stars = decide(state.setup, trick.cards)
    decided = _drawing(trick, majority, winner, stars, 0, trick.drawn)
    largest = largest_drawing(state, decided, state.red, state.blue)
    return _drawing(trick, majority, winner, stars, largest, trick.drawn) if largest else decided


def _drawing(
    trick: Trick,
    majority: Colour | None,
    winner: int | None,
    stars: tuple[int, ...],
    largest: int,
    drawn: tuple[Line, ...],
) -> Trick:
    """The trick once it is decided; `_replace` would be slower, and this is done for each line."""
    return Trick(
        trick.number,
        trick.lead,
        trick.laid,
        trick.looks,
        trick.told,
        trick.cards,
        trick.trusted,
        majority,
        winner,
        stars,
        largest,
        drawn,
        trick.erased,
        trick.ahead,
    )


def _lasting_claims(state: HoshizoraState, trick: Trick) -> tuple[Claim, ...]:
    claims = trick_claims(state, trick)
    false = [claim for claim, _ in false_at_once(state, claims)]
    return tuple(claim for claim in claims if claim not in false) if false else claims


def _line(state: HoshizoraState, fact: LineDrawn) -> HoshizoraState:
    pair = pair_number(fact.a, fact.b)
    if pair is None:
        return state
    own, other = (state.red, state.blue) if fact.colour is Colour.RED else (state.blue, state.red)
    if own >> pair & 1:
        return state
    crossings = state.crossings
    if own and state.board is not None:
        crossings += state.board.crossed(pair, own).bit_count()
    own |= 1 << pair
    red, blue = (own, other) if fact.colour is Colour.RED else (other, own)
    trick = state.trick
    if trick.number <= TRICKS:
        line = Line(min(fact.a, fact.b), max(fact.a, fact.b), fact.colour)
        trick = _drawing(trick, trick.majority, trick.winner, trick.stars, trick.largest, (*trick.drawn, line))
    return HoshizoraState(
        state.setup, trick, state.board, red, blue, crossings, state.hands, state.bids, state.erasers, state.done
    )


def _erased(state: HoshizoraState, fact: LinesErased) -> HoshizoraState:
    gone = standing(state, fact.lines)
    if not gone:
        return state
    red_gone, blue_gone = sets_of(gone)
    red, blue = state.red & ~red_gone, state.blue & ~blue_gone
    trick = state.trick
    erasers = state.erasers
    if is_taken_back(state, gone):
        trick = trick._replace(drawn=tuple(line for line in trick.drawn if line not in gone))
    else:
        trick = trick._replace(erased=trick.erased + gone)
        if trick.winner is not None:
            erasers |= 1 << trick.winner
    return _on_board(state._replace(trick=trick, red=red, blue=blue, erasers=erasers), state.board)


def _on_board(state: HoshizoraState, board: Board | None) -> HoshizoraState:
    """With stars or lines changed: crossings are counted anew, and what can be drawn where the drawing has not begun."""
    crossings = 0 if board is None else board.crossings(state.red) + board.crossings(state.blue)
    state = state._replace(board=board, crossings=crossings)
    if state.trick.majority is None or proper_lines(state):
        return state
    largest = largest_drawing(state, state.trick, state.red, state.blue)
    return _with_trick(state, state.trick._replace(largest=largest))


def _ended(state: HoshizoraState) -> HoshizoraState:
    trick, setup, hands = state.trick, state.setup, state.hands
    if trick.number > TRICKS or trick.cards == (None, None, None):
        return state
    if not trick.is_revealed:
        hands = with_claims(hands, _lasting_claims(state, trick))
    if trick.trusted != 0b111:
        a, b, c = hands.unseen
        t = trick.trusted
        hands = Hands(hands.shown, (a + (~t & 1), b + (~t >> 1 & 1), c + (~t >> 2 & 1)), hands.claims)
    record = TrickRecord(
        trick.number,
        state.leader,
        {setup.seats[place]: card for place in in_turn(trick) if (card := trick.cards[place]) is not None},
        stated_colour(state),
        trick.majority,
        state.drawer,
        trick.drawn,
        trick.erased,
        state.points,
    )
    following = Trick(trick.number + 1, trick.winner, trick.ahead)
    return HoshizoraState(
        setup,
        following,
        state.board,
        state.red,
        state.blue,
        state.crossings,
        hands,
        state.bids,
        state.erasers,
        (*state.done, record),
    )


def _bid(state: HoshizoraState, seat: str, card: str) -> HoshizoraState:
    place = state.setup.places.get(seat)
    if place is None or state.bids[place] is not None or card not in state.setup.cards:
        return state
    hands = show(state.hands, state.setup, place, card) if is_new(state, card) else doubt(state.hands, card)
    return state._replace(hands=hands, bids=_put(state.bids, place, card))


def _with_trick(state: HoshizoraState, trick: Trick) -> HoshizoraState:
    return HoshizoraState(
        state.setup,
        trick,
        state.board,
        state.red,
        state.blue,
        state.crossings,
        state.hands,
        state.bids,
        state.erasers,
        state.done,
    )


def _put(row: tuple[ItemT, ItemT, ItemT], place: int, value: ItemT) -> tuple[ItemT, ItemT, ItemT]:
    first, second, third = row
    if place == 0:
        return value, second, third
    return (first, value, third) if place == 1 else (first, second, value)
