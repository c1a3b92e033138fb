"""The bench of hands over the Arena."""

from __future__ import annotations

from companion.bench.hands_moving import hands


def test_hands_are_counted_and_none_is_told_wrongly() -> None:
    line = hands(2, 5)
    assert line["films"] == 2
    assert line["hands"] > 40
    assert line["found"] > 0.9
    assert line["whose_wrong"] == line["closing_wrong"] == line["raised_wrong"] == 0
    assert line["closing_right"] + line["closing_unsure"] == 2
