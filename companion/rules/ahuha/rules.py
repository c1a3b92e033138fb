"""Ahuha Ahukaha behind the contract that every game keeps."""

from __future__ import annotations

from companion.rules.ahuha import ending, fold
from companion.rules.ahuha import judge as judging
from companion.rules.ahuha.facts import Fact
from companion.rules.ahuha.setup import AhuhaSetup
from companion.rules.ahuha.state import AhuhaState
from companion.rules.core import Expectation, Outcome, Rules


class AhuhaRules:
    """The game's `Rules`; it holds nothing."""

    game = "ahuha"

    def start(self, setup: AhuhaSetup) -> AhuhaState:
        """The state before anything happened."""
        return fold.start(setup)

    apply = staticmethod(fold.apply)
    """The state after a fact, legal or not."""
    judge = staticmethod(judging.judge)
    """What to think of a fact that is about to be applied, worst first."""

    def expects(self, state: AhuhaState) -> tuple[Expectation, ...]:
        """Who may or must do what now."""
        return ending.expects(state)

    def outcome(self, state: AhuhaState) -> Outcome | None:
        """The result, once the last series is counted."""
        return ending.outcome(state)

    def moment(self, state: AhuhaState) -> tuple[int, ...]:
        """Series done, rounds of this one, and whether a card of the round is on the table."""
        return len(state.done), state.round.number, int(bool(state.round.present))


RULES: Rules[AhuhaSetup, AhuhaState, Fact] = AhuhaRules()
