"""The events file as the writer sees it: what was asked for is given its place in the chain and committed, or refused whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from companion.errors import BadInputError, CompanionError, JournalError
from companion.journal import database
from companion.journal.events import (
    CHAINED,
    GENESIS,
    Event,
    EventKind,
    Json,
    NewEvent,
    Stamp,
    canonical,
    check_game_id,
    check_start,
    event_body,
    hash_text,
    is_int64,
    parse_json,
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A new event, checked and put into canonical form, before it has a place."""

    kind: EventKind
    game_id: str
    payload_text: str
    payload: dict[str, Json]
    t_ns: int | None
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Head:
    """How far a game has come."""

    game: str
    seats: tuple[str, ...]
    started_wall_ns: int
    events: int
    """How many, and the last one's sequence number."""
    ended: bool
    hash: str
    """The last chained event's."""


HeadOf = Callable[[str], Head | None]
Placed = list[tuple[Event, str]]
"""Events with their place in the chain, and their payload's canonical text."""


class Request(Protocol):
    """What can be asked of the store: events that are recorded together or not at all."""

    @property
    def size(self) -> int:
        """How many events."""

    def place(self, head_of: HeadOf) -> Placed:
        """The events in their places after the heads of their games. Raises CompanionError where they can't follow."""


@dataclass(frozen=True, slots=True)
class Append:
    """New events."""

    events: tuple[Prepared, ...]

    @property
    def size(self) -> int:
        """How many events."""
        return len(self.events)

    def place(self, head_of: HeadOf) -> Placed:
        """Each after the last of its game. Raises JournalError where a game was not started, or starts twice."""
        moved: Heads = {}
        placed: Placed = []
        for new in self.events:
            before = moved.get(new.game_id) or head_of(new.game_id)
            event = _placed(new, before)
            moved[new.game_id] = _moved(before, event)
            placed.append((event, new.payload_text))
        return placed


@dataclass(frozen=True, slots=True)
class Adopt:
    """A whole game from elsewhere, verified before, that keeps its numbers, times and hashes."""

    events: tuple[Event, ...]

    @property
    def size(self) -> int:
        """How many events."""
        return len(self.events)

    def place(self, head_of: HeadOf) -> Placed:
        """As they are. Raises BadInputError if there is a game of this id."""
        for game_id in {event.game_id for event in self.events}:
            if head_of(game_id) is not None:
                raise BadInputError(f"game {game_id} is in this journal already")
        return [(event, canonical(event.payload)) for event in self.events]


Answer = tuple[Event, ...] | CompanionError
Heads = dict[str, Head]


def prepare_event(new: NewEvent, stamp: Stamp) -> Prepared:
    """Checks everything that can be wrong with an event by itself. Raises BadInputError."""
    kind = EventKind(new.kind)
    check_game_id(new.game_id)
    payload = dict(new.payload)
    if kind is EventKind.GAME_STARTED:
        check_start(payload)
    if new.t_ns is not None and not is_int64(new.t_ns):
        raise BadInputError(f"a {kind} can't be recorded: t_ns {new.t_ns!r} is not a whole number of nanoseconds")
    text = canonical(payload, f"a {kind}")
    return Prepared(kind, new.game_id, text, parse_json(text), new.t_ns, stamp)


