"""How well dice are read: sets of pictures with truth, shown to the dice reader and counted.

Counted are dice whose top face is at least half in sight: found at their place, sides, top face, on which side of the string
(those more than 3 mm off it), what is wrong above the acting threshold; dice made up; milliseconds of one thread a die.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.bench.dice_photos import photos
from companion.errors import BadInputError
from companion.virtual.dice_stills import Oddity, dice_still, odd_still
from hardware.camera.directory import read_picture
from hardware.errors import HardwareError
from hardware.virtual.symbols import SYMBOLS, symbol_mask
from vision.arena import ArenaState
from vision.dice.enrolled import BLANK, EnrolledDie, EnrolledFace, enrol_die
from vision.dice.faces import symbol_of_picture
from vision.dice.reader import DiceReader, DiceReading
from vision.dice.states import USUAL_DICE, ThrowState, throw_states
from vision.errors import VisionError
from vision.frame import Image
from vision.observation import DieReading
from vision.table import locate_table

SETS = ("footage", "stills", "numbered", "odd", "photos")
TAKEN = frozenset({"footage", "photos"})
PLACE_MM = 5.0
CLEAR_MM = 3.0
HALF = 0.5
NUMBERS = tuple(str(n) for n in range(1, 11))
_TOLD_BY_TRUTH = frozenset(
    {ThrowState.EMPTY, ThrowState.NO_LOOP, ThrowState.TWO_LOOPS, ThrowState.THIRD_DIE, ThrowState.LEANING}
)


@dataclass(frozen=True, slots=True, eq=False)
class DiceShot:
    """A picture of an Arena, what may be on its dice, and its truth as in a truth file."""

    name: str
    image: Image
    die: EnrolledDie
    truth: dict[str, Any]
    oddity: str | None = None


def share(part: int, whole: int) -> float | None:
    """A share to 0.0001; None of nothing."""
    return round(part / whole, 4) if whole else None


@dataclass(slots=True)
class DiceTally:
    """What was counted so far."""

    pictures: int = 0
    dice: int = 0
    found: int = 0
    sides: int = 0
    top: int = 0
    side_of_string: int = 0
    clear_of_string: int = 0
    wrong: int = 0
    wrong_side: int = 0
    invented: int = 0
    hidden: int = 0
    hidden_told: int = 0
    loops: int = 0
    odd: int = 0
    """Pictures of a state that no throw can be read from."""
    named: int = 0
    """Those of them whose state was named."""
    misnamed: int = 0
    """Pictures that were said to show a state which they don't."""
    ms: float = 0.0
    misses: list[str] = field(default_factory=list)

    def line(self, name: str) -> dict[str, Any]:
        """The set's JSON line."""
        return {
            "set": name,
            "pictures": self.pictures,
            "dice": self.dice,
            "found": share(self.found, self.dice),
            "sides": share(self.sides, self.dice),
            "top_face": share(self.top, self.dice),
            "inside": share(self.side_of_string, self.clear_of_string),
            "loop": share(self.loops, self.pictures),
            "wrong": self.wrong,
            "wrong_side": self.wrong_side,
            "invented": self.invented,
            "hidden": self.hidden,
            "hidden_told": self.hidden_told,
            **({"state_named": share(self.named, self.odd), "misnamed": self.misnamed} if self.odd else {}),
            "ms_a_die": round(self.ms / max(self.dice, 1), 1),
            "misses": self.misses[:40],
        }


def measure(shots: Iterable[DiceShot]) -> DiceTally:
    """Shows every picture to a reader that knows its symbols."""
    tally = DiceTally()
    for shot in shots:
        width, height = shot.truth["table_mm"]
        started = time.process_time()
        try:
            pose = locate_table(shot.image, (float(width), float(height)))
            reading = DiceReader([shot.die]).read(shot.image, pose)
        except VisionError as error:
            tally.pictures += 1
            tally.dice += sum(die["visible"] >= HALF for die in shot.truth["dice"])
            tally.misses.append(f"{shot.name}: {error}")
            continue
        tally.ms += 1000 * (time.process_time() - started)
        count(tally, shot, reading)
    return tally


