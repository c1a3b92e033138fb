"""Rolls at the virtual table for duels: of the throws that were reckoned once, one that comes down where and when a script says.

A throw is put down turned and mirrored by chance; the die in the hand is turned so that the face that the script says lies on top
in the end. Each keeps clear of the string at rest, of cards and Stones, and of the other dice in the air and at rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.zones import Zone
from companion.rules.hoshi_battle.facts import Face
from companion.virtual.battle_stage import OWN_HALF_MM, TABLE_MM, BattleStage, Chair, faces_with
from companion.virtual.throws import Throw, throws
from hardware.virtual.dice import DieOnTable, Instant, die_solid, lying_at, matrix_of, symbol_of, top_face
from hardware.virtual.loop import LoopOnTable, depth_mm

Floats = NDArray[np.float64]
MS = 1000
LAND_CLEAR_MM = 6.0
"""From the string, of the point that a die touches first."""
REST_CLEAR_MM = 15.0
"""From the string, of the middle of a die at rest: it leans on nothing."""
AHEAD_MM = 20.0
"""A die comes to rest at most so far ahead of where the hand lets it go: a hand that goes after its die is not to look as if it
struck at the other."""
_FAR_OUT_MM = 40.0
"""A roll outside the Arena comes down at most so far from the string."""
_EDGE_MM = 16.0
_CORNER_MM = 62.0
"""A marker with its paper, and a die beside it."""
_APART_MM = 30.0
_LIE_CLEAR_MM = 14.0
"""Of a die at rest, from cards and Stones."""
_TRIES, _AT_ONCE = 60, 300
DOWN_S = 0.02
"""A die that is snatched has been down on the table for so long at least."""
_PUSH_MM = ((18.0, 34.0), (6.0, 18.0))
"""How far a die is pushed; less far where there is no room."""
_PUSH_TRIES = 40


@dataclass(frozen=True, slots=True)
class Push:
    """A die that lies there slides, with the same face on top."""

    act: int
    from_us: int
    to_us: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """A roll as a script has it."""

    act: int
    """0-based place of its fact in the script."""
    seat: str
    chair: Chair
    die: int
    sides: int
    face: Face
    inside: bool
    """Whether it first touches the table inside the string."""
    earliest_us: int
    """It leaves the hand no earlier."""
    settled_us: int
    lifted_us: int
    """When it is taken up again: before it has come to rest, where a hand snatches it."""
    pushes: tuple[Push, ...] = ()

    @property
    def is_snatched(self) -> bool:
        """Whether it never came to rest: `settled_us` is when it would have."""
        return self.lifted_us < self.settled_us


@dataclass(frozen=True, slots=True, eq=False)
class Roll:
    """A die from the hand to its rest, or laid down without a roll. Its fields are the truth."""

    wanted: Wanted
    die: DieOnTable
    """Its `at` is of no account."""
    throw: Throw | None
    """None for a die that was laid down."""
    rest: Instant
    """Where it comes to rest first."""
    pushed_mm: tuple[tuple[float, float], ...] = ()
    """How far each push moves it; empty while that is looked for."""

    @property
    def released_us(self) -> int:
        """When it leaves the hand."""
        return self.wanted.settled_us if self.throw is None else self.wanted.settled_us - _us(self.throw.settle_s)

    @property
    def touched_us(self) -> int | None:
        """When it first touches the table; None where it was laid down."""
        return None if self.throw is None else self.released_us + _us(self.throw.touch_s)

    def at(self, t_us: int) -> Instant | None:
        """Where the die is; None while it is in a hand."""
        if not self.released_us <= t_us < self.wanted.lifted_us:
            return None
        here = self.rest if self.throw is None else self.throw.at((t_us - self.released_us) / 1e6)
        return self._slid(here, t_us)

    @property
    def last(self) -> Instant:
        """Where it is when it is taken up."""
        here = self.at(self.wanted.lifted_us - 1)
        return self._slid(self.rest, self.wanted.lifted_us) if here is None else here

    def _slid(self, here: Instant, t_us: int) -> Instant:
        for push, (dx, dy) in zip(self.wanted.pushes, self.pushed_mm, strict=False):
            share = _smooth((t_us - push.from_us) / (push.to_us - push.from_us))
            here = replace(here, x_mm=here.x_mm + dx * share, y_mm=here.y_mm + dy * share)
        return here

    @property
    def symbol(self) -> str:
        """What lies on top at rest."""
        lying = replace(self.die, at=self.rest)
        return symbol_of(lying, top_face(lying))


class RollPlanner:
    """Finds a throw for each roll, one after the other by the time of their rest."""

    def __init__(self, stage: BattleStage) -> None:
        self._stage = stage
        self._depth = _depths(stage.loop)
        self._taken = [zone for chair in stage.chairs for zone in (chair.hero, chair.duel, chair.stones)]
        self.rolls: list[Roll] = []

    def roll(self, wanted: Wanted) -> Roll:
        """A throw. Raises ValueError where none fits: less time than any throw takes, or no room."""
        random = np.random.default_rng((self._stage.settings.seed, len(self.rolls), 109))
        room_s = (wanted.settled_us - wanted.earliest_us) / 1e6
        cut_s = max(0, wanted.settled_us - wanted.lifted_us) / 1e6
        kinds = [
            throw
            for throw in throws()
            if throw.sides == wanted.sides
            and throw.settle_s <= room_s
            and throw.settle_s - throw.touch_s > cut_s + DOWN_S * wanted.is_snatched
        ]
        if not kinds:
            raise ValueError(f"no throw of {wanted.sides} sides is over within {room_s:.3f} s")
        tracks = np.array([_track(throw) for throw in kinds])
        for _ in range(_TRIES):
            for throw, turn, mirrored, touch in self._candidates(wanted, kinds, tracks, random):
                found = self._put(wanted, throw.put(touch, turn, mirrored), random)
                found = None if found is None else self._pushed(found, random)
                if found is not None:
                    self.rolls.append(found)
                    return found
        raise ValueError(f"roll {wanted.act} of {wanted.seat}: no room for it on the table")

    def lay(self, wanted: Wanted, x_mm: float, y_mm: float) -> Roll:
        """A die laid down at a place without a roll. Raises ValueError where there is no room for it to be pushed afterwards."""
        random = np.random.default_rng((self._stage.settings.seed, len(self.rolls), 113))
        face = int(random.choice(faces_with(wanted.face, wanted.sides)))
        die = self._stage.die(wanted.chair, wanted.sides)
        rest = lying_at(die.sides, die.size_mm, face, x_mm, y_mm, float(random.uniform(0, 2 * math.pi)), die.tip)
        roll = self._pushed(Roll(wanted, die, None, rest), random)
        if roll is None:
            raise ValueError(f"act {wanted.act} of {wanted.seat}: no room to push the die that was put back")
        self.rolls.append(roll)
        return roll

    def _candidates(
        self, wanted: Wanted, kinds: Sequence[Throw], tracks: Floats, random: np.random.Generator
    ) -> list[tuple[Throw, float, bool, tuple[float, float]]]:
        """Some ways that look as if they fit: throw, turn, whether mirrored, where the middle is at the first touch."""
        which = random.integers(len(kinds), size=_AT_ONCE)
        turns, mirrored = random.uniform(0, 2 * math.pi, _AT_ONCE), random.random(_AT_ONCE) < 0.5
        contact, rest, start = (_turned(tracks[which, n], turns, mirrored) for n in range(3))
        from_edge = (90.0, 215.0) if wanted.inside else (60.0, OWN_HALF_MM + 40)
        landing = np.column_stack(
            [random.uniform(*from_edge, _AT_ONCE), random.uniform(12.0, TABLE_MM[1] - 12.0, _AT_ONCE)]
        )
        if not wanted.chair.is_left:
            landing[:, 0] = TABLE_MM[0] - landing[:, 0]
        middle = landing - contact
        rest, start = middle + rest, middle + start
        ahead = (rest[:, 0] - start[:, 0]) * (1 if wanted.chair.is_left else -1)
        good = self._lands(landing, inside=wanted.inside) & self._lies(rest, wanted.chair)
        good &= _leaves(start, wanted.chair) & (ahead < AHEAD_MM)
        return [
            (kinds[which[n]], float(turns[n]), bool(mirrored[n]), (float(middle[n, 0]), float(middle[n, 1])))
            for n in np.flatnonzero(good)[:12]
        ]

    def _lands(self, at: Floats, *, inside: bool) -> NDArray[np.bool_]:
        depth = self._deep(at)
        if inside:
            return np.asarray(depth > LAND_CLEAR_MM)
        return np.asarray((depth < -LAND_CLEAR_MM) & (depth > -_FAR_OUT_MM)) & _on_table(at) & self._free(at, 4.0)

    def _lies(self, at: Floats, chair: Chair) -> NDArray[np.bool_]:
        own = (at[:, 0] if chair.is_left else TABLE_MM[0] - at[:, 0]) <= OWN_HALF_MM
        return own & _on_table(at) & self._free(at, _LIE_CLEAR_MM) & (np.abs(self._deep(at)) > REST_CLEAR_MM)

    def _free(self, at: Floats, clear_mm: float) -> NDArray[np.bool_]:
        free = np.ones(len(at), np.bool_)
        for zone in self._taken:
            free &= ~_within(at, zone, clear_mm)
        return free

    def _deep(self, at: Floats) -> Floats:
        x = np.clip(np.rint(at[:, 0]).astype(int), 0, self._depth.shape[1] - 1)
        y = np.clip(np.rint(at[:, 1]).astype(int), 0, self._depth.shape[0] - 1)
        return np.asarray(self._depth[y, x], np.float64)

    def _put(self, wanted: Wanted, throw: Throw, random: np.random.Generator) -> Roll | None:
        """The throw with the right face on top in the end; None where it doesn't fit after all."""
        rest = throw.at(throw.settle_s + 99.0)
        loop = self._stage.loop
        deep = depth_mm(loop, *throw.contact_mm)
        if (deep if wanted.inside else -deep) < LAND_CLEAR_MM - 1.0:
            return None
        if abs(depth_mm(loop, rest.x_mm, rest.y_mm)) < REST_CLEAR_MM - 1.0:
            return None
        way = throw.poses[:, :2]
        if (way < 8.0).any() or (way > np.array(TABLE_MM) - 8.0).any():
            return None
        die = self._stage.die(wanted.chair, wanted.sides)
        face = int(random.choice(faces_with(wanted.face, wanted.sides)))
        throw = with_face(throw, face)
        roll = Roll(wanted, die, throw, throw.at(throw.settle_s + 99.0))
        return roll if self._keeps_apart(roll) and self._is_one_hand(roll) else None

    def _pushed(self, roll: Roll, random: np.random.Generator) -> Roll | None:
        """The roll with its pushes, each to a place where a die may lie; None where there is no room for them."""
        pushed: list[tuple[float, float]] = []
        at = np.array([roll.rest.x_mm, roll.rest.y_mm])
        for _ in roll.wanted.pushes:
            ways = np.concatenate([_ways(random, *reach) for reach in _PUSH_MM])
            ends = at + ways
            steps = [self._lies(at + ways * share, roll.wanted.chair) for share in (0.5, 1.0)]
            good = np.flatnonzero(np.logical_and(*steps))
            if not len(good):
                return None
            way = ways[good[0]]
            at = ends[good[0]]
            pushed.append((round(float(way[0]), 2), round(float(way[1]), 2)))
        found = replace(roll, pushed_mm=tuple(pushed))
        return found if not pushed or self._slides_apart(found) else None

    def _slides_apart(self, roll: Roll) -> bool:
        """Whether no die that has been rolled so far is in the way of the pushes."""
        for push in roll.wanted.pushes:
            for t_us in range(push.from_us, push.to_us + 20 * MS, 20 * MS):
                here = roll.at(t_us)
                theirs = [there for other in self.rolls[-12:] if (there := other.at(t_us)) is not None]
                if here is not None and any(_apart(here, there) < _APART_MM for there in theirs):
                    return False
        return True

    def _is_one_hand(self, roll: Roll) -> bool:
        """Whether the hand that throws two dice can be at both."""
        for other in self.rolls[-2:]:
            if other.throw is None or roll.throw is None or other.wanted.seat != roll.wanted.seat:
                continue
            late_us = abs(other.released_us - roll.released_us)
            if late_us < 200 * MS and _apart(other.throw.at(0.0), roll.throw.at(0.0)) > 40.0 + late_us / 1000:
                return False
        return True

    def _keeps_apart(self, roll: Roll) -> bool:
        others = [other for other in self.rolls[-12:] if other.wanted.lifted_us > roll.released_us]
        for t_us in range(roll.released_us, roll.wanted.settled_us + 12 * MS, 12 * MS):
            here = roll.at(min(t_us, roll.wanted.settled_us))
            for other in others:
                there = other.at(t_us)
                if here is not None and there is not None and _apart(here, there) < _APART_MM:
                    return False
        return all(self._lets_slide(roll, other) for other in others)

    def _lets_slide(self, roll: Roll, other: Roll) -> bool:
        """Whether a die lies out of the way of another one's pushes."""
        for push in other.wanted.pushes:
            for t_us in range(max(push.from_us, roll.wanted.settled_us), push.to_us + 20 * MS, 20 * MS):
                here, there = roll.at(t_us), other.at(t_us)
                if here is not None and there is not None and _apart(here, there) < _APART_MM:
                    return False
        return True


