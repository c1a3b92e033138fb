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


def test_the_line_has_both_tables_and_their_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.bench.steady.SETTLED_FRAMES", 3)
    line = steady(1, 3)
    assert line["set"] == "steady"
    for table in TABLES:
        found = line[table]
        assert found["cards"] == 21
        assert found["settled"]["n"] == 3
        assert found["change"]["n"] + found["not_told"] == 1
        assert found["wrong"] == 0
