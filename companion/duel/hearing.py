"""What a pad's link and a dice tracker say, as reports to a duel's judge: each with its time, its band, and how far it has told.

Times of both count on the host's monotonic clock; a receipt's time is used for nothing but to say that something is missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import cv2
import numpy as np

from companion.duel.happenings import FRAME_US
from companion.duel.reports import DieNews, DieReport, Key, Report, Source, TouchReport
from companion.duel.timeline import Entry
from companion.rules.hoshi_battle.facts import Face
from hardware.pad.messages import EventKind
from hardware.pad.reports import LinkState, PadEvent, PadGap, PadState
from vision.arena_hands import ArenaHand
from vision.dice.track import DiceEvent, DiceEventKind, DieState

CONFIRMED_US = 60_000
"""The pad confirms what it feels within this: an event may be told before one that began a little earlier."""
UNBOUNDED_US = 50_000
"""Of a touch whose moment hum hid: so wide, and the pad counts as blind for it."""
MOVES_MM = 1.0
"""A die whose place differs by so much from picture to picture has not come to rest."""
VEILED_MM = 22.0
"""A die so near to a hand may be covered by it in part: a die's width and a little."""
RESTS = 64
"""Of so many rests what is told late still finds its throw."""
HELD_US = 3 * FRAME_US
"""A die is seen so long after it left the hand at most, where nothing else hid it."""


class Judge(Protocol):
    """What is needed of a duel's judge."""

    def tell(self, entry: Entry) -> None:
        """Takes a report."""

    def told_through(self, source: Source, at_us: int) -> None:
        """A source has told all up to a moment."""

    def blinded(self, source: Source, since_us: int, why: str, until_us: int | None = None) -> None:
        """A source may have missed something."""

    def sees_again(self, source: Source, at_us: int) -> None:
        """A source tells again."""


