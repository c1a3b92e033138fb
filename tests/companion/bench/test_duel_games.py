"""Whole games through the duel's desk and journal, by what sensors would tell: they end as they did, and nobody is accused."""

from __future__ import annotations

import pytest

from companion.bench.duel_games import play_game
from companion.bench.duel_sensors import Errors

HONEST, DISHONEST, THREE = 3, 5, 6
UNSURE = Errors(unread=0.3, near_unsure=0.9, far_unsure=0.4, where_unsure=0.4, raised_unsure=0.5, lost=0.15)


@pytest.mark.parametrize("seed", [HONEST, DISHONEST, THREE])
def test_a_game_ends_as_it_did_and_its_journal_says_the_same(seed: int) -> None:
    tally = play_game(seed)
    assert tally.is_right, tally.went_wrong
    assert (tally.wrong, tally.accused, tally.by_hand) == (0, 0, 0)
    assert tally.right > 0.5 * tally.touches


def test_sensors_that_leave_much_open_make_questions_and_the_game_still_ends_as_it_did() -> None:
    tally = play_game(HONEST, UNSURE)
    assert tally.is_right, tally.went_wrong
    assert tally.questions + tally.declared > 3
