"""On which side of the string a die touched, by the points where it may have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.arena import Arena, ArenaState
from vision.dice.track_contacts import SURE, Contacts, side_of

WIDTH_MM = 4.0
STRING = Arena(((50.0, 50.0), (250.0, 50.0), (250.0, 150.0), (50.0, 150.0)), WIDTH_MM, ArenaState.FOUND)
"""Its left stretch runs along x = 50, the Arena to the right of it."""


def points(*depths_and_chances: tuple[float, float]) -> Contacts:
    """Points so deep inside the left stretch, mm, each as likely as is said."""
    at = np.array([(50.0 + depth, 100.0) for depth, _ in depths_and_chances])
    return Contacts(at, np.array([chance for _, chance in depths_and_chances]))


def test_a_touch_that_lies_beyond_the_string_whatever_it_was_is_told() -> None:
    assert side_of(points((5.0, 0.5), (9.0, 0.5)), STRING, 0.5) is True
    assert side_of(points((-5.0, 0.5), (-9.0, 0.5)), STRING, 0.5) is False


@pytest.mark.parametrize("sign", [1, -1])
def test_a_touch_off_the_string_that_may_have_met_its_near_half_is_told(sign: int) -> None:
    assert side_of(points((sign * 4.0, 0.7), (sign * 1.0, 0.3)), STRING, 0.5) is (sign > 0)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_touch_that_is_thought_to_lie_on_the_string_is_asked_about_though_it_lies_on_one_side_of_its_middle(
    sign: int,
) -> None:
    assert side_of(points((sign * 1.5, 0.7), (sign * 4.0, 0.3)), STRING, 0.5) is None


@pytest.mark.parametrize("sign", [1, -1])
def test_a_touch_that_may_have_been_on_the_other_side_is_asked_about(sign: int) -> None:
    few = 1 - SURE
    assert side_of(points((sign * 9.0, 1 - 1.5 * few), (sign * -1.0, 1.5 * few)), STRING, 0.5) is None
    assert side_of(points((sign * 9.0, 1 - 0.5 * few), (sign * -9.0, 0.5 * few)), STRING, 0.5) is (sign > 0)


def test_chances_count_by_their_share_of_all() -> None:
    assert side_of(points((5.0, 0.05), (9.0, 0.05)), STRING, 0.5) is True


def test_a_touch_beside_a_hidden_stretch_is_asked_about_as_that_may_run_elsewhere() -> None:
    corners = [(50.0, float(y)) for y in np.arange(150, 49, -5)] + [(250.0, 50.0), (250.0, 150.0)]
    seen = Arena(tuple(corners), WIDTH_MM, ArenaState.HELD, (False,) * len(corners))
    hidden = replace(seen, unseen=tuple(x == 50.0 and 60.0 < y < 140.0 for x, y in corners))
    near = points((4.0, 1.0))
    assert side_of(near, seen, 0.5) is True
    assert side_of(near, hidden, 0.5) is None
    assert side_of(points((80.0, 1.0)), hidden, 0.5) is True
