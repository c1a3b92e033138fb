"""Closed courses of points: where one goes round what lies beside it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.course import detours

COUNT = 120
RADIUS = 100.0


def _ring(bulge: float, at: int = 0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A circle with a bulge of so many units over ten points, and the points beside which a thing lies there."""
    turns = 2 * np.pi * np.arange(COUNT) / COUNT
    reach = np.full(COUNT, RADIUS)
    beside = np.zeros(COUNT, np.bool_)
    which = (at + np.arange(10)) % COUNT
    reach[which] += bulge * np.sin(np.pi * (np.arange(10) + 0.5) / 10)
    beside[which] = True
    return np.column_stack([reach * np.cos(turns), reach * np.sin(turns)]), beside


@pytest.mark.parametrize("at", [0, 40, COUNT - 4])
@pytest.mark.parametrize("bulge", [-14.0, 14.0])
def test_a_way_round_a_thing_is_told_all_of_it(bulge: float, at: int) -> None:
    points, beside = _ring(bulge, at)
    told = detours(points, beside, 4.0)
    assert told[beside].all()
    assert told.sum() <= beside.sum() + 2


def test_a_course_that_leads_on_past_a_thing_is_none() -> None:
    points, beside = _ring(0.0)
    assert not detours(points, beside, 4.0).any()


def test_a_bend_beside_nothing_is_its_own() -> None:
    points, beside = _ring(14.0)
    assert not detours(points, np.zeros_like(beside), 4.0).any()
    assert not detours(points, np.roll(beside, COUNT // 2), 4.0).any()


def test_of_two_things_the_one_that_is_gone_round_is_told() -> None:
    points, beside = _ring(14.0)
    other = np.roll(beside, COUNT // 2)
    told = detours(points, beside | other, 4.0)
    assert told[beside].all()
    assert not told[other].any()
