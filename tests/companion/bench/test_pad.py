"""`bench pad` counts what it should: errors against bounds, touches that were not told, and says what it measured."""

from __future__ import annotations

import pytest

from companion.bench import pad
from companion.bench.pad import Told, measure, spread
from hardware.pad.reports import PadEvent
from hardware.virtual import simulated_pad
from hardware.virtual.simulated_pad import SimulatorMissingError

MS = 1_000_000


def event(t_ns: int, bound_ns: int = MS) -> tuple[PadEvent, int]:
    return PadEvent(1, 1, 1, 1, "contact-made", 0, "contact", 0, 0, 50, 0, 0, t_ns, bound_ns), t_ns + 10 * MS


def test_each_event_is_held_against_its_touch() -> None:
    told = pad._matched([100 * MS, 200 * MS, 300 * MS], [event(101 * MS), event(299 * MS)])
    assert [(one.truth_ns, one.error_ns) for one in told] == [(100 * MS, MS), (300 * MS, MS)]


def test_a_time_outside_its_bound_is_counted() -> None:
    told = [Told(0.0, 2 * MS, MS, 3 * MS), Told(0.0, MS, 2 * MS, 3 * MS)]
    line = pad._sum_up(pad.SIMULATOR, 3, 2, told)
    assert (line["outside_bound"], line["told"], line["touches"]) == (1, 2, 3)
    assert line["error_us"] == {"p50": 1000.0, "p99": 2000.0, "max": 2000.0}
    assert line["receipt_late_us"]["max"] == 3000.0


def test_what_nothing_bounds_is_told_and_is_outside_of_nothing() -> None:
    told = [Told(0.0, 9 * MS, None, 20 * MS, uncertain=True), Told(0.0, MS, 2 * MS, 3 * MS)]
    line = pad._sum_up(pad.SIMULATOR, 2, 0, told)
    assert (line["told"], line["outside_bound"], line["flagged"], line["without_bound"]) == (2, 0, 1, 1)
    assert line["bound_us"]["max"] == 2000.0


def test_a_spread_of_nothing_is_empty() -> None:
    assert spread([]) == {}
    assert spread([5000.0]) == {"p50": 5.0, "p99": 5.0, "max": 5.0}


def test_without_the_simulator_the_stand_in_is_measured_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_args: object, **_more: object) -> None:
        raise SimulatorMissingError("the pad's simulator needs avr-gcc")

    monkeypatch.setattr(simulated_pad, "PacedPad", missing)
    monkeypatch.setattr(pad, "SETTLE_S", 1.0)
    line = measure(10, busy=0)
    assert (line["measured"], line["stand_in_because"]) == (pad.STAND_IN, "the pad's simulator needs avr-gcc")
    assert line["told"] > 0
    assert line["outside_bound"] == 0


def test_the_real_firmwares_times_stay_within_their_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        simulated_pad.build()
    except SimulatorMissingError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(pad, "SETTLE_S", 2.0)
    for hum_ua in (0.0, 0.2):
        line = measure(20, busy=1, hum_ua=hum_ua)
        assert (line["measured"], line["hum_ua"]) == (pad.SIMULATOR, hum_ua)
        assert (line["told"], line["outside_bound"], line["without_bound"]) == (20, 0, 0)
