"""Touches in hum of every phase, strength and skin, and the hands that lie beside them: the truth lies within what is said."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from hardware.pad.messages import Event, EventFlag, EventKind
from hardware.pad.reports import within
from hardware.virtual.simulated_pad import SteppedPad

STAMP_US = 50
TOUCH_US = 30_000
APART_US = 120_000
SKINS_OHM = (1_000, 60_000, 400_000, 1_000_000, 1_600_000, 2_000_000)
PHASES = 8
HERTZ = (50, 60)


@dataclass(frozen=True)
class Told:
    """What the pad tells of something whose time is known."""

    event: Event
    error_us: float

    @property
    def sure(self) -> bool:
        return not self.event.flags & (EventFlag.UNCERTAIN | EventFlag.FOUND_AT_START)

    @property
    def kept(self) -> bool:
        width = within(self.event.within_us)
        return width is None or abs(self.error_us) <= width


Players = Callable[[float, float, tuple[int, int]], SteppedPad]


@pytest.fixture
def players(simulator: None) -> Iterator[Players]:
    """Two whose hands rest, in so much hum, through so much skin; a second is over."""
    pads: list[SteppedPad] = []

    def sit(hertz: float, microamps: float, rests: tuple[int, int]) -> SteppedPad:
        pad = SteppedPad()
        pads.append(pad)
        pad.order(f"hum {hertz} {microamps}")
        for side, ohms in enumerate(rests, 1):
            pad.at(200_000 * side, f"rest {side} {ohms}")
        pad.run_through(1_000_000)
        return pad

    yield sit
    for pad in pads:
        with pad:
            pass


def matched(pad: SteppedPad, kind: EventKind, truth: list[float], near_us: float = 15_000) -> list[Told]:
    events = [event for event in pad.events if event.kind == kind]
    found = []
    for t in truth:
        errors = [(abs(event.onset_us + pad.clock_us - t), event) for event in events]
        if errors and min(errors, key=lambda one: one[0])[0] < near_us:
            _, event = min(errors, key=lambda one: one[0])
            found.append(Told(event, event.onset_us + pad.clock_us - t))
    return found


def touched(pad: SteppedPad, hertz: float, seed: int) -> tuple[list[float], list[float]]:
    """Every skin at every phase; when hands touched and when they parted."""
    rng = random.Random(seed)
    period = 1e6 / hertz
    made, released = [], []
    for ohms in SKINS_OHM:
        t = pad.now_us
        for turn in range(PHASES):
            t += APART_US
            t += (turn + rng.random()) / PHASES * period - t % period
            held = TOUCH_US + rng.uniform(0, period)
            made.append(t)
            released.append(t + held)
            pad.at(t, f"contact {ohms}")
            pad.at(t + held, "contact open")
            t += held
        pad.run_through(t + APART_US)
    return made, released


@pytest.mark.parametrize("hertz", HERTZ)
@pytest.mark.parametrize("microamps", [0, 0.2, 0.4, 0.6])
@pytest.mark.parametrize("rests", [(3_000, 500_000), (250_000, 20_000)])
def test_a_touch_s_time_is_as_true_as_it_says_at_every_phase_of_the_hum(
    players: Players, hertz: float, microamps: float, rests: tuple[int, int]
) -> None:
    pad = players(hertz, microamps, rests)
    made, released = touched(pad, hertz, seed=round(10 * microamps) + round(hertz))

    told = matched(pad, EventKind.CONTACT, made)
    assert len(told) >= (len(made) if microamps <= 0.2 else 0.7 * len(made))
    for one in [*told, *matched(pad, EventKind.RELEASE, released)]:
        assert one.kept, one
        assert not one.sure or abs(one.error_us) < STAMP_US, one


@pytest.mark.parametrize("microamps", [0.9, 1.5, 3])
def test_in_hum_that_drowns_all_no_time_is_claimed_that_is_not_true(players: Players, microamps: float) -> None:
    pad = players(50, microamps, (40_000, 150_000))
    made, released = touched(pad, 50, seed=5)

    for one in [*matched(pad, EventKind.CONTACT, made), *matched(pad, EventKind.RELEASE, released)]:
        assert one.kept, one


@pytest.mark.parametrize("microamps", [0, 0.2, 0.6])
def test_hands_that_lift_and_lie_down_are_as_true_as_they_say(players: Players, microamps: float) -> None:
    rng = random.Random(8)
    pad = players(50, microamps, (100_000, 100_000))
    lifted: dict[int, list[float]] = {1: [], 2: []}
    laid: dict[int, list[float]] = {1: [], 2: []}
    t = pad.now_us
    for turn in range(40):
        side = 1 + turn % 2
        t += 200_000 + rng.uniform(0, 20_000)
        lifted[side].append(t)
        pad.at(t, f"rest {side} off")
        t += 150_000 + rng.uniform(0, 20_000)
        laid[side].append(t)
        pad.at(t, f"rest {side} {rng.choice((5_000, 80_000, 400_000, 1_000_000))}")
    pad.run_through(t + 300_000)

    for kind, truth in ((EventKind.REST_LIFTED, lifted), (EventKind.REST_LAID, laid)):
        found = [one for side in (1, 2) for one in matched(pad, kind, truth[side]) if one.event.channel == side]
        assert len(found) >= (36 if microamps < 0.6 else 16)
        for one in found:
            assert one.kept, one
            assert not one.sure or abs(one.error_us) < STAMP_US, one
        assert microamps or all(one.sure for one in found)


def test_a_touch_that_hum_hides_is_told_at_its_step_and_not_at_the_hum_s_edge(players: Players) -> None:
    """Hum closes the line for some milliseconds of each period: a touch in them makes no edge of its own."""
    pad = players(50, 0.6, (40_000, 150_000))
    pad.run_through(2_000_000)
    closes = pad.lines("contact", closed=True)
    opens = pad.lines("contact", closed=False)
    assert len(closes) > 40, "the hum is too weak to hide anything"
    middle = (
        (closes[-1] + next(t for t in opens if t > closes[-1])) / 2 if opens[-1] > closes[-1] else closes[-1] + 2000
    )
    made = [middle + 100_000 + 200_000 * n for n in range(8)]
    for t in made:
        pad.at(t, "contact 20000")
        pad.at(t + 60_000, "contact open")
    pad.run_through(made[-1] + 200_000)

    told = matched(pad, EventKind.CONTACT, made)
    assert len(told) == len(made)
    assert all(not one.sure and one.event.flags & EventFlag.HUM for one in told)
    assert all(one.kept and one.event.within_us <= 900 for one in told)


@pytest.mark.parametrize("microamps", [0, 0.2])
def test_bodies_of_another_capacitance_are_stamped_within_50_us_as_well(players: Players, microamps: float) -> None:
    """How much a body has against a pad that floats nobody knows: half of what the constants are made for, or twice it."""
    told: list[Told] = []
    for picofarads in (25, 75, 100):
        pad = players(50, microamps, (30_000, 300_000))
        pad.order(f"body {picofarads}")
        made, _ = touched(pad, 50, seed=picofarads)
        found = matched(pad, EventKind.CONTACT, made)
        assert len(found) == len(made)
        told += found

    assert all(one.kept and (not one.sure or abs(one.error_us) < STAMP_US) for one in told)
    assert sum(one.sure for one in told) > 0.9 * len(told)
