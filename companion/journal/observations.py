"""What the sensors saw, kept beside the journal as evidence: bulky, bounded, and never in the way of a fact.

A fact names the observations it came from by number and by the hash of their content, so that evidence which was shed, lost in a
power cut or pruned is known to be missing and can't be swapped for another.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from companion.errors import JournalError
from companion.journal import database
from companion.journal.events import Json, canonical, parse_json

KEEP_BYTES = 512 * 1024 * 1024
"""How much content is kept; the oldest goes first."""
QUEUE_BYTES = 16 * 1024 * 1024
"""How much may wait for the disk; what comes on top is shed."""
BATCH_BYTES = 1024 * 1024
RUN_IDS = 10**9
"""Ids of one run of the service; the run's number comes before them, so that an id is never given twice."""


@dataclass(frozen=True, slots=True)
class ObservationRef:
    """Names an observation for good."""

    id: int
    sha256: str
    """Of its content, 64 hex digits."""

    def to_json(self) -> dict[str, Json]:
        """As it goes into a fact's payload."""
        return {"id": self.id, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen, as it was kept."""

    ref: ObservationRef
    game_id: str
    wall_ns: int
    content: bytes
    """As given; canonical JSON where a mapping was given."""
    is_json: bool

    def value(self) -> Json:
        """The mapping that was given. Raises JournalError if it was bytes."""
        if not self.is_json:
            raise JournalError(f"observation {self.ref.id} is not JSON")
        return parse_json(self.content)


class ObservationStore:
    """Writes observations from a thread of its own, without waiting for the disk and without promise."""

    def __init__(self, path: Path, *, keep_bytes: int = KEEP_BYTES, queue_bytes: int = QUEUE_BYTES) -> None:
        self._path = path
        self._keep_bytes = keep_bytes
        self._queue_bytes = queue_bytes
        connection = database.prepare(path, database.OBSERVATIONS_FORMAT, database.OBSERVATIONS_SCHEMA, durable=False)
        try:
            run = _new_run(connection)
            self._kept_bytes: int = connection.execute("SELECT COALESCE(SUM(size), 0) FROM observations").fetchone()[0]
        except sqlite3.Error as error:
            connection.close()
            raise database.read_error(path, error) from error
        self._connection: sqlite3.Connection | None = connection
        self._next_id = run * RUN_IDS + 1
        self._waiting: deque[Observation] = deque()
        self._waiting_bytes = 0
        self._shed = 0
        self._wake = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="observation-writer", daemon=True)
        self._thread.start()

    @property
    def shed(self) -> int:
        """How many of this run were not kept, for want of time or space."""
        return self._shed

    def keep(self, game_id: str, payload: bytes | Mapping[str, Json], wall_ns: int) -> ObservationRef:
        """Names an observation and puts it in line; it is shed if too much waits. Raises BadInputError for no valid JSON."""
        is_json = not isinstance(payload, bytes)
        content = payload if isinstance(payload, bytes) else canonical(dict(payload), "an observation").encode("utf-8")
        sha256 = hashlib.sha256(content).hexdigest()
        with self._wake:
            if self._closing:
                raise JournalError("the journal is closed: nothing more can be recorded")
            ref = ObservationRef(self._next_id, sha256)
            self._next_id += 1
            if self._waiting_bytes + len(content) > self._queue_bytes:
                self._shed += 1
                return ref
            self._waiting.append(Observation(ref, game_id, wall_ns, content, is_json))
            self._waiting_bytes += len(content)
            self._wake.notify()
        return ref

    def close(self) -> None:
        """Writes what is in line, as far as the disk takes it, and lets go of the file."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()
        self._disconnect()

    def _run(self) -> None:
        while batch := self._next_batch():
            try:
                self._write(batch)
            except (sqlite3.Error, OSError):
                # A full disk takes evidence first; the facts' own file says so to whoever waits for a fact.
                self._disconnect()
                self._shed += len(batch)

    def _next_batch(self) -> list[Observation]:
        with self._wake:
            while not self._waiting and not self._closing:
                self._wake.wait()
            batch: list[Observation] = []
            size = 0
            while self._waiting and size < BATCH_BYTES:
                batch.append(self._waiting.popleft())
                size += len(batch[-1].content)
            self._waiting_bytes -= size
            return batch

    def _write(self, batch: list[Observation]) -> None:
        if self._connection is None:
            self._connection = database.connect_writer(self._path, durable=False)
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "INSERT INTO observations (id, game, size, wall_ns, json, sha256, content) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(o.ref.id, o.game_id, len(o.content), o.wall_ns, o.is_json, o.ref.sha256, o.content) for o in batch],
        )
        kept = self._kept_bytes + sum(len(one.content) for one in batch)
        kept -= _prune(connection, kept - self._keep_bytes)
        connection.execute("COMMIT")
        self._kept_bytes = kept

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


def _new_run(connection: sqlite3.Connection) -> int:
    """Numbers this run, on the disk before anything can refer to it."""
    connection.execute("PRAGMA synchronous=FULL")
    run = connection.execute("INSERT INTO runs DEFAULT VALUES").lastrowid or 0
    connection.execute("PRAGMA synchronous=NORMAL")
    return run


def _prune(connection: sqlite3.Connection, excess: int) -> int:
    """Deletes the oldest until `excess` bytes are free; returns the bytes freed."""
    freed = 0
    last = None
    for number, size in connection.execute("SELECT id, size FROM observations ORDER BY id"):
        if freed >= excess:
            break
        freed += size
        last = number
    if last is not None:
        connection.execute("DELETE FROM observations WHERE id <= ?", (last,))
    return freed


def read_observation(path: Path, number: int) -> Observation | None:
    """The observation of that id; None if it was shed, pruned or lost. Raises JournalError, also when its hash is not its own."""
    if not path.is_file():
        return None
    with database.reading(path) as connection:
        row = connection.execute(
            "SELECT game, wall_ns, json, sha256, content FROM observations WHERE id = ?", (number,)
        ).fetchone()
    if row is None:
        return None
    game_id, wall_ns, is_json, sha256, content = row
    if hashlib.sha256(content).hexdigest() != sha256:
        raise JournalError(f"observation {number} in {path} is not what was recorded: its content and hash differ")
    return Observation(ObservationRef(number, sha256), game_id, wall_ns, content, bool(is_json))
