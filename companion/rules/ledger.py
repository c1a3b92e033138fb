"""A game as it was written down: acts, what was taken back or put right, rulings; folded into a state and findings with a life.

A correction or an undo says that the record was wrong: the act it names never happened so. A take-back says that a player took
an act back with the table's leave: what it broke was put right in time and stays on record as that. A ruling is the referee's
last word on a finding, or on the game. Nothing is ever removed: every step is kept by whoever keeps the ledger, and the same
steps always make the same ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, TypeVar

from companion.rules.core import Finding, Outcome, Rules
from companion.rules.penalties import REPORT_ONLY, HouseRule, Penalty, PenaltyKind, penalty_for

SetupT = TypeVar("SetupT")
StateT = TypeVar("StateT")
FactT = TypeVar("FactT")


class Life(StrEnum):
    """How far a finding has come."""

    CORRECTABLE = "correctable"
    """The trick or round it was found in still goes on, or the next has not begun: it can be put right."""
    ESTABLISHED = "established"
    """Too late to be put right."""
    RULED = "ruled"
    """A referee has ruled on it."""
    PUT_RIGHT = "put right"
    """The act was taken back while it could be."""
    WITHDRAWN = "withdrawn"
    """The record was corrected, and there is nothing to find."""


class Verdict(StrEnum):
    """A referee's word on a finding."""

    UPHELD = "upheld"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class Ruling:
    """A referee's ruling on a finding."""

    verdict: Verdict
    by: str
    text: str = ""
    penalty: Penalty | None = None
    """In place of the house rules'; None to leave it at those."""


@dataclass(frozen=True, slots=True)
class GameRuling:
    """A referee's ruling on the whole game, over what the rules make of it."""

    winners: tuple[str, ...]
    by: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Entry(Generic[FactT]):
    """An act on record."""

    number: int
    """Unique and ascending; whoever keeps the record says what it counts."""
    fact: FactT
    by: str = "table"
    """"table" for what was seen, else who told it."""
    t_ns: int | None = None
    """Time in its source, where that has one."""
    undone: bool = False
    """It never happened so, or was taken back."""
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A finding that stands, or was put right."""

    finding: Finding
    number: int
    """Of the act that brought it to light."""
    life: Life
    penalty: Penalty = REPORT_ONLY
    """What it costs now: nothing while it can be put right or where it was dismissed."""
    ruling: Ruling | None = None


@dataclass(frozen=True, slots=True)
class _Raised:
    """A finding with the moment at which it came to light."""

    finding: Finding
    number: int
    turns: int
    """How often the game's moment had changed by then."""


@dataclass(frozen=True, slots=True)
class _Fold(Generic[StateT]):
    """What acts in their order come to."""

    state: StateT
    moment: tuple[int, ...]
    turns: int = 0
    raised: tuple[_Raised, ...] = ()


