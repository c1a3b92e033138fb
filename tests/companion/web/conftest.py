"""A desk with a game on it, for the page's tests: no camera, no rules, only views that change and a record of what was asked."""

from __future__ import annotations

import copy
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.errors import BadInputError
from companion.web.server import PageServer

STARS = [
    (1, 52, 47, 0),
    (2, 148, 33, 1),
    (3, 241, 61, 2),
    (4, 33, 142, 3),
    (5, 121, 118, 4),
    (6, 192, 176, 4),
    (7, 262, 128, 5),
    (8, 71, 229, 6),
    (9, 28, 268, 6),
    (10, 139, 251, 7),
    (11, 233, 214, 8),
    (12, 277, 266, 8),
]
BIDS = [11, 16, 21, 9, 14, 19, 7, 12, 17, 22, 10, 15]


def card(card_id: str) -> dict[str, Any]:
    colour, _, number = card_id.partition("-")
    n = int(number)
    return {
        "id": card_id,
        "colour": colour,
        "number": n,
        "label": str(n),
        "size": "S" if n <= 6 else "L",
        "bid": BIDS[n - 1],
    }


def line(a: int, b: int, colour: str, trick: int | None = None) -> dict[str, Any]:
    return {"a": a, "b": b, "colour": colour, "trick": trick}


def seat(name: str, **fields: Any) -> dict[str, Any]:
    plain = {"role": None, "turn": False, "tricks_won": 0, "hand_left": 6, "laid": None, "card": None, "bid": None}
    return {"name": name, **plain, **fields}


def trick(
    n: int, lead: str, cards: dict[str, str], winner: str, drawn: list[dict[str, Any]], points: int
) -> dict[str, Any]:
    played = {name: card(card_id) for name, card_id in cards.items()}
    colours = [c["colour"] for c in played.values()]
    return {
        "trick": n,
        "lead": lead,
        "played": played,
        "majority": max(set(colours), key=colours.count),
        "winner": winner,
        "drawn": drawn,
        "erased": [],
        "points": points,
    }


def event(seq: int, t_text: str, text: str, act: dict[str, Any] | None = None, undone: bool = False) -> dict[str, Any]:
    kind = "fact" if act else "note"
    return {
        "seq": seq,
        "t_text": t_text,
        "text": text,
        "kind": kind,
        "undoable": bool(act),
        "undone": undone,
        "act": act,
    }


LINES = [
    line(1, 5, "red", 1),
    line(5, 7, "red", 1),
    line(8, 10, "blue", 2),
    line(3, 6, "red", 3),
    line(10, 11, "blue", 4),
]


def opening_view() -> dict[str, Any]:
    """The fourth trick: two cards lie open, the third is still down."""
    return {
        "version": 1,
        "game": "hoshizora",
        "title": "Hoshizora",
        "game_id": "g1",
        "seats": [
            seat("Aiko", role="lead", tricks_won=2, hand_left=4, laid="up", card=card("blue-10")),
            seat("Ben", tricks_won=1, hand_left=4, laid="up", card=card("blue-03")),
            seat("Chidi", turn=True, tricks_won=1, hand_left=4, laid="down"),
        ],
        "phase": "reveal",
        "trick": 5,
        "tricks_total": 7,
        "headline": "Chidi turns a card over",
        "stated": "blue",
        "majority": None,
        "expectations": [
            {
                "who": "Chidi",
                "act": "reveal",
                "text": "Chidi: turn the card over. If Chidi holds blue, it is blue.",
                "rule": "Progression of the game: follow the stated colour",
                "must": True,
                "options": [],
            }
        ],
        "board": {
            "side_mm": 300,
            "dark": False,
            "stars": [{"n": n, "x": x, "y": y, "square": square} for n, x, y, square in STARS],
            "lines": copy.deepcopy(LINES),
            "crossings": [{"x": 213.9, "y": 124.6, "colour": "red"}],
            "drawable": [],
            "by_colour": {"red": 3, "blue": 2},
        },
        "points": 6,
        "tricks": [
            trick(1, "Aiko", {"Aiko": "red-01", "Ben": "red-05", "Chidi": "red-07"}, "Aiko", LINES[:2], 2),
            trick(2, "Aiko", {"Aiko": "blue-08", "Ben": "red-12", "Chidi": "blue-12"}, "Chidi", [LINES[2]], 3),
            trick(3, "Chidi", {"Aiko": "red-03", "Ben": "red-06", "Chidi": "blue-02"}, "Aiko", [LINES[3]], 5),
            trick(4, "Aiko", {"Aiko": "red-02", "Ben": "blue-11", "Chidi": "blue-09"}, "Ben", [LINES[4]], 6),
        ],
        "findings": [],
        "questions": [],
        "prompts": [],
        "sources": [{"name": "camera", "state": "settled", "text": ""}],
        "outcome": None,
        "history": [
            event(31, "12:04", "Trick 4 is over: 6 points"),
            event(33, "12:05", "Aiko laid a card", {"fact": "card-laid", "seat": "Aiko"}),
            event(34, "12:05", "Ben laid a card", {"fact": "card-laid", "seat": "Ben"}),
            event(35, "12:05", "Chidi laid a card", {"fact": "card-laid", "seat": "Chidi"}),
            event(36, "12:06", "Aiko revealed blue 10", {"fact": "card-revealed", "seat": "Aiko", "card": "blue-10"}),
            event(37, "12:06", "Ben revealed blue 3", {"fact": "card-revealed", "seat": "Ben", "card": "blue-03"}),
        ],
        "worlds": "3,432",
        "cards": [card(f"{colour}-{n:02}") for colour in ("red", "blue") for n in range(1, 13)],
    }


