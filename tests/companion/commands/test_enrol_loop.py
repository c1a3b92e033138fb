"""`hoshiban enrol-loop`: a tap chooses one of two loops, the profile keeps it, and `look` goes by it, or by `--loop`."""

from __future__ import annotations

import json
import socket
import time
import urllib.error
import urllib.request

import cv2
import numpy as np

from companion.virtual.dice_stills import Oddity, odd_still
from companion.virtual.loops import SEED
from hardware.virtual.symbols import symbol_mask


def say(url: str, **body: object) -> int:
    request = urllib.request.Request(
        f"{url}api/act", json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def until(url: str, wanted) -> dict:
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{url}api/view", timeout=60) as answer:
                view = json.loads(answer.read())
            if wanted(view):
                return view
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.1)
    raise AssertionError("the page never showed it")


def test_the_loop_that_was_tapped_counts_from_then_on(program) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    still = odd_still(Oddity.TWO_LOOPS, SEED, 0)
    process = program.start("enrol-loop", "--camera", "virtual", "--table", "420x250", "--port", port)
    url = f"http://127.0.0.1:{port}/"
    try:
        assert until(url, lambda view: view["seen"])["state"] == "several"
        assert say(url, do="dance") == 409
        assert say(url, do="keep") == 409
        middle = np.array(still.scene.loops[1].polygon_mm).mean(axis=0)
        ((u, v),) = still.camera.project(middle)
        assert say(url, do="point", across=u / 1920, down=v / 1080) == 200
        assert say(url, do="keep") == 200
        out, _ = process.communicate(timeout=60)
    finally:
        process.terminate()
        process.wait(30)
    assert process.returncode == 0
    line = json.loads(out)
    x, y = line["at_mm"]
    assert f"at_mm = [{x}, {y}]" in (program.home / "config" / "profile.toml").read_text()
    (program.home / "symbols").mkdir()
    for name in {mark for marks in still.marks for mark in marks}:
        cv2.imwrite(
            str(program.home / "symbols" / f"{name}.png"), np.pad(255 - symbol_mask(name), 20, constant_values=255)
        )
    cv2.imwrite(str(program.home / "roll.png"), still.picture())
    words = ["look", "roll.png", "--table", "420x250", "--symbols", "symbols", "--no-board"]
    (program.home / "bare.toml").write_text("[table]\nwidth_mm = 420\nheight_mm = 250\n")
    (told,) = program.events(program.run(*words, "--profile", "bare.toml"))
    assert told["arena_state"] == "several"
    assert {die["inside"] for die in told["dice"]} == {None}
    (told,) = program.events(program.run(*words))
    assert told["arena_state"] == "found", "the profile keeps which of them counts"
    (told,) = program.events(program.run(*words, "--profile", "bare.toml", "--loop", f"{x},{y}"))
    assert told["arena_state"] == "found"
    assert len(told["dice"]) == 2
    assert {die["inside"] for die in told["dice"]} == {False}, "both lie by the other loop"
    assert "two-loops" not in told["throw_states"]
    bad = program.run(*words, "--loop", "here")
    assert bad.returncode == 2
    assert "must be x,y in mm" in bad.stderr
