"""Measures the page with its cap of viewers: ruling to viewer, ruling to a browser's screen, a post while every stream hangs.

    python tests/benchmarks/page.py [--viewers 200] [--changes 60] [--browser]

The viewers are plain sockets in a process of their own on the same machine; both processes read the same monotonic clock.
Prints one JSON line; times are milliseconds.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import resource
import selectors
import socket
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.web.server import PageServer  # noqa: E402

PACE_S = 0.25
"""Between two changes; a table changes about once in seconds."""
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-sync",
]


class BenchDesk:
    """A desk with a late game's view, whose points count the versions."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._version = 1
        stars = [{"n": n, "x": 25.0 * n, "y": (77.0 * n) % 290 + 5, "square": n % 9} for n in range(1, 13)]
        lines = [{"a": n, "b": n + 1, "colour": "red" if n % 2 else "blue", "trick": n} for n in range(1, 11)]
        events = [
            {
                "seq": n,
                "t_text": "12:00",
                "text": f"Ben revealed blue {n}",
                "kind": "fact",
                "undoable": True,
                "undone": False,
            }
            for n in range(90)
        ]
        seat = {"role": None, "turn": False, "tricks_won": 2, "hand_left": 2, "laid": None, "card": None, "bid": None}
        self._view: dict[str, Any] = {
            "game": "hoshizora",
            "title": "Hoshizora",
            "game_id": "bench",
            "seats": [{"name": name, **seat} for name in "ABC"],
            "phase": "lay",
            "trick": 7,
            "tricks_total": 7,
            "headline": "A leads",
            "expectations": [],
            "board": {"side_mm": 300, "dark": False, "stars": stars, "lines": lines, "crossings": [], "drawable": []},
            "tricks": [],
            "findings": [],
            "questions": [],
            "prompts": [],
            "sources": [],
            "outcome": None,
            "history": events,
            "worlds": None,
        }

    def change(self) -> int:
        with self._changed:
            self._version += 1
            self._changed.notify_all()
            return self._version

    def view(self) -> dict[str, Any]:
        return {**self._view, "version": self._version, "points": self._version}

    def wait(self, after_version: int, timeout_s: float) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self._version > after_version, timeout_s)
            return self._version

    def answer(self, question_id: str, option_id: str, who: str) -> None: ...

    def undo(self, seq: int | None, who: str) -> None: ...

    def tell(self, act: Any, who: str) -> None: ...

    def correct(self, seq: int, act: Any, who: str) -> None: ...

    def card_picture(self, _card_id: str) -> bytes | None:
        return None

    def question_picture(self, _question_id: str, _index: int) -> bytes | None:
        return None


def watch(port: int, viewers: int, pipe: Connection) -> None:
    """The viewers: opens every stream, then notes when each version was whole at each, until told to stop."""
    selector = selectors.DefaultSelector()
    for _ in range(viewers):
        stream = socket.create_connection(("127.0.0.1", port))
        stream.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        selector.register(stream, selectors.EVENT_READ, bytearray())
    selector.register(pipe, selectors.EVENT_READ, None)
    seen: dict[int, list[float]] = {}
    while True:
        for key, _ in selector.select():
            if key.data is None:
                pipe.recv()
                pipe.send(seen)
                return
            read_events(key.fileobj.recv(1 << 17), key.data, seen)
        if len(seen.get(1, ())) == viewers and -1 not in seen:
            seen[-1] = []
            pipe.send("open")


def read_events(data: bytes, buffer: bytearray, seen: dict[int, list[float]]) -> None:
    buffer += data
    while (end := buffer.find(b"}\n\n")) >= 0:
        event = bytes(buffer[:end])
        del buffer[: end + 3]
        at = event.find(b"\nid: ")
        if at >= 0:
            seen.setdefault(int(event[at + 5 : event.index(b"\n", at + 1)]), []).append(time.monotonic())


def post_ms(port: int) -> float:
    started = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("POST", "/api/undo", '{"seq": 1}', {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"a post was answered with {answer.status}")
    return (time.monotonic() - started) * 1000


def spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    pick = {
        name: ordered[min(len(ordered) - 1, int(len(ordered) * share))] for name, share in [("p50", 0.5), ("p99", 0.99)]
    }
    return {name: round(value, 1) for name, value in {**pick, "max": ordered[-1]}.items()}


def browser_ms(port: int, desk: BenchDesk, changes: int) -> list[float]:
    """From the change to the frame after the one in which the page shows it, in a real browser beside the viewers."""
    from playwright.sync_api import sync_playwright

    shown = """(points) => new Promise((done) => {
      const place = document.getElementById("points");
      const look = () => place.textContent === points && requestAnimationFrame(() => setTimeout(() => done(Date.now()), 0));
      new MutationObserver(look).observe(place, { childList: true, characterData: true, subtree: true });
      window.ready = true;
    })"""
    times = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/", wait_until="domcontentloaded")
        page.wait_for_selector(".seat")
        for _ in range(changes):
            changed_at: list[float] = []
            version = desk.wait(-1, 0) + 1

            def change(at: list[float] = changed_at) -> None:
                at.append(time.time() * 1000)
                desk.change()

            threading.Timer(PACE_S, change).start()
            times.append(page.evaluate(shown, str(version)) - changed_at[0])
        browser.close()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--viewers", type=int, default=200)
    parser.add_argument("--changes", type=int, default=60)
    parser.add_argument("--browser", action="store_true", help="measure a real browser beside the viewers too")
    options = parser.parse_args()

    desk = BenchDesk()
    server = PageServer(desk, port=0, stream_cap=options.viewers + options.browser)
    server.start()
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    viewers = multiprocessing.get_context("spawn").Process(
        target=watch, args=(server.port, options.viewers, theirs), daemon=True
    )
    viewers.start()
    ours.recv()

    changed: dict[int, float] = {}
    posts = []
    for _ in range(options.changes):
        started = time.monotonic()
        changed[desk.change()] = started
        posts.append(post_ms(server.port))  # at the worst moment: while the change goes out
        time.sleep(PACE_S)
        posts.append(post_ms(server.port))
    screen = browser_ms(server.port, desk, options.changes) if options.browser else None
    one_more = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    if not options.browser:
        one_more.request("GET", "/events")
    ours.send("stop")
    seen = ours.recv()
    delays = [(at - started) * 1000 for version, started in changed.items() for at in seen.get(version, ())]
    report: dict[str, Any] = {
        "viewers": options.viewers,
        "changes": options.changes,
        "view_bytes": len(json.dumps(desk.view())),
        "delivered": len(delays),
        "ruling_to_viewer_ms": spread(delays),
        "post_ms": spread(posts),
        "resident_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }
    if screen is not None:
        report["ruling_to_screen_ms"] = spread(screen)
    else:
        report["one_more"] = one_more.getresponse().status
    sys.stdout.write(json.dumps(report) + "\n")
    server.close()


if __name__ == "__main__":
    main()
