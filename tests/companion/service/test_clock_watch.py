"""A wall clock that is set while a game goes on."""

from __future__ import annotations

import pytest

from companion.service.clock_watch import ClockWatch, step_text

S = 10**9


class Clocks:
    """A wall clock and a monotonic one that are moved by hand."""

    boot_id = "b"

    def __init__(self) -> None:
        self.wall, self.mono = 1000 * S, 5 * S

    def wall_ns(self) -> int:
        return self.wall

    def mono_ns(self) -> int:
        return self.mono

    def go(self, seconds: float, set_by: float = 0.0) -> None:
        self.mono += round(seconds * S)
        self.wall += round((seconds + set_by) * S)


class Desk:
    def __init__(self) -> None:
        self.shown: list[tuple[str, str, bool]] = []

    def source(self, name: str, state: str, text: str = "", *, journaled: bool = False) -> None:
        self.shown.append((state, text, journaled))


@pytest.fixture
def watched():
    clocks, desk = Clocks(), Desk()
    return clocks, desk, ClockWatch(desk, clocks, clocks.mono_ns)


def test_a_clock_that_is_only_slewed_is_not_spoken_of(watched) -> None:
    clocks, desk, watch = watched
    for _ in range(5000):
        clocks.go(1.0, set_by=0.0005)
        watch.look()
    assert desk.shown == []


@pytest.mark.parametrize(("step", "words"), [(3600, "set ahead by 1 h:"), (-95, "set back by 1 min 35 s:")])
def test_a_clock_that_is_set_is_told_once_and_written_down(watched, step, words) -> None:
    clocks, desk, watch = watched
    clocks.go(1.0)
    watch.look()
    clocks.go(1.0, set_by=step)
    watch.look()
    clocks.go(1.0)
    watch.look()
    ((state, text, journaled),) = desk.shown
    assert state == "stepped"
    assert words in text
    assert journaled


def test_it_is_shown_for_half_a_minute(watched) -> None:
    clocks, desk, watch = watched
    clocks.go(1.0, set_by=60)
    for _ in range(40):
        watch.look()
        clocks.go(1.0)
    assert [state for state, _, _ in desk.shown] == ["stepped", "ready"]


def test_a_step_of_some_seconds_has_no_empty_parts() -> None:
    assert "by 5 s:" in step_text(5 * S)
    assert "by 2 h 1 s:" in step_text(-7201 * S)
