"""The pad's clock on the host's, against a world whose true times are known: the bound holds whatever the delays do."""

from __future__ import annotations

import bisect
import math
import random
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.pad.clock import JUMPED, RATE_LIMIT, WANDER, ClockMap, Exchange, Instant, wire_ns

MS = 1_000_000
SECOND = 1_000_000_000
STEP_US = 100_000
WIRE_OUT, WIRE_IN = 11 * 40_000, 23 * 40_000
"""What the frames really take at 250,000 baud, ns."""


class World:
    """True host time of every microsecond of the pad: a rate that wanders as far as is assumed, summed up."""

    def __init__(self, rng: random.Random, seconds: float, ppm: float) -> None:
        self.host_ns = [float(rng.randrange(10**15))]
        slew = 0.0
        for step in range(int(seconds * SECOND / STEP_US / 1000) + 100):
            if rng.random() < 0.01:
                slew = rng.choice((-0.8, 0.0, 0.8)) * WANDER
            warming = 0.2 * WANDER * math.sin(step / 37)
            self.host_ns.append(self.host_ns[-1] + 1000 * STEP_US * (1 + ppm / 1e6 + slew + warming))

    def host(self, us: float) -> float:
        step = int(us // STEP_US)
        share = us / STEP_US - step
        return self.host_ns[step] + share * (self.host_ns[step + 1] - self.host_ns[step])

    def pad(self, ns: float) -> float:
        step = max(bisect.bisect_right(self.host_ns, ns) - 1, 0)
        return STEP_US * (step + (ns - self.host_ns[step]) / (self.host_ns[step + 1] - self.host_ns[step]))


@dataclass(frozen=True)
class Delays:
    """How late a frame is, one way: usually, sometimes and rarely, ns."""

    usual: tuple[float, float]
    some: tuple[float, float]
    rare: tuple[float, float]

    def draw(self, rng: random.Random) -> float:
        chance = rng.random()
        return rng.uniform(*(self.usual if chance < 0.9 else self.some if chance < 0.99 else self.rare))


QUIET = Delays((20_000, 150_000), (100_000, MS), (MS, 4 * MS))
LOADED = Delays((20_000, 600_000), (MS, 8 * MS), (8 * MS, 80 * MS))
"""Two busy loops beside it."""
USB = Delays((900_000, 1_100_000), (MS, 2 * MS), (2 * MS, 16 * MS))
"""One way only: a full-speed adapter polls every millisecond."""


@dataclass
class Trial:
    """Errors and bounds of instants mapped during a run, ns."""

    errors: list[float]
    bounds: list[int]
    clock: ClockMap

    def p99(self, values: list[float] | list[int]) -> float:
        return sorted(values)[int(0.99 * len(values))]

    @property
    def broken(self) -> int:
        return sum(error > bound for error, bound in zip(self.errors, self.bounds, strict=True))


def exchange(world: World, asked: float, out: float, work_us: float, back: float) -> tuple[Exchange, float]:
    """One exchange begun at that host time, and when its answer was read."""
    received = int(world.pad(asked + WIRE_OUT + out))
    sent = int(received + work_us)
    answered = world.host(sent + 1) + WIRE_IN + back
    wire = wire_ns(11, 250_000), wire_ns(23, 250_000)
    return Exchange.of(math.floor(asked), math.ceil(answered), received, sent, *wire), answered


def run(
    seed: int, *, seconds: float, ppm: float, out: Delays, back: Delays, period_ns: int = 100 * MS, stalls: float = 0.0
) -> Trial:
    rng = random.Random(seed)
    world = World(rng, seconds + 60, ppm)
    trial = Trial([], [], ClockMap())
    now, end = world.host(0), world.host(seconds * 1e6)
    while now < end:
        one, answered = exchange(world, now, out.draw(rng), rng.uniform(20, 3000), back.draw(rng))
        trial.clock = trial.clock.add(one)
        now = max(now + period_ns, answered)
        if rng.random() < stalls:
            now += SECOND
        for _ in range(3):
            age = 1e6 if rng.random() < 0.05 else 60_000
            us = int(max(world.pad(now) - rng.uniform(0, age), 0))
            instant = trial.clock.at(us)
            assert instant is not None
            trial.errors.append(abs(instant.t_ns - world.host(us)))
            trial.bounds.append(instant.bound_ns)
    return trial


@pytest.mark.parametrize("ppm", [-5000, -80, 0, 5000])
def test_a_quiet_line_is_right_within_a_fraction_of_a_millisecond(ppm: float) -> None:
    trial = run(1, seconds=60, ppm=ppm, out=QUIET, back=QUIET)
    assert trial.broken == 0
    assert trial.p99(trial.errors) < 0.4 * MS
    assert trial.p99(trial.bounds) < 0.8 * MS


@pytest.mark.parametrize("seed", range(4))
def test_under_load_it_stays_below_a_millisecond_and_within_its_bound(seed: int) -> None:
    trial = run(seed, seconds=120, ppm=1800, out=LOADED, back=LOADED, stalls=0.005)
    assert trial.broken == 0
    assert trial.p99(trial.errors) < MS


@pytest.mark.parametrize("out_is_slow", [True, False])
def test_delays_of_one_way_only_shift_it_and_the_bound_knows(out_is_slow: bool) -> None:
    out, back = (USB, QUIET) if out_is_slow else (QUIET, USB)
    trial = run(5, seconds=60, ppm=300, out=out, back=back)
    assert trial.broken == 0
    assert trial.p99(trial.errors) < MS
    assert sorted(trial.errors)[len(trial.errors) // 2] > 0.2 * MS, "nothing can tell which way was slow"


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.floats(-6000, 6000),
    st.floats(0, 50 * MS),
    st.floats(0, 50 * MS),
    st.integers(20 * MS, 3 * SECOND),
)
def test_the_bound_holds_for_any_delays(seed: int, ppm: float, out: float, back: float, period_ns: int) -> None:
    """Any least delay either way, any drift of a resonator, exchanges often or rarely."""
    either = (Delays((least, least + MS), (least, least + 20 * MS), (least, least + 500 * MS)) for least in (out, back))
    trial = run(seed, seconds=20, ppm=ppm, out=next(either), back=next(either), period_ns=period_ns, stalls=0.02)
    assert trial.broken == 0
    assert (trial.clock.outliers, trial.clock.jumps) == (0, 0)


def test_the_first_exchange_maps_and_its_bound_grows_by_the_resonators_tolerance() -> None:
    clock = ClockMap().add(Exchange(1000 * MS, 5_000_000, 5_000_000, 1000 * MS + 400_000))
    assert clock.at(5_000_000) == Instant(1000 * MS + 200_000, 200_000)
    later = clock.at(6_000_000)
    assert later is not None
    assert later.bound_ns == pytest.approx(200_000 + RATE_LIMIT * SECOND)


def test_nothing_is_mapped_before_the_first_exchange() -> None:
    assert ClockMap().at(1) is None
    assert not ClockMap().known


def straight(k: int, *, shift_ns: int = 0, width_ns: int = 300_000) -> Exchange:
    """Exchange k of ten a second of a perfect clock."""
    us = 100_000 * k
    return Exchange(1000 * us + shift_ns - width_ns // 2, us, us + 100, 1000 * (us + 100) + shift_ns + width_ns // 2)


def test_an_exchange_that_contradicts_the_others_is_set_aside() -> None:
    """As a corrupted answer whose checksum fits by chance."""
    clock = ClockMap()
    for k in range(50):
        clock = clock.add(straight(k, shift_ns=7 * MS if k == 30 else 0))
    assert (clock.outliers, clock.jumps) == (1, 0)
    instant = clock.at(4_950_000)
    assert instant is not None
    assert abs(instant.t_ns - 4950 * MS) <= instant.bound_ns < MS


def test_a_clock_that_jumps_begins_anew() -> None:
    """The host slept: its monotonic clock stood still, the pad's did not."""
    clock = ClockMap()
    for k in range(60):
        clock = clock.add(straight(k, shift_ns=-3 * SECOND if k >= 30 else 0))
        if k == 30 + JUMPED - 1:
            assert clock.jumps == 1
    instant = clock.at(5_900_000)
    assert instant is not None
    assert abs(instant.t_ns - 2900 * MS) <= instant.bound_ns < MS


def test_an_exchange_that_is_quicker_than_the_wire_is_set_aside() -> None:
    clock = ClockMap().add(Exchange(0, 0, 1000, 500_000))
    assert not clock.known
    assert clock.outliers == 1


def test_the_frequency_is_found() -> None:
    world = World(random.Random(1), 60, 0)
    world.host_ns = [1e6 * 100 * step * (1 - 1234e-6) for step in range(700)]
    clock = ClockMap()
    for k in range(1, 300):
        one, _ = exchange(world, world.host(k * 100_000), 50_000, 200, 50_000)
        clock = clock.add(one)
    assert clock.frequency_ppm == pytest.approx(1234, abs=20)


def test_the_closest_exchange_of_each_group_is_kept() -> None:
    """On a busy line few are quick, and the rate is known by them."""
    clock = ClockMap()
    for k in range(160):
        clock = clock.add(straight(k, width_ns=300_000 if k % 8 == 3 else 30 * MS))
    assert clock.rate.most - clock.rate.least < 5 * WANDER


def test_the_wires_least_time_is_never_more_than_the_wire_takes() -> None:
    assert 0.98 * WIRE_OUT < wire_ns(11, 250_000) < WIRE_OUT
    assert wire_ns(23, 115_200) > 2 * wire_ns(23, 250_000)


def test_an_old_instant_is_known_less_well() -> None:
    """Beyond the window nothing is taken for granted but the resonator's tolerance."""
    clock = ClockMap()
    for k in range(600):
        clock = clock.add(straight(k))
    recent, old = clock.at(59_000_000), clock.at(1_000_000)
    assert recent is not None
    assert old is not None
    assert recent.bound_ns < MS < 100 * MS < old.bound_ns
