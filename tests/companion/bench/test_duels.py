"""Duels judged from what sensors would tell: never wrongly, and rightly wherever the sensors leave nothing open."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.bench import duel_sweep
from companion.bench.duel_film import film
from companion.bench.duel_sensors import DuelSensors, Errors
from companion.bench.duel_sweep import FARTHEST_MS, STEP_MS, FeltTouch, Sweep, What, plot, sweep
from companion.bench.duels import director_of, play
from companion.commands.bench import bench

_directed = cache(director_of)
EXACT = Errors(**dict.fromkeys(Errors.__dataclass_fields__, 0.0))
"""Nothing left open, nothing late; times are as unsure as always."""
HONEST_SEED = 18
HOPELESS = Errors(
    unread=0.5, near_unsure=0.9, far_unsure=0.5, hidden=0.6, tipped=0.5, where_unsure=0.5, raised_unsure=0.7, swing_unsure=0.7,
    maybe=0.6, late=0.5, lost=0.2, stalled=0.2, settled_late=0.3, closing_mm=12.0,
)  # fmt: skip


@pytest.fixture(autouse=True)
def directed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game is directed once for all tests that play it."""
    monkeypatch.setattr("companion.bench.duels.director_of", _directed)


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_a_game_with_the_errors_that_were_measured_is_never_ruled_wrongly(seed: int) -> None:
    tally = play(seed)
    assert (tally.wrong, tally.went_wrong) == (0, [])
    assert tally.right + tally.questions + tally.declared == tally.touches
    assert tally.right > 0.5 * tally.touches


def test_what_the_sensors_leave_open_is_asked_and_never_guessed() -> None:
    tally = play(2, HOPELESS)
    assert (tally.wrong, tally.went_wrong) == (0, [])
    assert tally.questions > 0.3 * tally.touches


def test_nothing_is_asked_about_that_the_sensors_told() -> None:
    """What is left are touches within the guard, arms that two overlapping hands hide, and dice that were hidden."""
    tally = play(HONEST_SEED, EXACT)
    assert tally.wrong == 0
    assert tally.right > 8
    assert tally.questions <= 0.1 * tally.right


def test_a_touch_in_a_declared_gap_is_not_ruled_and_the_next_one_is() -> None:
    tally = play(2, Errors(lost=0.3))
    assert tally.declared > 0
    assert tally.wrong == 0
    assert tally.right > 0


def test_a_sensors_word_is_kept_whatever_is_late() -> None:
    """Whatever a source vouches for has been told: else a ruling could rest on what it had kept back."""
    from companion.duel.judge import DuelJudge
    from companion.rules.hoshi_battle.fold import start

    for seed in (1, 2):
        director = _directed(seed)
        judge = DuelJudge(start(director.script.setup))
        for arrival in DuelSensors(director, seed, HOPELESS).arrivals():
            arrival.act(judge)
        assert judge.line.broken == ()


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("errors", [Errors(), HOPELESS], ids=["measured", "hopeless"])
def test_many_games_are_never_ruled_wrongly(errors: Errors) -> None:
    for seed in range(5000, 5100):
        assert play(seed, errors).went_wrong == [], seed


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_filmed_rounds_are_never_ruled_wrongly() -> None:
    """Drawn pictures, the trackers of dice and hands, and the judge: a round costs some ten seconds."""
    (*_, tally) = film(6, 3)
    assert (tally.wrong, tally.went_wrong) == (0, [])
    assert tally.right > 0


# -- the sweep ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def steady_pad(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pad whose touches need no time to be made."""
    felt = [FeltTouch(off, 600.0, 12.0) for off in (-400.0, 0.0, 350.0)]
    monkeypatch.setattr(duel_sweep, "felt_touches", lambda count, seed: felt * (count // len(felt) + 1))


def test_no_distance_between_symbol_and_touch_is_ruled_wrongly(steady_pad: None) -> None:
    found = sweep(2, 1)
    line = found.to_json()
    assert line["wrong"] == 0
    assert len(found.ruled) == 2 * (2 * FARTHEST_MS // STEP_MS + 1)
    for (what, at_ms), counts in found.ruled.items():
        if abs(at_ms) <= found.guard_ms:
            # The truth is the rules' own "too close" there.
            assert set(counts) == {"too close"}, (what, at_ms)
    assert found.ruled[What.SETTLED, FARTHEST_MS]["right"] == 2
    assert found.ruled[What.SETTLED, -FARTHEST_MS]["right"] == 2


def test_the_plot_has_a_column_for_each_distance(steady_pad: None) -> None:
    found = Sweep(
        {
            (what, at_ms): Counter({"right": 1})
            for what in What
            for at_ms in range(-FARTHEST_MS, FARTHEST_MS + 1, STEP_MS)
        },
        40,
    )
    assert plot(found).count('fill="#2f7d4f"') == len(found.ruled) + 1


def test_the_program_prints_a_line_a_game_and_one_of_all() -> None:
    done = CliRunner().invoke(bench, ["duels", "--seeds", "1", "--first", "2"])
    assert done.exit_code == 0, done.output
    game, whole = (json.loads(line) for line in done.stdout.splitlines())
    assert (whole["set"], whole["games"], whole["wrong"]) == ("duels", 1, 0)
    assert game["touches"] == whole["touches"] > 0


def test_the_program_sweeps_and_draws(steady_pad: None, tmp_path: Path) -> None:
    done = CliRunner().invoke(bench, ["duels", "--sweep", "--repeats", "1", "--plot", str(tmp_path / "sweep.svg")])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["set"] == "sweep"
    assert (tmp_path / "sweep.svg").read_text().startswith("<svg")
