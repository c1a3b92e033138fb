"""When a touch is ruled: once, after every source has told of its moment or is declared blind; and what if one never does."""

from __future__ import annotations

from itertools import permutations

import pytest

from companion.duel.judge import PATIENCE_US
from companion.duel.reports import ClosingReport, DieNews, Source, TouchReport
from companion.rules.hoshi_battle import Verdict
from companion.rules.hoshi_battle.facts import DiePickedUp, DieRolled, Doubt, Face, PlayBegan, Ruling, TouchRuled, Where

MS = 1000
PATIENCE_MS = PATIENCE_US / MS


def hit(duel, **more):
    one = duel(**more)
    one.roll("A", 1000)
    return one, one.touch(1300, "A")


@pytest.mark.parametrize("silent", [Source.PAD, Source.DICE, Source.HANDS])
def test_a_touch_waits_until_each_source_has_told_of_its_moment(duel, silent) -> None:
    one, _ = hit(duel)
    one.through(1400, *(source for source in one.sources if source is not silent))
    assert one.step(1400) == ()
    assert silent.value in one.judge.waiting[0].why
    one.through(1400, silent)
    (ruled,) = one.step(1410)
    assert ruled.verdict is Verdict.HIT
    assert one.judge.waiting == ()


def test_dice_are_waited_for_until_the_guard_is_over(duel) -> None:
    """A symbol that comes or goes within the guard after the touch makes it too close."""
    one, _ = hit(duel)
    one.through(1400, Source.PAD, Source.HANDS)
    one.through(1335, Source.DICE)
    assert one.step(1400) == ()
    one.die("A", DieNews.TAKEN_UP, 1330, 5)
    one.through(1400, Source.DICE)
    (ruled,) = one.step(1410)
    assert ruled.verdict is Verdict.TOO_CLOSE


def test_whoever_was_never_there_is_not_waited_for(duel) -> None:
    one, _ = hit(duel, sources=(Source.PAD, Source.DICE))
    one.through(1400)
    (ruled,) = one.step(1400)
    assert ruled.verdict is Verdict.HIT  # the report of whose hand it was came all the same


@pytest.mark.parametrize("blind", [Source.PAD, Source.DICE, Source.HANDS])
def test_who_is_declared_blind_is_not_waited_for_and_leaves_a_question(duel, blind) -> None:
    one, _ = hit(duel)
    one.through(1400, *(source for source in one.sources if source is not blind))
    one.through(1200, blind)
    one.judge.blinded(blind, 1200 * MS, "unplugged")
    (ruled,) = one.step(1400)
    assert (ruled.is_question, ruled.fact.doubt) == (True, Doubt.BLIND)
    assert [(span.source, span.why) for span in ruled.blinds] == [(blind, "unplugged")]


def test_what_was_blind_before_play_began_matters_not(duel) -> None:
    one = duel()
    one.through(100)
    one.judge.blinded(Source.HANDS, 200 * MS, "too dark", 700 * MS)
    one.people(PlayBegan(1000 * MS, counted=False), 1000)
    one.roll("A", 2000)
    one.touch(2300, "A")
    assert one.ruled().verdict is Verdict.HIT


def test_a_source_that_says_nothing_at_all_is_given_up_after_a_while(duel) -> None:
    one, _ = hit(duel)
    one.through(1400, Source.PAD, Source.HANDS)
    assert one.step(1300 + PATIENCE_MS - 10) == ()
    (ruled,) = one.step(1300 + PATIENCE_MS + 10)
    assert (ruled.is_question, ruled.fact.doubt) == (True, Doubt.BLIND)
    assert [span.source for span in ruled.blinds] == [Source.DICE]


def test_a_touch_is_ruled_once(duel) -> None:
    one, key = hit(duel)
    one.through(1400)
    assert len(one.step(1400)) == 1
    one.say(Source.HANDS, ClosingReport(key, ("B",), Where.HAND), 1300)
    one.judge.tell(next(e for e in one.judge.line.entries if isinstance(e.report, TouchReport)))
    one.through(9000)
    assert one.step(9000) == ()


def test_what_is_still_being_worked_out_is_waited_for_where_it_matters(duel) -> None:
    one = duel()
    one.roll("A", 1000, is_decided=False)
    one.touch(1300, "A")
    one.through(1400)
    assert one.step(1400) == ()
    one.die("A", DieNews.DECIDED, 1000, inside=True)
    (ruled,) = one.step(1700)
    assert ruled.verdict is Verdict.HIT


@pytest.mark.parametrize("more", [{"face": None}, {"is_decided": False}])
def test_what_is_not_worked_out_in_time_is_asked(duel, more) -> None:
    one = duel()
    one.roll("A", 1000, **more)
    one.touch(1300, "A")
    one.through(9000)
    assert one.step(1300 + PATIENCE_MS - 10) == ()
    (ruled,) = one.step(1300 + PATIENCE_MS + 10)
    assert ruled.doubts == ("the die of A could not be read for sure",)