class PadHearing:
    """Hears a pad's link. Give it every report, in order."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._told_us: int | None = None
        self._is_blind = False

    def hear(self, report: PadEvent | PadGap | PadState, now_ns: int) -> None:
        """A report, and when it was taken."""
        match report:
            case PadEvent():
                self._event(report, now_ns // 1000)
            case PadGap(since_ns=since_ns, until_ns=until_ns, text=text):
                since_us = self._last(now_ns // 1000) if since_ns is None else since_ns // 1000
                until_us = (now_ns if until_ns is None else until_ns) // 1000
                self._judge.blinded(Source.PAD, since_us, text, max(until_us, since_us))
            case PadState(state=state, text=text):
                self._state(state, text, now_ns // 1000)

    def alive(self, at_ns: int) -> None:
        """The pad said by its clock that it had nothing more to tell at that moment."""
        self._through(at_ns // 1000 - CONFIRMED_US)

    def _event(self, event: PadEvent, now_us: int) -> None:
        if event.t_ns is None:
            self._judge.blinded(Source.PAD, self._last(now_us), "it felt something at an unknown time", now_us)
            return
        at_us = event.t_ns // 1000
        if event.kind != EventKind.CONTACT:
            self._through(at_us - CONFIRMED_US)
            return
        within_us = UNBOUNDED_US
        if event.bound_ns is None:
            self._judge.blinded(Source.PAD, at_us - within_us, "when they touched is not known", at_us + within_us)
        else:
            within_us = -(-event.bound_ns // 1000)
        self._judge.tell(Entry(at_us, within_us, Source.PAD, (event.ring, event.seq), TouchReport()))
        self._through(at_us + within_us)

    def _state(self, state: LinkState, text: str, now_us: int) -> None:
        if state is LinkState.READY:
            if self._is_blind:
                self._judge.sees_again(Source.PAD, now_us)
            self._is_blind = False
        elif not self._is_blind:
            self._is_blind = True
            self._judge.blinded(Source.PAD, self._last(now_us), text)

    def _through(self, at_us: int) -> None:
        self._told_us = at_us if self._told_us is None else max(self._told_us, at_us)
        self._judge.told_through(Source.PAD, self._told_us)

    def _last(self, now_us: int) -> int:
        return now_us if self._told_us is None else self._told_us


class DiceHearing:
    """Hears a dice tracker: its events, what is read off dice at rest, and each picture that it has looked at."""

    def __init__(self, judge: Judge, dice: Mapping[str, tuple[str, int, int]], number: int = 0) -> None:
        """`dice`: the tracker's names to seat, 0 or 1 (an additional die), and number of sides; `number`: of the last report."""
        self._judge = judge
        self._dice = dice
        self._throws = dict.fromkeys(dice, number)
        self._is_out = dict.fromkeys(dice, False)
        """The die lies on the table, or rolls there: no throw begins before it was taken up."""
        self._moved_us: dict[str, int] = {}
        self._places: dict[str, tuple[float, float]] = {}
        self._rests: dict[tuple[str, int], int] = {}
        """The throw that came to rest then, by the die and the moment: what is worked out of it may be told in the next one."""
        self._number = number

    def follow(self, dice: Mapping[str, tuple[str, int, int]]) -> None:
        """Another tracker begins, over a table without dice."""
        self._dice = dict(dice)
        self._throws = {name: self._throws.get(name, self._number) for name in dice}
        self._is_out = dict.fromkeys(dice, False)
        self._moved_us, self._places = {}, {}

    def hear(self, event: DiceEvent) -> None:
        """An event of the tracker."""
        at_us, err_us = event.t_ns // 1000, event.t_err_ns // 1000
        if event.kind is DiceEventKind.THIRD_DIE or event.die not in self._dice:
            self._judge.blinded(Source.DICE, at_us - err_us, "there is a die that is nobody's", at_us + err_us)
            return
        match event.kind:
            case DiceEventKind.APPEARED:
                self._begins(event.die)
                self._say(event.die, DieNews.RELEASED, at_us - HELD_US - err_us, at_us)
            case DiceEventKind.SETTLED:
                self._begins(event.die)
                self._rests[event.die, event.t_ns] = self._throws[event.die]
                while len(self._rests) > RESTS:
                    del self._rests[next(iter(self._rests))]
                self._say(event.die, DieNews.SETTLED, at_us - err_us, at_us + err_us)
            case DiceEventKind.DECIDED:
                inside = None if event.touch is None else event.touch.inside
                throw = self._rests.get((event.die, event.t_ns))
                self._say(event.die, DieNews.DECIDED, at_us - err_us, at_us + err_us, inside=inside, throw=throw)
            case DiceEventKind.UNSETTLED:
                self._say(event.die, DieNews.UNSETTLED, at_us - err_us, at_us + err_us)
            case DiceEventKind.PUSHED | DiceEventKind.TIPPED:
                news = DieNews.PUSHED if event.kind is DiceEventKind.PUSHED else DieNews.TIPPED
                self._say(event.die, news, at_us - err_us, at_us + err_us)
            case DiceEventKind.HIDDEN:
                self._say(event.die, DieNews.HIDDEN, at_us, at_us + err_us)
            case DiceEventKind.SHOWN:
                self._say(event.die, DieNews.SHOWN, at_us - err_us, at_us)
            case DiceEventKind.TAKEN_UP | DiceEventKind.LOST:
                # It was seen last at that time, and missed so long after it.
                news = DieNews.TAKEN_UP if event.kind is DiceEventKind.TAKEN_UP else DieNews.LOST
                self._say(event.die, news, at_us - FRAME_US, at_us + err_us)
                self._is_out[event.die] = False

    def read(self, die: str, face: Face, at_ns: int) -> None:
        """What lay on top of a die at the rest of that time; UNKNOWN where it could not be read."""
        self._say(die, DieNews.READ, at_ns // 1000, at_ns // 1000, face=face, throw=self._rests.get((die, at_ns)))

    def looked(
        self,
        t_ns: int,
        dice: Mapping[str, tuple[DieState, tuple[float, float] | None]],
        hands: Iterable[ArenaHand] = (),
    ) -> None:
        """The tracker has looked at a picture: each die's state and place since. What it has told till then is all.

        Of a die beside or under one of the hands nobody can say that it still moves: what shows of it changes with the hand.
        """
        hands = tuple(hands)
        at_us = t_ns // 1000
        through_us = at_us - FRAME_US
        for name, (state, place) in dice.items():
            before = self._places.get(name)
            has_moved = place is not None and (before is None or math.dist(before, place) >= MOVES_MM)
            if place is not None and has_moved and not _is_veiled(place, hands):
                self._places[name] = place
                self._moved_us[name] = at_us
            if state in (DieState.MOVING, DieState.LEANING):
                # Once it moves no more it may be at rest, which is told some pictures later.
                through_us = min(through_us, self._moved_us.get(name, at_us) - FRAME_US)
        self._judge.told_through(Source.DICE, through_us)

    def _begins(self, die: str) -> None:
        """A throw begins where the die was not on the table."""
        if not self._is_out[die]:
            self._throws[die] += 1
            self._is_out[die] = True

    def _say(
        self,
        die: str,
        news: DieNews,
        earliest_us: int,
        latest_us: int,
        *,
        inside: bool | None = None,
        face: Face | None = None,
        throw: int | None = None,
    ) -> None:
        """`throw`: by its number; the die's last unless told."""
        self._number += 1
        seat, number, sides = self._dice[die]
        throw = self._throws[die] if throw is None else throw
        report: Report = DieReport(news, seat, number, max(throw, 1), inside, face, sides)
        key: Key = (self._number,)
        middle_us = (earliest_us + latest_us) // 2
        self._judge.tell(Entry(middle_us, latest_us - middle_us, Source.DICE, key, report))


def _is_veiled(place: tuple[float, float], hands: Iterable[ArenaHand]) -> bool:
    """Whether a hand or an arm is over a place, or beside it; of hands that overlap it is not known where they are."""
    return any(
        hand.overlaps or any(_is_near(place, part) for part in (hand.hand_mm, hand.forearm_mm)) for hand in hands
    )


def _is_near(place: tuple[float, float], outline: Sequence[tuple[float, float]]) -> bool:
    if len(outline) < 3:
        return False
    ring = np.asarray(outline, np.float32)
    return float(cv2.pointPolygonTest(ring, (float(place[0]), float(place[1])), True)) > -VEILED_MM
