"""Evidence: kept beside the facts, bounded, shed before anything that matters, and never swapped."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from companion.errors import BadInputError, JournalError
from companion.journal import Journal, NewEvent, database
from companion.journal.observations import ObservationStore, read_observation

GAME = "20260101-2000-hoshizora-abcd"


def test_evidence_is_found_by_the_reference_that_a_fact_holds(path: Path) -> None:
    with Journal.open(path) as journal:
        picture = journal.observe(GAME, b"\xff\xd8 jpeg")
        reading = journal.observe(GAME, {"cards": [{"x_mm": 1.5}]})
    reader = Journal.read_only(path)
    found = reader.observation(picture.id)
    assert found is not None
    assert (found.content, found.ref, found.game_id) == (b"\xff\xd8 jpeg", picture, GAME)
    with pytest.raises(JournalError, match="is not JSON"):
        found.value()
    found = reader.observation(reading.id)
    assert found is not None
    assert found.value() == {"cards": [{"x_mm": 1.5}]}
    assert reading.to_json() == {"id": reading.id, "sha256": reading.sha256}


def test_an_id_is_never_given_twice_even_if_nothing_was_kept(path: Path) -> None:
    ids = []
    for _ in range(3):
        with Journal.open(path) as journal:
            ids += [journal.observe(GAME, b"a").id for _ in range(3)]
        with closing(sqlite3.connect(database.observations_path(path))) as connection, connection:
            connection.execute("DELETE FROM observations")
    assert ids == sorted(set(ids))
    assert max(ids) < 2**53, "a browser can hold it"


def test_the_oldest_goes_when_the_limit_is_reached_and_the_file_stays_bounded(tmp_path: Path) -> None:
    path = tmp_path / "seen.db"
    store = ObservationStore(path, keep_bytes=100_000)
    refs = [store.keep(GAME, n.to_bytes(2, "big") * 5_000, 0) for n in range(200)]
    store.close()
    kept = [ref.id for ref in refs if read_observation(path, ref.id)]
    assert kept == [ref.id for ref in refs[-10:]]
    store = ObservationStore(path, keep_bytes=100_000)
    for n in range(200):
        store.keep(GAME, n.to_bytes(2, "big") * 5_000, 0)
        time.sleep(0.0002)
    store.close()
    assert path.stat().st_size < 4_000_000
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT SUM(size) FROM observations").fetchone() == (100_000,)


def test_what_the_disk_can_not_follow_is_shed_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    write = ObservationStore._write
    monkeypatch.setattr(ObservationStore, "_write", lambda self, batch: gate.wait(10) and write(self, batch))
    store = ObservationStore(tmp_path / "seen.db", queue_bytes=10_000)
    store.keep(GAME, b"x" * 5_000, 0)
    while store._waiting:
        time.sleep(0.001)
    refs = [store.keep(GAME, b"y" * 4_000, 0) for _ in range(5)]
    assert store.shed == 3
    gate.set()
    store.close()
    assert [read_observation(tmp_path / "seen.db", ref.id) is not None for ref in refs] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_a_disk_without_room_for_evidence_does_not_hold_up_a_fact(
    path: Path, start: NewEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with Journal.open(path) as journal:
        with monkeypatch.context() as patch:
            patch.setattr(ObservationStore, "_write", full)
            lost = journal.observe(GAME, b"a")
            deadline = time.monotonic() + 10
            while journal.observations_shed == 0 and time.monotonic() < deadline:
                time.sleep(0.001)
            assert journal.append([start]).wait(10)[0].seq == 1
        kept = journal.observe(GAME, b"b")
        assert journal.observations_shed == 1
    reader = Journal.read_only(path)
    assert reader.observation(lost.id) is None
    assert reader.observation(kept.id) is not None
    assert reader.verify(GAME).ok


def test_swapped_evidence_is_found_out(path: Path) -> None:
    with Journal.open(path) as journal:
        ref = journal.observe(GAME, b"what was seen")
    with closing(sqlite3.connect(database.observations_path(path))) as connection, connection:
        connection.execute("UPDATE observations SET content = ?", (b"something else",))
    with pytest.raises(JournalError, match="not what was recorded"):
        Journal.read_only(path).observation(ref.id)


def test_evidence_without_a_canonical_form_is_refused(journal: Journal) -> None:
    with pytest.raises(BadInputError, match="an observation can't be recorded"):
        journal.observe(GAME, {"x": float("nan")})


def test_a_journal_without_its_evidence_still_reads(recorded: Journal, start: Callable[..., NewEvent]) -> None:
    recorded.close()
    database.observations_path(recorded.path).unlink()
    reader = Journal.read_only(recorded.path)
    assert reader.observation(1_000_000_001) is None
    assert reader.verify(GAME).ok
