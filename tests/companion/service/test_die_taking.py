"""Dice taken from the camera: what is kept, what is refused and why, what a lost camera and a restart leave, the test."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import cv2
import numpy as np
import pytest

from companion.errors import BadInputError
from companion.service.die_taking import Before, DieTaking
from companion.service.taking_feed import feed
from companion.virtual.dice_one_by_one import DiceOneByOneCamera, special_die
from hardware.camera.base import TimeKind
from hardware.camera.notices import CameraNotice, NoticeKind
from hardware.camera.ring import Picture
from hardware.virtual.dice import lying_at
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, TableLook
from hardware.virtual.render import Renderer
from hardware.virtual.scene import HandOverTable, Scene
from hardware.virtual.symbols import symbol_mask
from vision.dice.store import resolve_die

FACES = ("star5", "blank", "blank", "moon", "blank", "bolt", "blank", "blank")
TABLE_MM = (420.0, 250.0)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOSHIBAN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOSHIBAN_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture(scope="module")
def stills() -> list[np.ndarray]:
    """The virtual die with each face up."""
    camera = DiceOneByOneCamera()
    shots = iter(camera.read, None)
    return [shot.image for shot in shots]


@pytest.fixture(scope="module")
def draw():
    renderer = Renderer({}, TableLook(ground=Ground.FELT, noise=2.0), VirtualCameraModel((1280, 760), TABLE_MM, 600.0))

    def drawn(*faces: int, hand: tuple[float, float] | None = None) -> np.ndarray:
        die = special_die()
        dice = [
            replace(die, at=lying_at(8, die.size_mm, face, 170.0 + 60 * n, 120.0, 0.4 + n))
            for n, face in enumerate(faces)
        ]
        hands = () if hand is None else (HandOverTable(*hand, 180.0),)
        return renderer.render(Scene(table_mm=TABLE_MM, dice=tuple(dice), hands=hands))

    return drawn


class Script:
    """A reader that plays pictures and notices, ten a second, and calls what stands between them."""

    def __init__(self, steps, *, settled: bool = False) -> None:
        self._steps, self._n, self._settled = iter(steps), 0, settled

    def get(self, _timeout_s: float):
        for step in self._steps:
            if callable(step):
                step()
                continue
            if isinstance(step, CameraNotice):
                return step
            self._n += 1
            at = self._n * 100_000_000
            return Picture(step, self._n, at, 0, TimeKind.SENSOR, "", settled=self._settled)
        return CameraNotice(NoticeKind.END, "over")


def number(taking: DieTaking) -> int:
    take = taking.view()["take"]
    assert take is not None, taking.view()["note"]
    return take["number"]


def offered(taking: DieTaking, picture: np.ndarray) -> dict:
    taking.glance(picture, recorded=False)
    taking.offer(picture)
    return taking.view()


def all_kept(taking: DieTaking, stills: list[np.ndarray], faces=FACES) -> None:
    for picture, face in zip(stills, faces, strict=True):
        offered(taking, picture)
        taking.keep(number(taking), face)


def settled_step(taking: DieTaking) -> dict:
    for _ in range(2400):
        if taking.view()["step"] != "testing":
            break
        time.sleep(0.05)
    return dict(taking.view())


def test_each_face_in_turn_becomes_a_die_in_the_store(stills, home: Path) -> None:
    taking = DieTaking()
    taking.begin("red", 8)
    for picture, face in zip(stills, FACES, strict=True):
        take = offered(taking, picture)["take"]
        assert take["faults"] == []
        assert take["blank"] == (face == "blank")
        assert take["suggested"] == ("blank" if face == "blank" else "")
        assert take["like"] is None
        taking.keep(take["number"], face)
    red, green, blue = taking.view()["die"]["colour"]
    assert red > 2 * max(green, blue)
    taking.finish()
    view = settled_step(taking)
    assert view["step"] == "enrolled", view["problems"]
    die = resolve_die("red")
    assert die.sides == 8
    assert {face.name: len(face.symbols) for face in die.faces} == {"blank": 0, "bolt": 1, "moon": 1, "star5": 1}
    assert die.colour is not None
    assert not (home / "data" / "die-pictures" / "red").exists(), "the store has its own copies"
    taking.another()
    assert taking.view()["step"] == "naming"
    taking.end()
    assert taking.done


def test_a_live_die_is_taken_when_it_lies_still_at_a_tap_and_again_on_demand(draw) -> None:
    taking = DieTaking()
    taking.begin("red", 8)
    seen: list[int | None] = []

    def note() -> None:
        take = taking.view()["take"]
        seen.append(take["number"] if take else None)

    def again() -> None:
        taking.drop(number(taking), again=True)

    def keep() -> None:
        taking.keep(number(taking), "star5")

    star, moon = draw(0), draw(3)
    hands = [draw(0, hand=(175.0 + n, 130.0 + n)) for n in (0, 30, 60)]
    still = [star] * 8
    # A die turned under a hand is small in the picture: that the hand moved is enough to look again.
    steps = [*hands, note, *still, note, *still, note, again, *still, note, keep, *hands, *[moon] * 8, note]
    feed(Script(steps), taking, Event())
    assert seen == [None, 1, 1, 2, 3]
    assert taking.view()["take"]["like"] is None
    trembling = [np.roll(star, 30 * n, axis=1) for n in range(6)]
    again = DieTaking()
    again.begin("blue", 8)
    feed(Script([*trembling[:3], again.take_now, *trembling[3:4], lambda: seen.append(number(again))]), again, Event())
    assert seen[-1] == 1


def test_a_face_that_is_kept_is_known_again_and_may_have_further_pictures(stills, draw, home: Path) -> None:
    taking = DieTaking()
    taking.begin("red", 8)
    offered(taking, stills[0])
    taking.keep(number(taking), "star")
    assert offered(taking, draw(0))["take"]["like"] == "star"
    with pytest.raises(BadInputError, match="star is kept already"):
        taking.keep(number(taking), "star")
    assert taking.keep(number(taking), "star", again=True) == "star-2.png"
    folder = home / "data" / "die-pictures" / "red"
    assert {path.name for path in folder.iterdir()} == {"star.png", "star-2.png"}
    taking.remove("star.png")
    assert [kept["face"] for kept in taking.view()["kept"]] == ["star"], "the second picture takes the plain name"
    assert taking.kept_picture("star.png")


def test_numbers_are_suggested_in_their_order(stills) -> None:
    taking = DieTaking()
    taking.begin("numbered", 8)
    offered(taking, stills[0])
    taking.keep(number(taking), "1")
    assert offered(taking, stills[3])["take"]["suggested"] == "2"


def test_a_face_is_named_by_what_it_shows(stills) -> None:
    taking = DieTaking()
    taking.begin("red", 8)
    offered(taking, stills[0])
    with pytest.raises(BadInputError, match="something is to be seen"):
        taking.keep(number(taking), "blank")
    for bad, why in (
        ("", "give the face a name"),
        ("a/b", "without /"),
        (".x", "no dot first"),
        ("star-2", "'star 2'"),
    ):
        with pytest.raises(BadInputError, match=why):
            taking.keep(number(taking), bad)
    offered(taking, stills[1])
    with pytest.raises(BadInputError, match="nothing is to be seen"):
        taking.keep(number(taking), "moon")
    with pytest.raises(BadInputError, match="no longer the one"):
        taking.keep(1, "star")


def test_what_cant_be_taken_is_one_sentence_and_the_take_before_stays(stills, draw) -> None:
    taking = DieTaking()
    taking.begin("red", 8)
    for picture, says in (
        (draw(), "No die to be seen"),
        (draw(0, 3), "More than one die"),
        (draw(0, hand=(172.0, 118.0)), "A hand"),
        (np.ascontiguousarray(draw(0)[:, :515]), "cut off by the picture's side"),
    ):
        view = offered(taking, picture)
        assert says in view["note"]
        assert view["note"].endswith(".")
        assert view["take"] is None
    small = cv2.resize(draw(0), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    assert any("too small" in fault for fault in offered(taking, small)["take"]["faults"])
    before = number(taking)
    assert offered(taking, draw())["take"]["number"] == before
    taking.keep(before, "star")


def test_a_recordings_picture_without_a_die_waits_for_a_word_too(stills, draw) -> None:
    taking = DieTaking()
    taking.begin("red", 8)
    taking.glance(draw(), recorded=True)
    taking.offer(draw())
    assert taking.view()["passing"]
    assert not taking.wait_decided(0)
    taking.pass_over()
    assert taking.wait_decided(0)


def test_the_first_picture_waits_for_the_dies_name(stills) -> None:
    taking = DieTaking()
    offered(taking, stills[0])
    assert taking.view()["step"] == "naming"
    assert not taking.wait_decided(0)
    taking.begin("red", 8)
    assert number(taking) == 1
    assert not taking.wait_decided(0), "the next picture waits for a word on this one"


def test_a_lost_camera_is_said_and_nothing_is_lost_by_it_or_by_a_restart(stills, home: Path) -> None:
    taking = DieTaking()
    taking.begin("red", 8)
    offered(taking, stills[0])
    taking.keep(number(taking), "star")
    gone = CameraNotice(NoticeKind.LOST, "camera stopped: check the cable")
    feed(Script([gone, lambda: asked.append(dict(taking.view()))]), taking, (asked := []) or Event())
    assert asked[0]["lost"]
    assert asked[0]["note"] == "camera stopped: check the cable"
    with pytest.raises(BadInputError, match="no more pictures"):
        taking.take_now()
    taking.say("camera stopped", lost=True)
    assert taking.live()["stale"]
    fresh = DieTaking()
    fresh.begin("red", 8)
    assert [kept["face"] for kept in fresh.view()["kept"]] == ["star"]
    assert "1 picture is kept from before" in fresh.view()["note"]


def test_a_taken_name_is_asked_about_added_to_or_begun_anew(stills) -> None:
    taking = DieTaking()
    taking.begin("red", 8)
    all_kept(taking, stills)
    taking.finish()
    settled_step(taking)
    again = DieTaking()
    with pytest.raises(BadInputError, match="a die named red is enrolled already"):
        again.begin("red", 8)
    assert again.view()["asked"] == {"name": "red", "sides": 8, "pictures": 0}
    assert again.view()["step"] == "naming"
    again.begin("red", 8, Before.MORE)
    assert len(again.view()["kept"]) == 8
    anew = DieTaking()
    anew.begin("red", 8, Before.ANEW)
    assert anew.view()["kept"] == []
    assert resolve_die("red").faces, "the enrolled one stays until the new one is whole"
    for bad, sides in (("../up", 8), ("", 8), ("x", 6)):
        with pytest.raises(BadInputError):
            DieTaking().begin(bad, sides)


def test_the_test_at_the_end_names_what_would_stay_unread(stills) -> None:
    taking = DieTaking()
    taking.begin("red", 8)
    with pytest.raises(BadInputError, match="keep at least one"):
        taking.finish()
    offered(taking, stills[0])
    taking.keep(number(taking), "star")
    offered(taking, stills[3])
    taking.keep(number(taking), "moon")
    taking.finish()
    view = settled_step(taking)
    assert view["step"] == "tested"
    assert any("2 of 8 faces are kept and none of them is blank" in problem for problem in view["problems"])
    with pytest.raises(BadInputError):
        resolve_die_or_refuse("red")
    taking.back()
    offered(taking, stills[0])
    taking.keep(number(taking), "sun")
    taking.finish()
    view = settled_step(taking)
    assert any("star and sun look much alike" in problem for problem in view["problems"])
    taking.store()
    assert settled_step(taking)["step"] == "enrolled"
    assert {face.name for face in resolve_die("red").faces} == {"moon", "star", "sun"}


def resolve_die_or_refuse(name: str) -> None:
    try:
        resolve_die(name)
    except ValueError as error:
        raise BadInputError(str(error)) from None


def flat_png(name: str) -> bytes:
    mask = symbol_mask(name)
    assert mask is not None
    return bytes(cv2.imencode(".png", np.pad(255 - mask, 20, constant_values=255))[1])


def test_flat_pictures_of_symbols_are_the_other_way(stills) -> None:
    taking = DieTaking()
    taking.begin("flat", 10)
    for name in ("star5", "moon", "bolt"):
        taking.keep_flat(name, flat_png(name))
    assert [kept["flat"] for kept in taking.view()["kept"]] == [True] * 3
    noise = np.random.default_rng(1).normal(120, 30, (60, 60)).clip(0, 255).astype(np.uint8)
    for bad, why in (
        (b"no picture at all, but long enough", "must be a PNG"),
        (flat_png("moon")[:60], "can't be read"),
        (bytes(cv2.imencode(".png", noise)[1]), "no flat picture of a symbol"),
        (bytes(cv2.imencode(".png", np.full((2000, 20), 255, np.uint8))[1]), "pixels a side"),
    ):
        with pytest.raises(BadInputError, match=why):
            taking.keep_flat("odd", bad)
    assert offered(taking, stills[3])["step"] == "faces"
    taking.finish()
    assert settled_step(taking)["step"] == "enrolled"
    die = resolve_die("flat")
    assert die.has_blank
    assert die.colour is None
    eight = DieTaking()
    eight.begin("eight", 8)
    eight.keep_flat("half moon", flat_png("moon"))
    assert offered(eight, stills[3])["take"]["like"] == "half moon"
