"""What the duellists' hands do over the virtual table: throw, hover, take up, strike, raise; and what touches what, exactly.

Playing hands keep to their own half of the table but where they strike, so that they touch when the script says and never else.
The idle hands lay cards and take Stones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from companion.rules.hoshi_battle.facts import (
    DieFell,
    DiePickedUp,
    HandLowered,
    HandRaised,
    HandsTouched,
    SwingMissed,
    Where,
)
from companion.virtual.battle_rolls import Push, Roll
from companion.virtual.battle_stage import BattleStage, Chair
from companion.virtual.battle_times import MS, Bout, Change, Setting, Settings, TimeLine
from companion.virtual.battle_ways import Ease, Place, Way, meet, reach
from hardware.virtual.dice import Instant

RAISED_MM = 150.0
"""Height of a hand in the defensive position."""
WINDOW_US = 150 * MS
"""Who closed in is asked of so long before a touch."""
_STRIKE_US = 160 * MS
_PICK_US = 110 * MS
_THROW_US = 220 * MS
_UP_US, _DOWN_US = 120 * MS, 150 * MS
_SHORT_MM = 22.0
"""A swing that misses stops so far before the other's hand."""
_NEAREST_MM = 206.0
"""And stays so near to its own edge of the table: the other hand goes on meanwhile, in its own half."""
_ASIDE_MM = 58.0
"""A hand that waits beside its die leaves it in sight."""
_BEHIND_MM = 28.0
_PRESSED_MM = 3.0
_PALM_MM = 70.0
_KNUCKLES_MM = 32.0
_TRIES = 6
WRIST_MM = 165.0
"""Behind a hand's tip its arm begins."""
_OVER_MM, _ON_TOP_MM = 60.0, 14.0
"""How much higher than the other's a hand is that passes over it, and one that lies on its arm."""
_DOWN_ON_US = 60 * MS


@dataclass(frozen=True, slots=True)
class Touch:
    """Two playing hands touch."""

    act: int
    by: tuple[str, ...]
    """Whose hand moved into the other's."""
    where: str
    start_us: int
    end_us: int
    closed_mm: tuple[float, float]
    """How far each chair's hand came toward the other in the last 150 ms."""


@dataclass(frozen=True, slots=True)
class Swing:
    """A hand strikes at the other and touches nothing."""

    act: int
    seat: str
    at_us: int
    """When it is nearest."""


@dataclass(frozen=True, slots=True)
class Raised:
    """A hand in the defensive position."""

    act: int
    seat: str
    from_us: int
    """It begins to rise."""
    to_us: int
    """It is down again."""


@dataclass(frozen=True, slots=True)
class Hands:
    """The ways of all hands and what they do to each other."""

    playing: tuple[Way, Way]
    """By chair."""
    idle: tuple[Way, Way]
    touches: tuple[Touch, ...]
    swings: tuple[Swing, ...]
    raised: tuple[Raised, ...]


def plan_hands(stage: BattleStage, line: TimeLine, rolls: tuple[Roll, ...]) -> Hands:
    """The ways that make happen what the time line tells."""
    planner = _Planner(stage, line)
    planner.play(rolls)
    idle = [Way(chair.from_deg, chair.away) for chair in stage.chairs]
    before: Settings = (Setting(), Setting())
    for change in line.changes:
        _tidy(stage, idle, change, before)
        before = change.settings
    one, other = planner.ways
    return Hands((one, other), (idle[0], idle[1]), tuple(planner.touches), tuple(planner.swings), tuple(planner.raised))


def _tidy(stage: BattleStage, idle: list[Way], change: Change, before: Settings) -> None:
    """An idle hand comes to what changes and goes again."""
    for n in change.chairs:
        chair, way = stage.chairs[n], idle[n]
        was, now = before[n], change.settings[n]
        zones = [
            zone
            for zone, differs in (
                (chair.hero, was.hero != now.hero),
                (chair.duel, was.duel != now.duel),
                (chair.stones, was.stones != now.stones),
            )
            if differs
        ]
        x, y = (sum(zone.centre[axis] for zone in zones) / len(zones) for axis in (0, 1))
        there, out = Place(x, y), chair.place(-60.0, y)
        way.go(out, change.at_us - 520 * MS, 0)
        way.go(there, change.at_us - 90 * MS, 420 * MS)
        way.go(there, change.at_us + 110 * MS, 0)
        way.go(out, change.at_us + 560 * MS, 440 * MS)


