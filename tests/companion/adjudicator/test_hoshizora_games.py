"""Whole games of Hoshizora before perfect eyes: what the table shows and people tell leads to the script's own game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from companion.decks import builtin_deck
from companion.games.start import Start
from companion.journal import Journal
from companion.rules.hoshizora.state import TrickRecord
from companion.rules.ledger import Entry
from companion.virtual.director import Director
from companion.virtual.players import HONEST, CheatPlan, GameScript, play_game
from companion.virtual.stage import StageSettings
from companion.virtual.table import VirtualTable

from .seated import Seating, counted

LAYOUT = VirtualTable().layout()
UNASKED = ("revoke", "no_line", "false_colour", "early_reveal", "second_card", "early_bid")
ASKED = ("wrong_line", "wrong_wipe")
"""What the resolver asks about before it believes it, unless the cards of the trick still lie beside a line."""
EVERY = CheatPlan(**dict.fromkeys((*UNASKED, *ASKED), 150))


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journal]:
    with Journal.open(tmp_path_factory.mktemp("games") / "journal.db") as opened:
        yield opened


def played(
    journal: Journal, seed: int, cheat: CheatPlan = HONEST, clumsiness: float = 0.4
) -> tuple[Seating, GameScript]:
    start = Start("hoshizora", ("A", "B", "C"), "A", builtin_deck("hoshizora").cards, {})
    script = play_game(start.setup, seed, cheat, say_colours=bool(cheat.false_colour))
    director = Director(script, LAYOUT, StageSettings(clumsiness=clumsiness, seed=seed))
    seating = Seating(journal, start, LAYOUT, happened=script.facts)
    seating.play(list(director.stills()))
    return seating, script


def in_any_order(tricks: tuple[TrickRecord, ...]) -> list[TrickRecord]:
    """The tricks, for all that a picture tells of which of two lines was drawn first."""
    return [replace(trick, drawn=tuple(sorted(trick.drawn, key=str))) for trick in tricks]


def agree(seating: Seating, script: GameScript) -> None:
    truth = Start("hoshizora", ("A", "B", "C"), "A", builtin_deck("hoshizora").cards, {}).ledger()
    for number, fact in enumerate(script.facts, start=1):
        truth.add(Entry(number, fact, "truth"))
    record = seating.record
    assert record.outcome() == truth.outcome()
    assert in_any_order(record.state.done) == in_any_order(script.final.done)
    assert counted(record.findings) == counted(truth.findings)


@pytest.mark.parametrize("seed", [1, 4, 9])
def test_an_honest_game_comes_out_as_it_was_played_without_a_question(journal: Journal, seed: int) -> None:
    seating, script = played(journal, seed)
    agree(seating, script)
    assert not seating.of_kind("question")


@pytest.mark.parametrize("kind", UNASKED + ASKED)
def test_a_dishonest_game_has_the_findings_of_its_truth(journal: Journal, kind: str) -> None:
    for seed in range(6):
        seating, script = played(journal, seed, CheatPlan(**{kind: 250}))
        agree(seating, script)
        assert kind in ASKED or not seating.of_kind("question")
        if script.wrongs:
            return
    pytest.fail(f"no game of the six has a {kind}")


def test_all_cheats_at_once_on_an_untidy_table(journal: Journal) -> None:
    seating, script = played(journal, 2, EVERY, clumsiness=1.0)
    assert len({wrong.kind for wrong in script.wrongs}) >= 4
    agree(seating, script)


@pytest.mark.soak
def test_two_hundred_games_honest_or_not(journal: Journal) -> None:
    for seed in range(200):
        agree(*played(journal, seed, EVERY if seed % 2 else HONEST, clumsiness=seed % 3 / 2))