def test_what_is_still_being_worked_out_is_not_waited_for_where_it_matters_not(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.roll("B", 1100, None, is_decided=False)
    one.touch(1300, "A")
    one.through(1400)
    (ruled,) = one.step(1400)
    assert ruled.verdict is Verdict.HIT


def test_in_whatever_order_reports_come_the_ruling_is_the_same(duel) -> None:
    """A roll, its reading, its side, a pick-up of the other die, the touch and who struck."""
    told = duel()
    told.roll("A", 1000)
    told.roll("B", 900, Face.BLANK)
    told.die("B", DieNews.TAKEN_UP, 1200, 20)
    told.touch(1300, "A")
    entries = told.judge.line.entries
    found = set()
    for order in list(permutations(range(len(entries))))[:: 40319 // 60]:
        one = duel()
        for n in order:
            one.judge.tell(entries[n])
        ruled = one.ruled()
        found.add((ruled.verdict, ruled.hit, ruled.gaps, ruled.evidence))
    assert len(found) == 1


def test_after_a_question_that_may_have_been_a_miss_the_next_touch_waits_for_the_referee(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.roll("B", 1000)
    one.touch(1300, "A", where=Where.UNKNOWN)
    one.touch(1800, "B")
    one.through(3000)
    (asked,) = one.step(3000)
    assert asked.may_go_on
    assert "referee" in one.judge.waiting[0].why
    one.people(TouchRuled(Ruling.MISS, "A"), 4000)
    (ruled,) = one.step(4100)
    assert (ruled.verdict, ruled.hit) == (Verdict.HIT, ("A",))


def test_if_play_goes_on_without_the_referee_the_draw_stands(duel) -> None:
    one = duel()
    one.roll("A", 1000)
    one.touch(1300, "A", where=Where.UNKNOWN)
    one.touch(1800, "A")
    one.through(3000)
    assert len(one.step(3000)) == 1
    one.people(PlayBegan(5000 * MS, counted=False), 5000)
    one.roll("B", 6000)
    one.touch(6300, "B")
    one.through(9000)
    (ruled,) = one.step(9000)
    assert (ruled.verdict, ruled.hit) == (Verdict.HIT, ("A",))


def test_people_put_right_how_things_stand(duel) -> None:
    one, _ = hit(duel)
    before = one.judge.state
    one.through(1400)
    one.step(1400)
    one.judge.put_right(before, 1500 * MS)
    one.roll("B", 2000)
    one.touch(2300, "B")
    assert one.ruled().hit == ("A",)


# -- without parts --------------------------------------------------------------------------------------------------------


def test_without_a_pad_a_person_taps_that_hands_touched(duel) -> None:
    one = duel(sources=(Source.DICE, Source.HANDS))
    one.roll("A", 1000)
    one.say(Source.PEOPLE, TouchReport(("A",), Where.HAND), 1600, 300)
    ruled = one.ruled()
    assert (ruled.verdict, ruled.source, ruled.hit) == (Verdict.HIT, Source.PEOPLE, ("B",))


def test_a_tap_is_as_unsure_as_it_is_slow(duel) -> None:
    one = duel(sources=(Source.DICE, Source.HANDS))
    one.roll("A", 1000)
    one.say(Source.PEOPLE, TouchReport(("A",), Where.HAND), 1300, 300)
    assert one.ruled().verdict is Verdict.TOO_CLOSE


def test_without_a_camera_dice_are_told_by_hand_and_the_pad_says_when(duel) -> None:
    one = duel(sources=(Source.PAD,))
    one.people(DieRolled("A", Face.STRIKE), 1000)
    one.touch(1900, is_seen=False)
    ruled = one.ruled()
    assert ruled.doubts == ("it could not be seen whose hand moved", "it could not be seen whether a hand was touched")
    one.people(TouchRuled(Ruling.HIT, "A"), 3000)
    assert one.judge.state.duel.fighters[1].stones == 1


def test_without_anything_people_tell_all_of_it(duel) -> None:
    one = duel(sources=())
    one.people(DieRolled("A", Face.STRIKE), 1000)
    one.people(DiePickedUp("A"), 1500)
    one.say(Source.PEOPLE, TouchReport(("A",), Where.HAND), 1900, 300)
    assert one.ruled().verdict is Verdict.BLUFF


def test_questions_that_nobody_settled_are_draws_in_every_state_that_may_be(duel) -> None:
    """A's die was never read: had it shown the symbol, B would have lost a Stone each time. A draw stands, and takes none."""
    one = duel()
    for n in range(3):
        one.roll("A", 1000 + 5000 * n, Face.UNKNOWN)
        one.touch(1300 + 5000 * n, "A")
        one.through(4000 + 5000 * n)
        (asked,) = one.step(4000 + 5000 * n)
        assert asked.is_question
        one.people(PlayBegan((5000 + 5000 * n) * MS, counted=False), 5000 + 5000 * n)
    one.roll("B", 16_000)
    one.touch(16_300, "B")
    one.through(20_000)
    (ruled,) = one.step(20_000)
    assert (ruled.verdict, ruled.hit, ruled.doubts) == (Verdict.HIT, ("A",), ())
    assert [fighter.stones for fighter in one.judge.state.duel.fighters] == [1, 2]


@pytest.mark.parametrize(("rests_ms", "lifted_ms"), [(1700, None), (600, 900)])
def test_a_die_that_can_not_have_lain_there_at_a_touch_is_not_waited_for(
    duel, rests_ms: int, lifted_ms: int | None
) -> None:
    """A die that came to rest long after, or was taken up long before: what is still worked out of it changes nothing."""
    one = duel()
    one.roll("B", rests_ms, None, is_decided=False)
    if lifted_ms is not None:
        one.die("B", DieNews.TAKEN_UP, lifted_ms, 30)
    one.roll("A", 1000, inside=None)
    one.touch(1300, "A")
    one.through(2000)
    (ruled,) = one.step(2000)
    assert ruled.verdict is Verdict.TOO_CLOSE


def test_a_die_that_may_have_lain_there_at_a_touch_is_waited_for(duel) -> None:
    one = duel()
    one.roll("A", 1330, None, is_decided=False, within_ms=20)
    one.touch(1300, "A")
    one.through(2000)
    assert one.step(2000) == ()
    one.die("A", DieNews.READ, 1330, face=Face.BLANK)
    one.die("A", DieNews.DECIDED, 1330, inside=True)
    assert one.step(2000) != ()
