"""A clock that stands where it is put, and a small game to record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.journal import EventKind, Journal, NewEvent

GAME = "20260101-2000-hoshizora-abcd"


@dataclass
class SteppingClock:
    """Each reading is one microsecond after the last, from a fixed start."""

    boot_id: str = "boot-1"
    mono: int = 5_000_000_000
    wall: int = 1_767_297_600_000_000_000

    def mono_ns(self) -> int:
        self.mono += 1000
        return self.mono

    def wall_ns(self) -> int:
        self.wall += 1000
        return self.wall


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "journal.db"


@pytest.fixture
def journal(path: Path, clock: SteppingClock) -> Iterator[Journal]:
    with Journal.open(path, clock=clock) as opened:
        yield opened


@pytest.fixture
def start() -> NewEvent:
    return NewEvent(
        EventKind.GAME_STARTED, GAME, {"game": "hoshizora", "seats": ["Ann", "Bo", "Cé"], "settings": {"x": 1.5}}
    )


@pytest.fixture
def fact() -> Callable[..., NewEvent]:
    def new(n: int = 1, game_id: str = GAME, **more: object) -> NewEvent:
        return NewEvent(EventKind.FACT, game_id, {"fact": "card-laid", "n": n, **more}, n * 1000)

    return new


@pytest.fixture
def recorded(journal: Journal, start: NewEvent, fact: Callable[..., NewEvent]) -> Journal:
    """A journal with one game: start, two facts with a finding, a prompt between, an end."""
    journal.append([start]).wait(10)
    journal.append([fact(1), NewEvent(EventKind.FINDING, GAME, {"rule": "follow", "level": "note"})]).wait(10)
    journal.append([NewEvent(EventKind.PROMPT, GAME, {"text": "turn Mimosa upright"})]).wait(10)
    journal.append([fact(2), NewEvent(EventKind.GAME_ENDED, GAME, {})]).wait(10)
    return journal
