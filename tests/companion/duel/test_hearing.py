"""What the pad's link and the dice tracker say reaches the judge with its own time and band; nothing is vouched for too soon."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from companion.duel.hearing import CONFIRMED_US, DiceHearing, PadHearing
from companion.duel.judge import DuelJudge
from companion.duel.reports import ClosingReport, Source, TouchReport
from companion.duel.rolls import Stage, lives_of
from companion.duel.timeline import NEVER_US
from companion.rules.hoshi_battle import Verdict
from companion.rules.hoshi_battle.facts import Doubt, Face, Where
from hardware.pad.link import PadLink
from hardware.pad.messages import EventKind
from hardware.pad.reports import GapKind, LinkState, PadEvent, PadGap, PadState, Report
from hardware.virtual.pad import VirtualPad
from vision.arena_hands import ArenaHand
from vision.dice.track import DiceEvent, DiceEventKind, DieState, Touch

MS = 1000
NS = 1_000_000
DICE = {"red": ("A", 0, 10), "blue": ("B", 0, 8)}
PATIENCE_S = 20.0


def event(
    at_ms: float | None, seq: int = 1, kind: EventKind = EventKind.CONTACT, bound_ms: float | None = 0.5
) -> PadEvent:
    return PadEvent(
        ring=7,
        boot=3,
        seq=seq,
        kind=kind,
        name=kind.name.lower(),
        channel=0,
        channel_name="contact",
        flags=0,
        onset_us=0,
        within_us=50,
        dwell_us=8000,
        strength=0,
        t_ns=None if at_ms is None else round(at_ms * NS),
        bound_ns=None if bound_ms is None else round(bound_ms * NS),
    )


@pytest.fixture
def judge(duel) -> DuelJudge:
    return duel().judge


@pytest.fixture
def pad(judge: DuelJudge) -> Callable[..., None]:
    hearing = PadHearing(judge)
    return lambda report, now_ms: hearing.hear(report, round(now_ms * NS))


def told(judge: DuelJudge, source: Source) -> int:
    return judge.line.complete_us((source,))


# -- the pad --------------------------------------------------------------------------------------------------------------


def test_a_touch_has_the_pads_time_and_bound_and_not_its_receipts(judge, pad) -> None:
    pad(event(1300, bound_ms=0.5), 9000)
    (entry,) = judge.line.entries
    assert (entry.at_us, entry.within_us, entry.source, entry.key) == (1300 * MS, 500, Source.PAD, (7, 1))
    assert isinstance(entry.report, TouchReport)
    assert told(judge, Source.PAD) == 1300 * MS + 500


def test_an_event_that_comes_twice_is_one_touch(judge, pad) -> None:
    pad(event(1300), 1310)
    pad(event(1300), 1400)
    assert len(judge.line.entries) == 1


def test_a_knock_vouches_for_less_than_its_own_moment(judge, pad) -> None:
    """A touch just before it is confirmed after its dwell, and comes after the knock."""
    pad(event(1300, 1, EventKind.KNOCK), 1301)
    assert judge.line.entries == ()
    assert told(judge, Source.PAD) == 1300 * MS - CONFIRMED_US
    pad(event(1299, 2), 1310)
    assert judge.line.broken == ()


def test_a_touch_whose_moment_hum_hid_leaves_the_pad_blind_for_it(judge, pad) -> None:
    pad(event(1300, bound_ms=None), 1310)
    assert judge.line.blind_at(Source.PAD, 1300 * MS, 1300 * MS) is not None
    assert judge.line.blind_at(Source.PAD, 1400 * MS, 1400 * MS) is None


def test_what_was_felt_at_nobody_knows_when_leaves_it_blind_since_its_last_word(judge, pad) -> None:
    pad(event(1000), 1010)
    pad(event(None, 2), 1500)
    assert [entry.key for entry in judge.line.entries] == [(7, 1)]
    span = judge.line.blind_at(Source.PAD, 1200 * MS, 1200 * MS)
    assert span is not None
    assert (span.since_us, span.until_us) == (1000 * MS + 500, 1500 * MS)


def test_a_gap_is_declared_as_the_link_declares_it(judge, pad) -> None:
    pad(event(1000), 1010)
    pad(PadGap(GapKind.RESTARTED, 1100 * NS, 1400 * NS, "it began anew"), 1500)
    pad(PadGap(GapKind.RING_LOST, None, None, "events are missing"), 1600)
    spans = [(span.since_us, span.until_us, span.why) for span in judge.line.blinds]
    assert spans == [(1100 * MS, 1400 * MS, "it began anew"), (1000 * MS + 500, 1600 * MS, "events are missing")]


def test_a_pad_that_is_gone_is_blind_until_it_is_there_again(judge, pad) -> None:
    pad(event(1000), 1010)
    for state in (LinkState.SILENT, LinkState.UNPLUGGED, LinkState.SEARCHING):
        pad(PadState(state, state.value, 0), 1500)
    assert told(judge, Source.PAD) == NEVER_US
    assert len(judge.line.blinds) == 1
    pad(PadState(LinkState.READY, "ready", 0), 4000)
    assert told(judge, Source.PAD) == 4000 * MS
    assert judge.line.blind_at(Source.PAD, 2000 * MS, 2000 * MS) is not None
    assert judge.line.blind_at(Source.PAD, 4100 * MS, 4200 * MS) is None


def test_a_virtual_pads_touches_are_judged_at_their_own_times(tmp_path: Path, duel) -> None:
    """Through the real link, with bytes spoilt: the time line of the duel counts from a moment on the host's clock."""
    one = duel(sources=(Source.PAD,))
    reports: list[tuple[Report, int]] = []
    port = tmp_path / "pad"
    with VirtualPad(port, ppm=250.0) as pad, PadLink(str(port), lambda r: reports.append((r, time.monotonic_ns()))):
        _wait(lambda: any(isinstance(r, PadState) and r.state is LinkState.READY for r, _ in reports))
        pad.faults.corrupt = 0.01
        truths = [time.monotonic_ns() + 50_000_000 + 120_000_000 * n for n in range(3)]
        for at_ns in truths:
            pad.touch(seconds=0.02, at_ns=at_ns)
        _wait(lambda: sum(isinstance(r, PadEvent) and r.kind == EventKind.CONTACT for r, _ in reports) == 3)
    hearing = PadHearing(one.judge)
    for report, taken_ns in reports:
        hearing.hear(report, taken_ns)
    entries = [entry for entry in one.judge.line.entries if isinstance(entry.report, TouchReport)]
    assert len(entries) == 3
    for entry, at_ns in zip(entries, truths, strict=True):
        assert entry.earliest_us - 1 <= at_ns / 1000 <= entry.latest_us + 1
    assert told(one.judge, Source.PAD) >= entries[-1].at_us


