"""Section 7: playing, order of turns, effect phase, Hosiahi phase, next turn."""

from __future__ import annotations

import pytest

from companion.rules.ahuha import RULES, Effect, EffectKind, Phase
from companion.rules.ahuha.facts import (
    CardLaid,
    CardPlaced,
    CardRevealed,
    FrozenTaken,
    Orientation,
    RoundEnded,
    Side,
    Told,
)
from companion.rules.core import Level


def rules_of(found) -> list[tuple[Level, str]]:
    return [(x.level, x.rule.split(":")[0]) for x in found]


def test_7_1_everyone_lays_one_card_then_all_are_revealed(table) -> None:
    game = table()
    assert [x.who for x in RULES.expects(game.state)] == ["A", "B", "C"]
    assert game.tell(CardLaid("B"), CardLaid("A")) == []
    assert [x.who for x in RULES.expects(game.state)] == ["C"]
    game.tell(CardLaid("C"))
    assert game.state.phase is Phase.REVEAL
    assert [x.act for x in RULES.expects(game.state)] == ["reveal"]


def test_7_1_a_second_card_is_illegal(table) -> None:
    game = table()
    game.tell(CardLaid("A"))
    assert rules_of(game.tell(CardLaid("A"))) == [(Level.ILLEGAL, "7.1 Playing Star Cards")]
    game.tell(CardRevealed("A", "deneb"))
    assert rules_of(game.tell(CardRevealed("A", "rigel"))) == [(Level.ILLEGAL, "7.1 Playing Star Cards")]
    assert game.tell(CardRevealed("A", "deneb")) == []
    seen_open = table()
    seen_open.tell(CardRevealed("A", "deneb"))
    assert rules_of(seen_open.tell(CardLaid("A"))) == [(Level.ILLEGAL, "7.1 Playing Star Cards")]


def test_7_1_a_card_turned_up_before_all_lie_is_illegal(table) -> None:
    game = table()
    game.tell(CardLaid("A"), CardLaid("B"))
    (found,) = game.tell(CardRevealed("A", "canopus"))
    assert (found.level, found.player) == (Level.ILLEGAL, "A")
    assert found.rule == "7.1 Playing Star Cards: reveal all cards together"


def test_7_1_cards_seen_open_without_having_been_seen_face_down_are_fine(table) -> None:
    game = table()
    assert game.tell(CardRevealed("A", "canopus"), CardRevealed("B", "procyon"), CardRevealed("C", "deneb")) == []
    assert game.state.active == "C"


@pytest.mark.parametrize(
    ("cards", "first"),
    [
        (("deneb", "canopus", "procyon"), "A"),
        (("canopus", "deneb", "procyon"), "B"),
        (("procyon", "canopus", "deneb"), "C"),
    ],
)
def test_7_2_the_lowest_number_has_the_first_turn(table, cards, first) -> None:
    game = table()
    game.show(*cards)
    assert game.state.active == first


def test_7_2_a_card_laid_home_before_its_turn_is_illegal(table) -> None:
    game = table()
    game.show("canopus", "rigel", "procyon")
    (found,) = game.home("A-canopus")
    assert (found.level, found.player, found.rule) == (
        Level.ILLEGAL,
        "A",
        "7.2 Determining Turn Order: the lowest number first",
    )


def test_7_3a_an_effect_comes_before_the_hosiahi_phase(table) -> None:
    game = table()
    game.show("deneb", "vega", "procyon")
    assert game.state.phase is Phase.EFFECT
    game.told(Told.HANDS)
    assert game.state.phase is Phase.HOSIAHI
    assert game.state.round.due.partner == 1


def test_7_3a_an_effect_that_nobody_told_is_worth_a_note_and_no_accusation(table) -> None:
    game = table()
    game.show("fomalhaut", "canopus", "procyon")
    (note,) = game.home("A|fomalhaut")
    assert (note.level, note.rule) == (Level.NOTE, "7.3-A Effect Phase: effects are mandatory")


def test_7_3a_answers_that_nobody_told_leave_the_hosiahi_phase_judged(table) -> None:
    game = table()
    game.show("deneb", "canopus", "procyon")
    found = game.home("A|deneb")
    assert [x.level for x in found] == [Level.ILLEGAL, Level.NOTE]
    assert found[0].rule.startswith("7.3-B")


