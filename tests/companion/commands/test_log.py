"""`hoshiban log`, as a person and a script call it."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.cli import main
from companion.journal import Event, EventKind, Journal, NewEvent, journal_hash

GAME = "20260101-2000-hoshizora-abcd"
OTHER = "20260102-2000-hoshizora-wxyz"
Log = Callable[..., "Said"]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory with two games in its journal: one that ended, and an open one."""
    folder = tmp_path / "data"
    monkeypatch.setenv("HOSHIBAN_DATA", str(folder))
    with Journal.open(folder / "journal.db") as journal:
        for game in (GAME, OTHER):
            start = NewEvent(EventKind.GAME_STARTED, game, {"game": "hoshizora", "seats": ["Ann", "Bo\x1b[2J", "Cé"]})
            journal.append([start]).wait(10)
            journal.append([NewEvent(EventKind.PROMPT, game, {"text": "turn Mimosa upright"})]).wait(10)
        journal.append([NewEvent(EventKind.GAME_ENDED, GAME, {})]).wait(10)
    return folder


@pytest.fixture
def service(data: Path) -> Iterator[Journal]:
    with Journal.open(data / "journal.db") as journal:
        yield journal


@dataclass(frozen=True)
class Said:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Log:
    """Calls the program as a shell would."""

    def call(*words: str | Path) -> Said:
        monkeypatch.setattr(sys, "argv", ["hoshiban", "log", *map(str, words)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Said(code, *capsys.readouterr())

    return call


def tamper(data: Path, statement: str) -> None:
    with closing(sqlite3.connect(data / "journal.db")) as connection, connection:
        connection.execute("DROP TRIGGER events_stand")
        connection.execute(statement)


def test_list_names_the_games_for_people_and_for_scripts(data: Path, log: Log) -> None:
    words = log("list")
    assert words.returncode == 0
    first, second = words.stdout.splitlines()
    assert first.startswith(GAME)
    assert "ended" in first
    assert "3 events" in first
    assert "open" in second
    assert "\x1b" not in words.stdout, "a player's name can't move a terminal's cursor"
    rows = [json.loads(line) for line in log("list", "--json").stdout.splitlines()]
    assert [(row["game_id"], row["events"], row["ended"]) for row in rows] == [(GAME, 3, True), (OTHER, 2, False)]


def test_show_tells_the_last_game_or_the_one_that_is_named(data: Path, log: Log) -> None:
    assert log("show").stdout.splitlines()[0] == OTHER
    shown = log("show", "20260101")
    assert shown.stdout.splitlines()[0] == GAME
    assert 'text="turn Mimosa upright"' in shown.stdout
    only = log("show", "20260101", "--kind", "prompt", "--kind", "game-ended", "--json")
    assert [json.loads(line)["kind"] for line in only.stdout.splitlines()] == ["prompt", "game-ended"]


def test_an_export_goes_to_stdout_or_whole_into_a_file(data: Path, log: Log, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    done = log("export", GAME, "-o", file)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert log("export", GAME).stdout == file.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir() if path.name != "data"] == ["game.jsonl"]
    assert log("show", file).stdout == log("show", GAME).stdout
    nowhere = log("export", GAME, "-o", tmp_path / "nowhere" / "game.jsonl")
    assert nowhere.returncode == 2
    assert "nowhere/game.jsonl: can't be written (No such file or directory)" in nowhere.stderr


def test_an_export_into_a_device_writes_to_it(data: Path, log: Log) -> None:
    assert log("export", GAME, "-o", "/dev/null").returncode == 0
    assert not Path("/dev/null").is_file()


def test_verify_says_that_all_is_as_recorded(data: Path, log: Log, tmp_path: Path) -> None:
    done = log("verify", GAME)
    assert done.returncode == 0
    said = json.loads(done.stdout)
    assert (said["ok"], said["events"], said["first_bad_seq"]) == (True, 3, None)
    log("export", GAME, "-o", tmp_path / "game.jsonl")
    assert json.loads(log("verify", tmp_path / "game.jsonl").stdout) == said


def test_verify_names_the_first_bad_event_of_a_journal_and_exits_1(data: Path, log: Log) -> None:
    tamper(data, f"UPDATE events SET payload = '{{}}' WHERE seq = 2 AND game = '{GAME}'")
    done = log("verify", GAME)
    assert done.returncode == 1
    assert json.loads(done.stdout)["first_bad_seq"] == 2
    assert "event 2 is not what was recorded" in done.stderr
    assert log("verify", OTHER).returncode == 0


@pytest.mark.parametrize("spaces", [False, True])
def test_verify_names_the_first_bad_event_of_a_file_and_exits_1(
    data: Path, log: Log, tmp_path: Path, spaces: bool
) -> None:
    file = tmp_path / "game.jsonl"
    log("export", GAME, "-o", file)
    lines = file.read_text(encoding="utf-8").splitlines()
    event = json.loads(lines[2]) | {"payload": {"text": "other"}}
    separators = (", ", ": ") if spaces else (",", ":")
    lines[2] = json.dumps(event, sort_keys=True, ensure_ascii=False, separators=separators)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = log("verify", file)
    assert done.returncode == 1
    assert json.loads(done.stdout)["first_bad_seq"] == 2
    assert len(done.stderr.splitlines()) == 1
    assert log("replay", file).returncode == 1


def test_bad_input_is_one_line_and_exit_2(data: Path, log: Log, tmp_path: Path) -> None:
    (tmp_path / "noise.jsonl").write_bytes(b"\0\1\2")
    for words, said in [
        (("show", "nobody"), "no game 'nobody'"),
        (("show", "2026"), "2 games begin with '2026'"),
        (("verify", tmp_path / "missing.jsonl"), "missing.jsonl can't be read: No such file"),
        (("verify", tmp_path / "noise.jsonl"), "noise.jsonl, line 1"),
        (("list", "--journal", tmp_path / "noise.jsonl"), "noise.jsonl is not a journal"),
        (("list", "--journal", tmp_path / "none.db"), "no journal at"),
    ]:
        done = log(*words)
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert done.stdout == ""


def test_everything_can_be_asked_while_a_service_records(service: Journal, data: Path, log: Log) -> None:
    service.append([NewEvent(EventKind.PROMPT, OTHER, {"text": "now"})]).wait(10)
    assert json.loads(log("verify").stdout)["events"] == 3
    assert "now" in log("show").stdout
    assert len(log("export").stdout.splitlines()) == 4


@pytest.mark.parametrize("problems", [(), ("event 2: the log has the finding 'x', the replay has not",)])
def test_replay_prints_what_came_out_and_exits_1_where_the_log_differs(
    data: Path, log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problems: tuple[str, ...]
) -> None:
    """The judging itself is the adjudicator's and tested there; here it is what the command makes of it."""

    def judged(events: Sequence[Event]) -> SimpleNamespace:
        line = {"events": len(events), "journal_hash": journal_hash(events), "outcome": None, "same": not problems}
        return SimpleNamespace(same=not problems, problems=problems, to_json=lambda: line)

    monkeypatch.setattr("companion.adjudicator.replay.replay", judged)
    log("export", GAME, "-o", tmp_path / "game.jsonl")
    from_journal, from_file = log("replay", GAME), log("replay", tmp_path / "game.jsonl")
    assert from_journal == from_file
    assert from_journal.returncode == (1 if problems else 0)
    said = json.loads(from_journal.stdout)
    assert said["events"] == 3
    assert said["journal_hash"] == json.loads(log("verify", GAME).stdout)["journal_hash"]
    assert from_journal.stderr.splitlines() == [f"hoshiban: {GAME}: {problem}" for problem in problems]
