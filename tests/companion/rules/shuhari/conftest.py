"""A table to tell stories at, and a second, slow set of rules written another way to check the first against."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from companion.rules.core import Finding, Level, Outcome
from companion.rules.shuhari import RULES, CardKind, ShuhariCard, ShuhariSettings, ShuhariSetup, ShuhariState
from companion.rules.shuhari.facts import (
    CardDrawn,
    CardPlayed,
    CardTaken,
    DeckRenewed,
    Fact,
    Play,
    Suit,
    TrickCleared,
)

NAMES = ("ikebana", "buyo", "koto", "chado", "shodo")
OFFSETS = [(1, 2), (1, 3), (1, 4), (2, 1), (2, 3), (2, 4), (3, 1), (3, 2), (3, 4), (4, 1), (4, 2), (4, 3)]
"""The readings' pairs, rank by rank."""


def deck(preparations: int = 5, reviews: int = 5) -> dict[str, ShuhariCard]:
    """The readings' deck, made here once more: "7-ikebana" is the card of rank 7 whose Obey suit is ikebana."""
    cards = {}
    for rank, (a, b) in enumerate(OFFSETS, 1):
        for i, name in enumerate(NAMES):
            suits = tuple(Suit(NAMES[(i + step) % 5]) for step in (0, a, b))
            cards[f"{rank}-{name}"] = ShuhariCard(CardKind.ART, rank, suits)
    cards["preparation"] = ShuhariCard(CardKind.PREPARATION, copies=preparations)
    cards["review"] = ShuhariCard(CardKind.REVIEW, copies=reviews)
    return cards


CARDS = deck()


def _card(rank: int, ring: int, suit: str) -> str:
    """The card of a rank that shows a suit in a ring, 0 to 2; there is exactly one."""
    (found,) = [name for name, data in CARDS.items() if data.rank == rank and data.suits[ring] == suit]
    return found


class Table:
    """Tells facts to the rules and remembers what the judge said of each."""

    def __init__(self, players: int = 3, lead: str = "A", **settings: Any) -> None:
        self.setup = ShuhariSetup(("A", "B", "C")[:players], lead, CARDS, ShuhariSettings(**settings))
        self.state: ShuhariState = RULES.start(self.setup)
        self.facts: list[Fact] = []
        self.findings: list[Finding] = []

    def tell(self, *facts: Fact) -> list[Finding]:
        """What the judge says of these facts."""
        said: list[Finding] = []
        for fact in facts:
            said += RULES.judge(self.state, fact)
            self.state = RULES.apply(self.state, fact)
            self.facts.append(fact)
        self.findings += said
        return said

    def play(self, *plays: str, slots: Iterable[int | None] = ()) -> list[Finding]:
        """Whoever's turn it is plays a card, "7-ikebana" or "7-ikebana rest", and draws; a Review waits for the taking."""
        said: list[Finding] = []
        places = list(slots) or [None] * len(plays)
        for text, slot in zip(plays, places, strict=True):
            name, _, how = text.partition(" ")
            seat = self.state.turn
            said += self.tell(CardPlayed(seat, name, Play(how) if how else None, slot))
            if self.setup.cards[name].kind is CardKind.ART:
                said += self.tell(CardDrawn(seat, slot))
        return said

    def take(self, name: str) -> list[Finding]:
        return self.tell(CardTaken(self.state.turn, name))

    def clear(self) -> list[Finding]:
        return self.tell(TrickCleared())

    def fill(self, suit: str, ring: int, ranks: Iterable[int], how: str = "") -> list[Finding]:
        """Cards that show a suit in a ring, one a turn."""
        return self.play(*(f"{_card(rank, ring, suit)} {how}".strip() for rank in ranks))

    def run_out(self, *held: str) -> None:
        """The deck ran out and the pile became the deck; of the art cards not seen so far these only stayed in hands."""
        pool = self.state.pool
        hidden = sum(self.setup.arts[name].bit for name in held)
        pile = pool.pile | pool.hidden & ~hidden
        self.state = self.state._replace(pool=pool._replace(deck=0, hidden=hidden, fresh=hidden, pile=pile))
        assert self.tell(DeckRenewed()) == []

    def outcome(self) -> Outcome | None:
        return RULES.outcome(self.state)

    def with_chart(self, **rows: dict[str, str]) -> None:
        """Boxes filled before: A={"ikebana": "OD"}."""
        chart = []
        for seat in self.setup.seats:
            row = rows.get(seat, {})
            chart.append(tuple(sum(1 << "ODS".index(stage) for stage in row.get(name, "")) for name in NAMES))
        self.state = self.state._replace(chart=tuple(chart))


