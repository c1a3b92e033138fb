"""What settled pictures of a Hoshi Battle table show: nothing yet that becomes a fact by itself; cards and Stones are told."""

from __future__ import annotations

from calibration.zones import Layout
from companion.adjudicator.resolution import Resolution, Sight, TableNow
from companion.rules.hoshi_battle import HoshiBattleSetup, HoshiBattleState
from companion.rules.hoshi_battle.facts import Fact
from vision.observation import SceneReading


class DuelTableResolver:
    """See companion.adjudicator.resolution.Resolver."""

    def __init__(self, setup: HoshiBattleSetup, layout: Layout) -> None:
        self._setup = setup
        self._layout = layout

    def sight(self, _scene: SceneReading, _state: HoshiBattleState) -> Sight:
        """No evidence is held."""
        return Sight()

    def resolve(self, _scene: SceneReading, _now: TableNow[HoshiBattleState, Fact]) -> Resolution[Fact]:
        """Nothing."""
        return Resolution()
