"""Any facts in any order: nothing is refused, the state is the fold of its facts, undo is a refold."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from companion.rules.ahuha import RULES, AhuhaSettings, AhuhaSetup, Mode, Phase, worlds
from companion.rules.ahuha.facts import (
    AsitaShown,
    CardLaid,
    CardPlaced,
    CardRevealed,
    Dealt,
    EffectTold,
    Fact,
    FrozenPlaced,
    FrozenTaken,
    Orientation,
    RoundEnded,
    SeatsSwapped,
    SeriesEnded,
    Side,
    Told,
    YonoTigiriShown,
)
from companion.rules.core import Level
from companion.virtual.ahuha import Game, builtin_setup

CARDS = builtin_setup().cards
SEATS = st.sampled_from(["A", "B", "C", "D"])
CARD = st.sampled_from([*sorted(CARDS), "asita"])
ANY_FACT: st.SearchStrategy[Fact] = st.one_of(
    st.just(Dealt()),
    st.builds(CardLaid, SEATS),
    st.builds(CardRevealed, SEATS, CARD),
    st.builds(
        EffectTold,
        st.sampled_from(Told),
        st.lists(SEATS, max_size=3).map(tuple),
        st.none() | CARD,
        st.sampled_from([(), ("kesiki:siro",), ("vega",), ("nothing",)]),
    ),
    st.builds(FrozenTaken, SEATS, st.sampled_from(Side)),
    st.builds(FrozenPlaced, SEATS, st.sampled_from(Side)),
    st.builds(CardPlaced, SEATS, CARD, st.sampled_from(Orientation)),
    st.just(RoundEnded()),
    st.builds(AsitaShown, SEATS),
    st.builds(YonoTigiriShown, SEATS),
    st.just(SeriesEnded()),
    st.builds(SeatsSwapped, SEATS, SEATS),
)


class AnyPlay(RuleBasedStateMachine):
    """Honest acts that lead through a game, with anything at all in between."""

    def __init__(self) -> None:
        super().__init__()
        self.facts: list[Fact] = []
        self.states: list = []

    @initialize(seed=st.integers(0, 1000), mode=st.sampled_from(Mode), side=st.sampled_from(Side), binds=st.booleans())
    def sit_down(self, seed: int, mode: Mode, side: Side, binds: bool) -> None:
        chosen = AhuhaSettings(mode=mode, frozen_in_front=side, answers_bind=binds)
        self.setup_ = AhuhaSetup(("A", "B", "C"), CARDS, chosen)
        self.states = [RULES.start(self.setup_)]
        self.script = Game(self.setup_, seed).acts()

    @property
    def state(self):
        return self.states[-1]

    def tell(self, fact: Fact) -> tuple:
        before = self.state
        findings = RULES.judge(before, fact)
        self.states.append(RULES.apply(before, fact))
        self.facts.append(fact)
        ranks = [list(Level).index(finding.level) for finding in findings]
        assert ranks == sorted(ranks)
        for finding in findings:
            assert finding.text.endswith(".")
            assert ":" in finding.rule
        return findings

    @precondition(lambda self: self.states)
    @rule(fact=ANY_FACT)
    def anything(self, fact: Fact) -> None:
        self.tell(fact)

    @precondition(lambda self: self.states)
    @rule(acts=st.integers(1, 12))
    def as_the_game_goes(self, acts: int) -> None:
        for _ in range(acts):
            fact = next(self.script, None)
            if fact is not None:
                self.tell(fact)

    @precondition(lambda self: len(self.states) > 1)
    @rule(back=st.integers(1, 5))
    def undo(self, back: int) -> None:
        """What is undone is as if it had never been told."""
        keep = max(0, len(self.facts) - back)
        del self.facts[keep:], self.states[keep + 1 :]
        state = RULES.start(self.setup_)
        for fact in self.facts:
            state = RULES.apply(state, fact)
        assert state == self.state

    @precondition(lambda self: len(self.facts) > 1)
    @rule(data=st.data())
    def correct(self, data: st.DataObject) -> None:
        """A fact told wrong is told anew: the later ones are folded over it."""
        at = data.draw(st.integers(0, len(self.facts) - 1))
        facts = [*self.facts[:at], data.draw(ANY_FACT), *self.facts[at + 1 :]]
        del self.facts[at:], self.states[at + 1 :]
        for fact in facts[at:]:
            self.tell(fact)

    @invariant()
    def holds_together(self) -> None:
        if not self.states:
            return
        state = self.state
        RULES.expects(state)
        assert worlds(state.knowledge, self.setup_) >= 0
        assert all(0 <= played <= 6 for played in state.knowledge.plays)
        assert 1 <= state.round.number <= 8
        assert (RULES.outcome(state) is not None) is (state.phase is Phase.OVER)
        placed = [card.card for home in state.homes for card in home]
        assert len(placed) == len(set(placed))
        assert sum(state.scores.values()) <= 3 * 40


AnyPlay.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestAnyPlay = AnyPlay.TestCase
