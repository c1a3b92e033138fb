"""What the journal promises to those who write it and read it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from companion.errors import BadInputError, BusyError, JournalError
from companion.journal import EventKind, Journal, NewEvent, journal_hash

GAME = "20260101-2000-hoshizora-abcd"
NewFact = Callable[..., NewEvent]


def test_what_is_acknowledged_is_in_the_file_with_its_order_and_times(recorded: Journal) -> None:
    events = tuple(Journal.read_only(recorded.path).events(GAME))
    assert [event.seq for event in events] == [1, 2, 3, 4, 5, 6]
    assert [event.kind.value for event in events] == ["game-started", "fact", "finding", "prompt", "fact", "game-ended"]
    assert events[1].payload == {"fact": "card-laid", "n": 1}
    assert events[1].t_ns == 1000
    assert {event.boot_id for event in events} == {"boot-1"}
    assert [event.mono_ns for event in events] == sorted(event.mono_ns for event in events)
    assert all(event.wall_ns > 1_767_297_600_000_000_000 for event in events)


def test_the_ticket_returns_the_events_as_they_are_read_back(journal: Journal, start: NewEvent, fact: NewFact) -> None:
    written = journal.append([start, fact(1, places=(1.5, 2))]).wait(10)
    assert written == tuple(journal.events(GAME))
    assert written[1].payload["places"] == [1.5, 2]


def test_a_hash_can_be_checked_by_hand_from_what_the_module_says(recorded: Journal) -> None:
    head = "0" * 64
    for event in recorded.events(GAME):
        body = {
            "boot": event.boot_id,
            "game": GAME,
            "kind": str(event.kind),
            "mono_ns": event.mono_ns,
            "payload": event.payload,
            "prev": head,
            "seq": event.seq,
            "t_ns": event.t_ns,
            "wall_ns": event.wall_ns,
        }
        text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert event.hash == hashlib.sha256(text.encode()).hexdigest()
        if event.kind is not EventKind.PROMPT:
            head = event.hash
    assert journal_hash(tuple(recorded.events(GAME))) == head
    assert recorded.games()[0].journal_hash == head


def test_a_prompt_hangs_on_the_chain_but_carries_nothing(recorded: Journal) -> None:
    events = tuple(recorded.events(GAME))
    assert events[3].kind is EventKind.PROMPT
    assert events[3].prev_hash == events[2].hash
    assert events[4].prev_hash == events[2].hash


def test_events_of_one_call_are_recorded_together_or_not_at_all(
    journal: Journal, start: NewEvent, fact: NewFact
) -> None:
    journal.append([start]).wait(10)
    with pytest.raises(JournalError, match="game nobody was never started here"):
        journal.append([fact(1), fact(2, "nobody")]).wait(10)
    assert [event.seq for event in journal.events(GAME)] == [1]
    assert journal.append([fact(3)]).wait(10)[0].seq == 2


def test_one_refused_call_does_not_take_its_neighbours_with_it(
    journal: Journal, start: NewEvent, fact: NewFact
) -> None:
    tickets = [journal.append([start]), journal.append([fact(1, "nobody")]), journal.append([fact(2)])]
    assert tickets[0].wait(10)[0].seq == 1
    with pytest.raises(JournalError, match="never started"):
        tickets[1].wait(10)
    assert tickets[2].wait(10)[0].seq == 2


def test_a_game_starts_once(recorded: Journal, start: NewEvent) -> None:
    with pytest.raises(JournalError, match="has started already"):
        recorded.append([start]).wait(10)


def test_games_have_chains_of_their_own(recorded: Journal, fact: NewFact) -> None:
    before = recorded.games()[0]
    other = NewEvent(EventKind.GAME_STARTED, "other", {"game": "ahuha", "seats": ["X", "Y"]})
    recorded.append([other, fact(1, "other")]).wait(10)
    first, second = recorded.games()
    assert first == before
    assert (second.game_id, second.game, second.seats, second.events, second.ended) == (
        "other",
        "ahuha",
        ("X", "Y"),
        2,
        False,
    )
    assert recorded.last_game() == second
    assert next(recorded.events("other")).prev_hash == "0" * 64
    assert recorded.verify("other").ok
    assert recorded.verify(GAME).ok


def test_the_list_of_games_says_who_played_and_whether_it_ended(recorded: Journal) -> None:
    (row,) = recorded.games()
    assert (row.game_id, row.game, row.seats, row.events, row.ended) == (
        GAME,
        "hoshizora",
        ("Ann", "Bo", "Cé"),
        6,
        True,
    )


def test_a_new_journal_has_no_game(journal: Journal) -> None:
    assert journal.games() == ()
    assert journal.last_game() is None
    assert list(journal.events(GAME)) == []
    with pytest.raises(BadInputError, match="no game in"):
        journal.find_game()


def test_reading_goes_on_after_a_number_and_over_pages(
    journal: Journal, start: NewEvent, fact: NewFact, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.journal.journal.PAGE_EVENTS", 7)
    journal.append([start, *(fact(n) for n in range(29))]).wait(10)
    assert [event.seq for event in journal.events(GAME)] == list(range(1, 31))
    assert [event.seq for event in journal.events(GAME, after=12)] == list(range(13, 31))
    assert list(journal.events(GAME, after=30)) == []


def test_a_game_is_found_by_the_beginning_of_its_id(recorded: Journal) -> None:
    recorded.append([NewEvent(EventKind.GAME_STARTED, "2026", {"game": "ahuha", "seats": []})]).wait(10)
    assert recorded.find_game("202601").game_id == GAME
    assert recorded.find_game("2026").game_id == "2026", "a whole id wins over the beginning of another"
    assert recorded.find_game().game_id == "2026"
    with pytest.raises(BadInputError, match="2 games begin with '202'"):
        recorded.find_game("202")
    with pytest.raises(BadInputError, match="no game 'x'"):
        recorded.find_game("x")


def test_a_payload_is_taken_as_it_is_when_it_is_appended(journal: Journal, start: NewEvent) -> None:
    payload = {"list": [1]}
    ticket = journal.append([start, NewEvent(EventKind.FACT, GAME, payload)])
    payload["list"].append(2)
    assert ticket.wait(10)[1].payload == {"list": [1]}


@pytest.mark.parametrize(
    ("payload", "what"),
    [
        ({"x": float("nan")}, "not JSON compliant"),
        ({"x": float("inf")}, "not JSON compliant"),
        ({"x": {1: 2}}, "the key 1 is not text"),
        ({"x": b"raw"}, "bytes is not JSON serializable"),
        ({"x": "\ud800"}, "not valid Unicode"),
        ({"x": {1, 2}}, "set is not JSON serializable"),
    ],
)
def test_what_has_no_canonical_form_is_refused_at_once(
    recorded: Journal, payload: dict[str, object], what: str
) -> None:
    with pytest.raises(BadInputError, match=what):
        recorded.append([NewEvent(EventKind.FACT, GAME, payload)])
    assert recorded.games()[0].events == 6


def test_a_payload_that_contains_itself_is_refused(recorded: Journal) -> None:
    loop: dict[str, object] = {}
    loop["self"] = loop
    with pytest.raises(BadInputError, match="nested too deeply"):
        recorded.append([NewEvent(EventKind.FACT, GAME, loop)])


@pytest.mark.parametrize("t_ns", [2**63, 1.5, True])
def test_a_time_that_is_no_whole_nanosecond_is_refused(recorded: Journal, t_ns: int) -> None:
    with pytest.raises(BadInputError, match="t_ns"):
        recorded.append([NewEvent(EventKind.FACT, GAME, {}, t_ns)])


@pytest.mark.parametrize("payload", [{}, {"game": "x"}, {"game": 1, "seats": []}, {"game": "x", "seats": [1]}])
def test_a_start_names_game_and_seats(journal: Journal, payload: dict[str, object]) -> None:
    with pytest.raises(BadInputError, match="a game's start needs"):
        journal.append([NewEvent(EventKind.GAME_STARTED, GAME, payload)])


@pytest.mark.parametrize("game_id", ["", "../x", "A", "a b", "a" * 81, "a\n", "x."])
def test_a_game_id_can_stand_in_a_file_name(journal: Journal, game_id: str) -> None:
    with pytest.raises(BadInputError, match="can't be a game's id"):
        journal.append([NewEvent(EventKind.GAME_STARTED, game_id, {"game": "x", "seats": []})])


def test_new_ids_say_when_and_what_and_are_all_different(journal: Journal) -> None:
    ids = {journal.new_game_id("hoshizora") for _ in range(50)}
    assert len(ids) > 45
    assert all(re.fullmatch(r"20\d{6}-\d{4}-hoshizora-[a-z2-9]{4}", one) for one in ids)


def test_a_second_service_on_the_same_journal_is_refused_in_one_line(journal: Journal, path: Path) -> None:
    with pytest.raises(BusyError, match=r"another hoshiban service writes the journal .*journal\.db") as caught:
        Journal.open(path)
    assert "\n" not in str(caught.value)
    journal.close()
    Journal.open(path).close()


def test_numbers_and_chain_go_on_after_a_restart(path: Path, start: NewEvent, fact: NewFact) -> None:
    with Journal.open(path) as journal:
        first = journal.append([start, fact(1)]).wait(10)
    with Journal.open(path) as journal:
        (third,) = journal.append([fact(2)]).wait(10)
        assert (third.seq, third.prev_hash) == (3, first[1].hash)
        assert journal.verify(GAME).ok


def test_closing_records_what_was_handed_in(path: Path, start: NewEvent, fact: NewFact) -> None:
    journal = Journal.open(path)
    tickets = [journal.append([start]), *(journal.append([fact(n)]) for n in range(200))]
    journal.close()
    journal.close()
    assert all(ticket.done() for ticket in tickets)
    assert Journal.read_only(path).games()[0].events == 201
    with pytest.raises(JournalError, match="closed"):
        journal.append([fact(1)])
    with pytest.raises(JournalError, match="closed"):
        journal.observe(GAME, b"")


def test_many_threads_make_one_unbroken_chain_in_the_order_of_their_times(
    journal: Journal, start: NewEvent, fact: NewFact
) -> None:
    journal.append([start]).wait(10)

    def play(who: int) -> None:
        for n in range(25):
            journal.append([fact(n, who=who), NewEvent(EventKind.FINDING, GAME, {"who": who, "n": n})]).wait(30)

    threads = [threading.Thread(target=play, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = tuple(journal.events(GAME))
    assert [event.seq for event in events] == list(range(1, 402))
    assert [event.mono_ns for event in events] == sorted(event.mono_ns for event in events)
    assert journal.verify(GAME).ok
    for one, other in zip(events[1::2], events[2::2], strict=True):
        assert (one.kind, other.kind) == (EventKind.FACT, EventKind.FINDING), "a fact and its finding stand together"
        assert (one.payload["who"], one.payload["n"]) == (other.payload["who"], other.payload["n"])


def test_nothing_recorded_can_be_changed_or_taken_out_of_the_file(recorded: Journal) -> None:
    with closing(sqlite3.connect(recorded.path)) as connection:
        for statement in ("UPDATE events SET payload = '{}'", "DELETE FROM events", "DELETE FROM games"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)


def test_a_child_process_can_not_write_its_parents_journal(recorded: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(JournalError, match="belongs to the process that opened it"):
        recorded.append([])


def test_reading_needs_no_service_and_a_running_one_does_not_hinder_it(
    path: Path, start: NewEvent, fact: NewFact
) -> None:
    with Journal.open(path) as journal:
        journal.append([start]).wait(10)
        reader = Journal.read_only(path)
        assert reader.games()[0].events == 1
        journal.append([fact(1)]).wait(10)
        assert reader.games()[0].events == 2
    assert reader.games()[0].events == 2


def test_a_waiter_who_gives_up_is_told_that_nothing_is_known_yet(
    journal: Journal, start: NewEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    commit = journal._writer._store.commit
    monkeypatch.setattr(journal._writer._store, "commit", lambda requests: gate.wait(10) and commit(requests))
    ticket = journal.append([start])
    with pytest.raises(JournalError, match=r"not confirmed within 0\.01 s"):
        ticket.wait(0.01)
    gate.set()
    assert ticket.wait(10)[0].seq == 1


def test_a_fault_of_the_writer_reaches_whoever_waits_and_the_next_goes_through(
    journal: Journal, start: NewEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("companion.journal.store._write_head", lambda *_: 1 / 0)
        with pytest.raises(JournalError, match=r"writer failed.*nothing of this was recorded"):
            journal.append([start]).wait(10)
    assert list(journal.events(GAME)) == []
    assert journal.append([start]).wait(10)[0].seq == 1
