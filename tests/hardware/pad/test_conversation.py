"""The link's promise in simulated time: outside declared gaps no touch is lost or doubled, and their order is kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hardware.pad import messages
from hardware.pad.conversation import Conversation
from hardware.pad.errors import PadAnswerError, PadError, PadLostError, PadTimeoutError
from hardware.pad.frames import encode_frame
from hardware.pad.inbox import Position
from hardware.pad.messages import UNBOUNDED, EventFlag, EventKind, ResetCause
from hardware.pad.reports import GapKind, PadEvent
from hardware.virtual.pad_model import DICTIONARY, RING_EVENTS

MS = 1_000_000
SECOND = 1000 * MS
Worlds = Callable[..., Any]


def evening(world: Any, touches: int, mishaps: bool) -> None:
    """Touches at up to ten a second, with mishaps between them; then peace until everything was told."""
    world.run(SECOND)
    for _ in range(touches):
        world.touch()
        world.run(world.rng.randrange(60, 140) * MS)
        chance = world.rng.random()
        if not mishaps or chance > 0.03:
            continue
        match world.rng.randrange(6):
            case 0:
                world.reset()
            case 1:
                world.reset(ResetCause.POWER)
            case 2:
                world.stall_host(SECOND)
            case 3:
                world.stall_pad(SECOND)
            case 4:
                world.unplug()
                world.run(world.rng.randrange(50, 1500) * MS)
                world.replug()
            case _:
                world.talk.ask(messages.get(1), 3.0)
    world.faults.corrupt = world.faults.drop = 0.0
    world.run(3 * SECOND)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_clean_line_tells_every_touch_and_no_gap(pad_world: Worlds, seed: int) -> None:
    world = pad_world(seed=seed)
    evening(world, 200, mishaps=False)
    world.check()
    assert world.gaps == []
    assert len([event for event in world.events if event.kind == EventKind.CONTACT]) == 200
    assert world.memory.events == type(world.memory.events)(), "all were acknowledged"


def test_corrupted_bytes_cost_no_touch(pad_world: Worlds) -> None:
    world = pad_world(corrupt=0.01)
    evening(world, 500, mishaps=False)
    world.check()
    assert world.gaps == []
    assert world.talk.stats.bad_crc > 100
    assert world.talk.stats.repeated > 0


def test_through_resets_stalls_and_unplugs_nothing_is_missing_outside_the_declared_gaps(pad_world: Worlds) -> None:
    world = pad_world(corrupt=0.01, drop=0.002, seed=3)
    evening(world, 1000, mishaps=True)
    world.check()
    kinds = {gap.kind for gap in world.gaps}
    assert kinds >= {GapKind.RESTARTED, GapKind.POWER_LOST}
    told = sum(event.kind == EventKind.CONTACT for event in world.events)
    assert told > 960, "gaps are short"


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_thousand_touches(pad_world: Worlds, seed: int) -> None:
    world = pad_world(corrupt=0.01, drop=0.002, seed=seed)
    evening(world, 10_000, mishaps=True)
    world.check()


@settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 2**32),
    ppm=st.floats(-5000, 5000),
    corrupt=st.sampled_from([0.0, 0.01, 0.03]),
    acts=st.lists(
        st.sampled_from(
            ["touch", "touch", "touch", "reset", "cold", "stall host", "stall pad", "unplug", "replug", "ask"]
        ),
        max_size=25,
    ),
    pauses=st.lists(st.integers(1, 400), min_size=25, max_size=25),
)
def test_any_mishaps_in_any_order(
    pad_world: Worlds, seed: int, ppm: float, corrupt: float, acts: list[str], pauses: list[int]
) -> None:
    world = pad_world(seed=seed, ppm=ppm)
    world.run(SECOND)  # of what was before the host knew the pad nothing is promised
    world.faults.corrupt = corrupt
    for act, pause in zip(acts, pauses, strict=False):
        match act:
            case "touch":
                world.touch()
            case "reset":
                world.reset()
            case "cold":
                world.reset(ResetCause.POWER)
            case "stall host":
                world.stall_host(3 * pause * MS)
            case "stall pad":
                world.stall_pad(3 * pause * MS)
            case "unplug" if world.plugged:
                world.unplug()
            case "replug" if not world.plugged:
                world.replug()
            case "ask":
                world.talk.ask(messages.get(0), 1.0)
        world.run(pause * MS)
    if not world.plugged:
        world.replug()
    world.faults.corrupt = 0.0
    world.run(3 * SECOND)
    world.check()


def test_a_touch_that_a_reset_cut_off_lies_in_the_gap(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.touch()
    world.run(3 * MS)  # its dwell is 5
    world.reset()
    world.run(SECOND)
    (gap,) = world.gaps
    assert gap.kind is GapKind.RESTARTED
    assert gap.since_ns < world.touches[0].t_ns < gap.until_ns
    assert gap.until_ns - gap.since_ns < SECOND
    assert "its watchdog" in gap.text
    world.check()


def test_what_waited_in_the_ring_survives_a_watchdog_reset(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.stall_host(SECOND)
    for _ in range(5):
        world.touch()
        world.run(100 * MS)
    world.reset()
    world.run(2 * SECOND)
    kinds = [event.kind for event in world.events]
    assert kinds == [EventKind.STARTED, *[EventKind.CONTACT] * 5, EventKind.STARTED]
    assert len({event.boot for event in world.events}) == 2
    world.check()


def test_loss_of_power_begins_a_new_ring_and_says_so(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.stall_host(SECOND)
    world.touch()
    world.run(100 * MS)
    world.reset(ResetCause.POWER)
    world.run(3 * SECOND)
    (gap,) = world.gaps
    assert gap.kind is GapKind.POWER_LOST
    assert "power was switched on" in gap.text
    assert [event.kind for event in world.events] == [EventKind.STARTED] * 2
    world.check()


def test_loss_of_power_while_the_pad_is_being_greeted_is_declared(pad_world: Worlds) -> None:
    """It has said which ring it has, and nothing of it was taken yet."""
    world = pad_world()
    world.touch()
    world.run(10 * MS)
    assert not world.talk.ready
    world.reset(ResetCause.POWER)
    world.run(SECOND)
    assert [gap.kind for gap in world.gaps] == [GapKind.POWER_LOST]
    world.check()


def test_a_reset_before_any_event_is_declared_too(pad_world: Worlds) -> None:
    """Everything was acknowledged in an earlier run; only the heartbeats told which boot it was."""
    world = pad_world()
    world.memory.events.clear()
    world.run(SECOND)
    world.reset()
    world.run(SECOND)
    assert [gap.kind for gap in world.gaps] == [GapKind.RESTARTED]


def test_a_reset_that_was_asked_for_happens_once(pad_world: Worlds) -> None:
    world = pad_world(corrupt=0.02)
    world.run(2 * SECOND)
    boot = world.memory.boot
    asked = world.talk.ask(messages.reset(boot), 3.0)
    world.run(2 * SECOND)
    assert asked.done()
    assert world.memory.boot == boot + 1


def test_an_unplugged_pad_with_power_of_its_own_loses_nothing(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.unplug()
    for _ in range(10):
        world.touch()
        world.run(100 * MS)
    world.replug()
    world.run(SECOND)
    world.check()
    assert world.gaps == []
    assert [event.kind for event in world.events].count(EventKind.CONTACT) == 10


def test_a_full_ring_counts_what_it_can_not_hold(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.unplug()
    for _ in range(RING_EVENTS + 20):
        world.touch()
        world.run(100 * MS)
    world.replug()
    world.run(SECOND)
    (gap,) = world.gaps
    assert (gap.kind, gap.lost) == (GapKind.OVERFLOW, 20)
    missing = [touch for touch in world.touches if touch.counted]
    assert len(missing) == 20
    assert gap.since_ns <= missing[0].t_ns < missing[-1].t_ns <= gap.until_ns
    assert "20 events were lost" in gap.text
    world.check()


def test_nothing_is_let_go_of_before_it_is_safe(pad_world: Worlds) -> None:
    world = pad_world(confirm_at_once=False)
    world.run(SECOND)
    for _ in range(4):
        world.touch()
        world.run(100 * MS)
    taken = world.events
    assert len(taken) == len(world.memory.events) == 5
    world.talk.confirm(taken[2].ring, taken[2].seq)
    world.run(200 * MS)
    assert [event.seq for event in world.memory.events] == [4, 5]
    assert len(world.events) == 5, "they are sent again and not handed on again"
    assert world.talk.stats.repeated > 0


def test_another_run_goes_on_where_the_last_one_was_safe(pad_world: Worlds) -> None:
    first = pad_world(confirm_at_once=False)
    first.run(SECOND)
    for _ in range(3):
        first.touch()
        first.run(100 * MS)
    first.talk.confirm(first.memory.ring, 2)
    first.unplug()
    safe = first.talk.inbox.resume_at(first.memory.ring)
    assert safe == 3
    first.talk = Conversation("pad", 250_000, lambda: first.now, Position(first.memory.ring, safe))
    first.reports.clear()
    first.replug()
    first.run(SECOND)
    assert [event.seq for event in first.events] == [3, 4]
    assert first.gaps == []


def test_events_that_the_pad_should_hold_and_does_not_are_a_gap(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.unplug()
    for _ in range(4):
        world.touch()
        world.run(100 * MS)
    world.memory.events.popleft()
    world.memory.events.popleft()
    world.replug()
    world.run(SECOND)
    (gap,) = world.gaps
    assert (gap.kind, gap.lost) == (GapKind.RING_LOST, 2)
    assert [event.seq for event in world.events] == [1, 4, 5]


def test_events_that_vanish_in_the_middle_of_a_talk_are_a_gap(pad_world: Worlds) -> None:
    """As after an acknowledgement that noise has made: the heartbeat shows it."""
    world = pad_world()
    world.run(SECOND)
    world.stall_host(600 * MS)
    for _ in range(4):
        world.touch()
        world.run(100 * MS)
    world.to_host.clear()
    ring = world.memory.ring
    world.model.receive(encode_frame(messages.ack(ring, 4)), world.us(world.now))
    world.run(2 * SECOND)
    (gap,) = world.gaps
    assert (gap.kind, gap.lost) == (GapKind.RING_LOST, 2)
    assert [event.seq for event in world.events] == [1, 4, 5]
    assert world.talk.stats.opened == 1
    world.check()


def test_a_busy_pad_is_asked_again(pad_world: Worlds) -> None:
    """It tests itself while the host begins anew."""
    world = pad_world()
    world.run(SECOND)
    world.talk.ask(messages.Command(messages.Kind.SELF_TEST), 3.0)
    world.run(20 * MS)
    world.unplug()
    world.replug()
    world.run(SECOND)
    assert world.talk.ready


def test_how_sure_an_onset_is_goes_into_its_bound(pad_world: Worlds) -> None:
    world = pad_world(ppm=0)
    world.run(SECOND)
    stated = (50, 700, 7000, UNBOUNDED)
    for within_us in stated:
        world.model.record(EventKind.CONTACT, 0, world.us(world.now), 5000, 700, EventFlag.HUM, within_us)
    world.model.record(EventKind.REST_LAID, 1, world.us(world.now), 20_000, 700, EventFlag.FOUND_AT_START)
    world.run(50 * MS)
    events = world.events[-5:]
    assert [event.within_us for event in events] == [50, 700, 7000, None, None]
    assert [event.uncertain for event in events] == [False, True, True, True, True]
    good, wide, wider, unbounded, found = (event.bound_ns for event in events)
    assert good is not None
    assert 50_000 < good < MS
    assert (wide, wider) == (good + 650_000, good + 6_950_000)
    assert (unbounded, found) == (None, None)


def test_a_pads_names_are_its_own(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.model.record(EventKind.KNOCK, 3, world.us(world.now), 0, 700)
    world.model.record(77, 3, world.us(world.now), 0, 700)
    world.run(100 * MS)
    knock, newer = world.events[-2:]
    assert (knock.name, knock.channel_name) == ("knock", "knock")
    assert newer.name == "kind 77"
    assert len(world.talk.dictionary.settings) == DICTIONARY.count(b"setting ")


# Commands


def test_a_setting_is_read_set_and_saved_over_a_start(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.faults.corrupt = 0.01
    setting = world.talk.dictionary.setting("contact-dwell")
    answers = [
        world.talk.ask(command, 3.0)
        for command in (messages.set_value(setting.index, 7000), messages.Command(messages.Kind.SAVE))
    ]
    world.run(4 * SECOND)
    assert [answer.result(0).status for answer in answers] == [0, 0]
    world.reset(ResetCause.POWER)
    read = world.talk.ask(messages.get(setting.index), 5.0)
    world.run(5 * SECOND)
    assert int.from_bytes(read.result(0).data, "little") == 7000


def test_a_refusal_says_what_and_why(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    refused = world.talk.ask(messages.set_value(0, 1), 3.0)
    unknown = world.talk.ask(messages.Command(messages.Kind.ACK), 3.0)
    world.run(SECOND)
    with pytest.raises(PadAnswerError, match="the pad refused set: it does not take this value"):
        refused.result(0)
    with pytest.raises(PadAnswerError, match="its firmware does not know this command"):
        unknown.result(0)


def test_a_command_that_nobody_answers_ends_by_itself(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.stall_pad(3600 * SECOND)
    asked = world.talk.ask(messages.get(0), 1.0)
    world.run(2 * SECOND)
    with pytest.raises(PadTimeoutError, match="did not answer get in time"):
        asked.result(0)


def test_commands_in_line_fail_when_the_pad_is_unplugged(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    asked = [world.talk.ask(messages.get(index), 3.0) for index in range(3)]
    world.unplug()
    for one in asked:
        with pytest.raises(PadLostError, match="was unplugged"):
            one.result(0)


def test_a_command_that_was_given_up_is_not_sent(pad_world: Worlds) -> None:
    world = pad_world()
    world.run(SECOND)
    world.stall_pad(300 * MS)
    world.talk.ask(messages.get(0), 3.0)
    world.run(5 * MS)
    dropped = world.talk.ask(messages.set_value(0, 9000), 3.0)
    assert dropped.cancel()
    world.run(SECOND)
    assert world.model.settings[0] == 5000


def test_a_sleeping_host_makes_the_clock_begin_anew_and_says_so(pad_world: Worlds) -> None:
    """Its monotonic clock stood still while the pad's went on."""
    world = pad_world()
    world.run(3 * SECOND)
    for boot in world.starts:
        world.starts[boot] -= 60 * SECOND
    world.run(2 * SECOND)
    assert [gap.kind for gap in world.gaps] == [GapKind.CLOCK_JUMPED]
    world.touch()
    world.run(100 * MS)
    event = world.reports[-1]
    assert isinstance(event, PadEvent)
    assert abs(event.t_ns - world.true_ns(event)) <= event.bound_ns < 5 * MS


