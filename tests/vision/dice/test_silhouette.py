"""A die's outline by colour, in pictures drawn here: 4 px a millimetre, the table's corner at the picture's."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.dice.silhouette import TOWARD, Silhouette, overlap, silhouette_in

PX = 4.0
SIDE_MM = 44.0
MIDDLE = (22.0, 22.0)
HEXAGON = np.array([(22 + 9.5 * np.cos(turn), 22 + 9.5 * np.sin(turn)) for turn in np.arange(6) * np.pi / 3 + 0.3])
SHADOW = HEXAGON + np.array([4.0, 6.0])
GROUND, DIE = (120, 135, 140), (40, 60, 190)

Picture = NDArray[np.uint8]


def _fill(picture: Picture, corners_mm: NDArray[np.float64], colour: tuple[int, ...]) -> None:
    cv2.fillPoly(picture, [np.rint((corners_mm * PX - 0.5) * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def _table(shadow: bool = True, die: tuple[int, int, int] | None = DIE) -> Picture:
    picture = np.full((round(SIDE_MM * PX), round(SIDE_MM * PX), 3), GROUND, np.uint8)
    if shadow:
        _fill(picture, SHADOW, tuple(round(0.5 * part) for part in GROUND))
    if die is not None:
        _fill(picture, HEXAGON, die)
        # One of its faces lies in the dark.
        _fill(picture, np.vstack([HEXAGON[:2], HEXAGON.mean(axis=0)]), tuple(round(0.6 * part) for part in die))
    return picture


def _seen(picture: Picture, cover: Picture | None = None) -> Silhouette | None:
    noise = np.random.default_rng(5).normal(0, 3, picture.shape)
    soft = cv2.GaussianBlur(picture, (0, 0), 1.2).astype(np.float64)
    return silhouette_in(np.clip(soft + noise, 0, 255).astype(np.uint8), PX, (0.0, 0.0), MIDDLE, cover)


def test_a_die_is_told_from_its_hard_shadow() -> None:
    found = _seen(_table())
    assert found is not None
    assert found.whole
    with_shadow = cv2.convexHull(np.vstack([HEXAGON, SHADOW]).astype(np.float32)).reshape(-1, 2).astype(np.float64)
    assert found.misfits(HEXAGON[None])[0] < 0.4
    assert found.misfits(with_shadow[None])[0] > 1.5
    assert overlap(found.hull_mm, HEXAGON) > 0.9
    assert found.middle_mm == pytest.approx(MIDDLE, abs=0.5)


def test_what_is_moved_beside_it_is_off_by_as_much() -> None:
    found = _seen(_table())
    assert found is not None
    here, beside, beyond = found.misfits(HEXAGON[None], np.array([(0.0, 0.0), (2.0, 0.0), (4.0, 0.0)]))[0]
    assert here < beside < beyond


def test_a_symbol_of_the_grounds_colour_is_no_hole() -> None:
    picture = _table()
    cv2.circle(picture, (88, 88), 14, GROUND, -1)
    found = _seen(picture)
    assert found is not None
    assert found.misfits(HEXAGON[None])[0] < 0.4


def test_a_die_of_the_grounds_own_hue_has_none() -> None:
    assert _seen(_table(die=(96, 108, 112))) is None


def test_bare_ground_and_a_shadow_alone_have_none() -> None:
    assert _seen(_table(shadow=False, die=None)) is None
    assert _seen(_table(die=None)) is None


def test_what_comes_in_from_beyond_is_no_die() -> None:
    picture = _table(shadow=False, die=None)
    cv2.line(picture, (88, 88), (88, -20), DIE, 60)
    assert _seen(picture) is None


def test_a_string_beside_it_is_none_of_it() -> None:
    picture = _table()
    cv2.line(picture, (20, 0), (30, 176), (30, 200, 220), 11)
    found = _seen(picture)
    assert found is not None
    assert found.misfits(HEXAGON[None])[0] < 0.4


@pytest.mark.parametrize("string", [(30, 200, 220), (190, 60, 70)])
def test_a_string_that_it_lies_on_is_none_of_it(string: tuple[int, int, int]) -> None:
    """It comes out at two corners, as wide in the picture as a sixth of the die."""
    picture = _table(shadow=False, die=None)
    cv2.line(picture, (40, 0), (136, 176), string, 13)
    _fill(picture, HEXAGON, DIE)
    found = _seen(picture)
    assert found is not None
    assert found.misfits(HEXAGON[None])[0] < 0.6


def test_a_thing_that_hangs_together_with_it_leaves_none() -> None:
    """Another die that touches it: the two make no convex spot."""
    picture = _table(shadow=False)
    _fill(picture, 22 + 0.7 * (HEXAGON - 22) + np.array([14.0, 5.0]), (40, 60, 190))
    assert _seen(picture) is None


def test_where_a_hand_lies_over_it_its_rim_is_not_told() -> None:
    picture = _table()
    cover = np.zeros(picture.shape[:2], np.uint8)
    cover[:, :76] = 255
    picture[:, :76] = (110, 140, 200)
    found = _seen(picture, cover)
    assert found is not None
    assert not found.whole
    assert found.told[0] == 1
    assert found.told[12] == 0
    assert found.misfits(HEXAGON[None])[0] < 0.5


def test_a_finger_that_bites_into_it_hides_how_far_it_goes_and_no_more() -> None:
    """The finger's round tip reaches the die's middle from the right."""
    picture = _table()
    cover = np.zeros(picture.shape[:2], np.uint8)
    cv2.line(cover, (88, 88), (400, 88), 255, 40)
    picture[cover > 0] = (110, 140, 200)
    found = _seen(picture, cover)
    assert found is not None
    assert not found.whole
    assert found.told[0] == 0
    assert found.told[12] == 1
    assert found.misfits(HEXAGON[None])[0] < 0.5
    longer = HEXAGON + np.where(HEXAGON[:, :1] > 28, np.array([[3.0, 0.0]]), 0.0)
    assert found.misfits(longer[None])[0] < 0.6


def test_a_corner_between_its_own_side_and_a_finger_tells_nothing_beyond_that_side() -> None:
    """Covered from below aslant: the hull's last corners lie in sight, and the die goes on under the finger."""
    picture = _table(shadow=False)
    cover = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(cover, [np.array([(0, 110), (176, 70), (176, 176), (0, 176)])], 255)
    picture[cover > 0] = (110, 140, 200)
    found = _seen(picture, cover)
    assert found is not None
    shown = (HEXAGON @ TOWARD).max(axis=0)
    told = found.told > 0
    assert 5 < told.sum() < 18
    assert np.abs(found.reach_mm - shown)[told].max() < 1.3
