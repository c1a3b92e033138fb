"""`judge`: what to think of a fact that is about to be applied."""

from __future__ import annotations

from companion.rules.core import Finding, Level
from companion.rules.hoshizora import sections
from companion.rules.hoshizora.board import STARS, Board
from companion.rules.hoshizora.facts import (
    BidRevealed,
    BoardSet,
    CardLaid,
    CardRevealed,
    ColourStated,
    DrawingEnded,
    Fact,
    LineDrawn,
    LinesErased,
    Star,
    StarMoved,
)
from companion.rules.hoshizora.fold import apply, is_new
from companion.rules.hoshizora.judge_lines import judge_ended, judge_erased, judge_line
from companion.rules.hoshizora.knowledge import false_at_once, revoke, revokes, trick_claims
from companion.rules.hoshizora.setup import TRICKS
from companion.rules.hoshizora.state import ALL_SEATS, HoshizoraState, Phase, Trick, in_turn, stated_colour

_GRAVITY = {Level.ILLEGAL: 0, Level.PROVED: 1, Level.SUSPECT: 2, Level.NOTE: 3}


def judge(state: HoshizoraState, fact: Fact) -> tuple[Finding, ...]:
    """What to think of a fact that is about to be applied to `state`, worst first; nothing of clearing the table at the end."""
    if len(state.done) >= TRICKS and state.phase is Phase.OVER:
        return ()
    found: tuple[Finding, ...]
    match fact:
        case CardRevealed():
            found = _revealed(state, fact)
        case CardLaid():
            found = _laid(state, fact)
        case LineDrawn():
            found = judge_line(state, fact)
        case DrawingEnded():
            found = judge_ended(state)
        case BidRevealed():
            found = _bid(state, fact.seat, fact.card)
        case ColourStated():
            found = _stated(state, fact)
        case LinesErased():
            found = judge_erased(state, fact)
        case BoardSet():
            found = _board(state, fact)
        case StarMoved():
            found = _moved(state, fact.star)
    return found if len(found) < 2 else tuple(sorted(found, key=lambda finding: _GRAVITY[finding.level]))


def _finding(state: HoshizoraState, rule: str, level: Level, text: str, player: str | None = None) -> Finding:
    return Finding(rule, level, text, player, state.trick.number)


def _stranger(state: HoshizoraState, seat: str) -> tuple[Finding, ...]:
    text = f"{seat} is none of the players {', '.join(state.setup.seats)}."
    return (_finding(state, sections.SEATS, Level.ILLEGAL, text, seat),)


def _laid(state: HoshizoraState, fact: CardLaid) -> tuple[Finding, ...]:
    place = state.setup.places.get(fact.seat)
    trick = state.trick
    if place is None:
        return _stranger(state, fact.seat)
    if trick.number > TRICKS:
        return ()  # the last card may lie face down before it is shown as the bid
    seat = fact.seat
    if trick.is_revealed:
        if trick.number == TRICKS:
            return ()  # it is the last card, on its way to be the bid
        text = f"{seat} laid a card before the drawing of trick {trick.number} ended."
        return (_finding(state, sections.DRAWER_LEADS, Level.NOTE, text, seat),)
    if trick.laid >> place & 1 or trick.cards[place] is not None:
        text = f"{seat} laid a second card in trick {trick.number}."
        return (_finding(state, sections.ONE_CARD, Level.ILLEGAL, text, seat),)
    found: tuple[Finding, ...] = ()
    if state.board is None:
        text = "A card was laid before the stars were placed."
        found = (_finding(state, sections.STARS_PLACED, Level.NOTE, text, seat),)
    if fact.look is not None and trick.laid and trick.lead is not None:
        found += _out_of_turn(state, trick, place, fact.look)
    return found


def _out_of_turn(state: HoshizoraState, trick: Trick, place: int, look: int) -> tuple[Finding, ...]:
    """Who is now seen to have laid before this seat without waiting for it, each told once a trick."""
    order = in_turn(trick)
    turn = order.index(place)
    found = []
    for later in order[turn + 1 :]:
        its_look = trick.looks[later]
        if its_look is None or its_look >= look:
            continue
        earlier = (trick.looks[other] for other in order[: order.index(later)])
        if any(other is not None and its_look < other for other in earlier):
            continue
        early, late = state.setup.seats[later], state.setup.seats[place]
        text = f"{early} laid a card before {late}, whose turn came first."
        found.append(_finding(state, sections.TURN, Level.ILLEGAL, text, early))
    return tuple(found)


