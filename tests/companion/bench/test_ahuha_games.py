"""Whole games of Ahuha Ahukaha, drawn, seen, judged, and held against what was played. A look costs 0.3 s: one series each."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.bench.games import play, table_of
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


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 21))
def test_twenty_games_in_the_easy_setting_ask_nothing(seed: int) -> None:
    tally = play(table_of("ahuha", seed, "easy"), "easy")
    assert tally.is_right
    assert tally.questions == 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 21))
def test_twenty_games_in_the_hard_setting_are_never_ruled_wrongly(seed: int) -> None:
    assert play(table_of("ahuha", seed, "hard"), "hard").wrong == 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 6))
def test_dishonest_games_have_the_findings_of_their_truth(seed: int) -> None:
    tally = play(table_of("ahuha", seed, "easy", revoke=True), "easy")
    assert tally.is_right
