"""Hoshi Battle's page in a real browser: the two who duel, the last touch and why, buttons that a thumb hits, taps by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import cv2
import numpy as np
import pytest

from companion.adjudicator.hoshi_battle.kit import HoshiBattleKit
from companion.games.start import builtin_start
from companion.rules.hoshi_battle.facts import (
    CardKind,
    CardsKept,
    CardsPlaced,
    DieRolled,
    Face,
    Fact,
    HeroRevealed,
    PlayBegan,
)

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}
SEATS = ("Ami", "Ben")
KIT = HoshiBattleKit()
SETUP = builtin_start("hoshi-battle", SEATS, "Ami", {}).setup
OPEN: tuple[Fact, ...] = (
    *(CardsKept(seat, kind, 3) for seat in SEATS for kind in CardKind),
    *(CardsPlaced(seat) for seat in SEATS),
    HeroRevealed("Ami", "clay-champion"),
    HeroRevealed("Ben", "saal-swordsman"),
)
ROLLING = (
    *OPEN,
    PlayBegan(0),
    DieRolled("Ami", Face.STRIKE, 900_000, 8_000),
    DieRolled("Ben", Face.CHARM, 950_000, inside=None),
)
THUMB_PX = 44
TOUCH: dict[str, Any] = {
    "key": "touch:pad:1-7",
    "source": "pad",
    "at_us": 1_300_000,
    "within_us": 400,
    "verdict": "hit",
    "text": "Ami hit Ben.",
    "rule": "Rules of the Duel: touching the hand after the hit symbol is a hit",
    "seats": ["Ami", "Ben"],
    "by": ["Ami"],
    "where": "hand",
    "hit": ["Ben"],
    "bluffed": [],
    "asked": False,
    "doubts": [],
    "gaps": [
        {"seat": "Ami", "die": 0, "face": "strike", "counts_as": ["strike"], "since": "settled", "gap_us": 400_000,
         "within_us": 8_400, "life": "alive", "close": False},
    ],
    "guard_us": 40_000,
    "defence_us": 1_000_000,
    "line": [
        {"source": "dice", "from_us": -400_000, "within_us": 8_000, "seat": "Ami", "die": 0, "what": "settled", "text": "rest"},
        {"source": "hands", "from_us": 0, "within_us": 0, "seat": "Ami", "what": "closing", "text": "Ami closed in on a hand"},
    ],
    "blinds": [],
    "ruled_after_us": 97_000,
    "answer": None,
}  # fmt: skip


@pytest.fixture
def open_page(open_game: Callable[..., Any]) -> Callable[..., Any]:
    return partial(open_game, KIT, SETUP)


def test_what_lies_before_the_two_and_what_their_dice_show_is_on_the_page(open_page: Callable[..., Any]) -> None:
    page = open_page(*ROLLING)
    assert [name.text_content() for name in page.query_selector_all(".hero-name")] == [
        "Clay Champion",
        "Saal Swordsman",
    ]
    assert [stones.text_content() for stones in page.query_selector_all(".stone-count")] == ["2", "2"]
    assert "alive" in page.text_content(".die.alive")
    assert "not sure yet" in page.text_content(".die.open")
    assert "additional d10" in page.text_content("#effects-place")


def test_the_last_touch_says_its_verdict_gap_rule_and_evidence(open_page: Callable[..., Any], desk: Any) -> None:
    page = open_page(*ROLLING)
    desk.change(lambda view: view.update(touches=[TOUCH]))
    page.wait_for_selector(".touch.latest")
    assert page.text_content(".touch.latest .verdict-word") == "Hit"
    assert "400.0 ms ± 8.4" in page.text_content(".gap-badge")
    why = page.text_content(".touch.latest .because")
    for part in (
        "Rules of the Duel",
        "came to rest 400.0 ms (± 8.4) before the touch",
        "40.0 ms",
        "ruled 97 ms",
        "2 reports",
    ):
        assert part in why
    assert page.query_selector(".time-line .touch-line") is not None


def test_a_duel_is_told_by_hand_with_buttons_that_a_thumb_hits(open_page: Callable[..., Any], desk: Any) -> None:
    page = open_page(*ROLLING, size=PHONE)
    desk.change(lambda view: view.update(sensors=[]))
    page.wait_for_selector(".by-hand details[open] .quick")
    sizes = [button.bounding_box() for button in page.query_selector_all(".quick")]
    assert all(size["height"] >= THUMB_PX and size["width"] >= THUMB_PX for size in sizes)
    page.click(".quick.touch:has-text('Ben touched a hand')")
    page.wait_for_function("() => document.querySelector('#say').textContent.includes('Ben touched')")
    ((kind, told, _who),) = desk.asked
    assert (kind, told) == ("tell", {"fact": "hands-touched", "by": ["Ben"], "where": "hand"})


def test_the_countdown_tells_that_play_began_at_zero(open_page: Callable[..., Any], desk: Any) -> None:
    page = open_page(*OPEN)
    page.click(".countdown")
    page.wait_for_function("() => document.querySelector('.countdown').textContent === '3'")
    page.wait_for_function("() => document.querySelector('.countdown').textContent.startsWith('Count')", timeout=10_000)
    ((kind, told, _who),) = desk.asked
    assert (kind, told) == ("tell", {"fact": "play-began", "counted": True})


def test_a_touch_is_looked_at_again_frame_by_frame(open_page: Callable[..., Any], desk: Any) -> None:
    frames = tuple((at_us, jpeg(at_us)) for at_us in range(-100_000, 50_001, 16_667))
    desk.clip = lambda touch: frames if touch == TOUCH["key"] else ()
    page = open_page(*ROLLING)
    desk.change(lambda view: view.update(touches=[TOUCH], clips=[{"key": TOUCH["key"], "count": len(frames)}]))
    page.click(".touch.latest .clip > summary")
    page.wait_for_function("() => document.querySelector('.clip-frame').naturalWidth === 64")
    assert page.text_content(".clip-word") == "frame 7 of 9 · +0.0 ms"
    page.click("[aria-label='One frame back']")
    page.wait_for_function("() => document.querySelector('.clip-word').textContent.startsWith('frame 6 ')")
    page.fill(".clip-bar input", "8")
    assert page.text_content(".clip-word") == "frame 9 of 9 · +33.3 ms"
    now, touch = (page.get_attribute(f".clip .{name}", "x1") for name in ("now-line", "touch-line"))
    assert float(now) > float(touch)
    strip = page.request.get(page.url + page.get_attribute(".clip a", "href").lstrip("/"))
    assert (strip.status, strip.headers["content-type"]) == (200, "image/jpeg")


def jpeg(level: int) -> bytes:
    """A small picture of one colour."""
    return bytes(cv2.imencode(".jpg", np.full((36, 64, 3), abs(level) // 1000, np.uint8))[1])