def _wait(until: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not until():
        assert time.monotonic() < give_up
        time.sleep(0.01)


# -- dice -----------------------------------------------------------------------------------------------------------------


def news(
    kind: DiceEventKind, at_ms: float, err_ms: float = 0.0, die: str = "red", touch: Touch | None = None
) -> DiceEvent:
    return DiceEvent(kind, die, round(at_ms * NS), round(err_ms * NS), 100.0, 100.0, touch)


@pytest.fixture
def dice(judge: DuelJudge) -> DiceHearing:
    return DiceHearing(judge, DICE)


def rolled(dice: DiceHearing, at_ms: float = 1000.0, touch: Touch | None = None, face: Face = Face.STRIKE) -> None:
    dice.hear(news(DiceEventKind.APPEARED, at_ms - 400, 10))
    dice.hear(news(DiceEventKind.SETTLED, at_ms, 8))
    dice.read("red", face, round(at_ms * NS))
    dice.hear(news(DiceEventKind.DECIDED, at_ms, 8, touch=touch))


def test_a_throw_is_a_roll_of_its_seat(judge, dice) -> None:
    rolled(dice)
    (life,) = lives_of(judge.line.entries)
    assert (life.seat, life.die, life.sides, life.face, life.inside, life.is_decided) == (
        "A",
        0,
        10,
        Face.STRIKE,
        None,
        True,
    )
    assert (life.settled.earliest_us, life.settled.latest_us) == (992 * MS, 1008 * MS)
    assert life.released.latest_us == 600 * MS
    assert life.released.earliest_us <= 590 * MS


def test_each_throw_is_a_roll_of_its_own_and_ends_the_one_before(judge, dice) -> None:
    rolled(dice)
    dice.hear(news(DiceEventKind.TAKEN_UP, 1500, 60))
    rolled(dice, 2400)
    first, second = lives_of(judge.line.entries)
    assert (first.throw, second.throw) == (1, 2)
    assert first.lifted.latest_us == 1560 * MS
    assert first.lifted.earliest_us < 1500 * MS
    assert second.lifted is None


def test_what_is_told_late_of_a_rest_belongs_to_its_throw_and_not_to_the_next(judge, dice) -> None:
    """A side or a face that was still worked out when the die was thrown again says nothing of the new throw."""
    dice.hear(news(DiceEventKind.APPEARED, 600, 10))
    dice.hear(news(DiceEventKind.SETTLED, 1000, 8))
    dice.hear(news(DiceEventKind.TAKEN_UP, 1300, 30))
    dice.hear(news(DiceEventKind.APPEARED, 1500, 10))
    dice.hear(news(DiceEventKind.SETTLED, 1900, 8))
    dice.read("red", Face.STRIKE, 1000 * NS)
    dice.hear(news(DiceEventKind.DECIDED, 1000, 8, touch=landed_inside()))
    first, second = lives_of(judge.line.entries)
    assert (first.is_read, first.face, first.is_decided, first.inside) == (True, Face.STRIKE, True, True)
    assert (second.is_read, second.is_decided) == (False, False)
    dice.read("red", Face.BLANK, 1900 * NS)
    first, second = lives_of(judge.line.entries)
    assert (first.face, second.face) == (Face.STRIKE, Face.BLANK)


def test_a_die_that_comes_to_a_stand_and_goes_on_is_the_same_roll(judge, dice) -> None:
    dice.hear(news(DiceEventKind.APPEARED, 600))
    dice.hear(news(DiceEventKind.SETTLED, 1000, 8))
    dice.hear(news(DiceEventKind.UNSETTLED, 1100, 8))
    dice.hear(news(DiceEventKind.SETTLED, 1400, 8))
    (life,) = lives_of(judge.line.entries)
    assert life.settled.at_us == 1400 * MS


def test_a_die_that_lies_there_from_the_first_is_a_roll_too(judge, dice) -> None:
    dice.hear(news(DiceEventKind.SETTLED, 100, 8))
    (life,) = lives_of(judge.line.entries)
    assert life.released is None
    assert life.is_open


def test_a_die_lost_from_sight_while_it_rolled_was_seen_last_before(judge, dice) -> None:
    dice.hear(news(DiceEventKind.APPEARED, 600))
    dice.hear(news(DiceEventKind.LOST, 700, 250))
    (life,) = lives_of(judge.line.entries)
    assert life.stage(960 * MS) is Stage.SNATCHED
    assert life.lifted.earliest_us <= 700 * MS
    assert life.lifted.latest_us == 950 * MS


def test_a_strange_die_leaves_the_camera_blind_for_its_moment(judge, dice) -> None:
    dice.hear(news(DiceEventKind.THIRD_DIE, 500, 5, die=""))
    assert judge.line.blind_at(Source.DICE, 500 * MS, 500 * MS) is not None
    assert judge.line.entries == ()


def test_while_a_die_may_be_at_rest_and_that_is_not_told_nothing_is_vouched_for(judge, dice) -> None:
    """It moves until 500 ms, and lies still from then on; that it does so is told at 660."""
    away = {"blue": (DieState.AWAY, None)}
    for n, x in enumerate((10.0, 40.0, 70.0, 90.0, 100.0, 100.2, 100.3, 100.3)):
        dice.looked(round((300 + 50 * n) * NS), away | {"red": (DieState.MOVING, (x, 50.0))})
    assert told(judge, Source.DICE) <= 500 * MS
    dice.hear(news(DiceEventKind.SETTLED, 500, 8))
    assert judge.line.broken == ()
    dice.looked(660 * NS, away | {"red": (DieState.DECIDING, (100.3, 50.0))})
    assert told(judge, Source.DICE) > 600 * MS


def test_a_die_in_plain_motion_holds_nothing_up(judge, dice) -> None:
    for n in range(6):
        dice.looked(round((300 + 16.7 * n) * NS), {"red": (DieState.MOVING, (10.0 + 20 * n, 50.0))})
    assert told(judge, Source.DICE) > 300 * MS + 3 * 16_700


def test_a_die_whose_sight_a_hand_changes_is_not_vouched_for_as_one_in_motion(judge, dice) -> None:
    """A hand that draws over a die at rest leaves less of it from picture to picture: its middle seems to move."""
    away = {"blue": (DieState.AWAY, None)}
    hand = ArenaHand(1, "A", 0, ((0.0, 0.0), (60.0, 0.0), (60.0, 60.0), (0.0, 60.0)), (), (30.0, 30.0), (60.0, 30.0))
    dice.hear(news(DiceEventKind.APPEARED, 300))
    for n in range(20):
        place = (100.0 + 3.0 * min(n, 5), 50.0)
        dice.looked(round((300 + 16.7 * n) * NS), away | {"red": (DieState.MOVING, place)})
    at_rest_ms = 300 + 16.7 * 5
    for n in range(20, 40):
        place = (115.0 - 3.0 * (n - 19), 50.0)
        looked = replace(hand, hand_mm=tuple((x + 40, y) for x, y in hand.hand_mm))
        dice.looked(round((300 + 16.7 * n) * NS), away | {"red": (DieState.MOVING, place)}, [looked])
    assert judge.line.told_us[Source.DICE] <= at_rest_ms * MS


def test_pad_and_tracker_together_make_a_ruling(duel) -> None:
    one = duel(sources=(Source.PAD, Source.DICE))
    dice, pad = DiceHearing(one.judge, DICE), PadHearing(one.judge)
    rolled(dice, touch=landed_inside())
    pad.hear(event(1300), 1310 * NS)
    one.judge.tell(_closing(one))
    assert one.step(1320) == ()
    dice.looked(1400 * NS, {"red": (DieState.SETTLED, (100.0, 100.0)), "blue": (DieState.AWAY, None)})
    (ruled,) = one.step(1410)
    assert (ruled.verdict, ruled.fact.doubt) == (Verdict.HIT, Doubt.NONE)


def landed_inside() -> Touch:
    fields = Touch.__dataclass_fields__
    values = dict.fromkeys(fields, 0) | {"inside": True}
    return Touch(**values)


def _closing(one):
    from companion.duel.timeline import Entry

    return Entry(1300 * MS, 0, Source.HANDS, (1,), ClosingReport((7, 1), ("A",), Where.HAND))
