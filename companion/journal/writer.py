"""The journal's writer: one thread, everything that waits goes to the disk in one commit, and a ticket tells when it has."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError

from companion.errors import CompanionError, JournalError
from companion.journal.events import Event
from companion.journal.store import EventStore, Request

GROUP_EVENTS = 1000
"""At most about so many events a commit, so that the first in line is not kept waiting by a flood behind it."""


class Ticket:
    """A promise that something will be recorded."""

    def __init__(self) -> None:
        self._future: Future[tuple[Event, ...]] = Future()

    def done(self) -> bool:
        """Whether it is settled, one way or the other."""
        return self._future.done()

    def wait(self, timeout: float | None = None) -> tuple[Event, ...]:
        """The recorded events, once they are safe on the disk.

        Raises JournalError if they could not be recorded (then nothing of them was), or if nothing is known after `timeout`
        seconds (then they may still be).
        """
        try:
            return self._future.result(timeout)
        except FutureTimeoutError:
            raise JournalError(f"the journal has not confirmed within {timeout} s: it is still trying") from None

    def _settle(self, answer: tuple[Event, ...] | CompanionError) -> None:
        if isinstance(answer, CompanionError):
            self._future.set_exception(answer)
        else:
            self._future.set_result(answer)


class Writer:
    """Takes requests from any thread and records them in the order in which they came."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._waiting: deque[tuple[Request, Ticket]] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._thread.start()

    @property
    def order(self) -> threading.Condition:
        """Held while a request is stamped and submitted, so that times and numbers have the same order."""
        return self._wake

    def submit(self, request: Request) -> Ticket:
        """Puts a request in line. The caller holds `order`. Raises JournalError when the journal is closed."""
        if self._closing:
            raise JournalError("the journal is closed: nothing more can be recorded")
        ticket = Ticket()
        self._waiting.append((request, ticket))
        self._wake.notify()
        return ticket

    def close(self) -> None:
        """Records what is in line and ends the thread. To be called from another thread than the writer's."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()
        self._store.close()

    def _run(self) -> None:
        while group := self._next_group():
            self._write(group)

    def _next_group(self) -> list[tuple[Request, Ticket]]:
        """What waits, in order; empty when the journal closes and nothing waits."""
        with self._wake:
            while not self._waiting and not self._closing:
                self._wake.wait()
            group: list[tuple[Request, Ticket]] = []
            events = 0
            while self._waiting and events < GROUP_EVENTS:
                group.append(self._waiting.popleft())
                events += group[-1][0].size
            return group

    def _write(self, group: list[tuple[Request, Ticket]]) -> None:
        try:
            answers = self._store.commit([request for request, _ in group])
        except Exception as error:
            # Whatever it was, whoever waits must hear of it: a writer that dies in silence stops the table.
            for _, ticket in group:
                ticket._settle(JournalError(f"the journal's writer failed ({error!r}): nothing of this was recorded"))
            return
        for (_, ticket), answer in zip(group, answers, strict=True):
            ticket._settle(answer)
