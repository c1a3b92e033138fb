"""Any facts in any order: nothing is refused, the state is the fold of its facts, undo is a refold."""

from __future__ import annotations

from any_play import AnyPlay
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from companion.rules.core import Level
from companion.rules.hoshizora import RULES, HoshizoraCard, HoshizoraSettings, HoshizoraSetup, Phase, score, worlds
from companion.rules.hoshizora.drawing import drawable, erasable
from companion.rules.hoshizora.facts import (
    BidRevealed,
    BoardSet,
    CardLaid,
    CardRevealed,
    Colour,
    ColourStated,
    DrawingEnded,
    Fact,
    Line,
    LineDrawn,
    LinesErased,
    Star,
    StarMoved,
)
from companion.rules.hoshizora.settings import EraseTime
from companion.virtual.players import CheatPlan, Game

CARDS = {f"{c}-{n:02d}": HoshizoraCard(c, n, n) for c in Colour for n in range(1, 13)}
SEATS = st.sampled_from(["A", "B", "C", "D"])
CARD = st.sampled_from([*sorted(CARDS), "green-01"])
STAR = st.builds(
    Star,
    st.integers(0, 13),
    st.integers(0, 300).map(float),
    st.integers(0, 300).map(float),
    st.sampled_from([*range(9), None]),
)
LINE = st.builds(Line, st.integers(0, 13), st.integers(0, 13), st.sampled_from(Colour))
ANY_FACT: st.SearchStrategy[Fact] = st.one_of(
    st.builds(CardLaid, SEATS, st.none() | st.integers(0, 5)),
    st.builds(ColourStated, SEATS, st.sampled_from(Colour)),
    st.builds(CardRevealed, SEATS, CARD),
    st.builds(BidRevealed, SEATS, CARD),
    st.builds(LineDrawn, st.integers(0, 13), st.integers(0, 13), st.sampled_from(Colour)),
    st.builds(LinesErased, st.lists(LINE, max_size=3).map(tuple)),
    st.builds(StarMoved, STAR),
    st.just(DrawingEnded()),
    st.builds(BoardSet, st.lists(STAR, max_size=13).map(tuple)),
)


class AnyHoshizora(AnyPlay):
    """Honest and dishonest players of Hoshizora, and tricks from hands that follow suit or don't."""

    game = RULES
    any_fact = ANY_FACT

    @initialize(
        seed=st.integers(0, 1000),
        elimination=st.booleans(),
        when=st.sampled_from(EraseTime),
        lead=st.sampled_from("ABC"),
        cheat=st.sampled_from([0, 0, 150]),
    )
    def sit_down(self, seed: int, elimination: bool, when: EraseTime, lead: str, cheat: int) -> None:
        agreed = HoshizoraSettings(line_elimination=elimination, erase_when=when)
        setup = HoshizoraSetup(("A", "B", "C"), lead, CARDS, agreed)
        game = Game(setup, seed, CheatPlan(*[cheat] * 7), say_colours=seed % 2 == 1)
        self.sit(setup, (act.fact for act in game.acts()))
        self.hands = game.deal
        self.as_the_players_go_on(1)

    @precondition(lambda self: self.states and self.state.phase in (Phase.LAY, Phase.REVEAL))
    @rule(data=st.data())
    def trick(self, data: st.DataObject) -> None:
        """What is missing of the trick is played from the hands, by the rules or not."""
        for seat in self.setup_.seats:
            if not self.state.trick.present >> self.setup_.places[seat] & 1:
                self.tell(CardLaid(seat))
        for place, seat in enumerate(self.setup_.seats):
            if self.state.trick.cards[place] is None:
                self.tell(CardRevealed(seat, data.draw(st.sampled_from(self.hands[seat]))))

    @precondition(lambda self: self.states and self.state.phase is Phase.DRAW)
    @rule(data=st.data())
    def drawing(self, data: st.DataObject) -> None:
        """What the rules list as allowed is never found illegal; once all is drawn the end is not either."""
        sets = erasable(self.state)
        if sets and data.draw(st.booleans()):
            findings = self.tell(LinesErased(data.draw(st.sampled_from(sets))))
            assert all(finding.level is Level.NOTE for finding in findings)  # a wrong line may be taken back as well
        while lines := drawable(self.state):
            line = data.draw(st.sampled_from(lines))
            assert self.tell(LineDrawn(line.a, line.b, line.colour)) == ()
        assert all(finding.level is Level.NOTE for finding in self.tell(DrawingEnded()))

    @precondition(lambda self: self.states and self.state.phase is Phase.BID)
    @rule()
    def bids(self) -> None:
        for seat in self.setup_.seats:
            self.tell(BidRevealed(seat, self.hands[seat][7]))

    @invariant()
    def points_are_what_stands_on_the_board(self) -> None:
        if self.states:
            state = self.state
            stars = state.board.stars if state.board is not None else ()
            assert state.points == score(stars, state.lines)

    @invariant()
    def the_rest_can_always_be_asked(self) -> None:
        if self.states:
            state = self.state
            assert worlds(state) >= 0
            wanted = RULES.expects(state)
            assert bool(wanted) is (state.phase is not Phase.OVER)
            outcome = RULES.outcome(state)
            assert (outcome is not None) is (state.phase is Phase.OVER)
            if outcome is not None:
                assert outcome.winners


TestAnyPlay = AnyHoshizora.TestCase
TestAnyPlay.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
