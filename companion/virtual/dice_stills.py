"""Arenas by chance, for measuring how well dice are read: other colours, symbols, strings, grounds and light each time.

Every picture follows from the seed and its number alone. `arena_look`, `arena_camera` and `arena_loop` serve moving pictures too.
"""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import cv2
import numpy as np

from companion.virtual.card_tables import GROUND_BGRS
from companion.virtual.stage import SKINS
from hardware.camera.base import Image
from hardware.virtual.dice import BLANK, DieOnTable, Instant, lying_at, lying_turn, product
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Bgr, Ground, Lamp, Light, Photo, TableLook
from hardware.virtual.loop import LoopOnTable, depth_mm
from hardware.virtual.render import Renderer
from hardware.virtual.scene import HandOverTable, Scene
from hardware.virtual.symbols import SYMBOLS

Random = np.random.Generator

TABLE_MM = (420.0, 250.0)
SIZE_PX = (1920, 1080)
HARD_SKINS: tuple[Bgr, ...] = (*SKINS, (40, 52, 80), (60, 60, 60), (210, 215, 220), (150, 70, 40), (60, 160, 60))
"""Skins, gloves and sleeves."""
_MOSTLY_INSIDE = 0.6


class Oddity(StrEnum):
    """What an Arena may show that is no plain throw."""

    EMPTY = "empty"
    NO_LOOP = "no-loop"
    TWO_LOOPS = "two-loops"
    THIRD_DIE = "third-die"
    ON_STRING = "on-string"
    LEANING = "leaning"
    """A die leans on a hand's finger."""


@dataclass(frozen=True, slots=True)
class DiceStill:
    """One picture of an Arena and its truth."""

    name: str
    scene: Scene
    look: TableLook
    camera: VirtualCameraModel
    marks: tuple[tuple[str, str, str], ...]
    """The three symbols of each die."""
    hand_hides: bool = False

    def picture(self) -> Image:
        """The picture, 1920 x 1080 unless the camera says otherwise."""
        return self._renderer().render(self.scene)

    def truth(self) -> dict[str, Any]:
        """See hardware.virtual.truth: `dice`, `loop_mm`, `hands`."""
        return self._renderer().truth(self.scene)

    def _renderer(self) -> Renderer:
        return Renderer({}, self.look, self.camera)


def dice_still(seed: int, number: int, symbols: Sequence[str] = SYMBOLS, numbered: bool = False) -> DiceStill:
    """An Arena with one to three dice, mostly two; every third with a hand, which may hide a die.

    `numbered`: dice with 1 to 3 for symbols.
    """
    random = np.random.default_rng((seed, number, 83))
    look = arena_look(random)
    camera = arena_camera(random, SIZE_PX)
    loop = arena_loop(random, look)
    count = int(random.choice([1, 2, 2, 2, 3]))
    hands = _hands(random) if random.random() < 0.33 else ()
    dice: list[DieOnTable] = []
    marks: list[tuple[str, str, str]] = []
    for _ in range(count):
        picked = _marks(symbols, numbered, random)
        die = arena_die(random, look, picked, [other.bgr for other in dice])
        place = _free_place(random, dice, loop)
        face = int(random.integers(die.sides))
        # Half of the faces on top carry a symbol: blank ones alone would measure little.
        if random.random() < 0.4:
            face = int(random.choice([n for n, mark in enumerate(die.faces) if mark != BLANK]))
        at = lying_at(die.sides, die.size_mm, face, *place, float(random.uniform(0, 2 * math.pi)), die.tip)
        dice.append(replace(die, at=at))
        marks.append(picked)
    scene = Scene(table_mm=TABLE_MM, loops=(loop,), dice=tuple(dice), hands=hands)
    return DiceStill(f"dice-{number:04d}", scene, look, camera, tuple(marks), bool(hands))


