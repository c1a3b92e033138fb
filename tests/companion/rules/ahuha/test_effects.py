"""Section 7, Effect Phase: the effects that the rulebook describes, and those that people tell."""

from __future__ import annotations

import pytest

from companion.rules.ahuha import RULES, Effect, EffectKind, Phase
from companion.rules.ahuha.facts import FrozenPlaced, FrozenTaken, Orientation, Side, Told
from companion.rules.core import Level


def test_amanokaharawo_asks_for_altair_or_vega_under_a_condition(table) -> None:
    game = table()
    game.show("deneb", "canopus", "procyon")
    (asked,) = RULES.expects(game.state)
    assert (asked.who, asked.act, asked.options) == (None, "raise hands", ("Vega", "Altair"))
    assert "if you hold" in asked.text


def test_raised_hands_that_were_not_told_are_worth_a_note(table) -> None:
    game = table()
    game.show("deneb", "canopus", "procyon")
    assert [x.level for x in game.told(Told.NOTHING)] == [Level.NOTE]
    assert game.state.knowledge.answers == ()


def test_madu_kohorikeru_passes_by_itself(table) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    assert game.state.phase is Phase.HOSIAHI
    assert game.state.round.passed == 1
    assert "on your right into your hand" in RULES.expects(game.state)[0].text
    takes = [FrozenTaken(seat, Side.RIGHT) for seat in "ABC"]
    assert game.tell(*takes, *(FrozenPlaced(seat, Side.LEFT) for seat in "ABC")) == []


@pytest.mark.parametrize(
    ("fact", "word"),
    [(FrozenTaken("A", Side.LEFT), "take from the right"), (FrozenPlaced("A", Side.RIGHT), "place on the left")],
)
def test_madu_kohorikeru_on_the_wrong_side_is_illegal(table, fact, word) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    (found,) = game.tell(fact)
    assert (found.level, found.player) == (Level.ILLEGAL, "A")
    assert word in found.text


def test_madu_kohorikeru_is_done_once_and_all_take_before_any_places(table) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    game.tell(FrozenTaken("A", Side.RIGHT))
    assert [x.level for x in game.tell(FrozenTaken("A", Side.RIGHT))] == [Level.ILLEGAL]
    assert [x.level for x in game.tell(FrozenPlaced("A", Side.LEFT))] == [Level.NOTE]
    game.tell(FrozenTaken("B", Side.RIGHT), FrozenTaken("C", Side.RIGHT))
    (found,) = game.tell(FrozenPlaced("A", Side.LEFT))
    assert (found.level, found.text) == (Level.ILLEGAL, "A placed a second frozen card.")
    assert game.tell(FrozenPlaced("B", Side.LEFT)) == []


def test_yukimeguritemo_meets_mimosa_that_lies_horizontally(table) -> None:
    game = table()
    game.play("canopus", "mimosa", "procyon")
    game.show("hadar", "antares", "rigel")
    game.home("C-rigel")
    assert game.state.round.due.turned == (1, "mimosa")
    assert "turn Mimosa upright" in RULES.expects(game.state)[1].text
    assert game.home("A|hadar", "B|mimosa") == []
    assert game.state.scores == {"A": 1, "B": 1, "C": 0}
    assert game.state.active == "B"


def test_yukimeguritemo_mimosa_may_be_turned_first(table) -> None:
    game = table()
    game.play("canopus", "mimosa", "procyon")
    game.show("hadar", "antares", "rigel")
    assert game.home("C-rigel", "B|mimosa", "A|hadar") == []
    assert game.state.round.hosiahi == (("mimosa", "hadar"),)


def test_yukimeguritemo_turns_no_other_star(table) -> None:
    game = table()
    game.play("canopus", "mimosa", "procyon")
    game.show("hadar", "antares", "rigel")
    game.home("C-rigel")
    (found,) = game.home("A|canopus")
    assert (found.level, found.player, found.rule[:3]) == (Level.ILLEGAL, "A", "6b.")
    assert game.state.round.hosiahi == ()
    assert game.home("B|mimosa", "A|hadar") == []
    assert game.state.round.hosiahi == (("mimosa", "hadar"),)


def test_yukimeguritemo_left_undone_is_illegal(table) -> None:
    game = table()
    game.play("canopus", "mimosa", "procyon")
    game.show("hadar", "antares", "rigel")
    game.home("C-rigel")
    (found,) = game.home("A-hadar")
    assert found.rule == "7.3-A Effect Phase: a Hosiahi by an effect"
    assert game.state.round.overlooked == (("mimosa", "hadar"),)


def test_yukimeguritemo_finds_nothing_where_mimosa_stands(table) -> None:
    game = table()
    game.play("acrux", "mimosa", "procyon")
    assert game.state.scores["B"] == 1
    game.show("hadar", "antares", "rigel")
    game.home("C-rigel")
    assert game.home("A-hadar") == []


def test_omohi_hanarenu_after_a_hosiahi_goes_home_upside_down(table) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "rigil-kentaurus")
    game.home("A|rigel", "B|betelgeuse")
    assert RULES.expects(game.state)[0].options == ("inverted",)
    assert game.home("C!rigil-kentaurus") == []
    assert game.state.scores == {"A": 1, "B": 1, "C": 2}


def test_omohi_hanarenu_is_no_hosiahi_itself(table) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "rigil-kentaurus")
    game.home("A|rigel", "B|betelgeuse", "C!rigil-kentaurus")
    assert game.state.rounds[0].hosiahi == (("rigel", "betelgeuse"),)


