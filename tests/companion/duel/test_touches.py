"""Touches of the rulebook and the readings, judged from what sensors tell: ruled only where no other state is possible."""

from __future__ import annotations

import pytest

from companion.duel.happenings import REST_SLACK_US
from companion.duel.reports import DieNews, Source
from companion.duel.rulings import Since
from companion.rules.hoshi_battle import Verdict, sections
from companion.rules.hoshi_battle.facts import (
    ActAttested,
    CardDeclined,
    Doubt,
    DuelCardRevealed,
    Face,
    PlayBegan,
    Ruling,
    SaveRolled,
    TimeoutCalled,
    TouchRuled,
    Where,
)
from companion.rules.hoshi_battle.state import Phase, side_of

MS = 1000
GUARD_MS = 40


def stones(duel, seat: str) -> int:
    state = duel.judge.state
    side = side_of(state, seat)
    assert side is not None
    return state.duel.fighters[side].stones


def test_a_touch_on_a_living_symbol_is_a_hit(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.touch(1300, "A")
    ruled = one.ruled()
    assert (ruled.verdict, ruled.hit, ruled.bluffed, ruled.rule) == (Verdict.HIT, ("B",), (), sections.HIT)
    assert ruled.text == "A hit B."
    assert (stones(one, "A"), stones(one, "B")) == (2, 1)


def test_its_ruling_holds_gap_window_evidence_and_rule(duel) -> None:
    one = duel()
    one.roll("A", 1000, within_ms=6)
    key = one.touch(1300, "A", within_ms=0.5)
    ruled = one.ruled()
    (gap,) = ruled.gaps
    assert (gap.seat, gap.die, gap.face, gap.counts_as, gap.since) == (
        "A",
        0,
        Face.STRIKE,
        (Face.STRIKE,),
        Since.SETTLED,
    )
    assert (gap.gap_us, gap.within_us, gap.guard_us) == (300 * MS, 500 + REST_SLACK_US, GUARD_MS * MS)
    assert (gap.life, gap.is_too_close) == ("alive", False)
    assert (ruled.guard_us, ruled.defence_us) == (GUARD_MS * MS, 1000 * MS)
    assert (Source.PAD, key) in ruled.evidence
    assert {source for source, _ in ruled.evidence} == {Source.PAD, Source.DICE, Source.HANDS}


@pytest.mark.parametrize("face", [Face.BLANK, Face.SHIELD, Face.CHARM])
def test_a_touch_without_a_symbol_that_hits_is_a_bluff(duel, face) -> None:
    one = duel()
    one.roll("A", 1000, face)
    one.touch(1300, "A")
    ruled = one.ruled()
    assert (ruled.verdict, ruled.bluffed, ruled.rule) == (Verdict.BLUFF, ("A",), sections.BLUFF)


def test_a_touch_before_any_roll_is_a_bluff(duel) -> None:
    one = duel()
    one.touch(300, "B")
    assert one.ruled().bluffed == ("B",)


def test_both_with_the_symbol_and_both_closing_in_is_a_draw(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.roll("B", 1050)
    one.touch(1300, "A", "B")
    ruled = one.ruled()
    assert (ruled.verdict, ruled.rule, ruled.is_question) == (Verdict.DRAW, sections.DRAW, False)
    assert (stones(one, "A"), stones(one, "B")) == (2, 2)


def test_a_hit_against_a_bluff_at_the_same_time_costs_the_bluffer_one_stone(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.roll("B", 1050, Face.BLANK)
    one.touch(1300, "A", "B")
    assert one.ruled().hit == ("B",)
    assert stones(one, "B") == 1


@pytest.mark.parametrize("after_ms", [-30, -10, 0, 10, 30])
def test_a_symbol_that_settled_within_the_guard_is_too_close(duel, after_ms) -> None:
    one = duel()
    one.roll("A", 1000)
    one.touch(1000 + after_ms, "A")
    ruled = one.ruled()
    assert (ruled.verdict, ruled.is_question) == (Verdict.TOO_CLOSE, True)
    assert ruled.gaps[0].is_too_close
    assert (stones(one, "A"), stones(one, "B")) == (2, 2)


@pytest.mark.parametrize("after_ms", [-30, 0, 30])
def test_a_symbol_that_was_lost_within_the_guard_is_too_close(duel, after_ms) -> None:
    one = duel()
    one.roll("A", 500)
    one.die("A", DieNews.TAKEN_UP, 1000 + after_ms, 5)
    one.touch(1000, "A")
    ruled = one.ruled()
    assert ruled.verdict is Verdict.TOO_CLOSE
    assert {gap.since for gap in ruled.gaps} == {Since.SETTLED, Since.LOST}


def test_a_symbol_that_settles_only_after_the_touch_and_the_guard_is_none(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.touch(1000 - GUARD_MS - 45, "A")
    assert one.ruled().verdict is Verdict.BLUFF


def test_a_hurried_pick_up_loses_the_symbol(duel) -> None:
    one = duel()
    one.roll("A", 500)
    one.die("A", DieNews.TAKEN_UP, 900, 30)
    one.touch(1050, "A")
    assert one.ruled().verdict is Verdict.BLUFF


def test_a_roll_outside_the_string_is_worth_nothing(duel) -> None:
    one = duel()
    one.roll("A", 1000, inside=False)
    one.touch(1300, "A")
    assert one.ruled().verdict is Verdict.BLUFF


@pytest.mark.parametrize("more", [{"inside": None}, {"face": Face.UNKNOWN}])
def test_a_die_that_could_not_be_read_for_sure_leaves_a_question(duel, more) -> None:
    one = duel()
    one.roll("A", 1000, **more)
    one.touch(1300, "A")
    ruled = one.ruled()
    assert (ruled.is_question, ruled.fact.doubt) == (True, Doubt.NONE)
    assert ruled.doubts == ("the die of A could not be read for sure",)


def test_an_unsure_die_of_whoever_did_not_strike_matters_not(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.roll("B", 1000, Face.UNKNOWN, inside=None)
    one.touch(1300, "A")
    assert one.ruled().verdict is Verdict.HIT


def test_whose_hand_it_was_is_asked_where_it_could_not_be_seen(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.touch(1300)
    assert one.ruled().doubts == ("it could not be seen whose hand moved",)


def test_hand_or_arm_is_asked_where_it_could_not_be_seen(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.touch(1300, "A", where=Where.UNKNOWN)
    assert one.ruled().doubts == ("it could not be seen whether a hand was touched",)


def test_an_arm_is_a_miss_the_round_goes_on_and_the_symbol_is_spent(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.touch(1300, "A", where=Where.ELSEWHERE)
    one.touch(1900, "A")
    one.through(5000)
    first, second = one.step(5000)
    assert (first.verdict, first.rule) == (Verdict.MISS, sections.MISS)
    assert (second.verdict, second.bluffed) == (Verdict.BLUFF, ("A",))


def test_an_arm_struck_by_nobody_knows_whom_leaves_the_next_touch_open(duel) -> None:
    """A's symbol is spent if A struck, and not if B did."""
    one = duel()
    one.roll("A", 1000)
    one.touch(1300, where=Where.ELSEWHERE)
    one.touch(1900, "A")
    one.through(5000)
    first, second = one.step(5000)
    assert first.verdict is Verdict.MISS
    assert (second.is_question, second.fact.doubt) == (True, Doubt.TRY)


def test_a_second_try_on_a_spent_symbol_is_a_bluff(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.swing("A", 1300)
    one.touch(1600, "A")
    assert one.ruled().bluffed == ("A",)


def test_a_try_on_a_symbol_that_is_rolled_anew_is_a_hit(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.swing("A", 1300)
    one.die("A", DieNews.TAKEN_UP, 1500, 30)
    one.roll("A", 2100)
    one.touch(2400, "A")
    assert one.ruled().hit == ("B",)


def test_a_try_that_may_have_been_none_leaves_a_question(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.swing("A", 1300, is_sure=False)
    one.touch(1600, "A")
    ruled = one.ruled()
    assert (ruled.is_question, ruled.fact.doubt) == (True, Doubt.TRY)
    assert ruled.doubts == ("it could not be seen whether the symbol had been tried before",)


def test_a_possible_try_matters_not_where_there_was_nothing_to_try(duel) -> None:
    one = duel()
    one.roll("A", 1000, Face.BLANK)
    one.swing("A", 1300, is_sure=False)
    one.touch(1600, "A")
    assert one.ruled().verdict is Verdict.BLUFF


@pytest.mark.parametrize(
    ("raised_ms", "verdict"),
    [(1100, Verdict.BLUFF), (1900, Verdict.HIT), (1280, Verdict.TOO_CLOSE), (1320, Verdict.TOO_CLOSE)],
)
def test_the_moment_of_defence_is_over_or_not_or_nobody_can_tell(duel, raised_ms, verdict) -> None:
    """B has the hand up; the touch comes at 2300, and the moment lasts a second."""
    one = duel()
    one.roll("A", 1000)
    one.raised("B", raised_ms)
    one.touch(2300, "A")
    assert one.ruled().verdict is verdict


def test_a_symbol_that_came_under_a_raised_hand_has_a_moment_of_its_own(duel) -> None:
    for touch_ms, verdict in ((1900, Verdict.HIT), (2010, Verdict.TOO_CLOSE), (2100, Verdict.BLUFF)):
        one = duel()
        one.raised("B", 300)
        one.roll("A", 1000)
        one.touch(touch_ms, "A")
        assert one.ruled().verdict is verdict, touch_ms


def test_a_hand_that_may_have_been_raised_leaves_a_question_where_that_matters(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.raised("B", 1100, is_sure=False)
    one.touch(2600, "A")
    ruled = one.ruled()
    assert (ruled.is_question, ruled.fact.doubt) == (True, Doubt.DEFENCE)
    soon = duel()
    soon.roll("A", 1000)
    soon.raised("B", 1100, is_sure=False)
    soon.touch(1400, "A")
    assert soon.ruled().verdict is Verdict.HIT


def test_a_die_that_rolled_out_of_sight_and_was_taken_leaves_a_question_only_as_long_as_it_may_have_lain(duel) -> None:
    for touch_ms, verdict in ((760, Verdict.TOO_CLOSE), (1500, Verdict.BLUFF)):
        one = duel()
        one._throws["A", 0] += 1
        one.die("A", DieNews.RELEASED, 300)
        one.die("A", DieNews.LOST, 750, 60)
        one.touch(touch_ms, "A")
        assert one.ruled().verdict is verdict, touch_ms


# -- cards: the rules are asked, no card is known here ----------------------------------------------------------------------


def test_a_special_touch_is_what_the_card_says(duel) -> None:
    one = duel("fire-harpy")
    one.roll("A", 1000, Face.CHARM)
    one.touch(1300, "A")
    ruled = one.ruled()
    assert (ruled.verdict, ruled.hit) == (Verdict.SPECIAL, ())
    assert stones(one, "B") == 2


def test_a_card_that_still_lies_face_down_may_say_what_a_touch_was(duel) -> None:
    one = duel(cards="A")
    one.roll("A", 1000, Face.CHARM)
    one.touch(1300, "A")
    one.through(2000)
    (ruled,) = one.step(2000)
    assert ruled.verdict is Verdict.HIDDEN
    one.people(DuelCardRevealed("A", "backstab"), 4000)
    assert stones(one, "B") == 1


def test_what_a_symbol_counts_as_is_asked_of_the_rules(duel) -> None:
    one = duel(cards="A")
    one.people(DuelCardRevealed("A", "acid-fog"), 200)
    state = one.judge.state
    assert state.duel.fighters[0].card == "acid-fog"
    one.roll("A", 1000)
    one.touch(1300, "A")
    gap = one.ruled().gaps[0]
    assert gap.face is Face.STRIKE
    assert Face.STRIKE not in gap.counts_as or gap.counts_as == (Face.STRIKE,)


@pytest.mark.parametrize(("done", "left"), [(True, 1), (False, 2)])
def test_a_hit_that_needs_an_act_waits_for_a_person_to_attest_it(duel, done, left) -> None:
    one = duel("plain-1", "poltergeist")
    one.roll("A", 1000)
    one.touch(1300, "A")
    one.through(2000)
    (ruled,) = one.step(2000)
    assert ruled.hit == ("B",)
    state = one.judge.state
    assert state.phase is Phase.HIT
    need = state.duel.hits[0].needs[0]
    one.people(ActAttested("A", need.act, done), 3000)
    assert stones(one, "B") == left


def test_a_roll_may_cancel_a_hit_and_begins_no_round_though_the_camera_sees_it(duel) -> None:
    one = duel("plain-1", "plain-2", cards="B")
    one.people(DuelCardRevealed("B", "ring-of-regeneration"), 100)
    one.roll("A", 1000)
    one.touch(1300, "A")
    one.through(2000)
    one.step(2000)
    need = next(need for hit in one.judge.state.duel.hits for need in hit.needs)
    face = next(iter(need.faces))
    one.people(SaveRolled("B", face, need.sides), 4000)
    one.roll("B", 4010, face)
    one.through(6000)
    assert stones(one, "B") == 2
    assert one.judge.state.duel.round == 1


# -- rounds, timeouts, referees ----------------------------------------------------------------------------------------------


def test_the_next_round_begins_with_nothing_on_the_table(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.touch(1300, "A")
    one.people(PlayBegan(3000 * MS, counted=False), 3000)
    one.touch(3400, "A")
    one.through(6000)
    first, second = one.step(6000)
    assert (first.verdict, second.verdict) == (Verdict.HIT, Verdict.BLUFF)


def test_a_touch_after_the_round_ended_is_nothing(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.roll("B", 1000)
    one.touch(1300, "A")
    one.touch(1700, "B")
    one.through(6000)
    first, second = one.step(6000)
    assert (first.verdict, second.verdict) == (Verdict.HIT, Verdict.NOTHING)


def test_two_touches_at_the_same_time_are_one(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.roll("B", 1000)
    one.touch(1300, "A")
    one.touch(1320, "B")
    one.through(6000)
    _, both = one.step(6000)
    assert both.verdict is Verdict.DRAW
    assert (stones(one, "A"), stones(one, "B")) == (2, 2)


@pytest.mark.parametrize(
    ("called_ms", "verdict"), [(1200, Verdict.NOTHING), (1400, Verdict.HIT), (1310, Verdict.TOO_CLOSE)]
)
def test_a_timeouts_button_is_as_slow_as_it_is(duel, called_ms, verdict) -> None:
    one = duel()
    one.roll("A", 1000)
    one.people(TimeoutCalled("A", called_ms * MS), called_ms, 25)
    one.touch(1300, "A")
    assert one.ruled().verdict is verdict


def test_a_referee_settles_what_was_too_close(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.touch(1020, "A")
    one.through(2000)
    (ruled,) = one.step(2000)
    assert ruled.is_question
    one.people(TouchRuled(Ruling.HIT, "A"), 3000)
    assert stones(one, "B") == 1


def test_windows_between_the_rounds_are_peoples(duel) -> None:
    one = duel(cards="AB")
    one.roll("A", 1000)
    one.touch(1300, "A")
    one.through(2000)
    one.step(2000)
    assert one.judge.state.phase is Phase.ROUND_END
    one.people(CardDeclined("A"), 3000)
    one.people(CardDeclined("B"), 3001)
    assert one.judge.state.phase is Phase.ROUND_START
