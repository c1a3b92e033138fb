"""The real image: events stay until the host has them, through silence, resets, noise and a spoilt memory."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardware.pad import messages
from hardware.pad.frames import encode_frame
from hardware.pad.messages import Event, EventFlag, EventKind, Heartbeat, HeartbeatFlag, ResetCause
from hardware.virtual.pad_model import DICTIONARY
from hardware.virtual.simulated_pad import SteppedPad

Onsets = Callable[[SteppedPad, int], list[float]]

LAID_US = 600_000
RING_SLOTS = 64


@pytest.fixture
def alone(simulator: None) -> Iterator[SteppedPad]:
    """A pad whose host hears and says nothing; both hands lie at LAID_US."""
    with SteppedPad(takes=False) as pad:
        pad.at(200_000, "rest 1 100000")
        pad.at(300_000, "rest 2 100000")
        pad.run(LAID_US)
        yield pad


def touch(pad: SteppedPad, t_us: float, lasts_us: float = 50_000) -> None:
    pad.at(t_us, "contact 50000")
    pad.at(t_us + lasts_us, "contact open")


def take_all(pad: SteppedPad) -> None:
    """The host is back: it asks for everything and takes it."""
    pad.takes = True
    pad.ask(messages.resume(0, 0))
    pad.run_through(pad.now_us + 1_500_000)


def test_three_seconds_of_ten_touches_wait_for_a_silent_host(alone: SteppedPad) -> None:
    for n in range(30):
        touch(alone, LAID_US + 100_000 * (n + 1))
    alone.run(LAID_US + 3_200_000)
    take_all(alone)

    assert [event.seq for event in alone.events] == list(range(1, 64))
    assert [event.kind for event in alone.events[3:]] == [EventKind.CONTACT, EventKind.RELEASE] * 30


def test_what_finds_no_place_is_one_overflow_in_its_place(alone: SteppedPad) -> None:
    for n in range(40):
        touch(alone, LAID_US + 100_000 * (n + 1))
    alone.run(LAID_US + 4_200_000)
    take_all(alone)
    touch(alone, alone.now_us + 100_000)
    alone.run_through(alone.now_us + 400_000)

    kept, lost, after = alone.events[:RING_SLOTS], alone.events[RING_SLOTS], alone.events[RING_SLOTS + 1 :]
    assert [event.seq for event in alone.events] == list(range(1, len(alone.events) + 1))
    assert EventKind.OVERFLOW not in {event.kind for event in kept}
    assert lost.kind == EventKind.OVERFLOW
    assert lost.strength == 3 + 80 - RING_SLOTS
    assert lost.onset_us > kept[-1].onset_us
    assert lost.dwell_us == pytest.approx(900, abs=20)  # ms, from the first lost one, a release, to the last
    assert [event.kind for event in after] == [EventKind.CONTACT, EventKind.RELEASE]


@pytest.mark.parametrize(("order", "cause"), [("hang", ResetCause.WATCHDOG), ("reset", ResetCause.EXTERNAL)])
def test_a_warm_reset_loses_nothing_that_was_kept(alone: SteppedPad, order: str, cause: ResetCause) -> None:
    for n in range(10):
        touch(alone, LAID_US + 100_000 * (n + 1))
    alone.at(LAID_US + 1_200_000, order)
    alone.run(LAID_US + 2_000_000)
    touch(alone, LAID_US + 2_100_000)
    alone.run(LAID_US + 2_300_000)
    take_all(alone)

    first = [event for event in alone.events if event.boot == 1]
    second = [event for event in alone.events if event.boot == 2]
    assert [event.kind for event in first[3:]] == [EventKind.CONTACT, EventKind.RELEASE] * 10
    assert second[0].kind == EventKind.STARTED
    assert second[0].strength == cause
    assert {(event.kind, event.flags & EventFlag.FOUND_AT_START) for event in second[1:3]} == {
        (EventKind.REST_LAID, EventFlag.FOUND_AT_START)
    }
    assert [event.kind for event in second[3:]] == [EventKind.CONTACT, EventKind.RELEASE]
    assert {event.ring for event in alone.events} == {1}
    assert [event.seq for event in alone.events] == list(range(1, len(alone.events) + 1))


def test_a_reset_at_the_very_moment_of_an_event_loses_no_other(alone: SteppedPad) -> None:
    """The button is pressed around the instant at which an event is written down, forty times, at any cycle."""
    rng = random.Random(12)
    alone.takes = True
    for _ in range(40):
        first = alone.now_us + 150_000
        seen = len(alone.events)
        touch(alone, first, 30_000)
        touch(alone, first + 100_000, 30_000)
        alone.at(first + 105_000 + rng.uniform(0, 1_600), "reset")
        alone.takes = False
        alone.run(first + 120_000)
        alone.takes = True
        alone.run_through(first + 500_000)

        new = alone.events[seen:]
        assert [event.kind for event in new[:2]] == [EventKind.CONTACT, EventKind.RELEASE]
        assert EventKind.OVERFLOW not in {event.kind for event in new}
    assert {event.ring for event in alone.events} == {1}
    assert [event.seq for event in alone.events] == list(range(1, len(alone.events) + 1))
    at_the_moment = (
        sum(e.kind == EventKind.CONTACT and not e.flags & EventFlag.FOUND_AT_START for e in alone.events) - 40
    )
    assert 0 < at_the_moment < 40, "the resets all came before the event was written, or all after"


@pytest.mark.parametrize("order", ["hang", "reset", "power 5"])
def test_every_boot_s_clock_begins_with_it(laid: SteppedPad, order: str) -> None:
    """A flag that the timer had up before must not count as an overflow of 32.768 ms."""
    for n in range(12):
        laid.at(laid.now_us + 100_000 + 1_234.5 * n, order)
        laid.run_through(laid.now_us + 500_000)

    started = [event.onset_us for event in laid.events if event.kind == EventKind.STARTED]
    assert len(started) == 13
    assert all(onset < 5_000 for onset in started)


def test_loss_of_supply_begins_a_new_ring(alone: SteppedPad) -> None:
    touch(alone, LAID_US + 100_000)
    alone.at(LAID_US + 300_000, "power 7")
    alone.run(LAID_US + 500_000)
    take_all(alone)

    assert {event.ring for event in alone.events} == {1, 2}
    assert next(event.kind for event in alone.events if event.ring == 2) == EventKind.STARTED


def test_the_host_may_reset_the_pad_once_by_the_same_words_twice(laid: SteppedPad) -> None:
    laid.ask(messages.reset(1))
    laid.run_through(laid.now_us + 500_000)
    laid.ask(messages.reset(1))
    laid.run_through(laid.now_us + 500_000)

    assert [event.strength for event in laid.events if event.kind == EventKind.STARTED] == [
        ResetCause.POWER,
        ResetCause.WATCHDOG,
    ]


def test_two_contacts_nearer_than_the_release_dwell_are_one(laid: SteppedPad, onsets: Onsets) -> None:
    """The dwell of a touch is 5 ms and that of a release 15: an opening of 14 ms is none, one of 16 is."""
    for n, gap in enumerate((2_000, 10_000, 14_000, 16_000, 22_000)):
        t = LAID_US + 300_000 * (n + 1)
        touch(laid, t)
        touch(laid, t + 50_000 + gap)
    laid.run_through(LAID_US + 2_000_000)

    truth = [LAID_US + 300_000 * (n + 1) for n in range(5)]
    twice = [truth[3] + 66_000, truth[4] + 72_000]
    assert onsets(laid, EventKind.CONTACT) == pytest.approx(sorted(truth + twice), abs=50)


def test_dwell_decides_what_is_a_touch(laid: SteppedPad, onsets: Onsets) -> None:
    for n, lasts in enumerate((1_000, 4_800, 5_200, 20_000)):
        touch(laid, LAID_US + 100_000 * (n + 1), lasts)
    laid.run_through(LAID_US + 700_000)

    assert onsets(laid, EventKind.CONTACT) == pytest.approx([LAID_US + 300_000, LAID_US + 400_000], abs=50)


def test_dwell_can_be_set_over_the_line_and_outlives_a_loss_of_supply(laid: SteppedPad, onsets: Onsets) -> None:
    laid.ask(messages.set_value(0, 1_000))
    laid.ask(messages.Command(messages.Kind.SAVE), 2_000_000)
    laid.at(laid.now_us + 1000, "power 3")
    laid.run_through(laid.now_us + 500_000)
    t = laid.now_us + 100_000
    touch(laid, t, 1_500)
    laid.run_through(t + 200_000)

    assert onsets(laid, EventKind.CONTACT) == pytest.approx([t], abs=50)


@pytest.mark.parametrize("spoilt", ["zeros", "noise", "settings"])
def test_a_spoilt_memory_is_told_and_the_pad_works_on_its_defaults(
    simulator: None, tmp_path: Path, onsets: Onsets, spoilt: str
) -> None:
    memory = tmp_path / "eeprom"
    rng = random.Random(4)
    noise = bytes(rng.randrange(256) for _ in range(1024))
    memory.write_bytes({"zeros": bytes(1024), "noise": noise, "settings": b"\xff" * 256 + noise[256:]}[spoilt])
    with SteppedPad(memory) as pad:
        pad.at(200_000, "rest 1 100000")
        pad.at(300_000, "rest 2 100000")
        touch(pad, 700_000)
        pad.run_through(1_000_000)

        assert pad.heartbeats[-1].flags & HeartbeatFlag.DEFAULTS
        assert onsets(pad, EventKind.CONTACT) == pytest.approx([700_000], abs=50)
    with SteppedPad(memory) as again:
        again.run_through(500_000)

        assert again.heartbeats[-1].boot == 2


def test_boots_are_counted_over_losses_of_supply(simulator: None, tmp_path: Path) -> None:
    memory = tmp_path / "eeprom"
    boots = []
    for _ in range(3):
        with SteppedPad(memory) as pad:
            pad.run_through(300_000)
            boots.append(pad.events[0].boot)

    assert boots == [1, 2, 3]


def test_one_byte_in_a_hundred_spoilt_costs_no_event(laid: SteppedPad, onsets: Onsets) -> None:
    laid.at(LAID_US + 1000, "corrupt 0.01 5")
    made = [LAID_US + 100_000 * (n + 1) for n in range(100)]
    for t in made:
        touch(laid, t)
    laid.run_through(LAID_US + 10_500_000)

    assert onsets(laid, EventKind.CONTACT) == pytest.approx(made, abs=50)
    assert [event.seq for event in laid.events] == list(range(1, len(laid.events) + 1))
    resent = [m for m in laid.came if isinstance(m, Event) and m.flags & EventFlag.RESENT]
    assert resent, "the noise struck nothing"


def test_noise_and_overlong_frames_are_counted_and_pass(laid: SteppedPad) -> None:
    rng = random.Random(9)
    for _ in range(30):
        laid.send_bytes(bytes(rng.randrange(256) for _ in range(200)))
        laid.run_through(laid.now_us + 20_000)
    laid.send_bytes(b"\x00" + b"\x11" * 300 + b"\x00")
    laid.run_through(laid.now_us + 600_000)

    assert laid.heartbeats[-1].frame_errors > 10
    assert laid.ask(messages.get(0)).tag
    assert laid.heartbeats[-1].boot == 1


def test_time_is_told_from_the_pins(laid: SteppedPad) -> None:
    """`received` is when the last bit of the command came in; `sent` when the answer's first bit went out."""
    frame = encode_frame(messages.time(3).pack(9))
    begun = laid.now_us
    laid.send_bytes(frame)
    laid.run_through(begun + 5_000, 1_000)
    reply = next(m for m in laid.came if isinstance(m, messages.TimeReply))

    wire_us = 44 * len(frame)  # a byte is eleven bits long in the simulator
    assert reply.boot == 1
    assert reply.received_us + laid.clock_us == pytest.approx(begun + wire_us, abs=15)
    assert 0 < reply.sent_us - reply.received_us < 2_000


