"""`hoshiban log`: lists, shows, exports, verifies and replays recorded games, also while a service records one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, TypeVar

import click

from companion.errors import BadInputError
from companion.files import write_whole
from companion.journal import (
    Event,
    EventKind,
    ExportedGame,
    ExportError,
    GameRow,
    Journal,
    JournalReader,
    VerifyResult,
    export_game,
    read_export,
    verify_export,
)
from companion.journal.export import event_json
from companion.paths import default_journal

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


@click.group()
def log() -> None:
    """Recorded games: list, show, export, verify, replay."""


def _journal_option(command: CommandT) -> CommandT:
    option = click.option(
        "--journal",
        "journal",
        type=click.Path(path_type=Path, dir_okay=False),
        default=None,
        help="The journal's file; by default journal.db in this user's data directory (HOSHIBAN_DATA).",
    )
    return option(command)


def _json_option(command: CommandT) -> CommandT:
    return click.option("--json", "as_json", is_flag=True, help="JSON Lines instead of words.")(command)


@log.command("list")
@_journal_option
@_json_option
def list_games(journal: Path | None, as_json: bool) -> None:
    """Every recorded game, the oldest first."""
    for game in _open(journal).games():
        click.echo(_to_line(_row_json(game)) if as_json else _row_words(game))


@log.command()
@click.argument("game", required=False)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice([kind.value for kind in EventKind]),
    help="Only events of this kind.",
)
@_journal_option
@_json_option
def show(game: str | None, kinds: tuple[str, ...], journal: Path | None, as_json: bool) -> None:
    """The events of GAME: an id or its beginning, or an exported FILE; the last game if nothing is said."""
    if file := _file(game):
        header, events = file.header.game_id, iter(file.events)
    else:
        reader = _open(journal)
        header = reader.find_game(game).game_id
        events = reader.events(header)
    if not as_json:
        click.echo(header)
    for event in events:
        if not kinds or event.kind in kinds:
            click.echo(_to_line(event_json(event)) if as_json else _event_words(event))


@log.command()
@click.argument("game", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="A file; stdout without it.")
@click.option(
    "--as",
    "form",
    type=click.Choice(["journal", "words", "acts"]),
    default="journal",
    show_default=True,
    help="Everything that was recorded; or the game alone: in words for people, or its acts as JSON Lines.",
)
@_journal_option
def export(game: str | None, output: Path | None, form: str, journal: Path | None) -> None:
    """Writes GAME, the same bytes every time: as JSON Lines of its journal, or as people write games down."""
    reader = _open(journal)
    game_id = reader.find_game(game).game_id

    def write(stream: IO[bytes]) -> None:
        if form == "journal":
            export_game(reader, game_id, stream)
            return
        from companion.adjudicator.written import written_of
        from companion.games.lines import write_lines
        from companion.games.notation import write_game

        written = written_of(reader.events(game_id))
        stream.write((write_game(written) if form == "words" else write_lines(written)).encode())

    if output is None:
        write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        write_whole(output, write)


@log.command()
@click.argument("game", required=False)
@_journal_option
def verify(game: str | None, journal: Path | None) -> None:
    """Computes the hash chain of GAME or of an exported FILE again; exit 1 names the first event that is wrong."""
    game_id, result = _verified(game, journal)
    click.echo(
        _to_line(
            {
                "game_id": game_id,
                "ok": result.ok,
                "events": result.events,
                "journal_hash": result.journal_hash,
                "first_bad_seq": result.first_bad_seq,
                "text": result.text,
            }
        )
    )
    if not result.ok:
        click.echo(f"hoshiban: {game_id or game}: {result.text}", err=True)
        raise click.exceptions.Exit(1)


@log.command()
@click.argument("game", required=False)
@_journal_option
def replay(game: str | None, journal: Path | None) -> None:
    """Judges GAME or an exported FILE again; exit 1 where it comes out otherwise than the log says."""
    from companion.adjudicator.replay import replay as judge_again

    game_id, checked = _verified(game, journal)
    if not checked.ok:
        click.echo(f"hoshiban: {game_id or game} is not what was recorded: {checked.text}", err=True)
        raise click.exceptions.Exit(1)
    file = _file(game)
    result = judge_again(file.events if file else tuple(_open(journal).events(game_id)))
    click.echo(_to_line(result.to_json()))
    if not result.same:
        for problem in result.problems:
            click.echo(f"hoshiban: {game_id}: {problem}", err=True)
        raise click.exceptions.Exit(1)


def _open(path: Path | None) -> JournalReader:
    return Journal.read_only(path or default_journal())


def _file(game: str | None) -> ExportedGame | None:
    """The exported game if a file of that name is meant: one that exists, or a name that can only be a file's."""
    if game is None or not (Path(game).is_file() or os.sep in game or game.endswith(".jsonl")):
        return None
    try:
        with Path(game).open("rb") as stream:
            return read_export(stream, game)
    except OSError as error:
        raise BadInputError(f"{game} can't be read: {error.strerror or error}") from None


def _verified(game: str | None, journal: Path | None) -> tuple[str, VerifyResult]:
    """Id and soundness of what is meant. A file with an unreadable line is a broken log, which is what we are asked for."""
    try:
        file = _file(game)
    except ExportError as error:
        if error.line == 1:
            raise
        return "", VerifyResult(False, error.line - 1, str(error), 0, "")
    if file:
        return file.header.game_id, verify_export(file)
    reader = _open(journal)
    game_id = reader.find_game(game).game_id
    return game_id, reader.verify(game_id)


def _to_line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _row_json(game: GameRow) -> dict[str, Any]:
    return {
        "game_id": game.game_id,
        "game": game.game,
        "seats": list(game.seats),
        "started_wall_ns": game.started_wall_ns,
        "events": game.events,
        "ended": game.ended,
        "journal_hash": game.journal_hash,
    }


def _row_words(game: GameRow) -> str:
    state = "ended" if game.ended else "open"
    seats = ", ".join(_short(seat) for seat in game.seats)
    return f"{game.game_id}  {_when(game.started_wall_ns):%Y-%m-%d %H:%M}  {state:5}  {game.events:5} events  {seats}"


def _event_words(event: Event) -> str:
    clock = f"{_when(event.wall_ns):%H:%M:%S.%f}"[:-3]
    words = "  ".join(f"{key}={_short(value)}" for key, value in event.payload.items())
    return f"{event.seq:5}  {clock}  {event.kind.value:12}  {words}"


def _short(value: object) -> str:
    """A value in a line for people; nothing in it can move a terminal's cursor."""
    if isinstance(value, str) and value.isprintable() and " " not in value:
        return value
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)


def _when(wall_ns: int) -> datetime:
    """Local time; a time that no calendar has is shown as 1970."""
    try:
        return datetime.fromtimestamp(wall_ns / 1e9, tz=UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, tz=UTC)
