"""What is written beside a die."""

from __future__ import annotations

import numpy as np

from vision.drawing_dice import draw_die, words_of_die
from vision.observation import DieDoubt, DieReading

SQUARE = ((20.0, 20.0), (60.0, 20.0), (60.0, 60.0), (20.0, 60.0))


def die(symbol: str | None, *doubts: DieDoubt) -> DieReading:
    return DieReading(
        8, symbol, 100.0, 90.0, None, None, 0.42, (("moon", 0.42), ("ring", 0.3)), SQUARE, SQUARE[:3], doubts
    )


def test_a_refused_die_says_what_it_was_seen_as_and_why_it_is_refused() -> None:
    told = words_of_die(die(None, DieDoubt.ON_STRING, DieDoubt.TILTED))
    assert told == ["d8 ? 0.42, side not told", "seen as moon 0.42, ring 0.30", "refused: on-string", "refused: tilted"]


def test_a_read_die_is_drawn_in_another_colour_than_a_refused_one() -> None:
    read, refused = (np.zeros((120, 300, 3), np.uint8) for _ in range(2))
    draw_die(read, die("moon"), 1.0)
    draw_die(refused, die(None, DieDoubt.UNCLEAR), 1.0)
    assert read[20, 40].any()
    assert refused[20, 40].any()
    assert not np.array_equal(read[20, 40], refused[20, 40])
