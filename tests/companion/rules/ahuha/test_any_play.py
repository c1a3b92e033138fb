"""Any facts in any order: nothing is refused, the state is the fold of its facts, undo is a refold."""

from __future__ import annotations

from any_play import AnyPlay
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant

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
from companion.virtual.ahuha import AhuhaCheat, Game, builtin_setup

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


class AnyAhuha(AnyPlay):
    """Honest and dishonest players of Ahuha."""

    game = RULES
    any_fact = ANY_FACT

    @initialize(
        seed=st.integers(0, 1000),
        mode=st.sampled_from(Mode),
        side=st.sampled_from(Side),
        binds=st.booleans(),
        cheat=st.sampled_from([0, 0, 150]),
    )
    def sit_down(self, seed: int, mode: Mode, side: Side, binds: bool, cheat: int) -> None:
        chosen = AhuhaSettings(mode=mode, frozen_in_front=side, answers_bind=binds)
        setup = AhuhaSetup(("A", "B", "C"), CARDS, chosen)
        self.sit(setup, Game(setup, seed, AhuhaCheat(*[cheat] * 8)).acts())

    @invariant()
    def holds_together(self) -> None:
        if not self.states:
            return
        state = self.state
        RULES.expects(state)
        ways = worlds(state.knowledge, self.setup_)
        assert ways is None or ways >= 0
        assert all(0 <= played <= 6 for played in state.knowledge.plays)
        assert 1 <= state.round.number <= 8
        assert (RULES.outcome(state) is not None) is (state.phase is Phase.OVER)
        placed = [card.card for home in state.homes for card in home]
        assert len(placed) == len(set(placed))
        assert sum(state.scores.values()) <= 3 * 40


TestAnyPlay = AnyAhuha.TestCase
TestAnyPlay.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
