"""Keeps a cut-out picture of each card that was not read right, for whoever works on the reader."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.bench.cards import Shot
from companion.bench.cards_tally import Miss
from companion.errors import BadInputError
from hardware.camera.base import Image

CUT_PX = (252, 352)
"""Of a cut-out card, width and height, without its margin."""
MARGIN_PX = 40


class MissFolder:
    """A folder of cut-outs named by picture, fault and card, and `<set>.jsonl` with what was read."""

    def __init__(self, folder: Path, name: str) -> None:
        """Raises BadInputError where the folder can't be written."""
        self._folder = folder
        self._name = name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.jsonl").write_text("")
        except OSError as error:
            raise BadInputError(f"--misses {folder}: can't be written: {error.strerror}") from error

    def keep(self, shot: Shot, misses: Sequence[Miss]) -> None:
        """Writes a picture's misses."""
        for n, miss in enumerate(misses):
            card = "none" if miss.shown is None else miss.shown.card or "back"
            name = f"{Path(shot.name).stem}-{n}-{miss.fault}-{card}.png"
            line: dict[str, Any] = {
                "file": name,
                "picture": shot.name,
                "fault": miss.fault,
                "kinds": shot.kinds,
                "card": card,
            }
            if miss.shown is not None:
                line |= {"visible": miss.shown.visible, "x": miss.shown.x_mm, "y": miss.shown.y_mm}
                line |= {"angle": miss.shown.angle_deg}
            if miss.reading is not None:
                read = miss.reading
                line |= {"read": read.card or read.face, "confidence": round(read.confidence, 4)}
                line |= {"read_x": round(read.x_mm, 1), "read_y": round(read.y_mm, 1), "read_angle": read.angle_deg}
                line |= {"candidates": [[name, round(confidence, 4)] for name, confidence in read.candidates]}
            cv2.imwrite(str(self._folder / name), _cut_out(shot.image, miss))
            with (self._folder / f"{self._name}.jsonl").open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(line) + "\n")


def _cut_out(image: Image, miss: Miss) -> Image:
    """The card upright, with some of what lies about it."""
    if miss.shown is not None:
        corners = miss.shown.corners_px
    else:
        corners = miss.reading.corners_px if miss.reading is not None else ((0.0, 0.0),) * 4
    quad = np.array(corners, np.float32)
    long_way = np.linalg.norm(quad[1] - quad[0]) > np.linalg.norm(quad[3] - quad[0])
    width, height = CUT_PX[::-1] if long_way else CUT_PX
    m = MARGIN_PX
    flat = np.array([(m, m), (m + width, m), (m + width, m + height), (m, m + height)], np.float32)
    to_flat = cv2.getPerspectiveTransform(quad, flat)
    return cv2.warpPerspective(image, to_flat, (width + 2 * m, height + 2 * m)).astype(np.uint8, copy=False)
