"""The string followed: nudged, covered, taken away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.virtual.dice_stills import TABLE_MM, dice_still
from hardware.virtual.loop import LoopOnTable, depth_mm
from hardware.virtual.render import Renderer
from hardware.virtual.scene import HandOverTable, Scene
from vision.arena import Arena, ArenaState
from vision.arena_follow import ArenaFollower
from vision.frame import Image
from vision.table import TablePose, locate_table

STILL = dice_still(3, 1)
CAMERA = replace(STILL.camera, size=(960, 540))
LOOP = STILL.scene.loops[0]


def _picture(loop: LoopOnTable | None, hands: tuple[HandOverTable, ...] = (), noise: int = 0) -> Image:
    loops = () if loop is None else (loop,)
    look = replace(STILL.look, photo=None, jpeg_quality=None)
    return Renderer({}, look, CAMERA).render(Scene(TABLE_MM, loops=loops, hands=hands), noise)


def _shifted(dx: float, dy: float) -> LoopOnTable:
    return replace(LOOP, polygon_mm=tuple((x + dx, y + dy) for x, y in LOOP.polygon_mm))


@pytest.fixture(scope="module")
def pose() -> TablePose:
    return locate_table(_picture(LOOP), TABLE_MM)


def _follower(pose: TablePose) -> ArenaFollower:
    return ArenaFollower(pose, Arena(LOOP.polygon_mm, LOOP.width_mm, ArenaState.FOUND), _picture(LOOP))


def _off(arena: Arena, loop: LoopOnTable) -> float:
    return float(np.percentile([abs(depth_mm(loop, x, y)) for x, y in arena.polygon_mm], 95))


def test_a_loop_that_lies_still_keeps_its_course(pose: TablePose) -> None:
    assert _follower(pose).look(_picture(LOOP, noise=3)).polygon_mm == LOOP.polygon_mm


def test_a_nudged_loop_is_followed_step_by_step(pose: TablePose) -> None:
    follower = _follower(pose)
    for step in range(1, 5):
        loop = _shifted(3.5 * step, -1.5 * step)
        arena = follower.look(_picture(loop, noise=step))
    assert arena.state is ArenaState.FOUND
    assert _off(arena, loop) < 1.5


def test_a_loop_that_hands_cover_is_kept(pose: TablePose) -> None:
    follower = _follower(pose)
    everything = ((0.0, 0.0), (420.0, 0.0), (420.0, 250.0), (0.0, 250.0))
    arena = follower.look(_picture(LOOP), [everything])
    assert (arena.state, arena.polygon_mm) == (ArenaState.HELD, LOOP.polygon_mm)


def test_a_stretch_under_a_hand_is_said_to_be_unseen(pose: TablePose) -> None:
    x, y = LOOP.polygon_mm[0]
    hand = HandOverTable(x - 20.0, y, 90.0)
    covered = ((x - 45.0, y - 60.0), (420.0, y - 70.0), (420.0, y + 70.0), (x - 45.0, y + 60.0))
    arena = _follower(pose).look(_picture(LOOP, (hand,)), [covered])
    assert arena.state is ArenaState.FOUND
    assert 0.05 < np.mean(arena.unseen) < 0.6
    assert _off(arena, LOOP) < 3.0


def test_a_loop_that_was_taken_away_is_none(pose: TablePose) -> None:
    assert _follower(pose).look(_picture(None)).state is ArenaState.NONE


def test_only_one_loop_can_be_followed(pose: TablePose) -> None:
    with pytest.raises(ValueError, match="one loop"):
        ArenaFollower(pose, Arena((), 0.0, ArenaState.NONE), _picture(LOOP))
