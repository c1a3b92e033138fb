"""Hoshi Battle behind the contract that every game keeps."""

from __future__ import annotations

from companion.rules.core import Expectation, Finding, Outcome, Rules
from companion.rules.hoshi_battle import ending, fold
from companion.rules.hoshi_battle import judge as judging
from companion.rules.hoshi_battle.facts import Fact
from companion.rules.hoshi_battle.setup import HoshiBattleSetup
from companion.rules.hoshi_battle.state import HoshiBattleState


class HoshiBattleRules:
    """The game's `Rules`; it holds nothing."""

    game = "hoshi-battle"

    def start(self, setup: HoshiBattleSetup) -> HoshiBattleState:
        """The state before anything happened."""
        return fold.start(setup)

    def apply(self, state: HoshiBattleState, fact: Fact) -> HoshiBattleState:
        """The state after a fact, legal or not."""
        return fold.apply(state, fact)

    def judge(self, state: HoshiBattleState, fact: Fact) -> tuple[Finding, ...]:
        """What to think of a fact that is about to be applied, worst first."""
        return judging.judge(state, fact)

    def expects(self, state: HoshiBattleState) -> tuple[Expectation, ...]:
        """Who may or must do what now."""
        return ending.expects(state)

    def outcome(self, state: HoshiBattleState) -> Outcome | None:
        """The result, once at most one player has a Hero left."""
        return ending.outcome(state)

    def moment(self, state: HoshiBattleState) -> tuple[int, ...]:
        """Duels done, and rounds begun in this one: what went wrong in a round can be put right until the next begins."""
        return len(state.done), 0 if state.duel is None else state.duel.round


RULES: Rules[HoshiBattleSetup, HoshiBattleState, Fact] = HoshiBattleRules()