def _stated(state: HoshizoraState, fact: ColourStated) -> tuple[Finding, ...]:
    trick, seat = state.trick, fact.seat
    place = state.setup.places.get(seat)
    if place is None:
        return _stranger(state, seat)
    level, text = Level.NOTE, ""
    shown = stated_colour(state)
    if trick.number > TRICKS:
        text = f"{seat} stated a colour after the last trick."
    elif trick.lead is not None and place != trick.lead:
        text = f"{seat} stated a colour; {state.leader} leads."
    elif shown is not None and shown is not fact.colour:
        led = state.setup.named(trick.cards[place] or "")
        first = f"after {trick.told}; the first colour counts" if trick.told else f"but led {led}"
        level, text = Level.ILLEGAL, f"{seat} stated {fact.colour} {first}."
    return (_finding(state, sections.LEAD, level, text, seat),) if text else ()


def _revealed(state: HoshizoraState, fact: CardRevealed) -> tuple[Finding, ...]:
    trick, setup = state.trick, state.setup
    seat, card = fact.seat, fact.card
    place = setup.places.get(seat)
    if place is None:
        return _stranger(state, seat)
    if trick.number > TRICKS:
        return _bid(state, seat, card)
    open_card = trick.cards[place]
    if open_card is not None:
        if open_card == card:
            return ()
        both = f"{setup.named(card)} beside {setup.named(open_card)}"
        text = f"{seat} showed {both} in trick {trick.number}; the first card counts."
        return (_finding(state, sections.ONE_CARD, Level.ILLEGAL, text, seat),)
    found: tuple[Finding, ...]
    found = revokes(state, place, card, bid=False) if is_new(state, card) else (_card_fault(state, seat, card),)
    if trick.laid not in (0, ALL_SEATS) and trick.present | 1 << place != ALL_SEATS:
        text = f"{seat} turned a card up before all three cards lay."
        found += (_finding(state, sections.REVEAL, Level.ILLEGAL, text, seat),)
    if place == trick.lead and trick.told is not None and card in setup.cards:
        colour = setup.cards[card].colour
        if colour is not trick.told:
            text = f"{seat} stated {trick.told} but led {setup.named(card)}."
            found += (_finding(state, sections.LEAD, Level.ILLEGAL, text, seat),)
    if any(state.bids) and trick.cards.count(None) == 1:
        found += _false_at_once(state, fact)
    return found


def _false_at_once(state: HoshizoraState, fact: CardRevealed) -> tuple[Finding, ...]:
    """Revokes beside a bid card that was shown too early: the card lay open when its colour was not followed."""
    after = apply(state, fact)
    at = state.trick.number
    return tuple(
        revoke(claim, name, at, f"early bid: {claim.player} showed {name}")
        for claim, bid in false_at_once(state, trick_claims(state, after.trick))
        for name in (state.setup.named(bid),)
    )


def _card_fault(state: HoshizoraState, seat: str, card: str) -> Finding:
    """Why a card can't be what it seems: it is in no deck, or it was shown before."""
    setup = state.setup
    if card not in setup.cards:
        text = f"{seat} showed {card}, which is not in this deck."
        return _finding(state, sections.COMPONENTS_DECK, Level.ILLEGAL, text, seat)
    bit = setup.bits[card]
    before = next(setup.seats[place] for place, shown in enumerate(state.hands.shown) if shown & bit)
    text = f"{seat} showed {setup.named(card)}, which {before} had shown before."
    return _finding(state, sections.COMPONENTS_DECK, Level.ILLEGAL, text, seat)


