"""Honest tables are never accused, what can be proved of each kind of cheat is, and nobody pays for another's cheat."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import fields
from itertools import accumulate

import pytest

from companion.decks import builtin_deck
from companion.rules.core import Finding, Level
from companion.rules.hoshizora.setup import HoshizoraSetup, cards_of
from companion.virtual import ahuha, shuhari
from companion.virtual.battle_script import MischiefPlan
from companion.virtual.explained import answer_is_explained
from companion.virtual.players import CheatPlan, play_game
from companion.virtual.playout import judge_game
from companion.virtual.soundness import Tally, soundness, weigh
from companion.virtual.truth import GAMES, Played
from companion.virtual.wrong import Wrong

SIZES = {"ahuha": 170, "hoshi-battle": 150, "shuhari": 170, "hoshizora": 320}
PLANS = {
    "ahuha": ahuha.AhuhaCheat,
    "hoshi-battle": MischiefPlan,
    "shuhari": shuhari.ShuhariCheat,
    "hoshizora": CheatPlan,
}
NO_CHEATS = {"bluff", "rushed", "snatched", "arm", "cheaters", "at_most"}
"""What breaks no rule: a bluff in all its forms costs a Stone where it touches, an arm is a miss."""
HIDDEN = {"false_answer", "revoke", "false_asita"}
"""The kinds that public acts can't always prove; a revoke of Hoshizora they can, for every card comes to light."""


@pytest.mark.parametrize("game", GAMES)
def test_nobody_is_accused_falsely_and_nothing_provable_is_missed(game) -> None:
    report = soundness(game, SIZES[game], 11)
    assert (report.accusations, report.first) == (0, None)
    assert (report.false_accusations, report.first_false) == (0, None)
    for kind, tally in report.kinds.items():
        assert tally.done > 0, kind
        assert tally.missed == 0, kind
        assert tally.proved > 0, kind
        if kind not in HIDDEN or game == "hoshizora":
            assert tally.proved == tally.done, kind
    assert report.is_sound


@pytest.mark.parametrize("game", GAMES)
def test_every_cheat_that_players_can_do_is_put_to_the_test(game) -> None:
    plan = PLANS[game]
    assert set(GAMES[game].kinds) == {entry.name for entry in fields(plan)} - NO_CHEATS
    for tables in GAMES[game].kinds.values():
        assert set(tables) <= set(range(len(GAMES[game].tables)))


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("game", GAMES)
def test_honest_players_are_never_accused_in_100_000_games(game) -> None:
    report = soundness(game, 100_000, 1, dishonest=False)
    assert (report.accusations, report.first) == (0, None)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", GAMES)
def test_cheats_of_many_games_are_proved_and_accuse_nobody_else(game) -> None:
    assert soundness(game, 10_000, 2).is_sound


@pytest.mark.parametrize("seed", [15005273291546214736, *range(60)])
def test_a_pass_that_went_the_wrong_way_makes_no_honest_answer_a_lie(seed) -> None:
    """Frozen cards were taken from the other side: where each card came from is not known any more."""
    played = GAMES["ahuha"].play(0, seed, "wrong_side")
    assert not [x for found in played.findings for x in found if x.level in (Level.PROVED, Level.SUSPECT)]


def test_a_false_answer_before_such_a_pass_is_not_proved_one_after_it_is() -> None:
    setup = ahuha.builtin_setup()
    plan = ahuha.AhuhaCheat(false_answer=500, wrong_side=1000)
    proved = 0
    for seed in range(40):
        script = ahuha.play_game(setup, seed, plan)
        lies = {(x.player, x.round) for x in script.breaches if x.kind == "false_answer"}
        for found in ahuha.judge_game(setup, script.facts).findings:
            for x in found:
                if x.level is Level.PROVED:
                    assert (x.player, x.trick) in lies, seed
                    proved += 1
    assert proved > 10


def of_every_kind(game: str, seed: int) -> Played:
    """B does all that can be done, A and C are honest."""
    only = {"cheaters": frozenset("B")}
    if game == "ahuha":
        stars = ahuha.builtin_setup()
        plan = ahuha.AhuhaCheat(150, 150, 100, 0, 150, 150, 300, 300, **only)
        script = ahuha.play_game(stars, seed, plan)
        wrongs = tuple(Wrong(x.kind, x.player, x.round, x.act, x.kind == "false_answer") for x in script.breaches)
        ends = [isinstance(fact, ahuha.SeriesEnded) for fact in script.facts]
        series = tuple(accumulate(ends, initial=0))
        return Played(ahuha.judge_game(stars, script.facts).findings, wrongs, lambda wrong: True, series)
    if game == "shuhari":
        arts = shuhari.standard_setup(2 + seed % 2)
        cheat = shuhari.ShuhariCheat(100, 40, 40, 40, 300, 300, 50, **only)
        played = shuhari.play_game(arts, seed, cheat, followed=seed % 4 > 1)
        return Played(shuhari.judge_game(arts, played.facts).findings, played.wrongs, lambda wrong: True)
    lines = HoshizoraSetup(("A", "B", "C"), "A", cards_of(builtin_deck("hoshizora").cards))
    told = play_game(lines, seed, CheatPlan(200, 100, 100, 100, 100, 100, 100, 300, **only), say_colours=True)
    return Played(judge_game(lines, told.facts).findings, told.wrongs)


