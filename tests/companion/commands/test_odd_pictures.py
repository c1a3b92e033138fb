"""Pictures and scans as people really have them: read right, or refused in one clear line; never a traceback, never a guess."""

from __future__ import annotations

import json
import struct
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.commands.enrol import enrol
from companion.commands.look import look
from companion.decks.proxies import write_deck
from vision.cards.store import resolve_deck
from vision.errors import VisionError

TABLE = "500x320"
PX_PER_MM = 2.4
EDGE = 40
LAID = {"red-06": (120, 160), "blue-11": (260, 150), "red-09": (380, 160)}
"""Middles of upright cards, mm."""


@pytest.fixture(scope="module", autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory):
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DATA", "CACHE", "CONFIG"):
            patch.setenv(f"HOSHIBAN_{name}", str(home / name.lower()))
        yield home


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("decks") / "proxies"
    write_deck("hoshizora", folder)
    return folder


@pytest.fixture(scope="module")
def table(deck: Path) -> np.ndarray:
    """A grey table with its markers and three cards, straight from above."""
    image = np.full((round(320 * PX_PER_MM) + 2 * EDGE, round(500 * PX_PER_MM) + 2 * EDGE, 3), 120, np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for n, (x, y) in enumerate(((0, 0), (460, 0), (460, 280), (0, 280))):
        left, top = round(EDGE + PX_PER_MM * x), round(EDGE + PX_PER_MM * y)
        image[top - 14 : top + 110, left - 14 : left + 110] = 255
        image[top : top + 96, left : left + 96] = cv2.aruco.generateImageMarker(dictionary, n, 96)[..., None]
    for card, (x, y) in LAID.items():
        scan = cv2.resize(cv2.imread(str(deck / f"{card}.png")), (151, 211), interpolation=cv2.INTER_AREA)
        left, top = round(EDGE + PX_PER_MM * x - 151 / 2), round(EDGE + PX_PER_MM * y - 211 / 2)
        image[top : top + 211, left : left + 151] = scan
    noise = np.random.default_rng(3).normal(0, 2, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 0.6) + noise, 0, 255).astype(np.uint8)


def jpeg(picture: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()


def png(picture: np.ndarray) -> bytes:
    return cv2.imencode(".png", picture)[1].tobytes()


def turned_by_note(picture: np.ndarray) -> bytes:
    """A camera held on its side: a quarter turn in the file, and a note (EXIF orientation 6) to turn it back."""
    data = jpeg(cv2.rotate(picture, cv2.ROTATE_90_COUNTERCLOCKWISE))
    note = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(note) + 2) + note + data[2:]


def in_inks(picture: np.ndarray) -> bytes:
    """A JPEG in cyan, magenta, yellow and black, a scan of its own for each ink, as printers write them inverted."""
    share = picture.astype(np.float32) / 255
    black = 1 - share.max(axis=2)
    inks = [(1 - black - share[..., i]) / np.maximum(1 - black, 1e-6) for i in (2, 1, 0)] + [black]
    files = [segments(jpeg((255 - 255 * ink).clip(0, 255).astype(np.uint8))) for ink in inks]
    height, width = picture.shape[:2]
    out = b"\xff\xd8\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0" + files[0][0xDB]
    out += b"\xff\xc0" + struct.pack(">HBHHB", 20, 8, height, width, 4)
    out += b"".join(bytes([n, 0x11, 0]) for n in (1, 2, 3, 4)) + files[0][0xC4]
    for n, file in enumerate(files, start=1):
        out += b"\xff\xda\0\x08\x01" + bytes([n, 0, 0, 63, 0]) + file[0]
    return out + b"\xff\xd9"


def segments(data: bytes) -> dict[int, bytes]:
    """A JPEG's segments by marker, the picture's own data as 0."""
    found: dict[int, bytes] = {}
    at = 2
    while 0 not in found:
        marker, length = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        found[marker] = found.get(marker, b"") + data[at : at + 2 + length]
        at += 2 + length
        if marker == 0xDA:
            found[0] = data[at : data.rfind(b"\xff\xd9")]
    return found


def with_alpha(picture: np.ndarray) -> bytes:
    return png(np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)]))


