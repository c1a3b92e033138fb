"""The virtual camera with faults: each shows in its pictures, and the film is shown whole, whatever goes wrong."""

from __future__ import annotations

import pickle
from itertools import islice, pairwise

import numpy as np
import pytest

from companion.errors import BadInputError
from companion.virtual.faults import TableFaults, faults_at_hand
from companion.virtual.faulty_camera import WAIT_S
from companion.virtual.reel import Timing
from companion.virtual.table import VirtualTable
from hardware.camera.base import Shot
from hardware.errors import CameraLostError, CameraNotFoundError

FPS = 4.0
SMALL = VirtualTable(seed=5, size=(640, 360), timing=Timing(fps=FPS))
WAITS = round(WAIT_S * FPS)


@pytest.fixture
def faults(tmp_path) -> TableFaults:
    return TableFaults(str(tmp_path))


class Watched:
    """A camera over a table, what opens it, and its film's time."""

    def __init__(self, faults: TableFaults, table: VirtualTable = SMALL) -> None:
        self.factory, self.film_time = faults.watched(table)
        self.camera = self.factory()

    def read(self, number: int) -> list[Shot]:
        shots = [self.camera.read() for _ in range(number)]
        return [shot for shot in shots if shot is not None]

    def moments(self, shots: list[Shot]) -> list[float]:
        """Seconds of the film that they show, asked for once each and in their order."""
        return [self.film_time(shot.t_ns) / 1e9 for shot in shots]


@pytest.fixture
def watched(faults: TableFaults) -> Watched:
    return Watched(faults)


def test_without_a_fault_it_shows_the_film(watched, faults) -> None:
    shots = watched.read(9)
    film = list(islice(SMALL.director().film(), 9))
    assert watched.moments(shots) == [shown.t_s for shown in film]
    plain = SMALL.renderer().render(film[8].scene, 9)
    assert (shots[8].image == plain).all()


def test_unplugged_it_stops_and_can_not_be_opened_and_then_goes_on_where_it_was(watched, faults) -> None:
    before = watched.read(12)
    faults.switch("camera-unplugged", True)
    with pytest.raises(CameraLostError):
        watched.camera.read()
    watched.camera.close()
    factory = pickle.loads(pickle.dumps(watched.factory))
    with pytest.raises(CameraNotFoundError):
        factory()
    faults.switch("camera-unplugged", False)
    watched.camera = factory()
    after = watched.read(WAITS + 3)
    seen = watched.moments([*before, *after])
    assert seen == sorted(seen)
    assert sorted(set(seen)) == [n / FPS for n in range(15)], "no moment is left out"
    assert after[0].t_ns > before[-1].t_ns


@pytest.mark.parametrize("fault", ["frames-frozen", "light-off"])
def test_nobody_plays_on_while_nothing_can_be_seen(watched, faults, fault) -> None:
    watched.read(6)
    faults.switch(fault, True)
    blind = watched.read(8)
    faults.switch(fault, False)
    after = watched.read(WAITS + 2)
    assert set(watched.moments(blind)) == {5 / FPS}
    assert watched.moments(after)[-3:] == [5 / FPS, 6 / FPS, 7 / FPS]
    assert [one.t_ns < other.t_ns for one, other in pairwise(blind)] == [True] * 7


def test_a_frozen_picture_is_the_same_to_the_last_bit_and_a_dark_one_is_not(watched, faults) -> None:
    (last,) = watched.read(6)[-1:]
    faults.switch("frames-frozen", True)
    assert all((shot.image == last.image).all() for shot in watched.read(3))
    faults.switch("frames-frozen", False)
    faults.switch("light-off", True)
    one, other = watched.read(2)
    assert np.percentile(one.image, 99) < 20
    assert (one.image != other.image).any()


def test_a_bump_moves_the_picture_and_leaves_every_marker_in_it(watched, faults) -> None:
    (before,) = watched.read(1)
    faults.switch("camera-bumped", True)
    (after,) = watched.read(1)
    assert np.abs(after.image.astype(int) - before.image).mean() > 2
    corners = SMALL.renderer(bump_deg=(1.0, 1.4)).camera.project(np.array([(0.0, 0.0), (700, 0), (700, 420), (0, 420)]))
    assert (corners > 0).all()
    assert (corners < (640, 360)).all()


def test_a_covered_marker_changes_its_corner_alone(watched, faults) -> None:
    (before,) = watched.read(1)
    faults.switch("marker-covered", True)
    (after,) = watched.read(1)
    changed = np.abs(after.image.astype(int) - before.image).max(axis=2) > 60
    rows, columns = np.nonzero(changed)
    assert rows.max() < 120
    assert columns.max() < 200


def test_the_clock_goes_ahead_by_an_hour_and_back_with_the_wall_s(watched, faults) -> None:
    (before,) = watched.read(4)[-1:]
    wall = faults.clock.wall_ns()
    faults.switch("clock-stepped", True)
    assert 3600 <= (faults.clock.wall_ns() - wall) / 1e9 < 3660
    (ahead,) = watched.read(1)
    faults.switch("clock-stepped", False)
    (back,) = watched.read(1)
    assert (ahead.t_ns - before.t_ns) / 1e9 == 3600 + 1 / FPS
    assert (back.t_ns - before.t_ns) / 1e9 == 2 / FPS


def test_each_table_has_a_film_of_its_own_that_ends_as_without_faults(watched, faults) -> None:
    tiny = VirtualTable(seed=5, size=(160, 90), timing=Timing(fps=1.0))
    watched.read(3)
    camera, shots = Watched(faults, tiny).camera, []
    while (shot := camera.read()) is not None:
        shots.append(shot)
    assert len(shots) == len(list(tiny.director().film()))
    assert camera.read() is None
    camera.close()
    assert camera.read() is None


def test_a_fault_that_is_not_there_is_named(faults) -> None:
    with pytest.raises(BadInputError, match="pad-reset"):
        faults.switch("pad-reset", True)


def test_the_pad_s_faults_are_there_where_a_pad_is() -> None:
    with faults_at_hand(has_pad=True) as faults:
        listed = {one["fault"]: one for one in faults.listed()}
        assert not listed["pad-reset"]["lasts"]
        faults.switch("pad-reset", True)
        faults.switch("pad-unplugged", True)
        assert {name for name, one in ((one["fault"], one) for one in faults.listed()) if one["on"]} == {
            "pad-unplugged"
        }
