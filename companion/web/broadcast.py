"""One rendering of the view for all who watch: each version becomes bytes once, and every stream sends the same bytes."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from companion.web.desk import Desk

LOG = logging.getLogger(__name__)

WAIT_S = 1.0
"""How long the broadcaster waits for the desk before it looks whether it should stop."""
LOOK_S = 2.0
"""How often a stream looks whether its viewer has gone."""
BEAT_S = 5.0
"""A sign of life this often, so that a page can tell a quiet table from a dead connection."""


class StreamsFullError(Exception):
    """As many viewers as the service has threads for are watching already."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A view as bytes."""

    version: int
    body: bytes
    """The view as JSON in UTF-8, on one line."""

    event: bytes
    """The view as a server-sent event."""


class Broadcast:
    """Watches a desk in a thread of its own and wakes every stream when the view changes."""

    def __init__(self, desk: Desk, stream_cap: int) -> None:
        """`stream_cap`: how many streams may be open at a time."""
        self.stream_cap = stream_cap
        self._desk = desk
        self._render_lock = threading.Lock()
        self._changed = threading.Condition()
        self._newest: Rendered | None = None
        self._streams = 0
        self._closed = False
        self._watcher: threading.Thread | None = None

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return self._streams

    @property
    def closed(self) -> bool:
        """Whether the service is going down."""
        return self._closed

    def latest(self) -> Rendered:
        """The newest view; rendered only where the desk has a newer one than last time."""
        newest = self._newest
        if newest is not None and self._desk.wait(newest.version, 0.0) == newest.version:
            return newest
        with self._render_lock:
            newest = self._newest
            if newest is not None and self._desk.wait(newest.version, 0.0) == newest.version:
                return newest
            rendered = _render(self._desk)
            with self._changed:
                self._newest = rendered
                self._changed.notify_all()
            return rendered

    def open_stream(self, gone: Callable[[], bool]) -> Iterator[bytes]:
        """Server-sent events: the view now and whenever it changes, and a beat in between.

        `gone` says whether the viewer has left. Raises StreamsFullError at once where the cap is reached.
        """
        first = self.latest()
        with self._changed:
            if self._streams >= self.stream_cap:
                raise StreamsFullError
            self._streams += 1
            self._watch()
        return _Stream(self._events(first, gone), self._leave)

    def close(self) -> None:
        """Ends every stream and the watching thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _leave(self) -> None:
        with self._changed:
            self._streams -= 1

    def _watch(self) -> None:
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._follow_desk, name="page-broadcast", daemon=True)
            self._watcher.start()

    def _follow_desk(self) -> None:
        while not self._closed:
            try:
                seen = self._newest
                version = self._desk.wait(seen.version if seen else -1, WAIT_S)
                if seen is None or version != seen.version:
                    self.latest()
            except Exception:  # the page outlives a desk in trouble and shows the view that it has
                LOG.exception("the view can't be made; trying again")
                time.sleep(WAIT_S)

    def _events(self, first: Rendered, gone: Callable[[], bool]) -> Iterator[bytes]:
        sent = first
        yield b"retry: 1000\n\n" + first.event
        beat_at = time.monotonic() + BEAT_S
        while not self._closed and not gone():
            newest = self._next(sent)
            if newest is not sent:
                sent = newest
                yield newest.event
                beat_at = time.monotonic() + BEAT_S
            elif time.monotonic() >= beat_at:
                yield b"event: beat\ndata: %d\n\n" % sent.version
                beat_at = time.monotonic() + BEAT_S

    def _next(self, sent: Rendered) -> Rendered:
        with self._changed:
            if not self._closed and self._newest is sent:
                self._changed.wait(LOOK_S)
            return self._newest or sent


class _Stream(Iterator[bytes]):
    """An iterator that gives its place back exactly once, also where it is closed before it began."""

    def __init__(self, events: Iterator[bytes], leave: Callable[[], None]) -> None:
        self._events = events
        self._leave: Callable[[], None] | None = leave

    def __next__(self) -> bytes:
        try:
            return next(self._events)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Called by the server when the viewer has gone."""
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()


def _render(desk: Desk) -> Rendered:
    view = desk.view()
    text = json.dumps(view, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    body = text.encode()
    version = int(view["version"])
    return Rendered(version, body, b"event: view\nid: %d\ndata: %b\n\n" % (version, body))
