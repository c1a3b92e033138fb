"""The star board as exact geometry: pairs of stars, squares apart, crossings.

Places are whole tenths of a millimetre, so that a crossing is a matter of integers and the same on every machine. The 66 pairs
of stars are numbered; a set of lines of one colour is an integer with a bit for each pair, and a set of stars one with bit n
for star n.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from companion.rules.hoshizora.facts import Colour, Line, Star
from companion.rules.hoshizora.settings import HoshizoraSettings, Steps

STARS = 12
PAIRS: tuple[tuple[int, int], ...] = tuple((a, b) for a in range(1, STARS + 1) for b in range(a + 1, STARS + 1))
"""Pair number to its stars, a < b."""
PAIR_OF: dict[tuple[int, int], int] = {pair: number for number, pair in enumerate(PAIRS)}
ENDS: tuple[int, ...] = tuple(1 << a | 1 << b for a, b in PAIRS)
"""Pair number to its two stars as a set."""
AT_STAR: tuple[int, ...] = tuple(
    sum(1 << number for number, pair in enumerate(PAIRS) if star in pair) for star in range(STARS + 1)
)
"""Star to the set of all pairs that end at it."""


def pair_number(a: int, b: int) -> int | None:
    """The pair of two stars in any order; None where they are no two of the twelve."""
    return PAIR_OF.get((a, b) if a < b else (b, a))


def bits(numbers: int) -> Iterator[int]:
    """The pair numbers in a set, ascending."""
    while numbers:
        low = numbers & -numbers
        yield low.bit_length() - 1
        numbers ^= low


def _squares_apart(first: int, second: int, steps: Steps) -> int:
    rows, columns = abs(first // 3 - second // 3), abs(first % 3 - second % 3)
    return rows + columns if steps is Steps.ORTHOGONAL else max(rows, columns)


APART: dict[Steps, tuple[tuple[int, ...], ...]] = {
    steps: tuple(tuple(_squares_apart(a, b, steps) for b in range(9)) for a in range(9)) for steps in Steps
}
"""Squares between two squares, by how they are counted."""


@dataclass(frozen=True, slots=True)
class Board:
    """Where the stars stand. Of two stars of one number the later one counts."""

    stars: tuple[Star, ...]
    """By number."""
    places: tuple[tuple[int, int] | None, ...] = field(repr=False)
    """Star number to x, y in tenths of mm; None where it is not on the board."""
    squares: tuple[int | None, ...] = field(repr=False)
    """Star number to its square."""
    _spots: tuple[tuple[int, int, int], ...] = field(repr=False, compare=False)
    """For each star its bit in a set of stars, x and y in tenths of mm."""
    _sides: dict[int, tuple[int, int]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Pair number to the stars strictly on either side of the straight way between its two; filled as it is asked for."""

    @staticmethod
    def of(stars: Iterable[Star]) -> Board:
        """The board with these stars; those whose number is none of 1 to 12 are left out."""
        by_number = {star.n: star for star in stars if 1 <= star.n <= STARS}
        places: list[tuple[int, int] | None] = [None] * (STARS + 1)
        squares: list[int | None] = [None] * (STARS + 1)
        for n, star in by_number.items():
            places[n] = (round(star.x_mm * 10), round(star.y_mm * 10))
            squares[n] = star.square if star.square is not None and 0 <= star.square <= 8 else None
        spots = tuple([(1 << n, *place) for n, place in enumerate(places) if place is not None])
        return Board(tuple([by_number[n] for n in sorted(by_number)]), tuple(places), tuple(squares), spots)

    def with_star(self, star: Star) -> Board:
        """The board after one star was put elsewhere."""
        return Board.of((*self.stars, star))

    def has(self, pair: int) -> bool:
        """Whether both stars of the pair are on the board."""
        a, b = PAIRS[pair]
        return self.places[a] is not None and self.places[b] is not None

    def in_reach(self, pair: int, settings: HoshizoraSettings) -> bool:
        """Whether a line may reach from one to the other; a star whose square is unknown is given the benefit of the doubt."""
        a, b = PAIRS[pair]
        first, second = self.squares[a], self.squares[b]
        if first is None or second is None:
            return True
        return APART[settings.reach_steps][first][second] <= settings.reach_squares

    def sides(self, pair: int) -> tuple[int, int]:
        """The stars strictly left and strictly right of the straight way through the pair, as sets."""
        known = self._sides.get(pair)
        if known is not None:
            return known
        a, b = PAIRS[pair]
        start, end = self.places[a], self.places[b]
        left = right = 0
        if start is not None and end is not None:
            x, y = start
            dx, dy = end[0] - x, end[1] - y
            level = dx * y - dy * x
            for bit, star_x, star_y in self._spots:
                turn = dx * star_y - dy * star_x - level
                if turn > 0:
                    left |= bit
                elif turn < 0:
                    right |= bit
        self._sides[pair] = left, right
        return left, right

    def crossed(self, pair: int, lines: int) -> int:
        """Which of `lines` the straight way between the pair properly crosses: inside both, a shared end is none."""
        if not lines:
            return 0
        left, right = self.sides(pair)
        ends = ENDS[pair]
        found = 0
        while lines:
            low = lines & -lines
            lines ^= low
            other = low.bit_length() - 1
            others = ENDS[other]
            if others & left and others & right:
                one, two = self.sides(other)
                if ends & one and ends & two:
                    found |= low
        return found

    def crossings(self, lines: int) -> int:
        """How many pairs of these lines properly cross."""
        total = 0
        for pair in bits(lines):
            total += self.crossed(pair, lines >> pair + 1 << pair + 1).bit_count()
        return total