@pytest.fixture
def table() -> Callable[..., Table]:
    """Makes a table; keywords are settings."""
    return Table


@pytest.fixture(scope="session")
def card() -> Callable[[int, int, str], str]:
    """The card of a rank that shows a suit in a ring."""
    return _card


@pytest.fixture(scope="session")
def proved() -> Callable[[Iterable[Finding]], list[Finding]]:
    """The findings that are proofs."""
    return lambda findings: [finding for finding in findings if finding.level is Level.PROVED]


class SlowTrick:
    """A trick as a list of (seat, card, how); everything is read from the start each time it is asked for."""

    def __init__(self, cards: dict[str, ShuhariCard], plays: Iterable[tuple[str, str, str]] = ()) -> None:
        self.cards = cards
        self.plays = list(plays)

    def stages(self) -> list[list[tuple[str, int]]]:
        """By stage reached: the (seat, rank) pairs that count, in order."""
        reached: list[list[tuple[str, int]]] = [[]]
        for seat, name, how in self.plays:
            if how == "break":
                reached.append([])
            if how in ("lead", "practice", "break"):
                reached[-1].append((seat, self.cards[name].rank))
        return reached

    @property
    def suit(self) -> str:
        return str(self.cards[self.plays[0][1]].suits[0])

    def legal(self, hand: Iterable[str], review_has: bool) -> set[tuple[str, str]]:
        """Every legal (card, how) of a hand."""
        arts = [name for name in hand if self.cards[name].rank]
        if not self.plays:
            return {(name, "lead") for name in arts}
        reached = self.stages()
        stage = len(reached) - 1
        everything = [rank for pairs in reached for _, rank in pairs]
        practising = {(name, "practice") for name in arts if str(self.cards[name].suits[stage]) == self.suit}
        found = set(practising)
        for name in arts:
            rank = self.cards[name].rank
            if (
                stage == 0
                and str(self.cards[name].suits[1]) == self.suit
                and all(rank >= other for other in everything)
            ):
                found.add((name, "break"))
            if (
                stage == 1
                and str(self.cards[name].suits[2]) == self.suit
                and all(rank <= other for other in everything)
            ):
                found.add((name, "break"))
            if not practising:
                found.add((name, "rest"))
        found |= {(name, "aid") for name in hand if name == "preparation" or (name == "review" and review_has)}
        return found

    def learners(self) -> list[str]:
        """Who learns each stage that was reached."""
        return [
            (min if stage == 1 else max)(pairs, key=lambda pair: pair[1])[0]
            for stage, pairs in enumerate(self.stages())
        ]


def slow_points(learned: set[tuple[str, str, int]], seat: str) -> int:
    """The two scoring tables as sums of their own: (seat, art, stage) boxes."""
    table = {"": 0, "O": 1, "D": -1, "S": -1, "OD": 3, "OS": 2, "DS": 1, "ODS": 5}
    return sum(
        table["".join(letter for stage, letter in enumerate("ODS") if (seat, art, stage) in learned)] for art in NAMES
    )


@pytest.fixture(scope="session")
def slow_score() -> Callable[[set[tuple[str, str, int]], str], int]:
    """The scoring tables once more."""
    return slow_points


@pytest.fixture(scope="session")
def slow_trick() -> type[SlowTrick]:
    """The second set of rules, of one trick."""
    return SlowTrick
