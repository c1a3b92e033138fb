"""The loop of string: found by its own drawn truth, and its named states."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.virtual.dice_stills import Oddity, dice_still, odd_still
from vision.arena import Arena, ArenaState, arena_at, find_arena
from vision.dice.reader import DiceReader
from vision.hands import find_reach, hidden_areas
from vision.table import TablePose, locate_table, pose_of_corners

TABLE_MM = (420.0, 250.0)
PX_PER_MM = 4.0
MARGIN_PX = 40


def mm_px(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return points * PX_PER_MM + MARGIN_PX - 0.5


@pytest.fixture
def pose() -> TablePose:
    a, b, c, d = (
        (float(u), float(v)) for u, v in mm_px(np.array([(0.0, 0.0), (420.0, 0.0), (420.0, 250.0), (0.0, 250.0)]))
    )
    return pose_of_corners((a, b, c, d), TABLE_MM)


def ground(grain: float = 0.0, bgr: tuple[int, int, int] = (120, 130, 128)) -> NDArray[np.float64]:
    shape = (round(250 * PX_PER_MM) + 2 * MARGIN_PX, round(420 * PX_PER_MM) + 2 * MARGIN_PX)
    random = np.random.default_rng(1)
    rows = cv2.GaussianBlur(random.normal(0, 1, shape), (0, 0), sigmaX=40, sigmaY=3)
    return np.array(bgr, np.float64) * (1 + grain * (rows / rows.std()))[..., None]


def lay(picture: NDArray[np.float64], ring: NDArray[np.float64], bgr: tuple[int, int, int], width_mm: float) -> None:
    across = round(width_mm * PX_PER_MM)
    cv2.polylines(picture, [np.rint(mm_px(ring)).astype(np.int32)], True, bgr, across, cv2.LINE_AA)


def finished(picture: NDArray[np.float64]) -> NDArray[np.uint8]:
    noisy = cv2.GaussianBlur(picture, (0, 0), 1.0) + np.random.default_rng(2).normal(0, 2.5, picture.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def ring(x: float, y: float, radius: float, waves: float = 0.08) -> NDArray[np.float64]:
    turns = np.linspace(0, 2 * np.pi, 240, endpoint=False)
    reach = radius * (1 + waves * np.cos(3 * turns) + waves / 2 * np.cos(5 * turns + 1))
    return np.column_stack([x + reach * np.cos(turns), y + reach * np.sin(turns)])


def off(arena: Arena, truth: NDArray[np.float64]) -> NDArray[np.float64]:
    contour = truth.astype(np.float32).reshape(-1, 1, 2)
    return np.array([abs(cv2.pointPolygonTest(contour, (x, y), True)) for x, y in arena.polygon_mm])


@pytest.mark.parametrize(
    ("string", "table", "grain"),
    [
        ((40, 40, 190), (120, 130, 128), 0.0),
        ((30, 30, 30), (60, 85, 130), 0.07),
        ((225, 235, 240), (60, 70, 100), 0.07),
        ((70, 100, 90), (60, 60, 58), 0.02),
        ((200, 205, 210), (235, 238, 240), 0.0),
    ],
)
def test_a_string_of_any_colour_is_found_on_any_ground_within_a_millimetre(
    pose: TablePose, string: tuple[int, int, int], table: tuple[int, int, int], grain: float
) -> None:
    truth = ring(210, 125, 78)
    picture = ground(grain, table)
    lay(picture, truth, string, 2.8)
    arena = find_arena(finished(picture), pose)
    assert arena.state is ArenaState.FOUND
    assert off(arena, truth).mean() < 0.6
    assert off(arena, truth).max() < 2.0
    assert arena.width_mm == pytest.approx(2.8, abs=1.0)


def test_inside_is_a_signed_distance_and_unsure_on_the_string(pose: TablePose) -> None:
    turns = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    picture = ground()
    lay(picture, np.column_stack([210 + 80 * np.cos(turns), 125 + 80 * np.sin(turns)]), (40, 40, 190), 3.0)
    arena = find_arena(finished(picture), pose)
    assert arena.distance(210, 125) == pytest.approx(80, abs=1.0)
    assert arena.distance(300, 125) == pytest.approx(-10, abs=1.0)
    assert arena.inside(210 + 74, 125) is True
    assert arena.inside(210 + 80, 125) is None
    assert arena.inside(210 + 86, 125) is False
    assert arena.inside(210 + 74, 125, give_mm=5.0) is None


@pytest.mark.parametrize("grain", [0.0, 0.05, 0.1])
def test_a_bare_table_even_of_wood_has_no_loop(pose: TablePose, grain: float) -> None:
    arena = find_arena(finished(ground(grain, (60, 85, 130))), pose)
    assert arena.state is ArenaState.NONE
    assert arena.polygon_mm == ()
    assert arena.inside(210, 125) is None
    with pytest.raises(ValueError, match="no loop"):
        arena.distance(210, 125)


@pytest.mark.parametrize(
    ("shown", "grain", "table"),
    [
        ((20, 200), 0.0, (120, 130, 128)),
        ((20, 200), 0.07, (60, 85, 130)),
        ((0, 185), 0.03, (60, 60, 58)),
        ((100, 240), 0.0, (235, 238, 240)),
    ],
)
def test_a_string_that_does_not_close_is_no_loop(
    pose: TablePose, shown: tuple[int, int], grain: float, table: tuple[int, int, int]
) -> None:
    picture = ground(grain, table)
    open_one = mm_px(ring(210, 125, 78)[slice(*shown)])
    cv2.polylines(picture, [np.rint(open_one).astype(np.int32)], False, (40, 40, 190), 12, cv2.LINE_AA)
    assert find_arena(finished(picture), pose).state is ArenaState.NONE


def test_two_strings_are_a_state_of_their_own_and_nothing_is_inside(pose: TablePose) -> None:
    picture = ground()
    lay(picture, ring(130, 125, 60), (40, 40, 190), 3.0)
    lay(picture, ring(310, 125, 50), (190, 60, 40), 3.0)
    arena = find_arena(finished(picture), pose)
    assert arena.state is ArenaState.SEVERAL
    assert arena.inside(130, 125) is None


@pytest.mark.parametrize("at", [(0.0, 0.0), (0.0, 48.0), (-30.0, 20.0)])
def test_of_two_strings_the_one_that_is_pointed_at_counts(pose: TablePose, at: tuple[float, float]) -> None:
    picture = ground()
    big, small = ring(130, 125, 60), ring(310, 125, 50, 0.0)
    lay(picture, big, (40, 40, 190), 3.0)
    lay(picture, small, (190, 60, 40), 3.0)
    image = finished(picture)
    arena = arena_at(image, pose, (310 + at[0], 125 + at[1]))
    assert arena.state is ArenaState.FOUND
    assert off(arena, small).max() < 2.0
    assert arena.inside(310, 125) is True
    assert arena.inside(130, 125) is False
    assert arena_at(image, pose, (220, 20)).state is ArenaState.NONE


def test_what_a_hand_covers_of_the_string_is_carried_on_and_said_to_be_unseen(pose: TablePose) -> None:
    truth = ring(210, 125, 78)
    picture = ground()
    lay(picture, truth, (30, 30, 30), 3.0)
    hand = ((262.0, 90.0), (420.0, 90.0), (420.0, 140.0), (262.0, 140.0))
    cv2.fillPoly(picture, [np.rint(mm_px(np.array(hand))).astype(np.int32)], (120, 150, 205))
    arena = find_arena(finished(picture), pose, [hand])
    assert arena.state is ArenaState.FOUND
    assert any(arena.unseen)
    assert not all(arena.unseen)
    assert off(arena, truth).max() < 8.0
    assert arena.inside(180, 125) is True
    x, y = truth[0]
    assert arena.inside(float(x) - 5, float(y)) is None


def _half_hidden() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What shows of a round loop (210, 125; radius 80) of which a hand hides more than the lower half, and a guess that closes it
    much too soon."""
    turns = np.linspace(1.12 * np.pi, 1.88 * np.pi, 48)
    seen = np.column_stack([210 + 80 * np.cos(turns), 125 + 80 * np.sin(turns)])
    back = np.linspace(0, np.pi, 44)[1:-1]
    half = float(seen[-1, 0] - 210)
    return seen, np.column_stack([210 + half * np.cos(back), seen[-1, 1] + 20 * np.sin(back)])


