"""The live desk of a duel: what sensors and people tell goes to the judge, what the judge has settled becomes facts.

Facts of a round are recorded as one block, in the order in which they happened, once nothing can change them any more: when a
touch has ended the round, when play begins anew, or when people's word has ended it. Until then the page shows the judge's
state, which is ahead of the record. What people tell meanwhile is kept in the journal at once, and becomes a fact in its place.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from companion.adjudicator.desk import GameDesk
from companion.adjudicator.hoshi_battle.touching import (
    is_about_a_touch,
    question_of,
    touch_event,
    touches_view,
)
from companion.adjudicator.record import Record, question_json
from companion.adjudicator.told import Said, answer_act
from companion.duel.judge import DuelJudge
from companion.duel.reports import Source, ToldReport, TouchReport
from companion.duel.timeline import NEVER_US, Entry
from companion.errors import BadInputError
from companion.journal import EventKind, Journal, NewEvent
from companion.rules.hoshi_battle.facts import Fact, HandsTouched, PlayBegan, TimeoutCalled, TouchRuled, Where
from companion.rules.hoshi_battle.state import HoshiBattleState, Phase

if TYPE_CHECKING:
    from calibration.zones import Layout
    from companion.adjudicator.resolution import Option

Json = Any
log = logging.getLogger("companion.adjudicator")

MOST_CLIPS = 12
"""Clips of so many touches are kept in memory, some 4 MB each."""
TAP_US = 250_000
"""A tap on the page tells a moment give or take so much."""
TOUCH_TAP_US = 600_000
"""Hands touched so long before a person tapped that they did, give or take as much."""
BUTTON_US = 25_000
"""The same of what is told with its own time."""


def monotonic_us() -> int:
    """The host's monotonic clock, by which everything of a live duel is timed."""
    return time.monotonic_ns() // 1000


@dataclass(frozen=True, slots=True)
class DuelEars:
    """The desk as companion.duel.hearing needs it."""

    desk: DuelDesk

    def tell(self, entry: Entry) -> None:
        """A sensor's report."""
        self.desk.hear(entry)

    def told_through(self, source: Source, at_us: int) -> None:
        """A source has told all up to a moment."""
        self.desk.told_through(source, at_us)

    def blinded(self, source: Source, since_us: int, why: str, until_us: int | None = None) -> None:
        """A source may have missed something."""
        self.desk.blinded(source, since_us, why, until_us)

    def sees_again(self, source: Source, at_us: int) -> None:
        """A source tells again."""
        self.desk.sees_again(source, at_us)


