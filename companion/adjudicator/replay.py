"""Folds a logged game again and holds it against what the log says came out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companion.adjudicator.kit import outcome_event
from companion.adjudicator.record import Record, Standing, announced, finding_of
from companion.errors import BadInputError
from companion.journal import Event, EventKind, journal_hash, verify


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What a replay came to."""

    game: str
    game_id: str
    events: int
    journal_hash: str
    outcome: dict[str, Any] | None
    """As the contract's `outcome` event; None while the game goes on."""
    points: int | None
    findings: int
    problems: tuple[str, ...]
    """Where the log and the replay part, one line each; empty when all agrees."""
    other: tuple[str, ...] = ()
    """What the game was judged by that is another now: "program", "rules", "settings", "deck"."""

    @property
    def same(self) -> bool:
        """Whether the log and its replay agree in everything."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """One JSON line."""
        return {
            "game": self.game,
            "game_id": self.game_id,
            "events": self.events,
            "journal_hash": self.journal_hash,
            "outcome": self.outcome,
            "points": self.points,
            "findings": self.findings,
            "same": self.same,
            "problems": list(self.problems),
            "other": list(self.other),
        }


def replay(events: Sequence[Event]) -> ReplayResult:
    """Refolds the events of one game, comparing every logged finding and announcement with what the rules say now.

    Raises BadInputError where the events are no whole game.
    """
    if not events or events[0].kind is not EventKind.GAME_STARTED:
        raise BadInputError("this is no whole game: its first event is not a start")
    record = Record(events[0])
    problems = []
    checked = verify(events)
    if not checked.ok:
        problems.append(checked.text)
    due: list[dict[str, Any]] = []
    for event in events[1:]:
        before = Standing.of(record.ledger)
        record.take(event)
        if event.kind in (EventKind.FACT, EventKind.UNDO, EventKind.CORRECTION, EventKind.OVERRIDE):
            due.extend(announced(record.kit, before, Standing.of(record.ledger)))
        problems.extend(_differences(record, event, due))
    problems.extend(f"the log lacks the finding {finding.text!r}" for finding in record.new_findings(record.ledger))
    outcome = record.outcome()
    return ReplayResult(
        game=record.start.game,
        game_id=record.game_id,
        events=len(events),
        journal_hash=journal_hash(events),
        outcome=None if outcome is None else outcome_event(outcome),
        points=record.kit.view(record.state).get("points"),
        findings=len(record.findings),
        problems=tuple(problems),
        other=() if record.edition is None else record.edition.differs(record.start.edition),
    )


def _differences(record: Record, event: Event, due: list[dict[str, Any]]) -> list[str]:
    """What the log says at this event and the replay does not. Announcements that are due are struck off `due`."""
    if event.kind is EventKind.FINDING:
        logged = finding_of(event.payload)
        if logged not in record.findings:
            return [f"event {event.seq}: the log has the finding {logged.text!r}, the replay has not"]
    if event.kind is EventKind.EVENT and event.payload.get("event") in ("trick", "outcome"):
        announced = {key: value for key, value in event.payload.items() if key != "t"}
        if announced not in due:
            return [f"event {event.seq}: the log announced {announced}, the replay did not"]
        due.remove(announced)
    return []
