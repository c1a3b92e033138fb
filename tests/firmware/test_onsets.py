"""The real image in the simulated circuit: when things happened, against the simulation's exact truth."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hardware.pad import messages
from hardware.pad.frames import encode_frame
from hardware.pad.messages import EventFlag, EventKind
from hardware.virtual.simulated_pad import SteppedPad

Onsets = Callable[[SteppedPad, int], list[float]]

LAID_US = 600_000
"""By then the fixture `laid` has both hands lying."""
STAMP_US = 50
"""From the truth to the onset, by the contract of the pad."""
APART_US = 100
"""Two onsets' distance is known to this."""


@pytest.mark.parametrize("ohms", [2_000, 20_000, 100_000, 500_000, 1_000_000, 2_000_000])
def test_onsets_of_touches_lie_within_50_us_of_the_truth(laid: SteppedPad, onsets: Onsets, ohms: int) -> None:
    made = [LAID_US + 100_000 * n + 137.31 * n for n in range(1, 13)]
    for t in made:
        laid.at(t, f"contact {ohms}")
        laid.at(t + 50_003.7, "contact open")
    laid.run_through(LAID_US + 1_500_000)

    for kind, truth in ((EventKind.CONTACT, made), (EventKind.RELEASE, [t + 50_003.7 for t in made])):
        found = onsets(laid, kind)
        assert len(found) == len(truth)
        assert all(abs(a - b) < STAMP_US for a, b in zip(found, truth, strict=True))


def test_the_stamp_is_that_of_the_edge_at_the_pin(laid: SteppedPad, onsets: Onsets) -> None:
    """Less what the same skin always takes, 2 us, and to half a microsecond, whatever the program was doing."""
    for n in range(20):
        laid.at(LAID_US + 100_000 + 70_000 * n + 777.7 * n, "contact 30000")
        laid.at(LAID_US + 140_000 + 70_000 * n + 777.7 * n, "contact open")
    laid.run_through(LAID_US + 1_700_000)

    edges = [t for t in laid.lines("contact", closed=True) if t > LAID_US]
    found = onsets(laid, EventKind.CONTACT)
    believed = [min(edges, key=lambda edge, t=t: abs(edge - t)) for t in found]
    assert len(found) == 20
    assert all(abs(t + 2 - edge) <= 2 for t, edge in zip(found, believed, strict=True))


def test_resting_hands_are_stamped_within_50_us(laid: SteppedPad, onsets: Onsets) -> None:
    lifted, put_back = [], []
    for n in range(8):
        side, t = 1 + n % 2, LAID_US + 100_000 + 300_000 * n + 91.7 * n
        lifted.append(t)
        put_back.append(t + 120_000)
        laid.at(t, f"rest {side} off")
        laid.at(t + 120_000, f"rest {side} {[20_000, 500_000][n // 4]}")
    laid.run_through(LAID_US + 2_800_000)

    assert onsets(laid, EventKind.REST_LIFTED) == pytest.approx(lifted, abs=STAMP_US)
    assert onsets(laid, EventKind.REST_LAID)[2:] == pytest.approx(put_back, abs=STAMP_US)


def test_knocks_are_stamped_within_50_us_and_told_by_their_strength(laid: SteppedPad, onsets: Onsets) -> None:
    knocks = [LAID_US + 100_000 * n + 33.3 * n for n in range(1, 9)]
    for n, t in enumerate(knocks):
        laid.at(t, f"knock {2 + 0.3 * n}")
    laid.run_through(LAID_US + 1_000_000)

    assert onsets(laid, EventKind.KNOCK) == pytest.approx(knocks, abs=STAMP_US)
    strengths = [event.strength for event in laid.events if event.kind == EventKind.KNOCK]
    assert all(abs(mv - (2000 + 300 * n)) < 0.35 * (2000 + 300 * n) for n, mv in enumerate(strengths))


def test_a_faint_knock_is_none(laid: SteppedPad, onsets: Onsets) -> None:
    laid.at(LAID_US + 100_000, "knock 0.9")
    laid.run_through(LAID_US + 300_000)

    assert onsets(laid, EventKind.KNOCK) == []


SECOND = {
    "rest 1": ("rest 1 off", "rest 1 100000", EventKind.REST_LIFTED),
    "rest 2": ("rest 2 off", "rest 2 100000", EventKind.REST_LIFTED),
    "knock": ("knock 3", None, EventKind.KNOCK),
}
GAPS_US = (0, 3, 12.5, 40, 100, 1000, 5000, 19_990, 50_000, 100_000)


