"""The loop of string on the page: found, asked about where several lie, chosen by one tap, nothing where none closes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.errors import BadInputError
from companion.service.loop_taking import LoopTaking
from companion.virtual.dice_stills import TABLE_MM, DiceStill, Oddity, odd_still
from hardware.virtual.scene import HandOverTable


@pytest.fixture(scope="module")
def two() -> DiceStill:
    """Two loops, the larger one first."""
    still = odd_still(Oddity.TWO_LOOPS, 5, 0)
    return replace(still, scene=replace(still.scene, dice=()))


def one_of(still: DiceStill) -> DiceStill:
    return replace(still, scene=replace(still.scene, loops=still.scene.loops[:1]))


def shares(still: DiceStill, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Where a point of the table shows in the picture, by the renderer's own camera."""
    ((u, v),) = still.camera.project(np.array([x_mm, y_mm]))
    width, height = still.camera.size
    return float(u / width), float(v / height)


def shown(taking: LoopTaking, picture: np.ndarray) -> dict:
    taking.glance(picture, recorded=False)
    taking.offer(picture)
    return dict(taking.view())


def test_one_loop_is_found_by_itself_and_kept_on_a_word(two: DiceStill) -> None:
    taking = LoopTaking(TABLE_MM)
    view = shown(taking, one_of(two).picture())
    assert (view["state"], view["can_keep"]) == ("found", True)
    assert "Is this the loop?" in view["note"]
    taking.keep()
    assert taking.done
    assert taking.taken is not None
    corners = np.array(two.scene.loops[0].polygon_mm)
    assert np.hypot(*(taking.taken.at_mm - corners.mean(axis=0))) < 30
    assert taking.taken.arena.inside(*taking.taken.at_mm) is True


def test_of_several_loops_one_tap_tells_which_counts(two: DiceStill) -> None:
    taking = LoopTaking(TABLE_MM)
    view = shown(taking, two.picture())
    assert (view["state"], view["can_keep"], view["across_mm"]) == ("several", False, None)
    assert "tap the string that counts" in view["note"]
    with pytest.raises(BadInputError, match="tap the string"):
        taking.keep()
    with pytest.raises(BadInputError, match="no closed string"):
        taking.point(0.01, 0.01)
    with pytest.raises(BadInputError, match="within the picture"):
        taking.point(1.5, 0.5)
    small = np.array(two.scene.loops[1].polygon_mm)
    taking.point(*shares(two, *small[10]))
    assert taking.view()["can_keep"]
    assert taking.view()["across_mm"] == pytest.approx(np.ptp(small, axis=0), abs=4)
    taking.keep()
    assert taking.taken is not None
    assert np.hypot(*(taking.taken.at_mm - small.mean(axis=0))) < 25


def test_a_bare_table_and_one_that_is_not_seen_say_what_to_do(two: DiceStill) -> None:
    taking = LoopTaking(TABLE_MM)
    with pytest.raises(BadInputError, match="isn't seen yet"):
        taking.point(0.5, 0.5)
    assert "markers" in shown(taking, np.full((480, 640, 3), 120, np.uint8))["note"]
    bare = replace(two, scene=replace(two.scene, loops=()))
    view = shown(taking, bare.picture())
    assert (view["state"], view["can_keep"]) == ("none", False)
    assert "lay it closed" in view["note"]
    assert taking.table_picture()


def test_a_hand_over_the_string_is_asked_away(two: DiceStill) -> None:
    x, y = max(two.scene.loops[0].polygon_mm, key=lambda corner: corner[1])
    hand = HandOverTable(x, y - 8.0, 180.0)
    view = shown(LoopTaking(TABLE_MM), replace(one_of(two), scene=replace(one_of(two).scene, hands=(hand,))).picture())
    assert "hidden" in view["note"]
