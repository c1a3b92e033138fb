"""Whole games of Hoshi Battle through desk, judge, rules and journal, held against their truth; sensors by their words.

What pad, dice and hands would tell is made from the truth with the errors that were measured of each
(companion.bench.duel_sensors). Those at the table tap what the script has them tell once the touch before it is ruled, and answer
as a referee who saw it all.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.adjudicator.record import Record
from companion.bench.duel_sensors import DuelSensors, Errors
from companion.bench.duels import MISCHIEF, MS, director_of, table_of
from companion.duel.judge import WAITED_FOR
from companion.duel.reports import Source
from companion.duel.timeline import Entry
from companion.games.start import Start, start_json
from companion.journal import EventKind, Journal, NewEvent
from companion.rules.core import Finding, Level
from companion.rules.ledger import Entry as LedgerEntry
from companion.virtual.battle_people import BattlePeople

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
        layout, record = table.layout(), Record(started[0])
        self.desk = DuelDesk(journal, record, layout, sources=WAITED_FOR, clock=lambda: self._now_us)
        self._ears = self.desk.ears
        self._arrivals = self._sensors.arrivals()
        self._people = BattlePeople(self.desk, self._director, lost=frozenset(self._sensors.lost))

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
        for arrival in self._arrivals:
            self._go_on(arrival.at_us)
            arrival.act(self)  # type: ignore[arg-type]  # it tells what a judge is told
            self.desk.step(self._now_us)
            self._people.listen(self._now_us)
        last_us = self._now_us + LAST_US
        while not self._people.is_done and self._now_us < last_us:
            self._go_on(self._people.next_us() or self._now_us + MS)
            self.desk.step(self._now_us)
        self._now_us += LAST_US
        self.desk.step(self._now_us)
        self._people.listen(self._now_us)
        return self._tallied()

    def _go_on(self, until_us: int) -> None:
        """Time goes on to a moment; people tell what is due before it, each thing at its own time."""
        while (next_us := self._people.next_us()) is not None and next_us <= until_us:
            self._now_us = max(self._now_us, next_us)
            self.desk.step(self._now_us)
            self._people.tap_until(self._now_us * 1000)
        self._now_us = max(self._now_us, until_us)

    def _tallied(self) -> DuelGameTally:
        self._people.unruled()
        tally, rulings = self.tally, self._people.rulings
        tally.duels = len(self._director.script.final.done)
        tally.touches = len(self._director.hands.touches)
        tally.right, tally.questions, tally.declared = rulings.right, rulings.questions, rulings.untold
        tally.wrong, tally.by_hand, tally.went_wrong = rulings.wrong, rulings.by_hand, rulings.went_wrong
        record = Record.of(list(self._journal.events("bench")))
        tally.is_outcome_right = record.outcome() is not None and record.outcome() == self._truth.outcome()
        tally.is_replayed = record.state == self.desk.record_state
        accused = _breaches(record.findings) - _breaches(self._truth.findings)
        tally.accused = accused.total()
        tally.went_wrong = [*tally.went_wrong, *({"found": rule, "player": player} for rule, player in accused)]
        tally.missed = (_breaches(self._truth.findings) - _breaches(record.findings)).total()
        return tally


def _breaches(findings: list[Finding]) -> Counter[tuple[str, str | None]]:
    return Counter((x.rule, x.player) for x in findings if x.level in (Level.ILLEGAL, Level.PROVED))
