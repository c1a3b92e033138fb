"""What raised hands claim, which cards prove an answer false and with what evidence, and that nobody honest is accused."""

from __future__ import annotations

from math import comb, factorial

import pytest

from companion.rules.ahuha import RULES
from companion.rules.ahuha.facts import CardRevealed, Told
from companion.rules.core import Level

DENEB = "series 1, round 1: {} on Deneb (Altair, Vega)"


def ask(game, *raised: str):
    game.show("deneb", "canopus", "procyon")
    found = game.told(Told.HANDS, *raised)
    game.finish()
    return found


def test_a_denial_is_disproved_by_the_card_with_the_smallest_evidence(table) -> None:
    game = table()
    ask(game)
    game.play("spica", "acrux", "antares")
    (found,) = game.play("regulus", "vega", "pollux")
    assert (found.level, found.player, found.trick, found.proved_at) == (Level.PROVED, "B", 1, 3)
    assert found.evidence == (DENEB.format("B raised no hand"), "round 3: B played Vega")


def test_a_frozen_card_taken_since_may_explain_it(table) -> None:
    game = table()
    ask(game)
    game.play("rigel", "acrux", "antares")  # everyone takes a frozen card
    assert game.play("regulus", "vega", "pollux") == []


def test_two_cards_of_which_one_taken_explains_only_one(table) -> None:
    game = table()
    ask(game)
    game.play("rigel", "acrux", "antares")
    assert game.play("regulus", "vega", "pollux") == []
    (found,) = game.play("spica", "altair", "arcturus")
    assert (found.level, found.player, found.proved_at) == (Level.PROVED, "B", 4)
    assert found.evidence[1:] == ("round 3: B played Vega", "round 4: B played Altair")


def test_a_pass_before_the_answer_explains_nothing(table) -> None:
    game = table()
    game.play("rigel", "acrux", "antares")
    ask(game)
    assert [x.player for x in game.play("regulus", "vega", "pollux")] == ["B"]


def test_a_card_from_the_frozen_places_at_tanabata_accuses_nobody(table) -> None:
    game = table()
    ask(game)
    game.skip_to(7)
    assert game.play("regulus", "vega", "altair") == []


def test_a_card_that_was_passed_on_is_proved_where_it_can_only_have_come_from_that_hand(table) -> None:
    """Round 5: every hand but one card is shown; vega comes up as a frozen card that B placed."""
    game = table()
    ask(game, "A")
    rest = [
        ("spica", "acrux", "antares"),
        ("regulus", "achernar", "pollux"),
        ("fomalhaut", "sirius", "capella"),
        ("arcturus", "aldebaran", "mimosa"),
        ("altair", "hadar", "betelgeuse"),
    ]
    for cards in rest:
        assert game.play(*cards) == []
    assert game.play("rigel", "vega", "rigil-kentaurus") == []
    assert game.worlds == 1


def test_a_raised_hand_without_the_card_is_proved_once_both_are_elsewhere(table) -> None:
    game = table()
    ask(game, "B")
    (denied,) = game.play("vega", "acrux", "antares")
    assert (denied.level, denied.player) == (Level.PROVED, "A")
    (raised,) = game.play("altair", "spica", "pollux")
    assert (raised.level, raised.player) == (Level.PROVED, "B")
    assert raised.evidence[1:] == ("round 2: A played Vega", "round 3: A played Altair")


def test_a_raised_hand_after_both_were_shown_is_false_at_once(table) -> None:
    game = table()
    game.play("vega", "altair", "procyon")
    game.show("deneb", "canopus", "antares")
    (found,) = game.told(Told.HANDS, "C")
    assert (found.level, found.player, found.proved_at) == (Level.PROVED, "C", 2)


def test_a_raised_hand_in_round_six_is_false_at_once(table) -> None:
    game = table()
    game.skip_to(6)
    game.show("deneb", "canopus", "procyon")
    (found,) = game.told(Told.HANDS, "A")
    assert (found.level, found.evidence) == (
        Level.PROVED,
        ("series 1, round 6: A raised a hand on Deneb (Altair, Vega)",),
    )


def test_three_raised_hands_for_two_cards_are_suspect_and_name_nobody(table) -> None:
    (found,) = ask(table(), "A", "B", "C")
    assert (found.level, found.player) == (Level.SUSPECT, None)
    assert len(found.evidence) == 3


