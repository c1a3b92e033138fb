"""Hoshi Battle at the virtual table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calibration.zones import Layout
from companion.errors import BadInputError
from companion.games.hoshi_battle import BOOK
from companion.rules.cards import CardData
from companion.rules.hoshi_battle.setup import HoshiBattleSetup, combined
from companion.virtual.battle import play_battle
from companion.virtual.battle_director import BattleDirector
from companion.virtual.battle_script import BattleScript, MischiefPlan
from companion.virtual.battle_stage import TABLE_MM
from companion.virtual.hoshi_battle import judge_battle
from companion.virtual.reel import Timing
from companion.virtual.stage import StageSettings
from companion.virtual.table_game import Wishes, settings_for, shortest

_PER_GAME, _DEALT = 20, 5


class BattleTableGame:
    """See companion.virtual.table_game.TableGame."""

    table_mm = TABLE_MM
    variant: Mapping[str, Any] = {"deal": "combined"}
    """Four and four cards dealt at once."""

    def setup(
        self, seats: tuple[str, ...], lead: str, cards: Mapping[str, CardData], wishes: Wishes
    ) -> HoshiBattleSetup:
        """Two players or more, with the cards of as many games as they need."""
        games = 1 + (len(seats) * _DEALT - 1) // _PER_GAME
        return BOOK.setup(seats, lead, combined(cards, games), settings_for("hoshi-battle", wishes))

    def script(self, setup: HoshiBattleSetup, wishes: Wishes) -> BattleScript:
        """A game of honest players, or of such as misbehave now and then. Raises BadInputError where a revoke is wished for."""
        if wishes.revoke:
            raise BadInputError("virtual table: nobody can revoke in hoshi-battle; wish for mischief instead")
        return shortest(_games(setup, wishes), wishes)

    def director(
        self, script: BattleScript, layout: Layout, stage: StageSettings, timing: Timing, *, dark_board: bool
    ) -> BattleDirector:
        """Films cards, Stones, dice and hands; there is no board."""
        del dark_board
        return BattleDirector(script, layout, stage, timing)

    def truth(self, script: BattleScript) -> dict[str, Any]:
        """How the game ends. What happens when, the director knows."""
        ended = judge_battle(script.setup, script.facts).outcome
        return {
            "outcome": None if ended is None else {"winners": list(ended.winners), "decided_by": ended.decided_by},
        }


def mischief(share: int) -> MischiefPlan:
    """Every kind of misbehaviour as often as this in a thousand, bluffs among them."""
    return MischiefPlan(
        bluff=share,
        outside=share,
        wrong_die=share,
        put_back=share,
        early_card=share,
        early_roll=share,
        wrong_opponent=share,
        wrong_pass=share,
        pushed=share,
        rushed=share,
        snatched=share,
        arm=share,
    )


def _games(setup: HoshiBattleSetup, wishes: Wishes) -> Iterator[BattleScript]:
    """The games that follow from a seed."""
    for seed in wishes.seeds():
        yield play_battle(setup, seed, mischief(wishes.mischief))
