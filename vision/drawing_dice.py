"""Draws the dice that were found and the string, for people: outline, top face, what was read, and why something was not."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arena import Arena, ArenaState
from vision.frame import Image
from vision.observation import DieReading
from vision.table import TablePose

_TOLD, _GUESSED, _STRING, _HIDDEN = (70, 170, 60), (0, 160, 240), (220, 120, 200), (60, 60, 220)
_SIZE = 0.5


def draw_arena(shown: Image, pose: TablePose, arena: Arena, scale: float) -> None:
    """The loop's course, red where it is a guess under what hides it."""
    if arena.state is ArenaState.NONE:
        return
    corners = _px(pose.to_px(arena.polygon_mm), scale)
    unseen = arena.unseen or (False,) * len(corners)
    for number, hidden in enumerate(unseen):
        end = corners[(number + 1) % len(corners)]
        cv2.line(shown, corners[number], end, _HIDDEN if hidden else _STRING, 2, cv2.LINE_AA)
    if arena.state is not ArenaState.FOUND:
        x, y = corners[corners[:, 1].argmin()]
        _write(shown, f"loop: {arena.state.value}", (int(x), int(y) - 8), _GUESSED)


def draw_die(shown: Image, die: DieReading, scale: float) -> None:
    """A die's outline and top face, and what is said of it, a line each; amber where something is refused."""
    colour = _GUESSED if die.doubts else _TOLD
    outline = _px(np.asarray(die.outline_px, np.float64).reshape(-1, 2), scale)
    if not len(outline):
        return
    cv2.polylines(shown, [outline], isClosed=True, color=colour, thickness=2, lineType=cv2.LINE_AA)
    if die.top_px:
        top = _px(np.asarray(die.top_px, np.float64), scale)
        cv2.polylines(shown, [top], isClosed=True, color=colour, thickness=1, lineType=cv2.LINE_AA)
    right, above = outline.max(axis=0)[0], outline.min(axis=0)[1]
    lines = words_of_die(die)
    wide = max(cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, _SIZE, 1)[0][0] for text in lines)
    left = int(right) + 6 if right + 6 + wide < shown.shape[1] else int(outline.min(axis=0)[0]) - 6 - wide
    for number, text in enumerate(lines):
        _write(shown, text, (max(left, 0), int(above) + 14 + 18 * number), colour)


def words_of_die(die: DieReading) -> list[str]:
    """What is said of a die: number of sides, top face, side of the string; then the guesses, then each doubt."""
    sides = "d?" if die.sides is None else f"d{die.sides}"
    place = {True: "inside", False: "outside", None: "side not told"}[die.inside]
    lines = [f"{sides} {die.symbol or '?'} {die.confidence:.2f}, {place}"]
    if die.symbol is None and die.candidates:
        lines.append("seen as " + ", ".join(f"{name} {share:.2f}" for name, share in die.candidates[:2]))
    lines += [f"refused: {doubt.value}" for doubt in die.doubts]
    return lines


def _write(picture: Image, text: str, at: tuple[int, int], colour: tuple[int, int, int]) -> None:
    plain = text.encode("ascii", "replace").decode()  # OpenCV's letters know no others
    cv2.putText(picture, plain, at, cv2.FONT_HERSHEY_SIMPLEX, _SIZE, (30, 30, 30), 4, cv2.LINE_AA)
    cv2.putText(
        picture, plain, at, cv2.FONT_HERSHEY_SIMPLEX, _SIZE, tuple(min(c + 90, 255) for c in colour), 1, cv2.LINE_AA
    )


def _px(points: NDArray[np.float64], scale: float) -> NDArray[np.int32]:
    return np.asarray(np.round(np.asarray(points) * scale), np.int32)
