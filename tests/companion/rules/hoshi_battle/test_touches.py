"""What a touch is: hit, bluff, draw, too close, by the readings and the rules of honor."""

from __future__ import annotations

import pytest

from companion.rules.core import Level
from companion.rules.hoshi_battle import Meaning, Verdict, rule_touch, sections, touch_reading
from companion.rules.hoshi_battle.facts import (
    DiePickedUp,
    Doubt,
    HandsTouched,
    Ruling,
    TouchRuled,
    Where,
)
from companion.rules.hoshi_battle.settings import MutualBluff
from companion.rules.hoshi_battle.state import Phase

MS = 1000


@pytest.fixture
def game(table):
    game = table()
    game.duel(A="plain-1", B="plain-2")
    return game


def verdict(game, *by: str, after_ms: int = 250, **more) -> Verdict:
    return rule_touch(game.state, HandsTouched(by, game.now + after_ms * MS, **more)).verdict


def test_bluff_touch_costs_the_bluffer_a_stone(game, rules) -> None:
    game.roll("A", "blank")
    assert rules(game.touch("A"), Level.NOTE) == [sections.BLUFF]
    assert (game.stones("A"), game.stones("B")) == (1, 2)
    assert game.phase is Phase.ROUND_START


def test_bluffing_without_touching_costs_nothing(game) -> None:
    from companion.rules.hoshi_battle.facts import SwingMissed

    game.roll("A", "blank")
    assert game.tell(SwingMissed("A", game.now + 100 * MS)) == []
    assert game.stones("A") == 2


def test_both_with_the_symbol_is_a_draw(game) -> None:
    game.roll("A")
    game.roll("B")
    assert game.touch("A", "B") == []
    assert (game.stones("A"), game.stones("B")) == (2, 2)
    assert game.phase is Phase.ROUND_START  # it ends the round
    assert game.state.duel.last_hitter is None


def test_draw_leaves_the_last_to_hit(game) -> None:
    game.hit("B")
    game.begin(counted=False)
    game.roll("A")
    game.roll("B")
    game.touch("A", "B")
    assert game.state.duel.last_hitter == 1


def test_hit_against_a_bluff_costs_one_stone_of_the_bluffer(game) -> None:
    game.roll("A")
    game.roll("B", "shield")
    game.touch("A", "B")
    assert (game.stones("A"), game.stones("B")) == (2, 1)


@pytest.mark.parametrize(("stones", "left"), [(1, 1), (2, 0)])
def test_hit_against_a_bluff_is_a_setting(table, stones, left) -> None:
    game = table(hit_against_bluff=stones)
    game.duel(A="plain-1", B="plain-2")
    game.roll("A")
    game.touch("A", "B")
    assert (game.stones("A"), game.stones("B")) == (2, left)


@pytest.mark.parametrize(("setting", "left"), [(MutualBluff.BOTH, (1, 1)), (MutualBluff.NOBODY, (2, 2))])
def test_both_bluffing(table, setting, left) -> None:
    game = table(mutual_bluff=setting)
    game.duel(A="plain-1", B="plain-2")
    game.touch("A", "B")
    assert (game.stones("A"), game.stones("B")) == left


def test_sequential_touches_the_first_ends_the_round(game, rules) -> None:
    game.roll("A")
    game.roll("B")
    game.touch("A")
    assert rules(game.touch("B", after_ms=60), Level.NOTE) == [sections.HIT]
    assert (game.stones("A"), game.stones("B")) == (2, 1)


def test_touches_told_apart_within_the_simultaneous_time_are_one(game) -> None:
    game.roll("A")
    game.roll("B")
    game.touch("A")
    assert game.stones("B") == 1
    assert game.touch("B", after_ms=30) == []
    assert (game.stones("A"), game.stones("B")) == (2, 2)  # a draw after all


@pytest.mark.parametrize(("within_ms", "left"), [(15, 2), (5, 1)])
def test_uncertainties_of_two_touches_widen_the_simultaneous_time(game, within_ms, left) -> None:
    game.roll("A")
    game.roll("B")
    game.touch("A", within_us=within_ms * MS)
    game.touch("B", after_ms=60, within_us=within_ms * MS)
    assert game.stones("B") == left


