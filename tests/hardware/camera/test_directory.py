"""A directory of pictures: order, times, and every kind of bad file."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.camera.directory import DirectoryCamera, read_picture
from hardware.errors import CameraError, CameraNotFoundError


def noisy_picture(suffix: str, *options: int) -> bytes:
    image = np.random.default_rng(1).integers(0, 256, (80, 120, 3), np.uint8)
    ok, data = cv2.imencode(suffix, image, list(options))
    assert ok
    return data.tobytes()


def test_pictures_come_in_the_order_of_their_names_one_a_second_and_settled(pictures: Path) -> None:
    (pictures / "truth.json").write_text("{}")
    (pictures / ".hidden.jpg").write_bytes(b"")
    (pictures / "d.jpg").mkdir()
    camera = DirectoryCamera(pictures)
    shots = [camera.read() for _ in range(4)]
    assert [(s.name, s.t_ns, s.settled) for s in shots[:3] if s] == [
        ("a.jpg", 0, True),
        ("b.PNG", 1_000_000_000, True),
        ("c.jpeg", 2_000_000_000, True),
    ]
    assert shots[3] is None
    assert camera.read() is None
    assert shots[0] is not None
    assert shots[0].image.shape == (24, 32, 3)
    assert abs(int(shots[0].image.mean()) - 60) <= 1


def test_an_unreadable_picture_is_named_keeps_its_index_and_the_next_one_comes(pictures: Path) -> None:
    (pictures / "b.PNG").write_bytes(b"no picture at all")
    camera = DirectoryCamera(pictures)
    camera.read()
    with pytest.raises(CameraError, match=r"b\.PNG: can't be decoded"):
        camera.read()
    after = camera.read()
    assert after is not None
    assert (after.name, after.t_ns) == ("c.jpeg", 2_000_000_000)


@pytest.mark.parametrize("kind", ["jpg", "progressive", "png"])
@pytest.mark.parametrize("part", [0.3, 0.6, 0.97])
def test_a_picture_that_is_cut_short_is_refused_not_filled_with_grey(tmp_path: Path, kind: str, part: float) -> None:
    whole = {
        "jpg": noisy_picture(".jpg"),
        "progressive": noisy_picture(".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1),
        "png": noisy_picture(".png"),
    }[kind]
    path = tmp_path / f"x.{'png' if kind == 'png' else 'jpg'}"
    path.write_bytes(whole)
    assert read_picture(path).shape == (80, 120, 3)
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(CameraError, match=r"x\.(jpg|png): is cut short"):
        read_picture(path)


def test_a_picture_with_bytes_after_its_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.jpg"
    path.write_bytes(noisy_picture(".jpg") + b"\0" * 100)
    assert read_picture(path).shape == (80, 120, 3)


@pytest.mark.parametrize(
    "image", [np.zeros((9, 7), np.uint8), np.zeros((9, 7, 4), np.uint8), np.zeros((9, 7, 3), np.uint16)]
)
def test_grey_deep_and_transparent_pictures_come_as_8_bit_colour(tmp_path: Path, image: np.ndarray) -> None:
    cv2.imwrite(str(tmp_path / "x.png"), image)
    got = read_picture(tmp_path / "x.png")
    assert (got.shape, got.dtype) == ((9, 7, 3), np.uint8)


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.jpg").write_bytes(b"")
    with pytest.raises(CameraError, match=r"x\.jpg: is empty"):
        read_picture(tmp_path / "x.jpg")


def test_a_directory_without_pictures_says_what_it_must_hold(tmp_path: Path) -> None:
    with pytest.raises(CameraNotFoundError, match=r"holds no picture; it must have \.jpg"):
        DirectoryCamera(tmp_path)


def test_a_missing_directory_and_a_file_in_its_place_are_told_apart(pictures: Path) -> None:
    with pytest.raises(CameraNotFoundError, match="gone: no such directory"):
        DirectoryCamera(pictures / "gone")
    with pytest.raises(CameraNotFoundError, match="is a file"):
        DirectoryCamera(pictures / "a.jpg")
