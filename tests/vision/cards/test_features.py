"""A card's description: the numbers that it is scaled by are numpy's own, found faster."""

from __future__ import annotations

import numpy as np
import pytest

from vision.cards.features import Floats, bright_level, usual_level


def rows() -> list[Floats]:
    chance = np.random.default_rng(5)
    sizes = [*range(1, 130), 1407, 1408, 4501, 5632]
    grey = [chance.integers(0, 256, size) for size in sizes]
    return [row.astype(np.float32) for row in (*grey, *(chance.random(size) * 300 - 20 for size in sizes))]


@pytest.mark.parametrize("row", rows(), ids=len)
def test_levels_are_the_percentile_and_the_median_to_the_last_bit(row: Floats) -> None:
    assert bright_level(row) == float(np.percentile(row, 95))
    assert usual_level(row) == np.median(row)
