"""Real dice: enrolled from photographs as they stand, read on copies turned, darkened, warmed, blurred and at half size."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.errors import BadInputError
from hardware.camera.directory import read_picture
from hardware.errors import HardwareError
from vision.dice.enrolled import LEAST_CLEAR, EnrolledDie, EnrolledFace, symbols_in
from vision.dice.picture import find_die
from vision.dice.tops import read_tops
from vision.errors import VisionError
from vision.frame import Image

_NAME = re.compile(r"d(?P<sides>8|10)-value(?P<value>\d+)")
Change = Callable[[Image], Image]


def turned(degrees: float) -> Change:
    """Turns a picture about its middle."""

    def turn(image: Image) -> Image:
        height, width = image.shape[:2]
        matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), degrees, 1.0)
        return cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE).astype(np.uint8)

    return turn


def _lit(*gains: float) -> Change:
    return lambda image: np.clip(image.astype(np.float32) * np.array(gains, np.float32), 0, 255).astype(np.uint8)


def _blurred(image: Image) -> Image:
    return cv2.GaussianBlur(image, (0, 0), 2.0).astype(np.uint8, copy=False)


def _half(image: Image) -> Image:
    return cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


CHANGES: dict[str, tuple[Change, ...]] = {
    **{f"turned {degrees}": (turned(degrees),) for degrees in (37, 90, 151, 223, 300)},
    "darkened": (_lit(0.5, 0.5, 0.5),),
    "warmed": (_lit(0.7, 0.95, 1.15),),
    "blurred": (_blurred,),
    "half size": (_half,),
    "turned, darkened, half size": (turned(250), _lit(0.5, 0.5, 0.5), _half),
    "turned, darkened, warmed, blurred": (turned(110), _lit(0.35, 0.48, 0.58), _blurred),
}


def photos(shared: Path) -> dict[str, Any]:
    """The line of the real dice. Raises BadInputError where the photographs are not there."""
    taken = list(_taken(shared))
    dice = {sides: _enrolled(sides, [each for each in taken if each[0] == sides]) for sides in (8, 10)}
    count, told, wrong, misses, spent = 0, 0, 0, [], 0.0
    for sides, face, image in taken:
        for change, steps in CHANGES.items():
            harmed = image
            for step in steps:
                harmed = step(harmed)
            started = time.process_time()
            found = find_die(harmed, sides)
            symbol = None
            if found is not None and found.clear >= LEAST_CLEAR:
                tops = read_tops(harmed, found.poses, found.px, [dice[sides]])
                symbol = max(tops, key=lambda top: top.weight).read.symbol
            spent += time.process_time() - started
            count, told, wrong = count + 1, told + (symbol == face), wrong + (symbol not in {None, face})
            misses += [] if symbol == face else [f"d{sides} {face}, {change}: {symbol}"]
    return {
        "set": "photos",
        "pictures": count,
        "dice": count,
        "top_face": round(told / max(count, 1), 4),
        "wrong": wrong,
        "ms_a_die": round(1000 * spent / max(count, 1), 1),
        "misses": misses[:40],
    }


def _taken(shared: Path) -> Iterator[tuple[int, str, Image]]:
    folder = shared / "photos" / "polyhedral-dice"
    paths = sorted(folder.glob("*.jpg"))
    if not paths:
        raise BadInputError(f"--shared {shared}: no photographs in {folder}; name another folder")
    for path in paths:
        match = _NAME.fullmatch(path.stem)
        if match is None:
            continue
        try:
            yield int(match["sides"]), str(int(match["value"])), read_picture(path)
        except HardwareError as error:
            raise BadInputError(f"--shared {shared}: {error}") from error


def _enrolled(sides: int, taken: list[tuple[int, str, Image]]) -> EnrolledDie:
    try:
        faces = [EnrolledFace(face, symbols_in(image, sides, face)) for _, face, image in taken]
    except VisionError as error:
        raise BadInputError(f"a photograph of the {sides}-sided die: {error}") from error
    return EnrolledDie(f"d{sides}", sides, tuple(faces))