def test_the_stand_in_for_a_pad_has_the_firmware_s_own_dictionary(laid: SteppedPad) -> None:
    text = b""
    while True:
        reply = laid.ask(messages.dictionary(len(text)))
        assert isinstance(reply, messages.Reply)
        if not reply.data[2:]:
            break
        text += reply.data[2:]

    assert text == DICTIONARY


def test_heartbeats_come_four_times_a_second(laid: SteppedPad) -> None:
    laid.run_through(LAID_US + 5_000_000)

    gaps = [b.now_us - a.now_us for a, b in zip(laid.heartbeats, laid.heartbeats[1:], strict=False)]
    assert all(isinstance(beat, Heartbeat) and beat.channels == 6 for beat in laid.heartbeats[3:])
    assert gaps == pytest.approx([250_000] * len(gaps), abs=3_000)


def test_the_self_test_passes_with_hands_on_and_off(pad: SteppedPad) -> None:
    pad.run_through(300_000)
    for order in ("rest 1 50000", "rest 2 1000000", "contact 20000"):
        reply = pad.ask(messages.Command(messages.Kind.SELF_TEST))
        assert isinstance(reply, messages.Reply)
        assert messages.words(reply.data, "SELF_TEST")[0] == 0
        pad.at(pad.now_us + 100_000, order)
        pad.run_through(pad.now_us + 300_000)

    assert all(event.kind != EventKind.SELF_TEST_FAILED for event in pad.events)