def count(tally: DiceTally, shot: DiceShot, reading: DiceReading) -> None:
    """One picture's reading against its truth."""
    tally.pictures += 1
    tally.loops += _loop_right(shot, reading)
    _count_state(tally, shot, reading)
    left = list(reading.dice)
    for die in shot.truth["dice"]:
        told = _at(left, float(die["x"]), float(die["y"]))
        if told is not None:
            left.remove(told)
        if not die.get("resting", True):
            # A die that leans or is tilted shows no top face: it may be found, but nothing may be said of its face.
            tally.wrong += told is not None and told.symbol is not None and told.symbol != die["symbol"]
            continue
        if die["visible"] < HALF:
            tally.hidden += 1
            tally.hidden_told += told is not None and told.symbol is not None
            tally.wrong += told is not None and told.symbol not in {None, die["symbol"]}
            continue
        tally.dice += 1
        _count_die(tally, shot, die, told)
    tally.invented += len(left)
    tally.misses += [f"{shot.name}: nothing lies at {die.x_mm:.0f}, {die.y_mm:.0f}" for die in left]


def _count_state(tally: DiceTally, shot: DiceShot, reading: DiceReading) -> None:
    """Whether an odd picture's state was named, and whether any was that it does not show."""
    if shot.oddity is None:
        return
    told = set(throw_states(reading.dice, reading.arena, covered=bool(reading.hidden_mm)))
    named, wrong = ThrowState(shot.oddity) in told, (told & _TOLD_BY_TRUTH) - _true_states(shot.truth)
    tally.odd += 1
    tally.named += named
    tally.misnamed += bool(wrong)
    if not named or wrong:
        states = ", ".join(sorted(told)) or "plain"
        tally.misses.append(f"{shot.name}: {shot.oddity} told as {states}")


def _true_states(truth: dict[str, Any]) -> set[ThrowState]:
    """Those of _TOLD_BY_TRUTH that a picture shows."""
    dice, loops = truth["dice"], _loops(truth)
    shown = {
        ThrowState.EMPTY: not dice,
        ThrowState.NO_LOOP: loops == 0,
        ThrowState.TWO_LOOPS: loops > 1,
        ThrowState.THIRD_DIE: len(dice) > USUAL_DICE,
        ThrowState.LEANING: any(not die.get("resting", True) for die in dice),
    }
    return {state for state, there in shown.items() if there}


def _count_die(tally: DiceTally, shot: DiceShot, die: dict[str, Any], told: DieReading | None) -> None:
    far = abs(_depth(shot.truth, die)) > CLEAR_MM
    tally.clear_of_string += far
    if told is None:
        tally.misses.append(f"{shot.name}: {die['sides']} {die['symbol']} at {die['x']:.0f}, {die['y']:.0f} not found")
        return
    tally.found += 1
    tally.sides += told.sides == die["sides"]
    tally.top += told.symbol == die["symbol"]
    tally.wrong += told.symbol not in {None, die["symbol"]} or told.sides not in {None, die["sides"]}
    right = told.inside == die["inside"]
    tally.side_of_string += far and right
    tally.wrong_side += told.inside is not None and not right
    if told.symbol != die["symbol"] or told.sides != die["sides"] or (far and not right):
        guess = told.candidates[0][0] if told.candidates else None
        tally.misses.append(
            f"{shot.name}: {die['sides']} {die['symbol']} {die['inside']} told {told.sides} {told.symbol} {told.inside} "
            f"({guess} {told.confidence:.2f})"
        )


