"""What pad and cameras tell of a virtual duel, made from its truth: with their errors, their delays, and what they can't tell.

Nothing is drawn here. Each figure is one that was measured of the sensor itself, named beside it, or is said to be assumed.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from companion.duel.happenings import FRAME_US
from companion.duel.judge import DuelJudge
from companion.duel.reports import (
    ClosingReport,
    DieNews,
    DieReport,
    RaisedReport,
    Report,
    Source,
    SwingReport,
    ToldReport,
    TouchReport,
)
from companion.duel.timeline import Entry
from companion.rules.hoshi_battle.facts import (
    DieRolled,
    Face,
    Fact,
    SwingMissed,
    TimeoutCalled,
    Where,
)
from companion.virtual.battle_director import BattleDirector
from companion.virtual.battle_hands import Raised, Swing, Touch
from companion.virtual.battle_people import SEEN
from companion.virtual.battle_rolls import Roll
from hardware.virtual.loop import depth_mm
from vision.arena_hands import CLOSED_MM, KEPT_MM

MS = 1000
SIDE_BANDS_MM = (6.0, 12.0, 20.0, 35.0, math.inf)
"""Distances from the string for which the share of sides left open was measured (companion.bench.duel_film.DEPTHS)."""
READ_MS = (50, 180)
"""What reading a top takes, of a core."""
SIDE_MS = (5, 150)
"""From when a rest is told until the side of the string is, where the throw was worked out ahead: up to 84 ms of a core."""
DRIFT_MM, SLIGHT = 16.0, 6.0
"""A hand that drifted no farther did not close in where the other came so many times as far (vision.arena_hands)."""


@dataclass(frozen=True, slots=True)
class Errors:
    """How true the sensors are. Shares are of 1."""

    settled_late: float = 0.0033
    """Rests told up to 4.1 pictures off, with that as their band; all others within 2 (docs/dice.md, the moving set)."""
    unread: float = 0.005
    """Top faces that can't be read (stills: 99.7 % right, none wrong)."""
    near_unsure: float = 0.73
    """Sides of the string that are left open where the die touched within 6 mm of it (docs/dice.md, the moving set), ..."""
    beside_unsure: float = 0.38
    """... within 12 mm (5 of 13 throws of filmed rounds: docs/duels.md), ..."""
    inner_unsure: float = 0.36
    """... within 20 mm (5 of 14), ..."""
    deep_unsure: float = 0.12
    """... within 35 mm (2 of 17) ..."""
    far_unsure: float = 0.02
    """... and elsewhere (0 of 15)."""
    hidden: float = 0.02
    """Rests over which something passes. Assumed."""
    tipped: float = 0.05
    """Pushes for which another face can't be ruled out. Assumed; 10 of 10 were told right."""
    closing_mm: float = 1.5
    """Spread of how far a hand is seen to have come. Assumed; of 60 closings 8 were unsure."""
    where_unsure: float = 0.02
    """Touched hands that may have been an arm. Assumed; hands meet at the knuckles, a hand's length from the arm."""
    arm_unsure: float = 0.5
    """Touched arms that may have been a hand: they overlapped before. Assumed."""
    raised_unsure: float = 0.15
    """Raised hands that neither size nor shade tells (6 of 40)."""
    swing_unsure: float = 0.15
    """Tries that may have been none. Assumed."""
    maybe: float = 0.03
    """Hands that go after their die and may have tried, or been raised. Assumed."""
    late: float = 0.03
    """Pad events that come only when sent again, up to 0.4 s later."""
    lost: float = 0.002
    """Touches that fall into a declared gap of the pad (reset, unplug)."""
    stalled: float = 0.002
    """Of the touches: the host stands still for a second about it."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something reaches the judge."""

    at_us: int
    order: int
    act: Callable[[DuelJudge], None]


@dataclass(frozen=True, slots=True)
class _Held:
    """Between two moments a source vouches for no more than what happened before a third."""

    from_us: int
    until_us: int
    through_us: int


