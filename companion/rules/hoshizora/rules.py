"""Hoshizora behind the contract that every game keeps."""

from __future__ import annotations

from companion.rules.core import Expectation, Finding, Outcome, Rules
from companion.rules.hoshizora import ending, fold
from companion.rules.hoshizora import judge as judging
from companion.rules.hoshizora.facts import Fact
from companion.rules.hoshizora.setup import HoshizoraSetup
from companion.rules.hoshizora.state import HoshizoraState


class HoshizoraRules:
    """The game's `Rules`; it holds nothing."""

    game = "hoshizora"

    def start(self, setup: HoshizoraSetup) -> HoshizoraState:
        """The state before anything happened."""
        return fold.start(setup)

    def apply(self, state: HoshizoraState, fact: Fact) -> HoshizoraState:
        """The state after a fact, legal or not."""
        return fold.apply(state, fact)

    def judge(self, state: HoshizoraState, fact: Fact) -> tuple[Finding, ...]:
        """What to think of a fact that is about to be applied, worst first."""
        return judging.judge(state, fact)

    def expects(self, state: HoshizoraState) -> tuple[Expectation, ...]:
        """Who may or must do what now."""
        return ending.expects(state)

    def outcome(self, state: HoshizoraState) -> Outcome | None:
        """The result, once all bids are known."""
        return ending.outcome(state)

    def moment(self, state: HoshizoraState) -> tuple[int, ...]:
        """Tricks done, and whether a card of the next one, or a bid, is on the table."""
        begun = state.trick.present or any(state.bids)
        return len(state.done), int(bool(begun))


RULES: Rules[HoshizoraSetup, HoshizoraState, Fact] = HoshizoraRules()
