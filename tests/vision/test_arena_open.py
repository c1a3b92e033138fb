"""Loops that do not close by themselves in the picture, by the renderer's own truth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.virtual.dice_stills import DiceStill, Oddity, dice_still, odd_still
from vision.arena import Arena, ArenaState, find_arena
from vision.hands import find_reach, hidden_areas
from vision.table import locate_table


def found(still: DiceStill) -> Arena:
    """The loop that is found in a still's picture, what reaches in being told first, its dice by the truth."""
    image, truth = still.picture(), still.truth()
    width, height = truth["table_mm"]
    table = locate_table(image, (float(width), float(height)))
    reach = find_reach(image, table)
    turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    dice = [
        tuple((die["x"] + 10 * float(np.cos(turn)), die["y"] + 10 * float(np.sin(turn))) for turn in turns)
        for die in truth["dice"]
        if die["visible"] >= 0.5
    ]
    return find_arena(image, table, hidden_areas(reach, table) if reach is not None else (), dice)


def off_course(arena: Arena, still: DiceStill) -> float:
    """How far what is seen of the loop is from the string that was drawn, mm at most."""
    contour = np.array(still.truth()["loop_mm"], np.float32).reshape(-1, 1, 2)
    unseen = arena.unseen or (False,) * len(arena.polygon_mm)
    return max(
        abs(cv2.pointPolygonTest(contour, corner, measureDist=True))
        for corner, hidden in zip(arena.polygon_mm, unseen, strict=True)
        if not hidden
    )


@pytest.mark.parametrize(
    "still",
    [
        pytest.param(dice_still(9701, 175), id="an arm lies across: two bends of it show"),
        pytest.param(dice_still(9701, 183), id="no stronger than the grain of the wood"),
        pytest.param(odd_still(Oddity.LEANING, 9619, 1), id="its shadow shows more than its light side does"),
        pytest.param(dice_still(9701, 192), id="under a hand of the ground's light, which is not told"),
        pytest.param(dice_still(9703, 17), id="under a hand of the ground's light and nearly its hue"),
        pytest.param(dice_still(9618, 113), id="the grain closes with a part of it"),
        pytest.param(dice_still(9624, 115), id="the grain closes with a part of it, and is of nearly one colour"),
        pytest.param(dice_still(9622, 160), id="a bit of grain between hidden stretches is no part of it"),
        pytest.param(
            dice_still(9622, 198), id="a glove of the ground's colour: its rim is no part of it, two bends of it show"
        ),
    ],
)
def test_a_string_is_followed_by_its_own_colour_to_where_it_comes_round(still: DiceStill) -> None:
    arena = found(still)
    assert arena.state is ArenaState.FOUND
    assert off_course(arena, still) < 2.5
    for die in still.truth()["dice"]:
        if die["visible"] >= 0.5 and die["resting"] and abs(die["loop_depth_mm"]) > 3:
            assert arena.inside(die["x"], die["y"]) == die["inside"]
