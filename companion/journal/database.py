"""The journal's two files: how they are opened, what they hold, and what their errors mean in a user's words.

Both are SQLite in WAL. `events` is append-only by trigger; `games` keeps for each game how far its chain has come, so that
a tail cut off shows and a list of games needs no walk.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from companion.errors import BadInputError, CompanionError, JournalError

SCHEMA_VERSION = 1
EVENTS_FORMAT = "hoshiban-journal"
OBSERVATIONS_FORMAT = "hoshiban-observations"
BUSY_S = 5.0
"""How long a foreign program may hold the file before we say so."""

EVENTS_SCHEMA = (
    "CREATE TABLE games (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, game TEXT NOT NULL, seats TEXT NOT NULL,"
    " started_wall_ns INTEGER NOT NULL, events INTEGER NOT NULL, ended INTEGER NOT NULL, head TEXT NOT NULL)",
    "CREATE TABLE events (number INTEGER PRIMARY KEY, game TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL,"
    " payload TEXT NOT NULL, t_ns INTEGER, boot TEXT NOT NULL, mono_ns INTEGER NOT NULL, wall_ns INTEGER NOT NULL,"
    " prev TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE (game, seq))",
    "CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER events_stand BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER games_stay BEFORE DELETE ON games BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
)
OBSERVATIONS_SCHEMA = (
    "CREATE TABLE runs (run INTEGER PRIMARY KEY)",
    "CREATE TABLE observations (id INTEGER PRIMARY KEY, game TEXT NOT NULL, size INTEGER NOT NULL, wall_ns INTEGER NOT NULL,"
    " json INTEGER NOT NULL, sha256 TEXT NOT NULL, content BLOB NOT NULL)",
    "CREATE INDEX observation_sizes ON observations (id, size)",
)


def observations_path(path: Path) -> Path:
    """Where the bulky observations of the journal at `path` lie."""
    return path.with_name(f"{path.stem}-observations{path.suffix}")


def connect_writer(path: Path, *, durable: bool) -> sqlite3.Connection:
    """A connection that may write, from any one thread at a time.

    `durable`: a commit returns when it is on the disk (synchronous=FULL); otherwise a power cut may take the last ones with
    it, and never tears one. Raises sqlite3.Error.
    """
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect_reader(path: Path) -> sqlite3.Connection:
    """A connection that can't write, beside a running service or on a medium that can't be written. Raises sqlite3.Error."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S, isolation_level=None)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        wal = path.with_name(f"{path.name}-wal")
        if wal.exists() and wal.stat().st_size:
            raise
        # WAL wants its side files even to read; where they can't be made and nothing waits in them, the file is all there is.
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None)
    return connection


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A reader for a moment; its errors come out as JournalError with the file's name."""
    try:
        with closing(connect_reader(path)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise read_error(path, error) from error


def prepare(path: Path, kind: str, schema: tuple[str, ...], *, durable: bool) -> sqlite3.Connection:
    """Opens a file to write, making its tables if it is new. Raises JournalError; never removes or replaces a file."""
    try:
        connection = connect_writer(path, durable=durable)
        try:
            if _is_empty(connection):
                _create(connection, kind, schema)
            check_format(connection, path, kind)
        except (sqlite3.Error, CompanionError):
            connection.close()
            raise
    except sqlite3.Error as error:
        raise read_error(path, error) from error
    return connection


def check_format(connection: sqlite3.Connection, path: Path, kind: str) -> None:
    """Raises JournalError unless the file is of this kind and no newer than this program. Raises sqlite3.Error if damaged."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    rows = dict(connection.execute("SELECT key, value FROM meta").fetchall()) if "meta" in tables else {}
    if rows.get("format") != kind:
        raise JournalError(f"{path} is a database, but no {kind}: choose another file with --journal")
    version = rows.get("schema", "")
    if not version.isdigit() or int(version) > SCHEMA_VERSION:
        raise JournalError(
            f"{path} was written by a newer hoshiban (schema {version or 'unknown'}, this one knows {SCHEMA_VERSION}):"
            " update hoshiban, or choose another file with --journal"
        )


def check_readable(path: Path) -> None:
    """Raises BadInputError if there is no journal, JournalError if the file is none that can be read."""
    if not path.is_file():
        raise BadInputError(f"no journal at {path}: nothing was recorded there yet; name another with --journal")
    with reading(path) as connection:
        check_format(connection, path, EVENTS_FORMAT)


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def _create(connection: sqlite3.Connection, kind: str, schema: tuple[str, ...]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    connection.executemany("INSERT INTO meta VALUES (?, ?)", [("format", kind), ("schema", str(SCHEMA_VERSION))])
    for statement in schema:
        connection.execute(statement)
    connection.execute("COMMIT")


def read_error(path: Path, error: sqlite3.Error) -> JournalError:
    """What went wrong with a file that is opened or read."""
    match _name_of(error):
        case "SQLITE_NOTADB":
            return JournalError(
                f"{path} is not a journal: move it away or choose another with --journal; it was left as it is"
            )
        case name if name.startswith("SQLITE_CORRUPT"):
            return JournalError(
                f"the journal {path} is damaged ({error}): restore a copy or move it away; it was left as it is"
            )
        case "SQLITE_FULL":
            return JournalError(f"the journal {path} can't be opened: the disk is full; free some space")
        case name if name.startswith("SQLITE_IOERR"):
            return JournalError(
                f"the disk fails on the journal {path} ({error}): check its space and health; it was left as it is"
            )
        case "SQLITE_BUSY":
            return JournalError(f"the journal {path} is held by another program: close it and try again")
        case name if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")):
            return JournalError(
                f"the journal {path} can't be opened ({error}): check that you may read and write its folder"
            )
        case _:
            return JournalError(f"the journal {path} can't be read ({error}); it was left as it is")


def write_error(path: Path, error: sqlite3.Error) -> JournalError:
    """Why something could not be recorded."""
    nothing = "nothing of this was recorded, what was acknowledged before stands"
    match _name_of(error):
        case "SQLITE_FULL":
            return JournalError(f"the disk is full, the journal {path} can't grow: {nothing}; free some space")
        case name if name.startswith("SQLITE_IOERR"):
            return JournalError(
                f"the disk refuses to write the journal {path} ({error}): {nothing}; check its space and health"
            )
        case "SQLITE_BUSY":
            return JournalError(f"another program holds the journal {path}: {nothing}; close it")
        case _:
            return JournalError(f"the journal {path} can't be written ({error}): {nothing}")


def _name_of(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", "")
