"""One game as the fold of its journal: facts that stand, the state they make, findings with their life, open questions.

Live play, a restart and a replay all come through `Record.take`: nothing else changes a record. An undo, a correction or a
ruling names its target; the ledger then folds the game again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.adjudicator.games import kit_of
from companion.adjudicator.kit import Kit, outcome_event
from companion.adjudicator.resolution import Entered, Option, Question, TableNow
from companion.errors import BadInputError
from companion.games.start import Edition, Start, edition_of, start_of
from companion.games.steps import RuleFinding, RuleGame, step_of
from companion.journal import Event, EventKind
from companion.rules.core import Finding, Level, Outcome
from companion.rules.ledger import Entry, Found, GameRuling, Ledger, Life, Ruling


@dataclass(frozen=True, slots=True)
class Logged:
    """A finding of the journal, and how it stands now."""

    seq: int
    finding: Finding
    life: Life
    found: Found | None
    """None once it is withdrawn."""


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
        self.start: Start = start_of(started.payload)
        self.edition: Edition | None = edition_of(started.payload)
        """What the game was begun by; None where its start doesn't say."""
        self.kit: Kit[Any, Any, Any] = kit_of(self.start.game)
        self.ledger: Ledger[Any, Any, Any] = self.start.ledger()
        self.questions: dict[str, OpenQuestion] = {}
        self.asked = 0
        """How many questions were ever asked."""
        self.undos: dict[int, tuple[Entry[Any], ...]] = {}
        """What each undo took back, by its sequence number, for as long as it can be brought back."""
        self.held: frozenset[str] = frozenset()
        self.recorded: list[tuple[int, Finding, int]] = []
        """Every finding that the journal holds, with its sequence number and that of the act that brought it to light, whether it
        still stands or not."""
        self.last_picture: tuple[str, int] | None = None
        """Name and time (ns) of the last picture that was judged, for going on with a recording."""
        self.touches: list[Mapping[str, Any]] = []
        """Of a duel: each touch as it was announced, with its ruling and why."""
        self.said: dict[int, Mapping[str, Any]] = {}
        """What people told in the middle of a round, by its number: it becomes a fact in its place once the round is settled."""
        self.answered: dict[str, str] = {}
        """What was last answered to each question, by its key."""

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
                self._take_finding(event.seq, finding_of(event.payload))
            case EventKind.UNDO:
                self._take_undo(event)
            case EventKind.CORRECTION:
                self._take_correction(event.payload)
            case EventKind.QUESTION:
                question = question_of(event.payload)
                self.asked += 1
                self.questions[str(event.payload["id"])] = OpenQuestion(str(event.payload["id"]), event.seq, question)
            case EventKind.ANSWER:
                opened = self.questions.pop(str(event.payload.get("question")), None)
                if opened is not None:
                    self.answered[opened.question.key] = str(event.payload.get("label", ""))
                self.held |= frozenset(event.payload.get("hold", ()))
            case EventKind.OVERRIDE:
                self._take_ruling(event.payload)
            case EventKind.EVENT:
                self._take_announcement(event.payload)
            case _:
                pass  # prompts and sources change nothing that is folded

    @property
    def state(self) -> Any:
        """After the facts that stand."""
        return self.ledger.state

    @property
    def entries(self) -> list[Entry[Any]]:
        """Every fact of the journal, by its sequence number."""
        return self.ledger.entries

    @property
    def findings(self) -> list[Finding]:
        """Of the facts that stand, in their order."""
        return self.ledger.findings

    def now(self) -> TableNow[Any, Any]:
        """What a resolver may know."""
        standing = tuple(Entered(entry.number, entry.fact) for entry in self.ledger.standing)
        asked = frozenset(opened.question.key for opened in self.questions.values())
        return TableNow(self.state, standing, self.held, asked)

    def outcome(self) -> Outcome | None:
        """The result, once the game has ended or a referee has said who won."""
        return self.ledger.outcome()

    def standing(self, seq: int | None) -> Entry[Any]:
        """The fact of that number, or the last one for None. Raises BadInputError where none of that number stands."""
        found = self.ledger.find(seq)
        if found is None and seq is None:
            raise BadInputError("there is nothing to undo yet")
        if found is None:
            raise BadInputError(f"nothing that stands has number {seq}; reload the page to see the record as it is")
        return found

    def last_like(self, act: Mapping[str, Any]) -> int | None:
        """The number of the last standing fact that says the same as an act of another reading of the same game, or None."""
        return next((x.number for x in reversed(self.ledger.standing) if self._is_like(x.fact, act)), None)

    def undo_of(self, act: Mapping[str, Any]) -> int | None:
        """The number of the last undo that took such a fact back and can be undone, or None."""
        undos = reversed(self.undos.items())
        return next((seq for seq, taken in undos if any(self._is_like(entry.fact, act) for entry in taken)), None)

    def _is_like(self, fact: Any, act: Mapping[str, Any]) -> bool:
        codec = self.start.book.facts
        return bool(_said(codec.to_json(fact)) == _said(codec.to_json(codec.of_json(act))))

    def logged(self) -> list[Logged]:
        """Every finding that the journal holds, in order, with how it stands."""
        standing = {(found.number, found.finding): found for found in self.ledger.found()}
        logged = []
        for seq, finding, act in self.recorded:
            found = standing.get((act, finding))
            logged.append(Logged(seq, finding, Life.WITHDRAWN if found is None else found.life, found))
        return logged

    def recorded_finding(self, seq: int) -> tuple[int, Finding]:
        """The finding of that number in the journal, after the number of its act. Raises BadInputError."""
        for known, finding, act in self.recorded:
            if known == seq:
                return act, finding
        raise BadInputError(f"no finding has number {seq}; reload the page to see the record as it is")

    def finding_like(self, payload: Mapping[str, Any]) -> int | None:
        """The number of the last finding that stands and says the same as one of another reading of the same game, or None."""
        told = {name: value for name, value in payload.items() if name != "evidence"}
        logged = reversed(self.logged())
        return next((x.seq for x in logged if x.found and told.items() <= finding_json(x.finding).items()), None)

    def new_findings(self, ledger: Ledger[Any, Any, Any]) -> list[Finding]:
        """Those of a ledger, this record's or a copy that went on, that the journal doesn't hold yet, in order."""
        known = {(act, finding) for _, finding, act in self.recorded}
        return [found.finding for found in ledger.found() if (found.number, found.finding) not in known]

    def _take_finding(self, seq: int, finding: Finding) -> None:
        """A finding follows what brought it to light: the first such that is not recorded yet."""
        known = {(act, one) for _, one, act in self.recorded if one == finding}
        acts = [found.number for found in self.ledger.found() if found.finding == finding]
        self.recorded.append((seq, finding, next((act for act in acts if (act, finding) not in known), 0)))

    def _take_fact(self, event: Event) -> None:
        payload = event.payload
        fact = self.start.book.facts.of_json(payload)
        if payload.get("restores") in self.undos:
            self.undos.pop(payload["restores"])
        self.ledger.add(Entry(event.seq, fact, teller_of(payload), event.t_ns))
        self.said.pop(payload.get("said", 0), None)
        if picture := payload.get("picture"):
            self.last_picture = (str(picture), event.t_ns or 0)

    def _take_undo(self, event: Event) -> None:
        payload = event.payload
        targets = frozenset(payload.get("targets", ()))
        self.undos[event.seq] = tuple(entry for entry in self.entries if entry.number in targets)
        self.held |= frozenset(payload.get("hold", ()))
        self.ledger.undo(targets, as_play=payload.get("taken_back") is True)

    def _take_correction(self, payload: Mapping[str, Any]) -> None:
        self.held |= frozenset(payload.get("hold", ()))
        self.ledger.correct(int(payload.get("target", 0)), self.start.book.facts.of_json(payload))

    def _take_ruling(self, payload: Mapping[str, Any]) -> None:
        """A referee's word on a finding, or on the game."""
        match step_of(payload, self.start.book.facts):
            case RuleFinding(number) as ruled:
                ruling = Ruling(ruled.verdict, ruled.by, ruled.text, ruled.costs)
                self.ledger.rule(*self.recorded_finding(number), ruling)
            case RuleGame(winners, by, text):
                self.ledger.rule_game(GameRuling(winners, by, text))
            case _:
                raise BadInputError("an override in the journal rules on nothing")

    def _take_announcement(self, payload: Mapping[str, Any]) -> None:
        match payload.get("event"):
            case "let-go":
                self.held -= frozenset(payload.get("keys", ()))
            case "question-closed":
                self.questions.pop(str(payload.get("question")), None)
            case "touch":
                self.touches.append(payload)
            case "said":
                self.said[int(payload.get("number", 0))] = payload
            case "unsaid":
                self.said.clear()
            case _:
                pass


