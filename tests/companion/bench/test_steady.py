"""The steady table: laid out as told, and what a reader says of it held against what lies there."""

from __future__ import annotations

import numpy as np
import pytest

from companion.bench.steady import TABLES, laid_out, steady


@pytest.mark.parametrize("table", TABLES)
def test_twenty_one_cards_lie_in_three_rows_in_order(table: str) -> None:
    cards = laid_out([f"c{n}" for n in range(21)], TABLES[table], np.random.default_rng(1))
    rows = [cards[n : n + 7] for n in (0, 7, 14)]
    for row in rows:
        assert np.ptp([card.y_mm for card in row]) < 7
        assert np.diff([card.x_mm for card in row]) == pytest.approx([TABLES[table]] * 6, abs=5)


def test_cards_side_by_side_and_in_overlapping_rows_are_all_read_and_the_line_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("companion.bench.steady.SETTLED_FRAMES", 3)
    line = steady(1, 1)
    assert line["set"] == "steady"
    for table in TABLES:
        found = line[table]
        assert found["cards"] == 21
        assert found["settled"]["n"] == 3
        assert found["change"]["n"] + found["not_told"] == 1
        assert found["wrong"] == 0
        assert found["first_right"] == 21
        assert found["right_after_changes"] == found["shown_after_changes"]
