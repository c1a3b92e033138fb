"""Places for the twelve stars as players would choose them: one or two in a square, none crowded, no three in a line."""

from __future__ import annotations

from companion.rules.hoshizora.board import APART, is_near
from companion.rules.hoshizora.facts import Star
from companion.rules.hoshizora.settings import Steps
from companion.virtual.chance import Chance

SQUARE = 1000
"""Side of a square in tenths of mm; the board is three squares wide."""
MARGIN = 150
"""From a dividing line and from the board's edge, tenths of mm."""
SPACING = 250
"""Between two stars, tenths of mm."""
NEAR = 60
"""From a star to the straight way between two others that may be joined, tenths of mm: more than the advice asks for."""
TRIES = 60
"""Places tried for a star before the whole board is begun anew."""

_APART = APART[Steps.ORTHOGONAL]
_Spot = tuple[int, int, int]
"""x, y in tenths of mm, square."""


def place_stars(chance: Chance) -> tuple[Star, ...]:
    """Twelve stars by number, mm on a board of 300 mm."""
    while True:
        spots = _try_board(chance)
        if spots is not None:
            break
    numbers = list(range(1, 13))
    chance.shuffle(numbers)
    stars = [Star(n, x / 10, y / 10, square) for n, (x, y, square) in zip(numbers, spots, strict=True)]
    return tuple(sorted(stars, key=lambda star: star.n))


def _try_board(chance: Chance) -> list[_Spot] | None:
    squares = list(range(9))
    chance.shuffle(squares)
    squares += squares[:3]
    spots: list[_Spot] = []
    room = SQUARE - 2 * MARGIN
    for square in squares:
        left, top = square % 3 * SQUARE + MARGIN, square // 3 * SQUARE + MARGIN
        for _ in range(TRIES):
            spot = left + chance.below(room), top + chance.below(room), square
            if _fits(spot, spots):
                spots.append(spot)
                break
        else:
            return None
    return spots


def _fits(spot: _Spot, spots: list[_Spot]) -> bool:
    x, y, square = spot
    place = x, y
    for ox, oy, _ in spots:
        if (x - ox) * (x - ox) + (y - oy) * (y - oy) < SPACING * SPACING:
            return False
    for i, (ax, ay, first) in enumerate(spots):
        start = ax, ay
        joined = _APART[first][square] <= 2
        for j, (bx, by, second) in enumerate(spots):
            if j == i:
                continue
            if joined and is_near((bx, by), start, place, NEAR):
                return False
            if j > i and _APART[first][second] <= 2 and is_near(place, start, (bx, by), NEAR):
                return False
    return True
