"""A virtual table on which somebody lays a special die with one face up after the other, to be enrolled."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

from companion.virtual.dice_stills import SIZE_PX, TABLE_MM
from hardware.camera.base import Camera, Shot, TimeKind
from hardware.virtual.dice import BLANK, DieOnTable, Instant, lying_at
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, TableLook
from hardware.virtual.render import Renderer
from hardware.virtual.scene import Scene

MARKS = ("star5", "moon", "bolt")
_SIZE_MM = 18.0


def special_die(sides: int = 8) -> DieOnTable:
    """A die with three symbols and blank faces."""
    faces = [BLANK] * sides
    for face, mark in zip((0, 3, 5), MARKS, strict=True):
        faces[face] = mark
    return DieOnTable(sides, Instant(0, 0, _SIZE_MM / 2), _SIZE_MM, faces=tuple(faces))


class DiceOneByOneCamera:
    """Hands out a still of the die with each face up in turn, in another place and turn each time."""

    def __init__(self, sides: int = 8, seed: int = 1) -> None:
        self.name = f"virtual die, {sides} sides"
        self.recorded = True
        self.time_kind = TimeKind.MEDIA
        self._die = special_die(sides)
        self._random = Random(seed)
        self._next = 0
        look = TableLook(ground=Ground.FELT, noise=2.0, blur_px=0.6, seed=seed)
        self._renderer = Renderer({}, look, VirtualCameraModel(size=SIZE_PX, table_mm=TABLE_MM, height_mm=650.0))

    def read(self) -> Shot | None:
        """The next face's picture; None after the last."""
        if self._next >= self._die.sides:
            return None
        number, die = self._next, self._die
        self._next += 1
        x, y = self._random.uniform(150, 270), self._random.uniform(90, 160)
        at = lying_at(die.sides, die.size_mm, number, x, y, self._random.uniform(0, 2 * math.pi), die.tip)
        picture = self._renderer.render(Scene(table_mm=TABLE_MM, dice=(replace(die, at=at),)), noise_seed=number)
        return Shot(picture, number * 1_000_000_000, 0, f"face {number + 1}", settled=True)

    def close(self) -> None:
        """Nothing is held open."""


def open_dice_one_by_one() -> Camera:
    """Opens the camera over the die; pickles."""
    return DiceOneByOneCamera()
