"""The page behind its real server."""

from __future__ import annotations

import http.client
import io
import json
import socket
import threading
import time
from typing import Any

import pytest

from companion.errors import BadInputError, BusyError
from companion.web import server as module
from companion.web.server import PageServer


def connect(server: PageServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)


def open_stream(server: PageServer) -> http.client.HTTPResponse:
    """A stream whose first view was read."""
    connection = connect(server)
    connection.request("GET", "/events")
    response = connection.getresponse()
    if response.status == 200:
        assert next_view(response)
    return response


def next_view(stream: http.client.HTTPResponse) -> Any:
    while True:
        line = stream.readline()
        if line.startswith(b"data: {"):
            return json.loads(line[6:])


def post(server: PageServer, path: str, body: Any) -> tuple[int, Any]:
    connection = connect(server)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    return response.status, answer


def test_every_stream_hears_of_a_change(server: PageServer, desk: Any) -> None:
    streams = [open_stream(server) for _ in range(4)]
    desk.change(lambda view: view.update(points=42))
    assert [next_view(stream)["points"] for stream in streams] == [42] * 4


def test_one_viewer_too_many_gets_503_and_a_post_is_still_answered(server: PageServer, desk: Any) -> None:
    streams = [open_stream(server) for _ in range(4)]
    refused = open_stream(server)
    assert refused.status == 503
    assert refused.headers["Retry-After"]
    assert "4 pages" in json.loads(refused.read())["error"]
    assert post(server, "/api/undo", {"seq": 37}) == (200, {"ok": True})
    assert desk.asked == [("undo", 37, "page")]
    assert len(streams) == 4


def test_a_viewer_who_leaves_gives_the_place_to_another(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.web.broadcast.LOOK_S", 0.02)
    streams = [open_stream(server) for _ in range(4)]
    streams[0].close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if open_stream(server).status == 200:
            return
        time.sleep(0.02)
    pytest.fail("the place of a viewer who left stays taken")


def test_asking_for_the_head_of_a_stream_takes_no_place(server: PageServer) -> None:
    for _ in range(10):
        connection = connect(server)
        connection.request("HEAD", "/events")
        assert connection.getresponse().status == 200
        connection.close()


def test_a_second_service_on_the_port_is_told_the_way_out(server: PageServer, desk: Any) -> None:
    with pytest.raises(BusyError, match=rf"port {server.port} is in use.*--port") as caught:
        PageServer(desk, port=server.port)
    assert "\n" not in str(caught.value)


def test_a_port_that_is_none_is_bad_input(desk: Any) -> None:
    with pytest.raises(BadInputError, match="--port 70000"):
        PageServer(desk, port=70000)


def test_the_port_is_free_again_after_closing(desk: Any) -> None:
    first = PageServer(desk, port=0, stream_cap=2)
    first.start()
    stream = open_stream(first)
    first.close()
    first.close()
    assert stream.readline() == b"\n"  # the end of the last event, then of the stream
    second = PageServer(desk, port=first.port, stream_cap=2)
    second.start()
    assert post(second, "/api/undo", {"seq": 37})[0] == 200
    second.close()


def test_closing_before_starting_gives_the_port_back(desk: Any) -> None:
    unused = PageServer(desk, port=0, stream_cap=1)
    unused.close()
    PageServer(desk, port=unused.port, stream_cap=1).close()


def test_it_is_bound_to_this_machine_unless_told_otherwise(desk: Any) -> None:
    alone = PageServer(desk, port=0, stream_cap=1)
    shared = PageServer(desk, port=0, stream_cap=1, lan=True)
    try:
        assert alone.host == "127.0.0.1"
        assert shared.host == "0.0.0.0"
    finally:
        alone.close()
        shared.close()


def test_the_greeting_has_the_address_and_its_code(server: PageServer) -> None:
    out = io.StringIO()
    server.greet(out)
    assert server.url in out.getvalue()
    assert "█" in out.getvalue()
    assert "--lan" in out.getvalue()


def test_on_the_local_network_the_address_is_one_that_others_can_open(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "lan_addresses", lambda: ("192.168.7.7",))
    shared = PageServer(desk, port=0, stream_cap=1, lan=True)
    try:
        assert shared.addresses().best == f"http://192.168.7.7:{shared.port}/"
        assert shared.url in shared.addresses().others
    finally:
        shared.close()


def test_a_terminal_without_block_characters_still_shows_the_address(server: PageServer) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    server.greet(out)
    out.seek(0)
    assert server.url in out.read()


def test_a_closed_machine_refuses_its_network_addresses(server: PageServer) -> None:
    for address in module.lan_addresses():
        with pytest.raises(OSError, match="refused"), socket.create_connection((address, server.port), timeout=5):
            pass


def test_serving_in_the_main_thread_ends_when_it_is_closed_from_another(desk: Any) -> None:
    page = PageServer(desk, port=0, stream_cap=1)
    runner = threading.Thread(target=page.run)
    runner.start()
    stream = open_stream(page)
    page.close()
    runner.join(timeout=10)
    assert not runner.is_alive()
    assert stream.readline() == b"\n"
