"""A game as a file: JSON Lines that are the same byte for byte whenever the same record is written.

The first line says what the file is (`format`, `version`, `game_id`, `game`, `seats`, `started_wall_ns`, `events`,
`journal_hash`); every further line is one event in canonical form. To check an event by hand, take `hash` out of its line, write
the rest in canonical form again, and its SHA-256 is that hash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, TypeVar

from companion.errors import BadInputError
from companion.journal.events import (
    GAME_ID,
    HASH,
    INT64,
    Event,
    EventKind,
    Json,
    canonical,
    is_int64,
    journal_hash,
    parse_json,
)
from companion.journal.verify import ChainEnd, VerifyResult, verify

FORMAT = "hoshiban-game"
VERSION = 1
T = TypeVar("T")

LINE_BYTES = 16 * 1024 * 1024
"""Longest line that is read: no event comes near it."""


class ExportError(BadInputError):
    """A line of an exported game that can't be used."""

    def __init__(self, name: str, line: int, text: str) -> None:
        super().__init__(f"{name}, line {line}: {text}")
        self.line = line
        """1-based; an event's line is its sequence number plus one."""


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """The first line."""

    game_id: str
    game: str
    seats: tuple[str, ...]
    started_wall_ns: int
    events: int
    journal_hash: str

    @property
    def end(self) -> ChainEnd:
        """How far the chain is said to go."""
        return ChainEnd(self.events, self.journal_hash)


@dataclass(frozen=True, slots=True)
class ExportedGame:
    """An exported game as it was read: well formed, not yet verified."""

    header: ExportHeader
    events: tuple[Event, ...]


def exported(events: Sequence[Event]) -> ExportedGame:
    """A game's events under their header. Raises BadInputError if there are none or they don't begin with a start."""
    if not events or events[0].kind is not EventKind.GAME_STARTED:
        raise BadInputError("there is no game to export: its first event is not a game's start")
    first = events[0]
    header = ExportHeader(
        first.game_id,
        str(first.payload.get("game", "")),
        tuple(str(seat) for seat in first.payload.get("seats", ())),
        first.wall_ns,
        len(events),
        journal_hash(events),
    )
    return ExportedGame(header, tuple(events))


def write_export(game: ExportedGame, stream: IO[bytes]) -> None:
    """Writes the file. Raises OSError of the stream."""
    stream.write(_header_line(game.header))
    for event in game.events:
        stream.write(_event_line(event))


def read_export(stream: IO[bytes], name: str = "the export") -> ExportedGame:
    """Reads what `write_export` wrote, and nothing else: every line must be, byte for byte, as it would be written.

    Whether it is what was recorded is another question, for `verify` with the header's `end`.
    Raises ExportError naming file, line and field.
    """
    lines = _lines(stream, name)
    first = next(lines, None)
    if first is None:
        raise ExportError(name, 1, "the file is empty, no exported game")
    header = _parse_line(name, 1, first, _read_header, _header_line)
    events = tuple(
        _parse_line(name, number, line, _read_event, _event_line) for number, line in enumerate(lines, start=2)
    )
    for event in events:
        if event.game_id != header.game_id:
            raise ExportError(name, event.seq + 1, f"`game` is {event.game_id}, the header says {header.game_id}")
    return ExportedGame(header, events)


def verify_export(game: ExportedGame) -> VerifyResult:
    """Computes the game's chain again and holds it against the header."""
    result = verify(game.events, game.header.end)
    if result.ok and exported(game.events).header != game.header:
        return replace(
            result, ok=False, first_bad_seq=1, text="event 1, the game's start, and the header differ", events=0
        )
    return result


def _header_line(header: ExportHeader) -> bytes:
    return _line(
        {
            "format": FORMAT,
            "version": VERSION,
            "game_id": header.game_id,
            "game": header.game,
            "seats": list(header.seats),
            "started_wall_ns": header.started_wall_ns,
            "events": header.events,
            "journal_hash": header.journal_hash,
        }
    )


def event_json(event: Event) -> dict[str, Json]:
    """An event as its line has it."""
    return {
        "boot": event.boot_id,
        "game": event.game_id,
        "hash": event.hash,
        "kind": event.kind.value,
        "mono_ns": event.mono_ns,
        "payload": event.payload,
        "prev": event.prev_hash,
        "seq": event.seq,
        "t_ns": event.t_ns,
        "wall_ns": event.wall_ns,
    }


