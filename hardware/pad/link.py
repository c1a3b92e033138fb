"""A link to the contact pad: a thread that keeps the port open, hands events on in order, and loses none in silence.

>>> link = PadLink("/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0", print)
>>> link.start()
>>> link.ask(messages.Command(messages.Kind.MEASURE)).result()
>>> link.close()

Nothing that a caller does waits for the port: `ask` gives a future, `close` asks the thread to end.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from hardware.pad.conversation import Conversation
from hardware.pad.dictionary import Dictionary
from hardware.pad.errors import PadError, PadLostError, PadSilentError
from hardware.pad.inbox import Position
from hardware.pad.messages import Command, Heartbeat, Hello, Reply
from hardware.pad.port import BAUD, Port, stable_name
from hardware.pad.ports import PROBE_S, nobody, state_of
from hardware.pad.reports import LinkState, PadEvent, PadState, Report, Stats

log = logging.getLogger("hardware.pad")

SILENT_S = 1.0
"""Four heartbeats missing."""
GIVE_UP_S = 5.0
"""A port that stays silent so long is opened anew."""
RETRY_S = {
    LinkState.SEARCHING: 0.25,
    LinkState.UNPLUGGED: 0.25,
    LinkState.SILENT: 1.0,
    LinkState.NO_PERMISSION: 2.0,
    LinkState.BUSY: 2.0,
    LinkState.FAILED: 2.0,
    # What belongs to somebody else is left alone for longer.
    LinkState.FOREIGN: 15.0,
    LinkState.UNKNOWN_VERSION: 15.0,
}
STATS_S = 1.0


class PadLink:
    """One pad. `start` it; everything it has to say comes through `take`."""

    def __init__(
        self,
        port: str,
        take: Callable[[Report], None],
        *,
        baud: int = BAUD,
        start_at: Position | None = None,
        confirm_at_once: bool = True,
    ) -> None:
        """`take` gets every report, in order, in the link's thread: it must not wait for long.

        An event is let go of by the pad once it is confirmed: when `take` has returned, or, without `confirm_at_once`, when
        whoever took it calls `confirm` because it is safe. `start_at`: how far the events were taken in an earlier run.
        """
        self.port = stable_name(port)
        self._take = take
        self._confirm_at_once = confirm_at_once
        self._baud = baud
        self._talk = Conversation(self.port, baud, time.monotonic_ns, start_at)
        self._state = PadState(LinkState.SEARCHING, f"{self.port}: looking for the pad", time.monotonic_ns())
        self._line: Port | None = None
        self._confirmed: deque[tuple[int, int]] = deque()
        self._closing = threading.Event()
        self._was_ready = False
        self._thread = threading.Thread(target=self._run, name="pad-link", daemon=True)
        self._stats_due = 0.0

    def start(self) -> Self:
        """Starts the thread. Returns at once, whether a pad is there or not."""
        self._thread.start()
        return self

    def close(self, wait_s: float = 2.0) -> None:
        """Ends the thread and lets the port go. May be called twice."""
        self._closing.set()
        self._wake()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(wait_s)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def state(self) -> PadState:
        """What the link is doing now."""
        return self._state

    @property
    def hello(self) -> Hello | None:
        """Who the pad is; None before it said so."""
        return self._talk.hello

    @property
    def heartbeat(self) -> Heartbeat | None:
        """The last one."""
        return self._talk.heartbeat

    @property
    def dictionary(self) -> Dictionary:
        """What this pad has; empty before it said so."""
        return self._talk.dictionary

    @property
    def stats(self) -> Stats:
        """A copy of the counts."""
        return replace(self._talk.stats)

    def ask(self, command: Command, patience_s: float = 3.0) -> Future[Reply]:
        """Puts a command in line; the future gives the answer, or raises a PadError. Never waits."""
        future = self._talk.ask(command, patience_s)
        self._wake()
        return future

    def confirm(self, event: PadEvent) -> None:
        """This event and all before it are safe: the pad may let go of them. From any thread; never waits."""
        self._confirmed.append((event.ring, event.seq))
        self._wake()

    def _wake(self) -> None:
        line = self._line
        if line is not None:
            line.wake()

    # The thread

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                with Port.open(self.port, self._baud) as line:
                    self._line = line
                    self._tell_state(LinkState.CONNECTING, f"{self.port}: greeting the pad")
                    self._talk.opened()
                    self._serve(line)
            except PadError as error:
                self._end(error)
            except Exception as error:
                # A fault of this program must not end the touches for the rest of the day.
                log.exception("pad %s: the link failed and begins anew", self.port)
                self._end(PadError(f"{self.port}: the link failed ({type(error).__name__}: {error}) and begins anew"))
            finally:
                self._line = None
        self._talk.closed(PadLostError(self.port))

    def _end(self, error: PadError) -> None:
        """Says why the port was let go, and waits before it is tried again."""
        self._talk.closed(error)
        state = state_of(error)
        if state is LinkState.SEARCHING and self._was_ready:
            state, error = LinkState.UNPLUGGED, PadLostError(self.port)
        self._tell_state(state, str(error))
        self._tell_reports()
        until = time.monotonic() + RETRY_S.get(state, 2.0)
        while not self._closing.wait(0.1 if RETRY_S.get(state, 2.0) > 0.3 else 0.05):
            # Whatever was there before: when the port goes, it is looked for again at once.
            if time.monotonic() >= until or (state not in _ABSENT and not Path(self.port).exists()):
                break
            self._log_stats()

    def _serve(self, line: Port) -> None:
        """Talks until the port is lost or belongs to somebody else; raises the PadError that says so."""
        opened = heard = time.monotonic()
        while not self._closing.is_set():
            line.write(self._talk.outgoing())
            readable = line.wait(max(self._talk.wake_ns() - time.monotonic_ns(), 0) / 1e9)
            now = time.monotonic()
            # Where this thread itself stood still, what came meanwhile is read before the pad is called silent.
            if readable:
                before = self._talk.heard_ns
                data = line.read()
                self._talk.feed(data, time.monotonic_ns())
                if self._talk.heard_ns != before:
                    heard = now
            while self._confirmed:
                self._talk.confirm(*self._confirmed.popleft())
            self._judge(now - heard, now - opened)
            self._tell_reports()
            self._log_stats()

    def _judge(self, silent_s: float, open_s: float) -> None:
        """What the silence, or the talk, means."""
        talk = self._talk
        if talk.heard_ns is None and open_s > PROBE_S:
            raise nobody(talk, self.port)
        if talk.heard_ns is not None and silent_s > GIVE_UP_S:
            raise PadSilentError(self.port)
        if talk.heard_ns is not None and silent_s > SILENT_S:
            self._tell_state(LinkState.SILENT, f"{self.port}: the pad says nothing any more; is it still powered?")
        elif talk.ready and talk.hello is not None:
            firmware = ".".join(map(str, talk.hello.firmware))
            self._was_ready = True
            self._tell_state(LinkState.READY, f"{self.port}: the pad is ready (firmware {firmware})")

    def _tell_reports(self) -> None:
        for report in self._talk.reports():
            self._hand_on(report)
            if self._confirm_at_once and isinstance(report, PadEvent):
                self._talk.confirm(report.ring, report.seq)

    def _tell_state(self, state: LinkState, text: str) -> None:
        if state is self._state.state and text == self._state.text:
            return
        # A pad that can't be reached is looked for again and again: that is one state, not two.
        if state is LinkState.CONNECTING and self._state.state in _STUCK:
            return
        self._state = PadState(state, text, time.monotonic_ns())
        log.info("pad %s: %s", self.port, text)
        self._hand_on(self._state)

    def _hand_on(self, report: Report) -> None:
        try:
            self._take(report)
        except Exception:
            log.exception("pad %s: a report could not be taken: %s", self.port, report)

    def _log_stats(self) -> None:
        now = time.monotonic()
        if now >= self._stats_due:
            self._stats_due = now + STATS_S
            log.info("pad %s: %s %s", self.port, self._state.state, self._talk.stats.line())


_ABSENT = frozenset({LinkState.SEARCHING, LinkState.UNPLUGGED})
_STUCK = frozenset(
    {
        LinkState.SILENT,
        LinkState.FOREIGN,
        LinkState.UNKNOWN_VERSION,
        LinkState.NO_PERMISSION,
        LinkState.BUSY,
        LinkState.FAILED,
    }
)
