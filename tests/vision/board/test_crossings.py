"""Crossings by exact geometry."""

from __future__ import annotations

import pytest

from vision.board.crossings import count_crossings, crosses
from vision.observation import Colour, LineReading


def line(a: int, b: int, colour: Colour = Colour.RED) -> LineReading:
    return LineReading(a, b, colour, 1.0)


def test_two_diagonals_of_one_colour_cross_once() -> None:
    centres = {1: (0.0, 0.0), 2: (10.0, 10.0), 3: (0.0, 10.0), 4: (10.0, 0.0)}
    assert count_crossings([line(1, 2), line(3, 4)], centres) == 1
    assert count_crossings([line(1, 2), line(3, 4, Colour.BLUE)], centres) == 0


def test_a_shared_end_is_no_crossing() -> None:
    assert count_crossings([line(1, 2), line(1, 3)], {1: (0.0, 0.0), 2: (5.0, 5.0), 3: (5.0, 4.9)}) == 0


@pytest.mark.parametrize(
    ("r", "s", "expected"),
    [
        ((50, 0), (50, 90), False),  # an end that only touches
        ((50, -1), (50, 90), True),  # a tenth of a millimetre past
        ((20, 0), (150, 0), False),  # an overlap on one line
        ((200, -9), (200, 9), False),  # beyond the end
    ],
)
def test_only_a_proper_crossing_counts(r: tuple[int, int], s: tuple[int, int], expected: bool) -> None:
    assert crosses((0, 0), (100, 0), r, s) is expected
    assert crosses(r, s, (100, 0), (0, 0)) is expected
