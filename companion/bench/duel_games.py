"""Whole games of Hoshi Battle through desk, judge, rules and journal, held against their truth; sensors by their words.

What pad, dice and hands would tell is made from the truth with the errors that were measured of each
(companion.bench.duel_sensors). Those at the table tap what the script has them tell once the touch before it is ruled, and answer
as a referee who saw it all.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.adjudicator.hoshi_battle.touching import word_for
from companion.adjudicator.record import Record
from companion.bench.duel_sensors import SEEN, DuelSensors, Errors
from companion.bench.duels import MISCHIEF, MS, SAME_US, TrueTouch, director_of, table_of, true_touches
from companion.duel.judge import WAITED_FOR
from companion.duel.reports import Source
from companion.duel.timeline import Entry
from companion.games.hoshi_battle import BOOK
from companion.games.start import Start, start_json
from companion.journal import EventKind, Journal, NewEvent
from companion.rules.core import Finding, Level
from companion.rules.hoshi_battle.facts import Fact, HandsTouched, TouchRuled
from companion.rules.ledger import Entry as LedgerEntry
from companion.virtual.battle_director import BattleDirector

LOST_US = 500 * MS
"""So long after a touch that fell into a declared gap those at the table say what it was."""
SAYING_US = 5 * MS
"""From one thing that people tell to the next at least."""
LAST_US = 10_000 * MS
"""All that was open is over by then."""


@dataclass(slots=True)
class DuelGameTally:
    """How a game came out."""

    seed: int
    players: int
    mischief: int
    duels: int = 0
    touches: int = 0
    right: int = 0
    questions: int = 0
    """Touches that a referee was asked about."""
    declared: int = 0
    """Touches in a gap that the pad declared, told by hand."""
    wrong: int = 0
    """Touches that were ruled otherwise than they were."""
    by_hand: int = 0
    """Touches for which no answer was true."""
    is_outcome_right: bool = False
    is_replayed: bool = False
    """The journal folds to the same state."""
    accused: int = 0
    """Breaches found that nobody committed."""
    missed: int = 0
    """Breaches that were committed and not found: most where a side of the string could not be told."""
    seconds: float = 0.0
    went_wrong: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        """The truth's outcome, and nothing was ruled or found that was not so."""
        return self.is_outcome_right and self.is_replayed and not self.wrong and not self.accused

    def to_json(self) -> dict[str, Any]:
        """One JSON line."""
        line = asdict(self) | {"game": "hoshi-battle", "is_right": self.is_right, "seconds": round(self.seconds, 1)}
        return line if self.went_wrong else {name: value for name, value in line.items() if name != "went_wrong"}


def play_game(seed: int, errors: Errors | None = None) -> DuelGameTally:
    """Plays and judges the game of a seed."""
    began = time.process_time()
    with (
        tempfile.TemporaryDirectory(prefix="hoshiban-duel-", dir=_fast()) as folder,
        Journal.open(Path(folder) / "j.db") as journal,
    ):
        tally = _Seating(seed, errors or Errors(), journal).play()
    tally.seconds = time.process_time() - began
    return tally


