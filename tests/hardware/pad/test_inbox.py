"""The inbox: whatever way events come, they go on in order, each once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hardware.pad.inbox import AHEAD, Hole, Inbox, Position
from hardware.pad.messages import Event, Resumed


def event(seq: int, ring: int = 7) -> Event:
    return Event(ring, 7, seq, 1, 0, 0, 1000 * seq, 5000, 0, 50)


def opened(oldest: int = 1, next_seq: int = 1) -> Inbox:
    inbox = Inbox()
    inbox.resume(Resumed(7, oldest, next_seq))
    return inbox


@given(st.lists(st.integers(1, 40), max_size=150))
def test_what_comes_in_any_order_goes_on_in_order_and_once(numbers: list[int]) -> None:
    inbox = opened()
    taken = [one.seq for number in numbers for one in inbox.put(event(number))]
    whole = next(number for number in range(1, 42) if number not in numbers)
    assert taken == list(range(1, whole))


def test_a_later_event_waits_for_the_one_before() -> None:
    inbox = opened()
    assert inbox.put(event(2)) == []
    assert [one.seq for one in inbox.put(event(1))] == [1, 2]


def test_an_event_too_far_ahead_is_left_to_be_sent_again() -> None:
    """No pad has so many in flight: a number spoilt by noise must not fill the memory."""
    inbox = opened()
    assert inbox.put(event(1 + AHEAD)) == []
    ready = [one.seq for seq in range(1, 1 + AHEAD) for one in inbox.put(event(seq))]
    assert ready == list(range(1, 1 + AHEAD))


def test_events_of_another_ring_wait_for_the_handshake() -> None:
    inbox = opened()
    assert inbox.put(event(1, ring=8)) == []
    assert Inbox().put(event(1)) == []


def test_what_waited_of_an_old_ring_is_no_event_of_the_new_one() -> None:
    inbox = opened()
    inbox.put(event(2))
    inbox.close()
    inbox.resume(Resumed(8, 1, 3))
    assert [one.ring for one in inbox.put(event(1, ring=8))] == [8]


def test_only_what_was_handed_on_can_be_confirmed() -> None:
    inbox = opened()
    inbox.put(event(1))
    inbox.confirm(7, 5)
    assert inbox.confirmed == Position(7, 2)
    inbox.confirm(8, 1)
    assert inbox.confirmed == Position(7, 2)


def test_what_the_pad_no_longer_holds_is_a_hole() -> None:
    inbox = Inbox(Position(7, 3))
    assert inbox.resume_at(7) == 3
    assert inbox.resume_at(8) == 0
    assert inbox.resume(Resumed(7, 6, 9)) == Hole(7, 3, 5)
    assert [one.seq for one in inbox.put(event(6))] == [6]


def test_a_pad_that_holds_what_is_next_has_no_hole() -> None:
    assert Inbox(Position(7, 3)).resume(Resumed(7, 2, 9)) is None
    assert Inbox(Position(7, 3)).resume(Resumed(8, 5, 9)) is None
