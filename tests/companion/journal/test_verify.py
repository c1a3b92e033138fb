"""A log that was changed is found out, at the first event that is not what was recorded."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest

from companion.journal import ChainEnd, Event, EventKind, Journal, verify
from companion.journal.events import body_of, hash_text

GAME = "20260101-2000-hoshizora-abcd"
Change = Callable[[tuple[Event, ...]], tuple[Event, ...]]


def at(seq: int, **fields: object) -> Change:
    def change(events: tuple[Event, ...]) -> tuple[Event, ...]:
        return tuple(replace(event, **fields) if event.seq == seq else event for event in events)  # type: ignore[arg-type]

    return change


def rehashed(seq: int, **fields: object) -> Change:
    """As a forger would: with the changed event's own hash made to fit."""

    def change(events: tuple[Event, ...]) -> tuple[Event, ...]:
        changed = at(seq, **fields)(events)
        return at(seq, hash=hash_text(body_of(changed[seq - 1])))(changed)

    return change


def test_what_was_recorded_verifies(recorded: Journal) -> None:
    result = verify(recorded.events(GAME))
    assert (result.ok, result.first_bad_seq, result.events) == (True, None, 6)
    assert result.journal_hash == recorded.games()[0].journal_hash


@pytest.mark.parametrize(
    ("change", "bad", "said"),
    [
        (at(2, payload={"fact": "card-laid", "n": 9}), 2, "not what was recorded"),
        (at(2, payload={"fact": "card-laid", "n": 1.0}), 2, "not what was recorded"),
        (at(2, wall_ns=5), 2, "not what was recorded"),
        (at(2, mono_ns=5), 2, "not what was recorded"),
        (at(2, t_ns=None), 2, "not what was recorded"),
        (at(2, boot_id="another"), 2, "not what was recorded"),
        (at(2, kind=EventKind.UNDO), 2, "not what was recorded"),
        (at(2, payload={"x": float("nan")}), 2, "can't be what was recorded"),
        (at(4, payload={"text": "another prompt"}), 4, "not what was recorded"),
        (rehashed(2, payload={"fact": "card-laid", "n": 9}), 3, "does not follow"),
        (rehashed(3, kind=EventKind.PROMPT), 4, "does not follow"),
        (lambda events: events[:2] + events[3:], 3, "missing or out of order: number 4"),
        (lambda events: events[1:], 1, "missing or out of order: number 2"),
        (lambda events: (*events[:2], events[3], events[2], *events[4:]), 3, "out of order"),
        (lambda events: (*events, events[-1]), 7, "out of order"),
        (at(3, game_id="other"), 3, "belongs to another game"),
        (rehashed(1, kind=EventKind.FACT), 1, "should be the game's start"),
        (rehashed(5, kind=EventKind.GAME_STARTED), 5, "starts the game a second time"),
        (rehashed(1, payload={}), 1, "a game's start needs"),
    ],
)
def test_a_change_is_found_where_it_was_made(recorded: Journal, change: Change, bad: int, said: str) -> None:
    result = verify(change(tuple(recorded.events(GAME))))
    assert (result.ok, result.first_bad_seq) == (False, bad)
    assert said in result.text


def test_a_tail_that_was_cut_off_is_missed_by_who_knows_the_end(recorded: Journal) -> None:
    events = tuple(recorded.events(GAME))
    end = ChainEnd(6, events[-1].hash)
    assert verify(events, end).ok
    result = verify(events[:4], end)
    assert (result.ok, result.first_bad_seq) == (False, 5)
    assert "event 5 is missing: 6 were recorded, 4 are here" in result.text


def tamper(journal: Journal, *statements: str) -> None:
    with closing(sqlite3.connect(journal.path)) as connection, connection:
        for trigger in ("events_stay", "events_stand"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "bad", "said"),
    [
        ("UPDATE events SET payload = '{\"n\":2}' WHERE seq = 2", 2, "not what was recorded"),
        ("UPDATE events SET payload = '{\"n\":' WHERE seq = 2", 2, "can't be read"),
        ("UPDATE events SET payload = '[]' WHERE seq = 2", 2, "no object"),
        ("UPDATE events SET kind = 'guess' WHERE seq = 2", 2, "can't be read"),
        ("DELETE FROM events WHERE seq = 6", 6, "event 6 is missing: 6 were recorded, 5 are here"),
        ("DELETE FROM events WHERE seq = 3", 3, "missing or out of order"),
        ("DELETE FROM events", 1, "event 1 is missing"),
        ("UPDATE events SET wall_ns = 'noon' WHERE seq = 2", 2, "not what was recorded"),
    ],
)
def test_a_file_that_was_tampered_with_is_found_out(recorded: Journal, statement: str, bad: int, said: str) -> None:
    tamper(recorded, statement)
    result = recorded.verify(GAME)
    assert (result.ok, result.first_bad_seq) == (False, bad)
    assert said in result.text


def test_an_event_slipped_in_at_the_end_is_found_out(recorded: Journal) -> None:
    last = tuple(recorded.events(GAME))[-1]
    forged = replace(last, seq=7, kind=EventKind.OVERRIDE, prev_hash=last.hash)
    forged_hash = hash_text(body_of(forged))
    tamper(
        recorded,
        "INSERT INTO events (game, seq, kind, payload, t_ns, boot, mono_ns, wall_ns, prev, hash) SELECT game, 7, 'override',"
        f" payload, t_ns, boot, mono_ns, wall_ns, hash, '{forged_hash}' FROM events WHERE seq = 6",
    )
    result = recorded.verify(GAME)
    assert (result.ok, result.first_bad_seq) == (False, 7)