def told_by(fact: Mapping[str, Any], who: str) -> dict[str, Any]:
    """A fact as JSON with whoever told it; a touch has a "by" of its own, the hands that struck."""
    return {**fact, _TOLD_BY if "by" in fact else "by": who}


def teller_of(payload: Mapping[str, Any]) -> str:
    """Who told the fact that a payload holds; "table" for what was seen."""
    return str(payload.get(_TOLD_BY, payload.get("by", "table")))


def act_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The fact of a payload, with what else it holds but for who told it."""
    return {key: value for key, value in payload.items() if key != (_TOLD_BY if _TOLD_BY in payload else "by")}


_TOLD_BY = "told_by"


def _said(value: Any) -> Any:
    """What a fact says, without what differs from one reading of a picture to the next: when it was seen, and places in mm."""
    match value:
        case dict():
            return {name: _said(part) for name, part in value.items() if name != "look"}
        case list() | tuple():
            return [_said(part) for part in value]
        case float():
            return None
        case _:
            return value


def announced(kit: Kit[Any, Any, Any], before: Standing, after: Standing) -> list[dict[str, Any]]:
    """The contract's events that became due between two moments of a game: tricks, then another outcome."""
    due = kit.announcements(before.state, after.state)
    if after.outcome is not None and after.outcome != before.outcome:
        due.append(outcome_event(after.outcome))
    return due


@dataclass(frozen=True, slots=True)
class Standing:
    """A moment of a game, as far as it is announced."""

    state: Any
    outcome: Outcome | None

    @classmethod
    def of(cls, ledger: Ledger[Any, Any, Any]) -> Standing:
        """How a ledger stands now."""
        return cls(ledger.state, ledger.outcome())


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
