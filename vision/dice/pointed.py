"""The loop that somebody pointed at, for pictures in which more than one lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vision.arena import ArenaState, arena_at
from vision.dice.reader import DiceReading
from vision.frame import Image
from vision.observation import DieDoubt, DieReading, Polygon
from vision.table import TablePose


def with_loop_at(
    reading: DiceReading,
    image: Image,
    pose: TablePose,
    at_mm: tuple[float, float],
    hidden_mm: Sequence[Polygon] = (),
) -> DiceReading:
    """The reading with the loop at a place of the table as the one that counts, and the dice told anew whether they are inside.

    As it was where it has one loop or none, and where none of several is at that place.
    """
    if reading.arena.state is not ArenaState.SEVERAL:
        return reading
    outlines = [tuple((float(x), float(y)) for x, y in pose.to_mm(die.outline_px)) for die in reading.dice]
    arena = arena_at(image, pose, at_mm, hidden_mm, outlines)
    if not arena.is_one:
        return reading
    placed = tuple(_placed(die, arena.inside(die.x_mm, die.y_mm)) for die in reading.dice)
    return replace(reading, dice=placed, arena=arena)


def _placed(die: DieReading, inside: bool | None) -> DieReading:
    others = tuple(doubt for doubt in die.doubts if doubt is not DieDoubt.ON_STRING)
    return replace(die, inside=inside, doubts=(DieDoubt.ON_STRING, *others) if inside is None else others)
