"""The ring: order, shedding, views, and processes that die in the middle."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest

from hardware.camera.base import Shot, TimeKind
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import READING, WRITING, Picture, Ring, RingBusyError, RingReader, RingWriter, post_notice
from hardware.errors import CameraError

MEGABYTE = 1024 * 1024


@pytest.fixture
def ring() -> Iterator[Ring]:
    made = Ring.create(slots=4)
    yield made
    made.close()


def shot(n: int, height: int = 20, width: int = 30, name: str = "") -> Shot:
    return Shot(np.full((height, width, 3), n % 256, np.uint8), n, 1, name or f"{n}.jpg", settled=True)


def taken(reader: RingReader) -> list[int | str]:
    """What lies in the ring: a picture's number, a notice's text."""
    got: list[int | str] = []
    while (value := reader.get(0.0)) is not None:
        got.append(int(value.image[0, 0, 0]) if isinstance(value, Picture) else value.text)
    return got


def test_a_picture_arrives_as_it_was_with_everything_known_of_it(ring: Ring) -> None:
    image = np.random.default_rng(3).integers(0, 256, (33, 17, 3), np.uint8)
    RingWriter(ring, True, TimeKind.SENSOR).put(Shot(image, 2**62, 123, "星.jpg", settled=True))
    got = RingReader(ring).get(0.0)
    assert isinstance(got, Picture)
    assert np.array_equal(got.image, image)
    assert (got.frame_id, got.t_ns, got.t_err_ns, got.time_kind, got.name, got.settled) == (
        *(0, 2**62, 123, TimeKind.SENSOR, "星.jpg"),
        True,
    )


def test_every_other_line_of_a_picture_is_copied_right(ring: Ring) -> None:
    image = np.random.default_rng(4).integers(0, 256, (40, 40, 3), np.uint8)[::2, ::-1]
    RingWriter(ring, True, TimeKind.MEDIA).put(Shot(image, 0, 0))
    got = RingReader(ring).get(0.0)
    assert isinstance(got, Picture)
    assert np.array_equal(got.image, image)


def test_live_the_newest_picture_wins_and_the_older_ones_are_counted(ring: Ring) -> None:
    writer, reader = RingWriter(ring, False, TimeKind.ARRIVAL), RingReader(ring)
    for n in range(10):
        assert writer.put(shot(n))
    got = reader.get(0.0)
    assert isinstance(got, Picture)
    assert (got.frame_id, int(got.image[0, 0, 0])) == (9, 9)
    assert reader.get(0.0) is None
    counts = ring.counts()
    assert (counts.pictures, counts.taken, counts.shed) == (10, 1, 9)


def test_lossless_the_writer_waits_for_room_and_nothing_is_lost(ring: Ring) -> None:
    writer, reader = RingWriter(ring, True, TimeKind.MEDIA), RingReader(ring)
    for n in range(4):
        assert writer.put(shot(n))
    assert not writer.put(shot(4), stop=lambda: True)
    assert taken(reader) == [0, 1, 2, 3]
    assert writer.put(shot(4), stop=lambda: True)
    assert taken(reader) == [4]
    assert ring.counts().shed == 0


def test_a_recording_is_not_read_ahead_by_more_than_a_few_photographs_memory(ring: Ring) -> None:
    writer, reader = RingWriter(ring, True, TimeKind.MEDIA), RingReader(ring)
    large = shot(1, 3000, 4000)
    assert writer.put(large)
    assert not writer.put(large, stop=lambda: True), "two of 36 MB are too many at a time"
    assert taken(reader) == [1]
    assert writer.put(large, stop=lambda: True)


def test_memory_is_taken_only_as_pictures_need_it_and_given_back(ring: Ring) -> None:
    writer, reader = RingWriter(ring, True, TimeKind.MEDIA), RingReader(ring)

    def held() -> int:
        return os.fstat(ring.memory_fd).st_blocks * 512

    writer.put(shot(0, 2000, 3000))
    assert taken(reader) == [0]
    assert 18_000_000 <= held() < 19 * MEGABYTE
    writer.put(shot(1, 100, 100))
    assert taken(reader) == [1]
    assert held() < MEGABYTE


def test_notices_keep_their_place_among_the_pictures(ring: Ring) -> None:
    writer, reader = RingWriter(ring, True, TimeKind.MEDIA), RingReader(ring)
    writer.put(shot(0))
    post_notice(ring, CameraNotice(NoticeKind.UNREADABLE, "bad", "1.jpg", 7))
    writer.put(shot(2))
    post_notice(ring, CameraNotice(NoticeKind.END, "all read"))
    assert taken(reader) == [0, "bad", 2, "all read"]


def test_more_notices_than_have_room_lose_the_oldest_and_harm_nothing(ring: Ring) -> None:
    for n in range(40):
        post_notice(ring, CameraNotice(NoticeKind.WARNING, f"{n} " + "ä" * 2000))
    texts = [str(text).split()[0] for text in taken(RingReader(ring))]
    assert texts == [str(n) for n in range(24, 40)]


def test_a_view_stays_as_it_is_while_the_writer_goes_on(ring: Ring) -> None:
    writer, reader = RingWriter(ring, False, TimeKind.ARRIVAL), RingReader(ring)
    writer.put(shot(7))
    view = reader.get(0.0, copy=False)
    assert isinstance(view, Picture)
    for n in range(8, 30):
        writer.put(shot(n))
    assert (view.image == 7).all()
    assert not view.image.flags.writeable
    newest = reader.get(0.0, copy=False)
    assert isinstance(newest, Picture)
    assert newest.frame_id == 22
    reader.close()
    assert READING not in ring.slot["state"]


def test_a_size_that_changes_in_the_middle_needs_nothing(ring: Ring) -> None:
    writer, reader = RingWriter(ring, True, TimeKind.MEDIA), RingReader(ring)
    for n, (height, width) in enumerate([(10, 10), (1080, 1920), (3, 4)]):
        writer.put(shot(n, height, width))
        got = reader.get(0.0)
        assert isinstance(got, Picture)
        assert got.image.shape == (height, width, 3)
        assert (got.image == n).all()


@pytest.mark.parametrize(
    "image", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32), np.zeros((0, 4, 3), np.uint8)]
)
def test_what_is_no_picture_is_refused(ring: Ring, image: np.ndarray) -> None:
    with pytest.raises(CameraError, match=r"x\.jpg"):
        RingWriter(ring, True, TimeKind.MEDIA).put(Shot(image, 0, 0, "x.jpg"))


def test_a_picture_larger_than_a_slot_is_refused_by_name() -> None:
    small = Ring.create(slots=2, slot_bytes=4096)
    with pytest.raises(CameraError, match=r"x\.jpg measures 2000x100 px"):
        RingWriter(small, True, TimeKind.MEDIA).put(shot(0, 100, 2000, "x.jpg"))
    small.close()


def test_a_writer_that_died_in_the_middle_leaves_its_slot_to_the_next(ring: Ring) -> None:
    ring.slot["state"][:3] = WRITING
    ring.forget_writer()
    writer, reader = RingWriter(ring, True, TimeKind.MEDIA), RingReader(ring)
    for n in range(4):
        writer.put(shot(n), stop=lambda: True)
    assert taken(reader) == [0, 1, 2, 3]


def test_a_reader_that_died_in_the_middle_leaves_its_picture_to_the_next(ring: Ring) -> None:
    writer = RingWriter(ring, True, TimeKind.MEDIA)
    writer.put(shot(0))
    writer.put(shot(1))
    assert RingReader(ring).get(0.0, copy=False) is not None
    ring.forget_reader()
    assert taken(RingReader(ring)) == [0, 1]


def test_a_process_killed_with_the_lock_lets_it_go(ring: Ring, fakes: ModuleType) -> None:
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=fakes.sit_on_the_lock, args=(ring, there))
    process.start()
    assert here.recv() == "held"
    with pytest.raises(RingBusyError, match="stands still"), ring.locked(0.05):
        pass
    process.kill()
    process.join()
    RingWriter(ring, True, TimeKind.MEDIA).put(shot(5))
    assert taken(RingReader(ring)) == [5]


def test_a_reader_of_a_closed_ring_gets_nothing(ring: Ring) -> None:
    reader = RingReader(ring)
    ring.close()
    assert reader.get(5.0) is None
    reader.close()
