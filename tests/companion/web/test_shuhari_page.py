"""Shuhari's page in a real browser, over views that the rules made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from companion.adjudicator.shuhari.kit import ShuhariKit
from companion.games.start import builtin_start
from companion.rules.shuhari import RULES
from companion.rules.shuhari.facts import CardDrawn, CardPlayed, Fact, Play, StageShown

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}
WIDE = {"width": 1280, "height": 800}
KIT = ShuhariKit()
SETUP = builtin_start("shuhari", ("Aiko", "Ben", "Chidi"), "Aiko", {}).setup


def of(rank: int, **rings: str) -> str:
    """A card of a rank with these suits by ring."""
    place = {"obey": 0, "detach": 1, "separate": 2}
    return next(
        card
        for card, data in sorted(SETUP.cards.items())
        if data.rank == rank and all(data.suits[place[ring]] == suit for ring, suit in rings.items())
    )


LEAD, REST, BREAK = of(5, obey="koto"), of(3, obey="chado", detach="shodo"), of(9, detach="koto")
PLAYED: tuple[Fact, ...] = (
    CardPlayed("Aiko", LEAD),
    CardDrawn("Aiko"),
    CardPlayed("Ben", REST, Play.REST),
    CardDrawn("Ben"),
    CardPlayed("Chidi", BREAK, Play.BREAK),
    StageShown("detach"),  # type: ignore[arg-type]
)


@pytest.fixture
def open_page(open_game: Callable[..., Any]) -> Callable[..., Any]:
    return partial(open_game, KIT, SETUP)


def test_the_row_shows_its_stages_and_what_lies_sideways(open_page: Callable[..., Any]) -> None:
    page = open_page(*PLAYED)
    groups = page.query_selector_all(".stage-group")
    assert [group.query_selector(".stage-name").text_content() for group in groups] == ["Obey", "Detach"]
    obey, detach = ([card.text_content() for card in group.query_selector_all(".row-card")] for group in groups)
    assert ["Aikoled" in card or "Benrested" in card for card in obey] == [True, True]
    assert "Chidibroke the mold" in detach[0]
    sideways = page.query_selector_all(".row-card.sideways")
    assert [card.query_selector("svg").get_attribute("aria-label") for card in sideways] == [
        KIT.view(RULES.start(SETUP))["cards"][sorted(SETUP.cards).index(REST)]["label"]
    ]
    box = sideways[0].query_selector("svg").bounding_box()
    assert box["width"] > box["height"]
    assert len(page.query_selector_all(".vacant")) == 6


def test_the_chart_fills_with_what_a_trick_teaches(open_page: Callable[..., Any]) -> None:
    fill = tuple(
        fact
        for n, card in enumerate([c for c in SETUP.ids if "koto" not in c][:8])
        for seat in [SETUP.seats[(n + 1) % 3]]
        for fact in (CardPlayed(seat, card, Play.REST), CardDrawn(seat))
    )
    page = open_page(CardPlayed("Aiko", LEAD), CardDrawn("Aiko"), *fill)
    fresh = page.query_selector_all(".box.fresh")
    assert [box.text_content() for box in fresh] == ["Obey learned"]
    assert page.text_content(".mastery .sums td") == "1"
    assert "learned koto" in page.text_content("#headline")


def test_one_tap_tells_what_no_camera_sees(open_page: Callable[..., Any], desk: Any) -> None:
    page = open_page(CardPlayed("Aiko", LEAD))
    page.click(".tap")
    page.wait_for_function("() => document.querySelector('#say').textContent.includes('Aiko drew a card')")
    assert desk.asked == [("tell", {"fact": "card-drawn", "seat": "Aiko", "slot": None}, "page")]


def test_an_act_that_lacks_something_opens_the_form(open_page: Callable[..., Any], desk: Any) -> None:
    page = open_page()
    page.click(".tap")
    for card in ("preparation", "review"):
        page.check(f"#tell input[value='{card}']")
    page.click("#tell .send")
    page.wait_for_selector("#tell", state="hidden")
    assert desk.asked == [
        ("tell", {"fact": "hand-put-away", "seat": "Aiko", "cards": ["preparation", "review"]}, "page")
    ]


def test_a_card_can_be_told_by_hand(open_page: Callable[..., Any], desk: Any) -> None:
    page = open_page(*PLAYED, CardDrawn("Chidi"))
    page.click("#tell-open")
    page.check(f"#tell input[value='{of(2, obey='buyo')}']")
    page.check("#tell input[name='declared'][value='rest']")
    page.click("#tell .send")
    page.wait_for_selector("#tell", state="hidden")
    told = {"fact": "card-played", "seat": "Aiko", "card": of(2, obey="buyo"), "declared": "rest"}
    assert desk.asked == [("tell", told, "page")]


@pytest.mark.parametrize("size", [PHONE, WIDE])
def test_nothing_is_wider_than_the_screen(open_page: Callable[..., Any], size: dict[str, int]) -> None:
    page = open_page(*PLAYED, size=size)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= size["width"]