def test_where_half_of_the_loop_is_a_guess_what_lies_beyond_the_guess_may_be_inside() -> None:
    seen, guess = _half_hidden()
    corners = tuple((float(x), float(y)) for x, y in np.vstack([seen, guess]))
    arena = Arena(corners, 3.0, ArenaState.FOUND, (False,) * len(seen) + (True,) * len(guess))
    assert arena.inside(210, 155) is None
    assert arena.inside(210, 60) is True
    assert arena.inside(210, 30) is False
    assert arena.inside(210, 240) is False


def test_a_glimpse_between_two_hidden_stretches_may_be_another_things_edge() -> None:
    """A die's edge bears out a few millimetres of a guess."""
    seen, guess = _half_hidden()
    corners = tuple((float(x), float(y)) for x, y in np.vstack([seen, guess]))
    shows = (False,) * len(seen) + tuple(not 20 <= n < 23 for n in range(len(guess)))
    for turn in (0, 30, 70):
        arena = Arena(corners[turn:] + corners[:turn], 3.0, ArenaState.FOUND, shows[turn:] + shows[:turn])
        assert arena.inside(210, 130) is None
        assert arena.inside(210, 60) is True


def test_a_loop_whose_inside_a_hand_cuts_to_pieces_is_found_by_its_string() -> None:
    """A black glove over most of the inside: no piece left of it is large enough to be one, and the glove's own rims, which
    hang together with the string, stand out more than it does."""
    still = dice_still(9441, 121)
    image, truth = still.picture(), np.array(still.truth()["loop_mm"])
    table = locate_table(image, TABLE_MM)
    reach = find_reach(image, table)
    assert reach is not None
    arena = find_arena(image, table, hidden_areas(reach, table))
    assert arena.state is ArenaState.FOUND
    seen = ~np.array(arena.unseen)
    assert seen.mean() > 0.7
    assert off(arena, truth)[seen].max() < 2.5


