"""Rounds of virtual duels seen in pictures: the dice tracker and the hands' tracker tell, the pad feels, the judge rules.

Each round is drawn at 60 pictures a second as a camera would see it, from just before play begins to a moment after the touch
that ends it; a die at rest is read from a larger picture. Nothing of the truth reaches the judge but what cards and people
tell, and the touch's time within what a pad states.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from companion.bench.duels import TrueTouch, table_of, true_touches
from companion.duel.hearing import DiceHearing
from companion.duel.hearing_hands import HandsHearing
from companion.duel.judge import DuelJudge
from companion.duel.reports import Source, ToldReport, TouchReport
from companion.duel.rulings import Ruled
from companion.duel.timeline import Entry
from companion.rules.hoshi_battle.facts import Face, PlayBegan
from companion.rules.hoshi_battle.fold import apply, start
from companion.rules.hoshi_battle.state import HoshiBattleState
from companion.virtual.battle_director import BattleDirector
from companion.virtual.battle_hands import Touch
from companion.virtual.battle_pad import felt_in
from companion.virtual.battle_people import SEEN
from companion.virtual.battle_stage import DIE_MM, TABLE_MM
from companion.virtual.battle_times import Bout
from companion.virtual.battle_writing import write_symbols
from hardware.pad.messages import EventKind
from hardware.virtual.dice import lying_at
from hardware.virtual.loop import depth_mm
from hardware.virtual.render import Renderer
from vision.arena import Arena, ArenaState
from vision.arena_hands import ArenaHands, Seat
from vision.dice.enrolled import enrol_die
from vision.dice.eye import eye_of
from vision.dice.reader import DiceReader
from vision.dice.track import DiceEvent, DiceEventKind, DiceTracker, TrackedDie
from vision.dice.track_colour import Ground, colour_at
from vision.table import Lens, TablePose, locate_table

MS = 1000
FRAME_US = 16_667
LONGEST_US = 4_000 * MS
"""Rounds that last longer are left out: each picture takes some time to draw."""
BEFORE_US, AFTER_US = 300 * MS, 700 * MS
EMPTY_PICTURES = 4
SMALL, LARGE = (640, 360), (1920, 1080)
KNOCK_LATE_US, KNOCK_ERR_NS = 15 * MS, 500_000
"""A knock on the mat is told by the pad that late, and as true."""
DEPTHS = (("0-6 mm", 6.0), ("6-12 mm", 12.0), ("12-20 mm", 20.0), ("20-35 mm", 35.0), ("35 mm on", 1e9))
"""How far from the string a throw may have touched."""
SAME_REST_US = 120 * MS
"""A rest that is told and a throw's so near each other are the same."""
_READ_MM = 12.0
_EACH, _TRIES = 4, 6
"""A die's top is read in every so-manieth picture since its rest was told, so often at most."""
_SEAT_MM = 320.0


