"""The virtual table as a camera."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest

from companion.virtual.camera import VirtualCamera, virtual_factory
from companion.virtual.reel import Timing
from companion.virtual.table import VirtualTable
from hardware.camera.base import TimeKind

SMALL = VirtualTable(seed=5, size=(320, 180), timing=Timing(fps=2.0))


def test_a_recorded_table_ends_and_counts_its_own_time() -> None:
    camera = virtual_factory(SMALL)()
    times = []
    while (shot := camera.read()) is not None:
        times.append(shot.t_ns)
        assert shot.image.shape == (180, 320, 3)
        assert not shot.settled
    assert camera.recorded
    assert camera.time_kind is TimeKind.MEDIA
    assert times == [n * 500_000_000 for n in range(len(list(SMALL.director().film())))]
    assert camera.read() is None


def test_the_factory_pickles_and_shows_the_same_pictures() -> None:
    one = virtual_factory(SMALL)()
    other = pickle.loads(pickle.dumps(virtual_factory(SMALL)))()
    for _ in range(12):
        a, b = one.read(), other.read()
        assert a is not None
        assert b is not None
        assert (a.image == b.image).all()


def test_a_closed_camera_shows_nothing_more() -> None:
    camera = virtual_factory(SMALL)()
    camera.read()
    camera.close()
    camera.close()
    assert camera.read() is None


@pytest.mark.parametrize(("speed", "kind"), [(1.0, TimeKind.SENSOR), (4.0, TimeKind.MEDIA)])
def test_a_live_table_has_the_hosts_time_at_its_own_pace_only(speed: float, kind: TimeKind) -> None:
    table = VirtualTable(seed=5, size=(320, 180), timing=Timing(fps=50.0))
    camera = virtual_factory(table, recorded=False, speed=speed)()
    before = time.monotonic_ns()
    times = [shot.t_ns for _ in range(5) if (shot := camera.read()) is not None]
    assert camera.time_kind is kind
    assert not camera.recorded
    assert times == sorted(times)
    if kind is TimeKind.SENSOR:
        assert before <= times[0] <= times[-1] <= time.monotonic_ns()


def test_a_live_table_goes_on_showing_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    table = VirtualTable(seed=5, size=(320, 180), timing=Timing(fps=2.0))
    clock = iter(range(0, 10_000_000_000_000, 40_000_000_000))
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(clock))
    monkeypatch.setattr(time, "sleep", lambda _s: None)
    camera = VirtualCamera(table, recorded=False)
    shots = [camera.read() for _ in range(8)]
    *_, last = table.director().film()
    expected = table.renderer().render(last.scene, 0).astype(int)
    end = shots[-1]
    assert end is not None
    assert np.abs(end.image.astype(int) - expected).mean() < 6