def spoilt(data: bytes) -> bytes:
    return data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 0xFF]) + data[len(data) // 2 + 1 :]


def claims_to_be_vast(_picture: np.ndarray) -> bytes:
    """A tiny PNG whose head promises 60000 x 60000 px."""
    data = png(np.zeros((1, 1, 3), np.uint8))
    head = b"IHDR" + struct.pack(">II", 60000, 60000) + data[24:29]
    return data[:12] + head + struct.pack(">I", zlib.crc32(head)) + data[33:]


Kind = Callable[[np.ndarray], bytes]
READ: dict[str, Kind] = {
    "16 bit.png": lambda picture: png(picture.astype(np.uint16) * 257),
    "transparent.png": with_alpha,
    "inks.jpg": in_inks,
    "on its side.jpg": turned_by_note,
    "jpeg with the wrong name.png": jpeg,
}
REFUSED: dict[str, Kind] = {
    "empty.png": lambda _: b"",
    "text.png": lambda _: b"a letter to grandmother\n",
    "one pixel.png": lambda picture: png(picture[:1, :1]),
    "cut short.jpg": lambda picture: jpeg(picture)[: len(jpeg(picture)) // 2],
    "cut short.png": lambda picture: png(picture)[: len(png(picture)) // 2],
    "spoilt.png": lambda picture: spoilt(png(picture)),
    "vast.png": claims_to_be_vast,
}


def write(folder: Path, name: str, kind: Kind, picture: np.ndarray) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(kind(picture))
    return folder / name


def looked(deck: Path, *pictures: Path):
    return CliRunner().invoke(look, ["--table", TABLE, "--deck", str(deck), "--no-board", *map(str, pictures)])


def cards_of(line: str) -> dict[str, tuple[int, int]]:
    return {card["card"]: (round(card["x_mm"]), round(card["y_mm"])) for card in json.loads(line)["cards"]}


@pytest.mark.parametrize("name", READ)
def test_an_unusual_picture_is_read_like_any_other(deck: Path, table: np.ndarray, tmp_path: Path, name: str) -> None:
    done = looked(deck, write(tmp_path, name, READ[name], table))
    assert done.exit_code == 0, done.stderr
    assert cards_of(done.stdout) == LAID


def test_a_grey_picture_names_no_wrong_card(deck: Path, table: np.ndarray, tmp_path: Path) -> None:
    done = looked(deck, write(tmp_path, "grey.png", lambda p: png(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY)), table))
    assert done.exit_code == 0
    cards = json.loads(done.stdout)["cards"]
    assert len(cards) == len(LAID)
    true = {place: card for card, place in LAID.items()}
    for card in cards:
        assert card["card"] in (None, true[(round(card["x_mm"]), round(card["y_mm"]))])


@pytest.mark.parametrize("name", REFUSED)
def test_a_picture_that_is_none_is_refused_in_one_line(
    deck: Path, table: np.ndarray, tmp_path: Path, name: str
) -> None:
    path = write(tmp_path, name, REFUSED[name], table)
    done = looked(deck, path)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert str(path) in line


def test_a_directory_where_a_picture_is_expected(deck: Path, tmp_path: Path) -> None:
    done = looked(deck, tmp_path)
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [f"hoshiban: {tmp_path}: can't be read (Is a directory)"]


def test_a_hundred_megapixels_are_read(deck: Path, table: np.ndarray, tmp_path: Path) -> None:
    height, width = table.shape[:2]
    large = cv2.resize(table, (12_500, round(12_500 * height / width)), interpolation=cv2.INTER_LINEAR)
    assert large.size >= 3 * 100_000_000
    done = looked(deck, write(tmp_path, "large.jpg", jpeg, large))
    assert done.exit_code == 0, done.stderr
    assert cards_of(done.stdout) == LAID


def test_of_a_directory_each_bad_picture_is_named_and_the_others_are_judged(
    deck: Path, table: np.ndarray, tmp_path: Path, program
) -> None:
    folder = tmp_path / "pictures"
    for name, kind in {**REFUSED, **READ}.items():
        write(folder, name, kind, table)
    (folder / "a directory.png").mkdir()
    done = program.run("watch", folder, *game_words(deck, tmp_path))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for name in REFUSED:
        assert name in done.stderr, done.stderr
    assert f"{len(READ)} settled pictures were judged" in done.stderr


def test_the_service_outlives_a_directory_of_bad_pictures(
    deck: Path, table: np.ndarray, tmp_path: Path, program
) -> None:
    folder = tmp_path / "pictures"
    for name, kind in REFUSED.items():
        write(folder, name, kind, table)
    process = program.start("serve", "--camera", folder, *game_words(deck, tmp_path), "--port", "0")
    lines: list[str] = []
    deadline = time.monotonic() + 60
    while not set(REFUSED) <= {name for name in REFUSED for line in lines if name in line}:
        assert time.monotonic() < deadline, lines
        assert process.poll() is None, lines
        lines.append(process.stderr.readline())
    process.terminate()
    assert "Traceback" not in "".join(lines) + process.communicate(timeout=30)[1]


def game_words(deck: Path, folder: Path) -> list[object]:
    layout = folder / "layout.toml"
    zones = ["play.A = [100, 110, 80, 100]", "play.B = [200, 110, 80, 100]", "play.C = [300, 110, 80, 100]"]
    layout.write_text("\n".join(["[zones]", "board = [400, 20, 90, 90]", *zones]) + "\n")
    words = ["--game", "hoshizora", "--players", "A,B,C", "--table", TABLE]
    return [*words, "--deck", deck, "--layout", layout]


def test_with_a_layout_each_card_says_how_it_lies_for_its_player(deck: Path, table: np.ndarray, tmp_path: Path) -> None:
    picture = write(tmp_path, "table.png", png, table)
    words = game_words(deck, tmp_path)
    layout = Path(str(words[-1]))
    layout.write_text("""[zones]
        play.A = [80, 110, 80, 100]
        play.B = [220, 100, 80, 100]
        [seats]
        A = "top"
        B = 85
    """)
    given = ["--table", TABLE, "--deck", str(deck), "--no-board", "--layout", str(layout), str(picture)]
    cards = {card["card"]: card for card in json.loads(CliRunner().invoke(look, given).stdout)["cards"]}
    assert (cards["red-06"]["seat"], cards["red-06"]["way"]) == ("A", "upside down")
    lie = [cards["blue-11"][key] for key in ("seat", "way", "top_points")]
    assert lie == ["B", "sideways", "left"]
    assert abs(cards["blue-11"]["seat_angle_deg"] - 275) <= 1
    assert (cards["red-09"]["seat"], cards["red-09"]["way"]) == (None, None)


# Scans


def enrolled(folder: Path):
    return CliRunner().invoke(enrol, [str(folder), "--deck", "odd"])


@pytest.mark.parametrize("name", READ)
def test_an_unusual_scan_is_enrolled_like_any_other(deck: Path, tmp_path: Path, name: str) -> None:
    scan = cv2.imread(str(deck / "red-06.png"))
    write(tmp_path, f"red-06{Path(name).suffix}", READ[name], scan)
    assert enrolled(tmp_path).exit_code == 0
    (reference,) = resolve_deck("odd").references
    write(tmp_path / "plain", "red-06.png", png, scan)
    (plain,) = resolve_deck(tmp_path / "plain").references
    assert reference.turned == plain.turned
    assert float(np.abs(reference.picture.astype(int) - plain.picture).mean()) < 4


@pytest.mark.parametrize("name", REFUSED)
def test_a_scan_that_is_none_is_refused_in_one_line(deck: Path, tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, REFUSED[name], cv2.imread(str(deck / "red-06.png")))
    done = enrolled(tmp_path)
    assert isinstance(done.exception, VisionError)
    assert str(path) in str(done.exception)
    assert "\n" not in str(done.exception)
    assert isinstance(looked(tmp_path, path).exception, VisionError)


def test_a_directory_named_as_a_scan_and_a_file_named_as_a_deck(deck: Path, tmp_path: Path) -> None:
    write(tmp_path, "red-06.png", png, cv2.imread(str(deck / "red-06.png")))
    (tmp_path / "red-07.png").mkdir()
    assert "red-07.png: is a directory" in str(enrolled(tmp_path).exception)
    assert "is a file" in str(enrolled(tmp_path / "red-06.png").exception)


def test_two_scans_of_one_id_are_refused_and_what_to_do_is_said(deck: Path, tmp_path: Path) -> None:
    scan = cv2.imread(str(deck / "red-06.png"))
    write(tmp_path, "red-06.png", png, scan)
    write(tmp_path, "red-06.jpg", jpeg, scan)
    assert "red-06.jpg and red-06.png are both scans of red-06" in str(enrolled(tmp_path).exception)
    (tmp_path / "red-06.jpg").rename(tmp_path / "red-06@2.jpg")
    assert enrolled(tmp_path).exit_code == 0
    assert resolve_deck("odd").cards == ("red-06",)


def test_a_deck_of_backs_only_is_no_deck(deck: Path, tmp_path: Path) -> None:
    scan = cv2.imread(str(deck / "back.png"))
    write(tmp_path, "back.png", png, scan)
    write(tmp_path, "back-red.png", png, scan)
    assert "no scans of cards" in str(enrolled(tmp_path).exception)


def test_a_deck_of_one_card_names_that_card_and_no_other(deck: Path, table: np.ndarray, tmp_path: Path) -> None:
    write(tmp_path / "one", "blue-11.png", png, cv2.imread(str(deck / "blue-11.png")))
    done = looked(tmp_path / "one", write(tmp_path, "table.png", png, table))
    cards = json.loads(done.stdout)["cards"]
    named = {card["card"]: card for card in cards if card["card"] is not None}
    assert list(named) == ["blue-11"]
    assert (round(named["blue-11"]["x_mm"]), round(named["blue-11"]["y_mm"])) == LAID["blue-11"]
    assert 0.8 <= named["blue-11"]["confidence"] <= 1
    assert all(card["confidence"] < 0.8 for card in cards if card["card"] is None)
