"""Films of two players' hands over the Arena with their truth: one strikes at the other, both do, neither does, one is raised.

Every film follows from its seed and number alone. The truth is reckoned from where the hands are in the scene, never from a
picture: their fingers' and palms' outlines, when these come within reach of each other, and how far each came in the last
150 ms before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

from companion.virtual.dice_stills import HARD_SKINS, TABLE_MM, arena_camera, arena_die, arena_look, arena_loop
from hardware.camera.base import Image
from hardware.virtual.dice import DieOnTable, lying_at
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import TableLook
from hardware.virtual.loop import LoopOnTable
from hardware.virtual.render import Renderer
from hardware.virtual.scene import HandOverTable, Scene
from hardware.virtual.sprites import hand_outline
from hardware.virtual.symbols import SYMBOLS

FPS = 120
SIZE_PX = (640, 360)
WINDOW_S = 0.15
EMPTY_S = 0.1
COME_S = 0.5
"""By then both hands lie waiting over the table."""
STRIKE_S = 0.75
"""From then on they strike."""
CLEAR_MM = 30.0
"""A hand that came so far in the window closed in ..."""
KEPT_MM = 5.0
"""... and one that came less did not; between the two either may be said."""
_SLEEVES = ((92, 70, 60), (40, 40, 46), (200, 205, 208), (60, 60, 160), (120, 80, 30), (70, 120, 90))
_HAND_PARTS = 7
"""Outlines of `hand_outline` that are fingers and palm."""


class Play(StrEnum):
    """What the hands do."""

    ONE = "one"
    BOTH = "both"
    NEITHER = "neither"
    """They lie there, or move past each other."""
    CHASED = "chased"
    """The one strikes, the other draws back and is caught all the same."""
    DRIFT = "drift"
    """The one strikes, the other moves a little toward it or aside."""
    RAISED = "raised"
    """The one is lifted off the table in defence."""


@dataclass(frozen=True, slots=True, eq=False)
class FilmedHand:
    """A hand and its way."""

    seat: str
    skin: tuple[int, int, int]
    sleeve: tuple[int, int, int]
    from_deg: float
    knots: tuple[tuple[float, float, float, float], ...]
    """Second, x and y of the middle finger's tip, height in mm; smooth in between."""

    def at(self, seconds: float) -> HandOverTable:
        """Where it is."""
        x, y, height = self.place(seconds)
        return HandOverTable(x, y, self.from_deg, self.skin, height, self.sleeve)

    def place(self, seconds: float) -> tuple[float, float, float]:
        """x, y and height of its tip, mm."""
        before = self.knots[0]
        for knot in self.knots[1:]:
            if seconds < knot[0]:
                share = min(max((seconds - before[0]) / max(knot[0] - before[0], 1e-6), 0.0), 1.0)
                eased = share**3 * (10 - 15 * share + 6 * share**2)
                x, y, z = (a + eased * (b - a) for a, b in zip(before[1:], knot[1:], strict=True))
                return x, y, z
            before = knot
        return before[1], before[2], before[3]

    def outlines(self, seconds: float) -> list[np.ndarray]:
        """Fingers and palm as they are over the table, mm."""
        x, y, _ = self.place(seconds)
        return hand_outline(x, y, self.from_deg)[:_HAND_PARTS]


@dataclass(frozen=True, slots=True, eq=False)
class HandFilm:
    """A film of two hands. `pictures` draws it."""

    name: str
    play: Play
    look: TableLook
    camera: VirtualCameraModel
    loop: LoopOnTable
    hands: tuple[FilmedHand, FilmedHand]
    dice: tuple[DieOnTable, ...]
    end_s: float
    touch_s: float | None
    """When the hands first touch or pass over each other; None if they never do."""
    fps: int = FPS

    def scene(self, seconds: float) -> Scene:
        """The Arena at a moment."""
        hands = tuple(hand.at(seconds) for hand in self.hands)
        return Scene(table_mm=TABLE_MM, loops=(self.loop,), dice=self.dice, hands=hands)

    def pictures(self) -> Iterator[tuple[Image, int]]:
        """Each picture and its time in ns, to the touch and a little beyond."""
        renderer = Renderer({}, self.look, self.camera)
        for n in range(math.ceil(self.end_s * self.fps)):
            yield renderer.render(self.scene(n / self.fps), n), round(n * 1e9 / self.fps)

    def empty(self, noise_seed: int = 80_000) -> Image:
        """The Arena without hands and dice."""
        return Renderer({}, self.look, self.camera).render(Scene(table_mm=TABLE_MM, loops=(self.loop,)), noise_seed)

    def velocity(self, n: int, seconds: float) -> tuple[float, float]:
        """Of a hand, mm a second."""
        (x0, y0, _), (x1, y1, _) = (self.hands[n].place(seconds + late) for late in (-0.002, 0.002))
        return (x1 - x0) / 0.004, (y1 - y0) / 0.004

    def came(self) -> tuple[float, float] | None:
        """How far each hand came toward the other in the window before the touch; None without a touch."""
        if self.touch_s is None:
            return None
        times = np.linspace(self.touch_s - WINDOW_S, self.touch_s, 40)
        ways = [np.array([hand.place(float(t))[:2] for t in times]) for hand in self.hands]
        middles = [np.concatenate(hand.outlines(self.touch_s)).mean(axis=0) for hand in self.hands]
        toward = (middles[1] - middles[0]) / np.linalg.norm(middles[1] - middles[0])
        one, other = (sign * (way @ toward) for way, sign in zip(ways, (1.0, -1.0), strict=True))
        return float(one[-1] - one.min()), float(other[-1] - other.min())


