"""Whole boards, drawn with their truth: what must be read, what must not be invented, what must stay in doubt."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn_boards import LOOKS, Scene, Stroke, draw, square_of

from vision.board.reader import BoardReader
from vision.observation import BoardReading, DoubtReason
from vision.table import locate_table

STARS = {
    1: (230.0, 95.0), 2: (352.0, 82.0), 3: (470.0, 120.0), 4: (262.0, 198.0), 5: (345.0, 215.0), 6: (440.0, 190.0),
    7: (225.0, 280.0), 8: (285.0, 330.0), 9: (350.0, 300.0), 10: (378.0, 340.0), 11: (435.0, 285.0), 12: (475.0, 330.0),
}  # fmt: skip
LINES = [
    Stroke(1, 4, "red"), Stroke(1, 5, "blue"), Stroke(2, 4, "red"), Stroke(3, 6, "blue"), Stroke(5, 12, "red"),
    Stroke(8, 11, "red"), Stroke(9, 10, "blue"), Stroke(4, 7, "blue"),
]  # fmt: skip


def scene(**changes: object) -> Scene:
    return replace(Scene(dict(STARS), list(LINES)), **changes)


def read(reader: BoardReader, drawn: Scene, **hints: object) -> BoardReading | None:
    picture = draw(drawn)
    return reader.read(picture, locate_table(picture, drawn.table_mm), **hints)


def lines(reading: BoardReading | None) -> set[tuple[int, int, str]]:
    assert reading is not None
    return {(line.a, line.b, str(line.colour)) for line in reading.lines}


def strokes(drawn: Scene) -> set[tuple[int, int, str]]:
    return {(min(s.a, s.b), max(s.a, s.b), s.colour) for s in drawn.strokes}


def assert_stars(reading: BoardReading | None, drawn: Scene) -> None:
    assert reading is not None
    assert [star.n for star in reading.stars] == sorted(drawn.stars)
    for star in reading.stars:
        assert star.n is not None
        x, y = drawn.stars[star.n]
        assert np.hypot(star.x_mm - x, star.y_mm - y) < 0.7
        assert star.square == square_of(drawn, (x, y))


def look(name: str) -> dict[str, object]:
    board, divider, red, blue = LOOKS[name]
    return {"board": board, "divider": divider, "rim": divider, "red": red, "blue": blue}


@pytest.mark.parametrize("name", ["white", "black", "green"])
def test_a_plain_board_is_read_whole_on_light_and_dark_grounds(reader: BoardReader, name: str) -> None:
    drawn = scene(**look(name), ground="wood", ground_colour=(70, 110, 165))
    reading = read(reader, drawn)
    assert_stars(reading, drawn)
    assert lines(reading) == strokes(drawn)
    assert reading is not None
    assert reading.doubts == ()
    assert reading.dark == (name != "white")
    # 5-12 crosses 8-11, both red; nothing else of one colour crosses.
    assert (reading.crossings, reading.points) == (1, 9)


def test_a_turned_board_of_another_size_with_white_on_black_magnets_is_read(reader: BoardReader) -> None:
    drawn = scene(strokes=[Stroke(1, 2, "red"), Stroke(2, 5, "blue")], side=250.0, corner=(260.0, 60.0), turn_deg=14.0,
                  magnet=(35, 35, 35), ink=(240, 240, 240), radius=7.0, digit_mm=6.0, face=5)  # fmt: skip
    u = [
        (40.0, 40.0),
        (125.0, 40.0),
        (210.0, 40.0),
        (30.0, 120.0),
        (125.0, 125.0),
        (215.0, 120.0),
        (40.0, 205.0),
        (125.0, 210.0),
    ]
    c, s = np.cos(np.radians(14.0)), np.sin(np.radians(14.0))
    drawn.stars = {n: (260 + x * c - y * s, 60 + x * s + y * c) for n, (x, y) in enumerate(u, start=1)}
    reading = read(reader, drawn)
    assert_stars(reading, drawn)
    assert lines(reading) == strokes(drawn)


def test_a_line_past_a_star_joins_only_its_own_ends(reader: BoardReader) -> None:
    # Star 5 stands 4 mm off the middle of the line from 4 to 6; both halves look almost like lines of their own.
    drawn = scene(strokes=[Stroke(4, 6, "red")])
    drawn.stars[5] = (351.0, 198.2)
    reading = read(reader, drawn)
    assert lines(reading) == {(4, 6, "red")}
    assert reading is not None
    assert reading.doubts == ()


def test_two_lines_that_meet_at_a_star_beside_the_straight_way_are_two(reader: BoardReader) -> None:
    drawn = scene(strokes=[Stroke(4, 5, "red"), Stroke(5, 6, "red")])
    drawn.stars[5] = (351.0, 198.5)
    assert lines(read(reader, drawn)) == {(4, 5, "red"), (5, 6, "red")}


def test_two_lines_that_leave_a_star_side_by_side_are_both_seen(reader: BoardReader) -> None:
    drawn = scene(strokes=[Stroke(1, 5, "blue"), Stroke(1, 9, "blue"), Stroke(7, 11, "red"), Stroke(7, 9, "red")])
    drawn.stars[9] = (365.0, 255.0)  # 4 degrees from the way to 5
    drawn.stars[11] = (470.0, 262.0)
    assert lines(read(reader, drawn)) == strokes(drawn)


def test_a_gap_in_the_ink_does_not_break_a_line_and_smudges_make_none(reader: BoardReader) -> None:
    drawn = scene(smudges=14, strokes=[Stroke(1, 5, "blue", gaps=((0.45, 0.5),)), Stroke(3, 6, "red")])
    reading = read(reader, drawn)
    assert lines(reading) == strokes(drawn)
    assert reading is not None
    assert reading.doubts == ()


def test_glare_and_shadow_on_a_dark_board_neither_hide_nor_make_lines(reader: BoardReader) -> None:
    drawn = scene(**look("black"), glares=3, shadows=2, seed=5)
    assert lines(read(reader, drawn)) == strokes(drawn)


def test_a_black_line_is_a_doubt_about_its_colour(reader: BoardReader) -> None:
    drawn = scene(strokes=[Stroke(1, 4, "red"), Stroke(3, 6, "blue")], blue=(35, 35, 35))
    reading = read(reader, drawn)
    assert lines(reading) == {(1, 4, "red")}
    assert reading is not None
    assert [(d.a, d.b, d.reason) for d in reading.doubts] == [(3, 6, DoubtReason.COLOUR)]


def test_a_green_line_is_neither_red_nor_blue(reader: BoardReader) -> None:
    drawn = scene(strokes=[Stroke(1, 4, "red"), Stroke(3, 6, "blue")], blue=(70, 140, 40))
    reading = read(reader, drawn)
    assert lines(reading) == {(1, 4, "red")}
    assert reading is not None
    assert [(d.a, d.b, d.reason) for d in reading.doubts] == [(3, 6, DoubtReason.COLOUR)]


def test_a_blue_that_the_camera_shows_almost_black_is_blue(reader: BoardReader) -> None:
    drawn = scene(red=(80, 80, 140), blue=(115, 98, 96))
    assert lines(read(reader, drawn)) == strokes(drawn)


def test_a_covered_corridor_is_a_doubt_and_neither_a_line_nor_clear(reader: BoardReader) -> None:
    drawn = scene(strokes=[Stroke(1, 4, "red")])
    covered = ((330.0, 225.0), (365.0, 225.0), (365.0, 292.0), (330.0, 292.0))
    reading = read(reader, drawn, hidden_mm=[covered])
    assert lines(reading) == {(1, 4, "red")}
    assert reading is not None
    assert (5, 9, DoubtReason.HIDDEN) in {(d.a, d.b, d.reason) for d in reading.doubts}
    assert (3, 6) not in {(d.a, d.b) for d in reading.doubts}


def test_a_hand_over_the_board_invents_nothing(reader: BoardReader) -> None:
    fingers = [
        np.array([(x, 450.0), (x + 16, 450.0), (x + 16, 268.0), (x + 8, 258.0), (x, 268.0)])
        for x in (335.0, 357.0, 379.0)
    ]
    drawn = scene(hands=fingers)
    reading = read(reader, drawn)
    assert lines(reading) <= strokes(drawn)
    assert reading is not None
    for star in reading.stars:
        assert star.n is None or np.hypot(star.x_mm - STARS[star.n][0], star.y_mm - STARS[star.n][1]) < 1.0
    assert {1, 2, 3, 4, 5, 6, 7} <= {star.n for star in reading.stars}


def test_no_board_is_none_whatever_else_lies_there(reader: BoardReader) -> None:
    cards = [(x, y, 0.0) for x in (150.0, 250.0, 350.0, 450.0, 550.0) for y in (80.0, 210.0, 340.0)]
    assert read(reader, scene(with_board=False, cards=cards)) is None
    assert read(reader, scene(with_board=False, ground="wood", ground_colour=(70, 110, 165))) is None


def test_the_zone_of_the_layout_is_enough_to_find_the_board(reader: BoardReader) -> None:
    drawn = scene(strokes=[])
    reading = read(reader, drawn, area_mm=(200.0, 60.0, 300.0, 300.0))
    assert_stars(reading, drawn)
    assert lines(reading) == set()


def test_a_smaller_picture_is_read_as_well(reader: BoardReader) -> None:
    drawn = scene(size=(1280, 720), digit_mm=6.0)
    reading = read(reader, drawn)
    assert lines(reading) == strokes(drawn)
    assert_stars(reading, drawn)


def test_a_black_picture_has_no_board(reader: BoardReader) -> None:
    pose = locate_table(draw(scene(with_board=False)), (700.0, 420.0))
    assert reader.read(np.zeros((1080, 1920, 3), np.uint8), pose) is None
    noise = cv2.randu(np.zeros((1080, 1920, 3), np.uint8), 0, 255)
    assert reader.read(np.asarray(noise, np.uint8), pose) is None


def test_numbers_too_pale_to_read_stand_where_they_stood(reader: BoardReader) -> None:
    plain, dim = scene(), scene(ink=(66, 178, 222), noise=6.0, blur=1.2)
    known, alone, beside = read(reader, plain), read(reader, dim), read(reader, dim, known=read(reader, plain))
    assert known is not None
    assert alone is not None
    assert sum(star.n is None for star in alone.stars) >= 2  # or the picture is no trial
    assert beside is not None
    assert [star.n for star in beside.stars] == [star.n for star in known.stars]
    assert strokes(dim) <= lines(beside) | {(x.a, x.b, str(x.colour)) for x in beside.doubts}
    assert lines(beside) <= strokes(dim)


def test_a_number_that_can_be_read_outweighs_what_lay_there(reader: BoardReader) -> None:
    before = read(reader, scene())
    moved = {**STARS, 6: STARS[9], 9: STARS[6]}
    swapped = scene(stars=moved, strokes=[])
    assert_stars(read(reader, swapped, known=before), swapped)
