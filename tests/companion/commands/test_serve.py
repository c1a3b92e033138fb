"""`hoshiban serve` in a real browser, and killed."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import time

import cv2
import pytest

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


@pytest.fixture
def browser():
    if shutil.which(CHROMIUM) is None:
        pytest.skip(f"needs {CHROMIUM} (Debian package chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


def spoil_card(game, picture: str, card: str) -> None:
    """Makes one card of a picture illegible, as a shaken camera would, and leaves the rest as it is."""
    path = game.folder / picture
    truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
    corners = next(lying["corners_px"] for lying in truth["cards"] if lying["card"] == card)
    xs, ys = [round(x) for x, _ in corners], [round(y) for _, y in corners]
    image = cv2.imread(str(path))
    inner = (slice(min(ys) + 12, max(ys) - 12), slice(min(xs) + 12, max(xs) - 12))
    image[inner] = cv2.GaussianBlur(image[inner], (0, 0), 9)
    cv2.imwrite(str(path), image)


@pytest.mark.browser
def test_the_page_follows_the_game_without_reload(program, rendered_game, browser, serving):
    with serving("serve", "--camera", *rendered_game.words, "--pace", "0.4") as service:
        service.wait_for(lambda view: True)
        page = browser.new_page()
        page.goto(service.url, wait_until="domcontentloaded")
        page.evaluate("() => { window.notReloaded = true; }")
        page.wait_for_function("() => document.querySelectorAll('svg line, svg path').length > 0")
        before = page.inner_text("body")
        end = service.wait_for(lambda view: view["outcome"] is not None)
        page.wait_for_function(f"() => document.body.innerText.includes({json.dumps(end['outcome']['decided_by'])})")
        assert page.evaluate("() => window.notReloaded") is True
        assert page.inner_text("body") != before
        truth = rendered_game.truth["steps"][7]
        assert end["points"] == truth["points"]
        assert end["outcome"]["winners"] == truth["outcome"]["winners"]


@pytest.mark.browser
def test_a_question_is_answered_by_a_tap_and_an_undo_shows_on_every_page(program, rendered_game, browser, serving):
    played = rendered_game.truth["steps"][0]["played"]
    spoil_card(rendered_game, "02-trick1-up.jpg", played["B"])
    for picture in sorted(rendered_game.folder.glob("*.jpg"))[3:]:
        picture.unlink()
    with serving("serve", "--camera", *rendered_game.words) as service:
        asked = service.wait_for(lambda view: view["questions"])
        offered = asked["questions"][0]["options"][0]
        pages = [browser.new_page() for _ in range(2)]
        for page in pages:
            page.goto(service.url, wait_until="domcontentloaded")
            page.get_by_text(asked["questions"][0]["text"]).first.wait_for()
        shown = "() => [...document.querySelectorAll('#question img')].filter((image) => image.naturalWidth > 0).length"
        pictured = [option["picture"] for option in asked["questions"][0]["options"]]
        assert all(pictured), "each card that it may be is shown by its scan"
        pages[0].wait_for_function(f"{shown} === {1 + len(pictured)}")
        pages[0].get_by_role("button", name=offered["label"]).first.click()
        answered = service.wait_for(lambda view: not view["questions"])
        assert answered["seats"][1]["card"] is not None
        assert answered["history"][-1]["kind"] == "told"
        for page in pages:
            page.get_by_text(answered["headline"]).first.wait_for()
        undo = pages[1].locator("#undo-last")
        undo.click()
        pages[1].wait_for_timeout(400)  # the second tap of a double tap must not count
        undo.click()
        undone = service.wait_for(lambda view: view["history"][-1]["kind"] == "undo")
        assert undone["seats"][1]["card"] is None
        for page in pages:
            page.get_by_text(undone["headline"]).first.wait_for()


def test_killed_in_the_middle_it_goes_on_where_it_was(program, rendered_game, serving):
    """kill -9 at several moments: nothing acknowledged is lost, and the end is the truth's."""
    shown: list[tuple[int, str]] = []
    for tricks in (1, 3, 5):
        with serving("serve", "--camera", *rendered_game.words, "--pace", "0.15") as service:
            view = service.wait_for(lambda view, n=tricks: len(view["tricks"]) >= n)
            assert [(row["seq"], row["text"]) for row in view["history"]][: len(shown)] == shown
            shown = [(row["seq"], row["text"]) for row in view["history"]]
            game_id = view["game_id"]
            service.kill()
    with serving("serve", "--camera", *rendered_game.words) as service:
        end = service.wait_for(lambda view: view["outcome"] is not None)
    assert end["game_id"] == game_id, "one game, not four"
    assert [(row["seq"], row["text"]) for row in end["history"]][: len(shown)] == shown
    truth = rendered_game.truth["steps"]
    assert [trick["points"] for trick in end["tricks"]] == [step["points"] for step in truth[:7]]
    assert end["outcome"]["winners"] == truth[7]["outcome"]["winners"]
    assert end["findings"] == []
    assert program.run("log", "verify").returncode == 0
    assert json.loads(program.run("log", "replay").stdout)["same"] is True