def _fast() -> str | None:
    """Where a journal that is only counted costs no waiting for a disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class _Seating:
    """A desk, the table's sensors, and those who sit there."""

    def __init__(self, seed: int, errors: Errors, journal: Journal) -> None:
        table = table_of(seed)
        self._director = director_of(seed)
        self._sensors = DuelSensors(self._director, seed, errors)
        self._journal = journal
        self._now_us = 0
        self.tally = DuelGameTally(seed, len(table.seats), MISCHIEF[seed % len(MISCHIEF)])
        setup = self._director.script.setup
        start = Start("hoshi-battle", setup.seats, setup.lead, table.cards(), table.settings())
        self._truth = start.ledger()
        for number, fact in enumerate(self._director.facts, start=1):
            self._truth.add(LedgerEntry(number, fact, "truth"))
        started = journal.append([NewEvent(EventKind.GAME_STARTED, "bench", start_json(start))]).wait(10)
        self.desk = DuelDesk(
            journal,
            Record(started[0]),
            table.layout(),
            sources=WAITED_FOR,
            clock=lambda: self._now_us,
            announce=self._announced,
        )
        self._ears = self.desk.ears
        self._people = deque(told_in(self._director))
        self._ruled: deque[dict[str, Any]] = deque()
        self._touches = {truth.act: truth for truth in true_touches(self._director)}
        self._open = dict(self._touches)

    # -- as the sensors' words find it (companion.duel.hearing.Judge) ------------------------------------------------------

    def tell(self, entry: Entry) -> None:
        """A report; what people tell they tell the desk."""
        if entry.source is not Source.PEOPLE:
            self._ears.tell(entry)

    def told_through(self, source: Source, at_us: int) -> None:
        """See companion.duel.hearing.Judge."""
        self._ears.told_through(source, at_us)

    def blinded(self, source: Source, since_us: int, why: str, until_us: int | None = None) -> None:
        """See companion.duel.hearing.Judge."""
        self._ears.blinded(source, since_us, why, until_us)

    def sees_again(self, source: Source, at_us: int) -> None:
        """See companion.duel.hearing.Judge."""
        self._ears.sees_again(source, at_us)

    # -- the game -----------------------------------------------------------------------------------------------------------

    def play(self) -> DuelGameTally:
        """The whole game."""
        for arrival in self._sensors.arrivals():
            self._say_until(arrival.at_us)
            self._now_us = max(self._now_us, arrival.at_us)
            arrival.act(self)  # type: ignore[arg-type]  # it tells what a judge is told
            self._settle()
        last_us = self._now_us + LAST_US
        while self._people and self._is_due(self._people[0]):
            self._say_until(last_us)
            self._now_us += MS
            self._settle()
        self._now_us += LAST_US
        self._settle()
        return self._tallied()

    def _settle(self) -> None:
        """The desk rules, and the referee answers."""
        self.desk.step(self._now_us)
        while self._ruled:
            self._hold(self._ruled.popleft())
        self._say_lost()

    def _say_until(self, until_us: int) -> None:
        """People tell what is due, each thing when it happens, or once the touch before it is settled."""
        while self._people and self._people[0].at_us <= until_us and self._is_due(self._people[0]):
            told = self._people.popleft()
            self._now_us = max(self._now_us, told.at_us)
            self.desk.tell(BOOK.facts.to_json(told.fact), getattr(told.fact, "seat", None) or "table")
            self._settle()

    def _is_due(self, told: ToldFact) -> bool:
        """Whether all touches before an act are settled."""
        return not any(touch < told.act for touch in self._open)

    def _announced(self, event: dict[str, Any]) -> None:
        if event["event"] == "touch":
            self._ruled.append(event)

    def _hold(self, touch: dict[str, Any]) -> None:
        """Holds a ruling against the touch that it is about; the referee says what it was where it was left open, or wrong."""
        truth = min(self._open.values(), key=lambda each: abs(each.at_us - touch["at_us"]), default=None)
        if truth is None or abs(truth.at_us - touch["at_us"]) > SAME_US:
            self._went_wrong(touch, None)
            return
        del self._open[truth.act]
        if _came_to(touch) == _should(truth):
            self.tally.right += 1
            return
        if touch["asked"]:
            self.tally.questions += 1
        else:
            self._went_wrong(touch, truth)
        self._say(truth)

    def _went_wrong(self, touch: dict[str, Any], truth: TrueTouch | None) -> None:
        self.tally.wrong += 1
        said = None if truth is None else truth.verdict
        self.tally.went_wrong.append({"seed": self.tally.seed, "ruled": touch["text"], "truth": said})

    def _say_lost(self) -> None:
        """What no sensor told of those at the table tell."""
        for act in [act for act in self._open if act in self._sensors.lost]:
            truth = self._open[act]
            if self._now_us >= truth.at_us + LOST_US:
                del self._open[act]
                self.tally.declared += 1
                self._say(truth)

    def _say(self, truth: TrueTouch) -> None:
        """A referee's word: by the answer that says so, else by hand."""
        word = self._word(truth)
        if word is None:
            self.tally.by_hand += 1
            return
        act = BOOK.facts.to_json(word)
        for asked in self.desk.view()["questions"]:
            question = self.desk.question(asked["id"])
            options = () if question is None else question.options
            option = next((one for one in options if [dict(told) for told in one.tell] == [act]), None)
            if option is not None:
                self.desk.answer(asked["id"], option.id, "referee")
                return
        self.desk.tell(act, "referee")

    def _word(self, truth: TrueTouch) -> TouchRuled | None:
        fact = next(
            fact
            for (act, _), fact in zip(self._director.line.facts, self._director.facts, strict=True)
            if act == truth.act
        )
        by = fact.by if isinstance(fact, HandsTouched) else ()
        *found, seats = truth.consequence
        return word_for(tuple(found), seats if isinstance(seats, tuple) else (), by)

    def _tallied(self) -> DuelGameTally:
        tally = self.tally
        tally.duels = len(self._director.script.final.done)
        tally.touches = len(self._touches)
        for truth in self._open.values():
            tally.wrong += 1
            tally.went_wrong.append({"seed": tally.seed, "ruled": None, "truth": truth.verdict})
        record = Record.of(list(self._journal.events("bench")))
        tally.is_outcome_right = record.outcome() is not None and record.outcome() == self._truth.outcome()
        tally.is_replayed = record.state == self.desk.record_state
        accused = _breaches(record.findings) - _breaches(self._truth.findings)
        tally.accused = accused.total()
        tally.went_wrong += [{"seed": tally.seed, "found": rule, "player": player} for rule, player in accused]
        tally.missed = (_breaches(self._truth.findings) - _breaches(record.findings)).total()
        return tally


