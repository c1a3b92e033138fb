"""What the page's form can tell: every act of a game, and where a star lies."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from companion.adjudicator.games import GAMES, kit_of
from companion.rules.hoshizora.facts import BoardSet, Star, StarMoved
from tests.companion.web.conftest import STARS

Opener = Callable[..., Any]


@pytest.mark.parametrize("game", GAMES)
def test_every_act_of_a_game_can_be_told_and_so_corrected(game: str) -> None:
    script = (files("companion.web") / "static" / "js" / f"{game}.js").read_text("utf-8")
    offered = set(re.findall(r'\{ fact: "([a-z-]+)", label: ', script))
    assert offered == set(kit_of(game).book.facts.kinds)


def test_a_moved_star_is_told_with_its_square(open_page: Opener, desk: Any) -> None:
    page = open_page()
    page.click("#tell-open")
    page.check("input[name='fact'][value='star-moved']", force=True)
    assert page.is_disabled(".send")
    page.check("input[name='moved'][value='6']", force=True)
    page.fill("input[name='x-new']", "204.55")
    page.fill("input[name='y-new']", "199")
    page.click(".send")
    page.wait_for_selector("#tell", state="hidden")
    (_, act, _) = desk.asked[0]
    assert kit_of("hoshizora").book.facts.of_json(act) == StarMoved(Star(6, 204.6, 199, 5))


def test_no_star_is_told_off_the_board(open_page: Opener, desk: Any) -> None:
    page = open_page()
    page.click("#tell-open")
    page.check("input[name='fact'][value='star-moved']", force=True)
    page.check("input[name='moved'][value='6']", force=True)
    page.fill("input[name='x-new']", "301")
    page.fill("input[name='y-new']", "199")
    assert page.is_disabled(".send")
    page.fill("input[name='x-new']", "300")
    assert page.is_enabled(".send")


def test_placed_stars_start_from_those_on_the_map(open_page: Opener, desk: Any) -> None:
    page = open_page()
    page.click("#tell-open")
    page.check("input[name='fact'][value='board-set']", force=True)
    assert page.locator(".star-places input[type=number]").count() == 24
    page.fill("input[name='x-3']", "200")
    page.check("input[name='between-3']")
    page.fill("input[name='x-12']", "")
    page.click(".send")
    page.wait_for_selector("#tell", state="hidden")
    (_, act, _) = desk.asked[0]
    lying = {n: Star(n, x, y, square) for n, x, y, square in STARS if n != 12}
    lying[3] = Star(3, 200, 61, None)
    assert kit_of("hoshizora").book.facts.of_json(act) == BoardSet(tuple(lying.values()))
