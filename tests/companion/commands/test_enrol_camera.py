"""`hoshiban enrol --camera` in a real browser: cards laid one by one become a deck."""

from __future__ import annotations

import json
import shutil
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest

from companion.decks.proxies import draw_deck
from companion.virtual.one_by_one import lay

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
LAID = ["red-06", "red-06", "red-09", "blurred", "blue-03", "bare", "back"]


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Cards one by one: one of them twice, one of a shaken camera, and an empty table."""
    art, random = draw_deck("hoshizora"), Random(4)
    folder = tmp_path / "pictures"
    folder.mkdir()
    for n, name in enumerate(LAID):
        picture = lay(art.get(name, art["blue-03"]), random)
        if name == "blurred":
            picture = cv2.GaussianBlur(picture, (0, 0), 9)
        if name == "bare":
            picture[:] = np.random.default_rng(1).normal(100, 2, picture.shape).astype(np.uint8)
        cv2.imwrite(str(folder / f"{n}-{name}.png"), picture)
    return folder


@pytest.fixture
def page():
    if shutil.which(CHROMIUM) is None:
        pytest.skip(f"needs {CHROMIUM} (Debian package chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium.new_page(viewport={"width": 390, "height": 844})
        chromium.close()


@contextmanager
def enrolling(program, *words: object) -> Iterator[tuple[object, str]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = program.start("enrol", "--deck", "mine", "--port", port, *words)
    try:
        yield process, f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(30)


def wait_until_it_answers(url: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError("the page never answered")


def open_when_it_answers(page, url: str) -> None:
    wait_until_it_answers(url)
    page.goto(url, wait_until="domcontentloaded")


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.browser
def test_cards_laid_one_by_one_become_a_deck(program, pictures: Path, page, tmp_path: Path) -> None:
    with enrolling(program, "--camera", pictures, "--game", "hoshizora") as (process, url):
        open_when_it_answers(page, url)
        page.wait_for_function("() => document.querySelector('#shown').naturalWidth === 630")
        page.fill("#side", "red-06")
        press(page, "Keep")
        page.get_by_text("This looks like red-06").wait_for()
        press(page, "It is red-06: keep as a second picture")
        page.wait_for_function(
            "() => !document.querySelector('#take').hidden && !document.querySelector('#again').checked"
        )
        page.wait_for_function("() => document.querySelectorAll('#kept li').length === 2")
        page.wait_for_function(
            "() => document.querySelector('#side').value !== 'red-06' && !document.querySelector('#take').hidden"
        )
        assert page.is_hidden("#like"), "a nine is no six upside down"
        page.fill("#side", "red-09")
        page.keyboard.press("Enter")
        page.get_by_text("the picture is blurred").wait_for()
        press(page, "Take it again")
        page.wait_for_function("() => !document.querySelector('#faults').children.length")
        page.fill("#side", "red-09")
        page.keyboard.press("Enter")
        page.get_by_text("red-09 is kept already").wait_for()
        page.fill("#side", "blue-03")
        page.keyboard.press("Enter")
        # The empty table is passed over, and the last picture is the back.
        page.wait_for_function(
            "() => document.querySelectorAll('#kept li').length === 4 && !document.querySelector('#take').hidden"
        )
        press(page, "It is the back")
        page.get_by_text("There are no more pictures").wait_for()
        press(page, "All cards are kept")
        page.get_by_text("Done").wait_for()
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    (line,) = (json.loads(text) for text in out.splitlines())
    assert (line["cards"], line["backs"]) == (3, 1)
    scans = {path.name: path for path in (program.home / "data" / "decks" / "mine").glob("*.png")}
    assert set(scans) == {"red-06.png", "red-06@2.png", "red-09.png", "blue-03.png", "back.png"}
    art = draw_deck("hoshizora")
    for name in ("red-06", "red-09", "blue-03", "back"):
        scan = cv2.imread(str(scans[f"{name}.png"]))
        assert scan.shape == (880, 630, 3)
        true = cv2.resize(art[name], (630, 880), interpolation=cv2.INTER_AREA)
        likeness = np.corrcoef(cv2.GaussianBlur(scan, (0, 0), 3).ravel(), cv2.GaussianBlur(true, (0, 0), 3).ravel())[
            0, 1
        ]
        assert likeness > 0.97, name


@pytest.mark.browser
def test_the_virtual_table_lays_cards_and_an_ended_taking_goes_on(program, page, tmp_path: Path) -> None:
    folder = tmp_path / "scans"
    for n, card in enumerate(("blue-01", "blue-02")):
        with enrolling(program, folder, "--camera", "virtual", "--game", "hoshizora") as (process, url):
            open_when_it_answers(page, url)
            page.wait_for_function("() => !document.querySelector('#take').hidden")
            if n:
                assert "looks like blue-01" in page.inner_text("#like")
                press(page, "Leave it out")
                page.wait_for_function(
                    "() => document.querySelector('#like').hidden && !document.querySelector('#take').hidden"
                )
            page.fill("#side", card)
            press(page, "Turn")
            page.wait_for_function("() => document.querySelector('#shown').naturalWidth === 880")
            for _ in range(3):
                press(page, "Turn")
                page.wait_for_timeout(150)
            page.wait_for_function("() => document.querySelector('#shown').naturalWidth === 630")
            press(page, "Keep")
            page.wait_for_function(f"() => document.querySelectorAll('#kept li').length === {n + 1}")
            assert (folder / f"{card}.png").is_file()
            process.terminate()
            _, said = process.communicate(timeout=30)
            assert process.returncode == 1
            assert "the same command goes on" in said
            assert "Traceback" not in said


def test_another_sites_page_may_not_act(program, pictures: Path) -> None:
    with enrolling(program, "--camera", pictures) as (_, url):
        body = json.dumps({"do": "finish"}).encode()
        wait_until_it_answers(url)
        for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
            asked = urllib.request.Request(
                f"{url}api/act", body, {"Content-Type": "application/json", **headers}, method="POST"
            )
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(asked, timeout=5)


def test_without_scans_and_without_a_camera_there_is_nothing_to_enrol(program) -> None:
    done = program.run("enrol", "--deck", "mine")
    assert done.returncode == 2
    assert "--camera" in done.stderr
    done = program.run("enrol", "--deck", "mine", "--camera", "/nowhere/at/all")
    assert done.returncode == 2
    assert "no such file or directory" in done.stderr
