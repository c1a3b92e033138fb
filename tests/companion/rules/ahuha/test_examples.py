"""Examples of Game Progression, as the rulebook tells them."""

from __future__ import annotations

from companion.rules.ahuha import RULES
from companion.rules.ahuha.counted import winners_of
from companion.rules.ahuha.facts import AsitaShown, FrozenPlaced, FrozenTaken, Side, Told, YonoTigiriShown


def round_two(table):
    game = table()
    game.skip_to(2)
    assert game.show("rigel", "betelgeuse", "deneb") == []
    return game


def test_example_1_1_deneb_asks_finds_no_partner_and_lies_horizontally(table) -> None:
    game = round_two(table)
    assert game.state.active == "C"
    assert game.told(Told.HANDS, "A", "B") == []
    assert game.home("C-deneb") == []
    assert game.state.scores["C"] == 0
    assert game.state.active == "A"


def test_example_1_2_rigel_passes_the_frozen_cards_and_meets_betelgeuse(table) -> None:
    game = round_two(table)
    game.told(Told.HANDS, "A", "B")
    game.home("C-deneb")
    assert game.state.round.passed == 1
    assert game.tell(*(FrozenTaken(seat, Side.RIGHT) for seat in "ABC")) == []
    assert game.tell(*(FrozenPlaced(seat, Side.LEFT) for seat in "ABC")) == []
    assert game.home("A|rigel", "B|betelgeuse") == []
    assert game.state.scores == {"A": 1, "B": 1, "C": 0}
    assert game.state.round.number == 3


def tanabata(table):
    game = table()
    game.play("canopus", "procyon", "mimosa")
    game.skip_to(7)
    assert game.tell(*(FrozenTaken(seat, Side.RIGHT) for seat in "ABC")) == []
    assert game.show("hadar", "rigil-kentaurus", "antares") == []
    return game


def test_example_2_1_the_frozen_cards_are_the_field(table) -> None:
    game = tanabata(table)
    assert game.state.round.cards == ("hadar", "rigil-kentaurus", "antares")
    assert game.state.active == "A"
    assert game.state.knowledge.frozen == ("rigil-kentaurus", "antares", "hadar")  # on each seat's left


def test_example_2_2_hadar_then_rigil_kentaurus_then_antares(table) -> None:
    game = tanabata(table)
    assert game.home("A|hadar", "C|mimosa") == []
    assert game.state.active == "B"
    assert game.home("B!rigil-kentaurus") == []
    assert game.state.active == "C"
    assert RULES.expects(game.state)[0].options == ("horizontal",)
    assert game.home("C-antares") == []
    assert game.tell(AsitaShown("A"), AsitaShown("C")) == []
    assert game.state.scores == {"A": 2, "B": 2, "C": 2}
    assert game.state.earned == 0b101


def test_example_2_2_the_highest_score_turns_yono_tigiri_up(table) -> None:
    game = tanabata(table)
    game.home("A|hadar", "C|mimosa", "B!rigil-kentaurus", "C-antares")
    homes = game.state.homes
    more = [(4, "a"), (2, "b"), (6, "c")]
    filled = tuple(
        home + tuple(home[0]._replace(card=f"{name}{n}", orientation=homes[0][-1].orientation) for n in range(count))
        for home, (count, name) in zip(homes, more, strict=True)
    )
    game.state = game.state._replace(homes=filled)
    assert game.state.scores == {"A": 6, "B": 4, "C": 8}
    assert winners_of(game.state) == (("C",), "highest score")
    assert game.tell(YonoTigiriShown("C")) == []
    game.end()
    assert game.state.wins == (0, 0, 1)
