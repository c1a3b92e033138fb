"""The live table: pictures and people in, journal and announcements out, a view for the page.

Every change goes the same way: what is new is worked out on a copy, committed to the journal as one transaction, and only then
folded into the record and shown. A journal that can't write (a full disk) leaves the record as it was; the same picture is
taken up again at the next `tick`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from companion.adjudicator.announcing import contract_event
from companion.adjudicator.posing import done, fresh, id_of
from companion.adjudicator.record import (
    OpenQuestion,
    Record,
    Standing,
    act_of,
    announced,
    finding_json,
    question_json,
    teller_of,
    told_by,
)
from companion.adjudicator.resolution import Option, Question, Resolution
from companion.adjudicator.told import Said, Way, answer_act, ruling_act
from companion.adjudicator.view import Status, table_view
from companion.errors import BadInputError, JournalError
from companion.games.steps import RuleFinding, RuleGame, step_json
from companion.journal import EventKind, Journal, NewEvent
from companion.rules.ledger import Entry, GameRuling, Ledger, Ruling

if TYPE_CHECKING:
    from calibration.zones import Layout
    from vision.observation import ActivityChange, Observation

Json = Any
Announce = Callable[[dict[str, Json]], None]

PENDING = 2**62
"""From here on acts are numbered that the journal has not taken yet."""
COMMIT_TIMEOUT_S = 10.0
"""How long a commit may take before it is reported; it goes on being tried."""


@dataclass(frozen=True, slots=True)
class SettledLook:
    """A settled observation with the parts of its picture that a question may show."""

    observation: Observation
    crops: Mapping[str, bytes] = field(default_factory=dict)
    """PNG by name, as `Question.crops` names them."""


class GameDesk:
    """One game on one table. Every method may be called from any thread."""

    def __init__(
        self,
        journal: Journal,
        record: Record,
        layout: Layout,
        *,
        announce: Announce = lambda _event: None,
        warn: Callable[[str], None] = lambda _line: None,
        card_pictures: Mapping[str, Path] | None = None,
        heard: Callable[[Said], None] = lambda _said: None,
    ) -> None:
        """`announce` gets the contract's events, in order, after they are committed; it is called with the desk's lock held.
        So is `heard`, with each act that people told or answered, undid, corrected or ruled on.

        `warn` gets a line for people when the journal begins to fail.
        """
        self._journal = journal
        self._record = record
        self._resolver = record.kit.resolver(record.start.setup, layout)
        self._announce = announce
        self._warn = warn
        self._heard = heard
        self._card_pictures = dict(card_pictures or {})
        self._changed = threading.Condition(threading.RLock())
        self._version = 1
        self._look: SettledLook | None = None
        self._look_taken = True
        self._look_ref: dict[str, Json] | None = None
        """The last settled picture's evidence in the journal, once something rests on it."""
        self._prompts: tuple[str, ...] = ()
        self._sources: dict[str, Status] = {}
        self._question_pictures: dict[str, tuple[bytes, ...]] = {}

    # What the pipeline says

    def observe(self, look: SettledLook) -> None:
        """Takes up a settled picture. A journal that fails is shown as a banner; nothing is lost or half taken."""
        with self._changed:
            self._look, self._look_taken, self._look_ref = look, False, None
            self._take_up_look()

    def tick(self) -> None:
        """Tries again what a failing journal held up; to be called about once a second."""
        with self._changed:
            if not self._look_taken:
                self._take_up_look()

    def activity(self, change: ActivityChange) -> None:
        """The camera's picture began to move, settled, was covered or lost."""
        self.source(change.source, change.activity.value, change.text)

    def source(self, name: str, state: str, text: str = "", *, journaled: bool = False) -> None:
        """What a camera or another part is doing; `journaled` where it belongs into the game's log (lost, back, ended)."""
        with self._changed:
            status = Status(name, state, text)
            if self._sources.get(name) == status:
                return
            self._sources[name] = status
            if journaled:
                self._try_append([self._event(EventKind.SOURCE, {"source": name, "state": state, "text": text})])
            self._show()

    # What people say (companion.web.desk.Desk)

    def view(self) -> Mapping[str, Json]:
        """The newest view, JSON-able. Changes nothing."""
        with self._changed:
            return self._view_of(None)

    def _view_of(self, state: Any) -> dict[str, Json]:
        """The view of a state of the game; None for the one on record."""
        return table_view(
            self._record,
            version=self._version,
            prompts=self._prompts,
            sources=tuple(self._sources.values()),
            pictures={key: len(crops) for key, crops in self._question_pictures.items()},
            scans=self._card_pictures.keys(),
            state=state,
        )

    def wait(self, after_version: int, timeout_s: float) -> int:
        """The current version; blocks until it is above `after_version` or the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > after_version, timeout_s)
            return self._version

    def answer(self, question_id: str, option_id: str, who: str) -> None:
        """Answers a pending question and goes on with the picture that is on the table."""
        with self._changed:
            opened = self._record.questions.get(question_id)
            if opened is None:
                raise BadInputError("this question has been answered or is no longer open")
            option = next((option for option in opened.question.options if option.id == option_id), None)
            if option is None:
                known = ", ".join(option.id for option in opened.question.options)
                raise BadInputError(f"{option_id!r} is no answer to this question; answers are {known}")
            replaced = [(self._record.standing(seq).fact, act) for seq, act in option.correct]
            self._append([self._answer_event(question_id, option, who), *self._effects(option, who)])
            if not option.tell and not option.correct:
                self._heard(Said(answer_act(opened.question.key, option_id), who, way=Way.ANSWERED))
            for fact, act in replaced:
                self._hear(self._told(act), who, Way.CORRECTED, instead=fact)
            self._take_up_look()

    def undo(self, seq: int | None, who: str, *, as_play: bool = False) -> None:
        """Takes back the fact of that number (None: the last one); an undo's own number brings its fact back.

        What still lies on the table is held: unchanged pictures do not bring back what was undone. `as_play` where a player took
        the act back at the table: what it broke then stays on record as put right, if it still could be.
        """
        with self._changed:
            if seq is not None and seq in self._record.undos:
                facts = [entry.fact for entry in self._record.undos[seq]]
                self._append(self._fact_events(facts, by=who, restores=seq))
                for fact in facts:
                    self._hear(fact, who, Way.RESTORED)
                self._take_up_look()
                return
            undone = self._record.standing(seq)
            targets = [undone.number]
            after = self._record.ledger.copy()
            after.undo(targets, as_play=as_play)
            payload = {"targets": targets, "hold": sorted(self._evidence()), "by": who, "taken_back": as_play}
            self._append([self._event(EventKind.UNDO, payload), *self._finding_events(after)])
            self._hear(undone.fact, who, Way.TAKEN_BACK if as_play else Way.UNDONE)
            self._take_up_look()

    def rule(self, ruling: RuleFinding | RuleGame) -> None:
        """A referee rules on a finding, by its number in the journal, or says who has won.

        Raises BadInputError for a finding or player that is not there, or a penalty that can't be.
        """
        with self._changed:
            record = self._record
            after = record.ledger.copy()
            match ruling:
                case RuleFinding(number):
                    word = Ruling(ruling.verdict, ruling.by, ruling.text, ruling.costs)
                    after.rule(*record.recorded_finding(number), word)
                case RuleGame(winners, by, text):
                    record.start.check_seats(winners)
                    after.rule_game(GameRuling(winners, by, text))
            payload = step_json(ruling, record.start.book.facts)
            due = self._due_events(Standing.of(record.ledger), Standing.of(after))
            self._append([self._event(EventKind.OVERRIDE, payload), *due])
            about = finding_json(record.recorded_finding(ruling.number)[1]) if isinstance(ruling, RuleFinding) else None
            self._heard(Said(ruling_act(payload, about), ruling.by, way=Way.RULED))

    def tell(self, act: Mapping[str, Json], who: str) -> None:
        """Records what a person says happened at the table."""
        with self._changed:
            fact = self._told(act)
            self._append(self._fact_events([fact], by=who))
            self._take_up_look()

    def question(self, question_id: str) -> Question | None:
        """A pending question with all that its answers do, or None."""
        with self._changed:
            opened = self._record.questions.get(question_id)
            return None if opened is None else opened.question

    def offers(self, act: Mapping[str, Json]) -> bool:
        """Whether the page offers this act with one tap now."""
        with self._changed:
            return any(tap.offers(act) for tap in self._record.kit.taps(self._record.state))

    def correct(self, seq: int, act: Mapping[str, Json], who: str) -> None:
        """Puts another fact in the place of a standing one."""
        with self._changed:
            replaced = self._record.standing(seq).fact
            self._append(self._correction_events(seq, act, who))
            self._hear(self._told(act), who, Way.CORRECTED, instead=replaced)
            self._take_up_look()

    def number_of(self, act: Mapping[str, Json], *, undone: bool = False) -> int | None:
        """The number of the last fact that stands and says the same as this act, or of the undo that took it back."""
        with self._changed:
            return self._record.undo_of(act) if undone else self._record.last_like(act)

    def finding_like(self, finding: Mapping[str, Json]) -> int | None:
        """The number of the last finding that stands and says the same, or None."""
        with self._changed:
            return self._record.finding_like(finding)

    def asked(self, key: str) -> OpenQuestion | None:
        """The open question with this key, or None."""
        with self._changed:
            return next((opened for opened in self._record.questions.values() if opened.question.key == key), None)

    def card_picture(self, card_id: str) -> bytes | None:
        """A card's scan, or None."""
        path = self._card_pictures.get(card_id)
        try:
            return path.read_bytes() if path is not None else None
        except OSError:
            return None

    def question_picture(self, question_id: str, index: int) -> bytes | None:
        """A picture that belongs to a question, 0-based, or None."""
        with self._changed:
            crops = self._question_pictures.get(question_id, ())
            return crops[index] if 0 <= index < len(crops) else None

    def acts(self) -> list[dict[str, Json]]:
        """The acts that stand, in order, as JSON."""
        with self._changed:
            codec = self._record.start.book.facts
            return [codec.to_json(entry.fact) for entry in self._record.ledger.standing]

    @property
    def over(self) -> bool:
        """Whether the game has its outcome."""
        with self._changed:
            return self._record.outcome() is not None

    @property
    def failing(self) -> bool:
        """Whether something that was seen could not be recorded yet."""
        with self._changed:
            return not self._look_taken

    @property
    def game_id(self) -> str:
        """The game's id in the journal."""
        return self._record.game_id

    @property
    def open_questions(self) -> int:
        """How many questions wait for a person."""
        with self._changed:
            return len(self._record.questions)

    # The way in

    def _take_up_look(self) -> None:
        """Resolves the last settled picture against the record and commits what follows."""
        if self._look is None:
            return
        scene = self._look.observation.scene
        sight = self._resolver.sight(scene, self._record.state)
        let_go = sorted(key for key in self._record.held if sight.lets_go(key))
        now = replace(self._record.now(), held=self._record.held - frozenset(let_go))
        resolution = self._resolver.resolve(scene, now)
        events = []
        if let_go:
            events.append(self._event(EventKind.EVENT, {"event": "let-go", "keys": let_go}))
        proposals = resolution.proposals
        events += self._fact_events(
            [p.fact for p in proposals], by="table", confidences=[p.confidence for p in proposals]
        )
        events += self._closed_questions(resolution, sight.hidden)
        opened = self._opened_questions(resolution)
        events += opened
        events += self._new_prompts(resolution.prompts)
        if self._try_append(events):
            self._look_taken = True
            self._prompts = resolution.prompts
            self._keep_crops(opened)
            self._show()

    def _fact_events(
        self,
        facts: Sequence[Any],
        *,
        by: str,
        confidences: Sequence[float] | None = None,
        restores: int | None = None,
    ) -> list[NewEvent]:
        """Facts with their findings and what they make due, in order.

        `restores` is the number of the undo that they bring back.
        """
        said: list[dict[str, Json]] = []
        for index in range(len(facts)):
            words: dict[str, Json] = {}
            if restores is not None:
                words["restores"] = restores
            if confidences is not None:
                words["confidence"] = round(confidences[index], 4)
                words.update(self._source_of_look())
            said.append(words)
        return self._entered((fact, by, words) for fact, words in zip(facts, said, strict=True))

    def _entered(self, fresh: Iterable[tuple[Any, str, Mapping[str, Json]]]) -> list[NewEvent]:
        """Events for facts, each with who told it and what else is kept beside it, for what they bring to light and make due."""
        after = self._record.ledger.copy()
        codec = self._record.start.book.facts
        events: list[NewEvent] = []
        for index, (fact, by, words) in enumerate(fresh):
            events.append(self._event(EventKind.FACT, {**told_by(codec.to_json(fact), by), **words}))
            before = Standing.of(after)
            after.add(Entry(PENDING + index, fact, by))
            events += self._finding_events(after, events)
            events += self._due_events(before, Standing.of(after))
        return events

    def _due_events(self, before: Standing, after: Standing) -> list[NewEvent]:
        """What became due, and the game's end with its outcome."""
        due = announced(self._record.kit, before, after)
        events = [self._event(EventKind.EVENT, event) for event in due]
        if any(event["event"] == "outcome" for event in due):
            events.append(self._event(EventKind.GAME_ENDED, {}))
        return events

    def _finding_events(self, after: Ledger[Any, Any, Any], pending: Iterable[NewEvent] = ()) -> list[NewEvent]:
        """Events for the findings of the ledger that neither the journal nor `pending` holds yet."""
        written = [event.payload for event in pending if event.kind is EventKind.FINDING]
        fresh = []
        for finding in self._record.new_findings(after):
            payload = finding_json(finding)
            if payload in written:
                written.remove(payload)
            else:
                fresh.append(self._event(EventKind.FINDING, payload))
        return fresh

    def _told(self, act: Mapping[str, Json]) -> Any:
        """What a person says happened. Raises BadInputError for what can't be said at this table."""
        start = self._record.start
        fact = start.book.facts.of_json(act)
        start.book.check_told(start.names, self._record.state, fact)
        return fact

    def _correction_events(self, seq: int, act: Mapping[str, Json], who: str) -> list[NewEvent]:
        fact = self._told(act)
        before, after = Standing.of(self._record.ledger), self._record.ledger.copy()
        after.correct(seq, fact)
        codec = self._record.start.book.facts
        payload = {**told_by(codec.to_json(fact), who), "target": seq, "hold": sorted(self._evidence())}
        return [
            self._event(EventKind.CORRECTION, payload),
            *self._finding_events(after),
            *self._due_events(before, Standing.of(after)),
        ]

    def _answer_event(self, question_id: str, option: Option, who: str) -> NewEvent:
        payload = {
            "question": question_id,
            "option": option.id,
            "label": option.label,
            "by": who,
            "hold": list(option.hold),
        }
        return self._event(EventKind.ANSWER, payload)

    def _effects(self, option: Option, who: str) -> list[NewEvent]:
        """What an answer does, as events."""
        codec = self._record.start.book.facts
        events = self._fact_events([codec.of_json(fact) for fact in option.tell], by=who)
        for seq, act in option.correct:
            events += self._correction_events(seq, act, who)
        return events

    def _opened_questions(self, resolution: Resolution[Any]) -> list[NewEvent]:
        """Questions that are not open yet."""
        record = self._record
        return [
            self._event(
                EventKind.QUESTION,
                {"id": id_of(question, record.asked + 1), **question_json(question), **self._source_of_look()},
            )
            for question in fresh(resolution.questions, record.questions.values())
        ]

    def _closed_questions(self, resolution: Resolution[Any], hidden: frozenset[str]) -> list[NewEvent]:
        """Questions that the picture has answered meanwhile; one whose subject is hidden stays open."""
        return [
            self._event(EventKind.EVENT, {"event": "question-closed", "question": opened.id, "reason": "seen"})
            for opened in done(resolution.questions, self._record.questions.values(), resolution.keep, hidden)
        ]

    def _new_prompts(self, prompts: Sequence[str]) -> list[NewEvent]:
        return [self._event(EventKind.PROMPT, {"text": text}) for text in prompts if text not in self._prompts]

    def _keep_crops(self, opened: Sequence[NewEvent]) -> None:
        """Keeps the pictures of the newly asked and drops those of the answered."""
        crops = self._look.crops if self._look is not None else {}
        for event in opened:
            names = event.payload["crops"]
            self._question_pictures[str(event.payload["id"])] = tuple(crops[name] for name in names if name in crops)
        self._question_pictures = {
            key: pictures for key, pictures in self._question_pictures.items() if key in self._record.questions
        }

    def _evidence(self) -> frozenset[str]:
        """What the last settled picture shows."""
        if self._look is None:
            return frozenset()
        return self._resolver.sight(self._look.observation.scene, self._record.state).shown

    def _source_of_look(self) -> dict[str, Json]:
        if self._look is None:
            return {}
        seen = self._look.observation
        if self._look_ref is None:
            evidence = msgspec.to_builtins(seen)
            self._look_ref = self._journal.observe(self._record.game_id, evidence).to_json()
        named = {"picture": seen.name} if seen.name else {}
        return {"source": seen.source, "frame": seen.frame_id, "observation": self._look_ref, **named}

    def _event(self, kind: EventKind, payload: dict[str, Json]) -> NewEvent:
        t_ns = self._look.observation.t_ns if self._look is not None else None
        return NewEvent(kind, self._record.game_id, payload, t_ns)

    # The way out

    def _append(self, events: list[NewEvent]) -> None:
        """Commits, folds, announces. Raises JournalError where the journal can't write; then nothing has changed."""
        if not events:
            return
        for event in self._journal.append(events).wait(COMMIT_TIMEOUT_S):
            self._record.take(event)
            self._announce_event(event.kind, event.payload, event.t_ns)
        self._sources.pop("journal", None)
        self._show()

    def _try_append(self, events: list[NewEvent]) -> bool:
        """As `_append`, but a failure becomes a banner. True when it is done."""
        try:
            self._append(events)
        except JournalError as error:
            if "journal" not in self._sources:
                self._warn(str(error))
            self._sources["journal"] = Status("journal", "lost", str(error))
            self._show()
            return False
        return True

    def _announce_event(self, kind: EventKind, payload: Mapping[str, Json], t_ns: int | None) -> None:
        event = contract_event(kind, payload, t_ns)
        if event is not None:
            self._announce(event)
        elif kind is EventKind.FACT and teller_of(payload) != "table" and "restores" not in payload:
            self._heard(Said(act_of(payload), teller_of(payload)))

    def _hear(self, fact: Any, who: str, way: Way, instead: Any = None) -> None:
        codec = self._record.start.book.facts
        self._heard(
            Said(codec.to_json(fact), who, way=way, instead=None if instead is None else codec.to_json(instead))
        )

    def _show(self) -> None:
        self._version += 1
        self._changed.notify_all()
