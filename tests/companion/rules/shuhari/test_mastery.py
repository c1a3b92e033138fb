"""Mastering the arts, full mastery, end conditions, scoring: one test a sentence of the rulebook."""

from __future__ import annotations

import pytest

from companion.rules.core import Level
from companion.rules.shuhari import RULES, Phase
from companion.rules.shuhari.facts import ChartMarked, Stage, Suit
from companion.rules.shuhari.learning import teaches
from companion.rules.shuhari.settings import FinalTie, JointMastery, Ring, Tie
from companion.rules.shuhari.state import POINTS, points_of


def boxes(game) -> set[tuple[str, str, str]]:
    """(seat, art, stage) filled in."""
    return {(seat, art, stage) for seat in game.setup.seats for art in Suit for stage in game.state.learned(seat, art)}


def three_stages(game, card, suit: str = "ikebana") -> None:
    """A 7, B 10 in Obey; C opens Detach with 11, A lays 2; B opens Separate with 1, C 6, A 4; B and C rest."""
    game.play(f"7-{suit}", f"10-{suit}", f"{card(11, 1, suit)} break", card(2, 1, suit))
    game.play(f"{card(1, 2, suit)} break", card(6, 2, suit), card(4, 2, suit))
    other = "koto" if suit != "koto" else "chado"
    game.play(f"9-{other} rest", f"{card(8, 1, other)} rest")


# -- Mastering the Arts -------------------------------------------------------------------------------------------------------


def test_highest_obey_lowest_detach_highest_separate(table, card) -> None:
    game = table()
    three_stages(game, card)
    assert game.findings == []
    assert game.state.phase is Phase.CLEAR
    assert boxes(game) == {("B", "ikebana", "obey"), ("A", "ikebana", "detach"), ("C", "ikebana", "separate")}


def test_the_boxes_to_fill_in_are_told(table, card) -> None:
    game = table()
    three_stages(game, card)
    *marks, clear = RULES.expects(game.state)
    assert [(mark.who, mark.options) for mark in marks] == [
        ("B", ("ikebana obey",)),
        ("A", ("ikebana detach",)),
        ("C", ("ikebana separate",)),
    ]
    assert clear.act == "clear the field"


def test_rests_are_invalid(table) -> None:
    game = table(2)
    game.play("3-ikebana", "12-koto rest", "4-ikebana", "12-chado rest", "5-ikebana", "11-koto rest", "6-ikebana")
    game.play("10-koto rest")
    assert boxes(game) == {("A", "ikebana", "obey")}


def test_a_trick_that_ends_in_obey_teaches_obey_only(table) -> None:
    game = table()
    game.play(*(f"{rank}-ikebana" for rank in range(1, 10)))
    assert boxes(game) == {("C", "ikebana", "obey")}


def test_a_trick_that_ends_in_detach_teaches_both(table, card) -> None:
    game = table()
    game.play("7-ikebana", f"{card(8, 1, 'ikebana')} break")
    game.fill("ikebana", 1, (12, 11, 10, 9, 6, 5, 4))
    assert boxes(game) == {("A", "ikebana", "obey"), ("C", "ikebana", "detach")}


def test_the_breaking_card_alone_learns_its_stage(table, card) -> None:
    game = table()
    game.play(*(f"{rank}-ikebana" for rank in range(1, 9)), f"{card(9, 1, 'ikebana')} break")
    assert boxes(game) == {("B", "ikebana", "obey"), ("C", "ikebana", "detach")}


def test_nothing_is_written_twice(table) -> None:
    game = table()
    game.with_chart(C={"ikebana": "O"})
    game.play(*(f"{rank}-ikebana" for rank in range(1, 10)))
    assert boxes(game) == {("C", "ikebana", "obey")}
    assert [learning.new for learning in game.state.trick.learned] == [False]


def test_the_misprint_is_a_setting(table) -> None:
    """Read as printed, the Separate stage goes by the Detach ring."""
    assert table(separate_ring=Ring.DETACH).setup.arts["1-ikebana"].kinds == (0, 6, 11)
    assert table().setup.arts["1-ikebana"].kinds == (0, 6, 12)


@pytest.mark.parametrize(("ring", "practises"), [(Ring.SEPARATE, 2), (Ring.DETACH, 1)])
def test_the_misprint_settles_what_practises_and_learns_in_separate(table, card, ring, practises) -> None:
    game = table(separate_ring=ring)
    last = 2 if ring is Ring.SEPARATE else 1
    game.play("7-ikebana", f"{card(11, 1, 'ikebana')} break", f"{card(3, last, 'ikebana')} break")
    assert game.play(card(8, practises, "ikebana"), f"{card(12, 3 - practises, 'ikebana')} rest") == []
    game.play(*(f"{rank}-koto rest" for rank in (1, 2, 4, 5)))
    assert game.state.phase is Phase.CLEAR
    assert ("A", "ikebana", "separate") in boxes(game)


def test_equal_ranks_the_earlier_card_learns(table) -> None:
    """With the inferred deck two cards of a rank never share a suit in a ring, so the tie is made by hand."""
    for tie, place in ((Tie.EARLIER, 0), (Tie.LATER, 1)):
        game = table(equal_ranks=tie)
        game.play("7-ikebana", "6-ikebana")
        cards = tuple(played._replace(rank=7) for played in game.state.trick.cards)
        trick = game.state.trick._replace(cards=cards)
        (learning,) = teaches(game.setup, trick, game.state.chart)
        assert learning.place == place