@dataclass(slots=True)
class DuelSensors:
    """Tells a directed game as its sensors would."""

    director: BattleDirector
    seed: int
    errors: Errors = field(default_factory=Errors)
    lost: set[int] = field(default_factory=set)
    """Acts of the touches that no sensor tells: they fall into a declared gap."""
    told: Counter[str] = field(default_factory=Counter)
    """How often what went wrong."""
    _chance: random.Random = field(init=False)
    _arrivals: list[Arrival] = field(default_factory=list)
    _held: dict[Source, list[_Held]] = field(default_factory=dict)
    _keys: Counter[Source] = field(default_factory=Counter)
    _stalls: list[tuple[int, int]] = field(default_factory=list)
    _phase_us: int = 0

    def __post_init__(self) -> None:
        self._chance = random.Random(f"{self.seed}:duel-sensors")
        self._phase_us = self._chance.randrange(FRAME_US)
        self._held = {source: [] for source in Source}

    def arrivals(self) -> list[Arrival]:
        """All that reaches the judge, in its order."""
        for touch in self.director.hands.touches:
            self._touch(touch)
        for roll in self._rolls():
            self._roll(*roll)
        for swing in self.director.hands.swings:
            self._swing(swing)
        for raised in self.director.hands.raised:
            self._raised(raised)
        self._people()
        self._vouch()
        return sorted(self._arrivals, key=lambda each: (each.at_us, each.order))

    # -- how something comes ------------------------------------------------------------------------------------------------

    def _tell(self, source: Source, at_us: int, within_us: int, report: Report, arrives_us: int) -> tuple[int, ...]:
        """A report is on its way; its key."""
        self._keys[source] += 1
        key = (self._keys[source],)
        entry = Entry(at_us, within_us, source, key, report)
        arrives_us = self._come(max(arrives_us, at_us))
        self._arrivals.append(Arrival(arrives_us, 0, lambda judge: judge.tell(entry)))
        return key

    def _come(self, at_us: int) -> int:
        """When something that is sent then is taken in: a host that stands still takes nothing."""
        for since_us, until_us in self._stalls:
            if since_us <= at_us < until_us:
                return until_us
        return at_us

    def _frame(self, at_us: int) -> int:
        """The first picture whose exposure begins no earlier."""
        return at_us + (self._phase_us - at_us) % FRAME_US

    def _seen(self, frame_us: int) -> int:
        """When a picture has been looked at."""
        return frame_us + round(self._chance.uniform(8, 30) * MS)

    def _is(self, share: float, what: str) -> bool:
        if self._chance.random() >= share:
            return False
        self.told[what] += 1
        return True

    # -- the pad ------------------------------------------------------------------------------------------------------------

    def _touch(self, touch: Touch) -> None:
        chance, start_us = self._chance, touch.start_us
        if self._is(self.errors.lost, "lost"):
            since_us, until_us = start_us - chance.randrange(400 * MS), start_us + chance.randrange(400 * MS)
            self.lost.add(touch.act)
            self._arrivals.append(
                Arrival(until_us, 0, lambda judge: judge.blinded(Source.PAD, since_us, "it began anew", until_us))
            )
            return
        if self._is(self.errors.stalled, "stalled"):
            since_us = start_us - chance.randrange(900 * MS)
            self._stalls.append((since_us, since_us + 1000 * MS))
        bound_us = chance.randrange(100, 1000)
        at_us = start_us + chance.randrange(-bound_us, bound_us + 1)
        arrives_us = start_us + 8 * MS + chance.randrange(2 * MS, 10 * MS)
        if self._is(self.errors.late, "late"):
            arrives_us += chance.randrange(50 * MS, 400 * MS)
        self._held[Source.PAD].append(_Held(start_us - MS, arrives_us, start_us - 2 * MS))
        key = self._tell(Source.PAD, at_us, bound_us, TouchReport(), arrives_us)
        self._close_in(touch, key, at_us, arrives_us)

    def _close_in(self, touch: Touch, key: tuple[int, ...], at_us: int, told_us: int) -> None:
        """The camera is asked once the pad has told, and once it has seen past the touch."""
        seen_us = self._seen(self._frame(touch.start_us) + FRAME_US)
        by = self._who(touch)
        where = Where(touch.where)
        is_hand = where is Where.HAND
        if self._is(self.errors.where_unsure if is_hand else self.errors.arm_unsure, "where"):
            where = Where.UNKNOWN
        self._tell(Source.HANDS, at_us, 0, ClosingReport(key, by, where), max(seen_us, self._come(told_us) + MS))

    def _who(self, touch: Touch) -> tuple[str, ...] | None:
        """Whose hand closed in, by the limits of vision.arena_hands."""
        if touch.where == Where.ELSEWHERE and self._is(0.8, "overlapped"):
            return None
        (bout,) = (bout for bout in self.director.line.bouts if bout.begin_us <= touch.start_us <= bout.end_us)
        came = [max(0.0, mm + self._chance.gauss(0, self.errors.closing_mm)) for mm in touch.closed_mm]
        closed = [mm >= CLOSED_MM for mm in came]
        kept = [
            mine <= KEPT_MM or (mine <= DRIFT_MM and its >= SLIGHT * mine)
            for mine, its in ((came[0], came[1]), (came[1], came[0]))
        ]
        if not all(one or other for one, other in zip(closed, kept, strict=True)) or not any(closed):
            self.told["who"] += 1
            return None
        return tuple(seat for seat, is_closed in zip(bout.seats, closed, strict=True) if is_closed)

    # -- dice ---------------------------------------------------------------------------------------------------------------

    def _rolls(self) -> Iterator[tuple[Roll, int]]:
        """Each roll with its number among those of its die."""
        count: Counter[tuple[str, int]] = Counter()
        for roll in sorted(self.director.rolls, key=lambda roll: roll.released_us):
            count[roll.wanted.seat, roll.wanted.die] += 1
            yield roll, count[roll.wanted.seat, roll.wanted.die]

    def _roll(self, roll: Roll, throw: int) -> None:
        wanted, chance = roll.wanted, self._chance
        seat, die = wanted.seat, wanted.die

        def say(news: DieNews, at_us: int, within_us: int, told_us: int, **more: object) -> None:
            report = DieReport(news, seat, die, throw, **more)  # type: ignore[arg-type]
            self._tell(Source.DICE, at_us, within_us, report, told_us)

        clear_us = self._frame(roll.released_us + chance.randrange(40 * MS))
        say(DieNews.RELEASED, clear_us, 4 * FRAME_US, self._seen(clear_us), sides=wanted.sides)
        covered_us = wanted.lifted_us - chance.randrange(10 * MS, 90 * MS)
        told_us = self._seen(self._frame(wanted.settled_us + 10 * FRAME_US))
        if self._frame(wanted.settled_us) + 10 * FRAME_US > covered_us:
            self._goes_unread(roll, covered_us, say)
            return
        at_us, within_us = self._rest(wanted.settled_us)
        say(DieNews.SETTLED, at_us, within_us, told_us, sides=wanted.sides)
        self._held[Source.DICE].append(_Held(wanted.settled_us - FRAME_US, told_us, wanted.settled_us - 2 * FRAME_US))
        face = Face.UNKNOWN if self._is(self.errors.unread, "unread") else Face(roll.symbol)
        # The top is read ahead, four pictures after the die has come to lie there.
        read_us = self._seen(self._frame(wanted.settled_us + 4 * FRAME_US)) + chance.randrange(*READ_MS) * MS
        say(DieNews.READ, at_us, 0, max(told_us, read_us) + MS, face=face)
        say(DieNews.DECIDED, at_us, 0, told_us + chance.randrange(*SIDE_MS) * MS, inside=self._side(roll))
        for push in wanted.pushes:
            news = DieNews.TIPPED if self._is(self.errors.tipped, "tipped") else DieNews.PUSHED
            moved_us = self._seen(self._frame(push.to_us + 10 * FRAME_US))
            say(news, push.from_us, FRAME_US, moved_us)
            self._held[Source.DICE].append(_Held(push.from_us - FRAME_US, moved_us, push.from_us - 2 * FRAME_US))
        shown_us = self._passed_over(at_us, covered_us, say) if self._is(self.errors.hidden, "hidden") else 0
        if wanted.lifted_us < self.director.line.end_us:
            self._taken_up(wanted.lifted_us, max(covered_us, shown_us + 2 * FRAME_US), say)

    def _rest(self, settled_us: int) -> tuple[int, int]:
        """When a die is told to have come to rest, and how unsure that is."""
        if self._is(self.errors.settled_late, "settled late"):
            off_us = round(self._chance.uniform(2.0, 4.1) * FRAME_US)
            return settled_us + off_us, off_us
        off = max(-2.0, min(2.0, self._chance.gauss(0, 0.7)))
        return settled_us + round(off * FRAME_US), round(self._chance.uniform(0.3, 1.2) * FRAME_US)

    def _side(self, roll: Roll) -> bool | None:
        if roll.throw is None:
            return None  # laid down by a hand: no flight tells where
        depth = depth_mm(self.director.stage.loop, *roll.throw.contact_mm)
        share = next(share for until_mm, share in self._side_shares() if abs(depth) < until_mm)
        return None if self._is(share, "side") else depth > 0

    def _side_shares(self) -> tuple[tuple[float, float], ...]:
        """The shares of sides that are left open, each with the distance from the string up to which it holds, mm."""
        errors = self.errors
        shares = errors.near_unsure, errors.beside_unsure, errors.inner_unsure, errors.deep_unsure, errors.far_unsure
        return tuple(zip(SIDE_BANDS_MM, shares, strict=True))

    def _goes_unread(self, roll: Roll, covered_us: int, say: Callable[..., None]) -> None:
        """A die that is taken up, or snatched, before its rest could be told: it is lost from sight."""
        self.told["not seen at rest"] += 1
        last_us = self._frame(max(covered_us, roll.released_us)) - FRAME_US
        lost_us = self._seen(last_us + 250 * MS + FRAME_US)
        say(DieNews.LOST, last_us + 125 * MS, 125 * MS + FRAME_US, lost_us)
        since_us = min(last_us, roll.wanted.settled_us) - FRAME_US
        self._held[Source.DICE].append(_Held(since_us, lost_us, since_us))

    def _passed_over(self, at_us: int, covered_us: int, say: Callable[..., None]) -> int:
        """Something hides a die that lies there, and shows it again."""
        since_us = self._frame(self._chance.randrange(at_us, max(covered_us, at_us + 1)) + 10 * FRAME_US)
        until_us = since_us + self._chance.randrange(60 * MS, 400 * MS)
        if until_us >= covered_us - 3 * FRAME_US:
            return 0
        say(DieNews.HIDDEN, since_us, FRAME_US, self._seen(since_us))
        say(DieNews.SHOWN, self._frame(until_us), FRAME_US, self._seen(self._frame(until_us)))
        self._held[Source.DICE].append(_Held(since_us, self._seen(since_us), since_us - 2 * FRAME_US))
        return self._frame(until_us)

    def _taken_up(self, lifted_us: int, covered_us: int, say: Callable[..., None]) -> None:
        """The hand covers the die, and is seen to have left nothing."""
        last_us = self._frame(min(covered_us, lifted_us)) - FRAME_US
        gone_us = self._frame(lifted_us + self._chance.randrange(10 * MS, 120 * MS))
        told_us = first_us = self._seen(gone_us)
        if self._chance.random() < 0.7:
            first_us = self._seen(last_us + FRAME_US)
            say(DieNews.HIDDEN, last_us, FRAME_US, first_us)
        say(DieNews.TAKEN_UP, (last_us + gone_us) // 2, (gone_us - last_us) // 2 + 1, told_us)
        self._held[Source.DICE].append(_Held(last_us, first_us, last_us - FRAME_US))

    # -- hands and people -----------------------------------------------------------------------------------------------------

    def _swing(self, swing: Swing) -> None:
        at_us = swing.at_us + round(self._chance.gauss(0, 0.5) * FRAME_US)
        report = SwingReport(swing.seat, not self._is(self.errors.swing_unsure, "swing"))
        self._tell(Source.HANDS, at_us, FRAME_US, report, self._seen(self._frame(swing.at_us + 2 * FRAME_US)))
        self._held[Source.HANDS].append(
            _Held(swing.at_us - FRAME_US, swing.at_us + 6 * FRAME_US, swing.at_us - 3 * FRAME_US)
        )

    def _raised(self, raised: Raised) -> None:
        is_sure = not self._is(self.errors.raised_unsure, "raised")
        for at_us, is_up in ((raised.from_us, True), (raised.to_us, False)):
            seen_us = at_us + round(self._chance.uniform(-1, 1) * FRAME_US)
            told_us = self._seen(self._frame(at_us + 4 * FRAME_US))
            self._tell(Source.HANDS, seen_us, FRAME_US, RaisedReport(raised.seat, is_up, is_sure), told_us)
            self._held[Source.HANDS].append(_Held(at_us - FRAME_US, told_us, at_us - 3 * FRAME_US))

    def _people(self) -> None:
        """What people tell, and what is read of cards, one after the other."""
        now_us = 0
        for _, fact in self.director.line.facts:
            at_us: int | None = getattr(fact, "at_us", None)
            now_us = max(now_us + 1, at_us if at_us is not None else now_us + 5 * MS)
            if isinstance(fact, SEEN):
                if isinstance(fact, DieRolled | SwingMissed) and self._is(self.errors.maybe, "maybe"):
                    self._maybe(fact.seat, now_us + self._chance.randrange(-200 * MS, 100 * MS))
                continue
            self._told(fact, now_us)

    def _maybe(self, seat: str, at_us: int) -> None:
        """A hand that may have tried, or been raised for a moment, and did neither."""
        if self._chance.random() < 0.5:
            reports: tuple[Report, ...] = (SwingReport(seat, is_sure=False),)
        else:
            reports = RaisedReport(seat, is_up=True, is_sure=False), RaisedReport(seat, is_up=False, is_sure=False)
        for n, report in enumerate(reports):
            then_us = at_us + 150 * MS * n
            self._tell(Source.HANDS, then_us, FRAME_US, report, then_us + 60 * MS)
            self._held[Source.HANDS].append(_Held(then_us - FRAME_US, then_us + 70 * MS, then_us - 3 * FRAME_US))

    def _told(self, fact: Fact, at_us: int) -> None:
        within_us = 25 * MS if isinstance(fact, TimeoutCalled) else 0
        self._tell(Source.PEOPLE, at_us + within_us, within_us, ToldReport(fact), at_us + 2 * within_us)

    # -- how far each has told --------------------------------------------------------------------------------------------------

    def _vouch(self) -> None:
        """Each picture and each beat of the pad says how far its source has told, while play goes on."""
        for bout in self.director.line.bouts:
            for frame_us in range(self._frame(bout.begin_us - 400 * MS), bout.end_us + 2500 * MS, FRAME_US):
                taken_us = self._come(frame_us + 31 * MS)
                for source, behind_us in ((Source.DICE, FRAME_US), (Source.HANDS, FRAME_US)):
                    self._through(source, frame_us, frame_us - behind_us, taken_us)
                self._through(Source.PAD, frame_us, frame_us - 20 * MS, self._come(frame_us + 5 * MS))

    def _through(self, source: Source, seen_us: int, through_us: int, taken_us: int) -> None:
        for held in self._held[source]:
            if held.from_us <= seen_us and taken_us <= self._come(held.until_us):
                through_us = min(through_us, held.through_us)
        told_us = through_us
        self._arrivals.append(Arrival(taken_us, 1, lambda judge: judge.told_through(source, told_us)))
