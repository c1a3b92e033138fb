"""Whole games of Ahuha Ahukaha, drawn, seen, judged, and held against what was played. A look costs 0.3 s: one series each."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.bench.games import play
from companion.virtual.table import VirtualTable


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_honest_series_is_seen_as_it_was_played_without_a_question(seed: int) -> None:
    tally = play(VirtualTable(game="ahuha", seed=seed, variant=True), "easy")
    assert tally.is_right
    assert (tally.wrong, tally.missed, tally.questions, tally.by_hand) == (0, 0, 0, 0)


@pytest.mark.soak
def test_a_game_with_other_cards_is_seen_as_well(shared: Path) -> None:
    tally = play(VirtualTable(game="ahuha", seed=1, variant=True, deck=str(shared / "decks" / "ahuha")), "easy")
    assert tally.is_right
    assert tally.questions == 0


@pytest.mark.soak
def test_a_filmed_game_comes_out_as_its_stills() -> None:
    tally = play(VirtualTable(game="ahuha", seed=1, variant=True, short=True), "easy", film=True)
    assert tally.is_right
