"""Golden playthroughs: an honest and a dishonest game of each kind, every word of it as it was when somebody last read it.

After a change that is meant, write them anew with `HOSHIBAN_WRITE_GOLDEN=1 .venv/bin/pytest tests/companion/rules/test_golden.py`
and read the difference before it is committed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from watched import GAMES

from companion.decks import builtin_deck
from companion.rules.ahuha import AhuhaSettings, Mode
from companion.rules.hoshi_battle import HoshiBattleSettings
from companion.rules.hoshi_battle.settings import Deal
from companion.rules.hoshizora import HoshizoraSettings, HoshizoraSetup
from companion.rules.hoshizora.setup import cards_of
from companion.virtual import ahuha, battle, battle_script, hoshi_battle, players, shuhari

GOLDEN = Path(__file__).parent / "golden"
WRITE = "HOSHIBAN_WRITE_GOLDEN"
Game = tuple[str, Any, Any]
"""What it is, in words; the setup; the facts."""


def hoshizora_games() -> Iterator[Game]:
    cards = cards_of(builtin_deck("hoshizora").cards)
    setup = HoshizoraSetup(("A", "B", "C"), "A", cards, HoshizoraSettings(line_elimination=True))
    yield "honest, seed 1", setup, players.play_game(setup, 1, say_colours=True).facts
    plan = players.CheatPlan(200, 150, 100, 100, 100, 100, 300)
    yield "dishonest, seed 5", setup, players.play_game(setup, 5, plan, say_colours=True).facts


def ahuha_games() -> Iterator[Game]:
    setup = ahuha.builtin_setup()
    yield "honest, seed 105", setup, ahuha.play_game(setup, 105).facts
    together = replace(setup, settings=AhuhaSettings(mode=Mode.COOPERATIVE))
    plan = ahuha.AhuhaCheat(400, 200, 100, 200, 30, 50, 300)
    yield "dishonest and together, seed 8", together, ahuha.play_game(together, 8, plan).facts


def shuhari_games() -> Iterator[Game]:
    setup = shuhari.standard_setup(3)
    yield "honest, seed 109", setup, shuhari.play_game(setup, 109).facts
    pair = shuhari.standard_setup(2)
    plan = shuhari.ShuhariCheat(250, 50, 30, 30, 300, 300, 100)
    yield (
        "dishonest, two players, hands followed, seed 50",
        pair,
        shuhari.play_game(pair, 50, plan, followed=True).facts,
    )


def battle_games() -> Iterator[Game]:
    setup = hoshi_battle.setup_for()
    yield "honest, seed 12", setup, battle.play_battle(setup, 12).facts
    built = hoshi_battle.setup_for(("A", "B"), HoshiBattleSettings(deal=Deal.CONSTRUCTED))
    plan = battle_script.MischiefPlan(60, 60, 60, 40, 60, 200, 0, 300, 300)
    yield "dishonest, constructed decks, seed 3", built, battle.play_battle(built, 3, plan).facts


PLAYED: dict[str, Callable[[], Iterator[Game]]] = {
    "hoshizora": hoshizora_games,
    "ahuha": ahuha_games,
    "shuhari": shuhari_games,
    "hoshi-battle": battle_games,
}


def text_of(game: str) -> str:
    lines = [
        "Each act, then ! what the judge says of it, ? what is expected, ~ what is shown, = how it ended; the last three where",
        "they have changed. Seeded games of simulated players, written by tests/companion/rules/test_golden.py.",
    ]
    for name, setup, facts in PLAYED[game]():
        lines += ["", f"# {game}: {name}", *GAMES[game].playthrough(setup, facts)]
    return "\n".join(lines) + "\n"


def compare(path: Path, text: str) -> None:
    """Fails where the file is missing or says something else; writes it where that is asked for."""
    again = f"write it anew with {WRITE}=1 and read the difference"
    if os.environ.get(WRITE):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return
    if not path.is_file():
        pytest.fail(f"{path.name} is missing: {again}")
    golden = path.read_text("utf-8").splitlines()
    for number, (old, new) in enumerate(zip(golden, text.splitlines(), strict=False), 1):
        if old != new:
            pytest.fail(f"{path.name}, line {number}: was\n  {old}\nand is\n  {new}\nIf that is meant, {again}.")
    if golden != text.splitlines():
        pytest.fail(f"{path.name} has {len(golden)} lines, the game now {len(text.splitlines())}: {again}")


@pytest.mark.parametrize("game", PLAYED)
def test_the_game_goes_as_it_went(game) -> None:
    compare(GOLDEN / f"{game}.txt", text_of(game))


@pytest.mark.parametrize("game", PLAYED)
def test_a_golden_game_shows_findings_and_an_outcome(game) -> None:
    honest, dishonest = text_of(game).split(f"\n# {game}: ")[1:]
    assert "  ! illegal" not in honest
    assert "  ! proved" not in honest
    assert "  ! illegal" in dishonest
    assert honest.count("\n  = ") >= 1
    assert dishonest.count("\n  = ") >= 1


def test_every_game_has_its_file_and_no_file_lacks_a_game() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(PLAYED) == set(GAMES)


@pytest.mark.parametrize(
    ("kept", "now", "said"),
    [
        (None, "a\n", "x.txt is missing: write it anew with HOSHIBAN_WRITE_GOLDEN=1"),
        ("a\nb\n", "a\nc\n", "x.txt, line 2: was\n  b\nand is\n  c\nIf that is meant, write it anew"),
        ("a\nb\n", "a\n", "x.txt has 2 lines, the game now 1: write it anew"),
    ],
)
def test_a_golden_that_is_missing_or_differs_fails(tmp_path, monkeypatch, kept, now, said) -> None:
    monkeypatch.delenv(WRITE, raising=False)
    path = tmp_path / "x.txt"
    if kept is not None:
        path.write_text(kept)
    with pytest.raises(pytest.fail.Exception) as failed:
        compare(path, now)
    assert said in str(failed.value)


def test_a_golden_is_written_anew_on_demand(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(WRITE, "1")
    compare(tmp_path / "x.txt", "a\n")
    monkeypatch.delenv(WRITE)
    compare(tmp_path / "x.txt", "a\n")
