"""A game as a file: the same bytes every time, read back whole or refused at the line and field that is wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.errors import BadInputError
from companion.journal import (
    EventKind,
    ExportError,
    Journal,
    NewEvent,
    export_game,
    read_export,
    verify_export,
    write_export,
)

GAME = "20260101-2000-hoshizora-abcd"


@pytest.fixture
def exported(recorded: Journal) -> bytes:
    stream = io.BytesIO()
    export_game(recorded, GAME, stream)
    return stream.getvalue()


def read(content: bytes) -> Any:
    return read_export(io.BytesIO(content), "game.jsonl")


def written(game: Any) -> bytes:
    stream = io.BytesIO()
    write_export(game, stream)
    return stream.getvalue()


def changed(content: bytes, line: int, **fields: object) -> bytes:
    """The export with fields of one line (1-based) set anew, in canonical form; a field set to ... is taken out."""
    lines = content.splitlines(keepends=True)
    value = json.loads(lines[line - 1]) | fields
    value = {key: inner for key, inner in value.items() if inner is not ...}
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    lines[line - 1] = text.encode() + b"\n"
    return b"".join(lines)


def test_the_first_line_says_what_the_file_is(exported: bytes, recorded: Journal) -> None:
    assert json.loads(exported.splitlines()[0]) == {
        "format": "hoshiban-game",
        "version": 1,
        "game_id": GAME,
        "game": "hoshizora",
        "seats": ["Ann", "Bo", "Cé"],
        "started_wall_ns": next(recorded.events(GAME)).wall_ns,
        "events": 6,
        "journal_hash": recorded.games()[0].journal_hash,
    }
    assert len(exported.splitlines()) == 7


def test_the_same_record_is_the_same_bytes_every_time(exported: bytes, recorded: Journal) -> None:
    again = io.BytesIO()
    export_game(Journal.read_only(recorded.path), GAME, again)
    assert again.getvalue() == exported


def test_reading_gives_the_events_that_were_recorded(exported: bytes, recorded: Journal) -> None:
    game = read(exported)
    assert game.events == tuple(recorded.events(GAME))
    assert verify_export(game).ok
    assert written(game) == exported


def test_a_game_taken_into_another_journal_comes_out_byte_for_byte(exported: bytes, tmp_path: Path) -> None:
    with Journal.open(tmp_path / "other.db") as other:
        other.append([NewEvent(EventKind.GAME_STARTED, "mine", {"game": "ahuha", "seats": []})]).wait(10)
        other.adopt(read(exported))
        stream = io.BytesIO()
        export_game(other, GAME, stream)
        assert stream.getvalue() == exported
        assert other.verify(GAME).ok
        (more,) = other.append([NewEvent(EventKind.OVERRIDE, GAME, {"why": "late"})]).wait(10)
        assert (more.seq, other.verify(GAME).ok) == (7, True)
        with pytest.raises(BadInputError, match="is in this journal already"):
            other.adopt(read(exported))


def test_a_game_that_does_not_verify_is_not_taken_in(exported: bytes, tmp_path: Path) -> None:
    with Journal.open(tmp_path / "other.db") as other:
        with pytest.raises(BadInputError, match="is not taken in: event 2 is not what was recorded"):
            other.adopt(read(changed(exported, 3, payload={"fact": "card-laid", "n": 7})))
        assert other.games() == ()


def test_a_game_that_is_not_there_can_not_be_exported(recorded: Journal) -> None:
    with pytest.raises(BadInputError, match="no game to export"):
        export_game(recorded, "nobody", io.BytesIO())


@pytest.mark.parametrize(
    ("line", "fields", "said"),
    [
        (1, {"format": "other"}, "line 1: `format` is 'other'"),
        (1, {"version": 2}, "line 1: `version` is 2, this hoshiban reads 1"),
        (1, {"game_id": "../x"}, "line 1: `game_id`"),
        (1, {"seats": "Ann"}, "line 1: `seats`"),
        (1, {"events": 0}, "line 1: `events`"),
        (1, {"journal_hash": ...}, "line 1: `journal_hash` is missing"),
        (1, {"extra": 1}, "line 1: `extra` is not known here"),
        (3, {"seq": "2"}, "line 3: `seq` is '2'"),
        (3, {"seq": True}, "line 3: `seq` is True"),
        (3, {"kind": "guess"}, "line 3: `kind` is 'guess'"),
        (3, {"payload": []}, "line 3: `payload`"),
        (3, {"t_ns": 0.5}, "line 3: `t_ns` is 0.5"),
        (3, {"wall_ns": 2**63}, "line 3: `wall_ns`"),
        (3, {"hash": "F" * 64}, "line 3: `hash`"),
        (3, {"prev": ...}, "line 3: `prev` is missing"),
        (3, {"game": "another"}, "line 3: `game` is another, the header says"),
        (3, {"boot": None}, "line 3: `boot` is None"),
    ],
)
def test_a_wrong_field_is_named_with_its_line(exported: bytes, line: int, fields: dict[str, object], said: str) -> None:
    with pytest.raises(ExportError) as caught:
        read(changed(exported, line, **fields))
    assert str(caught.value).startswith(f"game.jsonl, {said}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda _: b"", "line 1: the file is empty"),
        (lambda content: content[:-20], "line 7: the file breaks off"),
        (lambda content: content.replace(b":1000,", b":1e3,"), "line 3: `t_ns` is 1000.0"),
        (lambda content: content.replace(b'"n":1', b'"n":NaN'), "line 3: NaN is not a number"),
        (lambda content: content.replace(b'"n":1', b'"n":1e999'), "line 3: the value can't be recorded"),
        (lambda content: content.replace(b'"n":1', b'"n":1,"n":2'), "line 3: an object has the same key twice"),
        (lambda content: content.replace(b'"n":1', b'"n": 1'), "line 3: is not written as an export is"),
        (lambda content: content.replace(b'"n":1', b'"n":"\\ud800"'), "line 3: the value can't be recorded"),
        (lambda content: content.replace(b'"n":1', b'"n":"\xff"'), "line 3: 'utf-8' codec"),
        (
            lambda content: content.replace(b'"n":1', b'"n":' + b"[" * 100_000 + b"]" * 100_000),
            "line 3: nested too deeply",
        ),
        (lambda content: b"\xef\xbb\xbf" + content, "line 1: "),
        (lambda content: content.replace(b"\n", b"\r\n"), "line 1: is not written as an export is"),
        (lambda content: b"[]\n" + content, "line 1: is no JSON object"),
    ],
)
def test_a_damaged_line_is_named(exported: bytes, damage: Callable[[bytes], bytes], said: str) -> None:
    with pytest.raises(ExportError) as caught:
        read(damage(exported))
    assert str(caught.value).startswith(f"game.jsonl, {said}")


@given(data=st.data())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_happens_to_a_file_it_is_refused_or_found_broken(exported: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(exported)))
    end = data.draw(st.integers(start, min(len(exported), start + 12)))
    put = data.draw(st.binary(max_size=12) | st.sampled_from([b"0", b"9", b"null", b"{}", b'"', b"-", b"e9", b"\n"]))
    content = exported[:start] + put + exported[end:]
    try:
        game = read(content)
    except ExportError:
        return
    assert written(game) == content, "what is accepted is written again byte for byte"
    assert verify_export(game).ok is (content == exported)


@given(content=st.binary(max_size=200))
@settings(deadline=None)
def test_noise_is_refused(content: bytes) -> None:
    with pytest.raises(ExportError):
        read(content)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(payloads=st.lists(st.dictionaries(st.text(), JSON, max_size=4), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_payload_comes_back_as_it_was_and_verifies(recorded: Journal, payloads: list[dict[str, Any]]) -> None:
    game_id = recorded.new_game_id("hoshizora")
    start = NewEvent(EventKind.GAME_STARTED, game_id, {"game": "hoshizora", "seats": ["A"]})
    recorded.append([start, *(NewEvent(EventKind.FACT, game_id, payload) for payload in payloads)]).wait(10)
    stream = io.BytesIO()
    export_game(recorded, game_id, stream)
    game = read(stream.getvalue())
    assert [event.payload for event in game.events[1:]] == payloads
    assert verify_export(game).ok
    assert recorded.verify(game_id).ok


def test_a_header_that_tells_of_other_players_is_found(exported: bytes) -> None:
    game = read(exported)
    result = verify_export(replace(game, header=replace(game.header, seats=("Eve",))))
    assert (result.ok, result.first_bad_seq) == (False, 1)
