"""Whole games of Ahuha Ahukaha, drawn, seen, judged, and held against what was played. A look costs 0.3 s: one series each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.bench.games import play, table_of
from companion.virtual.table import VirtualTable


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_honest_series_is_seen_as_it_was_played_without_a_question(seed: int) -> None:
    tally = play(VirtualTable(game="ahuha", seed=seed, variant=True), "easy")
    assert tally.is_right
    assert (tally.wrong, tally.missed, tally.questions, tally.by_hand) == (0, 0, 0, 0)


def test_a_dishonest_series_has_the_findings_of_its_truth() -> None:
    tally = play(VirtualTable(game="ahuha", seed=8, variant=True, mischief=100), "easy")
    assert len(tally.breaches) >= 2
    assert tally.is_right


@pytest.mark.soak
def test_a_dishonest_series_at_a_bad_table_is_never_ruled_wrongly() -> None:
    tally = play(replace(table_of("ahuha", 8, "hard", mischief=100), variant=True), "hard")
    assert (tally.wrong, tally.missed) == (0, 0)


@pytest.mark.soak
def test_a_game_with_other_cards_is_seen_as_well(shared: Path) -> None:
    tally = play(VirtualTable(game="ahuha", seed=1, variant=True, deck=str(shared / "decks" / "ahuha")), "easy")
    assert tally.is_right
    assert tally.questions == 0


@pytest.mark.soak
def test_a_filmed_game_comes_out_as_its_stills() -> None:
    tally = play(VirtualTable(game="ahuha", seed=1, variant=True, short=True), "easy", film=True)
    assert tally.is_right