def test_a_self_test_in_a_touch_makes_no_event_of_its_own(laid: SteppedPad, onsets: Onsets) -> None:
    laid.at(LAID_US + 100_000, "contact 50000")
    laid.run_through(LAID_US + 200_000)
    laid.ask(messages.Command(messages.Kind.SELF_TEST))
    laid.at(LAID_US + 600_000, "contact open")
    laid.run_through(LAID_US + 900_000)

    assert len(onsets(laid, EventKind.CONTACT)) == 1
    assert onsets(laid, EventKind.RELEASE) == pytest.approx([LAID_US + 600_000], abs=50)


def test_calibration_puts_the_level_between_apart_and_touching(laid: SteppedPad, onsets: Onsets) -> None:
    apart = laid.ask(messages.calibrate(0), 1_000_000)
    laid.at(laid.now_us + 10_000, "contact 200000")
    laid.run_through(laid.now_us + 100_000)
    touching = laid.ask(messages.calibrate(1), 1_000_000)

    assert isinstance(apart, messages.Reply)
    assert isinstance(touching, messages.Reply)
    levels = [messages.words(reply.data, "CALIBRATE")[0] for reply in (apart, touching)]
    assert (apart.status, touching.status) == (0, 0)
    assert 550 < levels[0] < 650
    assert 800 < levels[1] < 1_100
    assert len(onsets(laid, EventKind.CONTACT)) == 1


