"""Whole games of Ahuha Ahukaha before perfect eyes: what the table shows and people tap leads to the script's own game."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companion.decks import builtin_deck
from companion.games.start import Start
from companion.journal import Journal
from companion.rules.ahuha.facts import EffectTold, SeatsSwapped
from companion.virtual.ahuha import HONEST, AhuhaCheat, AhuhaScript, judge_game, play_game
from companion.virtual.ahuha_director import TABLE_MM, AhuhaDirector
from companion.virtual.stage import StageSettings
from companion.virtual.table import VirtualTable

from .seated import Seating, counted

LAYOUT = VirtualTable(game="ahuha").layout()
CHEATS = (
    "false_answer",
    "missed_meeting",
    "wrong_placing",
    "wrong_side",
    "lone_swap",
    "second_card",
    "false_asita",
    "false_tigiri",
)
EVERY = AhuhaCheat(**dict.fromkeys(CHEATS, 100))


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journal]:
    with Journal.open(tmp_path_factory.mktemp("games") / "journal.db") as opened:
        yield opened


def played(
    journal: Journal, seed: int, cheat: AhuhaCheat = HONEST, clumsiness: float = 0.4, **settings: object
) -> tuple[Seating, AhuhaScript]:
    start = Start("ahuha", ("A", "B", "C"), "A", builtin_deck("ahuha").cards, settings)
    script = play_game(start.setup, seed, cheat)
    director = AhuhaDirector(script, LAYOUT, StageSettings(TABLE_MM, clumsiness, seed))
    seating = Seating(journal, start, LAYOUT)
    seating.play(list(director.stills()))
    return seating, script


def agree(seating: Seating, script: AhuhaScript) -> None:
    judged, record = judge_game(script.setup, script.facts), seating.record
    assert record.outcome() == judged.outcome
    assert record.state.done == script.final.done
    assert counted(record.findings) == counted([found for findings in judged.findings for found in findings])


@pytest.mark.parametrize("seed", [1, 4, 9])
def test_an_honest_game_comes_out_as_it_was_played_without_a_question(journal: Journal, seed: int) -> None:
    seating, script = played(journal, seed)
    agree(seating, script)
    assert not seating.of_kind("question")
    assert not seating.of_kind("prompt")
    breaches = [found for found in seating.of_kind("finding") if found["level"] != "note"]
    assert not breaches


def test_a_cooperative_game_is_over_after_its_series(journal: Journal) -> None:
    seating, script = played(journal, 3, mode="cooperative")
    agree(seating, script)
    assert len(seating.record.state.done) == 1
    assert not seating.of_kind("question")


@pytest.mark.parametrize("kind", CHEATS)
def test_a_dishonest_game_has_the_findings_of_its_truth(journal: Journal, kind: str) -> None:
    cheat = AhuhaCheat(**{kind: 200})
    for seed in range(4):
        seating, script = played(journal, seed, cheat)
        agree(seating, script)
        assert not seating.of_kind("question")
        if script.breaches:
            return
    pytest.fail(f"no game of the four has a {kind}")


def test_all_cheats_at_once_on_an_untidy_table(journal: Journal) -> None:
    seating, script = played(journal, 2, EVERY, clumsiness=1.0)
    assert len({breach.kind for breach in script.breaches}) >= 5
    agree(seating, script)


def test_what_nobody_can_see_is_told_and_all_else_is_seen(journal: Journal) -> None:
    seating, _ = played(journal, 4)
    by_table = {type(entry.fact).__name__ for entry in seating.record.entries if entry.by == "table"}
    by_people = {type(entry.fact) for entry in seating.record.entries if entry.by != "table"}
    assert by_table >= {"Dealt", "CardLaid", "CardRevealed", "CardPlaced", "FrozenTaken", "FrozenPlaced", "SeriesEnded"}
    assert by_people <= {EffectTold, SeatsSwapped} | {
        type(e.fact) for e in seating.record.entries if "Tigiri" in str(e)
    }


@pytest.mark.soak
def test_two_hundred_games_honest_or_not(journal: Journal) -> None:
    for seed in range(200):
        agree(*played(journal, seed, EVERY if seed % 2 else HONEST, clumsiness=seed % 3 / 2))
