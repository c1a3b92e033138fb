"""Many seeded games of Hoshi Battle, judged: how fast the rules are, and a digest that must be the same everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from companion.decks import builtin_deck
from companion.rules.core import Finding, Outcome
from companion.rules.hoshi_battle.facts import KINDS, Fact, Told
from companion.rules.hoshi_battle.rules import RULES
from companion.rules.hoshi_battle.settings import Deal, HoshiBattleSettings
from companion.rules.hoshi_battle.setup import HoshiBattleSetup, cards_of, combined
from companion.virtual.battle import play_battle
from companion.virtual.battle_script import HONEST, MischiefPlan
from companion.virtual.playout import Playout, finding_text, outcome_text, play_many


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
    return MischiefPlan(outside=share, wrong_die=share, put_back=share, early_card=share, pushed=share)


def play_out(games: int, seed: int, setup: HoshiBattleSetup | None = None, plan: MischiefPlan = HONEST) -> Playout:
    """Many games of Hoshi Battle, of two players unless the setup says otherwise."""
    table = setup or setup_for()
    return play_many(
        games,
        seed,
        lambda own_seed: play_battle(table, own_seed, plan).facts,
        lambda facts: judge_battle(table, facts),
        battle_text,
    )


@dataclass(frozen=True, slots=True)
class JudgedBattle:
    """A game after it went through the rules."""

    findings: tuple[tuple[Finding, ...], ...]
    """By act."""
    outcome: Outcome | None


def judge_battle(setup: HoshiBattleSetup, facts: Sequence[Fact]) -> JudgedBattle:
    """Every act judged and applied."""
    state = RULES.start(setup)
    judge, apply = RULES.judge, RULES.apply
    found = []
    for fact in facts:
        found.append(judge(state, fact))
        state = apply(state, fact)
    return JudgedBattle(tuple(found), RULES.outcome(state))


def battle_text(facts: Sequence[Fact], judged: JudgedBattle) -> str:
    """A game as canonical text: a line an act, each followed by a line a finding, and the outcome."""
    lines = []
    for fact, findings in zip(facts, judged.findings, strict=True):
        lines.append(fact_text(fact))
        lines += [finding_text(finding) for finding in findings]
    lines.append(outcome_text(judged.outcome, 0))
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