def _at(dice: list[DieReading], x: float, y: float) -> DieReading | None:
    near = [die for die in dice if np.hypot(die.x_mm - x, die.y_mm - y) <= PLACE_MM]
    return min(near, key=lambda die: float(np.hypot(die.x_mm - x, die.y_mm - y)), default=None)


def _depth(truth: dict[str, Any], die: dict[str, Any]) -> float:
    """How far inside the string's middle line a die is, mm; 0 without one loop."""
    if _loops(truth) != 1 or not truth.get("loop_mm"):
        return 0.0
    contour = np.asarray(truth["loop_mm"], np.float32).reshape(-1, 1, 2)
    return float(cv2.pointPolygonTest(contour, (float(die["x"]), float(die["y"])), measureDist=True))


def _loop_right(shot: DiceShot, reading: DiceReading) -> bool:
    wanted = {0: ArenaState.NONE, 1: ArenaState.FOUND}.get(_loops(shot.truth), ArenaState.SEVERAL)
    return reading.arena.state is wanted


def _loops(truth: dict[str, Any]) -> int:
    """How many loops lie there: truth files say it only of other numbers than one, and name no string where there is none."""
    return int(truth.get("loops") or (1 if truth.get("loop_mm") else 0))


def footage(shared: Path) -> Iterator[DiceShot]:
    """The pictures of SHARED/footage/dice. Raises BadInputError."""
    pictures = sorted((shared / "footage" / "dice").glob("*.jpg"))
    if not pictures:
        raise BadInputError(f"--shared {shared}: no pictures in {shared / 'footage' / 'dice'}; name another folder")
    try:
        die = enrol_die(shared / "symbols", "symbols")
        for picture in pictures:
            truth = json.loads(picture.with_suffix(".json").read_text("utf-8"))
            yield DiceShot(picture.name, read_picture(picture), die, truth)
    except (VisionError, HardwareError, OSError, ValueError) as error:
        raise BadInputError(f"--shared {shared}: {error}") from error


def stills(pictures: int, seed: int, numbered: bool = False) -> Iterator[DiceShot]:
    """Drawn Arenas by chance, with other colours, symbols, strings, grounds and light. Known are the three symbols of each die on
    the table, of numbered dice the numbers to 10."""
    for number in range(pictures):
        still = dice_still(seed, number, numbered=numbered)
        marks = NUMBERS if numbered else sorted({mark for each in still.marks for mark in each})
        yield DiceShot(still.name, still.picture(), drawn_die(marks), still.truth())


def odd(pictures: int, seed: int) -> Iterator[DiceShot]:
    """Arenas in states that no roll can be read from as they stand, each kind in turn."""
    die = drawn_die(SYMBOLS)
    kinds = list(Oddity)
    for number in range(pictures):
        oddity = kinds[number % len(kinds)]
        still = odd_still(oddity, seed, number // len(kinds))
        yield DiceShot(still.name, still.picture(), die, still.truth(), oddity.value)


def drawn_die(symbols: Iterable[str]) -> EnrolledDie:
    """Any die with these symbols, known by their flat pictures, and blank faces."""
    faces = [EnrolledFace(BLANK, ())]
    for name in symbols:
        mask = symbol_mask(name)
        symbol = None if mask is None else symbol_of_picture(np.pad(255 - mask, 16, constant_values=255))
        if symbol is not None:
            faces.append(EnrolledFace(name, (symbol,)))
    return EnrolledDie("drawn", None, tuple(faces))


def measured(name: str, pictures: int, seed: int, shared: Path) -> dict[str, Any]:
    """A set's line. Raises BadInputError where its pictures are not there."""
    match name:
        case "footage":
            return measure(footage(shared)).line(name)
        case "stills":
            return measure(stills(pictures, seed)).line(name)
        case "numbered":
            return measure(stills(max(1, pictures // 4), seed + 1, numbered=True)).line(name)
        case "odd":
            return measure(odd(max(len(Oddity), pictures // 6), seed)).line(name)
        case _:
            return photos(shared)
