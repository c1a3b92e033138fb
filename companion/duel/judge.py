"""Rules the touches of a duel as its reports come in: each once, when nothing that is still to come could change what it was.

>>> judge = DuelJudge(state, {Source.PAD, Source.DICE, Source.HANDS})
>>> judge.tell(entry)
>>> judge.told_through(Source.DICE, at_us)
>>> for ruled in judge.step(now_us): ...

The judge knows no card and no symbol's worth: it brings the rules their facts, in every way in which the sensors leave them open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from companion.duel.hands import Struck, struck
from companion.duel.happenings import REST_SLACK_US, Happening, happenings_of
from companion.duel.reports import ClosingReport, Key, Source, ToldReport, TouchReport
from companion.duel.rolls import RollLife, lives_of
from companion.duel.rulings import Ruled, happened, rule
from companion.duel.timeline import Blind, Entry, TimeLine
from companion.duel.worlds import Settled, Worlds, recorded
from companion.rules.hoshi_battle.facts import PlayBegan, TouchRuled
from companion.rules.hoshi_battle.state import HoshiBattleState, Phase

PATIENCE_US = 2_000_000
"""A source that has not told of a touch's moment so long after it, is taken for blind; what is open by then stays unsure."""
WAITED_FOR = (Source.PAD, Source.DICE, Source.HANDS)
DICE = 1
"""The order of what happens to dice: it counts up to the guard after a touch, all else only before."""
_SEEN_US = 3_000_000
"""So much of what was ruled is remembered, for reports that refer to it."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a touch is not ruled yet."""

    key: Key
    at_us: int
    why: str


