"""House rules for breaches: what a table agreed that a finding costs. By default a finding is reported and costs nothing.

No rulebook names a penalty, so a table of them is the players' own. Only what is illegal or proved can cost anything: a
suspicion or a note never does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from companion.rules.core import Finding, Level


class PenaltyKind(StrEnum):
    """What a breach costs."""

    REPORT = "report"
    """Nothing: it is said and kept in the log."""
    WARNING = "warning"
    POINTS = "points"
    """So many points, which the table takes off at the end."""
    GAME = "game"
    """The game is lost."""


@dataclass(frozen=True, slots=True)
class Penalty:
    """What one breach costs. Raises ValueError where points are not of 1 to 99, or stand where none are taken."""

    kind: PenaltyKind = PenaltyKind.REPORT
    points: int = 0

    def __post_init__(self) -> None:
        if self.kind is PenaltyKind.POINTS and not 1 <= self.points <= 99:
            raise ValueError(f"a penalty of {self.points} points: there can be 1 to 99")
        if self.kind is not PenaltyKind.POINTS and self.points:
            raise ValueError(f"a penalty of the kind {self.kind} takes no points")

    def __str__(self) -> str:
        return f"{self.points} points" if self.kind is PenaltyKind.POINTS else self.kind.value


REPORT_ONLY = Penalty()
PUNISHABLE = frozenset({Level.ILLEGAL, Level.PROVED})


@dataclass(frozen=True, slots=True)
class HouseRule:
    """One line of a table's penalties."""

    penalty: Penalty
    level: Level | None = None
    """Findings of this level; None for both that can cost anything."""
    rule: str = ""
    """Findings whose rule holds these words, whatever their case; empty for all."""

    def covers(self, finding: Finding) -> bool:
        """Whether it speaks of such a finding."""
        fits = self.level is None or finding.level is self.level
        return fits and self.rule.casefold() in finding.rule.casefold()


def penalty_for(finding: Finding, house: Iterable[HouseRule]) -> Penalty:
    """What the house rules make of a finding: the first line that covers it; else a report."""
    if finding.level not in PUNISHABLE or finding.player is None:
        return REPORT_ONLY
    return next((line.penalty for line in house if line.covers(finding)), REPORT_ONLY)
