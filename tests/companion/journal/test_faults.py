"""Full disks, damaged files, newer programs and sudden death: one clear line, and nothing acknowledged is lost."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from companion.errors import BadInputError, JournalError
from companion.journal import Journal, NewEvent, database

GAME = "20260101-2000-hoshizora-abcd"
NewFact = Callable[..., NewEvent]

APPEND_FOR_EVER = """
import sys
from pathlib import Path
from companion.journal import EventKind, Journal, NewEvent

game = sys.argv[2]
with Journal.open(Path(sys.argv[1])) as journal:
    if not any(row.game_id == game for row in journal.games()):
        journal.append([NewEvent(EventKind.GAME_STARTED, game, {"game": "hoshizora", "seats": ["A"]})]).wait()
    n = 0
    while True:
        n += 1
        waiting = [journal.append([NewEvent(EventKind.FACT, game, {"n": n, "part": part}),
                                   NewEvent(EventKind.FINDING, game, {"n": n, "part": part})]) for part in range(3)]
        for ticket in waiting:
            for event in ticket.wait():
                sys.stdout.write(f"{event.seq} {event.hash}\\n")
        sys.stdout.flush()
"""

FILL_AND_FREE = """
import json, resource, sys
from pathlib import Path
from companion.errors import JournalError
from companion.journal import EventKind, Journal, NewEvent

def fact(n):
    return NewEvent(EventKind.FACT, "g", {"n": n, "padding": "x" * 2000})

with Journal.open(Path(sys.argv[1])) as journal:
    journal.append([NewEvent(EventKind.GAME_STARTED, "g", {"game": "hoshizora", "seats": []})]).wait()
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    errors, n = [], 0
    while len(errors) < 2 and n < 1000:
        n += 1
        try:
            journal.append([fact(n), fact(n)]).wait(10)
        except JournalError as error:
            errors.append(str(error))
            n -= 1
    full = [event.payload.get("n") for event in journal.events("g")]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    (after,) = journal.append([fact(n + 1)]).wait(10)
    result = journal.verify("g")
    print(json.dumps({"errors": errors, "acknowledged": n, "full": full, "after": after.seq, "ok": result.ok}))