def test_omohi_hanarenu_can_be_set_to_be_a_hosiahi(table) -> None:
    game = table(inverted_is_hosiahi=True)
    game.show("rigel", "betelgeuse", "rigil-kentaurus")
    game.home("A|rigel", "B|betelgeuse", "C!rigil-kentaurus")
    assert len(game.state.rounds[0].hosiahi) == 2


def test_omohi_hanarenu_without_a_hosiahi_before_is_a_plain_card(table) -> None:
    game = table()
    game.show("rigel", "canopus", "rigil-kentaurus")
    game.home("A-rigel")
    game.told()
    game.home("B-canopus")
    (found,) = game.home("C!rigil-kentaurus")
    assert (found.level, found.player) == (Level.ILLEGAL, "C")


def test_omohi_hanarenu_counts_only_hosiahi_that_took_place(table) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "rigil-kentaurus")
    game.home("A-rigel")  # overlooked
    game.told()
    game.home("B-betelgeuse")
    assert game.state.round.due.orientation is Orientation.HORIZONTAL


def test_home_by_effect_ends_the_turn_unless_set_otherwise(table) -> None:
    effects = {"vega": Effect(EffectKind.INVERT_AFTER_HOSIAHI)}
    for ends in (True, False):
        game = table(effects={**effects, "sirius": Effect(EffectKind.NONE)}, home_ends_turn=ends)
        game.show("vega", "altair", "procyon")
        game.state = game.state._replace(round=game.state.round._replace(hosiahi=(("rigel", "betelgeuse"),)))
        game.told()
        game.home("C-procyon")
        assert (game.state.round.due.partner is None) is ends


def test_kokoromote_is_told_while_there_are_hands(table) -> None:
    game = table()
    game.show("antares", "canopus", "procyon")
    game.told()
    game.home("B-canopus")
    game.told()
    game.home("C-procyon")
    assert game.state.phase is Phase.EFFECT


def test_told_hosiahi_with_a_card_of_the_field(table) -> None:
    game = table()
    game.show("canopus", "antares", "procyon")
    assert game.told(Told.HOSIAHI, card="antares") == []
    assert game.home("A|canopus", "B|antares") == []
    assert game.state.round.hosiahi == (("canopus", "antares"),)


def test_told_hosiahi_with_a_card_in_a_home(table) -> None:
    game = table()
    game.play("rigel", "canopus", "procyon")
    game.show("fomalhaut", "antares", "regulus")
    assert game.told(Told.HOSIAHI, card="canopus") == []
    assert game.home("A|fomalhaut", "B|canopus") == []
    assert game.state.scores == {"A": 1, "B": 1, "C": 0}


@pytest.mark.parametrize("card", ["deneb", None, "fomalhaut"])
def test_told_hosiahi_with_a_card_that_is_not_there_is_a_note_and_blocks_nothing(table, card) -> None:
    game = table()
    game.show("fomalhaut", "antares", "regulus")
    assert [x.level for x in game.told(Told.HOSIAHI, card=card)] == [Level.NOTE]
    assert game.home("A|fomalhaut") == []
    assert game.state.active == "C"


def test_told_upside_down(table) -> None:
    game = table()
    game.show("canopus", "antares", "procyon")
    assert game.told(Told.INVERTED) == []
    (found,) = game.home("A|canopus")
    assert found.rule == "7.3-A Effect Phase: upside down for two points"
    assert game.home("A!canopus") == []
    assert game.state.scores["A"] == 2


def test_told_upside_down_of_a_card_without_the_icon_is_a_note(table) -> None:
    game = table()
    game.show("procyon", "antares", "canopus")
    game.told()
    game.home("C-canopus")
    assert [x.level for x in game.told(Told.INVERTED)] == [Level.NOTE]


def test_told_pass_moves_the_frozen_cards(table) -> None:
    game = table()
    game.show("fomalhaut", "antares", "regulus")
    game.told(Told.PASSED)
    assert game.state.round.passed == 1
    assert game.tell(FrozenTaken("A", Side.RIGHT)) == []


def test_told_nothing_goes_on_to_the_hosiahi_phase(table) -> None:
    game = table()
    game.show("fomalhaut", "vega", "regulus")
    game.told()
    assert game.state.round.due.partner == 1


def test_told_something_else_accuses_nobody(table) -> None:
    game = table()
    game.show("fomalhaut", "vega", "regulus")
    game.told(Told.OTHER)
    assert game.home("C|regulus", "A!fomalhaut", "B-vega") == []
    assert game.state.round.number == 2
    assert game.state.scores == {"A": 2, "B": 0, "C": 1}


def test_an_effect_that_is_known_needs_no_telling(table) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "procyon")
    before = game.state
    assert [x.level for x in game.told(Told.PASSED)] == [Level.NOTE]
    assert game.state == before


def test_an_effect_saved_with_the_deck_is_automatic(table) -> None:
    game = table(effects={"canopus": Effect(EffectKind.MEET_FIELD, of=("arika:july",))})
    game.show("canopus", "antares", "vega")
    assert game.state.phase is Phase.HOSIAHI
    assert game.state.round.due.partner == 1
    assert game.home("A|canopus", "B|antares") == []


def test_a_card_without_effect_goes_straight_to_the_hosiahi_phase(table) -> None:
    game = table(effects={"canopus": Effect(EffectKind.NONE)})
    game.show("canopus", "antares", "vega")
    assert game.state.phase is Phase.HOSIAHI
