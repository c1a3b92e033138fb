"""What was beside a die when it came into sight."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.dice.track_blobs import Blob, find_blobs
from vision.dice.track_colour import FOREIGN
from vision.dice.track_past import UNTOLD_S, Past

Mask = NDArray[np.uint8]
SIDE = 22
AREA = float(SIDE * SIDE)
STEP_NS = 16_000_000


def _picture(
    *spots: tuple[int, int, int, int, int], changed: tuple[int, int, int, int] | None = None
) -> tuple[Mask, Mask]:
    """Labels of rectangles (left, top, width, height, label), and what differs from the empty table: those, and one more that
    is dark as a shadow."""
    labels = np.zeros((180, 320), np.uint8)
    for left, top, width, height, label in spots:
        labels[top : top + height, left : left + width] = label
    differs = np.where(labels > 0, np.uint8(255), np.uint8(0))
    if changed is not None:
        left, top, width, height = changed
        differs[top : top + height, left : left + width] = 255
    return labels, differs


def _blob() -> Blob:
    (blob,) = find_blobs(_picture((100, 60, SIDE, SIDE, 1))[0], 1, AREA)
    return blob


def _past(*pictures: tuple[Mask, Mask]) -> Past:
    past = Past(1.0)
    for n, picture in enumerate(pictures):
        past.keep(n * STEP_NS, *picture)
    return past


HAND = (130, 40, 60, 60, FOREIGN)
GLOVE_LIKE_SHADOW = (130, 40, 60, 60)


@pytest.mark.parametrize("hand", [_picture(HAND), _picture(changed=GLOVE_LIKE_SHADOW)])
def test_a_hand_that_drew_back_between_two_pictures_let_the_die_go(hand: tuple[Mask, Mask]) -> None:
    """60 pictures a second, the die and the hand 15 mm apart more in each: the hand is too far off by then."""
    past = _past(hand, hand)
    labels, differs = _picture((100, 60, SIDE, SIDE, 1))
    assert not past.beside(_blob(), AREA, labels, differs)
    assert past.was_beside(_blob(), 1)


def test_what_came_into_sight_in_the_open_was_beside_nothing() -> None:
    assert not _past(_picture(), _picture()).was_beside(_blob(), 1)
    far = _picture((250, 20, 60, 60, FOREIGN))
    assert not _past(far, far).was_beside(_blob(), 1)


def test_a_spot_of_its_own_colour_is_no_hand() -> None:
    """It may be the die itself, in the open and not yet taken for one."""
    own = _picture((85, 55, SIDE, SIDE, 1))
    assert not _past(own, own).was_beside(_blob(), 1)
    assert _past(own, own).was_beside(_blob(), 2)


def test_what_was_there_for_one_picture_flew_past() -> None:
    assert not _past(_picture(HAND), _picture()).was_beside(_blob(), 1)
    assert not _past(_picture(HAND)).was_beside(_blob(), 1)


def test_a_hand_now_beside_it_is_told_by_its_colour_or_by_its_size() -> None:
    past, die = Past(1.0), (100, 60, SIDE, SIDE, 1)
    assert past.beside(_blob(), AREA, *_picture(die, (135, 60, 12, 12, FOREIGN)))
    assert past.beside(_blob(), AREA, *_picture(die, changed=(123, 30, 40, 60)))
    # No larger than its own shadow.
    assert not past.beside(_blob(), AREA, *_picture(die, changed=(123, 70, SIDE, SIDE)))


def test_a_part_that_showed_before_the_whole_did_is_told_for_as_long_as_it_showed() -> None:
    part = _picture((112, 60, 10, SIDE, 1), (90, 40, 22, 60, FOREIGN))
    assert _past(_picture(), part, part).peeped_s(_blob(), 1, AREA, 3 * STEP_NS) == pytest.approx(2 * STEP_NS / 1e9)
    assert _past(part, _picture()).peeped_s(_blob(), 1, AREA, 2 * STEP_NS) == 0.0
    # For longer than anything is remembered.
    assert _past(*[part] * 30).peeped_s(_blob(), 1, AREA, 30 * STEP_NS) == UNTOLD_S


def test_the_last_picture_kept() -> None:
    assert Past(1.0).last_ns is None
    assert _past(_picture(), _picture()).last_ns == STEP_NS