def odd_still(oddity: Oddity, seed: int, number: int) -> DiceStill:
    """An Arena in a state that no roll can be read from as it stands."""
    random = np.random.default_rng((seed, number, 89, list(Oddity).index(oddity)))
    still = dice_still(seed, 100_000 + number)
    while len(still.scene.dice) != 2:
        number += 1000
        still = dice_still(seed, 100_000 + number)
    scene = replace(still.scene, hands=())
    match oddity:
        case Oddity.EMPTY:
            scene = replace(scene, dice=())
        case Oddity.NO_LOOP:
            scene = replace(scene, loops=())
        case Oddity.TWO_LOOPS:
            small = _ring((330.0, 125.0), 42.0, random)
            big = _ring((150.0, 125.0), 70.0, random)
            scene = replace(scene, loops=tuple(replace(scene.loops[0], polygon_mm=ring) for ring in (big, small)))
        case Oddity.THIRD_DIE:
            third = arena_die(random, still.look, still.marks[0], [die.bgr for die in scene.dice])
            place = _free_place(random, scene.dice, scene.loops[0])
            at = lying_at(third.sides, third.size_mm, 0, *place, float(random.uniform(0, 6)), third.tip)
            scene = replace(scene, dice=(*scene.dice, replace(third, at=at)))
        case Oddity.ON_STRING:
            x, y = scene.loops[0].polygon_mm[int(random.integers(len(scene.loops[0].polygon_mm)))]
            die = scene.dice[0]
            tilt = _tilted(die.at.turn, 9.0, random)
            scene = replace(scene, dice=(replace(die, at=Instant(x, y, die.size_mm / 2 + 1.5, tilt)),))
        case Oddity.LEANING:
            die = replace(scene.dice[0], at=Instant(210.0, 118.0, scene.dice[0].size_mm / 2 + 3.0))
            turn = lying_turn(die.sides, int(random.integers(die.sides)), float(random.uniform(0, 6)), die.tip)
            die = replace(die, at=replace(die.at, turn=_tilted(turn, 26.0, random)))
            hand = HandOverTable(
                float(random.uniform(206, 214)), 128.0, 180.0, skin=HARD_SKINS[number % len(HARD_SKINS)]
            )
            scene = replace(scene, dice=(die,), hands=(hand,))
    return replace(still, name=f"{oddity}-{number:04d}", scene=scene, hand_hides=bool(scene.hands))


def arena_look(random: Random, film: bool = False) -> TableLook:
    """A table top and its light; half of the single pictures in linear light. `film`: what can be drawn quickly."""
    ground = list(Ground)[int(random.integers(len(Ground)))]
    colours = GROUND_BGRS[ground]
    photo = None
    if not film and random.random() < 0.5:
        lamp = Lamp(float(random.uniform(-600, 1000)), float(random.uniform(-700, 100)), 1600.0)
        photo = Photo(
            lux=float(np.exp(random.uniform(math.log(110), math.log(900)))),
            kelvin=float(random.uniform(3000, 6500)),
            balanced=float(random.uniform(0.6, 1.0)),
            exposure_ev=float(random.uniform(-0.5, 0.15)),
            lamps=(lamp,),
            lamp_share=float(random.uniform(0.1, 0.5)),
            defocus_px=float(random.uniform(0, 1.0)),
        )
    return TableLook(
        ground=ground,
        ground_bgr=colours[int(random.integers(len(colours)))],
        light=list(Light)[int(random.integers(len(Light)))],
        exposure=float(random.uniform(0.75, 1.0)),
        noise=float(random.uniform(1.2, 4.0)),
        blur_px=float(random.uniform(0.4, 0.8)),
        jpeg_quality=None if film else int(random.integers(80, 97)),
        shadow=float(random.uniform(0.3, 0.55)),
        seed=int(random.integers(1 << 30)),
        photo=photo,
    )


def arena_camera(random: Random, size_px: tuple[int, int]) -> VirtualCameraModel:
    """A camera over the Arena, up to eight degrees off the plumb line."""
    return VirtualCameraModel(
        size=size_px,
        table_mm=TABLE_MM,
        height_mm=float(random.uniform(520, 800)),
        tilt_deg=float(random.uniform(0, 8)),
        tilt_toward_deg=float(random.uniform(0, 360)),
        roll_deg=float(random.uniform(-3, 3)),
    )


def arena_loop(random: Random, look: TableLook) -> LoopOnTable:
    """A string laid by hand, in a colour that can be told from the ground."""
    middle = (float(random.uniform(190, 230)), float(random.uniform(117, 133)))
    return LoopOnTable(
        _ring(middle, float(random.uniform(72, 88)), random),
        width_mm=float(random.uniform(1.8, 3.6)),
        bgr=_colour(random, [look.ground_bgr or (128, 128, 128)], 75.0),
        ply_mm=float(random.choice([0.0, 0.0, random.uniform(2.0, 4.0)])),
    )


