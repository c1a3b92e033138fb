"""Hands and other things over the table: found whatever their colour, never made of grain, glare, shadow, cards or the board."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.frame import Image
from vision.hands import areas_reaching_in, beyond, find_reach, hidden_areas, share_hidden, touches
from vision.observation import BoardReading, CardReading, Face, Polygon
from vision.table import TablePose, locate_table, marker_papers, pose_of_corners

TABLE_MM = (700.0, 420.0)


def pose_in(stage: Any) -> TablePose:
    pose: TablePose = stage.PlainReader().locate(None)
    return pose


def covers(areas: tuple[Polygon, ...], point: tuple[float, float]) -> bool:
    return any(cv2.pointPolygonTest(np.float32(area).reshape(-1, 1, 2), point, False) >= 0 for area in areas)


def hidden(image: Image, pose: TablePose, board: BoardReading | None = None, cards: Any = ()) -> tuple[Polygon, ...]:
    reach = find_reach(image, pose)
    return () if reach is None else hidden_areas(reach, pose, board, cards)


def grounds() -> dict[str, Image]:
    """Table tops at 640 x 360, drawn here: plain, grained, blotched, lit from a corner, with a glare at the border."""
    rng = np.random.default_rng(3)
    height, width = 360, 640
    flat = np.full((height, width, 3), (120, 130, 140), np.float32)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), sigmaX=14, sigmaY=1)
    blotch = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 9)
    y, x = np.mgrid[:height, :width].astype(np.float32)
    lamp = 1.2 - 0.7 * np.hypot(x / width, y / height)
    glare = 90 * np.exp(-(((x - 530) / 110) ** 2) - ((y - 360) / 90) ** 2)
    shade = 1 - 0.45 / (1 + np.exp(-(x - 480) / 30))
    tops = {
        "plain": flat,
        "wood": flat * (0.4, 0.7, 1.0) + (grain / grain.std() * 12)[..., None],
        "cloth": flat + (blotch / blotch.std() * 8)[..., None],
        "lamp": flat * lamp[..., None],
        "glare": flat * 0.6 + glare[..., None],
        "soft shadow": flat * shade[..., None],
    }
    return {name: np.clip(top + rng.normal(0, 3, top.shape), 0, 255).astype(np.uint8) for name, top in tops.items()}


def with_arm(ground: Image, colour: tuple[int, int, int], from_side: str) -> Image:
    ends = {"bottom": ((300, 200), (330, 400)), "left": ((250, 180), (-40, 150)), "top": ((380, 190), (420, -40))}
    image = ground.copy()
    cv2.line(image, *ends[from_side], colour, 44, cv2.LINE_AA)
    return cv2.GaussianBlur(image, (0, 0), 0.7)


@pytest.mark.parametrize("ground", grounds())
def test_a_bare_table_hides_nothing(ground: str, stage: Any) -> None:
    assert find_reach(grounds()[ground], pose_in(stage)) is None


@pytest.mark.parametrize("ground", grounds())
@pytest.mark.parametrize("side", ["bottom", "left", "top"])
@pytest.mark.parametrize("colour", [(150, 180, 230), (30, 45, 70), (40, 120, 30), (20, 20, 20)])
def test_an_arm_of_any_colour_hides_what_it_covers(
    ground: str, side: str, colour: tuple[int, int, int], stage: Any
) -> None:
    areas = hidden(with_arm(grounds()[ground], colour, side), pose_in(stage))
    inside = {"bottom": (320.0, 300.0), "left": (150.0, 200.0), "top": (440.0, 110.0)}
    assert covers(areas, inside[side])
    assert share_hidden(areas, TABLE_MM) < 0.3


def test_an_arm_that_comes_in_over_a_marker_is_seen(stage: Any) -> None:
    pose, image = pose_in(stage), grounds()["wood"]
    for rim, colour in ((9.0, (235, 238, 240)), (0.0, (25, 25, 25))):
        for paper in marker_papers(TABLE_MM, rim):
            cv2.fillPoly(image, [np.rint(pose.to_px(list(paper))).astype(np.int32)], colour)
    assert find_reach(image, pose) is None
    start, end = np.rint(pose.to_px([(560.0, 320.0), (760.0, 460.0)])).astype(int)
    cv2.line(image, tuple(start.tolist()), tuple(end.tolist()), (120, 60, 30), 44, cv2.LINE_AA)
    assert covers(hidden(cv2.GaussianBlur(image, (0, 0), 0.7).astype(np.uint8), pose), (600.0, 348.0))


def test_a_thing_that_lies_free_of_the_border_is_no_hand(stage: Any) -> None:
    table = stage.Table(cards=((60, 60), (640, 350), (350, 380)), lines=((1, 5),))
    assert find_reach(stage.shot(table, 0), pose_in(stage)) is None


def test_the_board_beneath_fingers_shows_between_them(stage: Any) -> None:
    table = stage.Table(lines=((1, 2), (3, 6), (2, 6)), hand=(330, 250))
    image, pose = stage.shot(table, 0), pose_in(stage)
    board = stage.PlainReader()._board(image, pose, ())
    areas = hidden(image, pose, board)
    assert covers(areas, (332, 290))
    assert not covers(areas, (400, 150))
    assert not covers(areas, (230, 300))


def test_a_card_that_was_read_beside_a_hand_is_not_hidden(stage: Any) -> None:
    table = stage.Table(cards=((100, 330),), hand=(140, 250))
    image, pose = stage.shot(table, 0), pose_in(stage)
    corners = tuple((float(u), float(v)) for u, v in pose.to_px([(68.5, 286), (131.5, 286), (131.5, 374), (68.5, 374)]))
    card = CardReading("sun", Face.UP, 100, 330, 0.0, corners, 1.0)  # type: ignore[arg-type]
    assert covers(hidden(image, pose), (90, 330))
    assert not covers(hidden(image, pose, None, (card,)), (90, 330))
    assert covers(hidden(image, pose, None, (card,)), (150, 275))


def test_a_change_hides_only_where_it_comes_from_the_border() -> None:
    pose = pose_of_corners(((20, 6), (300, 6), (300, 174), (20, 174)), TABLE_MM)
    arm, card = np.zeros((180, 320), np.uint8), np.zeros((180, 320), np.uint8)
    cv2.line(arm, (150, 100), (160, 179), 255, 22)
    cv2.rectangle(card, (40, 20), (65, 55), 255, -1)
    assert areas_reaching_in(card, pose, 1) == ()
    (area,) = areas_reaching_in(arm | card, pose, 1)
    assert covers((area,), (332, 280))
    assert not covers((area,), (80, 80))


def test_what_stays_outside_the_table_hides_nothing() -> None:
    pose = pose_of_corners(((60, 30), (260, 30), (260, 150), (60, 150)), TABLE_MM)
    beside = np.zeros((180, 320), np.uint8)
    cv2.rectangle(beside, (0, 0), (55, 179), 255, -1)
    assert areas_reaching_in(beside, pose, 1) == ()


def test_areas_and_things_on_the_table_meet_or_do_not() -> None:
    board = ((200.0, 60.0), (500.0, 60.0), (500.0, 360.0), (200.0, 360.0))
    on = ((250.0, 100.0), (290.0, 100.0), (290.0, 110.0))
    off = ((20.0, 20.0), (60.0, 20.0), (60.0, 60.0))
    across = ((480.0, 100.0), (560.0, 100.0), (560.0, 140.0), (480.0, 140.0))
    assert [touches([area], board, TABLE_MM) for area in (on, off, across)] == [True, False, True]
    assert [beyond([area], board, TABLE_MM) for area in (on, off, across)] == [False, True, True]
    assert beyond([on], None, TABLE_MM)
    assert share_hidden([board], TABLE_MM) == pytest.approx(300 * 300 / (700 * 420), abs=0.01)


def test_hands_of_the_footage_are_found_and_nothing_else(shared: Path) -> None:
    wrong = []
    for truth_file in sorted((shared / "footage").glob("*/*.json")):
        truth = json.loads(truth_file.read_text())
        if "table_mm" not in truth or truth_file.parent.name == "hoshizora-game-2":
            continue
        image = cv2.imread(str(truth_file.with_suffix(".jpg")))
        image = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        found = find_reach(image, locate_table(image, tuple(truth["table_mm"]))) is not None
        if found != bool(truth.get("hands")):
            wrong.append(truth_file.stem)
    assert not wrong


@pytest.mark.parametrize("skin", [(150, 180, 230), (40, 60, 95), (60, 130, 40)])
def test_fingers_over_a_card_that_could_not_be_read_hide_what_they_cover_and_no_more(
    skin: tuple[int, int, int], stage: Any
) -> None:
    pose = pose_in(stage)
    image = grounds()["plain"].copy()
    card = np.array([(230, 120), (320, 120), (320, 240), (230, 240)], np.float64)
    cv2.fillPoly(image, [card.astype(np.int32)], (245, 245, 245))
    cv2.rectangle(image, (245, 135), (275, 165), (40, 40, 200), -1)
    without = cv2.GaussianBlur(image, (0, 0), 0.7)
    cv2.line(image, (290, 360), (290, 190), skin, 26, cv2.LINE_AA)
    cv2.line(image, (290, 400), (290, 290), skin, 60, cv2.LINE_AA)
    image = cv2.GaussianBlur(image, (0, 0), 0.7)
    quad = tuple((float(x), float(y)) for x, y in card)
    unsure = CardReading(None, None, 0, 0, None, quad, 0.1, (("red-3", 0.1), ("red-8", 0.05)))
    hides = np.zeros(image.shape[:2], np.uint8)
    for area in hidden(image, pose, None, [unsure]):
        cv2.fillPoly(hides, [pose.to_px(list(area)).round().astype(np.int32)], 1)
    inside = cv2.fillPoly(np.zeros(image.shape[:2], np.uint8), [card.astype(np.int32)], 1) > 0
    finger = (cv2.absdiff(image, without).max(axis=2) > 20) & inside
    assert hides[finger].mean() > 0.9
    assert hides[inside & ~finger].mean() < 0.1
