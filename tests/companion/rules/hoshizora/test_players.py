"""Simulated games: honest players are never accused, every revoke is proved, and the same seed gives the same game everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations

import pytest

from companion.rules.core import Level
from companion.rules.hoshizora import RULES, HoshizoraSettings, HoshizoraSetup, worlds
from companion.rules.hoshizora.facts import BoardSet, DrawingEnded, LineDrawn
from companion.virtual.chance import Chance
from companion.virtual.players import CheatPlan, GameScript, play_game
from companion.virtual.playout import game_text, judge_game, play_out

DIGESTS = {
    (False, 0): "f03cdf80b585c69e0bfd5a5495dab5670550a3f3c5849af90bdd7654f9657db0",
    (True, 0): "9f310de6dc2ec13c4d0198dd21cbe36da003eec91e660ebcad6f7f48b4f8e6c8",
    (False, 200): "a2b12e5b898161b001c6a45c05b3541227d350337d6ca7737faa11652a471511",
}
"""By (line elimination, revokes a thousand): of 40 games from seed 7."""


def setup_of(table, elimination: bool = False) -> HoshizoraSetup:
    return HoshizoraSetup(("A", "B", "C"), "A", table().setup.cards, HoshizoraSettings(line_elimination=elimination))


def findings_of(script: GameScript):
    return [x for found in judge_game(script.setup, script.facts).findings for x in found]


def spoken(card: str) -> str:
    """A proxy's id as people say it: "red-07" is "red 7"."""
    colour, number = card.split("-")
    return f"{colour} {int(number)}"


def assert_honest(setup: HoshizoraSetup, seeds) -> None:
    for seed in seeds:
        script = play_game(setup, seed)
        assert findings_of(script) == [], seed
        assert RULES.outcome(script.final) is not None
        assert worlds(script.final) == 1


def assert_proved(setup: HoshizoraSetup, seeds, plan: CheatPlan) -> int:
    revokes = 0
    for seed in seeds:
        script = play_game(setup, seed, plan)
        found = [x for x in findings_of(script) if x.level is not Level.NOTE]
        told = sorted((x.player, x.trick, x.proved_at, x.evidence) for x in found)
        truth = []
        for x in script.revokes:
            where = "bids: {} showed {}" if x.proved_at == 8 else f"trick {x.proved_at}: " + "{} played {}"
            proof = where.format(x.player, spoken(x.proof or ""))
            act = f"trick {x.trick}: {x.player} played {spoken(x.card)} on {x.colour}"
            truth.append((x.player, x.trick, x.proved_at, (act, proof)))
        assert told == sorted(truth), seed
        assert all(x.level is Level.PROVED for x in found)
        revokes += len(truth)
    return revokes


@pytest.mark.parametrize("elimination", [False, True])
def test_honest_players_are_never_accused(table, elimination) -> None:
    assert_honest(setup_of(table, elimination), range(150))


@pytest.mark.soak
@pytest.mark.parametrize("elimination", [False, True])
def test_honest_players_are_never_accused_in_many_games(table, elimination) -> None:
    assert_honest(setup_of(table, elimination), range(10_000, 20_000))


def test_every_revoke_is_proved_with_its_evidence_and_no_other(table) -> None:
    assert assert_proved(setup_of(table), range(200), CheatPlan(revoke=300)) > 200


def test_a_single_cheater_among_honest_players(table) -> None:
    plan = CheatPlan(revoke=500, cheaters=frozenset({"B"}), at_most=1)
    assert assert_proved(setup_of(table, True), range(100), plan) > 50


@pytest.mark.soak
def test_every_revoke_is_proved_in_many_games(table) -> None:
    assert assert_proved(setup_of(table), range(10_000, 20_000), CheatPlan(revoke=250)) > 10_000


def test_the_true_deal_stays_possible_while_nobody_cheats(table) -> None:
    setup = setup_of(table)
    for seed in range(20):
        state = RULES.start(setup)
        counts = []
        for fact in play_game(setup, seed).facts:
            state = RULES.apply(state, fact)
            counts.append(worlds(state))
        assert min(counts) >= 1
        assert counts == sorted(counts, reverse=True)  # knowledge only grows


def test_wrong_drawers_are_seen(table) -> None:
    setup = setup_of(table)
    wrong = missing = 0
    for seed in range(60):
        script = play_game(setup, seed, CheatPlan(wrong_line=300, no_line=200))
        found = findings_of(script)
        assert all(x.level is not Level.PROVED for x in found)
        wrong += sum(x.rule.startswith(("Drawing a line", "Rules for drawing")) for x in found)
        missing += sum(x.rule.startswith("When you cannot draw a line") for x in found)
    assert wrong > 20
    assert missing > 20


def test_scripts_keep_the_order_of_a_table(table) -> None:
    script = play_game(setup_of(table), 3, say_colours=True)
    assert isinstance(script.facts[0], BoardSet)
    assert [act.trick for act in script.acts] == sorted(act.trick for act in script.acts)
    assert sum(isinstance(fact, DrawingEnded) for fact in script.facts) == 7
    assert all(act.seat is not None for act in script.acts if isinstance(act.fact, LineDrawn))
    assert findings_of(script) == []
    dealt = [card for hand in script.deal.values() for card in hand]
    assert sorted(dealt) == sorted(script.setup.cards)


@pytest.mark.parametrize("seed", range(25))
def test_stars_are_placed_as_the_rulebook_asks(table, seed) -> None:
    stars = play_game(setup_of(table), seed).stars
    for star in stars:
        x, y = star.x_mm % 100, star.y_mm % 100
        assert star.square == star.y_mm // 100 * 3 + star.x_mm // 100
        assert min(x, y, 100 - x, 100 - y) >= 15
    for a, b in combinations(stars, 2):
        assert (a.x_mm - b.x_mm) ** 2 + (a.y_mm - b.y_mm) ** 2 >= 25**2


@pytest.mark.parametrize(("elimination", "revoke"), list(DIGESTS))
def test_digest_of_a_small_playout(table, elimination, revoke) -> None:
    result = play_out(setup_of(table, elimination), 40, 7, CheatPlan(revoke=revoke))
    assert result.digest == DIGESTS[elimination, revoke]
    assert (result.findings > 0) is (revoke > 0)


def test_chance_is_splitmix64() -> None:
    """The first numbers from seed 1234567, as published with the algorithm."""
    chance = Chance(1234567)
    assert [chance.bits() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_nothing_depends_on_the_order_of_hashes() -> None:
    code = (
        "from companion.decks import builtin_deck\n"
        "from companion.rules.hoshizora.setup import HoshizoraSetup, cards_of\n"
        "from companion.virtual.players import CheatPlan\n"
        "from companion.virtual.playout import play_out\n"
        "setup = HoshizoraSetup(('A', 'B', 'C'), 'A', cards_of(builtin_deck('hoshizora').cards))\n"
        "print(play_out(setup, 10, 5, CheatPlan(revoke=200, wrong_line=100)).digest)\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(digests) == 1


def test_text_of_a_game_tells_findings_and_outcome(table) -> None:
    script = play_game(setup_of(table), 1, CheatPlan(revoke=1000))
    text = game_text(script.facts, judge_game(script.setup, script.facts))
    assert text.count("\n! proved") == len(script.revokes) > 0
    assert "\n= " in text
