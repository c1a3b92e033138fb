"""What pad and panel feel, on its way to the desk and the journal: their state on the page, their events kept as observations.

Nothing here says what a touch means.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from companion.errors import CompanionError
from companion.journal import Journal
from companion.journal.clock import SystemClock
from hardware.pad.link import PadLink
from hardware.pad.messages import Heartbeat
from hardware.pad.reports import LinkState, PadEvent, PadGap, PadState, Report
from hardware.panel import Panel, PanelPins, PanelState, Press

log = logging.getLogger("companion.service")

PAD, PANEL = "pad", "panel"
GAP_SHOWN_S = 30.0
"""How long the page speaks of a gap that is over."""
BEAT_S = 0.05
"""How often heartbeats are looked for, where nothing else comes."""
BEAT_LATE_NS = 80_000_000
"""A heartbeat that is found then was sent no longer ago."""
SHOWN = {
    LinkState.READY: "ready",
    LinkState.SEARCHING: "waiting",
    LinkState.CONNECTING: "waiting",
}
"""What the page shows of a link's state; of every other one that it is lost."""

Json = Any


class Shown(Protocol):
    """What is needed of the desk."""

    @property
    def game_id(self) -> str:
        """The game that observations belong to."""

    def source(self, name: str, state: str, text: str = "", *, journaled: bool = False) -> None:
        """Shows what a part is doing."""


class PadEars:
    """Takes a pad's reports in a thread of its own: neither a busy desk nor a slow disk holds the link up.

    An event is let go of by the pad once the journal has it in line.
    """

    def __init__(
        self,
        port: str,
        desk: Shown,
        journal: Journal,
        hear: Callable[[Report], None] | None = None,
        alive: Callable[[int], None] | None = None,
    ) -> None:
        """`hear` gets all reports in order; events and gaps after they were handed to the journal. `alive` gets the host's
        times, ns, up to which the pad has told all that it felt, as its heartbeats say."""
        self._desk = desk
        self._journal = journal
        self._hear = hear or (lambda _report: None)
        self._alive = alive or (lambda _t_ns: None)
        self._beat: Heartbeat | None = None
        self._boot_id = SystemClock().boot_id
        self._reports: queue.SimpleQueue[Report | None] = queue.SimpleQueue()
        self._link = PadLink(port, self._reports.put, confirm_at_once=False)
        self._thread = threading.Thread(target=self._run, name="pad-ears", daemon=True)
        self._gap_until = 0.0

    def __enter__(self) -> PadEars:
        self._thread.start()
        self._link.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._link.close()
        self._reports.put(None)
        self._thread.join(2.0)

    @property
    def link(self) -> PadLink:
        """For its state and its lights."""
        return self._link

    def _run(self) -> None:
        while True:
            try:
                report = self._reports.get(timeout=BEAT_S)
            except queue.Empty:
                self._forget_gap()
                self._listen()
                continue
            if report is None:
                return
            try:
                self._take(report)
            except CompanionError as error:
                # The pad keeps what was not let go of; its state must still reach the page.
                log.warning("pad: %s", error)

    def _listen(self) -> None:
        """A heartbeat with nothing left to hand on: all that was felt before it has been told."""
        beat = self._link.heartbeat
        if beat is None or beat is self._beat:
            return
        self._beat = beat
        if beat.oldest == beat.next_seq and self._link.state.state is LinkState.READY:
            self._alive(time.monotonic_ns() - BEAT_LATE_NS)

    def _take(self, report: Report) -> None:
        match report:
            case PadEvent():
                self._journal.observe(self._desk.game_id, event_json(report, self._boot_id))
                self._link.confirm(report)
                self._hear(report)
            case PadGap():
                self._journal.observe(self._desk.game_id, gap_json(report, self._boot_id))
                self._desk.source(PAD, "gap", self._for_people(report.text), journaled=True)
                self._gap_until = time.monotonic() + GAP_SHOWN_S
                self._hear(report)
            case PadState():
                self._show(report)
                self._hear(report)

    def _show(self, state: PadState) -> None:
        shown = SHOWN.get(state.state, "lost")
        text = "pad: ready" if state.state is LinkState.READY else self._for_people(state.text)
        if state.state is LinkState.READY and time.monotonic() < self._gap_until:
            return  # shown once the gap was seen for long enough
        self._desk.source(PAD, shown, text, journaled=state.state is not LinkState.CONNECTING)

    def _for_people(self, text: str) -> str:
        """Whoever sits at the table knows one pad: its port's name is for the log."""
        text = text.removeprefix(f"{self._link.port}: ")
        return f"T{text[1:]}" if text.startswith("the pad ") else f"Pad: {text}"

    def _forget_gap(self) -> None:
        if self._gap_until and time.monotonic() >= self._gap_until:
            self._gap_until = 0.0
            if self._link.state.state is LinkState.READY:
                self._show(self._link.state)


def event_json(event: PadEvent, boot_id: str) -> dict[str, Json]:
    """An event as it is kept: `t_ns` counts within the host's boot of that id."""
    return {
        "source": PAD,
        "event": event.name,
        "kind": event.kind,
        "channel": event.channel_name,
        "ring": event.ring,
        "seq": event.seq,
        "pad_boot": event.boot,
        "onset_us": event.onset_us,
        "within_us": event.within_us,
        "dwell_us": event.dwell_us,
        "strength": event.strength,
        "flags": event.flags,
        "t_ns": event.t_ns,
        "bound_ns": event.bound_ns,
        "boot": boot_id,
    }


def gap_json(gap: PadGap, boot_id: str) -> dict[str, Json]:
    """A gap as it is kept."""
    return {
        "source": PAD,
        "event": "gap",
        "gap": gap.kind.value,
        "since_ns": gap.since_ns,
        "until_ns": gap.until_ns,
        "lost": gap.lost,
        "text": gap.text,
        "boot": boot_id,
    }


def press_json(press: Press, boot_id: str) -> dict[str, Json]:
    """A button of the panel as it is kept."""
    return {
        "source": PANEL,
        "event": "press",
        "button": press.button,
        "player": press.player,
        "t_ns": press.t_ns,
        "bound_ns": press.t_err_ns,
        "boot": boot_id,
    }


@contextmanager
def feeling(
    port: str | None,
    pins: PanelPins,
    desk: Shown,
    journal: Journal,
    hear: Callable[[Report], None] | None = None,
    alive: Callable[[int], None] | None = None,
    pressed: Callable[[Panel], Callable[[Press], None]] = lambda _panel: lambda _press: None,
) -> Iterator[None]:
    """Pad and panel, as far as the table has them, at work while the block runs. `hear` and `alive` as in `PadEars`; `pressed`
    makes of the panel what takes its presses."""
    boot_id = SystemClock().boot_id
    taking: list[Callable[[Press], None]] = []

    def on_press(press: Press) -> None:
        journal.observe(desk.game_id, press_json(press, boot_id))
        for take in taking:
            take(press)

    with ExitStack() as stack:
        panel = stack.enter_context(Panel(pins, on_press))
        taking.append(pressed(panel))
        if panel.state is not PanelState.ABSENT:
            ready = panel.state is PanelState.READY
            desk.source(
                PANEL, "ready" if ready else "lost", "panel: ready" if ready else panel.text, journaled=not ready
            )
        if port:
            stack.enter_context(PadEars(port, desk, journal, hear, alive))
        yield
