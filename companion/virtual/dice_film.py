"""Films of the virtual Arena with their truth: a hand comes in and throws a die or two, pushes one, or takes it up.

Every film follows from its seed and number alone. Touch-downs are spread evenly within SPREAD_MM of the string, and counted by
the point of the table that the die touches first: Hoshi Battle's rule (Rolling the dice) asks where the die first touches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from companion.virtual.dice_stills import HARD_SKINS, TABLE_MM, arena_camera, arena_die, arena_look, arena_loop
from companion.virtual.throws import Throw, throws
from hardware.camera.base import Image
from hardware.virtual.dice import USUAL_TIP, DieOnTable, Instant, about_height, lying_at, product, symbol_of, top_face
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import TableLook
from hardware.virtual.loop import LoopOnTable, depth_mm
from hardware.virtual.render import Renderer
from hardware.virtual.scene import HandOverTable, Scene
from hardware.virtual.symbols import SYMBOLS

FPS = 120
RATES = (120, 90, 120, 60)
"""Frames a second of films that follow one another."""
SIZE_PX = (640, 360)
SPREAD_MM = 60.0
EXPOSURE_S = 0.004
BLUR_STEPS = 3
EMPTY_S = 0.2
"""The table is seen empty for so long before anything comes in."""
REST_S = 0.3
_HAND_SPEED = 900.0
"""mm a second."""
_EDGE_MM = 14.0
_APART_MM = 26.0


class Act(StrEnum):
    """What happens to a die."""

    THROWN = "thrown"
    PUSHED = "pushed"
    """It lay there, and slides without leaving the table."""
    TAKEN_UP = "taken-up"
    """It lay there, and the hand takes it away."""


@dataclass(frozen=True, slots=True, eq=False)
class FilmedDie:
    """One die of a film and what happens to it. Seconds count from the film's start."""

    die: DieOnTable
    act: Act
    start_s: float
    """Release of a throw, first movement of a push, taking up."""
    throw: Throw | None = None
    rest: Instant | None = None
    """Where it lies at first, if it does."""
    slide_mm: tuple[float, float] = (0.0, 0.0)
    slide_turn_rad: float = 0.0
    slide_s: float = 0.25

    def at(self, seconds: float) -> Instant | None:
        """Where it is; None while it is in a hand or away."""
        since = seconds - self.start_s
        if self.throw is not None:
            return self.throw.at(since) if since >= 0 else None
        if self.rest is None or (self.act is Act.TAKEN_UP and since >= 0):
            return None
        share = min(max(since / self.slide_s, 0.0), 1.0)
        eased = share * share * (3 - 2 * share)
        return Instant(
            self.rest.x_mm + eased * self.slide_mm[0],
            self.rest.y_mm + eased * self.slide_mm[1],
            self.rest.height_mm,
            product(about_height(eased * self.slide_turn_rad), self.rest.turn),
        )

    @property
    def end_s(self) -> float:
        """When it lies still for good, or is away."""
        if self.throw is not None:
            return self.start_s + self.throw.settle_s
        return self.start_s + (self.slide_s if self.act is Act.PUSHED else 0.3)


@dataclass(frozen=True, slots=True, eq=False)
class RollFilm:
    """A film of the Arena. `pictures` draws it; the fields are its truth."""

    name: str
    look: TableLook
    camera: VirtualCameraModel
    loop: LoopOnTable
    dice: tuple[FilmedDie, ...]
    hands: tuple[tuple[HandOverTable, float, float], ...]
    """Each with where it gets to, when it is there first and when it leaves, seconds."""
    fps: int = FPS

    @property
    def frames(self) -> int:
        return math.ceil((max(filmed.end_s for filmed in self.dice) + REST_S) * self.fps)

    def scene(self, seconds: float) -> Scene:
        """The Arena during the exposure that starts at this moment."""
        dice = []
        for filmed in self.dice:
            moments = [filmed.at(seconds + EXPOSURE_S * n / (BLUR_STEPS - 1)) for n in range(BLUR_STEPS)]
            shown = [moment for moment in moments if moment is not None]
            if shown:
                still = _rests(shown[0], shown[-1])
                dice.append(replace(filmed.die, at=shown[-1], before=() if still else tuple(shown[:-1])))
        hands = [moved for hand in self.hands if (moved := _reaching(*hand, seconds)) is not None]
        return Scene(table_mm=TABLE_MM, loops=(self.loop,), dice=tuple(dice), hands=tuple(hands))

    def pictures(self) -> Iterator[tuple[Image, int]]:
        """Each picture and the start of its exposure in ns."""
        renderer = Renderer({}, self.look, self.camera)
        for n in range(self.frames):
            yield renderer.render(self.scene(n / self.fps), n), round(n * 1e9 / self.fps)

    def enrolment(self) -> list[tuple[Image, tuple[float, float]]]:
        """A picture of each die alone, lying in the Arena, and where its middle stands; for the colours to be enrolled."""
        renderer = Renderer({}, self.look, self.camera)
        shown = []
        for n, filmed in enumerate(self.dice):
            at = lying_at(filmed.die.sides, filmed.die.size_mm, 1, 210.0, 125.0, 0.7, filmed.die.tip)
            scene = Scene(table_mm=TABLE_MM, loops=(self.loop,), dice=(replace(filmed.die, at=at),))
            shown.append((renderer.render(scene, 90_000 + n), (210.0, 125.0)))
        return shown

    def empty(self, noise_seed: int = 80_000) -> Image:
        """The Arena without dice and hands."""
        renderer = Renderer({}, self.look, self.camera)
        return renderer.render(Scene(table_mm=TABLE_MM, loops=(self.loop,)), noise_seed)

    def truth(self) -> list[dict[str, Any]]:
        """For each die: act, touch-down and settle time in seconds, where its middle and where its lowest point were at the first
        touch, how deep that point lies inside the string, the symbol at rest."""
        told = []
        for filmed in self.dice:
            throw = filmed.throw
            last = filmed.at(filmed.end_s + 1.0)
            rest = None if last is None else replace(filmed.die, at=last)
            told.append(
                {
                    "act": filmed.act.value,
                    "sides": filmed.die.sides,
                    "rgb": list(filmed.die.bgr[::-1]),
                    "touch_s": None if throw is None else filmed.start_s + throw.touch_s,
                    "settle_s": None if filmed.act is Act.TAKEN_UP else filmed.end_s,
                    "touch_mm": None if throw is None else list(throw.touch_mm),
                    "contact_mm": None if throw is None else list(throw.contact_mm),
                    "depth_mm": None if throw is None else depth_mm(self.loop, *throw.contact_mm),
                    "symbol": None if rest is None else symbol_of(rest, top_face(rest)),
                    "rest_mm": None if last is None else [last.x_mm, last.y_mm],
                }
            )
        return told