@pytest.mark.parametrize("at", [(178.0, 140.0), (228.0, 135.0)])
def test_a_dies_shadow_between_hidden_stretches_does_not_lead_the_string(
    pose: TablePose, at: tuple[float, float]
) -> None:
    """Where a hand hides a part of the loop and its shade lies up to a die, what shows of the die's own shadow passed for the
    string, and the course went around the die's other side."""
    picture = ground(bgr=(60, 62, 60))
    lay(picture, ring(210, 125, 72), (22, 20, 22), 2.6)
    x, y = at
    skin = [(140.0, -5.0), (290.0, -5.0), (280.0, 95.0), (150.0, 95.0)]
    cv2.fillPoly(picture, [np.rint(mm_px(np.array(skin))).astype(np.int32)], (120, 150, 205))
    turns = np.linspace(0, 2 * np.pi, 7)[:-1]
    die = tuple((x + 8 * float(np.cos(turn)), y + 8 * float(np.sin(turn))) for turn in turns)
    shadow = np.array([(x - 9, y + 9), (x, y + 10.5), (x + 9, y + 9)])
    cv2.polylines(picture, [np.rint(mm_px(shadow)).astype(np.int32)], False, (22, 20, 22), 11, cv2.LINE_AA)
    cv2.fillPoly(picture, [np.rint(mm_px(np.array(die))).astype(np.int32)], (190, 60, 60))
    hand = (*skin[:2], (290.0, 95.0), (x + 12, y + 4), (x - 12, y + 4), (140.0, 95.0))
    arena = find_arena(finished(picture), pose, [hand], [die])
    assert arena.state is ArenaState.FOUND
    assert arena.inside(x, y) is True


@pytest.mark.parametrize(("seed", "number"), [(9608, 2), (9609, 4), (9232, 1), (9626, 6)])
def test_a_string_leads_on_under_a_die_that_lies_on_it(seed: int, number: int) -> None:
    """The rim of the die's shadow goes round it from string to string, and its symbol is as light a line: the die would lie
    outside, by up to 15 mm."""
    still = odd_still(Oddity.ON_STRING, seed, number)
    picture = still.picture()
    pose = locate_table(picture, TABLE_MM)
    reading = DiceReader().read(picture, pose)
    (truth,) = still.truth()["dice"]
    assert abs(reading.arena.distance(truth["x"], truth["y"])) < 3.0
    assert reading.arena.inside(truth["x"], truth["y"]) is None