def hand_film(seed: int, number: int, fps: int = FPS) -> HandFilm:
    """Two hands, each play in turn."""
    random = np.random.default_rng((seed, number, 103))
    play = list(Play)[number % len(Play)]
    look = arena_look(random, film=True)
    camera, loop = arena_camera(random, SIZE_PX), arena_loop(random, look)
    turn = float(random.choice([0.0, 0.0, 180.0]))
    sides = (90.0, 270.0) if random.random() < 0.6 else (0.0, 180.0)
    hands = _hands(random, play, sides if turn == 0 else sides[::-1])
    touch = _touch_s(hands)
    end = 1.5 if touch is None else touch + 0.1
    die = arena_die(random, look, list(SYMBOLS[:3]), ())
    at = lying_at(
        die.sides, die.size_mm, 1, float(random.uniform(180, 240)), float(random.uniform(70, 90)), 0.7, die.tip
    )
    dice = (replace(die, at=at),) if random.random() < 0.5 else ()
    return HandFilm(f"{play}-{number:04d}", play, look, camera, loop, hands, dice, end, touch, fps)


def _hands(random: np.random.Generator, play: Play, sides: tuple[float, float]) -> tuple[FilmedHand, FilmedHand]:
    """The striker first. Each waits on its own side of the table."""
    waits, froms = [], []
    middle = (TABLE_MM[0] / 2 + float(random.uniform(-25, 25)), TABLE_MM[1] / 2 + float(random.uniform(-20, 20)))
    for side in sides:
        from_deg = side + float(random.uniform(-20, 20))
        back = float(random.uniform(55, 95)) if side in {90.0, 270.0} else float(random.uniform(25, 50))
        waits.append(_along(middle, side, back))
        froms.append(from_deg)
    speed = float(random.uniform(500, 2200))
    knots = [
        [(0.0, *_along(wait, side, 420.0), 28.0), (COME_S, *wait, 28.0)]
        for wait, side in zip(waits, sides, strict=True)
    ]
    gap = math.dist(*waits)
    strike = gap / speed
    shift = float(random.uniform(-18, 18))
    across = (math.cos(math.radians(sides[0])) * shift, math.sin(math.radians(sides[0])) * shift)
    for hand in knots:
        hand.append((STRIKE_S, *hand[1][1:]))
    target = [waits[1][0] + across[0], waits[1][1] + across[1]]
    over = _along((target[0], target[1]), sides[1], 60.0)
    match play:
        case Play.ONE | Play.DRIFT | Play.CHASED:
            knots[0].append((STRIKE_S + strike * 1.6, *over, 30.0))
        case Play.BOTH:
            knots[0].append((STRIKE_S + strike * 1.6, *over, 30.0))
            late = float(random.uniform(-0.03, 0.03))
            knots[1].append((STRIKE_S + late + strike * 1.6, *_along(waits[0], sides[0], 60.0), 24.0))
        case Play.NEITHER:
            aside = float(random.uniform(-25, 25))
            knots[0].append(
                (STRIKE_S + 0.4, waits[0][0], waits[0][1] + aside if sides[0] in {90.0, 270.0} else waits[0][1], 28.0)
            )
        case Play.RAISED:
            knots[0].append((STRIKE_S + 0.2, *waits[0], float(random.uniform(120, 180))))
    if play is Play.DRIFT:
        way = float(random.uniform(0, 2 * math.pi))
        far = float(random.uniform(6, 22))
        knots[1].append((STRIKE_S + 0.25, waits[1][0] + far * math.cos(way), waits[1][1] + far * math.sin(way), 28.0))
    if play is Play.CHASED:
        knots[1].append((STRIKE_S + 0.5, *_along(waits[1], sides[1], 40.0), 28.0))
    skins = [HARD_SKINS[int(n)] for n in random.integers(len(HARD_SKINS), size=2)]
    sleeves = [_SLEEVES[int(n)] for n in random.integers(len(_SLEEVES), size=2)]
    one, other = (
        FilmedHand(name, skin, sleeve, from_deg, tuple(way))
        for name, skin, sleeve, from_deg, way in zip("AB", skins, sleeves, froms, knots, strict=True)
    )
    return one, other


def _along(place: tuple[float, float], from_deg: float, far: float) -> tuple[float, float]:
    """So far from a place toward where a body sits."""
    turn = math.radians(from_deg)
    return place[0] + far * math.sin(turn), place[1] - far * math.cos(turn)


def _touch_s(hands: tuple[FilmedHand, FilmedHand]) -> float | None:
    """When fingers and palms first meet as seen from above."""
    for n in range(round(STRIKE_S * 1000), 1600, 2):
        if _meet(*(hand.outlines(n / 1000) for hand in hands)):
            return n / 1000
    return None


def _meet(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    for first in one:
        for second in other:
            area, _ = cv2.intersectConvexConvex(first.astype(np.float32), second.astype(np.float32))
            if area > 0:
                return True
    return False
