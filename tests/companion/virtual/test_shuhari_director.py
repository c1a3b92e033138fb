"""Film and stills of Shuhari tell the script, between acts the table lies still, and what can't be seen is said in its turn."""

from __future__ import annotations

from itertools import pairwise

import pytest

from companion.adjudicator.shuhari.kit import ShuhariKit
from companion.errors import BadInputError
from companion.games.shuhari import BOOK
from companion.rules.shuhari import RULES, ShuhariState
from companion.rules.shuhari.facts import CardPlayed, DeckRenewed, Play, StageShown, TrickCleared
from companion.virtual.film import Shown, told_in_film, told_in_stills
from companion.virtual.table import VirtualTable
from hardware.virtual.placing import corners_mm, lying
from hardware.virtual.scene import CardOnTable, Scene

from .filmed import changes_by_hands_alone, shows_every_still_hands_off

SEEN = (CardPlayed, StageShown, TrickCleared, DeckRenewed)
GAMES = [
    VirtualTable(game="shuhari", seed=195, seats=("A", "B"), clumsiness=0.0),
    VirtualTable(game="shuhari", seed=109, clumsiness=1.0),
    VirtualTable(game="shuhari", seed=31, seats=("Ami", "Ben"), lead="Ben"),
]


def row_of(scene: Scene, table: VirtualTable) -> list[CardOnTable]:
    """The row's cards in the order of their places, stage cards aside."""
    layout = table.layout()
    found = []
    for name in ("row", "row-2"):
        zone = layout.zone(name)
        cards = [card for card in scene.cards if zone.contains(card.x_mm, card.y_mm)]
        found += sorted((c for c in cards if not c.art.startswith("stage")), key=lambda c: c.x_mm)
    return found


@pytest.mark.parametrize("table", GAMES)
def test_a_still_for_each_card_shows_the_row_as_it_was_played(table: VirtualTable) -> None:
    script = table.script()
    stills = [still for still in table.director(script).stills() if "-card" in still.name]
    state, number = RULES.start(script.setup), 0
    for fact in script.facts:
        state = RULES.apply(state, fact)
        if isinstance(fact, CardPlayed):
            row = row_of(stills[number].scene, table)
            assert [card.art for card in row] == [card.card for card in state.trick.cards]
            sideways = [60 < card.angle_deg % 180 < 120 for card in row]
            assert sideways == [card.play is Play.REST for card in state.trick.cards]
            number += 1
    assert number == len(stills)


@pytest.mark.parametrize("table", GAMES)
def test_a_stage_card_lies_half_over_the_card_that_opened_its_stage(table: VirtualTable) -> None:
    script = table.script()
    for still in table.director(script).stills():
        row = row_of(still.scene, table)
        for stage in (card for card in still.scene.cards if card.art.startswith("stage")):
            under = [card for card in row if abs(card.x_mm - stage.x_mm) < 12 and 40 < stage.y_mm - card.y_mm < 60]
            assert len(under) == (0 if table.layout().zone("stages").contains(stage.x_mm, stage.y_mm) else 1)


@pytest.mark.parametrize("table", GAMES[:2])
def test_every_still_is_shown_in_the_film_hands_off_and_long_enough_to_settle(table: VirtualTable) -> None:
    shows_every_still_hands_off(table)


@pytest.mark.parametrize("table", GAMES)
def test_nothing_changes_on_the_table_without_a_hand(table: VirtualTable) -> None:
    changes_by_hands_alone(table)


@pytest.mark.parametrize("table", GAMES)
def test_what_can_not_be_seen_is_said_once_and_in_order(table: VirtualTable) -> None:
    script, director = table.script(), table.director()
    unseen = [BOOK.facts.to_json(fact) for fact in script.facts if not isinstance(fact, SEEN)]
    assert [told.said.act for told in told_in_film(director.film())] == unseen
    assert [told.said.act for told in told_in_stills(director.stills())] == unseen
    assert table.told() == told_in_film(director.film())


@pytest.mark.parametrize("table", GAMES)
def test_whatever_is_said_when_offered_is_offered_by_then(table: VirtualTable) -> None:
    script, kit = table.script(), ShuhariKit()
    state: ShuhariState = RULES.start(script.setup)
    for fact in script.facts:
        if not isinstance(fact, SEEN):
            assert any(tap.offers(BOOK.facts.to_json(fact)) for tap in kit.taps(state))
        state = RULES.apply(state, fact)


def test_cards_lie_whole_in_their_places_however_clumsy() -> None:
    table = GAMES[1]
    zones = [zone for name, zone in table.layout().zones.items() if name != "stages"]
    for still in table.director().stills():
        for card in still.scene.cards:
            if card.art.startswith("stage"):
                continue
            (zone,) = [zone for zone in zones if zone.contains(card.x_mm, card.y_mm)]
            for x, y in corners_mm(lying(card, (63.0, 88.0))):
                assert -0.2 <= x - zone.x_mm <= zone.width_mm + 0.2
                assert -0.2 <= y - zone.y_mm <= zone.height_mm + 0.2


def test_no_two_cards_of_the_row_touch() -> None:
    for still in GAMES[1].director().stills():
        for one, other in pairwise(row_of(still.scene, GAMES[1])):
            (ax, ay), (bx, by) = (corners_mm(lying(card, (63.0, 88.0))).T for card in (one, other))
            assert max(ax) <= min(bx) + 0.2 or max(ay) <= min(by) + 0.2


def test_the_same_seed_films_the_same_game() -> None:
    def film(seed: int) -> list[Shown]:
        return list(VirtualTable(game="shuhari", seed=seed, seats=("A", "B")).director().film())

    assert film(195) == film(195)
    assert film(195) != film(249)


def test_a_revoke_that_is_wished_for_comes_to_light() -> None:
    table = VirtualTable(game="shuhari", seed=1, seats=("A", "B"), revoke=True)
    truth = table.truth()
    assert len(truth["false_rests"]) == 1
    assert "proved" in {finding["level"] for finding in truth["findings"]}


def test_a_short_game_is_much_shorter_than_the_seeds_own() -> None:
    usual, short = (
        VirtualTable(game="shuhari", seed=13, seats=("A", "B"), short=wish).script() for wish in (False, True)
    )
    assert len(short.facts) < len(usual.facts) / 2


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (VirtualTable(game="shuhari", variant=True), "no variant"),
        (VirtualTable(game="shuhari", seats=("A",)), "two or three"),
        (VirtualTable(game="shuhari", lead="D"), "D is none"),
    ],
)
def test_a_table_that_cannot_be_set_says_why(table: VirtualTable, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        table.script()
