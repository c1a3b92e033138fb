"""A network camera that stands in this process: pictures come, the stream ends, the stream stalls."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Callable, Iterator

import cv2
import numpy as np
import pytest

from hardware.camera.base import TimeKind
from hardware.camera.settings import CameraSettings
from hardware.camera.stream import LATE_NS, StreamCamera
from hardware.errors import CameraLostError

PICTURES = 40
Serve = Callable[[bool], str]


@pytest.fixture
def network_camera() -> Iterator[Serve]:
    """Starts a camera that sends some pictures and then hangs up, or stalls without a word."""
    servers: list[http.server.ThreadingHTTPServer] = []
    over = threading.Event()

    def serve(stalls: bool) -> str:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
                self.end_headers()
                for n in range(PICTURES):
                    data = cv2.imencode(".jpg", np.full((48, 64, 3), 5 * n, np.uint8))[1].tobytes()
                    head = f"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                    self.wfile.write(head.encode() + data + b"\r\n")
                if stalls:
                    over.wait(60)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
                """Quiet."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://mia:s3cret@127.0.0.1:{server.server_address[1]}/video.mjpg?token=t0p"

    yield serve
    over.set()
    for server in servers:
        server.shutdown()
        server.server_close()


def read_all(camera: StreamCamera) -> tuple[list[int], str]:
    """The grey of each picture, and the words with which the stream stopped."""
    greys: list[int] = []
    try:
        while True:
            greys.append(round(float(camera.read().image.mean())))
    except CameraLostError as error:
        return greys, str(error)


@pytest.mark.parametrize("stalls", [False, True], ids=["hangs up", "stalls"])
def test_pictures_come_in_order_until_the_stream_stops_and_then_it_is_lost(network_camera: Serve, stalls: bool) -> None:
    camera = StreamCamera(network_camera(stalls), CameraSettings(read_timeout_s=1.0))
    assert not camera.recorded
    assert camera.time_kind is TimeKind.ARRIVAL
    greys, words = read_all(camera)
    camera.close()
    assert len(greys) > PICTURES // 2
    assert greys == sorted(greys)
    assert "the stream ended" in words
    assert "s3cret" not in words
    assert "t0p" not in words


def test_a_picture_carries_the_time_at_which_it_came_and_how_late_it_may_be(network_camera: Serve) -> None:
    camera = StreamCamera(network_camera(False), CameraSettings())
    before = time.monotonic_ns()
    shot = camera.read()
    assert before <= shot.t_ns <= time.monotonic_ns()
    assert shot.t_err_ns == LATE_NS
    camera.close()
