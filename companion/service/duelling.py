"""The loop of a live duel: what the Arena's eyes and the pad say is heard by the desk, and people at the table act."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from companion.adjudicator.hoshi_battle.chairs import Chairs, seated
from companion.adjudicator.hoshi_battle.desk import DuelDesk, monotonic_us
from companion.duel.hearing import PadHearing
from companion.duel.reports import Source
from companion.rules.hoshi_battle.state import HoshiBattleState, Phase
from companion.service.arena_eyes import Clip, FeltKnock, FeltTouch, Heard, Order, Played, Seated
from companion.service.eyes import Failed, Word
from companion.service.pipeline import Pipeline
from companion.service.run import RunResult, take_notice
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.pad.messages import EventKind
from hardware.pad.reports import PadEvent, PadGap, PadState

CAMERA = (Source.DICE, Source.HANDS)
ARENA = "arena"
SILENT_S = 1.2
"""A camera of which nothing was heard for so long is taken for blind."""
PATIENCE_S = 0.1
PLAYED = (Phase.READY, Phase.ROUND_START, Phase.ROLLING)
"""When dice are followed."""
LAST_STEPS, STEP_US = 60, 100_000
"""So much time goes on after a recording's end."""
END_NS = 1 << 62
"""The end of time, as companion.virtual.film_time has it."""


class PictureClock:
    """Now, on a recording's clock: its pictures' time while they come, however slowly; once they are lost by the host's."""

    def __init__(self) -> None:
        self._shown_us = 0
        self._lost_at: float | None = None

    def __call__(self) -> int:
        """Microseconds."""
        gap_s = 0.0 if self._lost_at is None else time.monotonic() - self._lost_at
        return self._shown_us + round(gap_s * 1e6)

    def shown(self, t_us: int) -> None:
        """A picture of that time was looked at."""
        self._shown_us, self._lost_at = max(self(), t_us), None

    def lost(self) -> None:
        """No more pictures come."""
        if self._lost_at is None:
            self._lost_at = time.monotonic()


class AtTheTable(Protocol):
    """Those who sit at a virtual table, and its pad."""

    def go_on(self, t_ns: int) -> None:
        """The pictures have come to that time."""

    def wait(self, now_us: int) -> None:
        """No pictures come: nobody plays on, and the pad feels nothing."""


class PadLike(Protocol):
    """Turns what a pad tells into the time of the pictures."""

    def told(self, event: PadEvent) -> PadEvent:
        """An event."""

    def gap(self, gap: PadGap, now_ns: int) -> PadGap:
        """A gap."""