def with_face(throw: Throw, face: int) -> Throw:
    """The same motion of a die that was taken into the hand another way round: in the end this face lies on top."""
    solid = die_solid(throw.sides)
    rest = matrix_of(throw.at(throw.settle_s + 99.0).turn)
    top = int(np.argmax(solid.normals @ rest[2]))
    turn = _frame(throw.sides, top) @ _frame(throw.sides, face).T
    poses = throw.poses.copy()
    poses[:, 3:] = _times(poses[:, 3:], _quaternion(turn))
    return replace(throw, poses=poses)


@cache
def _frame(sides: int, face: int) -> Floats:
    """3 x 3: axes of a face, from which each face of a solid looks the same."""
    solid = die_solid(sides)
    normal = solid.normals[face]
    corner = solid.vertices[solid.faces[face][0]]
    along = corner - normal * float(normal @ corner)
    along = along / np.linalg.norm(along)
    return np.asarray(np.stack([along, np.cross(normal, along), normal], axis=1), np.float64)


def _quaternion(turn: Floats) -> tuple[float, float, float, float]:
    """Of a rotation matrix."""
    vector = cv2.Rodrigues(turn)[0].ravel()
    angle = float(np.linalg.norm(vector))
    if angle < 1e-9:
        return 1.0, 0.0, 0.0, 0.0
    x, y, z = (float(part) * math.sin(angle / 2) / angle for part in vector)
    return math.cos(angle / 2), x, y, z


