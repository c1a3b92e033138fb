"""Any facts in any order: nothing is refused, the state is the fold of its facts, undo is a refold."""

from __future__ import annotations

from any_play import AnyPlay
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from companion.decks import builtin_deck
from companion.rules.core import Level
from companion.rules.shuhari import RULES, Phase, ShuhariSettings, ShuhariSetup, candidates, cards_of, playable
from companion.rules.shuhari.facts import (
    CardDrawn,
    CardPlayed,
    CardShown,
    CardTaken,
    ChartMarked,
    DeckRenewed,
    DeckSearched,
    Fact,
    HandPutAway,
    Play,
    PlayDeclared,
    Stage,
    StageShown,
    Suit,
    TrickCleared,
)
from companion.rules.shuhari.settings import JointMastery, Played, ShortDeck, ShownHand
from companion.rules.shuhari.state import POINTS
from companion.virtual.shuhari import Game, ShuhariCheat

CARDS = cards_of(builtin_deck("shuhari").cards)
SEATS = st.sampled_from(["A", "B", "C", "D"])
CARD = st.sampled_from([*sorted(CARDS), "13-koto"])
SLOT = st.none() | st.integers(0, 8)
ANY_FACT: st.SearchStrategy[Fact] = st.one_of(
    st.builds(CardPlayed, SEATS, CARD, st.none() | st.sampled_from(Play), SLOT),
    st.builds(PlayDeclared, SEATS, st.sampled_from(Play)),
    st.builds(StageShown, st.sampled_from(Stage)),
    st.builds(CardDrawn, SEATS, SLOT),
    st.builds(DeckSearched, SEATS, st.integers(0, 6), SLOT),
    st.builds(CardTaken, SEATS, CARD, SLOT),
    st.just(DeckRenewed()),
    st.builds(CardShown, SEATS, CARD, SLOT),
    st.builds(HandPutAway, SEATS, st.lists(CARD, max_size=7).map(tuple)),
    st.builds(ChartMarked, SEATS, st.sampled_from(Suit), st.sampled_from(Stage)),
    st.just(TrickCleared()),
)


class AnyShuhari(AnyPlay):
    """Honest and dishonest players of Shuhari, and turns by the rules or not."""

    game = RULES
    any_fact = ANY_FACT

    @initialize(
        players=st.integers(2, 3),
        played=st.sampled_from(Played),
        short=st.sampled_from(ShortDeck),
        shown=st.sampled_from(ShownHand),
        joint=st.sampled_from(JointMastery),
        count=st.booleans(),
        suspect=st.sampled_from([0, 200]),
        seed=st.integers(0, 1000),
        cheat=st.sampled_from([0, 0, 100]),
        followed=st.booleans(),
    )
    def sit_down(self, players, played, short, shown, joint, count, suspect, seed, cheat, followed) -> None:
        agreed = ShuhariSettings(
            already_played=played,
            short_deck=short,
            shown_hand=shown,
            joint_mastery=joint,
            aids_count=count,
            suspect_per_mille=suspect,
        )
        setup = ShuhariSetup(("A", "B", "C")[:players], "A", CARDS, agreed)
        self.sit(setup, Game(setup, seed, ShuhariCheat(*[cheat] * 7), followed=followed).facts())

    @precondition(lambda self: self.states and self.state.phase is Phase.PLAY)
    @rule(data=st.data(), legal=st.booleans())
    def turn(self, data: st.DataObject, legal: bool) -> None:
        """What the rules list as allowed of a hand is never found illegal."""
        state = self.state
        hidden = self.setup_.names(state.pool.hidden)
        seat = state.turn
        hand = data.draw(st.lists(st.sampled_from(hidden), min_size=3, max_size=7)) if hidden else []
        choices = playable(state, hand)
        if legal and choices:
            play = data.draw(st.sampled_from(sorted(choices)))
            findings = self.tell(CardPlayed(seat, data.draw(st.sampled_from(choices[play])), Play(play)))
            allowed = state.hands[self.setup_.places[seat]].hidden > 0
            assert not allowed or all(finding.level is not Level.ILLEGAL for finding in findings)
        elif hand:
            self.tell(CardPlayed(seat, hand[0], data.draw(st.none() | st.sampled_from(Play))))

    @precondition(lambda self: self.states and self.state.phase is Phase.REFILL)
    @rule()
    def refill(self) -> None:
        self.tell(CardDrawn(self.state.turn))

    @precondition(lambda self: self.states and self.state.phase is Phase.CLEAR)
    @rule()
    def clear(self) -> None:
        assert self.tell(TrickCleared()) == ()

    @invariant()
    def cards_are_in_one_place(self) -> None:
        if self.states:
            pool = self.state.pool
            known = [item.card for hand in self.state.hands for item in hand.known if item.card in self.setup_.arts]
            assert pool.hidden & pool.pile == 0
            assert pool.fresh & ~pool.hidden == 0
            assert len(known) == len(set(known))
            assert not any(self.setup_.arts[card].bit & pool.hidden for card in known)

    @invariant()
    def counts_add_up_while_nothing_contradicts_them(self) -> None:
        if self.states and self.state.pool.certain:
            pool = self.state.pool
            held = sum(hand.size for hand in self.state.hands)
            pile = pool.pile.bit_count() + len(pool.aids)
            assert pool.deck + held + pile + len(self.state.trick.cards) == self.setup_.size

    @invariant()
    def windows_are_those_of_the_rests_that_stand(self) -> None:
        if self.states:
            for hand in self.state.hands:
                for item in hand.shown:
                    times = [r.time for r in hand.rests if r.time < item.time and r.kind in item.kinds]
                    assert item.claimed == max([item.after, *times])

    @invariant()
    def the_rest_can_always_be_asked(self) -> None:
        if self.states:
            state = self.state
            assert bool(RULES.expects(state)) is (state.phase is not Phase.OVER)
            outcome = RULES.outcome(state)
            assert (outcome is not None) is (state.phase is Phase.OVER)
            for row, points in zip(state.chart, state.points.values(), strict=True):
                assert points == sum(POINTS[boxes] for boxes in row)
            for seat in self.setup_.seats:
                assert set(candidates(state, seat)) <= set(self.setup_.names(state.pool.hidden))


TestAnyPlay = AnyShuhari.TestCase
TestAnyPlay.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
