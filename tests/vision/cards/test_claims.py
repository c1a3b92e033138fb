"""What of a card is free, by its cells."""

from __future__ import annotations

import numpy as np
import pytest

from vision.cards.claims import Claims
from vision.cards.features import Grid
from vision.cards.outlines import Placement

GRID = Grid.of(63.0, 88.0)
EVERY = np.ones(GRID.rows * GRID.columns, bool)


@pytest.mark.parametrize("angle", [0.0, 90.0, 180.0])
def test_cells_outside_the_view_are_not_free_at_any_of_its_edges(angle: float) -> None:
    claims = Claims((300, 200), (-12.0, -12.0))
    middle = Placement(138.0, 88.0, angle)
    assert claims.visible(middle, GRID).all()
    for x, y in ((-12.0, 88.0), (288.0, 88.0), (138.0, -12.0), (138.0, 188.0)):
        seen = claims.visible(Placement(x, y, angle), GRID)
        assert 0.3 < seen.mean() < 0.6
    assert not claims.visible(Placement(-80.0, 88.0, angle), GRID).any()
    assert not claims.visible(Placement(138.0, 300.0, angle), GRID).any()


def test_a_card_that_took_its_cells_leaves_none_of_them_and_all_around_it() -> None:
    claims = Claims((300, 200), (-12.0, -12.0))
    place = Placement(138.0, 88.0, 17.0)
    cells = EVERY.copy()
    cells[: 3 * GRID.columns] = False
    claims.take(place, GRID, cells)
    assert (claims.visible(place, GRID) == ~cells).all()
    assert claims.visible(Placement(40.0, 88.0, 17.0), GRID).all()