def test_7_3a_a_hosiahi_by_an_effect_ends_the_turn_without_a_hosiahi_phase(table) -> None:
    """Rigel meets a star in a Home by this deck's effect; Betelgeuse, its partner by the attributes, keeps its own turn."""
    game = table(effects={"rigel": Effect(EffectKind.MEET_HOME, of=("deneb",)), "procyon": Effect(EffectKind.NONE)})
    game.show("deneb", "canopus", "procyon")
    game.told(Told.HANDS)
    game.finish()
    game.show("rigel", "betelgeuse", "fomalhaut")
    game.told()
    game.home("C-fomalhaut")
    assert game.home("A|rigel", "A|deneb") == []
    assert game.state.active == "B"
    game.told()
    assert game.home("B-betelgeuse") == []
    assert game.state.scores == {"A": 2, "B": 0, "C": 0}


@pytest.mark.parametrize(
    ("cards", "turns"), [(("rigel", "betelgeuse", "procyon"), "AC"), (("rigel", "canopus", "procyon"), "ABC")]
)
def test_5_a_round_has_two_turns_or_three(table, cards, turns) -> None:
    game = table()
    game.show(*cards)
    had = ""
    while game.state.round.number == 1:
        had += game.state.active
        while game.state.round.waits:
            game.told()
        place, due = game.state.round.active, game.state.round.due
        game.home(f"{had[-1]}{'-' if due.partner is None else '|'}{cards[place]}")
        if due.partner is not None:
            game.home(f"{game.state.seats[due.partner]}|{cards[due.partner]}")
    assert had == turns


def test_7_3b_both_cards_of_a_pair_go_home_upright_for_a_point_each(table) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "procyon")
    assert game.home("A|rigel", "B|betelgeuse") == []
    assert game.state.scores == {"A": 1, "B": 1, "C": 0}
    assert game.state.active == "C"
    assert game.state.round.hosiahi == (("rigel", "betelgeuse"),)


def test_7_3b_the_partner_may_be_laid_first(table) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "procyon")
    assert game.home("B|betelgeuse", "A|rigel") == []
    assert game.state.active == "C"
    assert game.state.round.hosiahi == (("rigel", "betelgeuse"),)


def test_7_3b_of_two_partners_the_lowest_numbered_is_met(table) -> None:
    game = table()
    game.show("vega", "deneb", "altair")
    game.told(Told.HANDS)
    assert game.state.round.due.partner == 0
    assert game.home("B|deneb", "A|vega") == []
    assert game.state.active == "C"
    assert game.finish() == []
    assert game.state.scores == {"A": 1, "B": 1, "C": 0}


def test_7_3b_a_partner_other_than_the_lowest_is_not_its_turn(table) -> None:
    game = table()
    game.show("vega", "deneb", "altair")
    game.told(Told.HANDS)
    (found,) = game.home("C|altair")
    assert (found.level, found.player) == (Level.ILLEGAL, "C")


def test_7_3b_a_hosiahi_is_not_optional(table) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "procyon")
    (found,) = game.home("A-rigel")
    assert (found.level, found.player, found.trick) == (Level.ILLEGAL, "A", 1)
    assert found.rule == "7.3-B Hosiahi Phase: a Hosiahi is not optional"
    assert "arika and sugata" in found.text
    assert game.state.round.overlooked == (("rigel", "betelgeuse"),)
    assert game.state.active == "B"


def test_7_3b_without_a_hosiahi_the_card_lies_horizontally(table) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    assert game.home("A-rigel") == []
    assert game.state.scores["A"] == 0


@pytest.mark.parametrize("way", ["|", "!"])
def test_7_3b_points_without_a_hosiahi_are_illegal(table, way) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    (found,) = game.home(f"A{way}rigel")
    assert (found.level, found.rule[:5], found.player) == (Level.ILLEGAL, "7.3-B", "A")
    assert game.state.round.hosiahi == ()


@pytest.mark.parametrize("placing", ["A!rigel", "B!betelgeuse", "B-betelgeuse"])
def test_7_3b_a_pair_that_does_not_stand_upright_is_illegal(table, placing) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "procyon")
    (found,) = game.home(placing)
    assert (found.level, found.player, found.rule[:5]) == (Level.ILLEGAL, placing[0], "7.3-B")