def arena_die(random: Random, look: TableLook, marks: Sequence[str], taken: Sequence[Bgr]) -> DieOnTable:
    """A die of 8 or 10 sides with three symbols, in a colour that can be told from the ground and from other dice."""
    sides = int(random.choice([8, 10]))
    bgr = _colour(random, [look.ground_bgr or (128, 128, 128), *taken], 75.0)
    grey = 0.114 * bgr[0] + 0.587 * bgr[1] + 0.299 * bgr[2]
    ink = (236, 238, 238) if grey < 120 else (36, 34, 34)
    faces = [BLANK] * sides
    for mark, face in zip(marks, random.permutation(sides), strict=False):
        faces[int(face)] = mark
    size = float(random.uniform(15, 21))
    return DieOnTable(
        sides,
        Instant(0.0, 0.0, size / 2),
        size,
        bgr,
        ink,
        tuple(faces),
        mark_share=float(random.uniform(0.6, 0.8)),
        tip=float(random.uniform(0.98, 1.12)),
        bevel=float(random.uniform(0.1, 0.5)),
    )


def _marks(symbols: Sequence[str], numbered: bool, random: Random) -> tuple[str, str, str]:
    names = ("1", "2", "3") if numbered else tuple(symbols)
    one, two, three = (names[int(n)] for n in random.permutation(len(names))[:3])
    return one, two, three


def _ring(middle: tuple[float, float], radius: float, random: Random) -> tuple[tuple[float, float], ...]:
    turn = np.linspace(0, 2 * math.pi, 144, endpoint=False)
    reach = np.ones_like(turn)
    for waves in (2, 3, 4, 5):
        reach += random.normal(0, 0.07 / waves**0.5) * np.cos(waves * turn + random.uniform(0, 6.3))
    across = np.clip(middle[0] + 1.08 * radius * reach * np.cos(turn), 55, TABLE_MM[0] - 55)
    down = np.clip(middle[1] + radius * reach * np.sin(turn), 16, TABLE_MM[1] - 16)
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in zip(across, down, strict=True))


def _colour(random: Random, others: Sequence[Bgr], apart: float) -> Bgr:
    """A colour at least so far from others in CIE Lab; the farthest of many where none is."""
    best: tuple[float, Bgr] = (-1.0, (0, 0, 0))
    for _ in range(60):
        strong = random.random() < 0.7
        red, green, blue = colorsys.hsv_to_rgb(
            float(random.random()),
            float(random.uniform(0.55, 0.95)) if strong else float(random.uniform(0, 0.12)),
            float(random.uniform(0.35, 0.9)) if strong else float(random.choice([0.14, 0.5, 0.93])),
        )
        bgr = (round(255 * blue), round(255 * green), round(255 * red))
        gap = min((_apart(bgr, other) for other in others), default=999.0)
        if gap > best[0]:
            best = (gap, bgr)
        if gap >= apart:
            break
    return best[1]


def _apart(one: Bgr, other: Bgr) -> float:
    lab = cv2.cvtColor(np.array([[one, other]], np.float32) / np.float32(255), cv2.COLOR_BGR2LAB)[0]
    # Light alone tells less than colour does: a room's light varies.
    return float(np.hypot(0.8 * (lab[0, 0] - lab[1, 0]), 1.3 * np.hypot(*(lab[0, 1:] - lab[1, 1:]))))


def _free_place(random: Random, dice: Sequence[DieOnTable], loop: LoopOnTable) -> tuple[float, float]:
    """A place off the markers, 6 mm or more off the string's line, apart from other dice."""
    wanted = random.random() < _MOSTLY_INSIDE
    for step in range(2000):
        x, y = float(random.uniform(30, TABLE_MM[0] - 30)), float(random.uniform(22, TABLE_MM[1] - 22))
        on_marker = (x < 64 or x > TABLE_MM[0] - 64) and (y < 64 or y > TABLE_MM[1] - 64)
        near = abs(depth_mm(loop, x, y)) < loop.width_mm / 2 + 15
        wrong = step < 1000 and wanted != (depth_mm(loop, x, y) > 0)
        if (
            not on_marker
            and not near
            and not wrong
            and all(math.hypot(x - d.at.x_mm, y - d.at.y_mm) > 34 for d in dice)
        ):
            return round(x, 2), round(y, 2)
    return TABLE_MM[0] / 2, TABLE_MM[1] / 2


def _hands(random: Random) -> tuple[HandOverTable, ...]:
    side = float(random.choice([0.0, 90.0, 180.0, 270.0]))
    x, y = float(random.uniform(110, 310)), float(random.uniform(70, 180))
    skin = HARD_SKINS[int(random.integers(len(HARD_SKINS)))]
    return (HandOverTable(round(x, 1), round(y, 1), side + float(random.uniform(-25, 25)), skin),)


def _tilted(
    turn: tuple[float, float, float, float], by_deg: float, random: Random
) -> tuple[float, float, float, float]:
    half, way = math.radians(by_deg) / 2, float(random.uniform(0, 2 * math.pi))
    return product((math.cos(half), math.sin(half) * math.cos(way), math.sin(half) * math.sin(way), 0.0), turn)
