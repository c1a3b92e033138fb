"""Any facts in any order: nothing is refused, the state is the fold of its facts, undo is a refold."""

from __future__ import annotations

import json

from any_play import AnyPlay
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant

from companion.games.codec import FactCodec
from companion.journal.events import canonical
from companion.rules.hoshi_battle import RULES, HoshiBattleSettings, Verdict, rule_touch
from companion.rules.hoshi_battle.facts import (
    FACTS,
    ActAttested,
    CardDeclined,
    CardKind,
    CardsDealt,
    CardsKept,
    CardsPassed,
    CardsPlaced,
    DeckBrought,
    DieFell,
    DiePickedUp,
    DiePutBack,
    DieRolled,
    DieTaken,
    DuelCardRevealed,
    EffectTold,
    Face,
    Fact,
    Foul,
    FoulSeen,
    HandLowered,
    HandRaised,
    HandsTouched,
    HeroExiled,
    HeroRevealed,
    OpponentChosen,
    PlayBegan,
    Ruling,
    SaveRolled,
    StonesCounted,
    SwingMissed,
    TimeoutCalled,
    Told,
    ToldKind,
    ToldSpan,
    TouchRuled,
    Where,
)
from companion.rules.hoshi_battle.settings import Deal, MutualBluff, Restart, Silence
from companion.rules.hoshi_battle.state import Phase
from companion.virtual.battle import Battle
from companion.virtual.battle_script import MischiefPlan
from companion.virtual.hoshi_battle import setup_for

SETUP = setup_for()
SEAT = st.sampled_from(["A", "B", "C", "Z"])
HERO = st.sampled_from([*sorted(SETUP.heroes), "rage", "red-01"])
DUEL = st.sampled_from([*sorted(SETUP.duels), "yoss", "red-01"])
TIME = st.none() | st.integers(0, 4_000_000)
WITHIN = st.sampled_from([0, 5_000])
DIE = st.sampled_from([0, 1, 2])
FACE = st.sampled_from(Face)
KIND = st.sampled_from(CardKind)
COUNT = st.integers(0, 6)
TOLD = st.builds(
    Told, st.sampled_from(ToldKind), SEAT, st.sampled_from([-3, 0, 1, 8, 10]), FACE, FACE, st.sampled_from(ToldSpan)
)
STRATEGIES: dict[type, st.SearchStrategy] = {
    DeckBrought: st.builds(
        DeckBrought, SEAT, st.lists(HERO, max_size=5).map(tuple), st.lists(DUEL, max_size=5).map(tuple)
    ),
    CardsDealt: st.builds(CardsDealt, SEAT, KIND, COUNT),
    CardsPassed: st.builds(CardsPassed, SEAT, SEAT, KIND, COUNT),
    CardsKept: st.builds(CardsKept, SEAT, KIND, COUNT),
    OpponentChosen: st.builds(OpponentChosen, SEAT, SEAT),
    CardsPlaced: st.builds(CardsPlaced, SEAT, st.booleans(), st.booleans()),
    HeroRevealed: st.builds(HeroRevealed, SEAT, HERO),
    DuelCardRevealed: st.builds(DuelCardRevealed, SEAT, DUEL),
    CardDeclined: st.builds(CardDeclined, SEAT),
    EffectTold: st.builds(EffectTold, SEAT, HERO | DUEL, st.lists(TOLD, max_size=3).map(tuple)),
    DieTaken: st.builds(DieTaken, SEAT, st.sampled_from([6, 8, 10]), DIE),
    StonesCounted: st.builds(StonesCounted, SEAT, COUNT),
    PlayBegan: st.builds(PlayBegan, TIME, st.booleans()),
    DieRolled: st.builds(
        DieRolled,
        SEAT,
        FACE,
        TIME,
        WITHIN,
        st.sampled_from([True, True, False, None]),
        DIE,
        TIME,
        st.sampled_from([None, 8, 10]),
    ),
    DiePickedUp: st.builds(DiePickedUp, SEAT, TIME, WITHIN, DIE),
    DiePutBack: st.builds(DiePutBack, SEAT, FACE, TIME, DIE),
    DieFell: st.builds(DieFell, SEAT, TIME, DIE),
    SwingMissed: st.builds(SwingMissed, SEAT, TIME),
    HandRaised: st.builds(HandRaised, SEAT, TIME),
    HandLowered: st.builds(HandLowered, SEAT, TIME),
    HandsTouched: st.builds(
        HandsTouched, st.lists(SEAT, max_size=3, unique=True).map(tuple), TIME, WITHIN, st.sampled_from(Where)
    ),
    TouchRuled: st.builds(TouchRuled, st.sampled_from(Ruling), st.none() | SEAT),
    ActAttested: st.builds(ActAttested, SEAT, st.sampled_from(["yell Boo", "cover an eye"]), st.booleans()),
    SaveRolled: st.builds(SaveRolled, SEAT, FACE, st.sampled_from([None, 8, 10])),
    TimeoutCalled: st.builds(TimeoutCalled, SEAT, TIME),
    HeroExiled: st.builds(HeroExiled, SEAT),
    FoulSeen: st.builds(FoulSeen, SEAT, st.sampled_from(Foul)),
}
ANY_FACT: st.SearchStrategy[Fact] = st.one_of(*STRATEGIES.values())