@dataclass(slots=True)
class DuelSenses:
    """Brings to a desk what pad and Arena say. `word` is called by one thread, `pad` by another."""

    desk: DuelDesk
    order: Callable[[Order], None]
    """Tells the Arena's eyes something."""
    clock: Callable[[], int] = monotonic_us
    film_pad: PadLike | None = None
    _chairs: Chairs = (None, None)
    _seated: Seated | None = None
    _is_played: bool = False
    _is_lost: bool = False
    _heard_us: int = 0
    _heard_at: float = field(default_factory=time.monotonic)
    _pad: PadHearing = field(init=False)

    def __post_init__(self) -> None:
        self._pad = PadHearing(self.desk.ears)

    def heard(self, heard: Heard) -> None:
        """What a picture of the Arena told."""
        ears = self.desk.ears
        if self._is_lost:
            self._is_lost = False
            for source in CAMERA:
                ears.sees_again(source, heard.t_ns // 1000)
        for name, values in heard.calls:
            getattr(ears, name)(*values)
        self._heard_us, self._heard_at = heard.t_ns // 1000, time.monotonic()
        self.seat()

    def lost(self, why: str) -> None:
        """The Arena can't be seen any more."""
        if not self._is_lost:
            self._is_lost = True
            if isinstance(self.clock, PictureClock):
                self.clock.lost()
            for source in CAMERA:
                self.desk.blinded(source, self._heard_us, why)

    @property
    def is_lost(self) -> bool:
        """Whether the Arena can't be seen now."""
        return self._is_lost

    def look_after(self) -> None:
        """Takes a live camera that says nothing for blind; a recording may come slowly."""
        is_live = not isinstance(self.clock, PictureClock)
        if is_live and not self._is_lost and self._heard_us and time.monotonic() - self._heard_at > SILENT_S:
            text = "the Arena's camera says nothing any more"
            self.lost(text)
            self.desk.source(ARENA, "lost", text, journaled=True)

    def seat(self) -> None:
        """Tells the eyes who duels, and with which dice, where that has changed."""
        state: HoshiBattleState = self.desk.live_state
        duel = state.duel
        if (is_played := state.phase in PLAYED) != self._is_played:
            self._is_played = is_played
            self.order(Played(is_played))
        self._chairs = seated(self._chairs, state.duellists, state.setup.places)
        left, right = self._chairs
        if duel is None or left is None or right is None:
            return
        usual = 10
        dice = {
            state.setup.seats[fighter.place]: tuple(sides or usual for sides in fighter.dice)
            for fighter in duel.fighters
        }
        if left not in dice or right not in dice:
            return
        now = Seated((left, right), (dice[left], dice[right]))
        if now != self._seated:
            self._seated = now
            self.order(now)

    def reseat(self) -> None:
        """The eyes were started anew: they are told again."""
        self._seated, self._is_played = None, False
        self.seat()

    def pad(self, report: PadEvent | PadGap | PadState) -> None:
        """What the pad's link says."""
        now_ns = self.clock() * 1000
        if isinstance(report, PadEvent):
            event = report if self.film_pad is None else self.film_pad.told(report)
            self._pad.hear(event, now_ns)
            if event.t_ns is not None and event.kind == EventKind.CONTACT:
                name = f"touch:{Source.PAD.value}:{event.ring}-{event.seq}"
                self.order(FeltTouch((event.ring, event.seq), name, event.t_ns))
            elif event.t_ns is not None and event.kind == EventKind.KNOCK:
                self.order(FeltKnock(event.t_ns, event.bound_ns or 1_000_000))
        elif isinstance(report, PadGap):
            self._pad.hear(report if self.film_pad is None else self.film_pad.gap(report, now_ns), now_ns)
        else:
            self._pad.hear(report, now_ns)
        self.desk.step()

    def pad_alive(self, at_ns: int) -> None:
        """The pad has told all that it felt up to then, by the host's clock; a virtual table's own clock says so itself."""
        if self.film_pad is None:
            self._pad.alive(at_ns)


def run_duel(
    pipeline: Pipeline,
    desk: DuelDesk,
    senses: DuelSenses,
    *,
    say: Callable[[str], None],
    stop: threading.Event | None = None,
    clock: PictureClock | None = None,
    table: AtTheTable | None = None,
    on_word: Callable[[], None] = lambda: None,
) -> RunResult:
    """Takes words until the pictures end, `stop` is set, or nothing more can come; as companion.service.run.run_table."""
    result = RunResult()
    desk.source(ARENA, "waiting", "")
    for word in pipeline.words(PATIENCE_S):
        if stop is not None and stop.is_set():
            break
        on_word()
        _take(word, desk, senses, result, say, clock)
        if isinstance(word, Heard) and table is not None:
            table.go_on(word.t_ns)
        elif word is None and table is not None and senses.is_lost:
            table.wait(senses.clock())
        senses.look_after()
        desk.tick()
    _finish(desk, clock, table)
    return result


def _finish(desk: DuelDesk, clock: PictureClock | None, table: AtTheTable | None) -> None:
    """After a recording's last picture: what waits for nothing but time is ruled, and told."""
    for _ in range(LAST_STEPS if clock is not None else 0):
        if clock is not None:
            clock.shown(clock() + STEP_US)
        desk.tick()
        if table is not None:
            table.go_on(END_NS)


def _take(
    word: Word | Heard | Clip | None,
    desk: DuelDesk,
    senses: DuelSenses,
    result: RunResult,
    say: Callable[[str], None],
    clock: PictureClock | None,
) -> None:
    match word:
        case Heard(t_ns=t_ns):
            if clock is not None:
                clock.shown(t_ns // 1000)
            result.pictures += 1
            senses.heard(word)
            desk.source(ARENA, "settled", "")
        case Clip(touch=touch, frames=frames):
            desk.keep_clip(touch, frames)
        case CameraNotice(kind=kind, text=text):
            take_notice(word, desk, result, say, ARENA)
            if kind in (NoticeKind.LOST, NoticeKind.FAILED, NoticeKind.END):
                senses.lost(text or "the pictures have ended")
            elif kind is NoticeKind.WARNING:
                senses.lost(text)
                senses.reseat()
        case Failed(text=text):
            say(text)
            result.problems.append(text)
            result.failed = True
            senses.lost(text)
            desk.source(ARENA, "lost", text, journaled=True)
        case _:
            pass
