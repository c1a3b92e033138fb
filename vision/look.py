"""One settled picture to one scene: where the table is, what hides it, the board, the cards; and the scene as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from vision.dice.states import throw_states
from vision.errors import BadPictureError
from vision.frame import Frame, Image
from vision.hands import beyond, find_reach, hidden_areas, touches
from vision.observation import (
    BoardReading,
    CardReading,
    DieReading,
    Face,
    Point,
    Polygon,
    Quad,
    SceneReading,
    StarReading,
)
from vision.table import Lens, PoseTracker, TablePose

if TYPE_CHECKING:
    from vision.arena import Arena
    from vision.cards import SteadyReader
    from vision.dice.reader import DiceReading

DARK_LEVEL = 24.0
"""Grey level that not one pixel in a hundred of a picture reaches where the light is off."""
DIM_LEVEL = 60.0
"""The same where the light is on, but so low that readings get unsure."""

NUMBERS = frozenset(range(1, 13))
"""Of a whole set of stars."""
Area = tuple[float, float, float, float]
"""x, y, width, height on the table, mm."""


class ReadsCards(Protocol):
    """What reads the cards of a picture (vision.cards.CardReader)."""

    def read(
        self, image: Image, pose: TablePose, ignore_mm: Sequence[Polygon] = (), hidden_mm: Sequence[Polygon] = ()
    ) -> tuple[CardReading, ...]:
        """The cards on the table, outside `ignore_mm`, wary of `hidden_mm`."""


class ReadsBoard(Protocol):
    """What reads the star board of a picture (vision.board.BoardReader)."""

    def read(
        self,
        image: Image,
        pose: TablePose,
        area_mm: Area | None = None,
        hidden_mm: Sequence[Polygon] = (),
        known: BoardReading | None = None,
    ) -> BoardReading | None:
        """The board, or None where there is none in sight; `known` is an earlier reading of it with all its stars."""


class ReadsDice(Protocol):
    """What reads the dice of a picture (vision.dice.reader.DiceReader)."""

    def read(self, image: Image, pose: TablePose, hidden_mm: Sequence[Polygon] = ()) -> DiceReading:
        """The dice on the table and the loop of string."""


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """An earlier look through the same view of the table, with nothing in the way, and where the picture changed since."""

    scene: SceneReading
    changed_mm: tuple[Polygon, ...]
    """Every place that may have changed."""


class Look:
    """Reads whole scenes. One for each camera: it keeps the last good pose while markers are covered, the cards that it read by
    place, so that only changed places are read again (not with `cards`, which are asked as they are), and the stars' numbers.

    `decks`: what vision.cards.CardReader takes; without any, cards are not looked for. `board_area_mm`: where the board lies,
    if known. `corners_px`: the table rectangle's corners in the picture (top left, top right, bottom right, bottom left), for
    a profile that does without markers. `dice`: what reads dice; without it they are not looked for. `loop_at_mm`: a point on or
    in the loop that counts, where several lie.
    """

    def __init__(
        self,
        table_mm: tuple[float, float],
        decks: Sequence[Any] = (),
        lens: Lens | None = None,
        *,
        board_area_mm: Area | None = None,
        want_board: bool = True,
        corners_px: Quad | None = None,
        cards: ReadsCards | None = None,
        board: ReadsBoard | None = None,
        dice: ReadsDice | None = None,
        loop_at_mm: tuple[float, float] | None = None,
    ) -> None:
        self.table_mm = table_mm
        self._lens = lens
        self._corners_px = corners_px
        self._board_area_mm = board_area_mm
        self._steady = _steady_reader(decks) if cards is None else None
        self._cards = cards if cards is not None else self._steady
        self._board = board if board is not None else (_board_reader() if want_board else None)
        self._dice = dice
        self._loop_at_mm = loop_at_mm
        self._known: BoardReading | None = None
        self._tracker = PoseTracker(table_mm, lens, corners_px)

    def forget(self) -> None:
        """Lets go of the held pose and of all readings: the next picture is of another table or camera."""
        self._tracker = PoseTracker(self.table_mm, self._lens, self._corners_px)
        self._known = None
        if self._steady is not None:
            self._steady.forget()

    def locate(self, frame: Frame) -> TablePose:
        """Where the table is. Raises PoseLostError where too few markers were ever seen, BadPictureError for a dark picture."""
        if too_dark(frame.image):
            raise BadPictureError("the picture is too dark to see the table; switch the light on or open the lens")
        return self._tracker.locate(frame.image)

    def read(
        self,
        frame: Frame,
        hidden_mm: Sequence[Polygon] = (),
        pose: TablePose | None = None,
        before: Before | None = None,
    ) -> SceneReading:
        """The scene. `hidden_mm`: areas known to be covered (beside the hands found in the picture); `pose` if known already;
        with `before`, what was read then and has not changed since is not read again.

        Raises as `locate` does.
        """
        pose = pose if pose is not None else self.locate(frame)
        reach = find_reach(frame.image, pose)
        hidden = tuple(hidden_mm)
        kept = before if reach is None and not hidden else None
        board, cards = self._things(frame.image, pose, hidden, kept)
        if reach is not None:
            # What was read beside and under a hand tells the hand from the things it touches; then it is all read again,
            # so that nothing is made of the hand itself.
            hidden = (*hidden, *hidden_areas(reach, pose, board, cards))
            board, cards = self._things(frame.image, pose, hidden, None)
        if self._steady is not None and not hidden:
            self._steady.keep()
        if board is not None and not hidden and {star.n for star in board.stars} == NUMBERS:
            self._known = board
        warnings = (*pose.warnings, *_light_warnings(frame.image))
        dice = self._read_dice(frame.image, pose, hidden_mm)
        return SceneReading(
            pose.state,
            self.table_mm,
            cards,
            board,
            hidden,
            warnings,
            dice.dice if dice is not None else (),
            dice.arena if dice is not None else None,
        )

    def _read_dice(self, image: Image, pose: TablePose, hidden_mm: Sequence[Polygon]) -> DiceReading | None:
        if self._dice is None:
            return None
        read = self._dice.read(image, pose, hidden_mm)
        if self._loop_at_mm is None:
            return read
        from vision.dice.pointed import with_loop_at

        return with_loop_at(read, image, pose, self._loop_at_mm, hidden_mm)

    def _things(
        self, image: Image, pose: TablePose, hidden_mm: Sequence[Polygon], before: Before | None
    ) -> tuple[BoardReading | None, tuple[CardReading, ...]]:
        board = None
        if self._board is not None:
            kept = _kept_board(before)
            board = kept or self._board.read(image, pose, self._board_area_mm, hidden_mm, self._known)
        if self._cards is None:
            return board, ()
        # What remembers the cards sees more than whether the table changed: it is asked each time.
        if self._steady is None and before is not None and _cards_stand(before, board):
            return board, before.scene.cards
        return board, self._cards.read(image, pose, (board.outline_mm,) if board is not None else (), hidden_mm)


def _kept_board(before: Before | None) -> BoardReading | None:
    """The earlier board, where it was read without doubt and nothing on it changed."""
    board = before.scene.board if before is not None else None
    if before is None or board is None or board.doubts or any(star.n is None for star in board.stars):
        return None
    return None if touches(before.changed_mm, board.outline_mm, before.scene.table_mm) else board


def _cards_stand(before: Before, board: BoardReading | None) -> bool:
    """Whether the earlier cards were all read and nothing changed but what lies on the board."""
    sure = all(card.card is not None or card.face is Face.DOWN for card in before.scene.cards)
    return sure and not beyond(before.changed_mm, board.outline_mm if board else None, before.scene.table_mm)


def too_dark(image: Image) -> bool:
    """Whether nothing in a picture is bright enough to be read."""
    return _bright_level(image) < DARK_LEVEL


def _bright_level(image: Image) -> float:
    """Grey level that one pixel in a hundred reaches, of every eighth pixel each way."""
    sparse = np.ascontiguousarray(image[::8, ::8])
    return float(np.percentile(np.maximum(np.maximum(sparse[..., 0], sparse[..., 1]), sparse[..., 2]), 99.0))


def _light_warnings(image: Image) -> tuple[str, ...]:
    if _bright_level(image) >= DIM_LEVEL:
        return ()
    return ("the light over the table is low: readings may stay unsure until there is more",)


def _steady_reader(decks: Sequence[Any]) -> SteadyReader | None:
    if not decks:
        return None
    from vision.cards import CardReader, SteadyReader

    return SteadyReader(CardReader(decks))


def _board_reader() -> ReadsBoard:
    from vision.board import BoardReader

    return BoardReader()


def scene_json(name: str, scene: SceneReading) -> dict[str, Any]:
    """The line that `hoshiban look` prints for a picture (architecture, Contracts), mm to 0.1, confidences to 0.001.

    Further fields: "pose", "hidden_mm" (polygons), "warnings", in the board "outline_mm" and "doubts", in a die "outline_px", and
    where dice were looked for "arena_state" ("found", "none" or "several") and "throw_states": why no throw can be read from the
    picture as it stands (vision.dice.states), empty where one can.
    """
    return {
        "picture": name,
        "cards": [_card_json(card) for card in scene.cards],
        "dice": [_die_json(die) for die in scene.dice],
        "arena": _points(scene.arena.polygon_mm) if scene.arena is not None and scene.arena.polygon_mm else None,
        "board": _board_json(scene.board) if scene.board is not None else None,
        "pose": scene.pose.value,
        "hidden_mm": [_points(area) for area in scene.hidden_mm],
        "warnings": list(scene.warnings),
        **(_arena_json(scene, scene.arena) if scene.arena is not None else {}),
    }


def _arena_json(scene: SceneReading, arena: Arena) -> dict[str, Any]:
    states = throw_states(scene.dice, arena, covered=bool(scene.hidden_mm))
    return {"arena_state": arena.state.value, "throw_states": [state.value for state in states]}


def _points(points: Sequence[Point]) -> list[list[float]]:
    return [[round(x, 1), round(y, 1)] for x, y in points]


def _card_json(card: CardReading) -> dict[str, Any]:
    return {
        "card": card.card,
        "face": card.face.value if card.face is not None else None,
        "x_mm": round(card.x_mm, 1),
        "y_mm": round(card.y_mm, 1),
        "angle_deg": round(card.angle_deg, 1) % 360 if card.angle_deg is not None else None,
        "corners_px": _points(card.corners_px),
        "confidence": round(card.confidence, 3),
        "candidates": [[name, round(confidence, 3)] for name, confidence in card.candidates],
    }


def _die_json(die: DieReading) -> dict[str, Any]:
    return {
        "sides": die.sides,
        "symbol": die.symbol,
        "x_mm": round(die.x_mm, 1),
        "y_mm": round(die.y_mm, 1),
        "inside": die.inside,
        "colour": list(die.colour) if die.colour is not None else None,
        "confidence": round(die.confidence, 3),
        "candidates": [[name, round(confidence, 3)] for name, confidence in die.candidates],
        "outline_px": _points(die.outline_px),
        "top_px": _points(die.top_px),
        "doubts": [doubt.value for doubt in die.doubts],
    }


def _board_json(board: BoardReading) -> dict[str, Any]:
    stars = sorted(board.stars, key=lambda star: (star.n is None, star.n or 0, star.y_mm, star.x_mm))
    return {
        "stars": [_star_json(star) for star in stars],
        "lines": [
            {"a": line.a, "b": line.b, "colour": line.colour.value, "confidence": round(line.confidence, 3)}
            for line in sorted(board.lines, key=lambda line: (line.a, line.b))
        ],
        "crossings": board.crossings,
        "points": board.points,
        "dark": board.dark,
        "outline_mm": _points(board.outline_mm),
        "doubts": [
            {
                "a": doubt.a,
                "b": doubt.b,
                "reason": doubt.reason.value,
                "colour": doubt.colour.value if doubt.colour is not None else None,
                "confidence": round(doubt.confidence, 3),
            }
            for doubt in sorted(board.doubts, key=lambda doubt: (doubt.a, doubt.b))
        ],
    }


def _star_json(star: StarReading) -> dict[str, Any]:
    line: dict[str, Any] = {
        "n": star.n,
        "x_mm": round(star.x_mm, 1),
        "y_mm": round(star.y_mm, 1),
        "square": star.square,
        "confidence": round(star.confidence, 3),
    }
    if star.n is None:
        line["candidates"] = [[n, round(confidence, 3)] for n, confidence in star.candidates]
    return line
