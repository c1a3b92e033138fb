"""One game as the fold of its journal: facts that stand, the state they make, findings, open questions.

Live play, a restart and a replay all come through `Record.take`: nothing else changes a record. An undo or a correction names
its target; the table then refolds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.adjudicator.games import kit_of
from companion.adjudicator.kit import Kit
from companion.adjudicator.resolution import Entered, Option, Question, TableNow
from companion.errors import BadInputError
from companion.journal import Event, EventKind
from companion.rules.core import Finding, Level, Outcome


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact of the journal."""

    seq: int
    fact: Any
    by: str
    """"table" for what was seen, else who told it."""
    t_ns: int | None
    undone: bool = False
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question of the journal that nobody has answered yet."""

    id: str
    seq: int
    question: Question


class Record:
    """A game's fold. Not safe for threads: whoever owns it guards it."""

    def __init__(self, started: Event) -> None:
        """Begins with a game-started event. Raises BadInputError for a game or a start that can't be used."""
        self.game_id = started.game_id
        self.kit: Kit[Any, Any, Any] = kit_of(str(started.payload.get("game")))
        self.setup = self.kit.setup_of(started.payload)
        self.state: Any = self.kit.rules.start(self.setup)
        self.entries: list[Entry] = []
        self.questions: dict[str, OpenQuestion] = {}
        self.asked = 0
        """How many questions were ever asked."""
        self.undos: dict[int, tuple[Entry, ...]] = {}
        """What each undo took back, by its sequence number, for as long as it can be brought back."""
        self.held: frozenset[str] = frozenset()
        self.findings: list[Finding] = []
        """Of the facts that stand, in their order."""
        self.recorded: list[tuple[int, Finding]] = []
        """Every finding that the journal holds, with its sequence number, whether it still stands or not."""
        self.outcome_recorded = False
        self.last_picture: tuple[str, int] | None = None
        """Name and time (ns) of the last picture that was judged, for going on with a recording."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> Record:
        """Folds a whole game. Raises BadInputError where the events don't begin with a start."""
        stream = iter(events)
        first = next(stream, None)
        if first is None or first.kind is not EventKind.GAME_STARTED:
            raise BadInputError("this is no whole game: its first event is not a start")
        record = cls(first)
        for event in stream:
            record.take(event)
        return record

    def take(self, event: Event) -> None:
        """Adds the next event of this game."""
        match event.kind:
            case EventKind.FACT:
                self._take_fact(event)
            case EventKind.FINDING:
                self.recorded.append((event.seq, finding_of(event.payload)))
            case EventKind.UNDO:
                self._take_undo(event)
            case EventKind.CORRECTION:
                self._take_correction(event.payload)
            case EventKind.QUESTION:
                question = question_of(event.payload)
                self.asked += 1
                self.questions[str(event.payload["id"])] = OpenQuestion(str(event.payload["id"]), event.seq, question)
            case EventKind.ANSWER:
                self.questions.pop(str(event.payload.get("question")), None)
                self.held |= frozenset(event.payload.get("hold", ()))
            case EventKind.EVENT:
                self._take_announcement(event.payload)
            case _:
                pass  # overrides, prompts and sources change nothing that is folded

    def now(self) -> TableNow[Any, Any]:
        """What a resolver may know."""
        standing = tuple(Entered(entry.seq, entry.fact) for entry in self.entries if not entry.undone)
        asked = frozenset(opened.question.key for opened in self.questions.values())
        return TableNow(self.state, standing, self.held, asked)

    def outcome(self) -> Outcome | None:
        """The result, once the game has ended."""
        return self.kit.rules.outcome(self.state)

    def standing(self, seq: int | None) -> Entry:
        """The fact of that number, or the last one for None. Raises BadInputError where none of that number stands."""
        standing = [entry for entry in self.entries if not entry.undone]
        if seq is None and not standing:
            raise BadInputError("there is nothing to undo yet")
        found = next((entry for entry in reversed(standing) if seq is None or entry.seq == seq), None)
        if found is None:
            raise BadInputError(f"nothing that stands has number {seq}; reload the page to see the record as it is")
        return found

    def without(self, seqs: frozenset[int]) -> tuple[Any, list[Finding]]:
        """State and findings as they would be with these facts taken back. Changes nothing."""
        return self._fold([entry for entry in self.entries if not entry.undone and entry.seq not in seqs])

    def with_correction(self, seq: int, fact: Any) -> tuple[Any, list[Finding]]:
        """State and findings as they would be with another fact in an entry's place. Changes nothing."""
        entries = [replace(entry, fact=fact) if entry.seq == seq else entry for entry in self.entries]
        return self._fold([entry for entry in entries if not entry.undone])

    def new_findings(self, findings: Iterable[Finding]) -> list[Finding]:
        """Those that the journal doesn't hold yet, in order."""
        known = [finding for _, finding in self.recorded]
        fresh = []
        for finding in findings:
            if finding in known:
                known.remove(finding)
            else:
                fresh.append(finding)
        return fresh

    def _take_fact(self, event: Event) -> None:
        payload = event.payload
        fact = self.kit.facts.of_json(payload)
        if payload.get("restores") in self.undos:
            self.undos.pop(payload["restores"])
        self.entries.append(Entry(event.seq, fact, str(payload.get("by", "table")), event.t_ns))
        self.findings.extend(self.kit.rules.judge(self.state, fact))
        self.state = self.kit.rules.apply(self.state, fact)
        if picture := payload.get("picture"):
            self.last_picture = (str(picture), event.t_ns or 0)

    def _take_undo(self, event: Event) -> None:
        payload = event.payload
        targets = frozenset(payload.get("targets", ()))
        self.undos[event.seq] = tuple(entry for entry in self.entries if entry.seq in targets)
        self.entries = [replace(entry, undone=True) if entry.seq in targets else entry for entry in self.entries]
        self.held |= frozenset(payload.get("hold", ()))
        self._refold()

    def _take_correction(self, payload: Mapping[str, Any]) -> None:
        fact = self.kit.facts.of_json(payload)
        target = payload.get("target")
        self.held |= frozenset(payload.get("hold", ()))
        self.entries = [
            replace(entry, fact=fact, corrected=True) if entry.seq == target else entry for entry in self.entries
        ]
        self._refold()

    def _take_announcement(self, payload: Mapping[str, Any]) -> None:
        match payload.get("event"):
            case "let-go":
                self.held -= frozenset(payload.get("keys", ()))
            case "question-closed":
                self.questions.pop(str(payload.get("question")), None)
            case "outcome":
                self.outcome_recorded = True
            case _:
                pass

    def _refold(self) -> None:
        self.state, self.findings = self._fold([entry for entry in self.entries if not entry.undone])
        self.outcome_recorded = self.outcome_recorded and self.outcome() is not None

    def _fold(self, entries: list[Entry]) -> tuple[Any, list[Finding]]:
        rules = self.kit.rules
        findings: list[Finding] = []
        state = rules.start(self.setup)
        for entry in entries:
            findings.extend(rules.judge(state, entry.fact))
            state = rules.apply(state, entry.fact)
        return state, findings


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding as it stands in the journal and in the contract's events."""
    return {
        "rule": finding.rule,
        "level": finding.level.value,
        "player": finding.player,
        "trick": finding.trick,
        "proved_at": finding.proved_at,
        "evidence": list(finding.evidence),
        "text": finding.text,
    }