def test_what_was_recorded_is_judged_to_the_same_end(program, rendered_game, tmp_path, serving):
    with serving("serve", "--camera", *rendered_game.words, "--record", tmp_path / "kept") as service:
        end = service.wait_for(lambda view: view["outcome"] is not None)
    words = (tmp_path / "kept" / "watch.txt").read_text("utf-8").splitlines()[1].split()[1:]
    program.home = tmp_path / "kept"
    done = program.run(*words)
    outcome = program.events(done)[-1]
    assert (outcome["winners"], outcome["points"]) == (end["outcome"]["winners"], end["points"])
    assert done.returncode == 0


def test_a_second_service_on_the_same_journal_is_told_so(program, rendered_game, serving):
    with serving("serve", "--camera", *rendered_game.words) as service:
        service.wait_for(lambda view: True)
        second = program.run("serve", "--camera", *rendered_game.words, "--port", service.port + 1, timeout=60)
    assert second.returncode == 2
    assert "journal" in second.stderr
    assert "Traceback" not in second.stderr


def test_a_second_service_on_the_same_port_is_told_so(program, rendered_game, tmp_path, serving):
    with serving("serve", "--camera", *rendered_game.words) as service:
        service.wait_for(lambda view: True)
        words = ["serve", "--camera", *rendered_game.words, "--port", service.port, "--journal", tmp_path / "other.db"]
        second = program.run(*words, timeout=60)
    assert second.returncode == 2
    assert str(service.port) in second.stderr
    assert "Traceback" not in second.stderr


def test_terminating_it_leaves_no_process_behind(program, rendered_game, serving):
    with serving("serve", "--camera", *rendered_game.words, "--pace", "5") as service:
        service.wait_for(lambda view: view["board"] is not None)
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(service.process.pid)], capture_output=True, text=True, check=False
        ).stdout.split()
        assert len(listed) >= 2, "the capture child and the vision process"
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        left = subprocess.run(["ps", "-o", "pid=", "-p", ",".join(listed)], capture_output=True, text=True, check=False)
        if not left.stdout.split():
            return
        time.sleep(0.1)
    pytest.fail(f"still running: {left.stdout}")


def test_the_pad_is_a_badge_on_the_page_and_its_touches_are_kept(program, rendered_game, tmp_path, serving):
    from hardware.virtual.pad import VirtualPad

    def badge(view: dict) -> tuple[str, str]:
        return next(((one["state"], one["text"]) for one in view["sources"] if one["name"] == "pad"), ("", ""))

    for picture in sorted(rendered_game.folder.glob("*.jpg"))[1:]:
        picture.unlink()
    watching = ("serve", "--camera", *rendered_game.words, "--pad", tmp_path / "pad")
    with VirtualPad(tmp_path / "pad") as pad, serving(*watching) as service:
        service.wait_for(lambda view: badge(view) == ("ready", "pad: ready"))
        pad.touch()
        pad.unplug(power=False)
        lost = service.wait_for(lambda view: badge(view)[0] == "lost")
        assert "was unplugged; plug it in again" in badge(lost)[1]
        pad.replug()
        gap = service.wait_for(lambda view: badge(view)[0] == "gap")
        assert "power was switched on" in badge(gap)[1]
    with sqlite3.connect(next((program.home / "data").rglob("*observations*"))) as file:
        events = [
            json.loads(content)["event"] for (content,) in file.execute("SELECT content FROM observations WHERE json")
        ]
    assert events.count("started") == 2
    assert "gap" in events