def test_a_box_that_was_not_learned(table) -> None:
    game = table()
    game.play(*(f"{rank}-ikebana" for rank in range(1, 10)))
    assert game.tell(ChartMarked("C", Suit.IKEBANA, Stage.OBEY)) == []
    (finding,) = game.tell(ChartMarked("A", Suit.IKEBANA, Stage.OBEY))
    assert (finding.level, finding.player) == (Level.ILLEGAL, "A")


# -- Full Mastery -------------------------------------------------------------------------------------------------------------


def test_all_three_stages_are_a_full_mastery(table) -> None:
    game = table()
    game.with_chart(C={"ikebana": "DS"})
    game.play(*(f"{rank}-ikebana" for rank in range(1, 10)))
    assert game.state.mastered == (Suit.IKEBANA,)
    assert RULES.outcome(game.state) is None  # one art does not end the game


def test_nobody_else_learns_a_mastered_art_yet_the_trick_is_played(table) -> None:
    game = table()
    game.with_chart(C={"ikebana": "ODS"})
    game.play(*(f"{rank}-ikebana" for rank in range(12, 3, -1)))
    assert game.findings == []
    assert boxes(game) == {("C", "ikebana", stage) for stage in ("obey", "detach", "separate")}
    assert game.state.phase is Phase.CLEAR


@pytest.mark.parametrize(("setting", "second"), [(JointMastery.BOTH, True), (JointMastery.EARLIER_STAGE, False)])
def test_two_complete_one_art_in_the_same_trick(table, card, setting, second) -> None:
    game = table(joint_mastery=setting)
    game.with_chart(B={"ikebana": "DS"}, A={"ikebana": "OS"})
    three_stages(game, card)  # B learns Obey, A Detach
    assert ("B", "ikebana", "obey") in boxes(game)
    assert (("A", "ikebana", "detach") in boxes(game)) is second
    assert game.state.mastered == (Suit.IKEBANA,)
    assert game.outcome() is None  # it counts as one art


# -- End Conditions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("holder", ["A", "B"], ids=["another player", "the same player"])
def test_two_arts_end_the_game_by_one_player_or_two(table, card, holder) -> None:
    game = table()
    chart = {"A": {}, "B": {"ikebana": "DS"}, "C": {}}
    chart[holder] = {**chart[holder], "koto": "ODS"}
    game.with_chart(**chart)
    three_stages(game, card, "ikebana")
    assert game.state.phase is Phase.OVER
    assert game.outcome() is not None
    assert RULES.expects(game.state) == ()


def test_the_game_does_not_end_before_the_trick_is_over(table, card) -> None:
    game = table()
    game.with_chart(C={"ikebana": "DS", "koto": "ODS"})
    game.play(*(f"{rank}-ikebana" for rank in range(1, 9)))  # C will have played the highest
    assert (game.state.phase, game.outcome()) == (Phase.PLAY, None)
    game.play("9-ikebana")
    assert (game.state.phase, game.outcome().winners) == (Phase.OVER, ("C",))


def test_the_last_trick_is_written_for_everybody(table, card) -> None:
    game = table()
    game.with_chart(B={"ikebana": "DS", "koto": "ODS"})
    three_stages(game, card)
    assert {("A", "ikebana", "detach"), ("C", "ikebana", "separate")} <= boxes(game)


def test_after_the_end_nothing_changes(table, card) -> None:
    game = table()
    game.with_chart(B={"ikebana": "DS", "koto": "ODS"})
    three_stages(game, card)
    before = game.state
    assert game.clear() == []
    assert game.state == before


# -- Scoring ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stages", "points"),
    [("", 0), ("O", 1), ("D", -1), ("S", -1), ("OD", 3), ("OS", 2), ("DS", 1), ("ODS", 5)],
)
def test_points_of_the_stages_of_an_art(stages, points) -> None:
    assert POINTS[sum(1 << "ODS".index(stage) for stage in stages)] == points


def test_points_of_all_arts_are_added(table) -> None:
    game = table()
    game.with_chart(A={"ikebana": "OD", "koto": "S", "chado": "ODS"})
    assert game.state.points == {"A": 3 - 1 + 5, "B": 0, "C": 0}
    assert points_of((0b111, 0b1, 0, 0b10, 0b110)) == 5 + 1 - 1 + 1


def test_the_learning_tables_examples(table) -> None:
    """Red learned ikebana in Detach; Blue learned it in Obey and Separate."""
    game = table()
    game.with_chart(A={"ikebana": "D"}, B={"ikebana": "OS"})
    assert game.state.learned("A", Suit.IKEBANA) == (Stage.DETACH,)
    assert game.state.learned("B", Suit.IKEBANA) == (Stage.OBEY, Stage.SEPARATE)
    assert game.state.points == {"A": -1, "B": 2, "C": 0}


def test_most_points_win(table, card) -> None:
    game = table()
    game.with_chart(B={"ikebana": "DS", "koto": "ODS"})
    three_stages(game, card)
    outcome = game.outcome()
    assert (outcome.winners, outcome.decided_by, outcome.points) == (("B",), "most points", 10)


def test_equal_points_share_the_win(table, card) -> None:
    for setting, winners in ((FinalTie.SHARED, ("B", "C")), (FinalTie.MASTERIES, ("B",))):
        game = table(final_tie=setting)
        game.with_chart(
            B={"ikebana": "DS", "koto": "ODS"}, C={"buyo": "OD", "chado": "OD", "shodo": "OD", "koto": "OS"}
        )
        three_stages(game, card)
        assert game.state.points == {"A": -1, "B": 10, "C": 9 + 2 - 1}
        assert game.outcome().winners == winners