def test_calibration_without_hands_fails(pad: SteppedPad) -> None:
    pad.run_through(300_000)
    reply = pad.ask(messages.calibrate(0))

    assert isinstance(reply, messages.Reply)
    assert reply.status == messages.Status.FAILED


@pytest.mark.parametrize("hertz", [50, 60])
def test_hum_alone_is_no_touch_and_a_touch_in_hum_is_one(laid: SteppedPad, onsets: Onsets, hertz: int) -> None:
    """A hand near a lamp picks up more and more; at its worst it closes the line in every period."""
    for step in range(20):
        laid.at(LAID_US + 20_000 * step, f"hum {hertz} {0.05 * step:.2f}")
    laid.run_through(LAID_US + 2_000_000)
    assert laid.lines("contact", closed=True), "the hum is too weak to try anything"
    assert onsets(laid, EventKind.CONTACT) == []

    touch(laid, LAID_US + 2_100_000, 120_000)
    laid.run_through(LAID_US + 2_600_000)
    assert onsets(laid, EventKind.CONTACT) == pytest.approx([LAID_US + 2_100_000], abs=10_000)
    assert laid.heartbeats[-1].flags & HeartbeatFlag.HUM


def test_strong_hum_out_of_nowhere_feigns_one_touch_at_most_and_holds_none(laid: SteppedPad, onsets: Onsets) -> None:
    """Somebody takes hold of a lamp: each period closes the line for longer than a touch's dwell."""
    laid.at(LAID_US + 100_000, "hum 50 1.2")
    laid.run_through(LAID_US + 3_000_000)

    pulses = laid.lines("contact", closed=True)
    assert len(pulses) > 100
    assert len(onsets(laid, EventKind.CONTACT)) <= 1
    assert len(onsets(laid, EventKind.RELEASE)) == len(onsets(laid, EventKind.CONTACT))
