"""Film and stills of Ahuha Ahukaha tell the script, hands move what moves, and what can't be seen is said in its turn."""

from __future__ import annotations

import pytest

from calibration.zones import Zone
from companion.adjudicator.ahuha.kit import AhuhaKit
from companion.errors import BadInputError
from companion.games.ahuha import BOOK
from companion.rules.ahuha import RULES
from companion.rules.ahuha.facts import CardRevealed, EffectTold, Orientation, SeatsSwapped
from companion.virtual.ahuha_stage import home_places
from companion.virtual.film import told_in_film, told_in_stills
from companion.virtual.table import VirtualTable
from hardware.virtual.placing import corners_mm, lying
from hardware.virtual.scene import CardOnTable, Scene

from .filmed import changes_by_hands_alone, shows_every_still_hands_off

SIZE = (63.0, 88.0)
DIRECTIONS = (0.0, 90.0, 270.0)
TURNS = {Orientation.UPRIGHT: 0.0, Orientation.HORIZONTAL: 90.0, Orientation.INVERTED: 180.0}
GAMES = [
    VirtualTable(game="ahuha", seed=1, clumsiness=0.0, variant=True),
    VirtualTable(game="ahuha", seed=2, clumsiness=1.0),
    VirtualTable(game="ahuha", seed=3, seats=("Ami", "Ben", "Cho"), variant=True),
]


def cards_in(scene: Scene, table: VirtualTable, zone: str) -> list[CardOnTable]:
    place = table.layout().zone(zone)
    return [card for card in scene.cards if place.contains(card.x_mm, card.y_mm)]


@pytest.mark.parametrize("table", GAMES)
def test_stills_show_field_and_homes_as_the_script_says(table: VirtualTable) -> None:
    script = table.script()
    opened = [still for still in table.director(script).stills() if still.name.endswith("-open")]
    revealed = [fact for fact in script.facts if isinstance(fact, CardRevealed)]
    for number, still in enumerate(opened):
        cards = {fact.card for fact in revealed[3 * number : 3 * number + 3]}
        lying_open = {card.art for letter in "ABC" for card in cards_in(still.scene, table, f"field.{letter}")}
        assert lying_open == cards
    assert 3 * len(opened) == len(revealed)
    last = [still for still in table.director(script).stills() if "gathered" not in still.name][-1]
    done = script.final.done[-1]
    for letter, seat, direction in zip("ABC", done.seats, DIRECTIONS, strict=True):
        home = {card.art: card for card in cards_in(last.scene, table, f"home.{letter}") if card.art != "asita"}
        assert set(home) == {placed.card for placed in done.homes[seat]}
        for placed in done.homes[seat]:
            off = (home[placed.card].angle_deg - direction - TURNS[placed.orientation] + 180) % 360 - 180
            assert abs(off) < 10


@pytest.mark.parametrize("table", GAMES[:2])
def test_every_still_is_shown_in_the_film_hands_off_and_long_enough_to_settle(table: VirtualTable) -> None:
    shows_every_still_hands_off(table)


@pytest.mark.parametrize("table", GAMES)
def test_nothing_changes_on_the_table_without_a_hand(table: VirtualTable) -> None:
    changes_by_hands_alone(table)


@pytest.mark.parametrize("table", GAMES)
def test_what_can_not_be_seen_is_said_once_in_order_and_when_it_is_offered(table: VirtualTable) -> None:
    script, director, kit = table.script(), table.director(), AhuhaKit()
    told = told_in_film(director.film())
    hidden = [fact for fact in script.facts if isinstance(fact, EffectTold | SeatsSwapped)]
    said = [BOOK.facts.of_json(one.said.act) for one in told]
    assert [fact for fact in said if isinstance(fact, EffectTold | SeatsSwapped)] == hidden
    assert [one.said.act for one in told_in_stills(director.stills())] == [one.said.act for one in told]
    state = RULES.start(script.setup)
    waiting = list(told)
    for fact in script.facts:
        act = BOOK.facts.to_json(fact)
        if waiting and waiting[0].said.act == act:
            one = waiting.pop(0)
            assert any(tap.offers(act) for tap in kit.taps(state)) is one.said.when_offered
        state = RULES.apply(state, fact)
    assert not waiting


def test_cards_lie_whole_in_their_zones_however_clumsy() -> None:
    """A card of a Home may lie a little over the next place's edge, never over another zone's card."""
    table = GAMES[1]
    for still in table.director().stills():
        outlines = [corners_mm(lying(card, SIZE)).T for card in still.scene.cards]
        for (ax, ay), (bx, by) in ((one, other) for n, one in enumerate(outlines) for other in outlines[:n]):
            assert max(ax) <= min(bx) + 4 or max(bx) <= min(ax) + 4 or max(ay) <= min(by) + 4 or max(by) <= min(ay) + 4


@pytest.mark.parametrize(
    ("direction", "first", "last"),
    [
        (0.0, (0, 0), (300, 100)),
        (90.0, (100, 0), (0, 300)),
        (180.0, (300, 100), (0, 0)),
        (270.0, (0, 300), (100, 0)),
    ],
)
def test_a_home_is_filled_from_its_players_left_the_far_row_first(
    direction: float, first: tuple[int, int], last: tuple[int, int]
) -> None:
    zone = Zone(0, 0, 200, 400) if direction % 180 else Zone(0, 0, 400, 200)
    places = home_places(zone, direction)
    assert len(places) == 8
    assert [(place.x_mm, place.y_mm) for place in (places[0], places[-1])] == [first, last]


def test_a_false_answer_that_is_wished_for_comes_to_light() -> None:
    truth = VirtualTable(game="ahuha", seed=1, revoke=True).truth()
    assert [breach["kind"] for breach in truth["breaches"]] == ["false_answer"]
    assert "proved" in {finding["level"] for finding in truth["findings"]}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (VirtualTable(game="ahuha", seats=("A", "B")), "three players"),
        (VirtualTable(game="ahuha", lead="D"), "D is none"),
    ],
)
def test_a_table_that_cannot_be_set_says_why(table: VirtualTable, words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        table.script()
