"""One look at one picture: what is composed, what is read again, what is printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from vision.errors import BadPictureError, PoseLostError
from vision.frame import Frame, Image
from vision.look import Before, Look, scene_json, too_dark
from vision.observation import (
    BoardReading,
    CardReading,
    Colour,
    DoubtReason,
    Face,
    LineReading,
    PairDoubt,
    Polygon,
    PoseState,
    Quad,
    SceneReading,
    StarReading,
)

TABLE_MM = (700.0, 420.0)
OUTLINE: Quad = ((200.0, 60.0), (500.0, 60.0), (500.0, 360.0), (200.0, 360.0))
CORNERS: Quad = ((40.0, 12.0), (600.0, 12.0), (600.0, 348.0), (40.0, 348.0))
ON_BOARD: Polygon = ((300.0, 100.0), (340.0, 100.0), (340.0, 110.0))
BESIDE: Polygon = ((50.0, 100.0), (110.0, 100.0), (110.0, 190.0))
SURE = CardReading("sun", Face.UP, 100.04, 200.06, 359.96, CORNERS, 0.98765, (("sun", 0.98765),))


class Cards:
    """Answers what it was given, and keeps what it was asked."""

    def __init__(self, *cards: CardReading) -> None:
        self.cards, self.asked = cards, []

    def read(
        self, image: Image, pose: object, ignore_mm: Sequence[Polygon] = (), hidden_mm: Sequence[Polygon] = ()
    ) -> tuple[CardReading, ...]:
        self.asked.append((tuple(ignore_mm), tuple(hidden_mm)))
        return self.cards


class Board:
    """Answers what it was given, and keeps what it was asked."""

    def __init__(self, board: BoardReading | None) -> None:
        self.board, self.asked = board, []

    def read(
        self,
        image: Image,
        pose: object,
        area_mm: object = None,
        hidden_mm: Sequence[Polygon] = (),
        known: BoardReading | None = None,
    ) -> BoardReading | None:
        self.asked.append((area_mm, tuple(hidden_mm)))
        return self.board


def a_board(**changes: Any) -> BoardReading:
    stars = (StarReading(2, 300.04, 100, 1, 1.0), StarReading(None, 400, 300, 7, 0.4, ((6, 0.4), (9, 0.35))))
    fields = {
        "outline_mm": OUTLINE,
        "dark": False,
        "stars": stars,
        "lines": (LineReading(2, 6, Colour.RED, 0.9), LineReading(1, 2, Colour.BLUE, 0.9)),
        "doubts": (PairDoubt(3, 4, DoubtReason.FAINT, Colour.RED, 0.5),),
        "crossings": 0,
        "points": 2,
    }
    return BoardReading(**{**fields, **changes})


def sure_board() -> BoardReading:
    return a_board(stars=(StarReading(2, 300, 100, 1, 1.0),), doubts=())


def looker(cards: Cards, board: Board, **more: Any) -> Look:
    return Look(TABLE_MM, corners_px=CORNERS, cards=cards, board=board, **more)


def frame(image: Image) -> Frame:
    return Frame(image, 0, 0, name="x.jpg", settled=True)


def test_cards_are_not_looked_for_on_the_board(stage: Any) -> None:
    cards, board = Cards(SURE), Board(a_board())
    scene = looker(cards, board, board_area_mm=(200, 60, 300, 300)).read(frame(stage.shot(stage.Table(), 0)))
    assert scene.cards == (SURE,)
    assert cards.asked == [((OUTLINE,), ())]
    assert board.asked == [((200, 60, 300, 300), ())]


def test_with_a_hand_all_is_read_again_with_what_it_hides(stage: Any) -> None:
    cards, board = Cards(), Board(None)
    scene = looker(cards, board).read(frame(stage.shot(stage.Table(hand=(330, 250)), 0)))
    assert scene.hidden_mm
    assert [hidden for _, hidden in cards.asked] == [(), scene.hidden_mm]
    assert [hidden for _, hidden in board.asked] == [(), scene.hidden_mm]


@pytest.mark.parametrize(
    ("changed", "reads_cards", "reads_board"),
    [((), 0, 0), ((BESIDE,), 1, 0), ((ON_BOARD,), 0, 1), ((ON_BOARD, BESIDE), 1, 1)],
)
def test_only_what_changed_is_read_again(
    changed: tuple[Polygon, ...], reads_cards: int, reads_board: int, stage: Any
) -> None:
    cards, board = Cards(SURE), Board(sure_board())
    before = Before(SceneReading(PoseState.LIVE, TABLE_MM, (SURE,), sure_board()), changed)
    scene = looker(cards, board).read(frame(stage.shot(stage.Table(), 0)), before=before)
    assert (len(cards.asked), len(board.asked)) == (reads_cards, reads_board)
    assert scene.cards == (SURE,)
    assert scene.board == sure_board()


def test_what_was_in_doubt_is_read_again_though_nothing_changed(stage: Any) -> None:
    unsure = CardReading(None, Face.UP, 100, 200, None, CORNERS, 0.4)
    cards, board = Cards(SURE), Board(sure_board())
    before = Before(SceneReading(PoseState.LIVE, TABLE_MM, (unsure,), a_board()), ())
    scene = looker(cards, board).read(frame(stage.shot(stage.Table(), 0)), before=before)
    assert (len(cards.asked), len(board.asked)) == (1, 1)
    assert scene.cards == (SURE,)


def test_a_dark_picture_is_named_and_not_read(stage: Any) -> None:
    dark = (stage.shot(stage.Table(), 0) // 24).astype(np.uint8)
    assert too_dark(dark)
    cards = Cards()
    with pytest.raises(BadPictureError, match="too dark"):
        looker(cards, Board(None)).read(frame(dark))
    assert not cards.asked


def test_low_light_is_a_warning(stage: Any) -> None:
    dim = (stage.shot(stage.Table(), 0) // 5).astype(np.uint8)
    scene = looker(Cards(), Board(None)).read(frame(dim))
    assert any("low" in warning for warning in scene.warnings)
    assert not looker(Cards(), Board(None)).read(frame(stage.shot(stage.Table(), 0))).warnings


def test_no_markers_in_a_first_picture_lose_the_table(stage: Any) -> None:
    look = Look(TABLE_MM, cards=Cards(), board=Board(None))
    with pytest.raises(PoseLostError, match="marker"):
        look.read(frame(stage.shot(stage.Table(), 0)))


def test_a_scene_prints_as_the_contract_says() -> None:
    unknown = CardReading(None, None, 1, 2, None, CORNERS, 0.31234, (("moon", 0.31234), ("sun", 0.2)))
    scene = SceneReading(PoseState.LIVE, TABLE_MM, (SURE, unknown), a_board(), (ON_BOARD,), ("dim",))
    line = json.loads(json.dumps(scene_json("x.jpg", scene), allow_nan=False))

    assert line["picture"] == "x.jpg"
    assert line["dice"] == []
    assert line["arena"] is None
    assert line["cards"][0] == {
        "card": "sun", "face": "up", "x_mm": 100.0, "y_mm": 200.1, "angle_deg": 0.0,
        "corners_px": [list(corner) for corner in CORNERS], "confidence": 0.988, "candidates": [["sun", 0.988]],
    }  # fmt: skip
    assert [line["cards"][1][key] for key in ("card", "face", "angle_deg")] == [None, None, None]
    assert line["cards"][1]["candidates"] == [["moon", 0.312], ["sun", 0.2]]
    assert [(x["a"], x["b"], x["colour"]) for x in line["board"]["lines"]] == [(1, 2, "blue"), (2, 6, "red")]
    assert [star["n"] for star in line["board"]["stars"]] == [2, None]
    assert line["board"]["stars"][1]["candidates"] == [[6, 0.4], [9, 0.35]]
    assert (line["board"]["crossings"], line["board"]["points"]) == (0, 2)
    assert line["board"]["doubts"] == [{"a": 3, "b": 4, "reason": "faint", "colour": "red", "confidence": 0.5}]
    assert line["hidden_mm"] == [[list(point) for point in ON_BOARD]]
    assert (line["pose"], line["warnings"]) == ("live", ["dim"])


def test_a_table_without_a_board_prints_null() -> None:
    assert scene_json("x", SceneReading(PoseState.HELD, TABLE_MM))["board"] is None
