"""Whole games of Hoshi Battle, honest and dishonest, judged touch by touch from what their sensors tell, against the truth.

The truth is the game's own script: what each touch was worth to the rules with every fact exact. A ruling is right where it
comes to the same, a question where it is left to a referee, and wrong otherwise. After a question the referee says what it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from companion.bench.duel_sensors import DuelSensors, Errors
from companion.duel.judge import DuelJudge
from companion.duel.rulings import Consequence, Ruled, consequence
from companion.rules.hoshi_battle.facts import HandsTouched
from companion.rules.hoshi_battle.fold import apply, start
from companion.rules.hoshi_battle.state import HoshiBattleState
from companion.rules.hoshi_battle.touches import rule_touch
from companion.virtual.battle_director import BattleDirector
from companion.virtual.table import VirtualTable

MS = 1000
MISCHIEF = (0, 60, 120)
"""How dishonest the players of a seed are, in turn; of a thousand."""
SEATS = (2, 2, 3)
SAME_US = 100 * MS
"""A ruling and a touch so near each other are the same."""


@dataclass(frozen=True, slots=True)
class TrueTouch:
    """A touch as it was."""

    act: int
    at_us: int
    consequence: Consequence
    verdict: str
    after: HoshiBattleState


@dataclass(slots=True)
class DuelTally:
    """How the touches of one game came out."""

    seed: int
    mischief: int
    duels: int
    touches: int = 0
    right: int = 0
    questions: int = 0
    declared: int = 0
    """Not felt, in a gap that the pad declared."""
    wrong: int = 0
    why: Counter[str] = field(default_factory=Counter)
    """What the questions were about."""
    went_wrong: list[dict[str, Any]] = field(default_factory=list)
    waited_ms: list[float] = field(default_factory=list)
    """From each touch to its ruling, as the time goes on the table."""
    errors: Counter[str] = field(default_factory=Counter)
    """What the sensors could not tell, or told late."""

    def to_json(self) -> dict[str, Any]:
        """One JSON line."""
        waited = sorted(self.waited_ms)
        return {
            "seed": self.seed,
            "mischief": self.mischief,
            "duels": self.duels,
            "touches": self.touches,
            "right": self.right,
            "questions": self.questions,
            "declared": self.declared,
            "wrong": self.wrong,
            "why": dict(self.why.most_common()),
            "errors": dict(self.errors.most_common()),
            "waited_ms": {share: _at(waited, share) for share in (0.5, 0.9, 0.99, 1.0)},
            **({"went_wrong": self.went_wrong} if self.went_wrong else {}),
        }

    def add(self, other: DuelTally) -> None:
        """Takes another game's in."""
        for name in ("duels", "touches", "right", "questions", "declared", "wrong"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.why += other.why
        self.errors += other.errors
        self.went_wrong += other.went_wrong
        self.waited_ms += other.waited_ms


def table_of(seed: int) -> VirtualTable:
    """The table that a seed is played on."""
    kind = seed % len(MISCHIEF)
    return VirtualTable("hoshi-battle", seed, ("A", "B", "C")[: SEATS[seed // 3 % 3]], mischief=MISCHIEF[kind])


def director_of(seed: int) -> BattleDirector:
    """The game of a seed, directed."""
    director = table_of(seed).director()
    if not isinstance(director, BattleDirector):
        raise TypeError(f"no duels are directed by {type(director).__name__}")
    return director


def play(seed: int, errors: Errors | None = None) -> DuelTally:
    """Judges one game."""
    director = director_of(seed)
    sensors = DuelSensors(director, seed, errors or Errors())
    truths = list(true_touches(director))
    tally = DuelTally(seed, MISCHIEF[seed % len(MISCHIEF)], len(director.script.final.done))
    judge = DuelJudge(start(director.script.setup))
    arrivals = sensors.arrivals()
    tally.touches = len(truths)
    open_truths = {truth.act: truth for truth in truths if truth.act not in sensors.lost}
    lost = sorted((truth for truth in truths if truth.act in sensors.lost), key=lambda truth: truth.at_us)
    tally.declared = len(lost)
    for arrival in arrivals:
        arrival.act(judge)
        while lost and arrival.at_us >= lost[0].at_us + 500 * MS:
            missed = lost.pop(0)
            judge.put_right(missed.after, missed.at_us)
        for ruled in judge.step(arrival.at_us):
            _hold(ruled, open_truths, tally, judge, arrival.at_us)
    for truth in open_truths.values():
        tally.wrong += 1
        tally.went_wrong.append({"seed": seed, "act": truth.act, "truth": truth.verdict, "ruled": None})
    tally.errors = sensors.told
    return tally


def _hold(ruled: Ruled, truths: dict[int, TrueTouch], tally: DuelTally, judge: DuelJudge, now_us: int) -> None:
    """Holds a ruling against the touch that it is about."""
    at_us = ruled.fact.at_us or 0
    truth = min(truths.values(), key=lambda each: abs(each.at_us - at_us), default=None)
    if truth is None or abs(truth.at_us - at_us) > SAME_US:
        tally.wrong += 1
        tally.went_wrong.append({"seed": tally.seed, "act": None, "truth": None, "ruled": ruled.verdict.value})
        return
    del truths[truth.act]
    tally.waited_ms.append((now_us - truth.at_us) / MS)
    found = _consequence(ruled)
    if found == truth.consequence:
        tally.right += 1
        return
    if ruled.is_question:
        tally.questions += 1
        tally.why.update(ruled.doubts)
    else:
        tally.wrong += 1
        tally.went_wrong.append(
            {
                "seed": tally.seed,
                "act": truth.act,
                "truth": truth.verdict,
                "ruled": ruled.verdict.value,
                "text": ruled.text,
            }
        )
    judge.put_right(truth.after, truth.at_us)


def true_touches(director: BattleDirector) -> Iterator[TrueTouch]:
    """Every touch of a game with what it was worth."""
    state = start(director.script.setup)
    for (act, _), fact in zip(director.line.facts, director.facts, strict=True):
        ruling = rule_touch(state, fact) if isinstance(fact, HandsTouched) else None
        seats = state.duellists
        state = apply(state, fact)
        if ruling is not None and isinstance(fact, HandsTouched) and fact.at_us is not None:
            yield TrueTouch(act, fact.at_us, _by_seat(consequence(ruling), seats), ruling.verdict.value, state)


def _by_seat(found: Consequence, seats: tuple[str, ...]) -> Consequence:
    return (*found, seats)


def _consequence(ruled: Ruled) -> Consequence:
    return (*ruled.consequence, ruled.seats)


def _at(values: list[float], share: float) -> float | None:
    """The value that a share of them don't exceed."""
    return round(values[min(len(values) - 1, int(share * len(values)))], 1) if values else None
