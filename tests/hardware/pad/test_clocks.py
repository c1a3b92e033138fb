"""The clocks of a pad's boots: which answer belongs to which question."""

from __future__ import annotations

from hardware.pad.clocks import KEPT, LOST_NS, BootClocks
from hardware.pad.frames import FrameReader
from hardware.pad.messages import TimeReply

MS = 1_000_000


def token_of(frame: bytes) -> int:
    (body,) = FrameReader().feed(frame)
    return int.from_bytes(body[2:6], "little")


def test_an_answer_to_an_earlier_question_is_passed_over() -> None:
    """It came too late; taken for the present one's it would be off by the time between the two."""
    clocks = BootClocks(250_000)
    first = token_of(clocks.question(1, 0))
    clocks.forget_question()
    clocks.question(2, 2 * LOST_NS)
    assert not clocks.answered(TimeReply(1, first, 5, 1000, 1100), 2 * LOST_NS + 2 * MS)
    assert clocks.at(5, 1000) is None
    assert clocks.flying


def test_an_answer_is_its_boots_whoever_was_asked() -> None:
    clocks = BootClocks(250_000)
    token = token_of(clocks.question(1, 0))
    clocks.answered(TimeReply(1, token, 6, 1000, 1100), 3 * MS)
    assert clocks.at(5, 1000) is None
    instant = clocks.at(6, 1000)
    assert instant is not None
    assert abs(instant.t_ns - MS) < 2 * MS


def test_old_boots_are_forgotten() -> None:
    clocks = BootClocks(250_000)
    for boot in range(KEPT + 3):
        token = token_of(clocks.question(1, boot * 100 * MS))
        clocks.answered(TimeReply(1, token, boot, 1000, 1100), boot * 100 * MS + 3 * MS)
    assert [clocks.map_of(boot).known for boot in range(KEPT + 3)] == [False] * 3 + [True] * KEPT
