"""The clips of a duel's touches: their frames one by one, and all of them as one picture, as a photo finish."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import cv2
import numpy as np
from flask import Flask, Response

from companion.web.app import PLAIN_ID, json_response, picture_response

Frames = tuple[tuple[int, bytes], ...]
"""Microseconds from the touch, and the picture as JPEG."""
STRIP_FRAMES = 12
"""A strip shows so many pictures before the touch and as many after it, at most."""
STRIP_WIDTH_PX = 320
STRIP_COLUMNS = 5
_INK, _GOLD, _GROUND = (240, 240, 240), (112, 203, 242), (36, 17, 11)


@runtime_checkable
class HasClips(Protocol):
    """What is needed of a desk."""

    def clip(self, touch: str) -> Frames:
        """The pictures that were kept of a touch; none where there are none."""


def add_clips(app: Flask, desk: object) -> None:
    """Serves the clips of a desk that has some; of another there are none."""

    def clip_of(touch: str) -> Frames:
        return desk.clip(touch) if isinstance(desk, HasClips) and PLAIN_ID.fullmatch(touch) else ()

    @app.get("/clip/<touch>/frames.json")
    def clip_frames(touch: str) -> Response:
        return json_response({"frames": [at for at, _ in clip_of(touch)]})

    @app.get("/clip/<touch>/<int:number>.jpg")
    def clip_frame(touch: str, number: int) -> Response:
        frames = clip_of(touch)
        return picture_response(frames[number][1] if number < len(frames) else None)

    @app.get("/clip/<touch>/strip.jpg")
    def clip_strip(touch: str) -> Response:
        frames = clip_of(touch)
        return picture_response(strip(frames) if frames else None)


def strip(frames: Frames) -> bytes:
    """The pictures about a touch beside each other, each with its time; the one nearest to it is framed. A JPEG."""
    nearest = min(range(len(frames)), key=lambda n: abs(frames[n][0]))
    chosen = range(max(0, nearest - STRIP_FRAMES), min(len(frames), nearest + STRIP_FRAMES + 1))
    tiles = [_tile(*frames[n], is_touch=n == nearest) for n in chosen]
    height, width = tiles[0].shape[:2]
    rows = -(-len(tiles) // STRIP_COLUMNS)
    sheet = np.full((rows * height, STRIP_COLUMNS * width, 3), _GROUND, np.uint8)
    for n, tile in enumerate(tiles):
        row, column = divmod(n, STRIP_COLUMNS)
        sheet[row * height : (row + 1) * height, column * width : (column + 1) * width] = tile
    return bytes(cv2.imencode(".jpg", sheet, [cv2.IMWRITE_JPEG_QUALITY, 88])[1])


def _tile(at_us: int, jpeg: bytes, *, is_touch: bool) -> np.ndarray[Any, np.dtype[np.uint8]]:
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        picture = np.full((360, 640, 3), _GROUND, np.uint8)
    height = round(picture.shape[0] * STRIP_WIDTH_PX / picture.shape[1])
    small = cv2.resize(picture, (STRIP_WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    tile = np.full((height + 26, STRIP_WIDTH_PX + 6, 3), _GROUND, np.uint8)
    tile[3 : 3 + height, 3:-3] = small
    text = f"{at_us / 1000:+.1f} ms"
    cv2.putText(
        tile, text, (6, height + 20), cv2.FONT_HERSHEY_SIMPLEX, 0.5, _GOLD if is_touch else _INK, 1, cv2.LINE_AA
    )
    if is_touch:
        cv2.rectangle(tile, (1, 1), (tile.shape[1] - 2, tile.shape[0] - 2), _GOLD, 2)
    return tile
