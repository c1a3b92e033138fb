"""A source's name decides what is opened; a name that means nothing says what would."""

from __future__ import annotations

import pickle
from pathlib import Path

import cv2
import pytest

from hardware.camera import sources
from hardware.camera.directory import DirectoryCamera
from hardware.camera.settings import CameraSettings
from hardware.camera.sources import camera_factory, is_recorded, shown_source
from hardware.camera.stream import StreamCamera
from hardware.camera.usb import UsbCamera
from hardware.errors import BadSourceError, CameraError, CameraLostError, CameraNotFoundError


@pytest.mark.parametrize(
    ("source", "opener"),
    [
        ("picamera", sources.open_picam),
        ("/dev/video0", sources.open_usb),
        ("2", sources.open_usb),
        ("http://host/x.mjpg", sources.open_stream),
        ("RTSP://host:554/x", sources.open_stream),
    ],
)
def test_a_name_picks_its_source_and_the_factory_pickles(source: str, opener: object) -> None:
    factory = camera_factory(source)
    assert factory.func is opener  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(factory)).func is opener


def test_a_directory_opens_after_a_trip_through_pickle(pictures: Path) -> None:
    camera = pickle.loads(pickle.dumps(camera_factory(str(pictures))))()
    assert isinstance(camera, DirectoryCamera)
    assert camera.recorded
    assert is_recorded(str(pictures))
    assert not is_recorded("/dev/video0")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("no-such-place", "no such file or directory.*a source is"),
        ("", "no such file or directory"),
        ("ftp://host/x", "ftp: is no kind of stream"),
        ("rtsp://", "names no host"),
        ("rtsp://host:port/x", "malformed"),
        ("/dev/null", "neither a file nor a directory"),
    ],
)
def test_a_name_that_means_nothing_says_what_is_accepted(source: str, words: str) -> None:
    with pytest.raises(BadSourceError, match=words):
        camera_factory(source)


def test_a_single_picture_is_no_source(pictures: Path) -> None:
    with pytest.raises(BadSourceError, match="give the directory"):
        camera_factory(str(pictures / "a.jpg"))


def test_a_missing_usb_camera_is_named() -> None:
    with pytest.raises(CameraNotFoundError, match=r"/dev/video199: no such camera"):
        UsbCamera("199", CameraSettings())


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("rtsp://mia:s3cret@cam.local:554/live", "rtsp://***@cam.local:554/live"),
        ("http://cam/video.cgi?user=mia&pwd=s3cret", "http://cam/video.cgi?***"),
        ("rtsp://mia:p@ss%2F@[fe80::1]/x", "rtsp://***@[fe80::1]/x"),
        ("http://cam/x", "http://cam/x"),
        ("/dev/video0", "/dev/video0"),
    ],
)
def test_secrets_in_an_address_are_not_shown(url: str, shown: str) -> None:
    assert shown_source(url) == shown


def test_a_stream_that_nobody_gives_fails_without_its_password() -> None:
    with pytest.raises(CameraError, match=r"rtsp://\*\*\*@127\.0\.0\.1:9/x: no stream there") as caught:
        StreamCamera("rtsp://mia:s3cret@127.0.0.1:9/x", CameraSettings(open_timeout_s=2))
    assert "s3cret" not in str(caught.value)


class FakeVideo:
    """A V4L2 camera as OpenCV gives it: takes what it is set to, gives its own size."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, float]] = []
        self.values: dict[int, float] = {cv2.CAP_PROP_EXPOSURE: 156.0}
        self.left = 40

    def set(self, prop: int, value: float) -> bool:
        self.asked.append((prop, value))
        self.values[prop] = value
        return True

    def get(self, prop: int) -> float:
        return self.values.get(prop, 0.0)

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return True

    def read(self) -> tuple[bool, object]:
        self.left -= 1
        return (True, cv2.UMat(480, 640, cv2.CV_8UC3).get()) if self.left > 0 else (False, None)

    def release(self) -> None:
        pass


@pytest.fixture
def usb(monkeypatch: pytest.MonkeyPatch) -> FakeVideo:
    video = FakeVideo()
    monkeypatch.setattr("hardware.camera.usb._check", lambda _path: None)
    monkeypatch.setattr("hardware.camera.usb.cv2.VideoCapture", lambda *_: video)
    return video


def test_a_usb_camera_is_asked_for_mjpg_before_its_size_and_for_one_buffer(usb: FakeVideo) -> None:
    UsbCamera("0", CameraSettings(width=1280, height=720, fps=60, exposure_us=5000))
    props = [prop for prop, _ in usb.asked]
    assert props[0] == cv2.CAP_PROP_FOURCC
    assert props.index(cv2.CAP_PROP_FOURCC) < props.index(cv2.CAP_PROP_FRAME_WIDTH)
    assert usb.values[cv2.CAP_PROP_BUFFERSIZE] == 1
    assert usb.values[cv2.CAP_PROP_EXPOSURE] == 50, "V4L2 counts exposure in 100 us"


def test_a_usb_camera_keeps_what_it_found_and_warns_of_another_size(
    usb: FakeVideo, caplog: pytest.LogCaptureFixture
) -> None:
    camera = UsbCamera("/dev/video0", CameraSettings(width=1920, height=1080))
    shots = [camera.read() for _ in range(35)]
    assert "gives 640x480 px instead of 1920x1080" in caplog.text
    assert usb.asked.count((cv2.CAP_PROP_EXPOSURE, 156.0)) == 1
    assert (cv2.CAP_PROP_AUTO_WB, 0) in usb.asked
    assert all(shot.t_err_ns > 30_000_000 for shot in shots), "arrival is too coarse to order touches, and says so"


def test_a_usb_camera_that_gives_nothing_is_lost(usb: FakeVideo) -> None:
    usb.left = 0
    camera = UsbCamera("0", CameraSettings())
    with pytest.raises(CameraLostError, match="gives no picture"):
        camera.read()
