"""A duel to tell stories of: what its sensors say, and what the judge makes of it. Play began at 0; times are milliseconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from companion.decks import builtin_deck
from companion.duel.judge import DuelJudge
from companion.duel.reports import (
    ClosingReport,
    DieNews,
    DieReport,
    RaisedReport,
    Report,
    Source,
    SwingReport,
    ToldReport,
    TouchReport,
)
from companion.duel.rulings import Ruled
from companion.duel.timeline import Entry
from companion.rules.hoshi_battle import HoshiBattleSettings, HoshiBattleSetup, HoshiBattleState, cards_of
from companion.rules.hoshi_battle.facts import (
    CardKind,
    CardsKept,
    CardsPlaced,
    Face,
    Fact,
    HeroRevealed,
    PlayBegan,
    Where,
)
from companion.rules.hoshi_battle.fold import apply, start
from companion.rules.hoshi_battle.setup import DuelCard, HeroCard, Needs

MS = 1000
SENSORS = (Source.PAD, Source.DICE, Source.HANDS)
HEROES, DUELS = cards_of(builtin_deck("hoshi-battle").cards)
PLAIN = {f"plain-{n}": HeroCard(f"plain-{n}", f"Plain {n}", 10, n, ()) for n in range(1, 6)}
IDLE = {
    f"idle-{n}": DuelCard(f"idle-{n}", f"Idle {n}", None, n, frozenset(), frozenset(), Needs.NOTHING, False, ())
    for n in range(1, 6)
}


def rolling(hero_a: str = "plain-1", hero_b: str = "plain-2", *, cards: str = "", **settings: Any) -> HoshiBattleState:
    """Two Heroes whose dice roll since 0."""
    setup = HoshiBattleSetup(("A", "B"), "A", HEROES | PLAIN, DUELS | IDLE, HoshiBattleSettings(**settings))
    state = start(setup)
    facts: list[Fact] = [CardsKept(seat, kind, 3) for kind in CardKind for seat in "AB"]
    facts += [CardsPlaced(seat, duel=seat in cards) for seat in "AB"]
    facts += [HeroRevealed("A", hero_a), HeroRevealed("B", hero_b), PlayBegan(0)]
    for fact in facts:
        state = apply(state, fact)
    return state


class Duel:
    """Sensors that tell, and a judge that listens."""

    def __init__(self, state: HoshiBattleState, sources: tuple[Source, ...] = SENSORS) -> None:
        self.judge = DuelJudge(state, sources)
        self.sources = sources
        self._count: Counter[Source] = Counter()
        self._throws: Counter[tuple[str, int]] = Counter()

    def say(self, source: Source, report: Report, at_ms: float, within_ms: float = 0.0) -> tuple[int, ...]:
        self._count[source] += 1
        key = (self._count[source],)
        self.judge.tell(Entry(round(at_ms * MS), round(within_ms * MS), source, key, report))
        return key

    def die(self, seat: str, news: DieNews, at_ms: float, within_ms: float = 0.0, die: int = 0, **more: Any) -> None:
        throw = self._throws[seat, die]
        self.say(Source.DICE, DieReport(news, seat, die, throw, **more), at_ms, within_ms)

    def roll(
        self,
        seat: str,
        at_ms: float,
        face: Face | None = Face.STRIKE,
        *,
        inside: bool | None = True,
        is_decided: bool = True,
        within_ms: float = 4.0,
        die: int = 0,
    ) -> None:
        """A die comes to rest, let go 350 ms before; `face` None: not read yet."""
        self._throws[seat, die] += 1
        self.die(seat, DieNews.RELEASED, at_ms - 350, 10, die)
        self.die(seat, DieNews.SETTLED, at_ms, within_ms, die)
        if face is not None:
            self.die(seat, DieNews.READ, at_ms, 0, die, face=face)
        if is_decided:
            self.die(seat, DieNews.DECIDED, at_ms, 0, die, inside=inside)

    def touch(
        self, at_ms: float, *by: str, where: Where = Where.HAND, is_seen: bool = True, within_ms: float = 0.5
    ) -> tuple[int, ...]:
        """Hands touch; without `by` nobody can tell whose hand it was, without `is_seen` the camera is silent."""
        key = self.say(Source.PAD, TouchReport(), at_ms, within_ms)
        if is_seen:
            self.say(Source.HANDS, ClosingReport(key, by or None, where), at_ms)
        return key

    def swing(self, seat: str, at_ms: float, *, is_sure: bool = True) -> None:
        self.say(Source.HANDS, SwingReport(seat, is_sure), at_ms, 8)

    def raised(self, seat: str, at_ms: float, until_ms: float | None = None, *, is_sure: bool = True) -> None:
        self.say(Source.HANDS, RaisedReport(seat, True, is_sure), at_ms, 8)
        if until_ms is not None:
            self.say(Source.HANDS, RaisedReport(seat, False, is_sure), until_ms, 8)

    def people(self, fact: Fact, at_ms: float, within_ms: float = 0.0) -> None:
        self.say(Source.PEOPLE, ToldReport(fact), at_ms, within_ms)

    def through(self, at_ms: float, *sources: Source) -> None:
        for source in sources or self.sources:
            self.judge.told_through(source, round(at_ms * MS))

    def step(self, now_ms: float) -> tuple[Ruled, ...]:
        return self.judge.step(round(now_ms * MS))

    def ruled(self, now_ms: float = 60_000) -> Ruled:
        """All have told everything; the one ruling that follows."""
        self.through(now_ms)
        (ruled,) = self.step(now_ms)
        return ruled


@pytest.fixture
def duel() -> Callable[..., Duel]:
    """A duel of two Heroes without abilities, or of these."""

    def begun(*heroes: str, sources: tuple[Source, ...] = SENSORS, **more: Any) -> Duel:
        return Duel(rolling(*heroes, **more), sources)

    return begun