def roll_film(seed: int, number: int, dice: int = 1, fps: int = FPS) -> RollFilm:
    """One throw, or two at once by two players' hands."""
    random = np.random.default_rng((seed, number, 97))
    look, camera, loop = _arena(random)
    filmed: list[FilmedDie] = []
    for _ in range(500):
        filmed = []
        for _ in range(dice):
            found = _thrown(random, look, loop, filmed)
            if found is not None:
                filmed.append(found)
        if len(filmed) == dice and _keep_apart(filmed):
            break
    # Where no pair keeps apart, one die is thrown.
    if len(filmed) < dice or not _keep_apart(filmed):
        filmed = filmed[:1]
    hands = [_throwing_hand(each, random) for each in filmed]
    if random.random() < 0.25:
        hands.append(_resting_hand(filmed, random))
    return RollFilm(f"roll-{number:04d}", look, camera, loop, tuple(filmed), tuple(hands), fps)


def touched_film(seed: int, number: int, act: Act, fps: int = FPS) -> RollFilm:
    """A die that lies in the Arena is pushed or taken up by a hand."""
    random = np.random.default_rng((seed, number, 101))
    look, camera, loop = _arena(random)
    die = _die(random, look, [])
    x, y = float(random.uniform(180, 240)), float(random.uniform(105, 145))
    rest = lying_at(die.sides, die.size_mm, int(random.integers(die.sides)), x, y, float(random.uniform(0, 6)), die.tip)
    way = float(random.uniform(0, 2 * math.pi))
    reach = float(random.uniform(15, 45)) if act is Act.PUSHED else 0.0
    slide = (reach * math.cos(way), reach * math.sin(way))
    # It comes into sight lying; the hand reaches it later.
    start = EMPTY_S + 0.6
    filmed = FilmedDie(die, act, start, rest=rest, slide_mm=slide, slide_turn_rad=float(random.normal(0, 0.3)))
    tip = (x - 9.0 * math.cos(way), y - 9.0 * math.sin(way))
    if act is Act.TAKEN_UP:
        tip = (x + 40.0 * math.cos(way), y + 40.0 * math.sin(way))
    skin = HARD_SKINS[int(random.integers(len(HARD_SKINS)))]
    hand = HandOverTable(*tip, _from_deg(way), skin)
    return RollFilm(f"{act}-{number:04d}", look, camera, loop, (filmed,), ((hand, start, start + 0.15),), fps)


def _arena(random: np.random.Generator) -> tuple[TableLook, VirtualCameraModel, LoopOnTable]:
    look = arena_look(random, film=True)
    return look, arena_camera(random, SIZE_PX), arena_loop(random, look)


def _die(random: np.random.Generator, look: TableLook, taken: list[DieOnTable]) -> DieOnTable:
    names = [SYMBOLS[int(n)] for n in random.permutation(len(SYMBOLS))[:3]]
    return arena_die(random, look, names, [other.bgr for other in taken])