class Ledger(Generic[SetupT, StateT, FactT]):
    """The fold. Not safe for threads: whoever owns it guards it."""

    def __init__(self, rules: Rules[SetupT, StateT, FactT], setup: SetupT, house: tuple[HouseRule, ...] = ()) -> None:
        """`house` are the table's penalties, in the order in which they are tried."""
        self.rules = rules
        self.setup = setup
        self.house = house
        self.entries: list[Entry[FactT]] = []
        self._now: _Fold[StateT] = self._begin()
        self._put_right: list[_Raised] = []
        self._rulings: dict[tuple[int, Finding], Ruling] = {}
        self.game_ruling: GameRuling | None = None

    @property
    def state(self) -> StateT:
        """After the acts that stand."""
        return self._now.state

    @property
    def findings(self) -> list[Finding]:
        """Of the acts that stand, in their order."""
        return [raised.finding for raised in self._now.raised]

    @property
    def standing(self) -> list[Entry[FactT]]:
        """The acts that stand, in order."""
        return [entry for entry in self.entries if not entry.undone]

    def add(self, entry: Entry[FactT]) -> tuple[Finding, ...]:
        """Takes in the next act. Returns what it brings to light."""
        self.entries.append(entry)
        before = len(self._now.raised)
        self._now = self._next(self._now, entry)
        return tuple(raised.finding for raised in self._now.raised[before:])

    def find(self, number: int | None) -> Entry[FactT] | None:
        """The standing act of that number, or the last one for None."""
        return next(
            (x for x in reversed(self.entries) if not x.undone and (number is None or x.number == number)), None
        )

    def undo(self, numbers: Iterable[int], *, as_play: bool = False) -> None:
        """Takes acts off the record; numbers that name none are passed over.

        `as_play` where players took them back at the table: what could still be put right then is kept as put right.
        """
        targets = frozenset(numbers)
        if as_play:
            turns = self._now.turns
            self._put_right += [x for x in self._now.raised if x.number in targets and not _is_late(x, turns)]
        self.entries = [replace(x, undone=True) if x.number in targets else x for x in self.entries]
        self._refold()

    def correct(self, number: int, fact: FactT) -> None:
        """Puts another fact in the place of an act; a number that names none is passed over."""
        self.entries = [replace(x, fact=fact, corrected=True) if x.number == number else x for x in self.entries]
        self._refold()

    def rule(self, number: int, finding: Finding, ruling: Ruling) -> None:
        """A referee rules on what the act of that number brought to light; a later ruling takes the place of an earlier one.

        The same words about another act are another finding, and stay unruled.
        """
        self._rulings[number, finding] = ruling

    def rule_game(self, ruling: GameRuling | None) -> None:
        """A referee rules on the game; None takes the ruling back."""
        self.game_ruling = ruling

    def copy(self) -> Ledger[SetupT, StateT, FactT]:
        """Another ledger that stands where this one does; what it takes in leaves this one as it is."""
        other = Ledger(self.rules, self.setup, self.house)
        other.entries = list(self.entries)
        other.game_ruling = self.game_ruling
        other._now = self._now
        other._put_right = list(self._put_right)
        other._rulings = dict(self._rulings)
        return other

    def found(self) -> tuple[Found, ...]:
        """Every finding that stands and every one that was put right, by the act that brought it to light."""
        found = [self._found(raised) for raised in self._now.raised]
        found += [Found(raised.finding, raised.number, Life.PUT_RIGHT) for raised in self._put_right]
        return tuple(sorted(found, key=lambda one: one.number))

    def outcome(self) -> Outcome | None:
        """The result: the referee's where there is one, else that of the rules, without those who lost the game by a penalty."""
        outcome = self.rules.outcome(self.state)
        if self.game_ruling is not None:
            return _overruled(outcome, self.game_ruling)
        if outcome is None:
            return None
        lost = {x.finding.player for x in self.found() if x.penalty.kind is PenaltyKind.GAME} & set(outcome.winners)
        return _without(outcome, tuple(seat for seat in outcome.winners if seat in lost)) if lost else outcome

    def points_off(self) -> dict[str, int]:
        """Points that the penalties take, by seat; seats that lose none are not in it."""
        off: Counter[str] = Counter()
        for one in self.found():
            if one.penalty.points and one.finding.player is not None:
                off[one.finding.player] += one.penalty.points
        return dict(sorted(off.items()))

    def _found(self, raised: _Raised) -> Found:
        finding, number = raised.finding, raised.number
        by_house = penalty_for(finding, self.house)
        if (ruling := self._rulings.get((number, finding))) is not None:
            costs = REPORT_ONLY if ruling.verdict is Verdict.DISMISSED else ruling.penalty or by_house
            return Found(finding, number, Life.RULED, costs, ruling)
        if _is_late(raised, self._now.turns):
            return Found(finding, number, Life.ESTABLISHED, by_house)
        return Found(finding, number, Life.CORRECTABLE)

    def _refold(self) -> None:
        self._now = self._fold(self.standing)

    def _begin(self) -> _Fold[StateT]:
        state = self.rules.start(self.setup)
        return _Fold(state, self.rules.moment(state))

    def _fold(self, entries: list[Entry[FactT]]) -> _Fold[StateT]:
        fold = self._begin()
        for entry in entries:
            fold = self._next(fold, entry)
        return fold

    def _next(self, fold: _Fold[StateT], entry: Entry[FactT]) -> _Fold[StateT]:
        found = self.rules.judge(fold.state, entry.fact)
        state = self.rules.apply(fold.state, entry.fact)
        moment = self.rules.moment(state)
        turns = fold.turns + (moment != fold.moment)
        raised = fold.raised + tuple([_Raised(finding, entry.number, turns) for finding in found])
        return _Fold(state, moment, turns, raised)


def _is_late(raised: _Raised, turns: int) -> bool:
    """Whether it can't be put right any more: what a later card proved of an earlier trick never could."""
    finding = raised.finding
    from_before = finding.proved_at is not None and finding.trick is not None and finding.proved_at > finding.trick
    return from_before or turns > raised.turns


def _overruled(outcome: Outcome | None, ruling: GameRuling) -> Outcome:
    decided = f"referee {ruling.by}" + (f": {ruling.text}" if ruling.text else "")
    if outcome is None:
        return Outcome(ruling.winners, decided)
    return replace(outcome, winners=ruling.winners, decided_by=decided)


def _without(outcome: Outcome, lost: tuple[str, ...]) -> Outcome:
    """Nobody moves up by itself: where no winner is left, the referee says who has won."""
    left = tuple(seat for seat in outcome.winners if seat not in lost)
    words = f"{outcome.decided_by}; {' and '.join(lost)} lost the game by house rule"
    return replace(outcome, winners=left, decided_by=words)
