"""Spots in labelled pictures: which may be a die, which peep out from under a hand, which are of no enrolled colour."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.dice.track_blobs import Strangers, covers, find_blobs, hand_alike, peeps, without_threads
from vision.dice.track_colour import FOREIGN

Mask = NDArray[np.uint8]
SIDE = 22
AREA = float(SIDE * SIDE)


def _labels(*spots: tuple[int, int, int, int, int]) -> Mask:
    """Rectangles: left, top, width, height and label, later ones over earlier."""
    labels = np.zeros((180, 320), np.uint8)
    for left, top, width, height, label in spots:
        labels[top : top + height, left : left + width] = label
    return labels


def test_a_spot_of_a_dies_size_is_whole_and_lies_in_its_middle() -> None:
    (blob,) = find_blobs(_labels((100, 60, SIDE, SIDE, 1)), 1, AREA)
    assert blob.whole
    assert not blob.touched
    assert (blob.u, blob.v) == pytest.approx((110.5, 70.5), abs=0.1)
    assert blob.area == pytest.approx(AREA, rel=0.1)


def test_pixels_of_a_string_that_have_the_dies_colour_do_not_widen_it() -> None:
    """A string of a mixed colour beside the die shows here and there as the die's: in a row that leads away from it."""
    labels = _labels((100, 60, SIDE, SIDE, 1))
    (plain,) = find_blobs(labels, 1, AREA)
    for n in range(6):
        labels[70 + 2 * n, 122 + n] = labels[71 + 2 * n, 122 + n] = 1
    (blob,) = find_blobs(labels, 1, AREA)
    assert (blob.u, blob.v) == pytest.approx((plain.u, plain.v), abs=0.6)
    assert blob.area == pytest.approx(plain.area, rel=0.06)


@pytest.mark.parametrize("angle", [0.0, 20.0, 45.0])
def test_a_dies_own_tips_are_kept(angle: float) -> None:
    square = cv2.boxPoints(((160.0, 90.0), (24.0, 24.0), angle)).astype(np.int32)
    own = cv2.fillConvexPoly(np.zeros((180, 320), np.uint8), square, 255)
    reach = np.array([cv2.boundingRect(mask) for mask in (own, without_threads(own))])
    assert np.abs(reach[0] - reach[1]).max() <= 1


def test_a_spot_beside_a_hand_is_touched() -> None:
    (blob,) = find_blobs(_labels((100, 60, SIDE, SIDE, 1), (122, 40, 60, 60, FOREIGN)), 1, AREA)
    assert blob.touched


@pytest.mark.parametrize(("left", "top"), [(0, 60), (298, 60), (100, 0), (100, 158)])
def test_a_spot_that_the_pictures_border_cuts_off_is_not_whole(left: int, top: int) -> None:
    (blob,) = find_blobs(_labels((left, top, SIDE, SIDE, 1)), 1, AREA)
    assert not blob.whole


def test_a_part_of_a_die_beside_a_hand_peeps() -> None:
    labels = _labels((100, 60, SIDE, SIDE, 1), (108, 40, 80, 60, FOREIGN))
    assert peeps(labels, 1, (111.0, 71.0), AREA)
    assert not peeps(labels, 2, (111.0, 71.0), AREA)


def test_a_hand_over_all_of_a_die_covers_it_and_fingertips_beside_it_do_not() -> None:
    (blob,) = find_blobs(_labels((100, 60, SIDE, SIDE, 1)), 1, AREA)
    assert covers(_labels((60, 30, 120, 90, FOREIGN)), blob.hull)
    assert covers(_labels((60, 30, 120, 90, 1)), blob.hull)
    assert not covers(_labels((60, 30, 52, 90, FOREIGN)), blob.hull)
    assert not covers(_labels(), blob.hull)


def test_a_hand_of_the_dies_colour_does_not_peep() -> None:
    hand = _labels((90, 40, 80, 60, 1))
    assert not peeps(hand, 1, (111.0, 71.0), AREA)
    assert hand_alike(hand, 1, (111.0, 71.0), AREA)
    assert not hand_alike(_labels((100, 60, SIDE, SIDE, 1)), 1, (111.0, 71.0), AREA)


def test_a_thin_rim_of_the_dies_colour_does_not_peep() -> None:
    assert not peeps(_labels((100, 60, 2, 40, 1), (102, 60, 60, 40, FOREIGN)), 1, (104.0, 71.0), AREA)


def test_a_die_of_no_enrolled_colour_is_told_once_it_lay_still() -> None:
    strangers = Strangers(AREA)
    labels = _labels((100, 60, SIDE, SIDE, FOREIGN))
    told = [strangers.look(labels, FOREIGN) for _ in range(60)]
    assert sum(len(spots) for spots in told) == 1
    assert not any(told[: Strangers.EVERY * Strangers.LOOKS - 1])


def test_what_moves_or_is_as_large_as_a_hand_is_no_strange_die() -> None:
    strangers = Strangers(AREA)
    for n in range(60):
        labels = _labels((100 + n, 60, SIDE, SIDE, FOREIGN), (200, 0, 60, 120, FOREIGN))
        assert strangers.look(labels, FOREIGN) == []


def test_a_turned_die_is_found_by_its_hull() -> None:
    labels = np.zeros((180, 320), np.uint8)
    corners = cv2.boxPoints(((150.0, 90.0), (SIDE, SIDE), 33.0)).round().astype(np.int32)
    cv2.fillConvexPoly(labels, corners, 1)
    (blob,) = find_blobs(labels, 1, AREA)
    assert (blob.u, blob.v) == pytest.approx((150.0, 90.0), abs=0.6)
