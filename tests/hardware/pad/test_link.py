"""The link's thread over a pseudo-terminal: touches through every fault, and a state for everything that may be at a port."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import random
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serial

from hardware.pad import link as link_module
from hardware.pad import messages, ports
from hardware.pad.errors import (
    NotAPadError,
    PadBusyError,
    PadError,
    PadLostError,
    PadNotFoundError,
    PadPermissionError,
    PadPortError,
    PadSilentError,
    PadVersionError,
)
from hardware.pad.link import PadLink
from hardware.pad.messages import EventKind, ResetCause
from hardware.pad.port import Port
from hardware.pad.reports import GapKind, LinkState, PadEvent, PadGap, PadState, Report
from hardware.virtual.pad import VirtualPad

PATIENCE_S = 20.0


class Listener:
    """Keeps what a link says; waits for it."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self._changed = threading.Condition()

    def __call__(self, report: Report) -> None:
        with self._changed:
            self.reports.append(report)
            self._changed.notify_all()

    def wait(self, what: Callable[[list[Report]], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: what(self.reports), PATIENCE_S), self.reports[-5:]

    def wait_state(self, state: LinkState, times: int = 1) -> PadState:
        self.wait(lambda _: len(self.states(state)) >= times)
        return self.states(state)[-1]

    def states(self, state: LinkState) -> list[PadState]:
        return [one for one in self.reports if isinstance(one, PadState) and one.state is state]

    @property
    def events(self) -> list[PadEvent]:
        return [one for one in self.reports if isinstance(one, PadEvent)]

    @property
    def gaps(self) -> list[PadGap]:
        return [one for one in self.reports if isinstance(one, PadGap)]


@pytest.fixture
def said() -> Listener:
    return Listener()


@pytest.fixture
def port(tmp_path: Path) -> str:
    return str(tmp_path / "pad")


@contextlib.contextmanager
def stranger(path: str, says: bytes) -> Iterator[None]:
    """Something else at the port, which says that over and over."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    Path(path).symlink_to(os.ttyname(slave))
    ending = threading.Event()

    def speak() -> None:
        while says and not ending.wait(0.05):
            with contextlib.suppress(BlockingIOError):
                os.write(master, says)

    thread = threading.Thread(target=speak)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()
        os.close(master)
        os.close(slave)


# Touches


def test_touches_come_once_and_in_order_through_every_fault(port: str, said: Listener) -> None:
    """Corrupted bytes, resets, a stalled line, a stalled host, a pulled plug."""
    stall = threading.Event()

    def take(report: Report) -> None:
        if stall.is_set():
            stall.clear()
            time.sleep(1.0)
        said(report)

    touched: list[int] = []
    with VirtualPad(port, ppm=1200, seed=7) as pad, PadLink(port, take) as link:
        said.wait_state(LinkState.READY)
        pad.faults.corrupt = 0.01
        rng = random.Random(3)
        for number in range(60):
            touched.append(time.monotonic_ns())
            pad.touch(at_ns=touched[-1])
            match number:
                case 10:
                    stall.set()
                case 20:
                    pad.stall(1.0)
                case 30:
                    pad.reset()
                case 40:
                    pad.unplug()
                case 44:
                    pad.replug()
                case 52:
                    pad.noise(200)
            time.sleep(rng.uniform(0.06, 0.12))
        pad.faults.corrupt = 0.0
        said.wait(lambda _: pad.waiting == 0 and link.state.state is LinkState.READY)
        truth = {(one.ring, one.seq): one for one in pad.truth}
    # A machine too busy to take anything for seconds fills the pad's ring: that is an event and a gap of its own.
    events = [event for event in said.events if event.kind != EventKind.OVERFLOW]
    assert [(event.ring, event.seq) for event in events] == list(truth), "each confirmed event once, in order"
    assert GapKind.RESTARTED in {gap.kind for gap in said.gaps} <= {GapKind.RESTARTED, GapKind.OVERFLOW}
    told = {one.onset_ns for one in truth.values() if one.kind == EventKind.CONTACT}
    for t_ns in touched:
        assert t_ns in told or any(gap.since_ns <= t_ns <= gap.until_ns for gap in said.gaps)
    for event in events:
        if event.t_ns is not None:
            assert abs(event.t_ns - truth[event.ring, event.seq].onset_ns) <= event.bound_ns


def test_a_restarted_program_goes_on_where_it_was(port: str, said: Listener) -> None:
    with VirtualPad(port) as pad:
        with PadLink(port, said):
            said.wait(lambda _: len(said.events) == 1)
        pad.touch()
        again = Listener()
        with PadLink(port, again):
            again.wait(lambda _: len(again.events) >= 2)
        assert [event.name for event in again.events] == ["contact-made", "contact-released"]
        assert again.gaps == []


def test_a_listener_that_fails_does_not_end_the_link(port: str, said: Listener) -> None:
    def take(report: Report) -> None:
        if isinstance(report, PadEvent) and report.seq == 1:
            raise RuntimeError("a fault of whoever listens")
        said(report)

    with VirtualPad(port) as pad, PadLink(port, take):
        said.wait_state(LinkState.READY)
        pad.touch()
        said.wait(lambda _: len(said.events) == 2)


def test_whoever_takes_an_event_says_when_it_is_safe(port: str, said: Listener) -> None:
    with VirtualPad(port) as pad, PadLink(port, said, confirm_at_once=False) as link:
        said.wait(lambda _: len(said.events) == 1)
        time.sleep(0.2)
        assert pad.waiting == 1
        link.confirm(said.events[0])
        until = time.monotonic() + PATIENCE_S
        while pad.waiting and time.monotonic() < until:
            time.sleep(0.01)
        assert pad.waiting == 0


def test_commands_are_answered(port: str, said: Listener) -> None:
    with VirtualPad(port) as pad, PadLink(port, said) as link:
        said.wait_state(LinkState.READY)
        setting = link.dictionary.setting("contact-dwell")
        assert link.ask(messages.set_value(setting.index, 9000)).result(PATIENCE_S).status == 0
        assert pad.settings[setting.index] == 9000
        assert messages.words(link.ask(messages.Command(messages.Kind.MEASURE)).result(PATIENCE_S).data, "MEASURE")
        assert link.hello is not None
        link.ask(messages.reset(link.hello.boot)).result(PATIENCE_S)
        said.wait(lambda _: len(said.gaps) == 1)
    assert "its watchdog" in said.gaps[0].text


# States


def test_a_pulled_plug_is_found_again_under_its_name(port: str, said: Listener) -> None:
    with VirtualPad(port) as pad, PadLink(port, said) as link:
        said.wait_state(LinkState.READY)
        pad.unplug(power=False)
        assert "was unplugged; plug it in again" in said.wait_state(LinkState.UNPLUGGED).text
        with pytest.raises(PadError):
            link.ask(messages.get(0), 0.2).result(PATIENCE_S)
        pad.replug()
        said.wait_state(LinkState.READY, 2)
        said.wait(lambda _: len(said.gaps) == 1)
        assert said.gaps[0].kind is GapKind.POWER_LOST
        said.wait(lambda _: said.events[-1].ring == pad.boot)
        assert said.events[-1].strength == ResetCause.POWER


def test_a_port_that_is_not_there_is_looked_for(port: str, said: Listener) -> None:
    with PadLink(port, said) as link:
        assert "there is no such port" in said.wait_state(LinkState.SEARCHING).text
        with VirtualPad(port):
            said.wait_state(LinkState.READY)
        said.wait_state(LinkState.UNPLUGGED)
        time.sleep(0.6)  # it has been looked for again meanwhile
        assert link.state.state is LinkState.UNPLUGGED


def test_a_pad_of_another_version_is_left_alone(port: str, said: Listener) -> None:
    with VirtualPad(port, version=(3, 4)), PadLink(port, said):
        text = said.wait_state(LinkState.UNKNOWN_VERSION).text
    assert "speaks version 3 to 4 of the protocol and this program version 2" in text
    assert said.events == []


def test_another_device_at_the_port_is_told_from_a_pad(
    port: str, said: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "PROBE_S", 0.5)
    with stranger(port, b"$GPGGA,092750.000,5321.6802,N*76\r\n"), PadLink(port, said):
        assert "another device speaks there" in said.wait_state(LinkState.FOREIGN).text


def test_a_port_where_nobody_answers_is_silent(port: str, said: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "PROBE_S", 0.5)
    with stranger(port, b""), PadLink(port, said):
        assert "nothing answers" in said.wait_state(LinkState.SILENT).text


def test_a_pad_that_falls_silent_is_said_to_be_and_comes_back(port: str, said: Listener) -> None:
    with VirtualPad(port) as pad, PadLink(port, said):
        said.wait_state(LinkState.READY)
        pad.stall(2.0)
        assert "says nothing any more" in said.wait_state(LinkState.SILENT).text
        said.wait_state(LinkState.READY, 2)
    assert said.gaps == []


def test_a_port_without_permission_says_what_to_do(port: str, said: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_line: serial.Serial) -> None:
        raise serial.SerialException(13, f"could not open port {port}: [Errno 13] Permission denied: {port!r}")

    monkeypatch.setattr(serial.Serial, "open", refuse)
    with PadLink(port, said):
        assert "sudo usermod -a -G dialout" in said.wait_state(LinkState.NO_PERMISSION).text


def test_a_port_that_another_program_uses_is_busy(port: str, said: Listener) -> None:
    with VirtualPad(port):
        other = os.open(port, os.O_RDWR | os.O_NOCTTY)
        fcntl.flock(other, fcntl.LOCK_EX)
        with PadLink(port, said):
            assert "another program uses it" in said.wait_state(LinkState.BUSY).text
        os.close(other)


def test_a_state_is_told_once_however_often_it_is_tried(
    port: str, said: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "PROBE_S", 0.1)
    monkeypatch.setitem(link_module.RETRY_S, LinkState.SILENT, 0.0)
    with stranger(port, b""), PadLink(port, said):
        said.wait_state(LinkState.SILENT)
        time.sleep(1.0)
    assert [one.state for one in said.reports if isinstance(one, PadState)] == [LinkState.CONNECTING, LinkState.SILENT]


def test_nothing_that_is_asked_waits_for_the_port(port: str, said: Listener) -> None:
    """Neither before the pad is there nor after; the future fails by itself."""
    link = PadLink(port, said)
    asked = link.ask(messages.get(0))
    assert not asked.done()
    with link:
        with pytest.raises(PadNotFoundError):
            asked.result(PATIENCE_S)
        link.confirm(PadEvent(1, 1, 1, 1, "", 0, "", 0, 0, 50, 0, 0, None, None))


# One port, asked once


def test_a_pad_is_found_among_the_ports(port: str, tmp_path: Path) -> None:
    silent = str(tmp_path / "silent")
    with VirtualPad(port), stranger(silent, b""):
        found = {one.port: one for one in ports.find_pads((port, silent, str(tmp_path / "none")), patience_s=1.0)}
    assert found[port].state is LinkState.READY
    assert "a contact pad, firmware 0.0.1" in found[port].text
    assert found[silent].state is LinkState.SILENT
    assert found[str(tmp_path / "none")].state is LinkState.SEARCHING


def test_the_machines_own_ports_are_asked_only_by_name(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A console may hang there."""
    monkeypatch.setattr(ports, "serial_ports", lambda: ((port, "ttyAMA0", None),))
    with VirtualPad(port):
        assert [one.state for one in ports.find_pads(patience_s=1.0)] == [None]
        assert [one.state for one in ports.find_pads((port,), patience_s=5.0)] == [LinkState.READY]
        monkeypatch.setattr(ports, "serial_ports", lambda: ((port, "USB Serial", "1a86:7523"),))
        assert [one.state for one in ports.find_pads(patience_s=5.0)] == [LinkState.READY]


def test_ports_can_be_listed_without_asking_them(port: str) -> None:
    (found,) = [one for one in ports.find_pads((port,), ask=False) if one.port == port]
    assert found.state is None


@pytest.mark.parametrize(
    ("error", "state", "builtin"),
    [
        (PadNotFoundError("p"), LinkState.SEARCHING, FileNotFoundError),
        (PadPermissionError("p"), LinkState.NO_PERMISSION, PermissionError),
        (PadBusyError("p"), LinkState.BUSY, BlockingIOError),
        (PadLostError("p"), LinkState.UNPLUGGED, ConnectionError),
        (PadSilentError("p"), LinkState.SILENT, TimeoutError),
        (NotAPadError("p"), LinkState.FOREIGN, ValueError),
        (PadVersionError("p", "2", 1), LinkState.UNKNOWN_VERSION, ValueError),
        (PadPortError("p", "why"), LinkState.FAILED, OSError),
    ],
)
def test_every_error_is_one_line_a_builtin_and_a_state(
    error: PadError, state: LinkState, builtin: type[Exception]
) -> None:
    assert ports.state_of(error) is state
    assert isinstance(error, builtin)
    assert str(error).startswith("p: ")
    assert "\n" not in str(error)


def test_a_file_is_no_port(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(PadPortError, match="it is no device"):
        Port.open(str(tmp_path / "file"))
