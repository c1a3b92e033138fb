"""What every game at the virtual table tells of itself."""

from __future__ import annotations

from functools import reduce

import pytest

from companion.games.book import book_of
from companion.virtual.table import VirtualTable
from companion.virtual.table_game import GAMES


@pytest.mark.parametrize("game", GAMES)
def test_the_truth_says_how_the_game_ended(game: str) -> None:
    table = VirtualTable(game=game, seed=3, short=True)
    script, rules = table.script(), book_of(game).rules
    ended = rules.outcome(reduce(rules.apply, script.facts, rules.start(table.setup())))
    told = table.truth(script)["outcome"]
    assert (told["winners"], told["decided_by"]) == (list(ended.winners), ended.decided_by)
