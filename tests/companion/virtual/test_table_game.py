"""What every game at the virtual table tells of itself."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import reduce

import pytest

from companion.bench.games import table_of, wrongs_of
from companion.games.book import book_of
from companion.rules.core import Level
from companion.virtual.ahuha import AhuhaCheat
from companion.virtual.players import CheatPlan
from companion.virtual.shuhari import ShuhariCheat
from companion.virtual.table import VirtualTable
from companion.virtual.table_game import GAMES


@pytest.mark.parametrize("game", GAMES)
def test_the_truth_says_how_the_game_ended(game: str) -> None:
    table = VirtualTable(game=game, seed=3, short=True)
    script, rules = table.script(), book_of(game).rules
    ended = rules.outcome(reduce(rules.apply, script.facts, rules.start(table.setup())))
    told = table.truth(script)["outcome"]
    assert (told["winners"], told["decided_by"]) == (list(ended.winners), ended.decided_by)


@pytest.mark.parametrize("game", ["hoshizora", "shuhari", "ahuha"])
def test_twenty_games_of_mischief_hold_every_kind_of_cheat(game: str) -> None:
    plan = {"hoshizora": CheatPlan, "shuhari": ShuhariCheat, "ahuha": AhuhaCheat}[game]
    kinds = {entry.name for entry in fields(plan)} - {"cheaters", "at_most"}
    scripts = [table_of(game, seed, "easy", mischief=60).script() for seed in range(1, 21)]
    assert {wrong.kind for script in scripts for wrong in wrongs_of(script)} == kinds


@pytest.mark.parametrize("game", ["hoshizora", "shuhari", "ahuha"])
def test_greedy_players_break_no_rule_and_play_otherwise_than_random_ones(game: str) -> None:
    seats = ("A", "B", "C")
    for seed in range(3):
        table = VirtualTable(game=game, seed=seed, seats=seats, greedy=True)
        script, rules = table.script(), book_of(game).rules
        assert script.facts != replace(table, greedy=False).script().facts
        state = rules.start(table.setup())
        for fact in script.facts:
            assert not [found for found in rules.judge(state, fact) if found.level in (Level.ILLEGAL, Level.PROVED)]
            state = rules.apply(state, fact)
        assert rules.outcome(state) is not None


def test_greedy_players_of_shuhari_learn_more_in_fewer_tricks() -> None:
    tables = [VirtualTable(game="shuhari", seed=seed) for seed in range(10)]
    random = sum(len(table.script().final.done) for table in tables)
    greedy = sum(len(replace(table, greedy=True).script().final.done) for table in tables)
    assert greedy < random
