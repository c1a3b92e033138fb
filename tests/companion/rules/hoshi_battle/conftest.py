"""A table of Hoshi Battle to tell stories at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.decks import builtin_deck
from companion.rules.core import Expectation, Finding, Level, Outcome
from companion.rules.hoshi_battle import RULES, HoshiBattleSettings, HoshiBattleSetup, HoshiBattleState, cards_of
from companion.rules.hoshi_battle.facts import (
    CardDeclined,
    CardKind,
    CardsKept,
    CardsPlaced,
    DiePickedUp,
    DieRolled,
    DuelCardRevealed,
    Face,
    Fact,
    HandsTouched,
    HeroExiled,
    HeroRevealed,
    PlayBegan,
)
from companion.rules.hoshi_battle.setup import DuelCard, HeroCard, Needs
from companion.rules.hoshi_battle.state import Fighter, Phase, side_of

MS = 1000
HEROES, DUELS = cards_of(builtin_deck("hoshi-battle").cards)
PLAIN = {f"plain-{n}": HeroCard(f"plain-{n}", f"Plain {n}", 10 if n % 2 else 8, n, ()) for n in range(1, 10)}
"""Heroes without an ability: odd ones battle with the d10, even ones with the d8; the number is the cost."""
IDLE = {
    f"idle-{n}": DuelCard(f"idle-{n}", f"Idle {n}", None, n, frozenset(), frozenset(), Needs.NOTHING, False, ())
    for n in range(1, 10)
}
"""Duel cards that do nothing, at any time."""


class Table:
    """Tells facts to the rules and remembers what the judge said of each. Its clock moves on with each act."""

    def __init__(
        self, seats: str = "AB", heroes: dict | None = None, duels: dict | None = None, **settings: Any
    ) -> None:
        all_heroes = HEROES | PLAIN | (heroes or {})
        all_duels = DUELS | IDLE | (duels or {})
        self.setup = HoshiBattleSetup(tuple(seats), seats[0], all_heroes, all_duels, HoshiBattleSettings(**settings))
        self.state: HoshiBattleState = RULES.start(self.setup)
        self.findings: list[Finding] = []
        self.facts: list[Fact] = []
        self.now = 0

    def tell(self, *facts: Fact) -> list[Finding]:
        """What the judge says of these facts."""
        said: list[Finding] = []
        for fact in facts:
            said += RULES.judge(self.state, fact)
            self.state = RULES.apply(self.state, fact)
            self.facts.append(fact)
        self.findings += said
        return said

    def keep(self) -> list[Finding]:
        """Everybody has chosen three of each."""
        return self.tell(*(CardsKept(seat, kind, 3) for kind in CardKind for seat in self.setup.seats))

    def duel(self, *, cards: str = "", began: bool = True, **heroes: str) -> list[Finding]:
        """These seats place and reveal these Heroes; the seats named in `cards` lay a Duel card beside them."""
        if self.state.phase is Phase.DEAL:
            self.keep()
        said = self.tell(*(CardsPlaced(seat, duel=seat in cards) for seat in heroes))
        said += self.tell(*(HeroRevealed(seat, hero) for seat, hero in heroes.items()))
        return said + (self.begin() if began else [])

    def begin(self, *, counted: bool = True) -> list[Finding]:
        self.now += 3000 * MS
        return self.tell(PlayBegan(self.now, counted))

    def roll(self, seat: str, face: str | Face = Face.STRIKE, **more: Any) -> list[Finding]:
        """The seat's die comes to rest; it was let go 300 ms before."""
        self.now += 500 * MS
        more = {"released_us": self.now - 300 * MS} | more
        return self.tell(DieRolled(seat, Face(face), self.now, **more))

    def pick_up(self, seat: str, die: int = 0) -> list[Finding]:
        self.now += 200 * MS
        return self.tell(DiePickedUp(seat, self.now, die=die))

    def touch(self, *by: str, after_ms: int = 250, **more: Any) -> list[Finding]:
        self.now += after_ms * MS
        return self.tell(HandsTouched(tuple(by), self.now, **more))

    def hit(self, seat: str) -> list[Finding]:
        """The seat rolls the hit symbol and touches the other's hand."""
        return self.roll(seat) + self.touch(seat)

    def play(self, seat: str, card: str) -> list[Finding]:
        return self.tell(DuelCardRevealed(seat, card))

    def decline(self, *seats: str) -> list[Finding]:
        return self.tell(*(CardDeclined(seat) for seat in seats))

    def win(self, seat: str) -> None:
        """The seat hits until the other's Hero is exiled."""
        loser = next(other for other in self.state.duellists if other != seat)
        number = len(self.state.done)
        while len(self.state.done) == number:
            self.hit(seat)
            if self.fighter(loser).stones <= 0:
                self.tell(HeroExiled(loser))

    def fighter(self, seat: str) -> Fighter:
        side = side_of(self.state, seat)
        assert side is not None
        assert self.state.duel is not None
        return self.state.duel.fighters[side]

    def stones(self, seat: str) -> int:
        return self.fighter(seat).stones

    def die(self, seat: str) -> tuple[int | None, ...]:
        return self.fighter(seat).dice

    @property
    def phase(self) -> Phase:
        return self.state.phase

    def expects(self, act: str | None = None) -> list[Expectation]:
        return [wanted for wanted in RULES.expects(self.state) if act is None or wanted.act == act]

    def outcome(self) -> Outcome | None:
        return RULES.outcome(self.state)


def rules_of(said: list[Finding], level: Level | None = None) -> list[str]:
    """The sections that findings name."""
    return [finding.rule for finding in said if level is None or finding.level is level]


@pytest.fixture
def table() -> Callable[..., Table]:
    """Makes a table; keywords are settings."""
    return Table


@pytest.fixture
def rules() -> Callable[..., list[str]]:
    return rules_of