class DuelDesk(GameDesk):
    """A game of Hoshi Battle at one table. Every method may be called from any thread."""

    def __init__(
        self,
        journal: Journal,
        record: Record,
        layout: Layout,
        *,
        sources: Iterable[Source] = (),
        clock: Callable[[], int] = monotonic_us,
        **more: Any,
    ) -> None:
        """`sources`: what the table has; `clock`: now, microseconds on the time line. For `more` see GameDesk."""
        super().__init__(journal, record, layout, **more)
        self._clock = clock
        self._table_has = tuple(sources)
        self._judge = DuelJudge(record.state, self._table_has)
        self._written = 0
        """So many of the judge's settled facts are in the journal."""
        self._at_once: set[int] = set()
        """Numbers of what people told that became a fact at once."""
        self._rulings: list[tuple[dict[str, Json], dict[str, Json] | None]] = []
        """Touches that are ruled and not in the journal yet, each with its question."""
        self._number = max(record.said, default=0)
        self._said_us: dict[int, int] = {}
        self._told_us = -1
        """When people told something last: what they tell next comes later."""
        self._clips: dict[str, tuple[tuple[int, bytes], ...]] = {}
        self._take_over()

    # -- what sensors tell ------------------------------------------------------------------------------------------------

    @property
    def ears(self) -> DuelEars:
        """Where pad, dice and hands are heard."""
        return DuelEars(self)

    def hear(self, entry: Entry) -> None:
        """A sensor's report, whenever it comes."""
        with self._changed:
            self._judge.tell(entry)
            self._show()

    def told_through(self, source: Source, at_us: int) -> None:
        """A source has told all up to a moment."""
        with self._changed:
            self._judge.told_through(source, at_us)

    def blinded(self, source: Source, since_us: int, why: str, until_us: int | None = None) -> None:
        """A source is declared blind, for a span or until it sees again."""
        with self._changed:
            if until_us is None:
                # What it had not told by then it does not tell any more; one that never told anything was blind from the first.
                since_us = min(since_us, self._judge.line.told_us.get(source, -NEVER_US))
            self._judge.blinded(source, since_us, why, until_us)
            self._show()

    def sees_again(self, source: Source, at_us: int) -> None:
        """A source tells again."""
        with self._changed:
            self._judge.sees_again(source, at_us)
            self._show()

    def step(self, now_us: int | None = None) -> None:
        """Rules what can be ruled by now, and records what is settled. To be called whenever something was told, and often."""
        with self._changed:
            now_us = self._clock() if now_us is None else now_us
            for ruled in self._judge.step(now_us):
                asked = question_json(question_of(ruled)) if ruled.is_question else None
                self._rulings.append((touch_event(ruled, self._judge.line.entries, now_us), asked))
            if self._said_us:
                self._judge.settle(max(self._said_us.values()))
            self._commit()

    def tick(self) -> None:
        """As GameDesk, and steps."""
        super().tick()
        self.step()

    @property
    def is_waiting(self) -> bool:
        """Whether something that was told is not ruled or recorded yet, or a referee is asked."""
        with self._changed:
            return bool(self._judge.waiting or self._rulings or self._said_us or self._record.questions)

    @property
    def record_state(self) -> HoshiBattleState:
        """The game as it is recorded."""
        with self._changed:
            recorded: HoshiBattleState = self._record.state
            return recorded

    @property
    def live_state(self) -> HoshiBattleState:
        """The game as it stands on the table: ahead of the record while a round goes on."""
        with self._changed:
            return self._state

    @property
    def touches(self) -> tuple[Mapping[str, Json], ...]:
        """Every touch that was ruled, as it was announced."""
        with self._changed:
            return tuple(self._record.touches)

    # -- what people say ----------------------------------------------------------------------------------------------------

    def tell(self, act: Mapping[str, Json], who: str) -> None:
        """Records what a person says happened, in its place on the time line."""
        with self._changed:
            self._say(self._told(act), who)
            self.step()

    def answer(self, question_id: str, option_id: str, who: str) -> None:
        """A referee's word on a touch."""
        with self._changed:
            opened = self._record.questions.get(question_id)
            if opened is None or not is_about_a_touch(opened.question.key):
                super().answer(question_id, option_id, who)
                return
            option = self._option(question_id, option_id)
            facts = [self._told(act) for act in option.tell]
            self._say(facts[0], who, (self._answer_event(question_id, option, who),))
            self._heard(Said(answer_act(opened.question.key, option_id), who))
            self.step()

    def _option(self, question_id: str, option_id: str) -> Option:
        options = self._record.questions[question_id].question.options
        option = next((option for option in options if option.id == option_id), None)
        if option is None:
            known = ", ".join(option.id for option in options)
            raise BadInputError(f"{option_id!r} is no answer to this question; answers are {known}")
        return option

    def undo(self, seq: int | None, who: str, *, as_play: bool = False) -> None:
        """As GameDesk. Of a round that goes on nothing is sure any more: its touches are asked about."""
        with self._changed:
            super().undo(seq, who, as_play=as_play)
            self._start_anew("something was taken back in this round")

    def correct(self, seq: int, act: Mapping[str, Json], who: str) -> None:
        """As GameDesk, and as `undo`."""
        with self._changed:
            super().correct(seq, act, who)
            self._start_anew("something was put right in this round")

    def offers(self, act: Mapping[str, Json]) -> bool:
        """Whether the page offers this act with one tap now."""
        with self._changed:
            return any(tap.offers(act) for tap in self._record.kit.taps(self._state))

    def view(self) -> Mapping[str, Json]:
        """The newest view, JSON-able. Changes nothing."""
        with self._changed:
            state = self._state
            return {
                **self._view_of(state),
                "touches": touches_view(self._record.touches, self._record.answered),
                "waiting": [{"at_us": one.at_us, "why": one.why} for one in self._judge.waiting],
                "clips": [{"key": touch, "count": len(frames)} for touch, frames in self._clips.items() if frames],
                "sensors": [source.value for source in self._table_has],
                "simultaneous_us": state.setup.settings.simultaneous_ms * 1000,
                "defence_us": state.setup.settings.defence_ms * 1000,
            }

    # -- pictures of a touch --------------------------------------------------------------------------------------------------

    def keep_clip(self, touch: str, frames: tuple[tuple[int, bytes], ...]) -> None:
        """Keeps the pictures around a touch, JPEG with microseconds from it; of the newest touches only."""
        with self._changed:
            self._clips[touch] = frames
            while len(self._clips) > MOST_CLIPS:
                del self._clips[next(iter(self._clips))]
            self._show()

    def clip(self, touch: str) -> tuple[tuple[int, bytes], ...]:
        """The pictures that were kept of a touch; none where there are none."""
        with self._changed:
            return self._clips.get(touch, ())

    # -- how it gets there ----------------------------------------------------------------------------------------------------

    @property
    def _state(self) -> HoshiBattleState:
        """The game as it stands on the table: ahead of the record while a round goes on."""
        recorded: HoshiBattleState = self._record.state
        is_ahead = recorded.phase is Phase.ROLLING or self._said_us
        return self._judge.state if is_ahead else recorded

    def _say(self, fact: Fact, who: str, before: tuple[NewEvent, ...] = ()) -> None:
        """What people tell goes into the journal at once: as a fact, or to be one in its place. Then the judge hears it."""
        number = self._number + 1
        fact, entry = self._placed(fact, number)
        codec = self._record.start.book.facts
        if self._waits(fact):
            said = {"event": "said", "number": number, "act": codec.to_json(fact), "by": who, "at_us": entry.at_us}
            self._append([*before, self._event(EventKind.EVENT, said)])
            self._said_us[number] = entry.at_us
        else:
            closing = self._closing(fact) if not before else []
            self._append([*before, *self._entered([(fact, who, {})]), *closing])
            self._at_once.add(number)
        self._number, self._told_us = number, max(self._clock(), self._told_us + 1)
        self._judge.tell(entry)
        self._show()

    def _placed(self, fact: Fact, number: int) -> tuple[Fact, Entry]:
        """A fact with its place on the time line; what is told without a time counts in the order of telling."""
        now_us, within_us = max(self._clock(), self._told_us + 1), 0
        is_timed = Source.DICE in self._table_has
        match fact:
            case HandsTouched(by=by, where=where):
                # It happened since what was told last, and no longer ago than a person takes to tap.
                since_us = max(now_us - 2 * TOUCH_TAP_US, self._told_us + 1) if is_timed else now_us
                at_us = (since_us + now_us) // 2
                within_us = now_us - at_us
                told = TouchReport(by or None, where if by else Where.UNKNOWN)
                return fact, Entry(at_us, within_us, Source.PEOPLE, (number,), told)
            case PlayBegan(at_us=None):
                fact = replace(fact, at_us=now_us)
            case TimeoutCalled(at_us=None):
                fact, within_us = replace(fact, at_us=now_us), TAP_US
            case TimeoutCalled():
                within_us = BUTTON_US
            case _:
                pass
        at = getattr(fact, "at_us", None)
        return fact, Entry(now_us if at is None else at, within_us, Source.PEOPLE, (number,), ToldReport(fact))

    def _waits(self, fact: Fact) -> bool:
        """Whether it has to wait for what sensors still tell of the time before it."""
        return bool(self._said_us) or isinstance(fact, PlayBegan) or self._record.state.phase is Phase.ROLLING

    def _commit(self) -> None:
        """Writes down what is settled: facts in their order, then the touches that were ruled, with their questions."""
        fresh = self._judge.settled[self._written :]
        if not fresh and not self._rulings:
            return
        facts: list[tuple[Fact, str, dict[str, Json]]] = []
        for settled in fresh:
            number = None if settled.told is None else settled.told[0]
            if number is None:
                facts.append((settled.fact, "table", {}))
            elif number not in self._at_once:
                said = self._record.said.get(number, {})
                facts.append((settled.fact, str(said.get("by", "page")), {"said": number}))
        events = self._entered(facts)
        events += [event for fact, _, _ in facts for event in self._closing(fact)]
        for n, (touch, asked) in enumerate(self._rulings):
            events.append(self._event(EventKind.EVENT, touch))
            if asked is not None:
                named = {"id": f"q{self._record.asked + 1 + n}", **asked}
                events.append(self._event(EventKind.QUESTION, named))
        if not self._try_append(events):
            return
        self._written = len(self._judge.settled)
        self._rulings = []
        for settled in fresh:
            if settled.told is not None:
                self._said_us.pop(settled.told[0], None)
                self._at_once.discard(settled.told[0])
        is_all_settled = not self._said_us and not self._at_once
        if is_all_settled and self._record.state != self._judge.record:
            log.warning("record and judge differ; this round's touches are asked about")
            self._start_anew("what was told late does not fit")

    def _closing(self, fact: Fact) -> list[NewEvent]:
        """Questions about touches that nobody can settle any more: play went on, or a referee has spoken."""
        if not isinstance(fact, PlayBegan | TouchRuled):
            return []
        return [
            self._event(EventKind.EVENT, {"event": "question-closed", "question": opened.id, "reason": "play went on"})
            for opened in self._record.questions.values()
            if is_about_a_touch(opened.question.key)
        ]

    def _start_anew(self, why: str) -> None:
        """The record was put right by hand: the judge goes on from it, and counts this round's sensors for blind so far."""
        now_us = self._clock()
        if self._record.said:
            self._append([self._event(EventKind.EVENT, {"event": "unsaid"})])
        self._said_us, self._rulings = {}, []
        self._judge.put_right(self._record.state, now_us)
        self._told_us = now_us
        self._written = len(self._judge.settled)
        if self._record.state.phase is Phase.ROLLING:
            for source in self._table_has:
                self._judge.blinded(source, now_us, why, now_us)
        self._show()

    def _take_over(self) -> None:
        """Goes on with a game of the journal: of a round that was on only what people told is known."""
        now_us = self._clock()
        for number, said in self._record.said.items():
            fact = self._told(said["act"])
            entry = Entry(now_us + number, 0, Source.PEOPLE, (number,), ToldReport(fact))
            self._said_us[number] = entry.at_us
            self._judge.tell(entry)
        if self._record.state.phase is Phase.ROLLING or self._record.said:
            for source in self._table_has:
                self._judge.blinded(source, -NEVER_US, "the service was started in the middle of a round", now_us)

    def _event(self, kind: EventKind, payload: dict[str, Json]) -> NewEvent:
        return NewEvent(kind, self._record.game_id, payload, self._clock() * 1000)