def test_simultaneous_time_is_a_setting(table) -> None:
    game = table(simultaneous_ms=100)
    game.duel(A="plain-1", B="plain-2")
    game.roll("A")
    game.roll("B")
    game.touch("A")
    game.touch("B", after_ms=90)
    assert game.stones("B") == 2


@pytest.mark.parametrize(
    ("gap_ms", "expected"),
    [
        (-120, Verdict.BLUFF),
        (-41, Verdict.BLUFF),
        (-40, Verdict.TOO_CLOSE),
        (0, Verdict.TOO_CLOSE),
        (40, Verdict.TOO_CLOSE),
        (41, Verdict.HIT),
        (120, Verdict.HIT),
    ],
)
def test_symbol_that_settles_near_the_touch(game, gap_ms, expected) -> None:
    """The gap is from settling to touching."""
    game.roll("A")
    assert verdict(game, "A", after_ms=gap_ms) is expected


@pytest.mark.parametrize(
    ("gap_ms", "expected"),
    [(-41, Verdict.HIT), (-40, Verdict.TOO_CLOSE), (40, Verdict.TOO_CLOSE), (41, Verdict.BLUFF)],
)
def test_symbol_that_is_lost_near_the_touch(game, gap_ms, expected) -> None:
    game.roll("A")
    game.now += 1000 * MS
    game.tell(DiePickedUp("A", game.now))
    assert verdict(game, "A", after_ms=gap_ms) is expected


def test_uncertainties_widen_the_guard(game) -> None:
    game.roll("A", within_us=10 * MS)
    assert verdict(game, "A", after_ms=55) is Verdict.HIT
    assert verdict(game, "A", after_ms=50) is Verdict.TOO_CLOSE
    assert verdict(game, "A", after_ms=55, within_us=5 * MS) is Verdict.TOO_CLOSE


def test_a_blank_that_settles_at_the_touch_is_no_doubt(game) -> None:
    game.roll("A", "blank")
    assert verdict(game, "A", after_ms=0) is Verdict.BLUFF


def test_hands_that_can_not_be_told_apart(game) -> None:
    game.roll("A")
    (said,) = game.touch()
    assert (said.rule, said.level) == (sections.TOO_CLOSE, Level.NOTE)
    assert (game.stones("A"), game.stones("B")) == (2, 2)
    assert game.phase is Phase.ROUND_START


@pytest.mark.parametrize("face", ["unknown"])
def test_a_face_that_nobody_could_read(game, face) -> None:
    game.roll("A", face)
    assert verdict(game, "A") is Verdict.TOO_CLOSE


def test_a_place_that_nobody_could_see(game) -> None:
    game.roll("A")
    assert verdict(game, "A", where=Where.UNKNOWN) is Verdict.TOO_CLOSE


@pytest.mark.parametrize(
    ("ruling", "seat", "left"),
    [
        (Ruling.HIT, "A", (2, 1)),
        (Ruling.BLUFF, "A", (1, 2)),
        (Ruling.DRAW, None, (2, 2)),
    ],
)
def test_referee_rules_a_touch_that_was_too_close(game, ruling, seat, left) -> None:
    game.roll("A")
    game.touch("A", after_ms=10)
    assert game.tell(TouchRuled(ruling, seat)) == []
    assert (game.stones("A"), game.stones("B")) == left
    assert game.phase is Phase.ROUND_START


def test_referee_rules_a_special_touch(table) -> None:
    game = table()
    game.duel(A="plain-2", B="fire-harpy")
    game.roll("B", "charm")
    game.touch("B", after_ms=10)
    assert game.die("A") == (8,)
    assert game.tell(TouchRuled(Ruling.SPECIAL, "B")) == []
    assert game.die("A") == (10,)
    assert (game.stones("A"), game.stones("B")) == (2, 2)


def test_referee_comes_too_late_once_a_card_was_played(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="B")
    game.hit("A")
    game.play("B", "rage")
    before = game.state
    assert rules(game.tell(TouchRuled(Ruling.BLUFF, "A")), Level.NOTE) == [sections.TOO_CLOSE]
    assert game.state == before


