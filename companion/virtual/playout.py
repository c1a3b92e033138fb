"""Many seeded games, judged as they are played: how fast the rules are, and a digest that must be the same everywhere."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from companion.rules.core import Finding, Outcome
from companion.rules.hoshizora.facts import (
    KINDS,
    BidRevealed,
    BoardSet,
    CardLaid,
    CardRevealed,
    ColourStated,
    DrawingEnded,
    Fact,
    Line,
    LineDrawn,
    LinesErased,
    Star,
    StarMoved,
)
from companion.rules.hoshizora.knowledge import worlds
from companion.rules.hoshizora.rules import RULES
from companion.rules.hoshizora.setup import HoshizoraSetup
from companion.virtual.chance import Chance
from companion.virtual.players import CheatPlan, play_game

BATCH = 50
"""Games that are written before they are judged in one go, so that the judging can be timed by itself."""


@dataclass(frozen=True, slots=True)
class Playout:
    """What came of many games."""

    games: int
    acts: int
    findings: int
    seconds: float
    """Processor time of everything: players, rules, judging, knowledge and digest."""
    judged_seconds: float
    """Processor time of judge, apply and the count of possible deals for every act."""
    digest: str
    """SHA-256, hex, over every fact, finding, sum of counts of deals and outcome."""


class HasFindings(Protocol):
    """A game after it went through the rules."""

    @property
    def findings(self) -> Sequence[Sequence[Finding]]:
        """By act."""


FactT = TypeVar("FactT")
JudgedT = TypeVar("JudgedT", bound=HasFindings)


@dataclass(frozen=True, slots=True)
class Judged:
    """A game after it went through the rules."""

    findings: tuple[tuple[Finding, ...], ...]
    """By act."""
    counted: int
    """The sum of the counts of possible deals after each act."""
    outcome: Outcome | None


def play_many(
    games: int,
    seed: int,
    write: Callable[[int], Sequence[FactT]],
    judge: Callable[[Sequence[FactT]], JudgedT],
    text: Callable[[Sequence[FactT], JudgedT], str],
) -> Playout:
    """Writes, judges and digests so many games; the n-th has the n-th number of the seed's stream as its own seed."""
    seeds = Chance(seed)
    digest = hashlib.sha256()
    acts = findings = 0
    judged_seconds = 0.0
    began = time.process_time()
    for first in range(0, games, BATCH):
        scripts = [write(seeds.bits()) for _ in range(min(BATCH, games - first))]
        before = time.process_time()
        judged = [judge(facts) for facts in scripts]
        judged_seconds += time.process_time() - before
        for facts, game in zip(scripts, judged, strict=True):
            digest.update(text(facts, game).encode())
            acts += len(facts)
            findings += sum(map(len, game.findings))
    return Playout(games, acts, findings, time.process_time() - began, judged_seconds, digest.hexdigest())


def play_out(setup: HoshizoraSetup, games: int, seed: int, cheat: CheatPlan) -> Playout:
    """Many games of Hoshizora."""
    return play_many(
        games,
        seed,
        lambda own_seed: play_game(setup, own_seed, cheat).facts,
        lambda facts: judge_game(setup, facts),
        game_text,
    )


def judge_game(setup: HoshizoraSetup, facts: Sequence[Fact]) -> Judged:
    """Every act judged, applied, and the possible deals counted after it."""
    state = RULES.start(setup)
    judge, apply = RULES.judge, RULES.apply
    findings = []
    counted, possible, hands = 0, worlds(state), state.hands
    for fact in facts:
        findings.append(judge(state, fact))
        state = apply(state, fact)
        if state.hands is not hands:  # the count depends on nothing else
            possible, hands = worlds(state), state.hands
        counted += possible
    return Judged(tuple(findings), counted, RULES.outcome(state))


def game_text(facts: Sequence[Fact], judged: Judged) -> str:
    """A game as canonical text: a line an act, each followed by a line a finding, and the outcome."""
    lines = []
    for fact, findings in zip(facts, judged.findings, strict=True):
        lines.append(fact_text(fact))
        lines += [finding_text(finding) for finding in findings]
    lines.append(outcome_text(judged.outcome, judged.counted))
    return "\n".join(lines)


def fact_text(fact: Fact) -> str:
    """A fact in one line, the same on every machine."""
    kind = KINDS[type(fact)]
    text: str
    match fact:
        case CardLaid(seat, look):
            text = seat if look is None else f"{seat} {look}"
        case CardRevealed(seat, card) | BidRevealed(seat, card):
            text = f"{seat} {card}"
        case LineDrawn(a, b, colour):
            text = f"{a}-{b} {colour.value}"
        case DrawingEnded():
            text = ""
        case ColourStated(seat, colour):
            text = f"{seat} {colour.value}"
        case LinesErased(lines):
            text = " ".join(_line_text(line) for line in lines)
        case BoardSet(stars):
            text = " ".join(_star_text(star) for star in stars)
        case StarMoved(star):
            text = _star_text(star)
    return f"{kind} {text}"


def _line_text(line: Line) -> str:
    return f"{line.a}-{line.b}-{line.colour.value}"


def _star_text(star: Star) -> str:
    return f"{star.n}:{round(star.x_mm * 10)},{round(star.y_mm * 10)},{star.square}"


def finding_text(finding: Finding) -> str:
    """A finding in one line, the same on every machine."""
    evidence = "; ".join(finding.evidence)
    where = f"{finding.player} {finding.trick} {finding.proved_at}"
    return f"! {finding.level.value} | {finding.rule} | {where} | {evidence} | {finding.text}"


def outcome_text(outcome: Outcome | None, counted: int) -> str:
    """The end of a game in one line; `counted` is the sum of the counts of possible deals over its acts."""
    if outcome is None:
        return f"= none {counted}\n"
    bids = " ".join(f"{seat}:{bid}" for seat, bid in outcome.bids.items())
    return f"= {','.join(outcome.winners)} | {outcome.decided_by} | {outcome.points} | {bids} | {counted}\n"
