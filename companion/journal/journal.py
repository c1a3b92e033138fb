"""The journal: the one place where what happened is kept. Many read it, one service writes it.

with Journal.open(data_dir() / "journal.db") as journal:
    game_id = journal.new_game_id("hoshizora")
    start = NewEvent(EventKind.GAME_STARTED, game_id, {"game": "hoshizora", "seats": ["A", "B", "C"]})
    journal.append([start]).wait()
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from filelock import FileLock, Timeout

from companion.errors import BadInputError, BusyError, CompanionError, JournalError
from companion.journal import database
from companion.journal.clock import Clock, SystemClock
from companion.journal.events import GENESIS, Event, EventKind, Json, NewEvent, Stamp, parse_json
from companion.journal.export import ExportedGame, exported, verify_export, write_export
from companion.journal.ids import new_game_id
from companion.journal.observations import (
    KEEP_BYTES,
    Observation,
    ObservationRef,
    ObservationStore,
    read_observation,
)
from companion.journal.store import Adopt, Append, EventStore, head_from_row, prepare_event, read_head
from companion.journal.verify import ChainEnd, DamagedEventError, VerifyResult, verify
from companion.journal.writer import Ticket, Writer

EVENT_COLUMNS = "seq, game, kind, payload, t_ns, boot, mono_ns, wall_ns, prev, hash"
PAGE_EVENTS = 1000
"""Events read at once: a reader that dawdles between two pages holds nothing up."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game in the list of games."""

    game_id: str
    game: str
    seats: tuple[str, ...]
    started_wall_ns: int
    events: int
    """How many are recorded."""
    ended: bool
    journal_hash: str
    """Last hash of its chain."""


class JournalReader:
    """What can be asked of a journal, from any thread, also beside a service that writes it.

    Every question reads the file anew. Raises JournalError where the file can't be read or holds what was never recorded.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def games(self) -> tuple[GameRow, ...]:
        """All games, in the order in which they were started."""
        with database.reading(self.path) as connection:
            rows = connection.execute(
                "SELECT id, game, seats, started_wall_ns, events, ended, head FROM games ORDER BY number"
            ).fetchall()
        return tuple(_game_row(row) for row in rows)

    def last_game(self) -> GameRow | None:
        """The game that was started last; None in a new journal."""
        with database.reading(self.path) as connection:
            row = connection.execute(
                "SELECT id, game, seats, started_wall_ns, events, ended, head FROM games ORDER BY number DESC LIMIT 1"
            ).fetchone()
        return _game_row(row) if row else None

    def find_game(self, prefix: str | None = None) -> GameRow:
        """The game whose id begins so, the last one if nothing is said. Raises BadInputError unless there is exactly one."""
        games = self.games()
        if not games:
            raise BadInputError(f"no game in {self.path} yet")
        if prefix is None:
            return games[-1]
        found = [game for game in games if game.game_id == prefix] or [
            game for game in games if game.game_id.startswith(prefix)
        ]
        match found:
            case [game]:
                return game
            case []:
                raise BadInputError(f"no game {prefix!r} in {self.path}: `log list` names them")
            case _:
                raise BadInputError(
                    f"{len(found)} games begin with {prefix!r}: {', '.join(g.game_id for g in found[:3])} ..."
                )

    def events(self, game_id: str, after: int = 0) -> Iterator[Event]:
        """A game's events in order, those with a sequence number above `after`; none for a game that is not there.

        Raises DamagedEventError (a JournalError) at an event that can't be read.
        """
        while page := self._page(game_id, after):
            for row in page:
                yield _event(row)
            after = page[-1][0]

    def verify(self, game_id: str) -> VerifyResult:
        """Computes the game's chain again and holds it against the list of games."""
        with database.reading(self.path) as connection:
            connection.execute("BEGIN")  # one view of the file: what is recorded meanwhile was not promised yet
            head = read_head(connection, game_id)
            end = ChainEnd(head.events, head.hash) if head else ChainEnd(0, GENESIS)
            rows = connection.execute(f"SELECT {EVENT_COLUMNS} FROM events WHERE game = ? ORDER BY seq", (game_id,))
            return verify((_event(row) for row in rows), end)

    def export(self, game_id: str) -> ExportedGame:
        """The game as it is now, ready for `write_export`. Raises BadInputError if it is not there."""
        return exported(tuple(self.events(game_id)))

    def observation(self, number: int) -> Observation | None:
        """Evidence by its id; None if it was shed, pruned or lost."""
        return read_observation(database.observations_path(self.path), number)

    def _page(self, game_id: str, after: int) -> list[tuple[Json, ...]]:
        with database.reading(self.path) as connection:
            return connection.execute(
                f"SELECT {EVENT_COLUMNS} FROM events WHERE game = ? AND seq > ? ORDER BY seq LIMIT ?",
                (game_id, after, PAGE_EVENTS),
            ).fetchall()