def lines_of(red: int, blue: int) -> tuple[Line, ...]:
    """Two sets of pairs as lines, by a, then b, then colour."""
    return tuple(
        Line(*PAIRS[pair], colour)
        for pair in bits(red | blue)
        for colour, lines in ((Colour.BLUE, blue), (Colour.RED, red))
        if lines >> pair & 1
    )


def sets_of(lines: Iterable[Line]) -> tuple[int, int]:
    """Lines as a set of red and a set of blue pairs; a line between no two of the twelve stars is left out."""
    red = blue = 0
    for line in lines:
        pair = pair_number(line.a, line.b)
        if pair is None:
            continue
        if line.colour is Colour.RED:
            red |= 1 << pair
        else:
            blue |= 1 << pair
    return red, blue


def score(stars: Iterable[Star], lines: Iterable[Line]) -> int:
    """A board's points: one a line, one more for each crossing of two lines of one colour (Rules for drawing)."""
    board = Board.of(stars)
    red, blue = sets_of(lines)
    return red.bit_count() + blue.bit_count() + board.crossings(red) + board.crossings(blue)


def stars_in_line(stars: Iterable[Star], settings: HoshizoraSettings) -> tuple[tuple[int, int, int], ...]:
    """Stars that stand near the straight way between two others that may be joined, as (star, a, b), a < b (Preparation)."""
    board = Board.of(stars)
    near = round(settings.near_line_mm * 10)
    found = []
    for star in board.stars:
        for pair, (a, b) in enumerate(PAIRS):
            if star.n in (a, b) or not board.has(pair) or not board.in_reach(pair, settings):
                continue
            start, end, place = board.places[a], board.places[b], board.places[star.n]
            if start and end and place and is_near(place, start, end, near):
                found.append((star.n, a, b))
    return tuple(found)


def is_near(place: tuple[int, int], start: tuple[int, int], end: tuple[int, int], distance: int) -> bool:
    """Whether a place lies within `distance` of the straight way from start to end; all in tenths of mm."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    px, py = place[0] - start[0], place[1] - start[1]
    length2 = dx * dx + dy * dy
    along = px * dx + py * dy
    if along <= 0:
        return px * px + py * py <= distance * distance
    if along >= length2:
        qx, qy = place[0] - end[0], place[1] - end[1]
        return qx * qx + qy * qy <= distance * distance
    across = px * dy - py * dx
    return across * across <= distance * distance * length2
