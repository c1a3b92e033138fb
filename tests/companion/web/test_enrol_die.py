"""A die enrolled over HTTP, as the page does it: each face of the virtual table's die in turn, then `look` reads with it."""

from __future__ import annotations

import base64
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.service.die_taking import DieTaking
from companion.service.taking_feed import feed
from companion.virtual.dice_one_by_one import DiceOneByOneCamera, special_die
from companion.web.enrol_die import create_die_app
from companion.web.server import AppServer
from hardware.camera.base import Shot, TimeKind
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import Picture
from hardware.virtual.dice import symbol_of
from hardware.virtual.symbols import symbol_mask
from vision.dice.identify import read_face
from vision.dice.store import resolve_die
from vision.dice.taking import Taken, take_die


class OneByOne:
    """The virtual table's pictures, as a capture child hands them out."""

    def __init__(self, shots: list[Shot]) -> None:
        self._shots, self._n = iter(shots), 0

    def get(self, _timeout_s: float) -> Picture | CameraNotice:
        shot = next(self._shots, None)
        if shot is None:
            return CameraNotice(NoticeKind.END, "There are no more pictures.")
        self._n += 1
        return Picture(shot.image, self._n, shot.t_ns, 0, TimeKind.MEDIA, shot.name, settled=True)


@pytest.fixture(scope="module")
def shots() -> list[Shot]:
    return list(iter(DiceOneByOneCamera().read, None))


class Page:
    """What a browser asks of the service."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:
            return answer.read()

    def view(self) -> dict[str, Any]:
        return json.loads(self.get("api/view"))

    def until(self, wanted, after: int = 0) -> dict[str, Any]:
        for _ in range(60):
            view = json.loads(self.get(f"api/view?after={after}"))
            if wanted(view):
                return view
            after = view["version"]
        raise AssertionError(view)

    def say(self, **body: Any) -> tuple[int, str]:
        """The status, and what went wrong."""
        data = json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}api/act", data, {"Content-Type": "application/json"}, method="POST"
        )
        try:
            urllib.request.urlopen(request, timeout=60).close()
            return 200, ""
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())["error"]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shots: list[Shot]) -> Iterator[Page]:
    monkeypatch.setenv("HOSHIBAN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOSHIBAN_CACHE", str(tmp_path / "cache"))
    taking, stop = DieTaking(), threading.Event()
    server = AppServer(create_die_app(taking), port=0)
    server.start()
    feeding = threading.Thread(target=feed, args=(OneByOne(shots), taking, stop), daemon=True)
    feeding.start()
    yield Page(server.url)
    stop.set()
    server.close()
    feeding.join(30)


def picture(data: bytes) -> np.ndarray:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return image


def test_a_die_is_enrolled_face_by_face_and_read_afterwards(page: Page) -> None:
    assert page.view()["step"] == "naming"
    assert page.say(do="begin", name="red", sides=8, before="") == (200, "")
    die = special_die()
    for face in range(die.sides):
        view = page.until(lambda view: view["take"] is not None)
        take, shows = view["take"], symbol_of(die, face)
        if face == 0:
            assert picture(page.get(f"take/{take['number']}.png")).shape[0] > 100
            assert picture(page.get(f"ink/{take['number']}.png")).shape == (72, 72, 3)
            live = json.loads(page.get("api/live"))
            assert (live["number"], live["says"], live["stale"]) == (1, "", False)
            assert picture(page.get("live/1.jpg")).shape[0] > 100
            assert picture(page.get(f"table/{view['version']}.jpg")).shape[1] == 720
            status, why = page.say(do="keep", take=take["number"], face="blank", again=False)
            assert (status, "something is to be seen" in why) == (409, True)
        assert page.say(do="keep", take=take["number"], face=shows, again=False) == (200, "")
    page.until(lambda view: view["ended"])
    assert picture(page.get("kept/blank-2.png")).shape[0] == 160
    assert page.say(do="finish") == (200, "")
    view = page.until(lambda view: view["step"] not in {"faces", "testing"})
    assert view["step"] == "enrolled", view["problems"]
    assert view["enrolled"][0]["faces"] == ["blank", "bolt", "moon", "star5"]
    enrolled = resolve_die("red")
    other = DiceOneByOneCamera(seed=9)
    for face in range(4):
        shot = other.read()
        assert shot is not None
        seen = take_die(shot.image, 8)
        assert isinstance(seen, Taken)
        assert read_face(seen.view, [enrolled]).symbol == symbol_of(die, face)
    assert page.say(do="end") == (200, "")
    assert page.view()["done"]


def test_a_flat_picture_is_posted_as_a_small_png(page: Page) -> None:
    mask = symbol_mask("moon")
    assert mask is not None
    flat = cv2.imencode(".png", np.pad(255 - mask, 20, constant_values=255))[1]
    text = base64.b64encode(bytes(flat)).decode()
    assert page.say(do="flat", face="moon", png=text)[0] == 409, "no die is named yet"
    page.say(do="begin", name="flat", sides=10, before="")
    assert page.say(do="flat", face="moon", png="ü")[0] == 409
    assert page.say(do="flat", face="moon", png=text) == (200, "")
    assert page.view()["kept"] == [{"file": "moon.png", "face": "moon", "flat": True}]
    assert page.say(do="remove", file="../moon.png")[0] == 409
    assert page.say(do="remove", file="moon.png") == (200, "")
    assert page.view()["kept"] == []


def test_what_cant_be_done_is_one_line(page: Page) -> None:
    for body in (
        {"do": "begin", "name": "../up", "sides": 8, "before": ""},
        {"do": "begin", "name": "red", "sides": 6, "before": ""},
        {"do": "begin", "name": "red", "sides": 8, "before": "never"},
        {"do": "keep", "take": 99, "face": "star", "again": False},
        {"do": "keep", "take": "1"},
        {"do": "finish"},
        {"do": "store"},
        {"do": "another"},
        {"do": "dance"},
        {},
    ):
        status, why = page.say(**body)
        assert status == 409, body
        assert why, body
        assert "\n" not in why, body


def test_there_are_no_pictures_of_what_was_never_taken(page: Page) -> None:
    for path in ("take/99.png", "ink/99.png", "kept/none.png", "kept/..%2fdie.json"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            page.get(path)