class EventStore:
    """Owns the writing connection. Used by one thread at a time; after any error of the file it starts over from the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = database.prepare(
            path, database.EVENTS_FORMAT, database.EVENTS_SCHEMA, durable=True
        )
        self._heads: Heads = {}

    def commit(self, requests: Sequence[Request]) -> list[Answer]:
        """Records the requests in one transaction, in order; an answer each, and only after they are on the disk.

        A request that can't be (its game was never started) is refused by itself. If the file can't be written, all are
        refused and nothing of any is left.
        """
        try:
            connection = self._connected()
            connection.execute("BEGIN IMMEDIATE")
            heads = dict(self._heads)
            answers = [self._record(connection, request, heads) for request in requests]
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._forget()
            return [database.write_error(self._path, error) for _ in requests]
        except BaseException:
            self._forget()
            raise
        self._heads = heads
        return answers

    def close(self) -> None:
        """Folds the WAL into the file and lets go of it."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._forget()

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = database.connect_writer(self._path, durable=True)
        return self._connection

    def _forget(self) -> None:
        """Rolls back by closing, and forgets what was believed of the file: after a failed write only the file itself knows."""
        connection, self._connection, self._heads = self._connection, None, {}
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _record(self, connection: sqlite3.Connection, request: Request, heads: Heads) -> Answer:
        """Inserts one request's events; `heads` moves on only if the request as a whole can be."""

        def head_of(game_id: str) -> Head | None:
            return heads.get(game_id) or read_head(connection, game_id)

        try:
            placed = request.place(head_of)
            moved: Heads = {}
            for event, _ in placed:
                moved[event.game_id] = _moved(moved.get(event.game_id) or head_of(event.game_id), event)
        except CompanionError as error:
            return error
        connection.executemany(
            "INSERT INTO events (game, seq, kind, payload, t_ns, boot, mono_ns, wall_ns, prev, hash)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [_row(event, text) for event, text in placed],
        )
        for game_id, head in moved.items():
            _write_head(connection, game_id, head)
        heads.update(moved)
        return tuple(event for event, _ in placed)


def read_head(connection: sqlite3.Connection, game_id: str) -> Head | None:
    """How far a game has come by the file; None if it was never started. Raises sqlite3.Error, JournalError."""
    row = connection.execute(
        "SELECT game, seats, started_wall_ns, events, ended, head FROM games WHERE id = ?", (game_id,)
    ).fetchone()
    return None if row is None else head_from_row(game_id, row)


def head_from_row(game_id: str, row: tuple[Json, ...]) -> Head:
    """A row of `games` (game, seats, started, events, ended, head) as a value. Raises JournalError."""
    game, seats, started, events, ended, last = row
    try:
        return Head(game, tuple(parse_json(seats)), started, events, bool(ended), last)
    except ValueError as error:
        raise JournalError(
            f"game {game_id} is damaged in the list of games: its seats can't be read ({error})"
        ) from None


def _placed(new: Prepared, before: Head | None) -> Event:
    """The event with its number and hash. Raises JournalError where the game has not started, or starts twice."""
    starts = new.kind is EventKind.GAME_STARTED
    if before is None and not starts:
        raise JournalError(f"game {new.game_id} was never started here: a {new.kind} can't be its first event")
    if before is not None and starts:
        raise JournalError(f"game {new.game_id} has started already")
    seq, prev = (before.events + 1, before.hash) if before else (1, GENESIS)
    body = event_body(
        game_id=new.game_id,
        kind=new.kind,
        payload_text=new.payload_text,
        t_ns=new.t_ns,
        stamp=new.stamp,
        prev_hash=prev,
        seq=seq,
    )
    stamp = new.stamp
    return Event(
        seq,
        new.game_id,
        new.kind,
        new.payload,
        new.t_ns,
        stamp.boot_id,
        stamp.mono_ns,
        stamp.wall_ns,
        prev,
        hash_text(body),
    )


def _moved(before: Head | None, event: Event) -> Head:
    ended = event.kind is EventKind.GAME_ENDED or (before is not None and before.ended)
    if before is None:
        game, seats = check_start(event.payload)
        return Head(game, seats, event.wall_ns, 1, ended, event.hash)
    last = event.hash if event.kind in CHAINED else before.hash
    return Head(before.game, before.seats, before.started_wall_ns, event.seq, ended, last)


def _row(event: Event, payload_text: str) -> tuple[str | int | None, ...]:
    return (
        event.game_id,
        event.seq,
        event.kind.value,
        payload_text,
        event.t_ns,
        event.boot_id,
        event.mono_ns,
        event.wall_ns,
        event.prev_hash,
        event.hash,
    )


def _write_head(connection: sqlite3.Connection, game_id: str, head: Head) -> None:
    connection.execute(
        "INSERT INTO games (id, game, seats, started_wall_ns, events, ended, head) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET events = excluded.events, ended = excluded.ended, head = excluded.head",
        (game_id, head.game, canonical(list(head.seats)), head.started_wall_ns, head.events, head.ended, head.hash),
    )
