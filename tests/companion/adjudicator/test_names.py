"""Cards are called by their names, never by a deck's ids, wherever people read of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from companion.adjudicator.games import kit_of
from companion.virtual import ahuha, players, shuhari
from companion.virtual.table import VirtualTable

OFTEN = 150
CHEATS = {
    "hoshizora": (
        players.play_game,
        players.CheatPlan(revoke=OFTEN, false_colour=OFTEN, second_card=OFTEN, early_bid=OFTEN),
    ),
    "shuhari": (
        shuhari.play_game,
        shuhari.ShuhariCheat(revoke=OFTEN, false_break=OFTEN, out_of_turn=OFTEN, wrong_take=OFTEN),
    ),
    "ahuha": (
        ahuha.play_game,
        ahuha.AhuhaCheat(false_answer=OFTEN, missed_meeting=OFTEN, wrong_placing=OFTEN, second_card=OFTEN),
    ),
}


def read_by_people(game: str, seed: int) -> Iterator[str]:
    """History, findings with their evidence, expectations and taps of a game full of breaches."""
    play, cheat = CHEATS[game]
    setup = VirtualTable(game=game).setup()
    kit: Any = kit_of(game)
    rules = kit.book.rules
    state = rules.start(setup)
    for fact in play(setup, seed, cheat).facts:
        yield kit.describe(fact, setup)
        for finding in rules.judge(state, fact):
            yield from (finding.text, *finding.evidence)
        state = rules.apply(state, fact)
        for expected in rules.expects(state):
            yield from (expected.text, *expected.options)
        yield from (tap.label for tap in kit.taps(state))


@pytest.mark.parametrize("game", CHEATS)
def test_nobody_reads_a_cards_id(game: str) -> None:
    setup = VirtualTable(game=game).setup()
    ids = {card: setup.named(card) for card in setup.cards}
    any_id = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, ids)) + r")(?![\w-])")
    lines = [line for seed in range(4) for line in read_by_people(game, seed)]
    assert [line for line in lines if any_id.search(line)] == []
    named = {name for name in ids.values() if any(name in line for line in lines)}
    assert len(named) > len(ids) // 2  # and they are called by their names


@pytest.mark.parametrize("game", CHEATS)
def test_what_is_in_no_deck_is_called_as_it_was_told(game: str) -> None:
    setup = VirtualTable(game=game).setup()
    assert setup.named("joker-1") == "joker-1"