def _times(first: Floats, second: tuple[float, float, float, float]) -> Floats:
    """N turns, each after the second one; see hardware.virtual.dice.product."""
    a, b, c, d = first.T
    e, f, g, h = second
    turned = (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )
    return np.stack(turned, axis=1)


def _track(throw: Throw) -> Floats:
    """3 x 2: contact, rest and release of a throw, as seen from where the middle is at the first touch."""
    middle = np.array(throw.touch_mm)
    places = np.stack([np.array(throw.contact_mm), throw.poses[-1, :2], throw.poses[0, :2]])
    return np.asarray(places - middle, np.float64)


def _turned(at: Floats, turns: Floats, mirrored: NDArray[np.bool_]) -> Floats:
    """Places of throws that are mirrored and then turned."""
    x, y = at[:, 0], np.where(mirrored, -at[:, 1], at[:, 1])
    cos, sin = np.cos(turns), np.sin(turns)
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=1)


def _leaves(at: Floats, chair: Chair) -> NDArray[np.bool_]:
    """Where a player's hand may let a die go."""
    ahead = at[:, 0] if chair.is_left else TABLE_MM[0] - at[:, 0]
    return np.asarray((ahead > 70) & (ahead < OWN_HALF_MM) & (at[:, 1] > 45) & (at[:, 1] < TABLE_MM[1] - 45))


