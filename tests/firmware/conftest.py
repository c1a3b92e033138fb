"""Fixtures of the pad's firmware: programs built once for all workers, a simulated pad; they skip where tools are absent."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from hardware.pad.messages import Event
from hardware.virtual.simulated_pad import FIRMWARE, SimulatorMissingError, SteppedPad, build

HANDS_LAID_US = 600_000
"""By then the fixture `laid` has both resting hands lying, and the pad is no longer wary of their hum."""


@pytest.fixture(scope="session")
def firmware() -> Path:
    return FIRMWARE


@pytest.fixture(scope="session")
def logic_programs(firmware: Path) -> Path:
    """The folder of the logic's test programs, built with sanitizers."""
    for tool in ("gcc", "make"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}")
    (firmware / "build").mkdir(exist_ok=True)
    with FileLock(firmware / "build" / "lock"):
        done = subprocess.run(["make", "-s", "-C", firmware, "logic"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return firmware / "build" / "logic"


@pytest.fixture(scope="session")
def simulator() -> None:
    """Skips where the simulator can't be built, and builds it."""
    try:
        build()
    except SimulatorMissingError as error:
        pytest.skip(str(error))


@pytest.fixture
def pad(simulator: None) -> Iterator[SteppedPad]:
    """A pad that has just been switched on, nobody near it."""
    with SteppedPad() as stepped:
        yield stepped


@pytest.fixture
def laid(pad: SteppedPad) -> SteppedPad:
    """Both hands rest, at HANDS_LAID_US."""
    pad.at(200_000, "rest 1 100000")
    pad.at(300_000, "rest 2 100000")
    pad.run_through(HANDS_LAID_US)
    return pad


@pytest.fixture
def onsets() -> Callable[[SteppedPad, int], list[float]]:
    """Onsets of all events of a kind, in simulated microseconds."""

    def find(pad: SteppedPad, kind: int) -> list[float]:
        return [event.onset_us + pad.clock_us for event in pad.events if event.kind == kind]

    return find


@pytest.fixture
def kinds() -> Callable[[SteppedPad], list[tuple[int, int]]]:
    """Kind and channel of every event, in order."""

    def find(pad: SteppedPad) -> list[tuple[int, int]]:
        def named(event: Event) -> tuple[int, int]:
            return event.kind, event.channel

        return [named(event) for event in pad.events]

    return find