@pytest.mark.parametrize("game", ["ahuha", "shuhari", "hoshizora"])
def test_one_player_who_cheats_in_every_way_at_once_casts_no_shadow_on_the_others(game) -> None:
    """And of the cheater only what is true is said."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for seed in range(60):
        assert weigh(of_every_kind(game, seed), tallies) == [], seed
    assert set(tallies) == set(GAMES[game].kinds) - {"wrong_side"}
    assert all(tally.missed == 0 for tally in tallies.values())


def fake(findings: dict[int, Finding], *wrongs: Wrong, explained: bool = False) -> Played:
    acts = [(findings[n],) if n in findings else () for n in range(10)]
    return Played(tuple(acts), wrongs, lambda wrong: explained)


def accuse(level: Level, player: str | None, trick: int | None = 1, *evidence: str) -> Finding:
    return Finding("a: rule", level, "Somebody did it.", player, trick, None, evidence)


OPEN = Wrong("k", "A", 1, 3)
SECRET = Wrong("k", "A", 1, 3, is_hidden=True)


@pytest.mark.parametrize(
    ("played", "false", "tally"),
    [
        (fake({3: accuse(Level.ILLEGAL, "A")}, OPEN), 0, Tally(1, proved=1)),
        (fake({3: accuse(Level.ILLEGAL, "B")}, OPEN), 1, Tally(1, missed=1)),
        (fake({4: accuse(Level.ILLEGAL, "A")}, OPEN), 1, Tally(1, missed=1)),
        (fake({3: accuse(Level.NOTE, "B")}, OPEN), 0, Tally(1, missed=1)),
        (fake({}, SECRET, explained=True), 0, Tally(1, unprovable=1)),
        (fake({7: accuse(Level.PROVED, "A")}, SECRET), 0, Tally(1, proved=1)),
        (fake({7: accuse(Level.PROVED, "A", 2)}, SECRET), 1, Tally(1, missed=1)),
        (fake({2: accuse(Level.PROVED, "A")}, SECRET), 1, Tally(1, missed=1)),
        (fake({7: accuse(Level.SUSPECT, "A")}, SECRET, explained=True), 0, Tally(1, unprovable=1)),
        (fake({7: accuse(Level.SUSPECT, "B")}, SECRET, explained=True), 1, Tally(1, unprovable=1)),
        (fake({7: accuse(Level.PROVED, "A", None, "trick 1: A rested")}, SECRET), 0, Tally(1, proved_together=1)),
        (fake({7: accuse(Level.PROVED, "A", None, "trick 11: A rested")}, SECRET), 1, Tally(1, missed=1)),
        (fake({7: accuse(Level.SUSPECT, None)}), 1, Tally()),
    ],
)
def test_findings_are_held_against_the_truth(played, false, tally) -> None:
    tallies = {"k": Tally()}
    assert len(weigh(played, tallies)) == false
    assert tallies["k"] == tally


def test_the_line_tells_shares_and_names_the_first_accusation() -> None:
    report = soundness("hoshizora", 14, 5)
    report.first = "without line elimination, seed 1, act 2: illegal: A did it."
    line = json.loads(json.dumps(report.line()))
    assert list(line) == ["game", "games", "seed", "honest", "dishonest"]
    assert line["honest"]["first"] == report.first
    assert set(line["dishonest"]["kinds"]) == set(GAMES["hoshizora"].kinds)
    assert line["dishonest"]["kinds"]["second_card"]["share"] == 1.0
    assert soundness("hoshizora", 14, 5).line() == soundness("hoshizora", 14, 5).line()


def test_an_answer_is_explained_exactly_where_some_choice_of_passes_makes_it_true() -> None:
    """Against a search that hands every single card back through every pass."""
    setup = ahuha.builtin_setup()
    checked = explained = 0
    for seed in range(400):
        script = ahuha.play_game(setup, seed, ahuha.AhuhaCheat(false_answer=400))
        for breach in script.breaches:
            wrong = Wrong(breach.kind, breach.player, breach.round, breach.act, is_hidden=True)
            slow = slowly_explained(setup, script.facts, wrong)
            if slow is not None:
                assert answer_is_explained(setup, script.facts, wrong) is slow, (seed, breach)
                checked += 1
                explained += slow
        if checked > 60 and 10 < explained < checked:
            return
    pytest.fail(f"only {checked} answers checked, {explained} explained")


def slowly_explained(setup, facts, wrong) -> bool | None:
    """None where the series has more than one pass after the answer, which would take too long."""
    state = ahuha.start(setup)
    for fact in facts[: wrong.act]:
        state = ahuha.apply(state, fact)
    seats, told = state.seats, facts[wrong.act]
    asked = set(setup.names(ahuha.asked_by(state, told)))
    after = []
    for fact in facts[wrong.act + 1 :]:
        if isinstance(fact, ahuha.SeriesEnded):
            break
        after.append(fact)
    if sum(isinstance(fact, ahuha.FrozenPlaced) for fact in after) > 3:
        return None
    shows = [fact for fact in after if isinstance(fact, ahuha.CardRevealed)]
    frozen = {seat: fact.card for fact in shows[-3:] for seat in [fact.seat]}
    left_of = [frozen[seats[(place + 1) % 3]] for place in range(3)]  # the next seat plays it from its right
    passed = next((n for n, fact in enumerate(after) if isinstance(fact, ahuha.FrozenTaken)), None)
    hands: dict[str, set[str]] = {seat: set() for seat in seats}
    late = shows[:-3] if passed is None else [f for f in after[passed:] if isinstance(f, ahuha.CardRevealed)][:-3]
    early = [] if passed is None else [f for f in after[:passed] if isinstance(f, ahuha.CardRevealed)]
    for fact in late:
        hands[fact.seat].add(fact.card)
    raised, me = wrong.player in told.seats, seats.index(wrong.player)
    mine_early = {fact.card for fact in early if fact.seat == wrong.player}
    if passed is None:
        return bool((hands[wrong.player] | mine_early) & asked) is raised
    held = hands[wrong.player] | {left_of[me]}
    return any(bool(((held - {taken}) | mine_early) & asked) is raised for taken in held)
