"""Shuhari behind the contract that every game keeps."""

from __future__ import annotations

from companion.rules.core import Expectation, Finding, Outcome, Rules
from companion.rules.shuhari import ending, fold
from companion.rules.shuhari.facts import Fact
from companion.rules.shuhari.fold import apply as after
from companion.rules.shuhari.judge import judge as judged
from companion.rules.shuhari.setup import ShuhariSetup
from companion.rules.shuhari.state import ShuhariState


class ShuhariRules:
    """The game's `Rules`; it holds nothing."""

    game = "shuhari"

    def start(self, setup: ShuhariSetup) -> ShuhariState:
        """The state before anything happened."""
        return fold.start(setup)

    def apply(self, state: ShuhariState, fact: Fact) -> ShuhariState:
        """The state after a fact, legal or not."""
        return after(state, fact)

    def judge(self, state: ShuhariState, fact: Fact) -> tuple[Finding, ...]:
        """What to think of a fact that is about to be applied, worst first."""
        return judged(state, fact)

    def expects(self, state: ShuhariState) -> tuple[Expectation, ...]:
        """Who may or must do what now."""
        return ending.expects(state)

    def outcome(self, state: ShuhariState) -> Outcome | None:
        """The result, once two arts are fully mastered."""
        return ending.outcome(state)

    def moment(self, state: ShuhariState) -> tuple[int, ...]:
        """Tricks done, and whether a card of the next one is on the table."""
        return len(state.done), int(bool(state.trick.cards))


RULES: Rules[ShuhariSetup, ShuhariState, Fact] = ShuhariRules()
"""The one instance."""
