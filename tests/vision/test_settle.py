"""Stillness: what counts as motion and what is light or noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vision.settle import Stillness, difference, light_between, reduce


@pytest.mark.parametrize(("size", "factor"), [((720, 1280), 4), ((1080, 1920), 6), ((480, 640), 2), ((90, 160), 1)])
def test_pictures_of_any_size_are_reduced_to_about_the_same(size: tuple[int, int], factor: int) -> None:
    small = reduce(np.full((*size, 3), 77, np.uint8))
    assert small.factor == factor
    assert small.plane.shape == (size[0] // factor, size[1] // factor, 3)
    assert np.all(small.plane == 77)


def test_a_change_of_light_alone_leaves_no_difference() -> None:
    rng = np.random.default_rng(0)
    before = rng.uniform(40, 140, (180, 320, 3)).astype(np.float32)
    slope = np.linspace(0.8, 1.3, 320, dtype=np.float32)[None, :, None]
    left = difference(before, before * slope, light_between(before, before * slope))
    assert np.abs(left[:, 16:-16]).mean() < 2.0


def test_full_white_that_gets_brighter_is_no_difference() -> None:
    before = np.full((180, 320, 3), 120, np.float32)
    before[60:120, 100:200] = 255
    after = np.minimum(before * 0.9, 255)
    after[60:120, 100:200] = 250
    delta = difference(before, after, np.full_like(before, 0.9))
    assert np.abs(delta).max() == 0


def test_the_first_picture_and_a_new_size_begin_a_stillness(stage: Any) -> None:
    still = Stillness()
    picture = stage.shot(stage.Table(), 0)
    assert still.feed(reduce(picture), 5)
    assert not still.feed(reduce(stage.shot(stage.Table(), 1)), 6)
    assert still.still_since_ns == 5
    assert still.feed(reduce(picture[:200]), 7)
    assert still.still_since_ns == 7


def test_a_thing_that_creeps_breaks_the_stillness_again_and_again(stage: Any) -> None:
    still, moved = Stillness(), 0
    for n in range(60):
        table = stage.Table(cards=((100 + 0.5 * n, 120),))
        moved += still.feed(reduce(stage.shot(table, n)), n)
    assert moved >= 5
    assert still.still_since_ns > 40


def test_motion_counts_only_within_the_mask(stage: Any) -> None:
    still = Stillness()
    within = np.zeros((180, 320), np.uint8)
    within[:, 160:] = 255
    for n in range(5):
        still.feed(reduce(stage.shot(stage.Table(), n)), n, within)
    assert not still.feed(reduce(stage.shot(stage.Table(cards=((80, 120),)), 5)), 5, within)
    assert still.feed(reduce(stage.shot(stage.Table(cards=((600, 120),)), 6)), 6, within)
    assert still.changed[:, 160:].any()


def test_a_hint_of_a_change_is_finer_than_a_change(stage: Any) -> None:
    still = Stillness()
    for n in range(8):
        still.feed(reduce(stage.shot(stage.Table(), n)), n)
    before = still.mean
    faint = before.copy()
    faint[90:94, 40:70] += 5.4
    changed, hints = still.differences(before, faint)
    assert not changed.any()
    assert hints.any()


@pytest.mark.parametrize("ground", [40, 70])
def test_many_cards_taken_away_at_once_are_no_dusk(ground: int) -> None:
    bare = np.full((180, 320, 3), ground, np.float32)
    full = bare.copy()
    for y in range(4, 160, 44):
        for x in range(4, 300, 38):
            full[y : y + 40, x : x + 29] = 235
            full[y + 6 : y + 34, x + 5 : x + 24 : 8] = 30
            full[y + 12 : y + 28, x + 5 : x + 24] = 110
    assert (full != bare).all(axis=2).mean() > 0.6, "more than half of the table"
    light = light_between(full, bare)
    assert float(np.abs(light - 1.0).max()) < 0.02


def test_light_that_changes_while_cards_are_taken_away_is_still_told_from_them() -> None:
    slope = np.linspace(0.7, 0.95, 320, dtype=np.float32)[None, :, None]
    bare = np.full((180, 320, 3), 90, np.float32)
    full = bare.copy()
    for x in range(10, 310, 60):
        full[60:100, x : x + 29] = 240
        full[70:90, x + 5 : x + 20] = 30
    light = light_between(full, bare * slope)
    assert float(np.abs(light - slope).max()) < 0.06
