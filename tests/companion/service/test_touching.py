"""What pad and panel feel: shown on the page, kept beside the journal, and let go of by the pad only then."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.errors import JournalError
from companion.journal import Journal
from companion.journal.database import observations_path
from companion.journal.events import parse_json
from companion.service import touching
from companion.service.touching import PadEars, feeling
from hardware.pad.messages import EventKind
from hardware.pad.reports import PadGap, PadState
from hardware.panel import PanelPins
from hardware.virtual.pad import VirtualPad

PATIENCE_S = 20.0


class DeskDouble:
    """Writes down what it is told; may be busy."""

    game_id = "hoshi-battle-1"

    def __init__(self) -> None:
        self.shown: list[tuple[str, str, str, bool]] = []
        self.free = threading.Event()
        self.free.set()

    def source(self, name: str, state: str, text: str = "", *, journaled: bool = False) -> None:
        self.free.wait(PATIENCE_S)
        self.shown.append((name, state, text, journaled))

    @property
    def states(self) -> list[str]:
        return [state for name, state, _, _ in self.shown if name == "pad"]


def wait_for(what: Any) -> None:
    until = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < until, "never came about"
        time.sleep(0.01)


def kept(journal: Journal) -> list[dict[str, Any]]:
    """Every observation, in the order in which it was kept."""
    with sqlite3.connect(observations_path(journal.path)) as file:
        return [parse_json(content) for (content,) in file.execute("SELECT content FROM observations ORDER BY id")]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "journal.db") as journal:
        yield journal


def felt_into(heard: list[Any]) -> Callable[[Any], None]:
    """Events and gaps go into the list; the link's states are shown on the page."""
    return lambda report: None if isinstance(report, PadState) else heard.append(report)


def test_every_event_is_kept_and_then_let_go_of(tmp_path: Path, journal: Journal) -> None:
    desk, heard = DeskDouble(), []
    with VirtualPad(tmp_path / "pad") as pad, PadEars(str(tmp_path / "pad"), desk, journal, felt_into(heard)):
        wait_for(lambda: "ready" in desk.states)
        before = time.monotonic_ns()
        pad.touch(at_ns=before)
        wait_for(lambda: len(heard) == 3)
        wait_for(lambda: pad.waiting == 0)
        wait_for(lambda: len(kept(journal)) == 3)
    touch = kept(journal)[1]
    assert (touch["source"], touch["event"], touch["channel"]) == ("pad", "contact-made", "contact")
    assert touch["kind"] == EventKind.CONTACT
    assert abs(touch["t_ns"] - before) <= touch["bound_ns"]
    assert [event.seq for event in heard] == [1, 2, 3]


def test_what_the_journal_does_not_take_stays_on_the_pad(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise JournalError("the disk is full")

    monkeypatch.setattr(journal, "observe", refuse)
    desk = DeskDouble()
    with VirtualPad(tmp_path / "pad") as pad, PadEars(str(tmp_path / "pad"), desk, journal) as ears:
        wait_for(lambda: ears.link.stats.events == 1)
        time.sleep(0.3)
        assert pad.waiting == 1
        assert desk.states[-1] == "ready", "the page is still told"


def test_the_page_is_told_of_an_unplugged_pad_and_of_the_gap(tmp_path: Path, journal: Journal) -> None:
    desk, heard = DeskDouble(), []
    with VirtualPad(tmp_path / "pad") as pad, PadEars(str(tmp_path / "pad"), desk, journal, felt_into(heard)) as ears:
        wait_for(lambda: ears.link.stats.clock_bound_us)
        pad.touch()
        wait_for(lambda: len(heard) == 3)
        pad.unplug(power=False)
        wait_for(lambda: desk.states[-1] == "lost")
        assert desk.shown[-1][2] == "The pad was unplugged; plug it in again and it goes on by itself"
        pad.replug()
        wait_for(lambda: "gap" in desk.states)
        wait_for(lambda: any(isinstance(one, PadGap) for one in heard))
    assert desk.states == ["waiting", "ready", "lost", "waiting", "ready", "gap"]
    assert [journaled for _, state, _, journaled in desk.shown if state in ("lost", "gap", "ready")] == [True] * 4
    (gap,) = [one for one in kept(journal) if one["event"] == "gap"]
    assert gap["gap"] == "power lost"
    assert gap["since_ns"] < gap["until_ns"]


def test_a_gap_that_was_seen_goes_away(tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touching, "GAP_SHOWN_S", 0.2)
    desk = DeskDouble()
    with VirtualPad(tmp_path / "pad") as pad, PadEars(str(tmp_path / "pad"), desk, journal):
        wait_for(lambda: "ready" in desk.states)
        pad.reset()
        wait_for(lambda: desk.states[-2:] == ["gap", "ready"])


def test_a_busy_desk_does_not_hold_the_link_up(tmp_path: Path, journal: Journal) -> None:
    desk = DeskDouble()
    desk.free.clear()
    with VirtualPad(tmp_path / "pad") as pad, PadEars(str(tmp_path / "pad"), desk, journal) as ears:
        wait_for(lambda: ears.link.stats.events == 1)
        pad.touch()
        wait_for(lambda: ears.link.stats.events == 3)
        assert pad.waiting == 3, "nothing was kept yet"
        desk.free.set()
        wait_for(lambda: pad.waiting == 0)


def test_a_table_without_pad_and_panel_has_no_word_of_them(journal: Journal) -> None:
    desk = DeskDouble()
    with feeling(None, PanelPins(), desk, journal):
        pass
    assert desk.shown == []


def test_a_panel_that_can_not_be_used_is_declared(journal: Journal) -> None:
    desk = DeskDouble()
    with feeling(None, PanelPins(start=17, timeout=17), desk, journal):
        pass
    ((name, state, text, journaled),) = desk.shown
    assert (name, state, journaled) == ("panel", "lost", True)
    assert "start and timeout are on one pin" in text
