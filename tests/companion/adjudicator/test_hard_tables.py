"""Whole games at hard tables, where hands rest over cards, glasses stand on them and cups on markers: the truth comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from companion.bench.games import EARLIER_NS, table_of
from companion.games.start import Start
from companion.journal import Journal
from companion.rules.core import Finding
from companion.rules.ledger import Entry
from companion.virtual.mishaps import with_mishaps

from .hard_eyes import HardEyes
from .seated import Seating, counted

GAMES = ("ahuha", "hoshizora", "shuhari")
MISCHIEF = 60


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journal]:
    with Journal.open(tmp_path_factory.mktemp("games") / "journal.db") as opened:
        yield opened


def comes_out_as_played(journal: Journal, game: str, seed: int, mischief: int, *, revoke: bool = False) -> None:
    table = table_of(game, seed, "hard", mischief=mischief, revoke=revoke)
    script = table.script()
    start = Start(table.game, table.seats, table.lead or table.seats[0], table.cards(), table.settings())
    truth = start.ledger()
    for number, fact in enumerate(script.facts, start=1):
        truth.add(Entry(number, fact, "truth"))
    stills = list(table.director(script).stills())
    seating = Seating(journal, start, table.layout(), script.facts)
    eyes, index, pictures = HardEyes(seed), 0, []
    for taken in with_mishaps(stills, seed):
        pictures.append((index * 10**9 - (0 if taken.is_last else EARLIER_NS), eyes.read(taken.scene)))
        index += taken.is_last
    seating.play_pictures(stills, pictures)
    record = seating.record
    assert record.outcome() == truth.outcome(), (game, seed)
    wrong = _breaches(record.findings) - _breaches(truth.findings)
    missed = counted(truth.findings) - counted(record.findings)
    assert not wrong, (game, seed)
    assert not missed, (game, seed)


def _breaches(findings: Sequence[Finding]) -> Counter[tuple[Any, ...]]:
    return counted([found for found in findings if found.level != "note"])


@pytest.mark.parametrize("game", GAMES)
def test_an_honest_game_is_judged_as_it_was_played(journal: Journal, game: str) -> None:
    comes_out_as_played(journal, game, 12, 0)


@pytest.mark.parametrize(("game", "seed"), [("ahuha", 19), ("hoshizora", 8), ("shuhari", 17)])
def test_a_game_where_everybody_cheats_is_judged_as_it_was_played(journal: Journal, game: str, seed: int) -> None:
    comes_out_as_played(journal, game, seed, MISCHIEF)


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("mischief", [0, MISCHIEF])
def test_thirty_games_are_judged_as_they_were_played(journal: Journal, game: str, mischief: int) -> None:
    for seed in range(1, 31):
        comes_out_as_played(journal, game, seed, mischief)
