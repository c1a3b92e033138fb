"""The journal's events as values, their canonical form, and the hash chain of a game.

**Canonical form**: JSON with sorted keys, no spaces, UTF-8, floats in the shortest form that reads back to the same number
(`repr`), no NaN or infinity. Equal values have equal bytes on every machine.

**Chain**: each game has its own. An event's hash is the SHA-256, as 64 hex digits, of the canonical form of everything
recorded of it (`boot`, `game`, `kind`, `mono_ns`, `payload`, `prev`, `seq`, `t_ns`, `wall_ns`). `prev` is the hash of the game's
last *chained* event before it, 64 zeros for the first. Chained is what decides the game (`CHAINED`). Prompts and the
cameras' coming and going are hashed and say after which ruling they came, but nothing is built upon them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NoReturn, TypeGuard

from companion.errors import BadInputError

Json = Any
"""None, bool, int, float, str, or lists and string-keyed mappings of these."""

GENESIS = "0" * 64
"""What the first event of a game follows."""

INT64 = 2**63
GAME_ID = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,78}[a-z0-9])?")
HASH = re.compile(r"[0-9a-f]{64}")


class EventKind(StrEnum):
    """What kind of thing is recorded."""

    GAME_STARTED = "game-started"
    """First of every game. Payload: `game` id, `seats` clockwise, and what it is judged by (cards, settings, versions)."""
    FACT = "fact"
    """What happened at the table."""
    FINDING = "finding"
    """What the judge thinks of a fact."""
    QUESTION = "question"
    """Something a person is asked."""
    ANSWER = "answer"
    """What the person said."""
    UNDO = "undo"
    """Takes back the event it names."""
    CORRECTION = "correction"
    """Replaces the fact it names."""
    OVERRIDE = "override"
    """A referee's ruling over the judge's."""
    EVENT = "event"
    """What was announced: a trick, an outcome."""
    PROMPT = "prompt"
    """Advice, and differences between the table and the record."""
    SOURCE = "source"
    """A camera or pad was lost or came back."""
    GAME_ENDED = "game-ended"
    """Nothing more is expected; a referee may still correct."""


CHAINED = frozenset(EventKind) - {EventKind.PROMPT, EventKind.SOURCE}
"""The kinds that decide the game, and so belong to its chain."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """Something to record. `payload` is taken as it is when it is appended; later changes to it are not seen."""

    kind: EventKind
    game_id: str
    payload: Mapping[str, Json] = field(default_factory=dict)
    t_ns: int | None = None
    """Time in the recording in ns, where the source is a video or has a frame's time; None where it has none."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something recorded."""

    seq: int
    """1-based, per game, without gaps: the order of the game."""
    game_id: str
    kind: EventKind
    payload: Mapping[str, Json]
    """As read back from its canonical form: tuples have become lists. Not to be changed."""
    t_ns: int | None
    boot_id: str
    mono_ns: int
    """Host's monotonic time in ns when it was handed to the journal; comparable within one `boot_id`."""
    wall_ns: int
    """Unix time in ns at the same moment."""
    prev_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class Stamp:
    """When something was handed to the journal."""

    boot_id: str
    mono_ns: int
    wall_ns: int


def canonical(value: Json, what: str = "the value") -> str:
    """The canonical JSON text of a value.

    Raises BadInputError where it has none: other types, keys that are not text, NaN, infinity, lone surrogates, endless nesting.
    """
    try:
        _check_keys(value, what)
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except RecursionError:
        raise BadInputError(f"{what} can't be recorded: it is nested too deeply") from None
    except UnicodeEncodeError:
        raise BadInputError(f"{what} can't be recorded: it holds a text that is not valid Unicode") from None
    except (TypeError, ValueError) as error:
        raise BadInputError(f"{what} can't be recorded: {error}") from None
    return text


def _check_keys(value: Json, what: str) -> None:
    """Refuses keys that JSON would silently turn into text, and so sort differently when they are read back."""
    match value:
        case Mapping():
            if not isinstance(value, dict):
                raise BadInputError(f"{what} can't be recorded: {type(value).__name__} is not a plain dict")
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise BadInputError(f"{what} can't be recorded: the key {key!r} is not text")
                _check_keys(inner, what)
        case list() | tuple():
            for inner in value:
                _check_keys(inner, what)
        case _:
            pass


def parse_json(text: str | bytes) -> Json:
    """Reads JSON as strictly as `canonical` writes it: no NaN, no key twice. Raises ValueError."""
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _unique_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same key twice")
    return found


def event_body(
    *, game_id: str, kind: EventKind, payload_text: str, t_ns: int | None, stamp: Stamp, prev_hash: str, seq: int
) -> str:
    """The canonical text that an event's hash is taken of; `payload_text` is canonical already."""
    return (
        f'{{"boot":{canonical(stamp.boot_id)},"game":{canonical(game_id)},"kind":"{kind.value}","mono_ns":{stamp.mono_ns},'
        f'"payload":{payload_text},"prev":"{prev_hash}","seq":{seq},"t_ns":{"null" if t_ns is None else t_ns},'
        f'"wall_ns":{stamp.wall_ns}}}'
    )


def hash_text(text: str) -> str:
    """SHA-256 of a canonical text, 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def body_of(event: Event) -> str:
    """The canonical text that this event's hash must be of."""
    return event_body(
        game_id=event.game_id,
        kind=event.kind,
        payload_text=canonical(event.payload, f"event {event.seq}"),
        t_ns=event.t_ns,
        stamp=Stamp(event.boot_id, event.mono_ns, event.wall_ns),
        prev_hash=event.prev_hash,
        seq=event.seq,
    )


def journal_hash(events: Sequence[Event]) -> str:
    """The last hash of the game's chain: one value that stands for everything that decided it. 64 zeros for no events."""
    for event in reversed(events):
        if event.kind in CHAINED:
            return event.hash
    return GENESIS


def is_int64(value: object) -> TypeGuard[int]:
    """Whether it is a whole number that the journal can keep."""
    return isinstance(value, int) and not isinstance(value, bool) and -INT64 <= value < INT64


def check_game_id(game_id: str) -> str:
    """The id itself. Raises BadInputError unless it is 1 to 80 of a-z, 0-9, dot, dash, underscore."""
    if not GAME_ID.fullmatch(game_id):
        raise BadInputError(f"{game_id!r} can't be a game's id: use a-z, 0-9, dot, dash and underscore, at most 80")
    return game_id


def check_start(payload: Mapping[str, Json]) -> tuple[str, tuple[str, ...]]:
    """Game and seats of a game's first event. Raises BadInputError naming the field that does not fit."""
    game, seats = payload.get("game"), payload.get("seats")
    if not isinstance(game, str) or not game:
        raise BadInputError("a game's start needs `game`, the id of its rules")
    if not isinstance(seats, list | tuple) or not all(isinstance(seat, str) for seat in seats):
        raise BadInputError("a game's start needs `seats`, the players' names clockwise")
    return game, tuple(seats)
