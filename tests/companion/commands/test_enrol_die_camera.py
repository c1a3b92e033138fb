"""`hoshiban enrol-die --camera` in a real browser: a die laid with each face up in turn is enrolled, and `look` knows it."""

from __future__ import annotations

import json
import shutil
import socket
import time
import urllib.error
import urllib.request

import pytest

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
FACES = ("star5", "blank", "blank", "moon", "blank", "bolt", "blank", "blank")
WAIT_MS = 90_000


@pytest.fixture
def page():
    if shutil.which(CHROMIUM) is None:
        pytest.skip(f"needs {CHROMIUM} (Debian package chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = chromium.new_page(viewport={"width": 390, "height": 844})
        page.set_default_timeout(WAIT_MS)
        yield page
        chromium.close()


def opened(page, url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=5).close()
            break
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    page.goto(url, wait_until="domcontentloaded")


@pytest.mark.browser
def test_a_die_is_named_shown_face_by_face_tested_and_enrolled(program, page) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = program.start("enrol-die", "--camera", "virtual", "--port", port)
    try:
        opened(page, f"http://127.0.0.1:{port}/")
        page.fill("#name", "red")
        page.check("[name=sides][value='8']")
        page.click("#begin")
        for n, face in enumerate(FACES):
            page.wait_for_function(
                "n => document.querySelectorAll('#kept li').length === n && !document.querySelector('#take').hidden",
                arg=n,
            )
            if n == 0:
                page.wait_for_function("() => document.querySelector('#live img').naturalWidth > 100")
                page.wait_for_function("() => document.querySelector('#shown').naturalWidth > 100")
            assert page.input_value("#face") == ("blank" if face == "blank" else "")
            page.fill("#face", face)
            page.keyboard.press("Enter")
        page.get_by_text("There are no more pictures").wait_for()
        assert "3 faces kept, blank 5 times" in page.inner_text("#progress")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.click("#finish")
        page.get_by_text("red is enrolled.").wait_for()
        page.click("#another")
        page.fill("#name", "red")
        page.check("[name=sides][value='8']")
        page.click("#begin")
        page.get_by_text("a die named red is enrolled already").wait_for()
        page.get_by_role("button", name="Add pictures to red").wait_for()
        page.click("#end")
        page.get_by_text("You can close this page").wait_for()
        out, _ = process.communicate(timeout=60)
    finally:
        process.terminate()
        process.wait(30)
    assert errors == []
    assert process.returncode == 0
    (line,) = (json.loads(text) for text in out.splitlines())
    assert (line["die"], line["sides"], line["confusable"]) == ("red", 8, [])
    assert line["faces"] == ["blank", "bolt", "moon", "star5"]
    kept = {path.name for path in (program.home / "data" / "dice" / "red").glob("*.png")}
    assert kept == {"star5.png", "moon.png", "bolt.png", "blank.png", *(f"blank-{n}.png" for n in range(2, 6))}


def test_without_a_camera_a_directory_and_a_name_are_needed(program) -> None:
    for words, why in ((["--die", "red"], "DIRECTORY"), (["."], "--die NAME")):
        done = program.run("enrol-die", *words)
        assert done.returncode == 2
        assert why in done.stderr
    done = program.run("enrol-die", "--camera", "/nowhere/at/all")
    assert done.returncode == 2
    assert "no such file or directory" in done.stderr