def test_other_players_answers_are_no_evidence(table) -> None:
    """A and B raise hands; C raising too can't be right, yet C's own answer alone may be the true one."""
    game = table()
    ask(game, "A", "B", "C")
    assert all(x.player is None for x in game.findings)


def test_answers_of_an_unknown_effect_claim_what_was_told_to_be_asked(table) -> None:
    game = table()
    game.show("fomalhaut", "canopus", "procyon")
    game.told(Told.HANDS, "A", asked=("kesiki:momiji",))
    game.finish()
    (found,) = game.play("spica", "antares", "pollux")
    assert (found.player, found.evidence[0]) == (
        "B",
        "series 1, round 1: B raised no hand on Fomalhaut (kesiki:momiji)",
    )


def test_answers_to_nobody_knows_what_claim_nothing(table) -> None:
    game = table()
    game.show("fomalhaut", "canopus", "procyon")
    before = game.worlds
    assert game.told(Told.HANDS, "A") == []
    assert game.worlds == before


def test_answers_can_be_set_to_be_hints_only(table) -> None:
    game = table(answers_bind=False)
    ask(game)
    assert game.play("spica", "vega", "altair") == []


def test_the_active_player_can_be_set_not_to_answer(table) -> None:
    game = table(active_answers=False)
    ask(game)
    assert game.play("vega", "acrux", "antares") == []
    assert [x.player for x in game.play("spica", "altair", "pollux")] == ["B"]


def test_worlds_after_a_denial(table) -> None:
    game = table()
    game.show("deneb", "canopus", "procyon")
    game.told(Told.HANDS)
    # Eighteen hidden cards; the two are both frozen: in 3 * 2 ways, the other frozen one of sixteen.
    assert game.worlds == 3 * 2 * 16 * factorial(15) // factorial(5) ** 3


def test_worlds_after_one_raised_hand(table) -> None:
    game = table()
    game.show("deneb", "canopus", "procyon")
    game.told(Told.HANDS, "A")
    deals = factorial(13) // factorial(5) ** 2  # with A's hand full, the rest to B, C and the frozen places
    both = comb(16, 3) * factorial(13) // (factorial(5) ** 2)
    one = 2 * 3 * comb(16, 4) * factorial(12) // (factorial(5) ** 2)
    assert deals
    assert game.worlds == both + one


def test_a_pass_multiplies_the_worlds_by_its_choices(table) -> None:
    game = table()
    game.show("spica", "canopus", "procyon")
    game.finish()
    before = game.worlds
    game.show("rigel", "acrux", "antares")
    assert (
        game.worlds == before // (18 * 17 * 16) * 5**3 * 5**3
    )  # five hidden cards each were dealt, five to choose from


def test_nothing_rests_on_a_card_in_doubt(table) -> None:
    game = table()
    ask(game)
    game.tell(CardRevealed("A", "deneb"))  # a second deneb: the first may have been misread
    assert game.state.knowledge.answers == ()
    assert game.tell(CardRevealed("B", "vega")) == []


def test_a_proof_in_doubt_opens_the_answer_again(table) -> None:
    game = table()
    ask(game)
    game.play("spica", "vega", "antares")
    assert len(game.findings) == 1
    game.tell(CardRevealed("A", "vega"))
    assert any(answer.place == 1 for answer in game.state.knowledge.answers)


def test_a_card_first_seen_in_a_home_proves_as_well(table) -> None:
    game = table()
    ask(game)
    game.tell(CardRevealed("A", "spica"), CardRevealed("C", "antares"))
    found = game.home("B-vega")
    assert [(x.level, x.player) for x in found] == [(Level.PROVED, "B"), (Level.NOTE, "B")]


@pytest.mark.parametrize("number", range(1, 8))
def test_worlds_with_every_card_shown_by_nobody(table, number) -> None:
    game = table()
    game.skip_to(number)
    assert game.worlds == factorial(21) // factorial(7 - number) ** 3


def test_expectations_depend_on_no_hidden_card(table) -> None:
    game = table()
    game.show("deneb", "canopus", "procyon")
    texts = [x.text for x in RULES.expects(game.state)]
    game.state = game.state._replace(knowledge=table().state.knowledge)
    assert [x.text for x in RULES.expects(game.state)] == texts