def question(question_id: str = "q1") -> dict[str, Any]:
    return {
        "id": question_id,
        "text": "Which card did Chidi reveal?",
        "detail": "The glare hides its number: the camera reads blue 6 or blue 8.",
        "options": [
            {"id": "blue-06", "label": "Blue 6"},
            {"id": "blue-08", "label": "Blue 8"},
            {"id": "other", "label": "Another card"},
        ],
        "pictures": [f"/question/{question_id}/0.png"],
    }


class FakeDesk:
    """A desk whose view the tests change, and which remembers what people did."""

    def __init__(self) -> None:
        self._view = opening_view()
        self._changed = threading.Condition()
        self.asked: list[tuple[Any, ...]] = []
        self.renders = 0
        self.refusal: str | None = None

    def change(self, edit: Callable[[dict[str, Any]], None]) -> int:
        """Edits the view as its next version."""
        with self._changed:
            edited = copy.deepcopy(self._view)
            edit(edited)
            edited["version"] = self._view["version"] + 1
            self._view = edited
            self._changed.notify_all()
            return int(edited["version"])

    def view(self) -> dict[str, Any]:
        self.renders += 1
        return self._view

    def wait(self, after_version: int, timeout_s: float) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self._view["version"] > after_version, timeout_s)
            return int(self._view["version"])

    def answer(self, question_id: str, option_id: str, who: str) -> None:
        self._record("answer", question_id, option_id, who)
        self.change(lambda view: view.update(questions=[q for q in view["questions"] if q["id"] != question_id]))

    def undo(self, seq: int | None, who: str, *, as_play: bool = False) -> None:
        self._record("undo", seq, who, *(["as play"] if as_play else []))

        def take_back(view: dict[str, Any]) -> None:
            for entry in view["history"]:
                if entry["seq"] == seq:
                    entry["undone"] = True

        self.change(take_back)

    def tell(self, act: Any, who: str) -> None:
        self._record("tell", act, who)

    def correct(self, seq: int, act: Any, who: str) -> None:
        self._record("correct", seq, act, who)

    def rule(self, ruling: Any) -> None:
        self._record("rule", ruling)

    def card_picture(self, card_id: str) -> bytes | None:
        return png(60, 84) if card_id == "red-07" else None

    def question_picture(self, question_id: str, index: int) -> bytes | None:
        return png(240, 150) if question_id == "q1" and index == 0 else None

    def _record(self, *what: Any) -> None:
        if self.refusal is not None:
            raise BadInputError(self.refusal)
        self.asked.append(what)


def png(width: int, height: int) -> bytes:
    """A grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((x * 255 // width) for x in range(width)) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk()


@pytest.fixture
def server(desk: FakeDesk) -> Iterator[PageServer]:
    """The page of `desk` on a free port of this machine, with room for four streams."""
    page = PageServer(desk, port=0, stream_cap=4)
    page.start()
    yield page
    page.close()


CHROMIUM = Path("/usr/bin/chromium")
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
WIDE = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.skip(f"needs a browser at {CHROMIUM}: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any, server: PageServer) -> Iterator[Callable[..., Any]]:
    """Opens the page in a window of its own; a script error on it fails the test."""
    contexts = []
    errors: list[str] = []

    def open_one(size: dict[str, int] = WIDE, **options: Any) -> Any:
        context = browser.new_context(viewport=size, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(server.url, wait_until="domcontentloaded")
        page.wait_for_selector(".seat")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def open_game(open_page: Callable[..., Any], desk: FakeDesk) -> Callable[..., Any]:
    """Opens the page on a game as it stands after acts of its rules."""

    def open_one(kit: Any, setup: Any, *facts: Any, size: dict[str, int] = WIDE) -> Any:
        state = kit.book.rules.start(setup)
        for fact in facts:
            state = kit.book.rules.apply(state, fact)
        taps = [{"label": tap.label, "act": dict(tap.act), "whole": tap.whole} for tap in kit.taps(state)]
        plain = {"findings": [], "questions": [], "prompts": [], "sources": [], "outcome": None, "history": []}
        named = {"game": kit.book.game, "title": kit.book.title, "expectations": [], "taps": taps, "version": 0}
        desk.change(lambda view: (view.clear(), view.update({**kit.view(state), **plain, **named})))
        return open_page(size)

    return open_one