def _thrown(
    random: np.random.Generator,
    look: TableLook,
    loop: LoopOnTable,
    others: list[FilmedDie],
) -> FilmedDie | None:
    die = _die(random, look, [other.die for other in others])
    kinds = [throw for throw in throws() if throw.sides == die.sides]
    throw = kinds[int(random.integers(len(kinds)))]
    # The solid that was reckoned is the one to be drawn.
    die = replace(die, size_mm=throw.size_mm, tip=USUAL_TIP)
    wanted = float(random.uniform(-SPREAD_MM, SPREAD_MM))
    for _ in range(200):
        place = _place_at(loop, wanted, random)
        if place is None:
            continue
        turn, mirrored = float(random.uniform(0, 2 * math.pi)), bool(random.integers(2))
        # Its lowest point comes down at the place, not its middle.
        off = np.subtract(throw.put(place, turn, mirrored).contact_mm, place)
        put = throw.put((place[0] - float(off[0]), place[1] - float(off[1])), turn, mirrored)
        if _stays_on_table(put):
            start = EMPTY_S + 0.35 + 0.05 * len(others)
            return FilmedDie(die, Act.THROWN, start + float(random.uniform(0, 1 / FPS)), put)
    return None


def _place_at(loop: LoopOnTable, depth: float, random: np.random.Generator) -> tuple[float, float] | None:
    """A place that lies so deep inside the string."""
    ring = np.asarray(loop.polygon_mm)
    n = int(random.integers(len(ring)))
    along = ring[(n + 1) % len(ring)] - ring[n - 1]
    normal = np.array([along[1], -along[0]]) / max(float(np.hypot(*along)), 1e-6)
    for sign in (1.0, -1.0):
        x, y = (float(part) for part in ring[n] + sign * abs(depth) * normal)
        if abs(depth_mm(loop, x, y) - depth) < 0.5:
            return x, y
    return None


def _stays_on_table(throw: Throw) -> bool:
    where = throw.poses[:, :2]
    low, high = where.min(axis=0), where.max(axis=0)
    inside = (low > _EDGE_MM).all() and (high < np.array(TABLE_MM) - _EDGE_MM).all()
    x, y = throw.poses[-1, :2]
    on_marker = (x < 60 or x > TABLE_MM[0] - 60) and (y < 60 or y > TABLE_MM[1] - 60)
    return bool(inside and not on_marker)


def _keep_apart(filmed: list[FilmedDie]) -> bool:
    if len(filmed) < 2:
        return True
    one, other = filmed[0], filmed[1]
    times = np.arange(0, max(one.end_s, other.end_s) + 0.1, 0.01)
    for seconds in times:
        a, b = one.at(float(seconds)), other.at(float(seconds))
        if a is not None and b is not None and _apart(a, b) < _APART_MM:
            return False
    return True


def _throwing_hand(filmed: FilmedDie, random: np.random.Generator) -> tuple[HandOverTable, float, float]:
    """It lets the die go from its fingers and draws back at once, or after a moment."""
    if filmed.throw is None:
        raise ValueError("only a thrown die leaves a hand")
    first, later = filmed.throw.at(0.0), filmed.throw.at(0.03)
    way = math.atan2(later.y_mm - first.y_mm, later.x_mm - first.x_mm)
    tip_x, tip_y = first.x_mm - 4.0 * math.cos(way), first.y_mm - 4.0 * math.sin(way)
    skin = HARD_SKINS[int(random.integers(len(HARD_SKINS)))]
    leaves = filmed.start_s + (0.0 if random.random() < 0.7 else float(random.uniform(0.05, 0.4)))
    return HandOverTable(tip_x, tip_y, _from_deg(way), skin), filmed.start_s - 0.03, leaves


def _resting_hand(filmed: list[FilmedDie], random: np.random.Generator) -> tuple[HandOverTable, float, float]:
    """Another player's hand, come in at the edge and away from the dice."""
    left = sum(f.throw.poses[:, 0].mean() for f in filmed if f.throw is not None) / len(filmed) > TABLE_MM[0] / 2
    x = 40.0 if left else TABLE_MM[0] - 40.0
    skin = HARD_SKINS[int(random.integers(len(HARD_SKINS)))]
    hand = HandOverTable(x, float(random.uniform(110, 140)), 270.0 if left else 90.0, skin)
    return hand, EMPTY_S + 0.2, EMPTY_S + float(random.uniform(0.5, 1.5))


def _from_deg(way_rad: float) -> float:
    """Where the body sits of a hand that points this way, degrees clockwise from up."""
    return math.degrees(math.atan2(-math.cos(way_rad), math.sin(way_rad)))


def _reaching(hand: HandOverTable, there_s: float, leaves_s: float, seconds: float) -> HandOverTable | None:
    """The hand on its way in or out, None while it is away."""
    late = max(there_s - seconds, seconds - leaves_s, 0.0)
    back = _HAND_SPEED * late
    if back > 420:
        return None
    turn = math.radians(hand.from_deg)
    return replace(hand, tip_x_mm=hand.tip_x_mm + back * math.sin(turn), tip_y_mm=hand.tip_y_mm - back * math.cos(turn))


def _apart(one: Instant, other: Instant) -> float:
    return math.dist((one.x_mm, one.y_mm, one.height_mm), (other.x_mm, other.y_mm, other.height_mm))


def _rests(one: Instant, other: Instant) -> bool:
    turned = abs(sum(a * b for a, b in zip(one.turn, other.turn, strict=True)))
    return _apart(one, other) < 0.05 and turned > 1 - 1e-6
