"""Video files: every frame, rising times, and files that end before they should."""

from __future__ import annotations

import logging
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera.video import MediaClock, VideoCamera
from hardware.errors import CameraError, CameraNotFoundError

FRAMES = 30


def write_video(path: Path, fourcc: str, fps: float = 10.0) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*fourcc), fps, (160, 120))
    assert writer.isOpened()
    rng = np.random.default_rng(2)
    for n in range(FRAMES):
        image = rng.integers(0, 60, (120, 160, 3), np.uint8)
        cv2.rectangle(image, (4 * n, 30), (4 * n + 20, 80), (255, 255, 255), -1)
        writer.write(image)
    writer.release()


@pytest.mark.parametrize(("name", "fourcc"), [("x.mp4", "mp4v"), ("x.avi", "MJPG")])
def test_every_frame_comes_with_its_time_since_the_start(tmp_path: Path, name: str, fourcc: str) -> None:
    write_video(tmp_path / name, fourcc)
    camera = VideoCamera(tmp_path / name)
    shots = []
    while (shot := camera.read()) is not None:
        shots.append(shot)
    camera.close()
    camera.close()
    assert [round(shot.t_ns / 1e8) for shot in shots] == list(range(FRAMES))
    assert not any(shot.settled for shot in shots)
    # The white bar tells which frame it is.
    lefts = [int(np.argmax(shot.image[50].mean(axis=1) > 150)) for shot in shots]
    assert all(abs(left - 4 * n) <= 3 for n, left in enumerate(lefts))


def test_a_file_that_is_cut_short_ends_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.avi"
    write_video(path, "MJPG")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    camera = VideoCamera(path)
    with caplog.at_level(logging.WARNING, "hardware.camera"):
        frames = 0
        while camera.read() is not None:
            frames += 1
    assert 5 < frames < FRAMES
    assert f"x.avi: ends after {frames} of its {FRAMES} frames" in caplog.text


def test_a_whole_file_ends_without_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_video(tmp_path / "x.mp4", "mp4v")
    camera = VideoCamera(tmp_path / "x.mp4")
    while camera.read() is not None:
        pass
    assert not caplog.records


def test_a_file_without_its_index_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.mp4"
    write_video(path, "mp4v")
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(CameraError, match=r"x\.mp4: can't be read as a video"):
        VideoCamera(path)


def test_a_text_file_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").write_text("not a video")
    with pytest.raises(CameraError, match="can't be read as a video"):
        VideoCamera(tmp_path / "x.mp4")
    with pytest.raises(CameraNotFoundError, match="no such video file"):
        VideoCamera(tmp_path / "y.mp4")


@pytest.mark.parametrize(
    ("fps", "stamps_ms", "times_ms"),
    [
        pytest.param(10.0, [0, 100, 200], [0, 100, 200], id="honest"),
        pytest.param(10.0, [0, 0, 0], [0, 100, 200], id="stamps missing"),
        pytest.param(10.0, [0, 100, 50, 300], [0, 100, 200, 300], id="stamp goes back"),
        pytest.param(10.0, [float("nan"), float("inf"), -5], [0, 100, 200], id="stamps are no numbers"),
        pytest.param(10.0, [40, 140, 9e12], [40, 140, 240], id="stamp of another century"),
        pytest.param(float("nan"), [0, 0], [0, 1000 / 30], id="rate is no number"),
        pytest.param(90_000.0, [0, 0], [0, 1000 / 30], id="rate is the container's clock"),
    ],
)
def test_times_only_rise_whatever_the_container_says(fps: float, stamps_ms: list[float], times_ms: list[float]) -> None:
    clock = MediaClock(fps)
    assert [clock.at(stamp) / 1e6 for stamp in stamps_ms] == pytest.approx(times_ms, abs=1e-3)


def test_a_wrong_announced_rate_gives_way_to_the_stamps(tmp_path: Path) -> None:
    clock = MediaClock(25.0)
    for n in range(60):
        clock.at(n * 100.0)
    assert clock.at(0.0) / 1e6 == pytest.approx(6000.0, abs=5)
