"""Simulated games: honest players are never accused, cheats are found, digests stand, nothing leaks."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest

from companion.rules.core import Level
from companion.rules.hoshi_battle import RULES, HoshiBattleSettings, rule_touch, sections
from companion.rules.hoshi_battle.facts import (
    DeckBrought,
    DiePickedUp,
    DiePutBack,
    DieRolled,
    DuelCardRevealed,
    HandsTouched,
    HeroRevealed,
    PlayBegan,
    Where,
)
from companion.rules.hoshi_battle.settings import Deal
from companion.rules.hoshi_battle.touches import Meaning, Verdict, touch_reading
from companion.virtual.battle import play_battle
from companion.virtual.battle_script import HONEST, MischiefPlan
from companion.virtual.hoshi_battle import battle_text, fact_text, judge_battle, play_out, setup_for

DIGESTS = {
    ("AB", Deal.RULEBOOK, HONEST): "c859293b500ab65f5a0a29f2bd40a19d0315f671ae1117d67b8659e0aa0d88ca",
    ("ABC", Deal.RULEBOOK, HONEST): "06dc9ea0fd43e92778ac15dfa273161d17ea12b8652a58e2d77ff39cbdc2a5a8",
    ("AB", Deal.CONSTRUCTED, HONEST): "1bdec1c60ed6e634a773f8095f762e51b11c040b74af4abc3e7b86e96f0f6554",
    (
        "AB",
        Deal.RULEBOOK,
        MischiefPlan(50, 50, 50, 50, 50),
    ): "7c2c062844039b68ee62eee43bf774ab0ca7340a979fb66f458100bb01bdb64c",
}
"""By seats, deal and plan: of 25 games from seed 7."""
TABLES = [("AB", Deal.RULEBOOK), ("AB", Deal.COMBINED), ("ABC", Deal.RULEBOOK), ("ABCDE", Deal.CONSTRUCTED)]
NOTED = {sections.CARD_FIRST}
"""All that is ever noted of honest play: a card that moves its Hero does nothing for the last one."""
RULES_OF = {
    "outside": {sections.INSIDE},
    "wrong_die": {sections.TAKE_DIE},
    "put_back": {sections.RUSHED},
    "early_card": {sections.WINDOW},
    "pushed": {sections.LIFT},
}


def table_of(seats: str, deal: Deal = Deal.RULEBOOK):
    return setup_for(tuple(seats), HoshiBattleSettings(deal=deal))


def assert_honest(seats: str, deal: Deal, seeds) -> None:
    setup = table_of(seats, deal)
    for seed in seeds:
        script = play_battle(setup, seed)
        judged = judge_battle(setup, script.facts)
        found, outcome = judged.findings, judged.outcome
        said = [x for findings in found for x in findings]
        assert [x for x in said if x.level is not Level.NOTE] == [], seed
        assert {x.rule for x in said} <= NOTED, seed
        assert outcome is not None
        assert len(outcome.winners) == 1 or outcome.decided_by == "shared"


@pytest.mark.parametrize(("seats", "deal"), TABLES)
def test_honest_players_are_never_accused(seats, deal) -> None:
    assert_honest(seats, deal, range(40))


@pytest.mark.soak
@pytest.mark.parametrize(("seats", "deal"), TABLES)
def test_honest_players_are_never_accused_in_many_games(seats, deal) -> None:
    assert_honest(seats, deal, range(10_000, 35_000))


def assert_found(seeds) -> int:
    setup = table_of("AB")
    plan = MischiefPlan(outside=60, wrong_die=60, put_back=40, early_card=30, pushed=60)
    count = 0
    for seed in seeds:
        script = play_battle(setup, seed, plan)
        found = judge_battle(setup, script.facts).findings
        truth = {trick.act: trick for trick in script.tricks}
        for act, findings in enumerate(found):
            illegal = [x for x in findings if x.level is Level.ILLEGAL]
            if act in truth:
                trick = truth[act]
                assert any(x.player == trick.seat and x.rule in RULES_OF[trick.what] for x in illegal), (seed, act)
                count += 1
            else:
                assert illegal == [], (seed, act, illegal)
    return count


def test_every_breach_is_found_and_no_other() -> None:
    assert assert_found(range(40)) > 300


@pytest.mark.soak
def test_every_breach_is_found_in_many_games() -> None:
    assert assert_found(range(10_000, 15_000)) > 10_000


@pytest.mark.parametrize(("seats", "bluff"), [("AB", 0), ("AB", 80), ("ABC", 20)])
def test_every_touch_is_ruled_as_the_players_meant_it(seats, bluff) -> None:
    setup = table_of(seats)
    kinds = set()
    for seed in range(30):
        script = play_battle(setup, seed, MischiefPlan(bluff=bluff))
        truth = dict(script.touches)
        state = RULES.start(setup)
        for act, fact in enumerate(script.facts):
            if isinstance(fact, HandsTouched):
                assert rule_touch(state, fact).verdict is truth[act], (seed, act)
                kinds.add(truth[act].value)
            state = RULES.apply(state, fact)
        assert state == script.final
    assert {"hit", "draw", "special", "hidden"} <= kinds
    assert ("bluff" in kinds) is (bluff > 0)


def test_bluffers_are_not_accused_and_pay_for_it() -> None:
    setup = table_of("AB")
    notes = 0
    for seed in range(20):
        found = judge_battle(setup, play_battle(setup, seed, MischiefPlan(bluff=100)).facts).findings
        said = [x for findings in found for x in findings]
        assert all(x.level is Level.NOTE for x in said)
        notes += sum(x.rule == sections.BLUFF for x in said)
    assert notes > 20


def views(setup, facts) -> list[str]:
    """Everything that a public page could show after each fact."""
    state = RULES.start(setup)
    shown = []
    for fact in facts:
        findings = RULES.judge(state, fact)
        state = RULES.apply(state, fact)
        players = [player._replace(brought=None) for player in state.players]
        duel = None if state.duel is None else state.duel._replace(touch=None)  # it holds a state from before
        shown.append(repr((findings, RULES.expects(state), RULES.outcome(state), state.phase, duel, players)))
    return shown


def swapped(fact, mine: str, other: str):
    """The same fact in a world where two hidden cards changed places."""
    names = {mine: other, other: mine}
    if isinstance(fact, DeckBrought):
        decks = [tuple(names.get(card, card) for card in cards) for cards in (fact.heroes, fact.duels)]
        return DeckBrought(fact.seat, decks[0], decks[1])
    card = getattr(fact, "card", None)
    return replace(fact, card=names[card]) if card in names else fact


@pytest.mark.parametrize("deal", [Deal.RULEBOOK, Deal.CONSTRUCTED])
def test_hidden_cards_do_not_show_before_they_are_revealed(deal) -> None:
    """The same game with other hidden cards: up to the first card that differs every view is the same, byte for byte."""
    setup = setup_for(("A", "B"), HoshiBattleSettings(deal=deal, cost_limit=200))
    swaps = 0
    for seed in range(10):
        facts = play_battle(setup, seed).facts
        for kind, deck in ((HeroRevealed, setup.heroes), (DuelCardRevealed, setup.duels)):
            reveals = [fact.card for fact in facts if isinstance(fact, kind)]
            hidden = [card for card in sorted(deck) if card not in reveals and deck[card].cost is not None]
            if not reveals or not hidden:
                continue
            mine = reveals[-1]
            at = next(act for act, fact in enumerate(facts) if getattr(fact, "card", None) == mine)
            world = [swapped(fact, mine, hidden[0]) for fact in facts]
            assert world[at] != facts[at]
            if deal is Deal.RULEBOOK:
                assert world[:at] == list(facts[:at])  # no fact before it names the card at all
            assert views(setup, facts[:at]) == views(setup, world[:at]), (seed, kind)
            swaps += 1
    assert swaps > 10


@pytest.mark.parametrize(("seats", "deal", "plan"), list(DIGESTS))
def test_digest_of_a_small_playout(seats, deal, plan) -> None:
    result = play_out(25, 7, table_of(seats, deal), plan)
    assert result.digest == DIGESTS[seats, deal, plan]


def test_playout_depends_on_its_seed_only() -> None:
    assert play_out(5, 1).digest == play_out(5, 1).digest != play_out(5, 2).digest


def test_nothing_depends_on_the_order_of_hashes() -> None:
    code = (
        "from companion.virtual.battle_script import MischiefPlan\n"
        "from companion.virtual.hoshi_battle import play_out, setup_for\n"
        "print(play_out(8, 5, setup_for(('A', 'B', 'C')), MischiefPlan(50, 50, 50, 50, 50)).digest)\n"
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


ROUGH = MischiefPlan(
    bluff=60,
    outside=60,
    wrong_die=60,
    put_back=90,
    early_card=30,
    early_roll=30,
    pushed=120,
    rushed=150,
    snatched=90,
    arm=200,
)


def assert_in_order(seeds) -> None:
    for seed in seeds:
        for plan in (HONEST, ROUGH):
            facts = play_battle(table_of("ABC" if seed % 3 == 0 else "AB"), seed, plan).facts
            times = [t for fact in facts if (t := getattr(fact, "at_us", None)) is not None]
            assert all(a <= b for a, b in pairwise(times)), (seed, plan)


def test_scripts_keep_the_order_of_their_times() -> None:
    assert_in_order(range(60))


@pytest.mark.soak
def test_many_scripts_keep_the_order_of_their_times() -> None:
    assert_in_order(range(20_000, 23_000))


def test_a_die_is_taken_up_only_where_it_lies_but_for_one_that_is_snatched() -> None:
    for seed in range(40):
        script = play_battle(table_of("AB"), seed, ROUGH)
        snatched = {trick.act for trick in script.tricks if trick.what == "snatched"}
        lying: set[tuple[str, int]] = set()
        early = False
        for act, fact in enumerate(script.facts):
            match fact:
                case DieRolled() | DiePutBack():
                    lying.add((fact.seat, fact.die))
                    early |= isinstance(fact, DieRolled) and fact.released_us is None
                case DiePickedUp():
                    assert ((fact.seat, fact.die) in lying) is (act not in snatched), (seed, act)
                    lying.discard((fact.seat, fact.die))
                case PlayBegan():
                    # Whatever lies there is taken up between the rounds, but what was rolled early.
                    lying, early = (lying if early else set()), False


def after(script, act: int):
    """What this seat does next, and the state then."""
    state = RULES.start(script.setup)
    for fact in script.facts[: act + 1]:
        state = RULES.apply(state, fact)
    for fact in script.facts[act + 1 :]:
        if isinstance(fact, PlayBegan):
            return None, state
        if script.facts[act].seat in (getattr(fact, "seat", None), *getattr(fact, "by", ())):
            return fact, state
        state = RULES.apply(state, fact)
    return None, state


@pytest.mark.parametrize("what", ["rushed", "snatched", "pushed"])
def test_whoever_strikes_on_a_die_that_does_not_count_bluffs(what) -> None:
    """Taken up after it counted, taken up before it counted, pushed instead of rolled: a touch then rests on nothing."""
    struck = 0
    for seed in range(25):
        script = play_battle(table_of("AB"), seed, MischiefPlan(**{what: 200}))
        for trick in script.tricks:
            then, state = after(script, trick.act)
            if isinstance(then, HandsTouched) and then.by == (trick.seat,):
                ruling = rule_touch(state, then)
                assert ruling.verdict is dict(script.touches)[script.facts.index(then)]
                # A die may be pushed that shows what a hidden card gives a meaning: the push takes nothing from it.
                assert ruling.verdict is Verdict.BLUFF or (what == "pushed" and ruling.verdict is Verdict.HIDDEN)
                struck += ruling.verdict is Verdict.BLUFF
    assert struck > 8


def test_a_hurried_pick_up_is_named_as_the_reason() -> None:
    script = play_battle(table_of("AB"), 1, MischiefPlan(rushed=400))
    said = [x for findings in judge_battle(script.setup, script.facts).findings for x in findings]
    assert sum(x.rule == sections.RUSHED for x in said) > 0
    assert all(x.level is Level.NOTE for x in said)


def test_a_strike_that_meets_an_arm_is_a_miss_and_uses_its_symbol_up() -> None:
    missed = 0
    for seed in range(40):
        script = play_battle(table_of("AB"), seed, MischiefPlan(arm=400))
        truth, state = dict(script.touches), RULES.start(script.setup)
        for act, fact in enumerate(script.facts):
            ruling = rule_touch(state, fact) if isinstance(fact, HandsTouched) else None
            state = RULES.apply(state, fact)
            if ruling is not None and fact.where is Where.ELSEWHERE:
                assert (ruling.verdict, truth[act]) == (Verdict.MISS, Verdict.MISS)
                if len(state.duel.fighters[0].dice) == len(state.duel.fighters[1].dice) == 1:
                    assert touch_reading(state, fact.by[0], fact.at_us + 200_000).meaning is Meaning.BLUFF
                missed += 1
    assert missed > 40


def test_a_game_as_text_tells_facts_findings_and_outcome() -> None:
    setup = table_of("AB")
    facts = play_battle(setup, 3, MischiefPlan(outside=300)).facts
    text = battle_text(facts, judge_battle(setup, facts))
    assert text.startswith("cards-dealt A hero 5\n")
    assert "\n! illegal | Rules of the Duel: the roll first touches inside the Arena | " in text
    assert text.rstrip().splitlines()[-1].startswith("= ")
    assert fact_text(HandsTouched(("A", "B"), 5)) == "hands-touched (A,B) 5 0 hand none"


def test_too_few_cards_for_many_players() -> None:
    setup = table_of("AB")
    crowd = replace(setup, seats=tuple("ABCDEF"))
    with pytest.raises(ValueError, match="6 players need 24 cards of each kind: combine games"):
        play_battle(crowd, 1)
