"""Writes what only a virtual duel has: pictures of its dice's symbols, and the moving frames of a single roll."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2

from companion.errors import BadInputError
from companion.virtual.battle_director import BattleDirector
from companion.virtual.battle_stage import die_symbols
from companion.virtual.battle_times import MS
from companion.virtual.table import VirtualTable

ROLL_PX = (640, 360)
"""Of the moving frames."""
JPEG_QUALITY = 92
_MARGIN_PX = 24
_BEFORE_US, _AFTER_US = 150 * MS, 200 * MS


def write_symbols(folder: Path) -> None:
    """A flat picture of each symbol, dark on light, as `--symbols` takes them. Raises BadInputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, mask in die_symbols().items():
            rim = _MARGIN_PX
            flat = cv2.copyMakeBorder(255 - mask, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=(255.0,))
            (folder / f"{name}.png").write_bytes(cv2.imencode(".png", flat)[1].tobytes())
    except OSError as error:
        raise BadInputError(f"{folder}: can't be written: {error.strerror or error}") from error


def write_roll(table: VirtualTable, number: int, folder: Path, fps: float) -> int:
    """Writes one roll of a game, 1-based, picture by picture from just before its release to just after its rest, or until a
    hand snatches it.

    Each picture has its truth beside it; `roll.json` has the roll's own, with its times on the film. Returns the
    number of pictures. Raises BadInputError for a number that the game has not, a game without dice, or a folder that
    can't be written.
    """
    director = table.director()
    if not isinstance(director, BattleDirector):
        raise BadInputError(f"virtual table: {table.game} has no rolls")
    rolls = director.truth()["rolls"]
    if not 1 <= number <= len(rolls):
        raise BadInputError(f"virtual table: there is no roll {number}; this game has {len(rolls)}")
    roll = rolls[number - 1]
    begin = (roll["released_us"] or roll["settled_us"]) - _BEFORE_US
    end = roll["settled_us"] or roll["lifted_us"]
    count: int = 1 + round((end + _AFTER_US - begin) * fps / 1e6)
    renderer = replace(table, size=ROLL_PX).renderer()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for n in range(count):
            t_us = begin + round(n * 1e6 / fps)
            scene, name = director.scene(t_us), f"{n:03d}"
            packed = cv2.imencode(".jpg", renderer.render(scene, n), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
            (folder / f"{name}.jpg").write_bytes(packed.tobytes())
            truth = renderer.truth(scene) | {"image": f"{name}.jpg", "t_us": t_us}
            (folder / f"{name}.json").write_text(json.dumps(truth) + "\n")
        (folder / "roll.json").write_text(json.dumps(roll, indent=1) + "\n")
    except OSError as error:
        raise BadInputError(f"{folder}: can't be written: {error.strerror or error}") from error
    return count
