"""The rules once more, written another way: intervals and a plain ledger over the whole list of facts, sharing only the facts."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.rules.hoshi_battle import RULES, HoshiBattleSettings, HoshiBattleSetup, Verdict, rule_touch
from companion.rules.hoshi_battle.facts import (
    CardsPlaced,
    DiePickedUp,
    DieRolled,
    Face,
    HandLowered,
    HandRaised,
    HandsTouched,
    HeroExiled,
    HeroRevealed,
    PlayBegan,
    SwingMissed,
    TimeoutCalled,
)
from companion.rules.hoshi_battle.setup import DuelCard, HeroCard, Needs
from companion.virtual.battle import play_battle
from companion.virtual.battle_script import MischiefPlan

MS = 1000
HEROES = {f"h{n}": HeroCard(f"h{n}", f"H{n}", 10 if n % 2 else 8, n, ()) for n in range(10)}
DUELS = {
    f"d{n}": DuelCard(f"d{n}", f"D{n}", None, n, frozenset(), frozenset(), Needs.NOTHING, False, ()) for n in range(10)
}


class Ledger:
    """Stones and Heroes of a game whose cards do nothing, from the facts alone."""

    def __init__(self, seats: str) -> None:
        self.heroes = dict.fromkeys(seats, 3)
        self.stones: dict[str, int] = {}
        self.symbols: dict[str, Face | None] = dict.fromkeys(seats)
        self.spent: dict[str, bool] = dict.fromkeys(seats, False)

    def tell(self, fact) -> None:
        match fact:
            case HeroRevealed(seat):
                self.stones[seat] = 2
            case PlayBegan():
                self.symbols = dict.fromkeys(self.symbols)
            case DieRolled(seat, face, inside=inside):
                self.symbols[seat] = face if inside else None
            case DiePickedUp(seat) | SwingMissed(seat):
                self.symbols[seat] = None
            case HandLowered(seat):
                for other in self.symbols:
                    if other != seat:  # the plans' hands always stay up for longer than the moment
                        self.symbols[other] = None
            case HandsTouched(by):
                self.touch(by)
            case HeroExiled(seat):
                assert self.stones.pop(seat) == 0
                self.heroes[seat] -= 1

    def touch(self, by: tuple[str, ...]) -> None:
        with_symbol = [seat for seat in by if self.symbols[seat] is Face.STRIKE]
        fighters = list(self.stones)
        if len(with_symbol) == 2:
            return
        if with_symbol:
            (hitter,) = with_symbol
            victims = [seat for seat in fighters if seat != hitter]
        else:
            victims = list(by)
        for victim in victims:
            self.stones[victim] -= 1


def test_ledger_of_whole_games() -> None:
    """Plain cards, with bluffs and invalid rolls: the Stones after every fact, the Heroes, and the winner."""
    setup = HoshiBattleSetup(("A", "B"), "A", HEROES, DUELS, HoshiBattleSettings())
    for seed in range(60):
        facts = play_battle(setup, seed, MischiefPlan(bluff=60, outside=80)).facts
        ledger, state = Ledger("AB"), RULES.start(setup)
        for fact in facts:
            ledger.tell(fact)
            state = RULES.apply(state, fact)
            if state.duel is not None:
                ours = {setup.seats[x.place]: x.stones for x in state.duel.fighters if x.hero is not None}
                assert ours == ledger.stones, (seed, fact)
            assert state.heroes_left == ledger.heroes, (seed, fact)
        outcome = RULES.outcome(state)
        assert outcome is not None
        assert [seat for seat, left in ledger.heroes.items() if left] in ([*outcome.winners], [])
        assert not any(isinstance(fact, TimeoutCalled) for fact in facts[-3:])


def slow_verdict(settled: int, picked: int | None, raised: int | None, touch: int, strike: bool) -> Verdict:
    """By the set of milliseconds at which the symbol lived, and those at which nobody can say."""
    if not strike:
        return Verdict.BLUFF
    end = picked if picked is not None else 10**6
    lived = settled <= touch < end
    defended = raised is not None and touch >= max(raised, settled) + 1000
    doubtful = abs(touch - settled) <= 40 or (picked is not None and abs(touch - picked) <= 40)
    if defended:
        return Verdict.BLUFF
    if touch < settled - 40 or touch > end + 40:
        return Verdict.BLUFF
    if doubtful:
        return Verdict.TOO_CLOSE
    return Verdict.HIT if lived else Verdict.BLUFF


@given(
    settled=st.integers(0, 1500),
    stay=st.none() | st.integers(0, 1500),
    raised=st.none() | st.integers(0, 1500),
    touch=st.integers(0, 4000),
    strike=st.booleans(),
)
@settings(max_examples=400, deadline=None)
def test_a_touch_at_any_time(settled, stay, raised, touch, strike) -> None:
    setup = HoshiBattleSetup(("A", "B"), "A", HEROES, DUELS, HoshiBattleSettings())
    picked = None if stay is None else settled + stay
    facts = [
        (settled, DieRolled("A", Face.STRIKE if strike else Face.BLANK, settled * MS)),
        *([] if picked is None else [(picked, DiePickedUp("A", picked * MS))]),
        *([] if raised is None else [(raised, HandRaised("B", raised * MS))]),
    ]
    state = RULES.start(setup)
    for fact in (
        CardsPlaced("A"),
        CardsPlaced("B"),
        HeroRevealed("A", "h1"),
        HeroRevealed("B", "h2"),
        PlayBegan(0),
        *(fact for _, fact in sorted(facts, key=lambda pair: pair[0])),
    ):
        state = RULES.apply(state, fact)
    found = rule_touch(state, HandsTouched(("A",), touch * MS))
    assert found.verdict is slow_verdict(settled, picked, raised, touch, strike)
    assert rule_touch(state, replace(HandsTouched(("A",), touch * MS), by=())).verdict is Verdict.TOO_CLOSE