@dataclass(frozen=True, slots=True)
class ToldFact:
    """What people tell, and when on film."""

    act: int
    at_us: int
    fact: Fact


def told_in(director: BattleDirector) -> Iterator[ToldFact]:
    """All that people tell in a game: cards and Stones as they lie there, what is rolled against a hit once it lies."""
    when = {change.act: change.at_us for change in director.line.changes}
    when |= {timed.act: timed.at_us for timed in director.line.timed}
    now_us = 0
    for act, fact in director.line.facts:
        at_us = getattr(fact, "at_us", None)
        now_us = max(now_us + SAYING_US, when.get(act, 0) if at_us is None else at_us)
        if not isinstance(fact, SEEN):
            yield ToldFact(act, now_us, fact)


def _came_to(touch: dict[str, Any]) -> tuple[Any, ...]:
    return (
        touch["verdict"],
        sorted(touch["hit"]),
        sorted(touch["bluffed"]),
        sorted(seat for seat, _ in touch["special"]),
        sorted(touch["hidden"]),
    )


def _should(truth: TrueTouch) -> tuple[Any, ...]:
    verdict, hit, bluffed, special, hidden, seats = truth.consequence
    names: tuple[str, ...] = seats  # type: ignore[assignment]
    return (
        verdict.value,  # type: ignore[attr-defined]
        sorted(names[side] for side in hit),  # type: ignore[attr-defined]
        sorted(names[side] for side in bluffed),  # type: ignore[attr-defined]
        sorted(names[side] for side, _ in special),  # type: ignore[attr-defined]
        sorted(names[side] for side in hidden),  # type: ignore[attr-defined]
    )


def _breaches(findings: list[Finding]) -> Counter[tuple[str, str | None]]:
    return Counter((x.rule, x.player) for x in findings if x.level in (Level.ILLEGAL, Level.PROVED))
