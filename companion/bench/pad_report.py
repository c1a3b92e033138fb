"""The pad tested as fencing apparatus is: which touches it tells, by how long they last and through how much skin.

The real firmware runs in its simulated circuit (`hardware/virtual/simulated_pad.py`), so every truth is exact and a run is
repeatable to the byte. Touches begin at random phases of the hum and of the firmware's rounds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hardware.pad.messages import Event, EventKind
from hardware.pad.reports import within
from hardware.virtual.simulated_pad import SteppedPad

DURATIONS_MS = (0.1, 0.5, 1, 2, 3, 4, 4.5, 5, 5.5, 6, 8, 10, 11, 12, 15, 20)
RESISTANCES_OHM = (1_000, 10_000, 100_000, 500_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000)
REST_OHM = (40_000, 150_000)
"""Through each resting hand, from one half of its electrode to the other."""
LAID_US = 1_000_000
QUIET_US = 100_000
"""Between two touches: longer than any dwell."""
STAMP_US = 50
"""An onset without a flag is as near to the truth as this."""
ONSET_US = 2_000
"""An event tells of a touch if its onset lies so near; in hum, half a period."""
NEVER_US = 60_000_000
"""So long nobody touches: what is told then is invented."""


@dataclass(frozen=True, slots=True)
class Hum:
    """What the mains feed into each player's body."""

    name: str
    hertz: float
    microamps: float
    """Peak."""

    @property
    def half_period_us(self) -> float:
        """0 without hum."""
        return 500_000 / self.hertz if self.microamps else 0.0


HUMS = (
    Hum("no hum", 0, 0),
    Hum("50 Hz, 0.2 µA", 50, 0.2),
    Hum("60 Hz, 0.2 µA", 60, 0.2),
    Hum("50 Hz, 0.6 µA", 50, 0.6),
)
"""230 V through 2 pF feed 0.2 µA into a player who sits near wiring; 6 pF are a hand beside a lamp's cable."""


@dataclass(frozen=True, slots=True)
class Onset:
    """The onset of a touch that was told."""

    error_us: float
    """Onset less truth."""
    within_us: int | None
    """What the pad says of it; None where it says that nothing bounds it."""

    @property
    def sure(self) -> bool:
        """Whether it has no flag."""
        return self.within_us is not None and self.within_us <= STAMP_US

    @property
    def kept(self) -> bool:
        """Whether the truth lies where the pad says."""
        return self.within_us is None or abs(self.error_us) <= self.within_us


@dataclass(frozen=True, slots=True)
class Cell:
    """Touches of one kind."""

    hum: str
    ohms: int
    duration_ms: float
    touches: int
    told: int
    beside: int
    """Touches that were told while none was there."""
    onsets: tuple[Onset, ...]
    """Of those that were told."""

    @property
    def share(self) -> float:
        """Of the touches that were told, 0 to 1."""
        return self.told / self.touches


@dataclass(frozen=True, slots=True)
class PadReport:
    """What was measured."""

    cells: tuple[Cell, ...]
    invented: dict[str, int]
    """Touches that were told in a minute in which nobody touched, by hum."""
    beside: dict[str, int]
    """Touches that were told between the touches of all cells, by hum."""
    interrupt_us: float
    """The longest interrupt in all of it."""
    current_ua: float
    """The most through any electrode."""

    def cell(self, hum: str, ohms: int, duration_ms: float) -> Cell:
        """That one. Raises StopIteration where it was not measured."""
        return next(c for c in self.cells if (c.hum, c.ohms, c.duration_ms) == (hum, ohms, duration_ms))


def measure(
    *,
    touches: int = 10,
    seed: int = 1,
    durations_ms: Sequence[float] = DURATIONS_MS,
    resistances_ohm: Sequence[int] = RESISTANCES_OHM,
    hums: Sequence[Hum] = HUMS,
    never_us: float = NEVER_US,
    progress: Callable[[str], None] | None = None,
) -> PadReport:
    """Measures every cell with so many touches, and `never_us` without one. Raises SimulatorMissingError or SimulatorError."""
    rng = random.Random(seed)
    cells: list[Cell] = []
    invented, beside, interrupt, current = {}, {}, 0.0, 0.0
    for hum in hums:
        if progress is not None:
            progress(hum.name)
        with SteppedPad() as pad:
            _begin(pad, hum)
            invented[hum.name] = _invented(pad, never_us)
            row = [cell for ohms in resistances_ohm for cell in _row(pad, hum, ohms, durations_ms, touches, rng)]
            beside[hum.name] = sum(cell.beside for cell in row)
            cells += row
            gauges = pad.gauges()
        interrupt = max(interrupt, gauges["longest_interrupt_cycles"] / 16)
        current = max(current, gauges["highest_current_ua"])
    return PadReport(tuple(cells), invented, beside, interrupt, current)


def _begin(pad: SteppedPad, hum: Hum) -> None:
    """Both hands are laid, and what the room feeds into them is there from the start."""
    pad.order(f"hum {hum.hertz} {hum.microamps}")
    for side, ohms in enumerate(REST_OHM, 1):
        pad.at(200_000 * side, f"rest {side} {ohms}")
    pad.run_through(LAID_US)


def _contacts(pad: SteppedPad, since: int) -> list[Event]:
    return [event for event in pad.events[since:] if event.kind == EventKind.CONTACT]


def _invented(pad: SteppedPad, never_us: float) -> int:
    pad.run_through(pad.now_us + never_us)
    return len(_contacts(pad, 0))


def _row(
    pad: SteppedPad, hum: Hum, ohms: int, durations_ms: Sequence[float], touches: int, rng: random.Random
) -> Iterator[Cell]:
    for duration_ms in durations_ms:
        since = len(pad.events)
        truth = []
        t = pad.now_us
        for _ in range(touches):
            t += QUIET_US + rng.uniform(0, 40_000)
            truth.append(t)
            pad.at(t, f"contact {ohms}")
            pad.at(t + duration_ms * 1000, "contact open")
            t += duration_ms * 1000
        pad.run_through(t + QUIET_US)
        contacts = [(event.onset_us + pad.clock_us, within(event.within_us)) for event in _contacts(pad, since)]
        near = ONSET_US + hum.half_period_us
        found = [_nearest(contacts, one) for one in truth]
        told = tuple(onset for onset in found if onset is not None and abs(onset.error_us) <= near)
        beside = sum(
            all(not -near <= onset - one <= duration_ms * 1000 + near for one in truth) for onset, _ in contacts
        )
        yield Cell(hum.name, ohms, duration_ms, touches, len(told), beside, told)


def _nearest(contacts: Sequence[tuple[float, int | None]], truth: float) -> Onset | None:
    found = (Onset(onset - truth, within_us) for onset, within_us in contacts)
    return min(found, key=lambda onset: abs(onset.error_us), default=None)


def onsets_of(report: PadReport, hum: str, ohms: int) -> list[Onset]:
    """Of all touches through so much skin that were told."""
    return [onset for c in report.cells if (c.hum, c.ohms) == (hum, ohms) for onset in c.onsets]