"""


def test_kill_9_at_any_moment_loses_nothing_acknowledged(path: Path) -> None:
    seed = 20260101
    chance = random.Random(seed)
    acknowledged: dict[int, str] = {}
    grown = 0
    for _ in range(15):
        with subprocess.Popen(
            [sys.executable, "-c", APPEND_FOR_EVER, str(path), GAME], stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            first = child.stdout.readline()
            time.sleep(chance.uniform(0, 0.08))
            os.kill(child.pid, signal.SIGKILL)
            lines = [first, *child.stdout]
        before = len(acknowledged)
        for line in lines:
            if line.endswith("\n"):
                seq, event_hash = line.split()
                acknowledged[int(seq)] = event_hash
        grown += len(acknowledged) > before

        reader = Journal.read_only(path)
        recorded = {event.seq: event.hash for event in reader.events(GAME)}
        assert acknowledged.items() <= recorded.items()
        assert reader.verify(GAME).ok
        assert len(recorded) % 2 == 1, "the start, and facts with their findings: never one without the other"
    assert grown == 15


def test_kill_9_while_a_journal_is_made_leaves_one_that_opens(tmp_path: Path) -> None:
    chance = random.Random(7)
    for round_ in range(5):
        path = tmp_path / str(round_) / "journal.db"
        with subprocess.Popen(
            [sys.executable, "-c", APPEND_FOR_EVER, str(path), GAME], stdout=subprocess.DEVNULL
        ) as child:
            deadline = time.monotonic() + 30
            while not path.exists() and time.monotonic() < deadline:
                time.sleep(0.0005)
            time.sleep(chance.uniform(0, 0.01))
            os.kill(child.pid, signal.SIGKILL)
        with Journal.open(path) as journal:
            assert all(journal.verify(row.game_id).ok for row in journal.games())


def test_a_disk_that_takes_no_more_is_said_clearly_and_the_journal_goes_on_when_it_does(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILL_AND_FREE, str(path)], capture_output=True, text=True, timeout=60, check=True
    )
    said = json.loads(done.stdout)
    assert len(said["errors"]) == 2
    for line in said["errors"]:
        assert str(path) in line
        assert "nothing of this was recorded" in line
        assert "\n" not in line
    assert said["acknowledged"] > 5
    pairs = [n for n in range(1, said["acknowledged"] + 1) for _ in range(2)]
    assert said["full"] == [None, *pairs], "all that was acknowledged and no half of what was refused"
    assert said["after"] == len(pairs) + 2, "no gap in the numbers"
    assert said["ok"]
    assert done.stderr == ""


def test_a_full_disk_is_called_by_its_name(
    path: Path, start: NewEvent, fact: NewFact, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = 40
    connect = database.connect_writer

    def small(where: Path, *, durable: bool) -> sqlite3.Connection:
        connection = connect(where, durable=durable)
        connection.execute(f"PRAGMA max_page_count={pages}")
        return connection

    monkeypatch.setattr(database, "connect_writer", small)
    with Journal.open(path) as journal:
        journal.append([start]).wait(10)
        taken = 1
        error: JournalError | None = None
        while error is None and taken < 1000:
            try:
                taken += len(journal.append([fact(taken, padding="x" * 3000)]).wait(10))
            except JournalError as full:
                error = full
        assert re.search(r"the disk is full, the journal .* can't grow.*free some space", str(error))
        with pytest.raises(JournalError, match="the disk is full"):
            journal.append([fact(0, padding="x" * 3000)]).wait(10)
        pages = 1000
        assert journal.append([fact(0)]).wait(10)[0].seq == taken + 1
        assert journal.verify(GAME).ok
        assert journal.games()[0].events == taken + 1


def test_a_newer_programs_journal_is_left_alone(recorded: Journal) -> None:
    recorded.close()
    with closing(sqlite3.connect(recorded.path)) as connection, connection:
        connection.execute("UPDATE meta SET value = '2' WHERE key = 'schema'")
    before = recorded.path.read_bytes()
    for opening in (Journal.open, Journal.read_only):
        with pytest.raises(JournalError, match=r"newer hoshiban \(schema 2, this one knows 1\): update"):
            opening(recorded.path)
    assert recorded.path.read_bytes() == before


def test_a_file_that_is_no_journal_is_named_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"a shopping list\n" * 100)
    for opening in (Journal.open, Journal.read_only):
        with pytest.raises(JournalError, match=r"journal\.db is not a journal: move it away"):
            opening(path)
    assert path.read_bytes() == b"a shopping list\n" * 100


def test_another_programs_database_is_named_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    for opening in (Journal.open, Journal.read_only):
        with pytest.raises(JournalError, match="is a database, but no hoshiban-journal"):
            opening(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("songs",)]


def test_a_damaged_page_is_said_to_be_damage(recorded: Journal, fact: NewFact) -> None:
    recorded.append([fact(n, padding="x" * 500) for n in range(100)]).wait(10)
    recorded.close()
    content = bytearray(recorded.path.read_bytes())
    content[8 * 4096 : 20 * 4096] = b"\xa5" * (12 * 4096)
    recorded.path.write_bytes(content)
    with pytest.raises(JournalError, match=r"journal\.db is damaged .*it was left as it is"):
        list(Journal.read_only(recorded.path).events(GAME))
    assert recorded.path.read_bytes() == content


def test_a_file_cut_short_is_said_to_be_damage(recorded: Journal, fact: NewFact) -> None:
    recorded.append([fact(n, padding="x" * 500) for n in range(100)]).wait(10)
    recorded.close()
    recorded.path.write_bytes(recorded.path.read_bytes()[: 6 * 4096])
    with pytest.raises(JournalError, match=r"journal\.db"):
        list(Journal.read_only(recorded.path).events(GAME))


def test_no_journal_yet_is_said_and_none_is_made_by_looking(path: Path) -> None:
    with pytest.raises(BadInputError, match="no journal at"):
        Journal.read_only(path)
    assert not path.parent.exists()


def test_a_folder_that_can_not_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(JournalError, match="can't be opened"):
        Journal.open(tmp_path / "file" / "journal.db")


def test_a_journal_on_a_medium_that_can_not_be_written_can_be_read(recorded: Journal) -> None:
    recorded.close()
    for side in recorded.path.parent.glob("journal.db-*"):
        side.unlink()
    recorded.path.parent.chmod(0o500)
    try:
        assert Journal.read_only(recorded.path).games()[0].events == 6
    finally:
        recorded.path.parent.chmod(0o700)


def test_a_failed_opening_lets_go_of_the_lock(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"a shopping list\n" * 100)
    with pytest.raises(JournalError):
        Journal.open(path)
    path.unlink()
    Journal.open(path).close()
