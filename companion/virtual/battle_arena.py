"""The camera over the Arena of a virtual duel: its small pictures, larger ones of the same moments, its dice's colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from companion.virtual.battle_director import BattleDirector
from companion.virtual.battle_stage import DIE_MM, MIDDLE_MM, TABLE_MM
from companion.virtual.film_time import FilmTime
from companion.virtual.table import VirtualTable
from hardware.virtual.dice import lying_at
from vision.dice.eye import eye_of
from vision.dice.track_colour import Ground, colour_at
from vision.frame import Image
from vision.table import Lens, locate_table

ARENA_PX, LARGE_PX = (640, 360), (1920, 1080)
ARENA_FPS = 60.0
SIDES = (8, 10)
_LIES_DEG = 0.4


def arena_table(table: VirtualTable) -> VirtualTable:
    """The table as the Arena's camera takes it."""
    return replace(table, size=ARENA_PX, timing=replace(table.timing, fps=ARENA_FPS))


def directed(table: VirtualTable) -> BattleDirector:
    """The table's duel. Raises TypeError for another game's table."""
    director = table.director()
    if not isinstance(director, BattleDirector):
        raise TypeError(f"no duels are directed by {type(director).__name__}")
    return director


class DuelStills:
    """Larger pictures of a duel's moments, drawn when they are asked for."""

    def __init__(self, table: VirtualTable, film_time: Callable[[int], int]) -> None:
        """`film_time`: the film's time, ns, for a picture's."""
        self._film_time = film_time
        self._director = directed(table)
        self._renderer = replace(table, size=LARGE_PX).renderer()
        self._number = 50_000
        self._renderer.render(self._director.scene(0), 0)  # the first picture takes long: no die waits for it

    def at(self, t_ns: int) -> Image | None:
        """The picture taken at a small picture's time."""
        self._number += 1
        return self._renderer.render(self._director.scene(self._film_time(t_ns) // 1000), self._number)


def open_stills(table: VirtualTable, folder: str | None) -> DuelStills:
    """`folder`: where the camera notes down its film's time; None where pictures and film have the same."""
    return DuelStills(table, FilmTime(folder) if folder is not None else _same)


def stills_of(table: VirtualTable, folder: str | None = None) -> Callable[[], DuelStills]:
    """What opens them in another process; it pickles."""
    return partial(open_stills, table, folder)


def _same(t_ns: int) -> int:
    return t_ns


Colours = tuple[Mapping[int, tuple[int, int, int]], Mapping[int, tuple[int, int, int]]]


def dice_colours(table: VirtualTable) -> Colours:
    """The colours of each chair's dice as the Arena's camera shows them, by sides: each is taken from a picture of it alone."""
    director = directed(table)
    renderer = arena_table(table).renderer()
    empty = replace(director.scene(0), dice=(), hands=())
    shots = [renderer.render(empty, 90_000 + n) for n in range(4)]
    pose = locate_table(shots[0], TABLE_MM, Lens(renderer.camera.matrix, renderer.camera.coefficients))
    ground, eye = Ground.of(shots), eye_of(pose, *renderer.camera.size)
    x, y = MIDDLE_MM
    shown = eye.shown(np.array([[x, y, DIE_MM / 2], [x + DIE_MM, y, DIE_MM / 2]]))
    middle, beside = pose.to_px(shown)
    radius = 0.45 * float(np.linalg.norm(beside - middle))
    found: list[dict[int, tuple[int, int, int]]] = [{}, {}]
    for chair in director.stage.chairs:
        for sides in SIDES:
            die = director.stage.die(chair, sides)
            lying = replace(die, at=lying_at(die.sides, die.size_mm, 1, x, y, _LIES_DEG, die.tip))
            picture = renderer.render(replace(empty, dice=(lying,)), 91_000 + 10 * chair.number + sides)
            found[chair.number][sides] = colour_at(picture, ground, (float(middle[0]), float(middle[1])), radius)
    return found[0], found[1]


def write_faces(folder: Path) -> str:
    """Writes the dice's symbols into a directory, as their enrolment; returns it."""
    from companion.virtual.battle_writing import write_symbols

    write_symbols(folder)
    return str(folder)