def _event_line(event: Event) -> bytes:
    return _line(event_json(event))


def _line(value: dict[str, Json]) -> bytes:
    return (canonical(value) + "\n").encode("utf-8")


def _lines(stream: IO[bytes], name: str) -> Iterator[bytes]:
    number = 0
    while line := stream.readline(LINE_BYTES + 1):
        number += 1
        if len(line) > LINE_BYTES:
            raise ExportError(name, number, "the line is too long for an event")
        if not line.endswith(b"\n"):
            raise ExportError(name, number, "the file breaks off in this line: it was not copied whole")
        yield line


class _Fields:
    """The fields of one line, taken one by one; what is missing, of another kind or left over raises ValueError with its name."""

    def __init__(self, value: Json) -> None:
        if not isinstance(value, dict):
            raise ValueError("is no JSON object")
        self._left = dict(value)

    def take(self, field: str) -> Json:
        if field not in self._left:
            raise ValueError(f"`{field}` is missing")
        return self._left.pop(field)

    def text(self, field: str, pattern: re.Pattern[str] | None = None) -> str:
        value = self.take(field)
        if not isinstance(value, str) or (pattern is not None and not pattern.fullmatch(value)):
            raise ValueError(f"`{field}` is {_shown(value)}, which it can't be")
        return value

    def whole(self, field: str, least: int = -INT64) -> int:
        value = self.take(field)
        if not is_int64(value) or value < least:
            raise ValueError(f"`{field}` is {_shown(value)}, not a whole number it can be")
        return value

    def end(self) -> None:
        if self._left:
            raise ValueError(f"`{min(self._left)}` is not known here")


def _read_header(value: Json) -> ExportHeader:
    fields = _Fields(value)
    if (found := fields.take("format")) != FORMAT:
        raise ValueError(f"`format` is {_shown(found)}, not {FORMAT!r}: this is no exported game")
    if (version := fields.whole("version")) != VERSION:
        raise ValueError(f"`version` is {version}, this hoshiban reads {VERSION}: update it")
    seats = fields.take("seats")
    if not isinstance(seats, list) or not all(isinstance(seat, str) for seat in seats):
        raise ValueError(f"`seats` is {_shown(seats)}, not a list of names")
    header = ExportHeader(
        fields.text("game_id", GAME_ID),
        fields.text("game"),
        tuple(seats),
        fields.whole("started_wall_ns"),
        fields.whole("events", 1),
        fields.text("journal_hash", HASH),
    )
    fields.end()
    return header


def _read_event(value: Json) -> Event:
    fields = _Fields(value)
    kind = fields.text("kind")
    if kind not in {one.value for one in EventKind}:
        raise ValueError(f"`kind` is {_shown(kind)}, which is not known here")
    payload = fields.take("payload")
    if not isinstance(payload, dict):
        raise ValueError(f"`payload` is {_shown(payload)}, not an object")
    t_ns = fields.take("t_ns")
    if t_ns is not None and not is_int64(t_ns):
        raise ValueError(f"`t_ns` is {_shown(t_ns)}, not a whole number it can be")
    event = Event(
        seq=fields.whole("seq", 1),
        game_id=fields.text("game", GAME_ID),
        kind=EventKind(kind),
        payload=payload,
        t_ns=t_ns,
        boot_id=fields.text("boot"),
        mono_ns=fields.whole("mono_ns"),
        wall_ns=fields.whole("wall_ns"),
        prev_hash=fields.text("prev", HASH),
        hash=fields.text("hash", HASH),
    )
    fields.end()
    return event


def _parse_line(name: str, number: int, line: bytes, read: Callable[[Json], T], written: Callable[[T], bytes]) -> T:
    try:
        parsed = parse_json(line)
    except ValueError as error:
        what = "this is no exported game (hoshiban log export writes one)" if number == 1 else str(error)
        raise ExportError(name, number, what) from None
    try:
        value = read(parsed)
        again = written(value)
    except BadInputError as error:
        raise ExportError(name, number, str(error)) from None
    except ValueError as error:
        raise ExportError(name, number, str(error)) from None
    if again != line:
        raise ExportError(name, number, "is not written as an export is: it was changed or reformatted")
    return value


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
