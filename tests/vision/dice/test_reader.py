"""Dice of pictures drawn here, and of the footage where it is there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.bench.dice import drawn_die
from companion.virtual.dice_stills import DiceStill, Oddity, dice_still, odd_still
from hardware.virtual.symbols import SYMBOLS
from vision.arena import NO_ARENA, ArenaState
from vision.dice import reader
from vision.dice.enrolled import EnrolledDie, enrol_die
from vision.dice.eye import eye_of
from vision.dice.find import Overview, Place, find_places
from vision.dice.reader import DiceReader
from vision.observation import DieDoubt, DieReading
from vision.table import locate_table

from .conftest import CAMERA_MM, SIZE_PX, Arena, flat_picture, project, ring_mm

NEAR_MM = 30.0
RED, GREEN, BLUE = (40, 35, 190), (60, 150, 50), (180, 70, 40)


@pytest.fixture
def marks(tmp_path: Path) -> EnrolledDie:
    for mark in ("plus", "bar", "wedge"):
        cv2.imwrite(str(tmp_path / f"{mark}.png"), flat_picture(mark))
    return enrol_die(tmp_path, "marks")


def _told(still: DiceStill) -> tuple[DieReading, ...]:
    """What is read of a drawn picture near its dice, where their symbols are known.

    The rest of the table, its markers and its string, takes most of the time that a whole reading does.
    """
    image, lie = still.picture(), np.array([(die["x"], die["y"]) for die in still.truth()["dice"]])

    def near(view: Overview) -> list[Place]:
        return [place for place in find_places(view) if np.hypot(*(lie - (place.x, place.y)).T).min() < NEAR_MM]

    known = DiceReader([drawn_die(sorted({mark for each in still.marks for mark in each}))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "find_places", near)
        return known.read(image, locate_table(image, (420.0, 250.0)), arena=NO_ARENA).dice


def _near(told: Sequence[DieReading], die: dict[str, Any], within_mm: float = 3.0) -> list[DieReading]:
    """Those of the dice read that lie where one of the truth does."""
    return [each for each in told if np.hypot(die["x"] - each.x_mm, die["y"] - each.y_mm) < within_mm]


def test_the_camera_is_found_over_the_table_from_the_homography_alone(arena: Arena) -> None:
    # Straight down the focal length can't be told and is taken for the usual one: the place beside, not the height, is sure.
    eye = eye_of(arena.pose, *SIZE_PX)
    assert (eye.x, eye.y) == pytest.approx(tuple(CAMERA_MM[:2]), abs=2.0)
    assert eye.height == pytest.approx(CAMERA_MM[2], rel=0.25)


@pytest.mark.parametrize("yaw", [0.1, 0.9, 2.0])
def test_top_faces_are_told_by_flat_symbols_in_any_turn_and_each_die_by_its_place(
    arena: Arena, marks: EnrolledDie, yaw: float
) -> None:
    arena.string(ring_mm(210, 125, 80), (30, 30, 30))
    arena.die(200, 120, 16, yaw, RED, "plus")
    arena.die(240, 150, 16, yaw + 0.4, BLUE, "wedge")
    arena.die(330, 180, 15, yaw, GREEN, None)
    read = DiceReader([marks]).read(arena.finished(), arena.pose)
    assert [(die.sides, die.symbol, die.inside) for die in read.dice] == [
        (8, "plus", True),
        (8, "wedge", True),
        (8, "blank", False),
    ]
    places = [(200, 120), (240, 150), (330, 180)]
    for die, (x, y) in zip(read.dice, places, strict=True):
        assert np.hypot(die.x_mm - x, die.y_mm - y) < 1.5


def test_a_symbol_that_was_never_enrolled_stays_unnamed(arena: Arena, tmp_path: Path) -> None:
    for mark in ("bar", "wedge"):
        cv2.imwrite(str(tmp_path / f"{mark}.png"), flat_picture(mark))
    arena.die(200, 120, 16, 0.5, RED, "plus")
    (die,) = DiceReader([enrol_die(tmp_path, "two")]).read(arena.finished(), arena.pose).dice
    assert die.symbol is None
    assert die.sides == 8
    assert die.doubts == (DieDoubt.FOREIGN,)


@pytest.mark.parametrize(("from_x", "told"), [(203, "plus"), (196, None)])
def test_a_die_under_a_finger_is_read_by_what_shows_of_it_or_not_at_all(
    arena: Arena, marks: EnrolledDie, from_x: int, told: str | None
) -> None:
    arena.die(200, 120, 16, 0.5, RED, "plus")
    hand = [(208, 108), (600, 90), (600, 160), (208, 130), (from_x, 127), (from_x - 1, 111)]
    finger = project(np.array([(x, y, 20.0) for x, y in hand]))
    cv2.fillPoly(arena.picture, [np.rint(finger).astype(np.int32)], (150, 190, 225))
    dice = DiceReader([marks]).read(arena.finished(), arena.pose).dice
    assert [die.symbol for die in dice] in ([told], [] if told is None else [told])
    assert all(np.hypot(die.x_mm - 200, die.y_mm - 120) < 2.0 for die in dice if die.symbol is not None)
    assert all(die.doubts for die in dice if die.symbol is None)


@pytest.mark.parametrize(
    ("number", "fault"),
    [
        (7, "half under a hand"),
        pytest.param(17, "two thirds in sight", marks=pytest.mark.soak),
        (33, "an eight like a ten"),
    ],
)
def test_what_little_shows_of_a_die_is_not_taken_for_another_one(number: int, fault: str) -> None:
    """Drawn pictures in which a die `fault` was placed 6 mm off, as a smaller one, or told with another number of sides."""
    still = dice_still(202, number)
    truth = still.truth()["dice"]
    for told in _told(still):
        near = [die for die in truth if np.hypot(die["x"] - told.x_mm, die["y"] - told.y_mm) < 5.0]
        assert near, f"{fault}: nothing lies at {told.x_mm:.0f}, {told.y_mm:.0f}"
        assert told.sides in {None, near[0]["sides"]}


@pytest.mark.parametrize(
    ("seed", "number", "kind"),
    [
        (8707, 216, "a finger's tip over a corner and half of the symbol"),
        (8707, 238, "a symbol of the sleeve's colour"),
        (8601, 36, "a symbol of which a finger hides less than half"),
    ],
)
def test_the_top_face_of_a_die_under_a_finger_is_told_by_what_shows(seed: int, number: int, kind: str) -> None:
    still = dice_still(seed, number)
    told = _told(still)
    for die in still.truth()["dice"]:
        if die["visible"] >= 0.5:
            near = _near(told, die, 5.0)
            assert [each.symbol for each in near] == [die["symbol"]], kind


def test_what_peeps_out_from_under_a_sleeve_is_told_no_place() -> None:
    """Of a die of which four hundredths of the top face show, a corner was taken for one half as large, 7 mm off."""
    still = dice_still(7301, 98)
    (hidden,) = [die for die in still.truth()["dice"] if die["visible"] < 0.5]
    told = _told(still)
    assert len(told) == 2
    assert _near(told, hidden, 15.0) == []


@pytest.mark.parametrize(("seed", "number"), [(9232, 3), (9609, 3), (9609, 5), (9609, 6), (9610, 7), (9702, 4)])
def test_a_die_that_leans_on_a_fingertip_is_told_as_that(seed: int, number: int) -> None:
    """No flat pose explains it, and what is told of hands holds it too: by its own outline it is a die all the same."""
    still = odd_still(Oddity.LEANING, seed, number)
    (told,) = _told(still)
    assert _near(_told(still), still.truth()["dice"][0]) == [told]
    assert DieDoubt.TILTED in told.doubts
    assert (told.sides, told.symbol) == (None, None)


def test_a_die_at_a_fingertip_whose_outline_no_pose_explains_is_not_told_blank() -> None:
    """It leans by more than the tilts that are tried: flat and tilted poses bear it out alike, and one had a bare top."""
    still = odd_still(Oddity.LEANING, 9619, 1)
    (told,) = _told(still)
    assert told.symbol is None
    assert told.doubts != ()


def test_a_die_that_hangs_together_with_a_thick_string_is_found() -> None:
    """A green one askew on the string, as plain to see as any: nothing was said to lie there."""
    still = odd_still(Oddity.ON_STRING, 9609, 7)
    (told,) = _told(still)
    (truth,) = still.truth()["dice"]
    assert _near([told], truth) == [told]
    assert told.symbol in {None, truth["symbol"]}


def test_what_is_bare_in_a_doubtful_pose_is_not_told_blank() -> None:
    """A dark eight that touches a string passed for a blank ten whose top lay beside its bars."""
    still = odd_still(Oddity.THIRD_DIE, 9609, 5)
    for told in _told(still):
        (die,) = (each for each in still.truth()["dice"] if _near([told], each, 5.0))
        assert told.symbol in {None, die["symbol"]}
        assert told.sides in {None, die["sides"]}


def test_a_bare_side_that_shows_between_fingers_is_no_smaller_dies_top() -> None:
    """Of a ten of 19 mm half shows beside a finger; a blank one of 11 mm explained that as well."""
    assert _told(dice_still(9441, 64)) == ()


def test_what_bears_a_known_symbol_is_a_die_and_no_part_of_the_hand_beside_it() -> None:
    """A dim die between fingers, in the shade of the hand: less clear than knuckles are at times, but its symbol is whole."""
    still = dice_still(8601, 378)
    (flower,) = [die for die in still.truth()["dice"] if die["symbol"] == "flower"]
    assert [die.symbol for die in _near(_told(still), flower)] == ["flower"]


def test_a_die_of_which_no_two_ends_show_is_told_no_sides_by_weak_edges() -> None:
    """A drawn eight under a finger, of which a smaller ten explains all that shows."""
    still = dice_still(8601, 534)
    told = _told(still)
    (half,) = [die for die in still.truth()["dice"] if die["visible"] < 1]
    near = _near(told, half, 5.0)
    assert {each.sides for each in near} <= {None, half["sides"]}
    assert {each.symbol for each in near} <= {None, half["symbol"]}


@pytest.mark.parametrize(
    "number", [40, pytest.param(25, marks=pytest.mark.soak), pytest.param(101, marks=pytest.mark.soak)]
)
def test_a_die_is_told_from_its_hard_shadow(number: int) -> None:
    """Drawn dice that passed for a smaller one with other sides: the rim of the shadow was taken for an edge."""
    still = dice_still(8101, number)
    told = _told(still)
    assert len(told) == len(still.truth()["dice"])
    for die in still.truth()["dice"]:
        (near,) = _near(told, die)
        assert (near.sides, near.symbol) == (die["sides"], die["symbol"])


def test_whole_dice_far_from_under_the_camera_are_not_taken_for_tilted() -> None:
    """The camera looks straight down from much higher than usual: dice in its middle look the same from everywhere, and one
    at its side is borne out badly from the usual height."""
    still = dice_still(9337, 82)
    told = _told(still)
    truth = sorted(still.truth()["dice"], key=lambda die: die["x"])
    assert [(die.sides, die.symbol, die.doubts) for die in told] == [(die["sides"], die["symbol"], ()) for die in truth]


def test_a_whole_die_is_not_lost_to_a_pose_that_was_held_against_no_outline() -> None:
    """Beside it, between its shadow and the string, a smaller ten seemed to lie as clearly; the view there cuts off the die."""
    still = dice_still(7301, 120)
    told = _told(still)
    for die in still.truth()["dice"]:
        (near,) = _near(told, die)
        assert (near.sides, near.symbol) == (die["sides"], die["symbol"])


def test_a_die_that_skin_and_sleeve_cover_in_part_is_read() -> None:
    still = dice_still(9337, 113)
    told = _told(still)
    for die in still.truth()["dice"]:
        if die["visible"] >= 0.5:
            (near,) = _near(told, die)
            assert (near.sides, near.symbol) == (die["sides"], die["symbol"])


def test_a_die_of_the_strings_own_colour_is_found_beside_it_and_both_loops_are() -> None:
    still = odd_still(Oddity.TWO_LOOPS, 8105, 6)
    image = still.picture()
    read = DiceReader([drawn_die(SYMBOLS)]).read(image, locate_table(image, (420.0, 250.0)))
    assert read.arena.state is ArenaState.SEVERAL
    assert sorted(die.symbol or "" for die in read.dice) == sorted(die["symbol"] for die in still.truth()["dice"])
    assert {die.inside for die in read.dice} == {None}


def test_a_die_that_leans_on_a_finger_has_no_top_face() -> None:
    still = odd_still(Oddity.LEANING, 8105, 1)
    image = still.picture()
    read = DiceReader([drawn_die(SYMBOLS)]).read(image, locate_table(image, (420.0, 250.0)))
    assert [die.symbol for die in read.dice if die.doubts == ()] == []
    assert {die.symbol for die in read.dice} <= {None}
    # The flat pose that fits it best is none that it has: its sides are not told by it either.
    assert {die.sides for die in read.dice if DieDoubt.TILTED in die.doubts} <= {None}


def test_an_empty_table_shows_no_die_and_no_loop(arena: Arena, marks: EnrolledDie) -> None:
    read = DiceReader([marks]).read(arena.finished(), arena.pose)
    assert read.dice == ()
    assert read.arena.state is ArenaState.NONE


def test_a_coin_and_a_card_are_no_dice(arena: Arena, marks: EnrolledDie) -> None:
    cv2.circle(arena.picture, (700, 420), 40, (60, 160, 200), -1, cv2.LINE_AA)
    cv2.rectangle(arena.picture, (900, 300), (1096, 573), (235, 240, 240), -1)
    read = DiceReader([marks]).read(arena.finished(), arena.pose)
    assert [die.symbol for die in read.dice] in ([], [None])


def test_a_die_on_the_string_is_neither_inside_nor_outside(arena: Arena, marks: EnrolledDie) -> None:
    loop = ring_mm(210, 125, 80)
    arena.string(loop, (30, 30, 30))
    x, y = loop[20]
    arena.die(float(x), float(y), 16, 0.5, RED, "plus")
    (die,) = DiceReader([marks]).read(arena.finished(), arena.pose).dice
    assert die.symbol == "plus"
    assert die.inside is None
    assert die.doubts == (DieDoubt.ON_STRING,)


@pytest.mark.parametrize(
    "name",
    [
        "dice-03",
        "dice-17",
        pytest.param("dice-04", marks=pytest.mark.soak),
        pytest.param("dice-16", marks=pytest.mark.soak),
        pytest.param("dice-20", marks=pytest.mark.soak),
    ],
)
def test_footage_is_read_without_a_wrong_word(shared: Path, name: str) -> None:
    folder = shared / "footage" / "dice"
    truth = json.loads((folder / f"{name}.json").read_text())
    image = cv2.imread(str(folder / f"{name}.jpg"))
    read = DiceReader([enrol_die(shared / "symbols", "symbols")]).read(image, locate_table(image, (420.0, 250.0)))
    wanted = sorted(
        (die["x"], die["sides"], die["symbol"], die["inside"]) for die in truth["dice"] if die["visible"] >= 0.5
    )
    assert [(die.sides, die.symbol, die.inside) for die in read.dice] == [each[1:] for each in wanted]
