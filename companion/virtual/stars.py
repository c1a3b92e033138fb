"""Places for the twelve stars as players would choose them: one or two in a square, none crowded, no three in a line."""

from __future__ import annotations

from companion.rules.hoshizora.board import APART
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
REACH = 2
"""Squares that a line may reach, by orthogonal steps."""
TRIES = 60
"""Places tried for a star before the whole board is begun anew."""

_APART = APART[Steps.ORTHOGONAL]
_Spot = tuple[int, int, int]
"""x, y in tenths of mm, square."""
_Way = tuple[int, int, int, int, int]
"""x, y of one end, x, y from there to the other, square of the length; tenths of mm."""


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
    ways: list[_Way] = []
    room = SQUARE - 2 * MARGIN
    for square in squares:
        left, top = square % 3 * SQUARE + MARGIN, square // 3 * SQUARE + MARGIN
        for _ in range(TRIES):
            x, y = left + chance.below(room), top + chance.below(room)
            if not _has_room(x, y, spots) or _is_in_a_way(x, y, ways):
                continue
            new = [_way(x, y, ox, oy) for ox, oy, other in spots if _APART[square][other] <= REACH]
            if any(_is_in_a_way(ox, oy, new) for ox, oy, _ in spots):
                continue
            spots.append((x, y, square))
            ways += new
            break
        else:
            return None
    return spots


def _has_room(x: int, y: int, spots: list[_Spot]) -> bool:
    return all((x - ox) * (x - ox) + (y - oy) * (y - oy) >= SPACING * SPACING for ox, oy, _ in spots)


def _way(x: int, y: int, to_x: int, to_y: int) -> _Way:
    dx, dy = to_x - x, to_y - y
    return x, y, dx, dy, dx * dx + dy * dy


def _is_in_a_way(x: int, y: int, ways: list[_Way]) -> bool:
    """Whether a star at x, y stands near one of the ways between its ends; near an end the spacing speaks."""
    for start_x, start_y, dx, dy, length2 in ways:
        px, py = x - start_x, y - start_y
        across = px * dy - py * dx
        if across * across < NEAR * NEAR * length2 and 0 < px * dx + py * dy < length2:
            return True
    return False