class Journal(JournalReader):
    """A journal that this process writes; nobody else does as long as it is open. A context manager."""

    def __init__(self, path: Path, clock: Clock, lock: FileLock, store: EventStore, seen: ObservationStore) -> None:
        """Use `Journal.open`."""
        super().__init__(path)
        self._clock = clock
        self._lock = lock
        self._writer = Writer(store)
        self._seen = seen
        self._process = os.getpid()
        self._closed = False

    @classmethod
    def open(cls, path: Path, *, clock: Clock | None = None, keep_observations: int = KEEP_BYTES) -> Self:
        """Opens the journal to write, making it and its folder if they are not there. Call `close`, or use it in `with`.

        `keep_observations`: bytes of evidence to keep. Raises BusyError if another service has it open, JournalError if it can't
        be opened, is damaged, or comes from a newer program; the file is left as it is.
        """
        lock = _lock(path)
        try:
            store = EventStore(path)
            try:
                seen = ObservationStore(database.observations_path(path), keep_bytes=keep_observations)
            except CompanionError:
                store.close()
                raise
        except CompanionError:
            lock.release()
            raise
        return cls(path, clock or SystemClock(), lock, store, seen)

    @staticmethod
    def read_only(path: Path) -> JournalReader:
        """Opens the journal to read, whether a service writes it or not.

        Raises BadInputError if there is none, JournalError if it can't be read.
        """
        database.check_readable(path)
        return JournalReader(path)

    def new_game_id(self, game: str) -> str:
        """An id that no game of this journal has, such as "20261127-2351-hoshizora-k3f9"."""
        taken = {row.game_id for row in self.games()}
        return new_game_id(game, self._clock.wall_ns(), taken.__contains__)

    def append(self, events: Sequence[NewEvent]) -> Ticket:
        """Hands events to the writer, which records all of one call together or none; returns at once.

        Each event gets its time now, its number and hash when it is recorded. A game's first event is its start. Raises
        BadInputError for what has no canonical form, JournalError if the journal is closed; everything else comes out of the
        ticket's `wait`. Who hands in several calls without waiting must expect a later one to stand where an earlier failed.
        """
        self._check_ours()
        with self._writer.order:
            stamp = Stamp(self._clock.boot_id, self._clock.mono_ns(), self._clock.wall_ns())
            return self._writer.submit(Append(tuple(prepare_event(event, stamp) for event in events)))

    def observe(self, game_id: str, payload: bytes | Mapping[str, Json]) -> ObservationRef:
        """Keeps evidence beside the journal, without waiting and without promise; the reference goes into a fact's payload."""
        self._check_ours()
        return self._seen.keep(game_id, payload, self._clock.wall_ns())

    @property
    def observations_shed(self) -> int:
        """How much evidence of this run was not kept, for want of time or space."""
        return self._seen.shed

    def adopt(self, game: ExportedGame) -> tuple[Event, ...]:
        """Takes in a game that was exported elsewhere, as it is; waits until it is recorded.

        Raises BadInputError if it does not verify or is here already, JournalError if it can't be recorded.
        """
        self._check_ours()
        result = verify_export(game)
        if not result.ok:
            raise BadInputError(f"game {game.header.game_id} is not taken in: {result.text}")
        with self._writer.order:
            ticket = self._writer.submit(Adopt(game.events))
        return ticket.wait()

    def close(self) -> None:
        """Records what was handed in, and lets go of the files."""
        if self._closed or self._process != os.getpid():
            return
        self._closed = True
        self._writer.close()
        self._seen.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_ours(self) -> None:
        """A forked child has the journal's memory, but not its writer: it would wait for ever."""
        if self._process != os.getpid():
            raise JournalError("the journal belongs to the process that opened it")


def export_game(journal: JournalReader, game_id: str, stream: IO[bytes]) -> None:
    """Writes a game as JSON Lines. Raises BadInputError if it is not there, OSError of the stream."""
    write_export(journal.export(game_id), stream)


def _lock(path: Path) -> FileLock:
    """Held until this process ends, however it ends."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.with_name(f"{path.name}.lock"), timeout=0, thread_local=False)
        lock.acquire()
    except Timeout:
        raise BusyError(
            f"another hoshiban service writes the journal {path}: stop it, or choose another with --journal"
        ) from None
    except OSError as error:
        raise JournalError(
            f"the journal {path} can't be opened: {error.strerror or error}; choose another with --journal"
        ) from error
    return lock


def _game_row(row: tuple[Json, ...]) -> GameRow:
    game_id, *rest = row
    head = head_from_row(game_id, tuple(rest))
    return GameRow(game_id, head.game, head.seats, head.started_wall_ns, head.events, head.ended, head.hash)


def _event(row: tuple[Json, ...]) -> Event:
    """A row of `EVENT_COLUMNS` as a value. Raises DamagedEventError."""
    seq, game_id, kind, payload, t_ns, boot_id, mono_ns, wall_ns, prev_hash, own_hash = row
    try:
        parsed = parse_json(payload)
        if not isinstance(parsed, dict):
            raise ValueError("its payload is no object")
        return Event(seq, game_id, EventKind(kind), parsed, t_ns, boot_id, mono_ns, wall_ns, prev_hash, own_hash)
    except (TypeError, ValueError) as error:
        raise DamagedEventError(seq, f"event {seq} of game {game_id} can't be read: {error}") from None
