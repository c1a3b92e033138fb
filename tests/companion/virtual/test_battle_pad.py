"""A virtual duel as a pad feels it: each touch is told at its time, within what the pad says of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from companion.virtual.battle_director import BattleDirector
from companion.virtual.battle_pad import felt_in, play_on, table_pad
from companion.virtual.table import VirtualTable
from hardware.pad.link import PadLink
from hardware.pad.messages import EventKind
from hardware.pad.reports import LinkState, PadEvent, PadState, Report

MS = 1000
PATIENCE_S = 20.0


@pytest.fixture(scope="module")
def director() -> BattleDirector:
    director = VirtualTable("hoshi-battle", 4, ("A", "B")).director()
    assert isinstance(director, BattleDirector)
    return director


def test_every_touch_and_touch_down_is_felt_once_but_knocks_in_the_pause_after_another(
    director: BattleDirector,
) -> None:
    felt = felt_in(director)
    assert [each.at_us for each in felt] == sorted(each.at_us for each in felt)
    contacts = [(each.at_us, each.end_us) for each in felt if each.kind is EventKind.CONTACT]
    assert contacts == [(touch.start_us, touch.end_us) for touch in director.hands.touches]
    knocks = [each.at_us for each in felt if each.kind is EventKind.KNOCK]
    down = sorted(roll.touched_us for roll in director.rolls if roll.touched_us is not None)
    assert set(knocks) <= set(down)
    assert all(after - before >= 50 * MS for before, after in pairwise(knocks))
    assert all(any(0 <= at - knock < 50 * MS for knock in knocks) for at in down)


def test_idle_hands_lie_on_their_electrodes_while_dice_roll(director: BattleDirector) -> None:
    felt = felt_in(director)
    for channel in (1, 2):
        kinds = [each.kind for each in felt if each.channel == channel]
        assert kinds[::2] == [EventKind.REST_LAID] * (len(kinds) // 2)
        assert kinds[1::2] == [EventKind.REST_LIFTED] * (len(kinds) // 2)
        for touch in director.hands.touches:
            before = [each.kind for each in felt if each.channel == channel and each.at_us <= touch.start_us]
            assert before[-1] is EventKind.REST_LAID


@pytest.mark.parametrize("stand_in", [False, True], ids=["firmware", "stand-in"])
def test_a_pad_tells_a_touch_and_its_end_within_its_bound_of_the_truth(
    tmp_path: Path, director: BattleDirector, stand_in: bool
) -> None:
    touch = director.hands.touches[0]
    rests = [each for each in felt_in(director) if each.kind is EventKind.REST_LAID and each.at_us < touch.start_us]
    since, until = touch.start_us - 900 * MS, touch.end_us
    # The idle hands lie there since play began; they are laid a little later here.
    part = [replace(rest, at_us=since + 100 * MS * n) for n, rest in enumerate(rests[-2:])]
    part += [each for each in felt_in(director) if since <= each.at_us < until]
    reports: list[Report] = []
    with table_pad(tmp_path / "pad", stand_in=stand_in) as pad, PadLink(pad.port, reports.append):
        if not stand_in and pad.stands_in is not None:
            pytest.skip(pad.stands_in)
        _wait(lambda: any(isinstance(r, PadState) and r.state is LinkState.READY for r in reports))
        origin_ns = time.monotonic_ns() + 100_000_000 - since * 1000
        play_on(pad.pad, part, origin_ns)
        _wait(lambda: any(isinstance(r, PadEvent) and r.kind == EventKind.RELEASE for r in reports))
    told = [r for r in reports if isinstance(r, PadEvent) and r.kind != EventKind.STARTED]
    wanted = [(each.kind, each.at_us) for each in part] + [(EventKind.RELEASE, touch.end_us)]
    assert sorted(event.kind for event in told) == sorted(kind for kind, _ in wanted)
    assert EventKind.KNOCK in {kind for kind, _ in wanted}
    for event in told:
        assert event.t_ns is not None
        assert event.bound_ns is not None
        true = [origin_ns + at_us * 1000 for kind, at_us in wanted if kind == event.kind]
        assert min(abs(event.t_ns - at_ns) for at_ns in true) <= event.bound_ns


def test_without_the_simulator_the_stand_in_answers_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.virtual.simulated_pad.TOOLS", ("no-such-compiler",))
    reports: list[Report] = []
    with table_pad(tmp_path / "pad") as pad, PadLink(pad.port, reports.append):
        assert pad.stands_in is not None
        assert "no-such-compiler" in pad.stands_in
        _wait(lambda: any(isinstance(r, PadState) and r.state is LinkState.READY for r in reports))


def _wait(until: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not until():
        assert time.monotonic() < give_up
        time.sleep(0.01)
