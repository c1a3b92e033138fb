"""From when on a die lies still, by pictures that are drawn here."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.dice.track_still import Looks

SIDE = 120
SECOND = 1_000_000_000
RATE = 120


def _drawn(
    shift: float, shade: float = 0.0, seed: int = 0
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], cv2.typing.MatLike]:
    """A square with a mark, so far to the right; a shadow may lie over its lower half. And its labels and outline."""
    picture = np.full((SIDE, SIDE, 3), 120, np.float32)
    right = np.array([shift, 0.0])
    corners = np.array([(46.0, 46.0), (74.0, 46.0), (74.0, 74.0), (46.0, 74.0)]) + right
    mark = np.array([(52.0, 52.0), (66.0, 54.0), (58.0, 68.0)]) + right
    for points, colour in ((corners, (40, 60, 190)), (mark, (60, 90, 255))):
        cv2.fillConvexPoly(picture, np.rint(points * 64).astype(np.int32), colour, cv2.LINE_AA, 6)
    picture = cv2.GaussianBlur(picture, (0, 0), 0.6)
    picture[60:] *= 1 - shade
    picture += np.random.default_rng(seed).normal(0, 2, picture.shape)
    labels = np.zeros((SIDE, SIDE), np.uint8)
    left = round(46 + shift)
    labels[46:75, left : left + 29] = 1
    hull = np.rint(corners).astype(np.int32).reshape(-1, 1, 2)
    return np.clip(picture, 0, 255).astype(np.uint8), labels, hull


def _settled(shifts: list[float], shades: list[float]) -> tuple[float, float]:
    """Between which two pictures it came to rest."""
    looks = Looks(18, px_per_mm=1.5)
    for n, (shift, shade) in enumerate(zip(shifts, shades, strict=True)):
        picture, labels, hull = _drawn(shift, shade, n)
        looks.keep(picture, (60.0 + round(shift), 60.0), n * SECOND // RATE, labels, 1)
    since = looks.still_since((60.0 + shifts[-1], 60.0), hull)
    assert since is not None
    return since[0] * RATE / SECOND, since[1] * RATE / SECOND


def test_a_die_settles_between_the_last_picture_that_moved_and_the_first_that_did_not() -> None:
    shifts = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0] + [0.0] * 12
    before, after = _settled(shifts, [0.0] * len(shifts))
    assert (round(before), round(after)) == (5, 6)


def test_a_picture_alike_by_chance_between_two_that_moved_is_no_rest() -> None:
    """A wobbling die passes through the place where it comes to rest."""
    shifts = [4.0, 3.0, 2.0, 0.0, 1.5] + [0.0] * 12
    before, after = _settled(shifts, [0.0] * len(shifts))
    assert (round(before), round(after)) == (4, 5)


def test_a_shadow_that_goes_from_a_die_at_rest_is_no_movement() -> None:
    """A hand draws back while the die lies there: the light over half of it changes at once."""
    shifts = [4.0, 3.0, 2.0, 1.0] + [0.0] * 20
    shades = [0.25] * 12 + [0.12] + [0.0] * 11
    before, after = _settled(shifts, shades)
    assert (round(before), round(after)) == (3, 4)


def test_a_die_that_stands_for_a_moment_and_goes_on_settles_where_it_ends() -> None:
    shifts = [4.0, 3.0, *[1.5] * 7, *[0.0] * 12]
    before, after = _settled(shifts, [0.0] * len(shifts))
    assert (round(before), round(after)) == (8, 9)


def _settled_by_a_hand(shifts: list[float], covered: list[float], shade: float) -> tuple[float, float]:
    """The same where a finger, no other than the ground in a shadow, covers so many px of it from the left; its soft shade lies
    over what is beside it, and both go with it."""
    looks = Looks(18, px_per_mm=1.5)
    hull = None
    for n, (shift, until) in enumerate(zip(shifts, covered, strict=True)):
        picture, labels, hull = _drawn(shift, 0.0, n)
        columns = np.arange(SIDE)[None, :, None]
        soft = 1 - shade / (1 + np.exp((columns - 46.0 - until - 12.0) / 3.0))
        shaded = np.clip(picture * (soft if until > 0 else 1.0), 0, 255).astype(np.uint8)
        end = round(46 + until) if until > 0 else 0
        shaded[:, :end] = np.clip(78 + np.random.default_rng(900 + n).normal(0, 2, (SIDE, end, 3)), 0, 255)
        labels[:, :end] = 0
        changed = np.where(np.abs(shaded.astype(np.int16) - 120).max(axis=2) > 13, np.uint8(255), np.uint8(0))
        looks.keep(shaded, (60.0 + round(shift), 60.0), n * SECOND // RATE, labels, 1, changed)
    assert hull is not None
    since = looks.still_since((60.0 + shifts[-1], 60.0), hull)
    assert since is not None
    return since[0] * RATE / SECOND, since[1] * RATE / SECOND


@pytest.mark.parametrize("shade", [0.0, 0.35])
def test_a_finger_and_its_shade_that_go_from_a_die_at_rest_are_no_movement(shade: float) -> None:
    """It came to rest half under another's hand: when it did is told by what shows of it, not by when the hand was gone."""
    shifts = [6.0, 4.5, 3.0, 1.5] + [0.0] * 30
    covered = [11.0] * 14 + [8.0, 5.0, 2.0, -1.0, -4.0, -8.0] + [-100.0] * 14
    before, after = _settled_by_a_hand(shifts, covered, shade)
    assert before <= 4.5
    assert after < 6.5


def test_where_a_hand_hides_nearly_all_of_a_die_the_band_of_its_rest_is_as_long_as_that() -> None:
    shifts = [6.0, 4.5, 3.0, 1.5] + [0.0] * 30
    covered = [-100.0] * 2 + [26.0] * 12 + [14.0, 6.0, -2.0, -10.0] + [-100.0] * 16
    before, after = _settled_by_a_hand(shifts, covered, 0.2)
    assert before <= 4.0
    assert after >= 12.0