# What a pad should not say


BODIES = st.one_of(
    st.binary(min_size=1, max_size=62),
    st.builds(
        lambda kind, rest: bytes((kind,)) + rest, st.sampled_from([0x80, 0x83, 0xC0, 0xC1]), st.binary(max_size=40)
    ),
    st.builds(
        lambda tag, status, rest: bytes((0x80, tag, status)) + rest,
        st.integers(0, 9),
        st.integers(0, 6),
        st.binary(max_size=30),
    ),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=st.lists(BODIES, max_size=12), greeted=st.booleans())
def test_whole_frames_of_nonsense_end_the_talk_in_one_line_or_not_at_all(
    pad_world: Worlds, bodies: list[bytes], greeted: bool
) -> None:
    """As from another device whose frames happen to look alike, or a broken firmware; in the middle of a good talk or before."""
    world = pad_world()
    world.run(500 * MS if greeted else 0)
    said = ""
    with contextlib.suppress(PadError):
        for body in bodies:
            try:
                world.talk.feed(encode_frame(body), world.now)
            except PadError as error:
                said = str(error)
                raise
            world.talk.reports()
            world.run(2 * MS)
    assert "\n" not in said


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(noise=st.binary(max_size=400))
def test_any_noise_in_a_good_talk_costs_nothing(pad_world: Worlds, noise: bytes) -> None:
    world = pad_world()
    world.run(500 * MS)
    world.talk.feed(noise, world.now)
    world.touch()
    world.run(500 * MS)
    world.check()
    assert world.gaps == []
    assert [event.kind for event in world.events][-1] == EventKind.CONTACT


def test_the_stats_are_one_line(pad_world: Worlds) -> None:
    world = pad_world(corrupt=0.01, ppm=1500)
    world.run(5 * SECOND)
    line = world.talk.stats.line()
    assert "\n" not in line
    words = dict(word.split("=") for word in line.split())
    assert set(words) >= {"sent", "resent", "received", "bad_crc", "rtt", "clock_error", "frequency"}
    assert int(words["bad_crc"]) > 0
    assert 1300 < float(words["frequency"].removesuffix("ppm")) < 1700