def _bid(state: HoshizoraState, seat: str, card: str) -> tuple[Finding, ...]:
    place = state.setup.places.get(seat)
    if place is None:
        return _stranger(state, seat)
    bid = state.bids[place]
    if bid is not None:
        if bid == card:
            return ()
        named = state.setup.named
        text = f"{seat} showed {named(card)} beside the bid {named(bid)}; the first card counts."
        return (_finding(state, sections.BID, Level.ILLEGAL, text, seat),)
    found: tuple[Finding, ...]
    found = revokes(state, place, card, bid=True) if is_new(state, card) else (_card_fault(state, seat, card),)
    if len(state.done) < TRICKS:
        text = f"{seat} showed a bid before the seventh trick was done."
        found += (_finding(state, sections.BID, Level.ILLEGAL, text, seat),)
    return found


def _board(state: HoshizoraState, fact: BoardSet) -> tuple[Finding, ...]:
    """The set-up's faults; said again, only those that were not there before, and what the move changes."""
    faults = dict(_placing_faults(fact.stars))
    found: tuple[Finding, ...] = ()
    if state.board is not None:
        for old in dict(_placing_faults(state.board.stars)):
            faults.pop(old, None)
        if _has_begun(state):
            found = _shifts(state, fact.stars, Board.of(fact.stars))
    return tuple(_finding(state, rule, Level.ILLEGAL, text) for text, rule in faults.items()) + found


def _placing_faults(stars: tuple[Star, ...]) -> list[tuple[str, str]]:
    """What is wrong with the places of the stars, as (text, rule)."""
    faults = []
    numbers = [star.n for star in stars]
    missing = [n for n in range(1, STARS + 1) if n not in numbers]
    strange = sorted({n for n in numbers if not 1 <= n <= STARS})
    twice = sorted({n for n in numbers if numbers.count(n) > 1})
    for what, which in (("missing", missing), ("of no known number", strange), ("there more than once", twice)):
        if which:
            faults.append((f"Stars {what}: {', '.join(map(str, which))}.", sections.STARS_ALL))
    between = sorted(star.n for star in stars if star.square is None)
    faults += [(f"Star {n} stands on a dividing line.", sections.STARS_OFF_LINES) for n in between]
    if not missing and not between:
        squares = [star.square for star in stars]
        for square in range(9):
            count = squares.count(square)
            if not 1 <= count <= 2:
                text = f"Square {square + 1} holds {count} stars, not one or two."
                faults.append((text, sections.STARS_PER_SQUARE))
    return faults


def _has_begun(state: HoshizoraState) -> bool:
    return bool(state.done) or bool(state.trick.laid) or bool(state.red | state.blue)


def _moved(state: HoshizoraState, star: Star) -> tuple[Finding, ...]:
    if not 1 <= star.n <= STARS:
        return (_finding(state, sections.STARS_ALL, Level.ILLEGAL, f"There is no star {star.n}."),)
    found: tuple[Finding, ...] = ()
    if state.board is None or not _has_begun(state):
        return found
    return _shifts(state, (star,), state.board.with_star(star))


def _shifts(state: HoshizoraState, stars: tuple[Star, ...], board: Board) -> tuple[Finding, ...]:
    """What moving these stars during the game does that is more than "a little"."""
    before = state.board
    if before is None:
        return ()
    found = []
    most = state.setup.settings.star_shift_mm * 10
    for star in stars:
        old = before.places[star.n] if 1 <= star.n <= STARS else None
        new = board.places[star.n] if old else None
        if old is None or new is None:
            continue
        if star.square is not None and before.squares[star.n] not in (None, star.square):
            text = f"Star {star.n} was moved into another square."
            found.append(_finding(state, sections.MOVE_STAR, Level.ILLEGAL, text))
        elif (new[0] - old[0]) ** 2 + (new[1] - old[1]) ** 2 > most * most:
            text = f"Star {star.n} was moved by more than {state.setup.settings.star_shift_mm:g} mm."
            found.append(_finding(state, sections.MOVE_STAR, Level.NOTE, text))
    crossings = board.crossings(state.red) + board.crossings(state.blue)
    if crossings != state.crossings:
        points = state.points - state.crossings + crossings
        text = f"Moving stars changed the points from {state.points} to {points}."
        found.append(_finding(state, sections.MOVE_STAR, Level.NOTE, text))
    return tuple(found)
