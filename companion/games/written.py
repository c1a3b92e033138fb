"""A game as it is being written: its start, the steps so far, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.errors import BadInputError
from companion.games.start import Start
from companion.games.steps import Act, Correct, Remark, RuleFinding, RuleGame, Step, TakeBack, Undo
from companion.rules.core import Finding
from companion.rules.ledger import Entry, Found, GameRuling, Life, Ruling

MOST_STEPS = 100_000
"""Longest game that is read: none at a table comes near it."""


@dataclass(frozen=True, slots=True)
class NumberedFinding:
    """A finding with the number that people call it by, and how it stands now."""

    number: int
    """1-based, in the order in which findings first came up."""
    finding: Finding
    act: int
    """The number of the act that brought it to light."""
    life: Life
    found: Found | None
    """None once it is withdrawn."""


class Written:
    """Takes one step after the other. A step that can't be taken changes nothing."""

    def __init__(self, start: Start, tags: Mapping[str, str] | None = None) -> None:
        """`tags` are the writer's own headings, such as the event and the date."""
        self.start = start
        self.tags = dict(tags or {})
        self.steps: list[Step] = []
        self.ledger = start.ledger()
        self._known: list[tuple[Finding, int]] = []

    @classmethod
    def of(cls, start: Start, steps: Iterable[Step], tags: Mapping[str, str] | None = None) -> Written:
        """A whole game. Raises BadInputError for a step that names what is not there."""
        game = cls(start, tags)
        for step in steps:
            game.take(step)
        return game

    @property
    def acts(self) -> int:
        """How many acts were written down; the last one's number."""
        return len(self.ledger.entries)

    def take(self, step: Step) -> None:
        """The next step. Raises BadInputError where it names an act or a finding that is not there."""
        if len(self.steps) >= MOST_STEPS:
            raise BadInputError(f"a game has at most {MOST_STEPS} steps")
        ledger = self.ledger
        match step:
            case Act(fact):
                number = self.acts + 1
                self._known += [(finding, number) for finding in ledger.add(Entry(number, fact))]
            case Undo(number):
                self._standing(number)
                ledger.undo([number])
            case TakeBack(number):
                self._standing(number)
                ledger.undo([number], as_play=True)
            case Correct(number, fact):
                self._standing(number)
                ledger.correct(number, fact)
            case RuleFinding(number):
                ruled = self.finding(number)
                ledger.rule(ruled.act, ruled.finding, Ruling(step.verdict, step.by, step.text, step.costs))
            case RuleGame(winners, by, text):
                self.start.check_seats(winners)
                ledger.rule_game(GameRuling(winners, by, text))
            case Remark():
                pass
        self.steps.append(step)
        if isinstance(step, Undo | TakeBack | Correct):
            self._number_findings()

    def told(self, step: Step) -> None:
        """As `take`, for what a person types: an act of a seat or card that is not there is refused with BadInputError."""
        if isinstance(step, Act | Correct):
            self.start.book.check_told(self.start.names, self.ledger.state, step.fact)
        self.take(step)

    def findings(self) -> tuple[NumberedFinding, ...]:
        """Every finding that ever came up, by number."""
        standing = {(found.number, found.finding): found for found in self.ledger.found()}
        numbered = []
        for number, (finding, act) in enumerate(self._known, 1):
            found = standing.get((act, finding))
            life = Life.WITHDRAWN if found is None else found.life
            numbered.append(NumberedFinding(number, finding, act, life, found))
        return tuple(numbered)

    @property
    def known(self) -> Sequence[tuple[Finding, int]]:
        """Every finding that ever came up with the act that brought it to light; the first is number 1."""
        return self._known

    def finding(self, number: int) -> NumberedFinding:
        """The finding of that number. Raises BadInputError."""
        numbered = self.findings()
        if not 1 <= number <= len(numbered):
            raise BadInputError(f"there is no finding F{number}; there are {len(numbered)} so far")
        return numbered[number - 1]

    def fact(self, number: int) -> Any:
        """The act of that number as it stands now, undone or not. Raises BadInputError."""
        if not 1 <= number <= self.acts:
            raise BadInputError(f"there is no act {number}; there are {self.acts} so far")
        return self.ledger.entries[number - 1].fact

    def _standing(self, number: int) -> None:
        self.fact(number)
        if self.ledger.find(number) is None:
            raise BadInputError(f"act {number} doesn't stand any more")

    def _number_findings(self) -> None:
        """Gives a number to each finding that came up for the first time when the game was folded anew."""
        known = {(act, finding) for finding, act in self._known}
        self._known += [
            (found.finding, found.number) for found in self.ledger.found() if (found.number, found.finding) not in known
        ]
