"""A table to tell stories at, and a second, slow set of rules written another way to check the first against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from companion.rules.core import Finding, Outcome
from companion.rules.hoshizora import RULES, HoshizoraCard, HoshizoraSettings, HoshizoraSetup, HoshizoraState
from companion.rules.hoshizora.facts import (
    BidRevealed,
    BoardSet,
    CardLaid,
    CardRevealed,
    Colour,
    DrawingEnded,
    Fact,
    Line,
    LineDrawn,
    LinesErased,
    Star,
)

CARDS = {
    f"{colour}-{number:02d}": HoshizoraCard(colour, number, number + (10 if colour is Colour.BLUE else 0))
    for colour in Colour
    for number in range(1, 13)
}
"""Bids differ from numbers: red n bids n, blue n bids n + 10."""

STARS = (
    Star(1, 40.0, 50.0, 0),
    Star(2, 150.0, 30.0, 1),
    Star(3, 260.0, 55.0, 2),
    Star(4, 35.0, 150.0, 3),
    Star(5, 155.0, 145.0, 4),
    Star(6, 265.0, 160.0, 5),
    Star(7, 45.0, 255.0, 6),
    Star(8, 150.0, 270.0, 7),
    Star(9, 255.0, 245.0, 8),
    Star(10, 80.0, 85.0, 0),
    Star(11, 220.0, 85.0, 2),
    Star(12, 85.0, 215.0, 6),
)
"""One star near the middle of each square, 10, 11 and 12 as seconds in three corners."""


def line(text: str) -> Line:
    """ "1-5 red" as a line."""
    pair, colour = text.split()
    a, b = (int(n) for n in pair.split("-"))
    return Line(a, b, Colour(colour))


class Table:
    """Tells facts to the rules and remembers what the judge said of each."""

    def __init__(self, stars: tuple[Star, ...] | None = STARS, lead: str = "A", **settings: Any) -> None:
        self.setup = HoshizoraSetup(("A", "B", "C"), lead, CARDS, HoshizoraSettings(**settings))
        self.state: HoshizoraState = RULES.start(self.setup)
        self.facts: list[Fact] = []
        self.findings: list[Finding] = []
        if stars is not None:
            self.tell(BoardSet(stars))

    def tell(self, *facts: Fact) -> list[Finding]:
        """What the judge says of these facts."""
        said: list[Finding] = []
        for fact in facts:
            said += RULES.judge(self.state, fact)
            self.state = RULES.apply(self.state, fact)
            self.facts.append(fact)
        self.findings += said
        return said

    def play(self, *cards: str) -> list[Finding]:
        """The three seats lay and reveal these cards, in turn from the leader."""
        lead = self.state.leader or "A"
        seats = [self.setup.after(lead, steps) for steps in range(3)]
        said = self.tell(*(CardLaid(seat) for seat in seats))
        return said + self.tell(*(CardRevealed(seat, card) for seat, card in zip(seats, cards, strict=True)))

    def draw(self, *lines: str) -> list[Finding]:
        return self.tell(*(LineDrawn(x.a, x.b, x.colour) for x in map(line, lines)))

    def erase(self, *lines: str) -> list[Finding]:
        return self.tell(LinesErased(tuple(map(line, lines))))

    def end(self) -> list[Finding]:
        return self.tell(DrawingEnded())

    def stand(self, *lines: str) -> None:
        """Lines stand on the board from before, without a word of the judge."""
        trick = self.state.trick
        for x in map(line, lines):
            self.state = RULES.apply(self.state, LineDrawn(x.a, x.b, x.colour))
        self.state = self.state._replace(trick=trick)

    def bid(self, **cards: str) -> list[Finding]:
        return self.tell(*(BidRevealed(seat, card) for seat, card in cards.items()))

    def outcome(self) -> Outcome | None:
        return RULES.outcome(self.state)


@pytest.fixture
def table() -> Callable[..., Table]:
    """Makes a table with the stars of this file; keywords are settings."""
    return Table


class SlowRules:
    """Hoshizora once more, with sets of tuples, fractions and enumeration; shares nothing with the rules but card names."""

    def __init__(self, places: dict[int, tuple[float, float, int]], elimination: bool = False) -> None:
        self.places = {n: (Fraction(str(x)), Fraction(str(y))) for n, (x, y, _) in places.items()}
        self.squares = {n: square for n, (_, _, square) in places.items()}
        self.elimination = elimination

    def crosses(self, first: tuple[int, int], second: tuple[int, int]) -> bool:
        """Solves both ways for the parameters of their meeting point; inside both means strictly between 0 and 1."""
        (ax, ay), (bx, by) = self.places[first[0]], self.places[first[1]]
        (cx, cy), (dx, dy) = self.places[second[0]], self.places[second[1]]
        rx, ry, sx, sy = bx - ax, by - ay, dx - cx, dy - cy
        slant = rx * sy - ry * sx
        if slant == 0:
            return False
        t = ((cx - ax) * sy - (cy - ay) * sx) / slant
        u = ((cx - ax) * ry - (cy - ay) * rx) / slant
        return 0 < t < 1 and 0 < u < 1

    def reaches(self, a: int, b: int) -> bool:
        """Walks from square to neighbouring square, two steps at most."""
        near = {self.squares[a]}
        for _ in range(2):
            near |= {n for s in near for n in self.neighbours(s)}
        return self.squares[b] in near

    @staticmethod
    def neighbours(square: int) -> list[int]:
        row, column = divmod(square, 3)
        around = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        return [r * 3 + c for r, c in around if r in (0, 1, 2) and c in (0, 1, 2)]

    def allows(self, lines: frozenset[tuple[int, int, str]], new: tuple[int, int, str]) -> bool:
        a, b, colour = new
        if any((a, b) == (x, y) for x, y, _ in lines) or not self.reaches(a, b):
            return False
        if any(sum(star in (x, y) for x, y, _ in lines) > 2 for star in (a, b)):
            return False
        return not any(c != colour and self.crosses((a, b), (x, y)) for x, y, c in lines)

    def points(self, lines: frozenset[tuple[int, int, str]]) -> int:
        crossings = sum(
            p[2] == q[2] and self.crosses((p[0], p[1]), (q[0], q[1])) for p, q in combinations(sorted(lines), 2)
        )
        return len(lines) + crossings

    @staticmethod
    def majority(cards: list[str]) -> str:
        colours = [card.split("-")[0] for card in cards]
        return max(set(colours), key=colours.count)

    @staticmethod
    def winner(cards: list[str]) -> str:
        """The winning card."""
        colours = [card.split("-")[0] for card in cards]
        most = max(set(colours), key=colours.count)
        numbers = sorted(int(card.split("-")[1]) for card in cards)
        can_win = [card for card in cards if card.startswith(most)]
        # Of three numbers in order the middle one tells whether two are small.
        return min(can_win) if numbers[1] <= 6 else max(can_win)

    def drawings(
        self, lines: frozenset[tuple[int, int, str]], cards: list[str]
    ) -> set[frozenset[tuple[int, int, str]]]:
        """Every legal way to draw for these cards: the lines that are added."""
        colour = self.majority(cards)
        stars = sorted(int(card.split("-")[1]) for card in cards if card.startswith(colour))
        pairs = [(a, b, colour) for a, b in combinations(stars, 2)]
        found: set[frozenset[tuple[int, int, str]]] = set()
        for first in pairs:
            if self.allows(lines, first):
                found.add(frozenset({first}))
                if len(stars) == 3:
                    found |= {
                        frozenset({first, second})
                        for second in pairs
                        if second != first and self.allows(lines | {first}, second)
                    }
        return found or {frozenset()}

    def erasures(
        self, lines: frozenset[tuple[int, int, str]], cards: list[str]
    ) -> set[frozenset[tuple[int, int, str]]]:
        """Every set of lines that may be erased for these cards."""
        colour = self.majority(cards)
        ours = [int(card.split("-")[1]) for card in cards if card.startswith(colour)]
        others = [int(card.split("-")[1]) for card in cards if not card.startswith(colour)]
        if not self.elimination or len(others) != 1:
            return set()
        ways = [(star, others[0]) for star in ours if star != others[0] and self.reaches(star, others[0])]
        sets = {frozenset(x for x in lines if self.crosses((x[0], x[1]), way)) for way in ways}
        return sets - {frozenset()}

    def perft(self, hands: dict[str, list[str]], lead: str, depth: int) -> list[int]:
        """Legal decisions to each depth, from the first lead."""
        counts = [0] * depth

        def go(
            level: int, left: dict[str, list[str]], first: str, laid: list[str], lines: Any, used: frozenset[str]
        ) -> None:
            if level == depth:
                return
            if len(laid) == 3:
                seats = list("ABCAB"["ABC".index(first) :])[:3]
                winner = seats[laid.index(self.winner(laid))]
                erasing: list[tuple[Any, frozenset[str]]] = [(lines, used)]
                if winner not in used:
                    erasing += [(lines - gone, used | {winner}) for gone in self.erasures(lines, laid)]
                for standing, after in erasing:
                    for drawn in self.drawings(standing, laid):
                        counts[level] += 1
                        if any(left.values()):
                            go(level + 1, left, winner, [], standing | drawn, after)
                return
            seat = "ABCAB"["ABC".index(first) + len(laid)]
            hand = left[seat]
            led = laid[0].split("-")[0] if laid else ""
            same = [card for card in hand if led and card.startswith(led)]
            for card in same or hand:
                counts[level] += 1
                rest = {**left, seat: [held for held in hand if held != card]}
                go(level + 1, rest, first, [*laid, card], lines, used)

        go(0, hands, lead, [], frozenset(), frozenset())
        return counts

    @staticmethod
    def deals(
        hidden: list[str], slots: dict[str, int], never: dict[str, set[str]]
    ) -> Iterator[dict[str, tuple[str, ...]]]:
        """Every way to deal the hidden cards, kept where no seat gets a colour that it can't have."""
        for first in combinations(hidden, slots["A"]):
            rest = [card for card in hidden if card not in first]
            for second in combinations(rest, slots["B"]):
                third = tuple(card for card in rest if card not in second)
                deal = {"A": first, "B": second, "C": third}
                if not any(card.split("-")[0] in never[seat] for seat, cards in deal.items() for card in cards):
                    yield deal


@pytest.fixture(scope="session")
def slow_rules() -> type[SlowRules]:
    """The second set of rules."""
    return SlowRules
