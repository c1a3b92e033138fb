"""What counts as a change between two pictures of one table, and what does not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_cards import Image, Laid, draw_table

from vision.cards.changes import Backdrop


@pytest.fixture(scope="module")
def six(scans: dict[str, Image]) -> Image:
    return draw_table([Laid(scans["red-6"], 200, 160, 7)], noise=0).image


@pytest.fixture(scope="module")
def nine(scans: dict[str, Image]) -> Image:
    return draw_table([Laid(scans["red-9"], 200, 160, 7)], noise=0).image


def grainy(picture: Image, seed: int, noise: float = 3.0) -> Image:
    values = picture + np.random.default_rng(seed).normal(0, noise, picture.shape)
    return np.clip(values, 0, 255).astype(np.uint8)


def packed(picture: Image, quality: int) -> Image:
    coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


@pytest.mark.parametrize("noise", [0.0, 1.0, 4.0, 12.0])
def test_noise_is_no_change(six: Image, noise: float) -> None:
    changes = Backdrop(grainy(six, 1, noise)).changes(grainy(six, 2, noise))
    assert changes is not None
    assert not changes.any


def test_what_packing_does_to_a_picture_is_no_sure_change(six: Image) -> None:
    changes = Backdrop(packed(grainy(six, 1), 70)).changes(packed(grainy(six, 2), 70))
    assert changes is not None
    assert not changes.sure.any()


@pytest.mark.parametrize(("left", "right"), [(0.8, 0.8), (1.1, 1.1), (0.85, 1.0)])
def test_other_light_is_no_change(six: Image, left: float, right: float) -> None:
    light = np.linspace(left, right, six.shape[1])[None, :, None]
    changes = Backdrop(grainy(six, 1)).changes(grainy(np.clip(six * light, 0, 255).astype(np.uint8), 2))
    assert changes is not None
    assert not changes.sure.any()


def test_a_wobble_by_a_part_of_a_pixel_is_no_change(six: Image) -> None:
    moved = cv2.warpAffine(
        six, np.float32([[1, 0, 0.25], [0, 1, -0.2]]), six.shape[1::-1], borderMode=cv2.BORDER_REPLICATE
    )
    changes = Backdrop(grainy(six, 1)).changes(grainy(np.asarray(moved, np.uint8), 2))
    assert changes is not None
    assert not changes.sure.any()


@pytest.mark.parametrize("noise", [0.0, 4.0, 10.0])
def test_a_nine_in_the_place_of_a_six_is_a_sure_change(six: Image, nine: Image, noise: float) -> None:
    changes = Backdrop(grainy(six, 1, noise)).changes(grainy(nine, 2, noise))
    assert changes is not None
    assert changes.sure.any()


def test_what_was_taken_over_is_no_change_any_more_not_even_in_other_light(six: Image, nine: Image) -> None:
    backdrop = Backdrop(grainy(six, 1))
    darker = np.asarray(nine * 0.85, np.uint8)
    changes = backdrop.changes(grainy(darker, 2))
    assert changes is not None
    backdrop.renew(grainy(darker, 2), changes)
    for picture in (darker, nine):
        again = backdrop.changes(grainy(picture, 3))
        assert again is not None
        assert not again.sure.any()


def test_a_picture_of_another_shape_cannot_be_compared(six: Image) -> None:
    assert Backdrop(six).changes(six[:-2]) is None


def test_a_large_picture_is_compared_in_small(six: Image, nine: Image) -> None:
    large, other = (
        cv2.resize(one, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC).astype(np.uint8) for one in (six, nine)
    )
    backdrop = Backdrop(large)
    same, changed = backdrop.changes(large), backdrop.changes(other)
    assert same is not None
    assert changed is not None
    assert (same.any, changed.any) == (False, True)
