"""The table's pose from drawn markers: exact homographies are the truth."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent / "cards"))

from drawn_cards import TABLE_MM, Drawn, draw_table, plain, wood

from vision.errors import BadPictureError, BadTableSizeError, PoseLostError
from vision.markers import find_markers
from vision.observation import PoseState
from vision.table import Lens, PoseTracker, TablePose, locate_table, marker_mm, pose_of_corners

PLACES = [(0.0, 0.0), (500.0, 0.0), (500.0, 320.0), (0.0, 320.0), (250.0, 160.0)]


def error_mm(pose: TablePose, drawn: Drawn) -> float:
    return float(np.linalg.norm(pose.to_mm(drawn.px(PLACES)) - np.array(PLACES), axis=1).max())


@pytest.mark.parametrize("ground", [wood, plain(30), plain(200)], ids=["wood", "dark", "light"])
@pytest.mark.parametrize("light", [0.25, 1.0])
def test_four_markers_place_the_table_within_a_fifth_of_a_millimetre(ground: object, light: float) -> None:
    drawn = draw_table(ground=ground, tilt=1.0, light=light)  # type: ignore[arg-type]
    pose = locate_table(drawn.image, TABLE_MM)
    assert pose.state is PoseState.LIVE
    assert pose.warnings == ()
    assert error_mm(pose, drawn) < 0.2


def test_three_markers_do_with_a_warning_that_names_the_fourth() -> None:
    drawn = draw_table(covered=[2], tilt=0.5)
    pose = locate_table(drawn.image, TABLE_MM)
    assert pose.state is PoseState.PARTIAL
    assert "2 (bottom right)" in pose.warnings[0]
    assert "uncover" in pose.warnings[0]
    assert error_mm(pose, drawn) < 1.5


@pytest.mark.parametrize("covered", [(0, 1), (1, 2), (0, 3), (0, 2)])
def test_two_markers_still_give_a_pose(covered: tuple[int, ...]) -> None:
    drawn = draw_table(covered=covered)
    pose = locate_table(drawn.image, TABLE_MM)
    assert pose.state is PoseState.PARTIAL
    seen = [n for n in range(4) if n not in covered]
    close = [PLACES[n] for n in seen]
    assert np.abs(pose.to_mm(drawn.px(close)) - np.array(close)).max() < 1.0
    # The far side is extrapolated, and this drawn camera is stranger than a real one.
    assert error_mm(pose, drawn) < 30


def test_one_marker_is_too_few_and_the_line_says_what_to_do() -> None:
    with pytest.raises(PoseLostError, match=r"1 of the 4 table markers.*uncover"):
        locate_table(draw_table(covered=[0, 1, 2]).image, TABLE_MM)


def test_another_table_size_is_named() -> None:
    with pytest.raises(BadTableSizeError, match=r"(49[5-9]|50[0-5])x(31[6-9]|32[0-4]) mm, not 600x320"):
        locate_table(draw_table().image, (600.0, 320.0))


def test_another_table_size_may_also_be_a_bent_picture() -> None:
    with pytest.raises(BadTableSizeError, match=r"lens bends the picture.*hoshiban calibrate lens"):
        locate_table(draw_table().image, (600.0, 320.0))


@pytest.mark.parametrize("blur", [0.5, 1.2])
@pytest.mark.parametrize("size_px", [(620, 410), (540, 370)])
def test_small_and_blurred_markers_are_placed_within_a_pixel(blur: float, size_px: tuple[int, int]) -> None:
    drawn = draw_table(tilt=0.5, size_px=size_px)
    light = cv2.GaussianBlur((drawn.image / 255.0) ** 2.2, (0, 0), blur)
    image = np.clip(255 * light ** (1 / 2.2), 0, 255).astype(np.uint8)
    found = find_markers(image)
    assert len(found) >= 2
    for marker, places in found.items():
        (corners,) = places
        truth = drawn.px([(float(x), float(y)) for x, y in marker_mm(marker, TABLE_MM)])
        assert np.linalg.norm(corners - truth, axis=1).max() < 1.0


def test_a_marker_that_was_shifted_does_not_bend_the_pose() -> None:
    drawn = draw_table(covered=[1])
    other = draw_table()
    x0, y0 = other.px([(445, -10)])[0].astype(int)
    image = drawn.image.copy()
    part = other.image[y0 : y0 + 150, x0 : x0 + 150]
    image[y0 + 110 : y0 + 110 + part.shape[0], x0 - 60 : x0 - 60 + part.shape[1]] = part
    pose = locate_table(image, TABLE_MM)
    assert pose.state is PoseState.PARTIAL
    assert "1 (top right)" in pose.warnings[0]
    assert error_mm(pose, drawn) < 1.5


def test_a_picture_of_one_pixel_is_refused() -> None:
    with pytest.raises(BadPictureError, match="too small"):
        locate_table(np.zeros((1, 1, 3), np.uint8), TABLE_MM)


def test_the_pose_is_held_while_markers_are_covered_and_live_again_after() -> None:
    tracker = PoseTracker(TABLE_MM)
    drawn = draw_table()
    first = tracker.locate(drawn.image)
    held = tracker.locate(draw_table(covered=[0, 1, 3]).image)
    assert held.state is PoseState.HELD
    assert "0 (top left), 1 (top right) and 3 (bottom left)" in held.warnings[0]
    assert np.array_equal(held.to_mm_matrix, first.to_mm_matrix)
    none = tracker.locate(draw_table(covered=[0, 1, 2, 3]).image)
    assert none.state is PoseState.HELD
    assert tracker.locate(drawn.image).state is PoseState.LIVE


def test_a_pose_that_rests_is_the_very_same_pose() -> None:
    tracker = PoseTracker(TABLE_MM)
    drawn = draw_table()
    again = np.clip(drawn.image.astype(int) + np.random.default_rng(3).integers(-2, 3, drawn.image.shape), 0, 255)
    first = tracker.locate(drawn.image)
    assert tracker.locate(again.astype(np.uint8)) is first


def test_a_bumped_camera_gives_a_new_pose() -> None:
    tracker = PoseTracker(TABLE_MM)
    tracker.locate(draw_table().image)
    bumped = draw_table(tilt=0.5)
    pose = tracker.locate(bumped.image)
    assert pose.state is PoseState.LIVE
    assert error_mm(pose, bumped) < 0.2


def test_a_picture_of_another_size_starts_anew() -> None:
    tracker = PoseTracker(TABLE_MM)
    tracker.locate(draw_table().image)
    smaller = draw_table(size_px=(1000, 700))
    assert error_mm(tracker.locate(smaller.image), smaller) < 0.3


def test_a_tracker_that_never_saw_the_table_says_so() -> None:
    with pytest.raises(PoseLostError):
        PoseTracker(TABLE_MM).locate(draw_table(covered=[0, 1, 2, 3]).image)


def test_clicked_corners_do_without_markers() -> None:
    drawn = draw_table(covered=[0, 1, 2, 3], tilt=0.4)
    corners = tuple((float(x), float(y)) for x, y in drawn.px(PLACES[:4]))
    pose = PoseTracker(TABLE_MM, corners_px=corners).locate(drawn.image)  # type: ignore[arg-type]
    assert pose.state is PoseState.LIVE
    assert error_mm(pose, drawn) < 0.01
    assert error_mm(pose_of_corners(corners, TABLE_MM), drawn) < 0.01  # type: ignore[arg-type]


def test_a_lens_that_bends_the_picture_is_straightened() -> None:
    drawn = draw_table()
    height, width = drawn.image.shape[:2]
    matrix = np.array([[1100.0, 0, width / 2], [0, 1100.0, height / 2], [0, 0, 1]])
    lens = Lens(matrix, np.array([-0.12, 0.03, 0.0, 0.0, 0.0]))
    u, v = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
    straight = cv2.undistortPoints(
        np.stack([u.ravel(), v.ravel()], axis=1).reshape(-1, 1, 2), lens.matrix, lens.coefficients, P=lens.matrix
    ).reshape(height, width, 2)
    bent = cv2.remap(drawn.image, *cv2.split(straight.astype(np.float32)), cv2.INTER_CUBIC)
    pose = locate_table(bent, TABLE_MM, lens)
    seen = lens.distort(drawn.px(PLACES))
    assert np.linalg.norm(pose.to_mm(seen) - np.array(PLACES), axis=1).max() < 0.25
    assert np.abs(pose.to_px(PLACES) - seen).max() < 0.6
    flat = pose.rectify(bent, 2.0, (0, 0, 80, 80))
    assert flat[40, 6].max() < 90, "the marker's black border"
    assert locate_table(bent, TABLE_MM).to_mm(seen)[4] != pytest.approx(np.array(PLACES[4]), abs=0.01)