@pytest.mark.parametrize("second", SECOND)
def test_a_touch_and_another_channel_up_to_100_ms_apart(laid: SteppedPad, onsets: Onsets, second: str) -> None:
    """Whichever comes first. A lifted hand opens the circuit with it: so the touch comes first, or ends by it."""
    order, undo, kind = SECOND[second]
    gaps = [gap for gap in GAPS_US for _ in range(2)]
    truth = []
    for n, gap in enumerate(gaps):
        t = LAID_US + 400_000 * (n + 1) + 61.3 * n
        first = t if n % 2 else t + 100_000
        touched, other = (first, first + gap) if n % 2 or kind == EventKind.REST_LIFTED else (first, first - gap)
        if kind == EventKind.REST_LIFTED:
            # The touch is let go as the hand lifts: released and lifted are the two onsets.
            laid.at(touched - 100_000, "contact 80000")
            laid.at(touched, "contact open")
        else:
            laid.at(touched, "contact 80000")
            laid.at(touched + 50_000, "contact open")
        laid.at(other, order)
        if undo:
            laid.at(other + 120_000, undo)
        truth.append(other - touched)
    laid.run_through(LAID_US + 400_000 * (len(gaps) + 2))

    touches = onsets(laid, EventKind.RELEASE if kind == EventKind.REST_LIFTED else EventKind.CONTACT)
    others = onsets(laid, kind)
    assert [b - a for a, b in zip(touches, others, strict=True)] == pytest.approx(truth, abs=APART_US)


def test_both_hands_lifted_up_to_100_ms_apart(laid: SteppedPad) -> None:
    truth = []
    for n, gap in enumerate(GAPS_US):
        t = LAID_US + 400_000 * (n + 1) + 61.3 * n
        laid.at(t, "rest 1 off")
        laid.at(t + gap, "rest 2 off")
        laid.at(t + gap + 100_000, "rest 1 60000")
        laid.at(t + gap + 100_000, "rest 2 60000")
        truth.append(gap)
    laid.run_through(LAID_US + 400_000 * (len(GAPS_US) + 2))

    lifted = {
        side: [e.onset_us for e in laid.events if e.kind == EventKind.REST_LIFTED and e.channel == side]
        for side in (1, 2)
    }
    assert [b - a for a, b in zip(lifted[1], lifted[2], strict=True)] == pytest.approx(truth, abs=APART_US)


def test_the_clock_runs_on_over_the_wraps_of_its_timer(laid: SteppedPad, onsets: Onsets) -> None:
    """Sixteen bits wrap every 32.768 ms: touches fall around the wraps, where a stamp must not be one wrap off."""
    wrap, made = 32_768, []
    for n in range(40):
        near = LAID_US + wrap * (3 * n + 4)
        t = near - (near - laid.clock_us) % wrap + (n - 20) * 0.75 - 2
        made.append(t)
        laid.at(t, "contact 10000")
        laid.at(t + 45_000, "contact open")
    laid.run_through(made[-1] + 300_000)

    assert onsets(laid, EventKind.CONTACT) == pytest.approx(made, abs=STAMP_US)


def test_a_touch_just_after_a_wrap_that_still_awaits_its_interrupt(laid: SteppedPad, onsets: Onsets) -> None:
    """A byte from the host keeps the interrupts busy while the timer wraps and a touch comes: its stamp must know of the wrap."""
    wrap, byte_us, made = 32_768, 44, []
    for n in range(64):
        near = LAID_US + wrap * (3 * n + 4)
        begins = near - (near - laid.clock_us) % wrap
        t = begins - 2 + 0.5 * (n // 8)
        made.append(t)
        laid.at(begins - byte_us - 0.25 - 0.5 * (n % 8), "send 11")
        laid.at(t, "contact 10000")
        laid.at(t + 45_000, "contact open")
    laid.run_through(made[-1] + 300_000)

    assert onsets(laid, EventKind.CONTACT) == pytest.approx(made, abs=STAMP_US)


def test_touches_while_a_host_says_hello_and_asks_for_all_there_is(laid: SteppedPad, onsets: Onsets) -> None:
    """A host that begins anew keeps the pad busy: no answer may take so long that a touch goes by unseen."""
    made = []
    for n in range(40):
        t = LAID_US + 70_000 * (n + 1) + 131.7 * n
        made.append(t)
        laid.at(t, "contact 1000000")
        laid.at(t + 35_000, "contact open")
        for late, command in ((-6000 + 300 * n, messages.hello()), (900, messages.dictionary(48 * n))):
            laid.at(t + late, f"send {encode_frame(command.pack(1 + n)).hex()}")
    laid.run_through(made[-1] + 300_000)

    assert onsets(laid, EventKind.CONTACT) == pytest.approx(made, abs=STAMP_US)
    assert not any(event.flags & EventFlag.UNCERTAIN for event in laid.events if event.kind == EventKind.CONTACT)


@pytest.mark.soak
def test_an_hour_of_clock(laid: SteppedPad, onsets: Onsets) -> None:
    """Thirty-two bits of ticks wrap after 35 minutes and 47 seconds."""
    hour = 3_600_000_000.0
    laid.run_through(hour, 20_000_000)
    laid.at(hour + 1_000_000, "contact 10000")
    laid.at(hour + 1_050_000, "contact open")
    laid.run_through(hour + 1_200_000)

    assert onsets(laid, EventKind.CONTACT) == pytest.approx([hour + 1_000_000], abs=STAMP_US)