def _on_table(at: Floats) -> NDArray[np.bool_]:
    inside = (at > _EDGE_MM).all(axis=1) & (at < np.array(TABLE_MM) - _EDGE_MM).all(axis=1)
    at_corner = ((at < _CORNER_MM) | (at > np.array(TABLE_MM) - _CORNER_MM)).all(axis=1)
    return np.asarray(inside & ~at_corner)


def _within(at: Floats, zone: Zone, clear_mm: float) -> NDArray[np.bool_]:
    low = np.array([zone.x_mm, zone.y_mm]) - clear_mm
    high = np.array([zone.x_mm + zone.width_mm, zone.y_mm + zone.height_mm]) + clear_mm
    return np.asarray((at > low).all(axis=1) & (at < high).all(axis=1))


def _depths(loop: LoopOnTable) -> NDArray[np.float32]:
    """How deep each whole millimetre of the table lies inside the string; negative outside. True to a millimetre or so."""
    inside = np.zeros((int(TABLE_MM[1]) + 1, int(TABLE_MM[0]) + 1), np.uint8)
    cv2.fillPoly(inside, [np.rint(np.asarray(loop.polygon_mm)).astype(np.int32).reshape(-1, 1, 2)], 1)
    within = cv2.distanceTransform(inside, cv2.DIST_L2, 5)
    beyond = cv2.distanceTransform(1 - inside, cv2.DIST_L2, 5)
    return np.asarray(within - beyond, np.float32)


def _apart(one: Instant, other: Instant) -> float:
    return math.dist((one.x_mm, one.y_mm, one.height_mm), (other.x_mm, other.y_mm, other.height_mm))


def _ways(random: np.random.Generator, least_mm: float, most_mm: float) -> Floats:
    """Ways to push a die, N x 2 mm."""
    turn = random.uniform(0, 2 * math.pi, _PUSH_TRIES)
    far = random.uniform(least_mm, most_mm, _PUSH_TRIES)
    return np.stack([far * np.cos(turn), far * np.sin(turn)], axis=1)


def _smooth(share: float) -> float:
    """From 0 to 1, slow at both ends."""
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def _us(seconds: float) -> int:
    return round(seconds * 1e6)
