"""The whole service of a virtual duel, its processes and all: camera or pad are lost while dice roll, and it goes on by hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.commands.table import virtual_session
from companion.journal import Journal
from companion.service.duel_run import DuelRun
from companion.service.session import open_desk
from companion.service.touching import PadEars
from companion.virtual.faults import TableFaults, faults_at_hand
from companion.virtual.table import VirtualTable

pytestmark = pytest.mark.soak

TABLE = VirtualTable("hoshi-battle", 1, ("Ami", "Ben"), short=True)
"""Its first round lasts seven seconds."""
DECLARED_S = 2.0
PATIENCE_S = 150.0


@dataclass
class Running:
    """A duel that goes on in a thread."""

    desk: DuelDesk
    faults: TableFaults
    stop: threading.Event

    def source(self, name: str) -> str | None:
        return next((one["state"] for one in self.desk.view()["sources"] if one["name"] == name), None)

    def stones(self) -> int:
        """Of Ben."""
        return int(self.desk.view()["duel"]["fighters"][1]["stones"])

    def wait(self, holds: Callable[[], bool], patience_s: float = PATIENCE_S) -> float:
        """How long it took until it held, s. Fails where it never does."""
        began = time.monotonic()
        while not holds():
            assert time.monotonic() - began < patience_s
            time.sleep(0.01)
        return time.monotonic() - began


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    stop = threading.Event()
    with faults_at_hand(has_pad=True) as faults, Journal.open(tmp_path / "j.db") as journal:
        session = virtual_session(TABLE, {}, speed=1.0, faults=faults)
        desk, session, _ = open_desk(journal, session, announce=lambda _event: None, warn=print, resume=False)
        assert isinstance(desk, DuelDesk)
        assert faults.pad_port is not None
        duel = DuelRun(session, desk, faults.pad)
        with PadEars(faults.pad_port, desk, journal, duel.senses.pad, duel.senses.pad_alive):
            thread = threading.Thread(target=duel.run, args=(print, stop), daemon=True)
            thread.start()
            yield Running(desk, faults, stop)
            stop.set()
            thread.join(20.0)


def test_a_camera_unplugged_while_dice_roll_is_declared_and_the_duel_finished_by_hand(running: Running) -> None:
    running.wait(lambda: running.desk.view()["phase"] == "rolling")
    running.faults.switch("camera-unplugged", True)
    assert running.wait(lambda: running.source("arena") == "lost") < DECLARED_S
    left = running.stones()
    while left:
        running.desk.tell({"fact": "hands-touched", "by": ["Ami"], "where": "hand"}, "page")
        running.wait(lambda: bool(running.desk.view()["questions"]), 10.0)
        (question,) = running.desk.view()["questions"]
        running.desk.answer(question["id"], "hit-Ami", "referee")
        assert running.stones() == left - 1
        left -= 1
        if left:
            running.desk.tell({"fact": "play-began", "counted": False}, "page")
            running.wait(lambda: running.desk.record_state.phase == "rolling", 10.0)
    running.desk.tell({"fact": "hero-exiled", "seat": "Ben"}, "page")
    running.wait(lambda: bool(running.desk.record_state.done), 10.0)
    assert running.desk.record_state.done[0].winner == "Ami"


def test_a_pad_unplugged_while_dice_roll_is_declared_and_a_touch_is_tapped(running: Running) -> None:
    running.wait(lambda: running.desk.view()["phase"] == "rolling" and running.source("pad") == "ready")
    running.faults.switch("pad-unplugged", True)
    assert running.wait(lambda: running.source("pad") == "lost") < DECLARED_S
    before = len(running.desk.touches)
    running.desk.tell({"fact": "hands-touched", "by": ["Ben"], "where": "hand"}, "page")
    running.wait(lambda: len(running.desk.touches) > before, 30.0)
    assert running.desk.touches[-1]["source"] == "people"
