"""Which lines may be drawn and which erased (Rules for drawing; Special rule)."""

from __future__ import annotations

from functools import cache
from itertools import combinations

from companion.rules.hoshizora.board import AT_STAR, PAIRS, Board, lines_of, pair_number, sets_of
from companion.rules.hoshizora.facts import Colour, Line
from companion.rules.hoshizora.settings import EraseColour, EraseTime, HoshizoraSettings
from companion.rules.hoshizora.setup import HoshizoraSetup
from companion.rules.hoshizora.state import HoshizoraState, Trick


def is_free(board: Board, red: int, blue: int, pair: int, colour: Colour, settings: HoshizoraSettings) -> bool:
    """Whether the standing lines and the squares let a line of this colour join the pair."""
    both = red | blue
    if both >> pair & 1:
        return False
    a, b = PAIRS[pair]
    most = settings.max_lines_a_star
    if both and ((both & AT_STAR[a]).bit_count() >= most or (both & AT_STAR[b]).bit_count() >= most):
        return False
    if not board.has(pair) or not board.in_reach(pair, settings):
        return False
    return not board.crossed(pair, blue if colour is Colour.RED else red)


def lines_allowed(setup: HoshizoraSetup, stars: tuple[int, ...]) -> int:
    """How many lines these majority stars make: two stars one, three stars two unless the table says otherwise."""
    return setup.settings.lines_for_three if len(stars) == 3 else max(0, len(stars) - 1)


@cache
def proper_pairs(stars: tuple[int, ...]) -> tuple[int, ...]:
    """The pairs that the majority's stars make."""
    return tuple(number for a, b in combinations(stars, 2) if (number := pair_number(a, b)) is not None)


def largest_drawing(state: HoshizoraState, trick: Trick, red: int, blue: int) -> int:
    """How many of the trick's lines can be drawn at most, one after the other, on a board with these lines."""
    board, setup = state.board, state.setup
    if board is None or trick.majority is None:
        return 0
    free = [p for p in proper_pairs(trick.stars) if is_free(board, red, blue, p, trick.majority, setup.settings)]
    if len(free) < 2:
        return len(free)
    allowed, most = lines_allowed(setup, trick.stars), setup.settings.max_lines_a_star
    for count in range(min(len(free), allowed), 1, -1):
        if any(_fit_together(red | blue, chosen, trick.stars, most) for chosen in combinations(free, count)):
            return count
    return min(len(free), allowed, 1)


def _fit_together(standing: int, chosen: tuple[int, ...], stars: tuple[int, ...], most: int) -> bool:
    """Lines of one colour only get in each other's way by the number that a star can take."""
    new = 0
    for pair in chosen:
        new |= 1 << pair
    after = standing | new
    return not any(new & AT_STAR[star] and (after & AT_STAR[star]).bit_count() > most for star in stars)


def proper_lines(state: HoshizoraState) -> tuple[Line, ...]:
    """Of the lines drawn in this trick, those that join its stars in its colour."""
    trick = state.trick
    if not trick.drawn:
        return ()
    stars = trick.stars
    return tuple([x for x in trick.drawn if x.colour is trick.majority and x.a in stars and x.b in stars])


def drawable(state: HoshizoraState) -> tuple[Line, ...]:
    """The lines that may be drawn now, by a, then b; none outside the drawing."""
    trick, board, setup = state.trick, state.board, state.setup
    if board is None or trick.majority is None:
        return ()
    if trick.drawn and len(proper_lines(state)) >= lines_allowed(setup, trick.stars):
        return ()
    red, blue, majority, settings = state.red, state.blue, trick.majority, setup.settings
    free = [pair for pair in proper_pairs(trick.stars) if is_free(board, red, blue, pair, majority, settings)]
    return tuple([Line(*PAIRS[pair], majority) for pair in free])


def owed(state: HoshizoraState) -> int:
    """How many lines the drawer must still draw: 1 where none is drawn and one can be, else 0.

    A second line that can be drawn is not owed by the rulebook; `drawable` lists it and the settings say what is thought of
    leaving it out.
    """
    return 1 if state.trick.largest and drawable(state) and not proper_lines(state) else 0


def erasable(state: HoshizoraState) -> tuple[tuple[Line, ...], ...]:
    """The sets of lines that the drawer may erase now, all of a set or none (Special rule); each set once."""
    trick, setup = state.trick, state.setup
    settings = setup.settings
    if not settings.line_elimination or trick.winner is None or state.erasers >> trick.winner & 1:
        return ()
    if settings.erase_when is EraseTime.BEFORE and proper_lines(state):
        return ()
    if settings.erase_when is EraseTime.AFTER and owed(state):
        return ()
    return crossed_sets(state)


def is_taken_back(state: HoshizoraState, gone: tuple[Line, ...]) -> bool:
    """Whether wiping these lines corrects the drawing that goes on: all were drawn in it.

    No right to erase is used up by it: the trick's own line shares a star with every way to the minority star.
    """
    return all(line in state.trick.drawn for line in gone)


def crossed_sets(state: HoshizoraState) -> tuple[tuple[Line, ...], ...]:
    """What each segment from a majority star to the minority star crosses; segments that cross nothing are left out."""
    trick, board, setup = state.trick, state.board, state.setup
    lonely = minority_star(setup, trick)
    if board is None or lonely is None:
        return ()
    red, blue = state.red, state.blue
    if setup.settings.erase_colour is EraseColour.MAJORITY:
        red, blue = (red, 0) if trick.majority is Colour.RED else (0, blue)
    found: list[tuple[Line, ...]] = []
    for star in trick.stars:
        pair = pair_number(star, lonely)
        if pair is None or not board.has(pair) or not board.in_reach(pair, setup.settings):
            continue
        crossed = lines_of(board.crossed(pair, red), board.crossed(pair, blue))
        if crossed and crossed not in found:
            found.append(crossed)
    return tuple(found)


def minority_star(setup: HoshizoraSetup, trick: Trick) -> int | None:
    """The number on the card of the lesser colour; None where there is none."""
    if trick.majority is None:
        return None
    lonely = [
        setup.cards[card].number for card in trick.cards if card and setup.cards[card].colour is not trick.majority
    ]
    return lonely[0] if len(lonely) == 1 else None


def standing(state: HoshizoraState, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Those of the lines that stand on the board, each once, by a, then b."""
    red, blue = sets_of(lines)
    return lines_of(red & state.red, blue & state.blue)