@dataclass(slots=True)
class FilmTally:
    """How the touches of filmed rounds came out."""

    rounds: int = 0
    pictures: int = 0
    right: int = 0
    questions: int = 0
    wrong: int = 0
    why: Counter[str] = field(default_factory=Counter)
    went_wrong: list[dict[str, Any]] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)
    sides: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Of the throws that came to rest: how far from the string they touched first, and what was told of the side."""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """One JSON line."""
        return {
            "set": "film",
            "rounds": self.rounds,
            "pictures": self.pictures,
            "right": self.right,
            "questions": self.questions,
            "wrong": self.wrong,
            "why": dict(self.why.most_common()),
            "told": dict(self.told.most_common()),
            "sides": {
                band: {what: self.sides[band, what] for what in ("right", "open", "wrong")} for band, _ in DEPTHS
            },
            "seconds": round(self.seconds),
            **({"went_wrong": self.went_wrong} if self.went_wrong else {}),
        }


def film(rounds: int, first: int) -> Iterator[FilmTally]:
    """So many short rounds of the games from a seed on; the tally after each."""
    tally = FilmTally()
    with TemporaryDirectory(prefix="hoshiban-duel-film-") as folder:
        write_symbols(Path(folder))
        reader = DiceReader([enrol_die(Path(folder), "battle")])
        seed = first
        while tally.rounds < rounds:
            for done in _rounds_of(seed, reader, tally):
                if done and tally.rounds <= rounds:
                    yield tally
                if tally.rounds >= rounds:
                    return
            seed += 1


def _rounds_of(seed: int, reader: DiceReader, tally: FilmTally) -> Iterator[bool]:
    table = table_of(seed)
    director = table.director()
    if not isinstance(director, BattleDirector):
        raise TypeError(f"no duels are directed by {type(director).__name__}")
    truths = {truth.act: truth for truth in true_touches(director)}
    small, large = (replace(table, size=size).renderer() for size in (SMALL, LARGE))
    for bout in director.line.bouts:
        touches = [touch for touch in director.hands.touches if bout.begin_us <= touch.start_us <= bout.end_us]
        if not touches or touches[-1].start_us - bout.begin_us > LONGEST_US:
            continue
        began = time.process_time()
        seen = _Round(director, bout, small, large, reader, random.Random(f"{seed}:{bout.begin_us}"))
        for ruled in seen.rulings(touches):
            _hold(ruled, truths, tally, seed, seen.judge)
        tally.rounds += 1
        tally.pictures += seen.pictures
        tally.told += seen.told
        tally.sides += seen.sides
        tally.seconds += time.process_time() - began
        missing = [t for t in touches if t.act in truths]
        for touch in missing:
            tally.wrong += 1
            tally.went_wrong.append({"seed": seed, "act": touch.act, "ruled": None})
            del truths[touch.act]
        yield True


def _hold(ruled: Ruled, truths: dict[int, TrueTouch], tally: FilmTally, seed: int, judge: DuelJudge) -> None:
    at_us = ruled.fact.at_us or 0
    truth = min(truths.values(), key=lambda each: abs(each.at_us - at_us))
    del truths[truth.act]
    if (*ruled.consequence, ruled.seats) == truth.consequence:
        tally.right += 1
        return
    if ruled.is_question:
        tally.questions += 1
        tally.why.update(ruled.doubts)
    else:
        tally.wrong += 1
        tally.went_wrong.append({"seed": seed, "act": truth.act, "truth": truth.verdict, "ruled": ruled.text})
    judge.put_right(truth.after, truth.at_us)


class _Round:
    """One round, picture by picture."""

    def __init__(
        self,
        director: BattleDirector,
        bout: Bout,
        small: Renderer,
        large: Renderer,
        reader: DiceReader,
        chance: random.Random,
    ) -> None:
        self._director, self._bout, self._chance = director, bout, chance
        self._small, self._large, self._reader = small, large, reader
        self.pictures = 0
        self.told: Counter[str] = Counter()
        self.sides: Counter[tuple[str, str]] = Counter()
        self._unread: dict[str, tuple[DiceEvent, int]] = {}
        """Dice at rest whose top is to be read, and for how many pictures that was tried."""
        empty = replace(director.scene(bout.begin_us - BEFORE_US), dice=(), hands=())
        shots = [small.render(empty, 90_000 + n) for n in range(EMPTY_PICTURES)]
        self._lens = Lens(small.camera.matrix, small.camera.coefficients)
        self._pose: TablePose = locate_table(shots[0], TABLE_MM, self._lens)
        ground = Ground.of(shots)
        state, self._people = _before(director, bout)
        self.judge = DuelJudge(state)
        dice = self._enrolled(state, ground)
        loop = director.stage.loop
        self._tracker = DiceTracker(self._pose, ground, dice, Arena(loop.polygon_mm, loop.width_mm, ArenaState.FOUND))
        seats = [
            Seat(seat, TABLE_MM[0] / 2 + side * _SEAT_MM, TABLE_MM[1] / 2)
            for side, seat in zip((-1, 1), bout.seats, strict=True)
        ]
        self._hands = ArenaHands(self._pose, ground, seats)
        for seat in bout.seats:
            self._hands.at_table(seat)
        self._knocks = [each.at_us for each in felt_in(director) if each.kind is EventKind.KNOCK]
        self._dice_ears = DiceHearing(self.judge, self._names)
        self._hand_ears = HandsHearing(self.judge, self._hands, (bout.seats[0], bout.seats[1]))

    def rulings(self, touches: Sequence[Touch]) -> Iterator[Ruled]:
        """What the judge says of the round's touches."""
        for number, fact_us in enumerate(sorted(self._people)):
            self.judge.tell(Entry(fact_us, 0, Source.PEOPLE, (number,), self._people[fact_us]))
        waiting = list(touches)
        asked: list[tuple[tuple[int, ...], int]] = []
        end_us = touches[-1].start_us + AFTER_US
        for frame_us in range(self._bout.begin_us - BEFORE_US, end_us, FRAME_US):
            self._look(frame_us)
            while waiting and frame_us > waiting[0].start_us + 20 * MS:
                touch = waiting.pop(0)
                at_us = touch.start_us + self._chance.randrange(-400, 401)
                key = (touch.act,)
                self.judge.tell(Entry(at_us, 500, Source.PAD, key, TouchReport()))
                self._hand_ears.touched(key, at_us * 1000)
                asked.append((key, at_us))
            self.judge.told_through(Source.PAD, frame_us - 30 * MS)
            yield from self.judge.step(frame_us)
        yield from self.judge.step(end_us + 5_000 * MS)

    def _look(self, t_us: int) -> None:
        """One picture, shown to both trackers."""
        image = self._small.render(self._director.scene(t_us), self.pictures)
        self.pictures += 1
        while self._knocks and self._knocks[0] < t_us - KNOCK_LATE_US:
            knock_us = self._knocks.pop(0)
            if knock_us > t_us - 2 * KNOCK_LATE_US - FRAME_US:
                self._tracker.knock(knock_us * 1000, KNOCK_ERR_NS)
        events = self._tracker.feed(image, t_us * 1000)
        for event in [*events, *self._tracker.decide()]:
            self.told[event.kind.value] += 1
            self._dice_ears.hear(event)
            if event.kind is DiceEventKind.SETTLED:
                self._unread[event.die] = (event, 0)
            if event.kind is DiceEventKind.DECIDED:
                self._count_side(event)
        for name, (event, tries) in list(self._unread.items()):
            if tries % _EACH == 0:
                self._read(event, t_us, is_last=tries >= _EACH * _TRIES)
            if name in self._unread:
                self._unread[name] = (event, tries + 1)
        names = [name for name in self._names if name]
        hands = self._hands.feed(image, t_us * 1000)
        self._dice_ears.looked(
            t_us * 1000, {name: (self._tracker.state(name), self._tracker.place(name)) for name in names}, hands
        )
        self._hand_ears.looked(t_us * 1000, hands)

    def _count_side(self, event: DiceEvent) -> None:
        inside = None if event.touch is None else event.touch.inside
        if inside is None:
            self.told["side open"] += 1
        seat, die, _ = self._names[event.die]
        thrown = [
            roll.throw
            for roll in self._director.rolls
            if (roll.wanted.seat, roll.wanted.die) == (seat, die)
            and roll.throw is not None
            and abs(roll.wanted.settled_us - event.t_ns // 1000) < SAME_REST_US
        ]
        if len(thrown) == 1:
            deep = depth_mm(self._director.stage.loop, *thrown[0].contact_mm)
            band = next(name for name, until_mm in DEPTHS if abs(deep) < until_mm)
            self.sides[band, "open" if inside is None else "right" if inside is (deep > 0) else "wrong"] += 1

    def _read(self, event: DiceEvent, t_us: int, *, is_last: bool) -> None:
        """What lies on top, from a larger picture of the same moment; where a hand is in the way, from a later one."""
        picture = self._large.render(self._director.scene(t_us), 50_000 + self.pictures)
        lens = Lens(self._large.camera.matrix, self._large.camera.coefficients)
        read = self._reader.read(picture, locate_table(picture, TABLE_MM, lens)).dice
        near = [
            die
            for die in read
            if event.x_mm is not None
            and event.y_mm is not None
            and abs(die.x_mm - event.x_mm) < _READ_MM
            and abs(die.y_mm - event.y_mm) < _READ_MM
        ]
        face = Face(near[0].symbol) if len(near) == 1 and near[0].symbol is not None else Face.UNKNOWN
        if face is Face.UNKNOWN and not is_last:
            return
        self.told["unread" if face is Face.UNKNOWN else "read"] += 1
        del self._unread[event.die]
        self._dice_ears.read(event.die, face, event.t_ns)

    def _enrolled(self, state: HoshiBattleState, ground: Ground) -> list[TrackedDie]:
        """The dice that are rolled now, each colour taken from a picture of the die alone."""
        duel = state.duel
        self._names: dict[str, tuple[str, int, int]] = {}
        found: list[TrackedDie] = []
        fighters = () if duel is None else duel.fighters
        eye = eye_of(self._pose, *self._small.camera.size)
        empty = replace(self._director.scene(self._bout.begin_us - BEFORE_US), dice=(), hands=())
        for fighter in fighters:
            seat = state.setup.seats[fighter.place]
            chair = self._director.stage.chairs[self._bout.seats.index(seat)]
            for n, sides in enumerate(fighter.dice):
                rolled = self._sides(seat, n) or sides or 10
                die = self._director.stage.die(chair, rolled)
                x, y = TABLE_MM[0] / 2, TABLE_MM[1] / 2
                lying = replace(die, at=lying_at(die.sides, die.size_mm, 1, x, y, 0.4, die.tip))
                picture = self._small.render(replace(empty, dice=(lying,)), 91_000 + len(found))
                shown = eye.shown(np.array([[x, y, DIE_MM / 2], [x + DIE_MM, y, DIE_MM / 2]]))
                middle, beside = self._pose.to_px(shown)
                radius = 0.45 * float(np.linalg.norm(beside - middle))
                colour = colour_at(picture, ground, (float(middle[0]), float(middle[1])), radius)
                name = f"{seat}{n}"
                self._names[name] = (seat, n, rolled)
                found.append(TrackedDie(name, colour, DIE_MM, rolled))
        return found

    def _sides(self, seat: str, die: int) -> int | None:
        """Of the die that is rolled in this round, where it is another than the Hero's."""
        for roll in self._director.rolls:
            wanted = roll.wanted
            if (wanted.seat, wanted.die) == (
                seat,
                die,
            ) and self._bout.begin_us <= wanted.settled_us <= self._bout.end_us:
                return wanted.sides
        return None


def _before(director: BattleDirector, bout: Bout) -> tuple[HoshiBattleState, dict[int, ToldReport]]:
    """The state when play begins, and what people tell in the round, by its time."""
    state = start(director.script.setup)
    people: dict[int, ToldReport] = {}
    now_us = 0
    for (_, fact), exact in zip(director.line.facts, director.facts, strict=True):
        at_us: int | None = getattr(fact, "at_us", None)
        now_us = max(now_us + 1, at_us if at_us is not None else now_us + 5 * MS)
        if now_us < bout.begin_us or (isinstance(fact, PlayBegan) and now_us == bout.begin_us):
            state = apply(state, exact)
        elif now_us <= bout.end_us and not isinstance(fact, SEEN):
            people[now_us] = ToldReport(fact)
    return state, people
