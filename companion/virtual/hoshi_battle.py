"""Many seeded games of Hoshi Battle, judged: how fast the rules are, and a digest that must be the same everywhere."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from enum import StrEnum

from companion.decks import builtin_deck
from companion.rules.core import Finding, Outcome
from companion.rules.hoshi_battle.facts import KINDS, Fact, Told
from companion.rules.hoshi_battle.rules import RULES
from companion.rules.hoshi_battle.settings import Deal, HoshiBattleSettings
from companion.rules.hoshi_battle.setup import HoshiBattleSetup, cards_of, combined
from companion.virtual.battle import HONEST, MischiefPlan, play_battle
from companion.virtual.chance import Chance
from companion.virtual.playout import Playout, finding_text, outcome_text

BATCH = 50
"""Games that are written before they are judged in one go, so that the judging can be timed by itself."""


def setup_for(seats: tuple[str, ...] = ("A", "B"), settings: HoshiBattleSettings | None = None) -> HoshiBattleSetup:
    """A table with the built-in deck, of as many games as the players need."""
    cards = builtin_deck("hoshi-battle").cards
    games = 1 + (len(seats) * 5 - 1) // 20
    heroes, duels = cards_of(combined(cards, games))
    return HoshiBattleSetup(seats, seats[0], heroes, duels, settings or HoshiBattleSettings())


def setup_of(variant: bool) -> HoshiBattleSetup:
    """Two players, by the rulebook's deal or by its set-up variant."""
    return setup_for(settings=HoshiBattleSettings(deal=Deal.COMBINED if variant else Deal.RULEBOOK))


def mischief(share: int) -> MischiefPlan:
    """Every breach as often as this in a thousand; bluffs are none and stay out."""
    return MischiefPlan(outside=share, wrong_die=share, put_back=share, early_card=share)


def play_out(games: int, seed: int, setup: HoshiBattleSetup | None = None, plan: MischiefPlan = HONEST) -> Playout:
    """Plays and judges so many games, of two players unless the setup says otherwise.

    The n-th game has the n-th number of the seed's stream as its own seed.
    """
    setup = setup or setup_for()
    seeds = Chance(seed)
    digest = hashlib.sha256()
    acts = findings = 0
    judged_seconds = 0.0
    began = time.process_time()
    for first in range(0, games, BATCH):
        scripts = [play_battle(setup, seeds.bits(), plan).facts for _ in range(min(BATCH, games - first))]
        before = time.process_time()
        judged = [judge_battle(setup, facts) for facts in scripts]
        judged_seconds += time.process_time() - before
        for facts, (found, outcome) in zip(scripts, judged, strict=True):
            digest.update(battle_text(facts, found, outcome).encode())
            acts += len(facts)
            findings += sum(map(len, found))
    return Playout(games, acts, findings, time.process_time() - began, judged_seconds, digest.hexdigest())


def judge_battle(
    setup: HoshiBattleSetup, facts: Sequence[Fact]
) -> tuple[tuple[tuple[Finding, ...], ...], Outcome | None]:
    """Every act judged and applied: the findings by act, and the outcome."""
    state = RULES.start(setup)
    judge, apply = RULES.judge, RULES.apply
    found = []
    for fact in facts:
        found.append(judge(state, fact))
        state = apply(state, fact)
    return tuple(found), RULES.outcome(state)


def battle_text(facts: Sequence[Fact], found: Sequence[tuple[Finding, ...]], outcome: Outcome | None) -> str:
    """A game as canonical text: a line an act, each followed by a line a finding, and the outcome."""
    lines = []
    for fact, findings in zip(facts, found, strict=True):
        lines.append(fact_text(fact))
        lines += [finding_text(finding) for finding in findings]
    lines.append(outcome_text(outcome, 0))
    return "\n".join(lines)


def fact_text(fact: Fact) -> str:
    """A fact in one line: its kind and its values in their order, the same on every machine."""
    return " ".join((KINDS[type(fact)], *(_text(getattr(fact, name)) for name in fact.__dataclass_fields__)))


def _text(value: object) -> str:
    if isinstance(value, StrEnum):
        return value.value.replace(" ", "-")
    if isinstance(value, Told):
        return f"{_text(value.kind)}/{value.seat}/{value.amount}"
    if isinstance(value, tuple):
        return f"({','.join(map(_text, value))})"
    return "-" if value is None else str(value)