def test_every_fact_is_among_those_that_are_tried() -> None:
    assert set(STRATEGIES) == set(FACTS.values())


class AnyBattle(AnyPlay):
    """Honest and dishonest players of Hoshi Battle."""

    game = RULES
    any_fact = ANY_FACT

    @initialize(
        data=st.data(),
        seed=st.integers(0, 10_000),
        seats=st.sampled_from([("A", "B"), ("A", "B", "C")]),
        mischief=st.sampled_from([0, 100]),
    )
    def sit_down(self, data: st.DataObject, seed: int, seats: tuple[str, ...], mischief: int) -> None:
        agreed = HoshiBattleSettings(
            deal=data.draw(st.sampled_from(Deal)),
            stones=data.draw(st.integers(1, 3)),
            restart_stones=data.draw(st.sampled_from(Restart)),
            unattested=data.draw(st.sampled_from(Silence)),
            mutual_bluff=data.draw(st.sampled_from(MutualBluff)),
            gates_on_bluff=data.draw(st.booleans()),
            timeout_clears_dice=data.draw(st.booleans()),
            artifacts_act_again=data.draw(st.booleans()),
        )
        setup = setup_for(seats, agreed)
        self.sit(setup, Battle(setup, seed, MischiefPlan(*[mischief] * 9)).facts())

    @invariant()
    def the_state_makes_sense(self) -> None:
        if not self.states:
            return
        state = self.state
        assert all(left >= 0 for left in state.heroes_left.values())
        assert all(player.duels >= 0 for player in state.players)
        duel = state.duel
        assert (duel is None) is (state.phase in (Phase.DEAL, Phase.OPPONENT, Phase.OVER))
        if duel is not None:
            assert all(fighter.stones >= 0 and len(fighter.dice) in (1, 2) for fighter in duel.fighters)
            stamps = [active.stamp for active in duel.actives if active.stamp]
            assert len(set(stamps)) == len(stamps)
            assert bool(duel.hits) <= (state.phase is Phase.HIT)

    @invariant()
    def the_rest_can_always_be_asked(self) -> None:
        if not self.states:
            return
        state = self.state
        wanted = RULES.expects(state)
        assert bool(wanted) is (state.phase is not Phase.OVER)
        assert all(expectation.text.endswith((".", "?")) for expectation in wanted)
        outcome = RULES.outcome(state)
        assert (outcome is not None) is (state.phase is Phase.OVER)
        assert outcome is None or outcome.winners
        for by in (("A",), ("B", "A"), ()):
            ruling = rule_touch(state, HandsTouched(by, 2_000_000))
            assert (ruling.verdict is Verdict.NOTHING) or state.phase is Phase.ROLLING


TestAnyPlay = AnyBattle.TestCase
TestAnyPlay.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


@given(fact=ANY_FACT)
@settings(max_examples=300, deadline=None)
def test_every_fact_survives_the_journal(fact: Fact) -> None:
    """Written as canonical JSON and read back strictly, it is the same fact; written again, the same bytes."""
    codec = FactCodec(FACTS)
    text = canonical(codec.to_json(fact))
    back = codec.of_json(json.loads(text))
    assert back == fact
    assert canonical(codec.to_json(back)) == text
