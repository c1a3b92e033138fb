"""The virtual camera with faults: each shows in its pictures, and the film is shown whole, whatever goes wrong."""

from __future__ import annotations

import pickle
from itertools import islice, pairwise

import numpy as np
import pytest

from companion.errors import BadInputError
from companion.virtual.faults import TableFaults, faults_at_hand
from companion.virtual.faulty_camera import WAIT_S, FaultyCamera, faulty_factory
from companion.virtual.film_time import FilmTime
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


@pytest.fixture
def camera(faults: TableFaults) -> FaultyCamera:
    return FaultyCamera(SMALL, faults.folder)


def read(camera: FaultyCamera, number: int) -> list[Shot]:
    shots = [camera.read() for _ in range(number)]
    return [shot for shot in shots if shot is not None]


def moments(shots: list[Shot], folder: str) -> list[float]:
    """Seconds of the film that they show."""
    film_time = FilmTime(folder)
    return [film_time(shot.t_ns) / 1e9 for shot in shots]


def test_without_a_fault_it_shows_the_film(camera, faults) -> None:
    shots = read(camera, 9)
    film = list(islice(SMALL.director().film(), 9))
    assert moments(shots, faults.folder) == [shown.t_s for shown in film]
    plain = SMALL.renderer().render(film[8].scene, 9)
    assert (shots[8].image == plain).all()


def test_unplugged_it_stops_and_can_not_be_opened_and_then_goes_on_where_it_was(camera, faults) -> None:
    before = read(camera, 12)
    faults.switch("camera-unplugged", True)
    with pytest.raises(CameraLostError):
        camera.read()
    camera.close()
    factory = pickle.loads(pickle.dumps(faulty_factory(SMALL, faults.folder)))
    with pytest.raises(CameraNotFoundError):
        factory()
    faults.switch("camera-unplugged", False)
    after = read(factory(), WAITS + 3)
    seen = moments([*before, *after], faults.folder)
    assert seen == sorted(seen)
    assert sorted(set(seen)) == [n / FPS for n in range(15)], "no moment is left out"
    assert after[0].t_ns > before[-1].t_ns


@pytest.mark.parametrize("fault", ["frames-frozen", "light-off"])
def test_nobody_plays_on_while_nothing_can_be_seen(camera, faults, fault) -> None:
    read(camera, 6)
    faults.switch(fault, True)
    blind = read(camera, 8)
    faults.switch(fault, False)
    after = read(camera, WAITS + 2)
    assert set(moments(blind, faults.folder)) == {5 / FPS}
    assert moments(after, faults.folder)[-3:] == [5 / FPS, 6 / FPS, 7 / FPS]
    assert [one.t_ns < other.t_ns for one, other in pairwise(blind)] == [True] * 7


def test_a_frozen_picture_is_the_same_to_the_last_bit_and_a_dark_one_is_not(camera, faults) -> None:
    (last,) = read(camera, 6)[-1:]
    faults.switch("frames-frozen", True)
    assert all((shot.image == last.image).all() for shot in read(camera, 3))
    faults.switch("frames-frozen", False)
    faults.switch("light-off", True)
    one, other = read(camera, 2)
    assert np.percentile(one.image, 99) < 20
    assert (one.image != other.image).any()


def test_a_bump_moves_the_picture_and_leaves_every_marker_in_it(camera, faults) -> None:
    (before,) = read(camera, 1)
    faults.switch("camera-bumped", True)
    (after,) = read(camera, 1)
    assert np.abs(after.image.astype(int) - before.image).mean() > 2
    corners = SMALL.renderer(bump_deg=(1.0, 1.4)).camera.project(np.array([(0.0, 0.0), (700, 0), (700, 420), (0, 420)]))
    assert (corners > 0).all()
    assert (corners < (640, 360)).all()


def test_a_covered_marker_changes_its_corner_alone(camera, faults) -> None:
    (before,) = read(camera, 1)
    faults.switch("marker-covered", True)
    (after,) = read(camera, 1)
    changed = np.abs(after.image.astype(int) - before.image).max(axis=2) > 60
    rows, columns = np.nonzero(changed)
    assert rows.max() < 120
    assert columns.max() < 200


def test_the_clock_goes_ahead_by_an_hour_and_back_with_the_wall_s(camera, faults) -> None:
    (before,) = read(camera, 4)[-1:]
    wall = faults.clock.wall_ns()
    faults.switch("clock-stepped", True)
    assert 3600 <= (faults.clock.wall_ns() - wall) / 1e9 < 3660
    (ahead,) = read(camera, 1)
    faults.switch("clock-stepped", False)
    (back,) = read(camera, 1)
    assert (ahead.t_ns - before.t_ns) / 1e9 == 3600 + 1 / FPS
    assert (back.t_ns - before.t_ns) / 1e9 == 2 / FPS


def test_the_film_ends_as_without_faults(faults) -> None:
    tiny = VirtualTable(seed=5, size=(160, 90), timing=Timing(fps=1.0))
    camera = FaultyCamera(tiny, faults.folder)
    shots = []
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