class DuelJudge:
    """Holds the time line of the round that goes on, and the states in which the duel may be."""

    def __init__(
        self, state: HoshiBattleState, sources: Iterable[Source] = WAITED_FOR, *, patience_us: int = PATIENCE_US
    ) -> None:
        """`state`: the game so far. `sources`: what the table has; nothing is waited for, or missed, that it never had."""
        self.line = TimeLine()
        self.waiting: tuple[Waiting, ...] = ()
        self.settled: tuple[Settled, ...] = ()
        """The facts of the record that are settled for good, in their order, since the state that this began with."""
        self._sources = tuple(source for source in WAITED_FOR if source in set(sources))
        self._patience_us = patience_us
        self._worlds = Worlds.of(state)
        """At the end of all that is settled for good."""
        self._since_us = -1
        """Up to here everything is in there, dice up to `_dice_since_us`."""
        self._dice_since_us = -1
        self._round_us = -1
        self._ruled: dict[tuple[Source, Key], Happening] = {}
        """The touches since then that were ruled and left the round going on."""
        self._asked: Entry | None = None
        """A touch that a referee has to settle, and that may have been a miss: whether the round goes on nobody can tell yet."""

    @property
    def state(self) -> HoshiBattleState:
        """The game as recorded, with all that has been told so far."""
        return self._folded(1 << 61).record

    @property
    def record(self) -> HoshiBattleState:
        """The game as recorded, at the end of all that is settled for good."""
        return self._worlds.record

    def tell(self, entry: Entry) -> None:
        """Takes a report, whenever it comes. A referee's word is about the touch that was asked about, and stands behind it."""
        if (
            self._asked is not None
            and isinstance(entry.report, ToldReport)
            and isinstance(entry.report.fact, TouchRuled)
        ):
            entry = replace(entry, at_us=self._asked.at_us + 1, within_us=0)
            self._asked = None
        self.line = self.line.told(entry)

    def told_through(self, source: Source, at_us: int) -> None:
        """A source has told all that happened up to a moment."""
        self.line = self.line.told_through(source, at_us)

    def blinded(self, source: Source, since_us: int, why: str, until_us: int | None = None) -> None:
        """A source is declared blind, for a span or until it sees again."""
        self.line = (
            self.line.blinded(source, since_us, why)
            if until_us is None
            else self.line.blinded(source, since_us, why, until_us)
        )

    def sees_again(self, source: Source, at_us: int) -> None:
        """A source tells again."""
        self.line = self.line.sees_again(source, at_us)

    def put_right(self, state: HoshiBattleState, at_us: int) -> None:
        """People say how things stood at a moment: what happened before it is in the state."""
        self._close(Worlds.of(state), at_us, at_us)

    def settle(self, at_us: int) -> None:
        """What people told up to a moment is settled, and all before it, where no round is on then and nothing is missing."""
        touch = self._next_touch()
        if at_us <= self._since_us or self._asked is not None or (touch is not None and touch.at_us <= at_us):
            return
        if any(self.line.complete_us([source]) < at_us for source in self._sources):
            return
        happened = self._since(at_us)
        worlds = self._worlds.after(happened)
        if worlds.record.phase is not Phase.ROLLING:
            self._close(worlds, at_us, at_us, happened)

    def step(self, now_us: int) -> tuple[Ruled, ...]:
        """Rules every touch that can be ruled by now, in the order in which they happened."""
        found = []
        while True:
            self._begin_rounds()
            touch = self._next_touch()
            ruled = None if touch is None else self._try(touch, now_us)
            if touch is None or ruled is None:
                break
            found.append(ruled)
            self._keep(touch, ruled)
        if touch is None:
            self.waiting = ()
        return tuple(found)

    # -- one touch ----------------------------------------------------------------------------------------------------------

    def _next_touch(self) -> Entry | None:
        return next(
            (
                entry
                for entry in self.line.entries
                if isinstance(entry.report, TouchReport)
                and entry.at_us > self._since_us
                and (entry.source, entry.key) not in self._ruled
            ),
            None,
        )

    def _try(self, touch: Entry, now_us: int) -> Ruled | None:
        """The touch's ruling, or None while it has to wait."""
        if self._asked is not None:
            self.waiting = (Waiting(touch.key, touch.at_us, "the touch before it has to be settled by a referee"),)
            return None
        guard_us = self._worlds.record.setup.settings.simultaneous_ms * 1000
        horizon_us = touch.latest_us + guard_us
        is_late = now_us >= touch.latest_us + self._patience_us
        silent = [
            source
            for source in self._witnesses(touch)
            if self.line.complete_us([source]) < self._needed(source, touch, horizon_us)
        ]
        if silent and not is_late:
            self.waiting = (Waiting(touch.key, touch.at_us, f"{', '.join(silent)} has not told of that moment yet"),)
            return None
        blinds = list(self._blinds(touch, horizon_us))
        blinds += [Blind(source, touch.earliest_us, touch.latest_us, "it tells nothing") for source in silent]
        closing = self._closing(touch)
        is_asked = closing is None and touch.source is Source.PAD and Source.HANDS in self._sources
        if is_asked and not blinds and not is_late:
            self.waiting = (Waiting(touch.key, touch.at_us, "nobody has told yet whose hand it was"),)
            return None
        worlds = self._folded(horizon_us, before=touch)
        ruled = rule(worlds, touch, self._struck(touch), self._evidence(touch, closing, horizon_us), blinds)
        if ruled.is_question and not is_late and not blinds and self._is_open(touch, horizon_us):
            self.waiting = (
                Waiting(touch.key, touch.at_us, "a die's side of the string or its face is still being read"),
            )
            return None
        return ruled

    def _witnesses(self, touch: Entry) -> tuple[Source, ...]:
        """Who has to have told of a touch's moment: the pad of none that people tell, for they felt it."""
        is_told = touch.source is Source.PEOPLE
        return tuple(source for source in self._sources if not (is_told and source is Source.PAD))

    def _needed(self, source: Source, touch: Entry, horizon_us: int) -> int:
        """How far a source has to have told: dice beyond the touch, for a symbol may come or go within the guard after it."""
        return horizon_us if source is Source.DICE else touch.latest_us

    def _blinds(self, touch: Entry, horizon_us: int) -> Iterable[Blind]:
        """What may have been missed in this round, as far as it could matter."""
        for source in self._witnesses(touch):
            blind = self.line.blind_at(source, self._round_us, self._needed(source, touch, horizon_us))
            if blind is not None:
                yield blind

    def _struck(self, touch: Entry) -> Struck:
        return struck(self._closing(touch), touch, self.line.entries, self._worlds.record.duellists)

    def _closing(self, touch: Entry) -> ClosingReport | None:
        report = touch.report
        if isinstance(report, TouchReport) and report.by is not None:
            return ClosingReport(touch.key, report.by, report.where)
        if touch.source is not Source.PAD:
            return None
        reports = (entry.report for entry in self.line.entries)
        return next((r for r in reports if isinstance(r, ClosingReport) and r.touch == touch.key), None)

    def _is_open(self, touch: Entry, horizon_us: int) -> bool:
        """Whether something of a die is still to be told that may have lain there at a touch."""
        guard_us = horizon_us - touch.latest_us
        return any(
            _is_told_later(life, horizon_us)
            for life in lives_of(self.line.entries)
            if life.gone_us > max(self._round_us, touch.earliest_us - guard_us)
        )

    def _evidence(self, touch: Entry, closing: ClosingReport | None, horizon_us: int) -> list[Entry]:
        """The reports of this round that a ruling rests on."""
        return [
            entry
            for entry in self.line.entries
            if entry is touch
            or entry.report is closing
            or (
                self._round_us <= entry.at_us <= horizon_us
                and not isinstance(entry.report, TouchReport | ClosingReport)
            )
        ]

    # -- the states -----------------------------------------------------------------------------------------------------------

    def _folded(self, horizon_us: int, before: Entry | None = None) -> Worlds:
        """The states after all that happened up to a moment, dice within the guard after it included."""
        return self._worlds.after(self._since(horizon_us, before))

    def _since(self, horizon_us: int, before: Entry | None = None) -> list[Happening]:
        """All that happened since what is settled, up to a moment."""
        until_us = horizon_us + 1 if before is None else before.at_us
        told = [
            each if each.order <= DICE else each.before(until_us)
            for each in self._happenings(horizon_us)
            if each.order <= DICE or each.earliest_us < until_us
        ]
        touches = [each for each in self._ruled.values() if each.at_us < until_us]
        return sorted([*told, *touches], key=lambda each: (each.at_us, each.order))

    def _happenings(self, horizon_us: int) -> list[Happening]:
        return [
            each
            for each in happenings_of(self.line.entries, horizon_us)
            if each.at_us > (self._dice_since_us if each.order <= DICE else self._since_us)
        ]

    def _keep(self, touch: Entry, ruled: Ruled) -> None:
        """What was ruled stands; where it ended the round nothing before it can change any more."""
        guard_us = self._worlds.record.setup.settings.simultaneous_ms * 1000
        horizon_us = touch.latest_us + guard_us
        it = happened(ruled, self._struck(touch))
        all_of_it = [*self._since(horizon_us, before=touch), it]
        worlds = self._worlds.after(all_of_it)
        if worlds.record.phase is Phase.ROLLING:
            self._ruled[touch.source, touch.key] = it
            return
        self._close(worlds, touch.at_us, horizon_us, all_of_it)
        self._asked = touch if ruled.is_question and ruled.may_go_on else None

    def _begin_rounds(self) -> None:
        """Where play began, and no touch before it waits to be ruled, what went before is settled."""
        for entry in self.line.entries:
            report = entry.report
            if not isinstance(report, ToldReport) or not isinstance(report.fact, PlayBegan):
                continue
            touch = self._next_touch() if self._asked is None else None
            if entry.at_us <= self._since_us or (touch is not None and touch.at_us < entry.at_us):
                continue
            if any(self.line.complete_us([source]) < entry.at_us for source in self._sources):
                return
            before = self._since(entry.at_us)
            worlds = self._worlds.after(before)
            if _round_of(worlds.record) != _round_of(self._worlds.record):
                worlds = worlds.in_a_new_round()
            self._close(worlds, entry.at_us, entry.at_us, before)
            self._round_us = entry.at_us

    def _close(self, worlds: Worlds, since_us: int, dice_since_us: int, happenings: Iterable[Happening] = ()) -> None:
        self.settled = (*self.settled, *recorded(self._worlds.record, happenings))
        self._worlds = worlds
        self._since_us = max(self._since_us, since_us)
        self._dice_since_us = max(self._dice_since_us, dice_since_us)
        self._ruled = {}
        self._asked = None
        self.line = self.line.forgotten(self._since_us - _SEEN_US)


def _is_told_later(life: RollLife, horizon_us: int) -> bool:
    """Whether something of a roll is open that had happened by a moment."""
    is_after = life.settled is not None and life.settled.earliest_us - REST_SLACK_US > horizon_us
    was_hidden = life.is_hidden and life.hidden[-1][0] <= horizon_us
    return (life.is_open and not is_after) or was_hidden


def _round_of(state: HoshiBattleState) -> tuple[int, int] | None:
    """Which Duel and round goes on; the same after a timeout."""
    return None if state.duel is None else (state.duel.number, state.duel.round)
