"""What the companion's tests share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from companion.games.start import Start
from companion.virtual import ahuha, hoshi_battle, players, shuhari
from companion.virtual.battle import play_battle
from companion.virtual.battle_script import HONEST

Scripts = Callable[..., Sequence[Any]]


@pytest.fixture
def scripts() -> Scripts:
    """The facts of a seeded whole game from a start, honest or with every breach that the players know."""

    def play(start: Start, seed: int, *, cheat: int = 0) -> Sequence[Any]:
        match start.game:
            case "ahuha":
                return ahuha.play_game(start.setup, seed, ahuha.AhuhaCheat(cheat, cheat, cheat)).facts
            case "hoshi-battle":
                return play_battle(start.setup, seed, hoshi_battle.mischief(cheat) if cheat else HONEST).facts
            case "shuhari":
                return shuhari.play_game(start.setup, seed, shuhari.ShuhariCheat(revoke=cheat)).facts
            case _:
                return players.play_game(start.setup, seed, players.CheatPlan(revoke=cheat), say_colours=True).facts

    return play
