"""Draws what was found in a picture, for people: outlines where things lie, and beside them what each card was held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.drawing_dice import draw_arena, draw_die
from vision.frame import Image
from vision.observation import CardReading, SceneReading
from vision.table import TablePose

GREEN, AMBER, RED, GREY, INK, PAPER = (
    (70, 170, 60), (0, 160, 240), (60, 60, 220), (150, 150, 150), (40, 30, 30), (246, 248, 250),
)  # fmt: skip
_PANEL_PX = 620
_ROW_PX = 170
_HEAD_PX = 50
_WIDEST_PX = 1600
_INKS = {"red": (60, 50, 220), "blue": (210, 90, 40)}


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedCard:
    """A card with what its reading rests on."""

    reading: CardReading
    seen: Image
    """What lies there, in canonical form."""
    reference: Image | None
    """The scan that fits best."""
    doubt: str
    """For people: the weakest link."""
    acting: float
    """The confidence from which on a reading is stated."""


def draw_scene(image: Image, pose: TablePose, scene: SceneReading, cards: Sequence[ExplainedCard]) -> Image:
    """The picture with everything that was found, and a panel with a row for each card, numbered as in the picture."""
    scale = min(1.0, _WIDEST_PX / image.shape[1])
    shown = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8).copy()
    _draw_board(shown, pose, scene, scale)
    for area in scene.hidden_mm:
        cv2.polylines(shown, [_px(pose.to_px(area), scale)], isClosed=True, color=GREY, thickness=2)
    if scene.arena is not None:
        draw_arena(shown, pose, scene.arena, scale)
    for number, card in enumerate(cards, 1):
        _draw_card(shown, card, number, scale)
    for die in scene.dice:
        draw_die(shown, die, scale)
    panel = _panel(cards, shown.shape[0])
    below = max(0, panel.shape[0] - shown.shape[0])
    padded = cv2.copyMakeBorder(shown, 0, below, 0, 0, cv2.BORDER_CONSTANT, value=PAPER)
    return np.asarray(np.hstack([padded, panel]), np.uint8)


def colour_of(card: CardReading) -> tuple[int, int, int]:
    """Green where the card is stated, amber where it is a guess, red where nothing fits."""
    if card.face is not None:
        return GREEN
    return AMBER if card.candidates else RED


def words_of(card: ExplainedCard) -> list[str]:
    """What is said of a card, a line each."""
    reading = card.reading
    name = reading.card or ("face down" if reading.face is not None else "unsure")
    lines = [f"{name}  {reading.confidence:.2f} (stated from {card.acting:.2f})"]
    lines.append(f"at {reading.x_mm:.0f}, {reading.y_mm:.0f} mm, " + _angle(reading))
    guesses = [f"{guess} {share:.2f}" for guess, share in reading.candidates[:3]]
    lines.append("seen as: " + (", ".join(guesses) or "nothing that is enrolled"))
    if reading.face is None:
        lines.append(f"refused: {card.doubt}")
    return lines


def _angle(reading: CardReading) -> str:
    return "which way up can't be told" if reading.angle_deg is None else f"turned {reading.angle_deg:.0f} degrees"


def _draw_card(shown: Image, card: ExplainedCard, number: int, scale: float) -> None:
    quad = _px(np.array(card.reading.corners_px), scale)
    colour = colour_of(card.reading)
    cv2.polylines(shown, [quad], isClosed=True, color=colour, thickness=2, lineType=cv2.LINE_AA)
    if card.reading.angle_deg is not None:
        cv2.line(shown, quad[0], quad[1], colour, 6, cv2.LINE_AA)
    middle = quad.mean(axis=0).astype(int)
    cv2.circle(shown, middle, 15, colour, -1, cv2.LINE_AA)
    _write(shown, str(number), (int(middle[0]) - 6 * len(str(number)), int(middle[1]) + 7), 0.6, (255, 255, 255))


def _draw_board(shown: Image, pose: TablePose, scene: SceneReading, scale: float) -> None:
    board = scene.board
    if board is None:
        return
    cv2.polylines(shown, [_px(pose.to_px(board.outline_mm), scale)], isClosed=True, color=GREY, thickness=2)
    places = {star.n: (star.x_mm, star.y_mm) for star in board.stars if star.n is not None}
    for line in board.lines:
        ends = _px(pose.to_px([places[line.a], places[line.b]]), scale)
        cv2.line(shown, ends[0], ends[1], _INKS[line.colour.value], 3, cv2.LINE_AA)
    for star in board.stars:
        (at,) = _px(pose.to_px([(star.x_mm, star.y_mm)]), scale)
        cv2.circle(shown, at, 16, GREEN if star.n is not None else AMBER, 2, cv2.LINE_AA)
        _write(shown, "?" if star.n is None else str(star.n), (int(at[0]) + 16, int(at[1]) - 12), 0.6, GREEN)


def _panel(cards: Sequence[ExplainedCard], height: int) -> Image:
    """Rows of cards in as many columns as keep it about as high as the picture."""
    rows = max(3, (height - _HEAD_PX) // _ROW_PX)
    columns = max(1, -(-len(cards) // rows))
    high = max(height, _HEAD_PX + _ROW_PX * min(rows, len(cards)))
    panel = np.full((high, _PANEL_PX * columns, 3), PAPER, np.uint8)
    _write(panel, "seen, and the scan it is held against", (16, 30), 0.6, INK)
    for place, card in enumerate(cards):
        column, row = divmod(place, rows)
        _draw_row(panel, card, place + 1, 16 + column * _PANEL_PX, _HEAD_PX + row * _ROW_PX)
    return panel


def _draw_row(panel: Image, card: ExplainedCard, number: int, x: int, y: int) -> None:
    x = _paste(panel, card.seen, x, y)
    if card.reference is not None:
        x = _paste(panel, card.reference, x + 8, y)
    cv2.circle(panel, (x + 24, y + 16), 13, colour_of(card.reading), -1, cv2.LINE_AA)
    _write(panel, str(number), (x + 24 - 6 * len(str(number)), y + 23), 0.55, (255, 255, 255))
    for line, text in enumerate(_wrapped(card, 42)):
        _write(panel, text, (x + 46 if line == 0 else x + 12, y + 22 + 22 * line), 0.45, INK)


def _wrapped(card: ExplainedCard, width: int) -> list[str]:
    lines: list[str] = []
    for text in words_of(card):
        line = ""
        for word in text.split(" "):
            if line and len(line) + len(word) >= width:
                lines.append(line)
                line = "  "
            line += ("" if not line.strip() else " ") + word
        lines.append(line)
    return lines[: (_ROW_PX - 20) // 22]


def _paste(panel: Image, picture: Image, x: int, y: int) -> int:
    """Puts a picture into the panel at a row's height. Returns its right edge."""
    side = _ROW_PX - 16
    share = side / picture.shape[0]
    small = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    panel[y : y + small.shape[0], x : x + small.shape[1]] = small
    return x + int(small.shape[1])


def _write(picture: Image, text: str, at: tuple[int, int], size: float, colour: tuple[int, int, int]) -> None:
    plain = text.encode("ascii", "replace").decode()  # OpenCV's letters know no others
    cv2.putText(picture, plain, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1 if size < 0.5 else 2, cv2.LINE_AA)


def _px(points: NDArray[np.float64], scale: float) -> NDArray[np.int32]:
    return np.asarray(np.round(np.asarray(points) * scale), np.int32)
