"""Ahuha Ahukaha's page in a real browser, over views that the rules made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from companion.adjudicator.ahuha.kit import AhuhaKit
from companion.games.start import builtin_start
from companion.rules.ahuha.facts import CardLaid, CardPlaced, CardRevealed, Dealt, EffectTold, Fact, Orientation, Told

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}
WIDE = {"width": 1280, "height": 800}
KIT = AhuhaKit()
SEATS = ("Aiko", "Ben", "Chidi")
SETUP = builtin_start("ahuha", SEATS, "Aiko", {}).setup
OPEN: tuple[Fact, ...] = (
    Dealt(),
    *(CardLaid(seat) for seat in SEATS),
    CardRevealed("Aiko", "antares"),
    CardRevealed("Ben", "pollux"),
    CardRevealed("Chidi", "arcturus"),
)
"""Pollux and Arcturus share colour and size, Antares shares nothing with either."""
TOLD = EffectTold(Told.NOTHING)
MET = (
    CardPlaced("Ben", "pollux", Orientation.UPRIGHT),
    CardPlaced("Chidi", "arcturus", Orientation.UPRIGHT),
)


@pytest.fixture
def open_page(open_game: Callable[..., Any]) -> Callable[..., Any]:
    return partial(open_game, KIT, SETUP)


def test_each_pairing_of_the_field_says_what_it_shares(open_page: Callable[..., Any]) -> None:
    page = open_page(*OPEN)
    faces = [face.text_content() for face in page.query_selector_all(".star-face .star-name")]
    assert sorted(faces) == ["Antares", "Arcturus", "Pollux"]
    top, *others = (edge.text_content() for edge in page.query_selector_all(".pairing"))
    assert "could meet" in top
    assert "Tachibana" in top
    assert "Large" in top
    assert others == ["nothing in common", "nothing in common"]
    assert len(page.query_selector_all(".frozen.there")) == 3


def test_a_home_shows_how_each_star_lies_and_whom_it_met(open_page: Callable[..., Any]) -> None:
    page = open_page(*OPEN, TOLD, *MET, TOLD, CardPlaced("Aiko", "antares", Orientation.HORIZONTAL))
    homes = page.query_selector_all(".star-home")
    lying = homes[0].query_selector(".home-card.horizontal .mini-star").bounding_box()
    assert lying["width"] > lying["height"]
    assert "with Arcturus" in homes[1].query_selector(".home-card.upright").text_content()
    assert [home.query_selector(".home-points").text_content() for home in homes] == ["0 points", "1 point", "1 point"]
    assert "Pollux & Arcturus met: Tachibana, Large" in page.text_content("#tricks")


def test_a_card_that_ought_to_have_met_is_marked(open_page: Callable[..., Any]) -> None:
    page = open_page(*OPEN, TOLD, CardPlaced("Ben", "pollux", Orientation.HORIZONTAL))
    assert page.query_selector(".home-card.wrong.horizontal") is not None
    assert "overlooked" in page.text_content(".pairing.overlooked")


def test_one_tap_tells_what_came_of_an_effect(open_page: Callable[..., Any], desk: Any) -> None:
    page = open_page(*OPEN)
    page.click(".tap:has-text('It meets Antares')")
    page.wait_for_function("() => document.querySelector('#say').textContent.includes('It meets Antares')")
    ((kind, told, who),) = desk.asked
    assert (kind, who) == ("tell", "page")
    assert KIT.book.facts.of_json(told) == EffectTold(Told.HOSIAHI, card="antares")


def test_raised_hands_open_the_form_that_asks_whose(open_page: Callable[..., Any], desk: Any) -> None:
    page = open_page(*OPEN)
    page.click(".tap:has-text('Hands were raised')")
    page.check("#tell input[name='seats'][value='Chidi']")
    page.select_option("#tell select[name='asked']", "kesiki:siro")
    page.click("#tell .send")
    page.wait_for_selector("#tell", state="hidden")
    told = {"fact": "effect-told", "outcome": "hands-raised", "seats": ["Chidi"], "asked": ["kesiki:siro"]}
    assert desk.asked == [("tell", told, "page")]
    assert KIT.book.facts.of_json(told) == EffectTold(Told.HANDS, ("Chidi",), asked=("kesiki:siro",))


@pytest.mark.parametrize("size", [PHONE, WIDE])
def test_nothing_is_wider_than_the_screen(open_page: Callable[..., Any], size: dict[str, int]) -> None:
    page = open_page(*OPEN, TOLD, *MET, size=size)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= size["width"]
