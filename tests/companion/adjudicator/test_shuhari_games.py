"""Whole games of Shuhari before perfect eyes: what the table shows and people tap leads to the script's own game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from companion.decks import builtin_deck
from companion.games.start import Start
from companion.journal import Journal
from companion.rules.shuhari.facts import CardDrawn, DeckRenewed
from companion.virtual.shuhari import HONEST, ShuhariCheat, ShuhariScript, judge_game, play_game
from companion.virtual.shuhari_director import ShuhariDirector
from companion.virtual.stage import StageSettings
from companion.virtual.table import VirtualTable

from .seated import Seating, counted

LAYOUT = VirtualTable(game="shuhari").layout()
CHEATS = ("revoke", "false_break", "out_of_turn", "extra_draw", "long_look", "wrong_take", "false_mark")
EVERY = ShuhariCheat(**dict.fromkeys(CHEATS, 60))


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journal]:
    with Journal.open(tmp_path_factory.mktemp("games") / "journal.db") as opened:
        yield opened


def played(
    journal: Journal, players: int, seed: int, cheat: ShuhariCheat = HONEST, clumsiness: float = 0.4
) -> tuple[Seating, ShuhariScript]:
    start = Start("shuhari", ("A", "B", "C")[:players], "A", builtin_deck("shuhari").cards)
    script = play_game(start.setup, seed, cheat)
    director = ShuhariDirector(script, LAYOUT, StageSettings(clumsiness=clumsiness, seed=seed))
    seating = Seating(journal, start, LAYOUT)
    seating.play(list(director.stills()))
    return seating, script


def agree(seating: Seating, script: ShuhariScript) -> None:
    judged, record = judge_game(script.setup, script.facts), seating.record
    assert record.outcome() == judged.outcome
    assert record.state.done == script.final.done
    assert record.state.chart == script.final.chart
    assert counted(record.findings) == counted([found for findings in judged.findings for found in findings])


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seed", [1, 4, 9])
def test_an_honest_game_comes_out_as_it_was_played_without_a_question(
    journal: Journal, players: int, seed: int
) -> None:
    seating, script = played(journal, players, seed)
    agree(seating, script)
    assert not seating.of_kind("question")
    assert not seating.of_kind("finding")
    assert not seating.of_kind("prompt")


@pytest.mark.parametrize("kind", CHEATS)
def test_a_dishonest_game_has_the_findings_of_its_truth(journal: Journal, kind: str) -> None:
    cheat = ShuhariCheat(**{kind: 500 if kind in ("long_look", "wrong_take") else 80})
    for seed in range(3):
        seating, script = played(journal, 2 + seed % 2, seed, cheat)
        agree(seating, script)
        assert not seating.of_kind("question")
        if script.wrongs:
            return
    pytest.fail(f"no game of the three has a {kind}")


def test_all_cheats_at_once_on_an_untidy_table(journal: Journal) -> None:
    seating, script = played(journal, 3, 2, EVERY, clumsiness=1.0)
    assert len({wrong.kind for wrong in script.wrongs}) >= 5
    agree(seating, script)


def test_a_game_whose_deck_runs_out_is_seen_to_renew_it(journal: Journal) -> None:
    seating, script = played(journal, 3, 0)
    renewals = [fact for fact in script.facts if isinstance(fact, DeckRenewed)]
    told = [entry for entry in seating.record.entries if isinstance(entry.fact, DeckRenewed)]
    assert len(told) == len(renewals) > 0
    assert {entry.by for entry in told} == {"table"}


def test_what_nobody_can_see_is_told_and_all_else_is_seen(journal: Journal) -> None:
    seating, _ = played(journal, 2, 4)
    by_table = {type(entry.fact).__name__ for entry in seating.record.entries if entry.by == "table"}
    by_people = {type(entry.fact).__name__ for entry in seating.record.entries if entry.by != "table"}
    assert by_table <= {"CardPlayed", "StageShown", "TrickCleared", "DeckRenewed"}
    assert by_people <= {"CardDrawn", "DeckSearched", "CardTaken", "HandPutAway"}


@pytest.mark.parametrize("stages", ["unnamed", "missing"])
def test_a_deck_whose_stage_cards_say_nothing_or_are_not_there_is_played_too(journal: Journal, stages: str) -> None:
    cards = dict(builtin_deck("shuhari").cards)
    for card in ("stage-ha", "stage-ri"):
        data = cards.pop(card)
        if stages == "unnamed":
            cards[card] = replace(data, fields={"kind": data.fields["kind"]})
    start = Start("shuhari", ("A", "B"), "A", cards)
    script = play_game(start.setup, 4)
    seating = Seating(journal, start, LAYOUT)
    seating.play(list(ShuhariDirector(script, LAYOUT, StageSettings(seed=4)).stills()))
    agree(seating, script)
    assert not seating.of_kind("question")


def test_draws_that_nobody_tells_are_taken_as_done_and_accuse_nobody(journal: Journal) -> None:
    start = Start("shuhari", ("A", "B"), "A", builtin_deck("shuhari").cards)
    script = play_game(start.setup, 4)
    stills = ShuhariDirector(script, LAYOUT, StageSettings(seed=4)).stills()
    seating = Seating(journal, start, LAYOUT)
    seating.play(
        [still._replace(said=tuple(x for x in still.said if x.act["fact"] != "card-drawn")) for still in stills]
    )
    record = seating.record
    assert not any(isinstance(entry.fact, CardDrawn) for entry in record.entries)
    assert {found.level for found in record.findings} == {"note"}
    assert [trick.played for trick in record.state.done] == [trick.played for trick in script.final.done]


@pytest.mark.parametrize("seed", [1, 4, 17])
@pytest.mark.parametrize("cheat", [HONEST, ShuhariCheat(false_break=60, out_of_turn=40)], ids=["honest", "not"])
def test_a_cup_beside_the_row_for_some_moments_puts_nobody_out_of_step(
    journal: Journal, seed: int, cheat: ShuhariCheat
) -> None:
    # It stands on a marker while a trick is cleared and the next one begins: the end and two cards are seen at once, and their
    # draws are told one after the other.
    start = Start("shuhari", ("A", "B", "C"), "A", builtin_deck("shuhari").cards)
    script = play_game(start.setup, seed, cheat)
    stills = list(ShuhariDirector(script, LAYOUT, StageSettings(seed=seed)).stills())
    cleared = next(index for index, still in enumerate(stills) if still.name.endswith("cleared"))
    cup = ((-5.0, -5.0), (60.0, -5.0), (60.0, 60.0), (-5.0, 60.0))
    seating = Seating(journal, start, LAYOUT)
    seating.play(stills, {cleared: cup, cleared + 1: cup})
    agree(seating, script)
    told = [entry.fact for entry in seating.record.entries if isinstance(entry.fact, CardDrawn)]
    assert told == [fact for fact in script.facts if isinstance(fact, CardDrawn)]


@pytest.mark.soak
def test_two_hundred_games_honest_or_not(journal: Journal) -> None:
    for seed in range(100):
        for players in (2, 3):
            agree(*played(journal, players, seed, EVERY if seed % 2 else HONEST, clumsiness=seed % 3 / 2))
