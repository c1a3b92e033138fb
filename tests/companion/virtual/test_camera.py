"""The virtual table as a camera."""

from __future__ import annotations

import pickle

from companion.virtual.camera import virtual_factory
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