@dataclass(slots=True)
class _Planner:
    stage: BattleStage
    line: TimeLine
    ways: list[Way] = field(init=False)
    touches: list[Touch] = field(default_factory=list)
    swings: list[Swing] = field(default_factory=list)
    raised: list[Raised] = field(default_factory=list)
    _lying: dict[tuple[int, int], Roll] = field(default_factory=dict)
    """(chair, die) to what lies there."""

    def __post_init__(self) -> None:
        self.ways = [Way(chair.from_deg, chair.away) for chair in self.stage.chairs]

    def play(self, rolls: tuple[Roll, ...]) -> None:
        """Everything in the order of its time."""
        for _, _, what in sorted(self._happenings(rolls), key=lambda each: each[:2]):
            match what:
                case ("come", Chair() as chair, int(at)):
                    self._way(chair).go(chair.home, at, 600 * MS)
                case ("leave", Chair() as chair, int(at)):
                    self._way(chair).go(chair.away, at, 420 * MS, firm=False)
                case ("roll", Roll() as roll):
                    self._release(roll)
                case ("lift", Roll() as roll):
                    self._lift(roll)
                case ("push", Roll() as roll, Push() as push):
                    self._push(roll, push)
                case ("act", int(act), HandsTouched() as fact, Bout() as bout):
                    self._touch(act, fact, bout)
                case ("act", int(act), SwingMissed() as fact, Bout() as bout):
                    self._miss(act, fact, bout)
                case ("act", int(act), HandRaised() | HandLowered() as fact, Bout() as bout):
                    self._defend(act, fact, bout)
                case ("act", int(), DieFell() as fact, Bout() as bout):
                    self._drop(fact, bout)
                case _:
                    pass

    def _happenings(self, rolls: tuple[Roll, ...]) -> Iterator[tuple[int, int, tuple[object, ...]]]:
        """(when, order, what)."""
        for bout in self.line.bouts:
            for chair in self.stage.chairs:
                at = bout.begin_us - 700 * MS
                yield at - 1, 0, ("come", chair, at)
                last = [when for when, seat, _ in self.line.fetched if seat == bout.seats[chair.number]]
                fetched = [when for when in last if bout.end_us < when < bout.end_us + 1700 * MS]
                gone = max([bout.end_us + 1000 * MS, *fetched]) + 450 * MS
                yield gone - 440 * MS, 5, ("leave", chair, gone)
        for roll in rolls:
            if self._bout(roll.released_us) is None:
                chair, at = roll.wanted.chair, roll.released_us - 150 * MS
                yield at - 500 * MS, 0, ("come", chair, at)
                yield roll.wanted.settled_us + 1460 * MS, 5, ("leave", chair, roll.wanted.settled_us + 1890 * MS)
            yield roll.released_us, 2, ("roll", roll)
            if roll.wanted.lifted_us < self.line.end_us:
                yield roll.wanted.lifted_us, 1, ("lift", roll)
            for push in roll.wanted.pushes:
                yield push.from_us, 1, ("push", roll, push)
        for timed in self.line.timed:
            during = self._bout(timed.at_us)
            if during is not None and not isinstance(timed.fact, DiePickedUp):
                yield timed.at_us, 3, ("act", timed.act, timed.fact, during)

    def _bout(self, t_us: int) -> Bout | None:
        return next((bout for bout in self.line.bouts if bout.begin_us <= t_us <= bout.end_us), None)

    def _way(self, chair: Chair) -> Way:
        return self.ways[chair.number]

    # -- dice -----------------------------------------------------------------------------------------------------

    def _release(self, roll: Roll) -> None:
        chair, way = roll.wanted.chair, self._way(roll.wanted.chair)
        self._lying[chair.number, roll.wanted.die] = roll
        if roll.throw is None:
            way.go(self._over(chair, roll.rest), roll.released_us, _PICK_US)
            return
        start = roll.throw.at(0.0)
        height = min(max(start.height_mm - 8.0, 28.0), 110.0)
        tip = chair.place(min(chair.ahead(start.x_mm) - 5.0, 184.0), start.y_mm, height)
        way.go(tip, roll.released_us, _THROW_US)
        wait = self._beside(roll, tip)
        there_us = max(roll.wanted.settled_us, roll.released_us + WINDOW_US)
        way.go(wait, there_us, there_us - roll.released_us - 30 * MS, firm=False)

    def _over(self, chair: Chair, lying: Instant) -> Place:
        return chair.place(chair.ahead(lying.x_mm) + 3.0, lying.y_mm, 24.0)

    def _beside(self, roll: Roll, tip: Place) -> Place:
        """Where the hand waits and hides none of its dice."""
        chair = roll.wanted.chair
        dice = [other for (n, _), other in self._lying.items() if n == chair.number]
        ahead = min(chair.ahead((other.at(roll.released_us) or other.rest).x_mm) for other in dice)
        if len(dice) > 1:
            return chair.place(ahead - _BEHIND_MM, tip.y_mm)
        if chair.ahead(tip.x_mm) <= ahead - _BEHIND_MM:
            return Place(tip.x_mm, tip.y_mm)
        y = roll.rest.y_mm
        return chair.place(min(ahead, chair.ahead(tip.x_mm)), y + (_ASIDE_MM if y < 125.0 else -_ASIDE_MM))

    def _lift(self, roll: Roll) -> None:
        chair, way = roll.wanted.chair, self._way(roll.wanted.chair)
        self._lying.pop((chair.number, roll.wanted.die), None)
        at_us = roll.wanted.lifted_us
        way.go(self._over(chair, roll.last), at_us, _PICK_US)
        way.go(chair.home, at_us + 350 * MS, 330 * MS, firm=False)

    def _push(self, roll: Roll, push: Push) -> None:
        """The fingers go along with a die that slides, and draw back."""
        chair, way = roll.wanted.chair, self._way(roll.wanted.chair)
        for at_us, lead_us in ((push.from_us, _PICK_US), (push.to_us, push.to_us - push.from_us)):
            lying = roll.at(at_us)
            if lying is not None:
                way.go(self._over(chair, lying), at_us, lead_us, firm=at_us == push.from_us)
        way.go(chair.home, push.to_us + 350 * MS, 330 * MS, firm=False)

    def _drop(self, fact: DieFell, bout: Bout) -> None:
        """The die goes over the table's edge in or under the hand."""
        chair = self._chair(fact.seat, bout)
        at_us = fact.at_us or 0
        self._way(chair).go(chair.place(10.0, 30.0), max(at_us, self._way(chair).firm_us), _THROW_US)

    # -- hands ----------------------------------------------------------------------------------------------------

    def _chair(self, seat: str, bout: Bout) -> Chair:
        return self.stage.chairs[bout.seats.index(seat)]

    def _touch(self, act: int, fact: HandsTouched, bout: Bout) -> None:
        at_us = fact.at_us or 0
        chance = self.stage.chance("touch", act)
        end_us = at_us + round(chance.uniform(45, 160)) * MS
        strikers = [self._chair(seat, bout) for seat in fact.by] or [self.stage.chairs[0]]
        one = self._way(strikers[0])
        other = self.ways[1 - strikers[0].number]
        if len(strikers) > 1:
            self._come_halfway(strikers[1], strikers[0], at_us)
        other.cut(at_us)
        other.firm_us = max(other.firm_us, at_us)
        here = other.at(at_us)
        other.go(here, end_us, 0)
        aside_mm = chance.uniform(-9, 9)
        if fact.where is Where.ELSEWHERE:
            touch = pressed = self._strike_arm(strikers[0], here, at_us, aside_mm)
        else:
            start, touch = self._strike(one, other, at_us, self._aim(strikers[0], here, aside_mm))
            far = max(start.far(touch), 1.0)
            pressed = start.toward(touch, (far + _PRESSED_MM) / far)
        middle_us = (at_us + end_us) // 2
        one.go(pressed, middle_us, middle_us - at_us, Ease.OUT)
        one.go(touch, end_us, end_us - middle_us, Ease.IN)
        closed = self._closed(at_us, fact.where)
        for chair in self.stage.chairs:
            self._way(chair).go(chair.home, end_us + 320 * MS, 320 * MS, firm=False)
        self.touches.append(Touch(act, fact.by, fact.where.value, at_us, end_us, closed))

    def _strike(self, one: Way, other: Way, at_us: int, aim: Place) -> tuple[Place, Place]:
        """The hand goes so that it touches the other one at that moment and not before; from where and to where."""
        lead_us = _STRIKE_US
        before = one.copied()
        for _ in range(_TRIES):
            start = one.at(max(at_us - lead_us, one.firm_us))
            share = reach(one, start, aim, other.outlines(other.at(at_us)))
            if share is None:
                break
            touch = start.toward(aim, share)
            from_us = one.go(touch, at_us, lead_us, Ease.IN)
            if not self._touches_before(from_us, at_us):
                return start, touch
            lead_us = lead_us * 6 // 10
            one.become(before)
        raise ValueError(f"hands can't touch at {at_us} us: they would have touched before")

    def _strike_arm(self, chair: Chair, other: Place, at_us: int, aside_mm: float) -> Place:
        """The hand goes high over the other one and comes down on the arm behind it at that moment; where."""
        way, there = self._way(chair), self.stage.chairs[1 - chair.number]
        touch = there.place(there.ahead(other.x_mm) - WRIST_MM, other.y_mm + aside_mm, other.height_mm + _ON_TOP_MM)
        above = Place(touch.x_mm, touch.y_mm, other.height_mm + _OVER_MM)
        down_us = at_us - _DOWN_ON_US
        way.go(above, down_us, _STRIKE_US, Ease.OUT)
        way.go(touch, at_us, _DOWN_ON_US, Ease.IN)
        return touch

    def _touches_before(self, from_us: int, at_us: int) -> bool:
        one, other = self.ways
        return any(
            meet(one.outlines(one.at(t_us)), other.outlines(other.at(t_us))) for t_us in range(from_us, at_us, 10 * MS)
        )

    def _come_halfway(self, chair: Chair, toward: Chair, at_us: int) -> None:
        """The second of two who strike at the same time."""
        way, other = self._way(chair), self._way(toward)
        start = way.at(max(at_us - _STRIKE_US, way.firm_us))
        theirs = other.at(max(at_us - _STRIKE_US, other.firm_us))
        way.go(start.toward(Place(theirs.x_mm, theirs.y_mm, start.height_mm), 0.36), at_us, _STRIKE_US, Ease.IN)

    def _aim(self, chair: Chair, other: Place, aside_mm: float) -> Place:
        """At the other's knuckles."""
        there = self.stage.chairs[1 - chair.number]
        return there.place(there.ahead(other.x_mm) - _KNUCKLES_MM, other.y_mm + aside_mm, 30.0)

    def _miss(self, act: int, fact: SwingMissed, bout: Bout) -> None:
        chair, at_us = self._chair(fact.seat, bout), fact.at_us or 0
        way, other = self._way(chair), self.ways[1 - chair.number]
        start = way.at(max(at_us - _STRIKE_US, way.firm_us))
        here = other.at(at_us)
        aim = self._aim(chair, here, self.stage.chance("miss", act).uniform(-9, 9))
        share = reach(way, start, aim, other.outlines(here)) or 0.0
        far = start.far(aim)
        room = (_NEAREST_MM - chair.ahead(start.x_mm)) / max(chair.ahead(aim.x_mm) - chair.ahead(start.x_mm), 1.0)
        short = max(0.0, min(share - _SHORT_MM / max(far, 1.0), room))
        way.go(start.toward(aim, short), at_us, _STRIKE_US, Ease.OUT)
        way.go(Place(start.x_mm, start.y_mm), at_us + 130 * MS, 130 * MS, firm=False)
        self.swings.append(Swing(act, fact.seat, at_us))

    def _defend(self, act: int, fact: HandRaised | HandLowered, bout: Bout) -> None:
        chair, at_us = self._chair(fact.seat, bout), fact.at_us or 0
        way = self._way(chair)
        if isinstance(fact, HandRaised):
            here = way.at(at_us)
            up = chair.place(max(60.0, chair.ahead(here.x_mm) - 25.0), here.y_mm, RAISED_MM)
            way.go(up, at_us + _UP_US, _UP_US)
            self.raised.append(Raised(act, fact.seat, at_us, bout.end_us))
            return
        here = way.at(at_us)
        way.go(Place(here.x_mm, here.y_mm), at_us, _DOWN_US)
        last = self.raised[-1]
        self.raised[-1] = Raised(last.act, last.seat, last.from_us, at_us)

    def _closed(self, at_us: int, where: Where) -> tuple[float, float]:
        """How far each hand came toward the other in the window."""
        times = range(at_us - WINDOW_US, at_us + 1, 5 * MS)
        found = []
        here = [way.at(at_us) for way in self.ways]
        # From palm to palm: beside each other the fingers' tips lie anyhow.
        left, right = (
            chair.place(chair.ahead(at.x_mm) - _PALM_MM, at.y_mm)
            for chair, at in zip(self.stage.chairs, here, strict=True)
        )
        far = max(left.far(right), 1e-6)
        along_x, along_y = (right.x_mm - left.x_mm) / far, (right.y_mm - left.y_mm) / far
        if where is Where.ELSEWHERE:  # it has passed over the other hand
            along_x, along_y = 1.0, 0.0
        for sign, way, end in zip((1, -1), self.ways, here, strict=True):
            along = [
                sign * ((at.x_mm - end.x_mm) * along_x + (at.y_mm - end.y_mm) * along_y) for at in map(way.at, times)
            ]
            found.append(round(max(0.0, -min(along)), 2))
        return found[0], found[1]