def finding_of(payload: Mapping[str, Any]) -> Finding:
    """The reverse of `finding_json`. Raises BadInputError."""
    try:
        return Finding(
            rule=payload["rule"],
            level=Level(payload["level"]),
            text=payload["text"],
            player=payload["player"],
            trick=payload["trick"],
            proved_at=payload["proved_at"],
            evidence=tuple(payload["evidence"]),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise BadInputError(f"a finding in the journal doesn't hold together: {error!r}") from None


def question_json(question: Question) -> dict[str, Any]:
    """A question with all that its answers do, as it stands in the journal."""
    return {
        "key": question.key,
        "text": question.text,
        "detail": question.detail,
        "renewed": question.renewed,
        "crops": list(question.crops),
        "options": [
            {
                "id": option.id,
                "label": option.label,
                "tell": [dict(fact) for fact in option.tell],
                "correct": [[seq, dict(fact)] for seq, fact in option.correct],
                "hold": list(option.hold),
            }
            for option in question.options
        ],
    }


def question_of(payload: Mapping[str, Any]) -> Question:
    """The reverse of `question_json`. Raises BadInputError."""
    try:
        options = tuple(
            Option(
                id=option["id"],
                label=option["label"],
                tell=tuple(option["tell"]),
                correct=tuple((int(seq), fact) for seq, fact in option["correct"]),
                hold=tuple(option["hold"]),
            )
            for option in payload["options"]
        )
        return Question(
            payload["key"], payload["text"], options, payload["detail"], payload["renewed"], tuple(payload["crops"])
        )
    except (KeyError, ValueError, TypeError) as error:
        raise BadInputError(f"a question in the journal doesn't hold together: {error!r}") from None
