"""What a tracker of hands says reaches the judge: who closed in and where, raised hands, tries that may have been none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.duel.happenings import FRAME_US
from companion.duel.hearing_hands import UNKNOWN_US, HandsHearing
from companion.duel.judge import DuelJudge
from companion.duel.reports import ClosingReport, RaisedReport, Source, SwingReport
from companion.rules.hoshi_battle.facts import Where
from vision.arena_hands import ArenaHand, Closing

MS = 1000
NS = 1_000_000
STEP_MS = 16


def square(x: float, y: float, half: float = 40.0) -> tuple[tuple[float, float], ...]:
    return ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))


def hand(seat: str, x: float, *, raised: bool | None = False, speed: float | None = 0.0) -> ArenaHand:
    """A's comes from the left, B's from the right; its front is at x, its arm behind it."""
    back = -1 if seat == "A" else 1
    return ArenaHand(
        number=ord(seat),
        seat=seat,
        t_ns=0,
        hand_mm=square(x + back * 40, 100),
        forearm_mm=square(x + back * 130, 100),
        palm_mm=(x + back * 40, 100.0),
        front_mm=(x, 100.0),
        speed=speed,
        raised=raised,
    )


class Told:
    """A tracker whose answers are given, and what is heard of them."""

    def __init__(self, judge: DuelJudge) -> None:
        self.judge = judge
        self.answer = Closing.ONE
        self.hearing = HandsHearing(judge, self, ("A", "B"))
        self.now_ms = 0

    def closing(self, one: str, other: str, t_ns: int) -> Closing:
        return self.answer

    def look(self, *hands: ArenaHand, times: int = 1) -> None:
        for _ in range(times):
            self.now_ms += STEP_MS
            self.hearing.looked(self.now_ms * NS, hands)

    def touched(self) -> ClosingReport:
        self.hearing.touched((7, 1), self.now_ms * NS)
        (found,) = self.heard(ClosingReport)
        return found

    def heard(self, kind: type) -> list:
        return [entry.report for entry in self.judge.line.entries if isinstance(entry.report, kind)]

    def times(self, kind: type) -> list[tuple[int, int]]:
        return [
            (entry.earliest_us, entry.latest_us) for entry in self.judge.line.entries if isinstance(entry.report, kind)
        ]


@pytest.fixture
def told(duel) -> Told:
    return Told(duel().judge)


# -- touches --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "by"),
    [
        (Closing.ONE, ("A",)),
        (Closing.OTHER, ("B",)),
        (Closing.BOTH, ("A", "B")),
        (Closing.NEITHER, None),
        (Closing.UNSURE, None),
    ],
)
def test_who_closed_in_is_as_the_tracker_says(told, answer, by) -> None:
    told.answer = answer
    told.look(hand("A", 200), hand("B", 205))
    report = told.touched()
    assert (report.touch, report.by) == ((7, 1), by)


def test_a_front_at_the_others_fingers_met_a_hand_one_at_its_arm_an_arm_one_between_nobody_knows(told, duel) -> None:
    for x, where in ((204, Where.HAND), (230, Where.HAND), (340, Where.ELSEWHERE), (290, Where.UNKNOWN)):
        one = Told(duel().judge)
        one.look(hand("A", x), hand("B", 200))
        assert one.touched().where is where, x


def test_of_a_hand_that_was_not_seen_nothing_is_told(told) -> None:
    told.look(hand("A", 200))
    assert told.touched().where is Where.UNKNOWN


# -- raised ---------------------------------------------------------------------------------------------------------------


def test_a_hand_that_goes_up_and_down_is_told_between_the_pictures_that_show_it(told) -> None:
    told.look(hand("A", 100), hand("B", 300), times=3)
    told.look(hand("A", 100), hand("B", 300, raised=True), times=20)
    told.look(hand("A", 100), hand("B", 300), times=3)
    assert told.heard(RaisedReport) == [RaisedReport("B", True), RaisedReport("B", False)]
    (since_us, until_us), _ = told.times(RaisedReport)
    assert since_us <= 3 * STEP_MS * MS
    assert until_us >= 4 * STEP_MS * MS
    assert until_us - since_us < 3 * FRAME_US


def test_a_hand_of_which_nobody_can_tell_for_a_while_may_be_raised(told) -> None:
    told.look(hand("B", 300), times=3)
    told.look(hand("B", 300, raised=None), times=UNKNOWN_US // MS // STEP_MS - 1)
    assert told.heard(RaisedReport) == []
    told.look(hand("B", 300, raised=None), times=3)
    told.look(hand("B", 300), times=1)
    assert told.heard(RaisedReport) == [RaisedReport("B", True, False), RaisedReport("B", False, False)]


def test_meanwhile_no_more_is_vouched_for_than_what_was_known(told) -> None:
    told.look(hand("B", 300), times=3)
    told.look(hand("B", 300, raised=None), times=10)
    assert told.judge.line.complete_us((Source.HANDS,)) <= 3 * STEP_MS * MS
    told.look(hand("B", 300), times=1)
    assert told.judge.line.complete_us((Source.HANDS,)) > 12 * STEP_MS * MS


def test_a_raised_hand_of_which_nobody_can_tell_any_more_may_be_down(told) -> None:
    told.look(hand("B", 300), times=2)
    told.look(hand("B", 300, raised=True), times=3)
    told.look(hand("B", 300, raised=None), times=UNKNOWN_US // MS // STEP_MS + 3)
    assert told.heard(RaisedReport) == [RaisedReport("B", True), RaisedReport("B", False, False)]


# -- tries ----------------------------------------------------------------------------------------------------------------


def swing(told: Told, nearest: float = 270.0, speed: float = 900.0) -> None:
    for x in (120.0, 170.0, 220.0, nearest):
        told.look(hand("A", min(x, nearest), speed=speed), hand("B", 300))
    for x in (nearest - 20, nearest - 60, nearest - 100):
        told.look(hand("A", x, speed=-500.0), hand("B", 300))


def test_a_hand_that_came_fast_and_near_and_drew_back_may_have_tried(told) -> None:
    swing(told)
    assert told.heard(SwingReport) == [SwingReport("A", False)]
    ((since_us, until_us),) = told.times(SwingReport)
    assert since_us <= 4 * STEP_MS * MS <= until_us


def test_until_it_draws_back_it_is_not_vouched_for(told) -> None:
    for x in (120.0, 170.0, 220.0, 270.0):
        told.look(hand("A", x, speed=900.0), hand("B", 300))
    assert told.judge.line.complete_us((Source.HANDS,)) < 4 * STEP_MS * MS - FRAME_US


@pytest.mark.parametrize(("nearest", "speed"), [(270.0, 120.0), (175.0, 900.0)])
def test_a_hand_that_is_slow_or_far_did_not_try(told, nearest, speed) -> None:
    swing(told, nearest, speed)
    assert told.heard(SwingReport) == []


def test_a_strike_that_touched_is_no_other_try(told) -> None:
    for x in (120.0, 170.0, 220.0, 290.0):
        told.look(hand("A", x, speed=900.0), hand("B", 300))
    told.touched()
    for x in (270.0, 200.0, 120.0):
        told.look(hand("A", x, speed=-500.0), hand("B", 300))
    assert told.heard(SwingReport) == []


def test_a_hand_that_nobody_owns_is_nobodys(told) -> None:
    told.look(replace(hand("A", 200, raised=True), seat=None))
    assert told.judge.line.entries == ()
