"""One rendering for all who watch."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from companion.web import broadcast as module
from companion.web.broadcast import Broadcast, StreamsFullError


@pytest.fixture
def broadcast(desk: Any) -> Iterator[Broadcast]:
    made = Broadcast(desk, stream_cap=3)
    yield made
    made.close()


def stay() -> bool:
    return False


def view_in(event: bytes) -> Any:
    return json.loads(event.split(b"data: ", 1)[1])


def test_a_stream_begins_with_the_view_and_goes_on_with_each_change(broadcast: Broadcast, desk: Any) -> None:
    stream = broadcast.open_stream(stay)
    assert view_in(next(stream))["version"] == 1
    desk.change(lambda view: view.update(points=9))
    second = next(stream)
    assert b"id: 2\n" in second
    assert view_in(second)["points"] == 9


def test_a_version_is_rendered_once_for_all_streams(broadcast: Broadcast, desk: Any) -> None:
    streams = [broadcast.open_stream(stay) for _ in range(3)]
    for stream in streams:
        next(stream)
    desk.change(lambda view: view.update(points=9))
    assert {view_in(next(stream))["points"] for stream in streams} == {9}
    assert desk.renders == 2


def test_a_slow_stream_skips_to_the_newest_view(broadcast: Broadcast, desk: Any) -> None:
    stream = broadcast.open_stream(stay)
    next(stream)
    for points in range(20, 30):
        desk.change(lambda view, points=points: view.update(points=points))
    broadcast.latest()
    assert view_in(next(stream))["points"] == 29


def test_one_stream_too_many_is_refused_until_another_ends(broadcast: Broadcast) -> None:
    streams = [broadcast.open_stream(stay) for _ in range(3)]
    with pytest.raises(StreamsFullError):
        broadcast.open_stream(stay)
    streams[0].close()  # type: ignore[attr-defined]
    streams[0].close()  # type: ignore[attr-defined]
    assert broadcast.streams == 2
    broadcast.open_stream(stay)


def test_a_stream_that_was_left_ends(broadcast: Broadcast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.01)
    left = threading.Event()
    stream = broadcast.open_stream(left.is_set)
    next(stream)
    left.set()
    assert list(stream) == []
    assert broadcast.streams == 0


def test_a_quiet_table_still_gives_signs_of_life(broadcast: Broadcast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.01)
    monkeypatch.setattr(module, "BEAT_S", 0.02)
    stream = broadcast.open_stream(stay)
    next(stream)
    assert next(stream) == b"event: beat\ndata: 1\n\n"


def test_a_desk_in_trouble_does_not_end_the_streams(
    broadcast: Broadcast, desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.02)
    stream = broadcast.open_stream(stay)
    next(stream)
    whole = desk.view
    failed = threading.Event()

    def broken() -> Any:
        failed.set()
        raise RuntimeError("a view that can't be made")

    monkeypatch.setattr(desk, "view", broken)
    desk.change(lambda view: view.update(points=9))
    assert failed.wait(5)
    monkeypatch.setattr(desk, "view", whole)
    assert view_in(next(stream))["points"] == 9


def test_closing_ends_every_stream(broadcast: Broadcast) -> None:
    stream = broadcast.open_stream(stay)
    next(stream)
    broadcast.close()
    assert list(stream) == []