def test_a_wrong_placing_can_be_put_right(table) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    game.home("A|rigel")
    assert game.home("A-rigel") == []
    assert game.state.scores["A"] == 0


def test_a_card_in_a_home_may_not_be_turned_for_no_reason(table) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    game.home("A-rigel")
    game.told()
    (found,) = game.home("A|rigel")
    assert (found.level, found.rule[:3]) == (Level.ILLEGAL, "6b.")
    assert game.home("A|rigel") == []


def test_a_card_turned_while_an_effect_is_open_is_a_note(table) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    game.home("A-rigel")
    assert [x.level for x in game.home("A|rigel")] == [Level.NOTE]


def test_6b_a_card_goes_to_ones_own_home(table) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    (found,) = game.home("B-rigel")
    assert (found.level, found.player) == (Level.ILLEGAL, "A")
    assert "B's Home" in found.text


def test_7_4_the_lowest_number_left_has_the_next_turn_and_met_cards_have_none(table) -> None:
    game = table()
    game.show("procyon", "rigel", "betelgeuse")
    game.home("B|rigel", "C|betelgeuse")
    assert game.state.active == "A"


def test_7_4_haste_while_a_pair_is_being_laid_is_a_note(table) -> None:
    game = table()
    game.show("rigel", "betelgeuse", "procyon")
    game.home("A|rigel")
    (note,) = game.home("C-procyon")
    assert (note.level, note.rule[:3]) == (Level.NOTE, "7.4")
    game.home("B|betelgeuse")
    assert game.state.round.number == 2


def test_7_4_an_empty_field_ends_the_round(table) -> None:
    game = table()
    game.play("rigel", "canopus", "procyon")
    assert (game.state.round.number, game.state.phase) == (2, Phase.LAY)
    assert game.state.rounds[0].cards == {"A": "rigel", "B": "canopus", "C": "procyon"}


def test_7_4_a_card_laid_for_the_next_round_too_early_is_a_note(table) -> None:
    game = table()
    game.show("rigel", "canopus", "procyon")
    (note,) = game.tell(CardLaid("A"))
    assert note.level is Level.NOTE
    game.finish()
    assert game.state.round.laid == 1


def test_a_round_of_which_a_card_was_not_seen_ends_when_told(table) -> None:
    game = table()
    game.tell(CardLaid("A"), CardLaid("B"), CardLaid("C"), CardRevealed("A", "rigel"), CardRevealed("B", "deneb"))
    found = game.tell(RoundEnded())
    assert [x.level for x in found] == [Level.NOTE, Level.NOTE]
    assert game.state.round.number == 2
    assert game.tell(RoundEnded()) == []


def test_a_card_first_seen_in_a_home_is_the_rounds_missing_one(table) -> None:
    game = table()
    game.tell(CardLaid("A"), CardLaid("B"), CardLaid("C"), CardRevealed("A", "rigel"), CardRevealed("B", "deneb"))
    (note,) = game.tell(CardPlaced("C", "procyon", Orientation.HORIZONTAL))
    assert note.level is Level.NOTE
    assert game.state.round.cards == ("rigel", "deneb", "procyon")


def test_a_card_of_no_deck_or_seen_twice_is_named(table) -> None:
    game = table()
    (found,) = game.tell(CardRevealed("A", "asita"))
    assert (found.level, found.rule[:2]) == (Level.ILLEGAL, "2.")
    game.tell(CardRevealed("B", "rigel"))
    (found,) = game.tell(CardRevealed("C", "rigel"))
    assert "shown by B before" in found.text


def test_6c_frozen_cards_are_taken_by_effects_only(table) -> None:
    game = table()
    (found,) = game.tell(FrozenTaken("A", Side.RIGHT))
    assert (found.level, found.player, found.rule[:3]) == (Level.ILLEGAL, "A", "6c.")


def test_a_stranger_is_named(table) -> None:
    game = table()
    for fact in (CardLaid("D"), CardRevealed("D", "rigel"), CardPlaced("D", "rigel", Orientation.UPRIGHT)):
        (found,) = game.tell(fact)
        assert found.rule == "Players: three"