def test_referee_rules_that_nothing_happened(game) -> None:
    game.roll("A")
    game.touch("A")
    game.tell(TouchRuled(Ruling.MISS, "A"))
    assert game.stones("B") == 2
    assert game.phase is Phase.ROLLING


def test_referee_rules_a_touch_that_nobody_reported(game) -> None:
    game.tell(TouchRuled(Ruling.HIT, "B"))
    assert game.stones("A") == 1


def test_referee_has_nothing_to_rule(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", began=False)
    assert rules(game.tell(TouchRuled(Ruling.HIT, "A")), Level.NOTE) == [sections.TOO_CLOSE]
    assert game.stones("B") == 2


def test_touch_between_the_rounds_does_not_count(table, rules) -> None:
    game = table()
    game.duel(A="plain-1", B="plain-2", cards="B")
    game.hit("A")
    assert game.phase is Phase.ROUND_END
    assert rules(game.touch("B", after_ms=500), Level.NOTE) == [sections.HIT]
    assert game.stones("A") == 2


def test_touch_of_somebody_else(table, rules) -> None:
    game = table("ABC")
    game.keep()
    from companion.rules.hoshi_battle.facts import OpponentChosen

    game.tell(OpponentChosen("A", "B"))
    game.duel(A="plain-1", B="plain-2")
    game.roll("A")
    assert sections.OPPONENT in rules(game.touch("C"))
    assert (game.stones("A"), game.stones("B")) == (2, 2)


def test_reading_of_a_touch_without_a_touch(game) -> None:
    game.roll("A")
    assert touch_reading(game.state, "A", game.now + 100 * MS).meaning is Meaning.HIT
    assert touch_reading(game.state, "B", game.now + 100 * MS).meaning is Meaning.BLUFF
    assert touch_reading(game.state, "Z", game.now).meaning is Meaning.BLUFF


def test_bluffers_opponent_counts_as_last_to_hit(table) -> None:
    for setting, expected in ((True, 1), (False, None)):
        game = table(bluff_hits_for_opponent=setting)
        game.duel(A="plain-1", B="plain-2")
        game.touch("A")
        assert game.state.duel.last_hitter == expected


@pytest.mark.parametrize("doubt", [doubt for doubt in Doubt if doubt is not Doubt.NONE])
def test_whatever_the_witnesses_leave_open_is_a_referees(game, rules, doubt) -> None:
    game.roll("A")
    assert rules(game.touch("A", doubt=doubt), Level.NOTE) == [sections.TOO_CLOSE]
    assert (game.stones("A"), game.stones("B")) == (2, 2)
    assert game.tell(TouchRuled(Ruling.HIT, "A")) == []
    assert game.stones("B") == 1


@pytest.mark.parametrize(
    ("after_ms", "within_us", "found"),
    [
        (999, 0, Verdict.HIT),
        (1000, 0, Verdict.BLUFF),
        (990, 5 * MS, Verdict.HIT),
        (997, 5 * MS, Verdict.TOO_CLOSE),
        (1003, 5 * MS, Verdict.TOO_CLOSE),
        (1006, 5 * MS, Verdict.BLUFF),
    ],
)
def test_where_the_moment_of_defence_ends_within_the_uncertainty_it_is_too_close(
    game, after_ms, within_us, found
) -> None:
    from companion.rules.hoshi_battle.facts import HandRaised

    game.roll("A")
    game.now += 200 * MS
    game.tell(HandRaised("B", game.now))
    assert verdict(game, "A", after_ms=after_ms, within_us=within_us) is found


@pytest.mark.parametrize(("after_ms", "found"), [(985, Verdict.HIT), (995, Verdict.TOO_CLOSE), (1011, Verdict.BLUFF)])
def test_a_symbol_that_came_under_a_raised_hand_has_its_own_uncertainty(game, after_ms, found) -> None:
    from companion.rules.hoshi_battle.facts import HandRaised

    game.tell(HandRaised("B", game.now))
    game.roll("A", within_us=10 * MS)
    assert verdict(game, "A", after_ms=after_ms) is found
