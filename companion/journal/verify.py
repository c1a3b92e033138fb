"""Whether a log is what was recorded: every number, link and hash of a game, computed again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.errors import BadInputError, JournalError
from companion.journal.events import CHAINED, GENESIS, Event, EventKind, body_of, check_start, hash_text


class DamagedEventError(JournalError):
    """A recorded event that can't be read as one."""

    def __init__(self, seq: int, text: str) -> None:
        super().__init__(text)
        self.seq = seq


@dataclass(frozen=True, slots=True)
class ChainEnd:
    """How far a chain is said to go, by who kept it: shows a tail that was cut off."""

    events: int
    hash: str


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """What verifying found."""

    ok: bool
    first_bad_seq: int | None
    """Sequence number, 1-based, of the first event that is wrong or missing."""
    text: str
    events: int
    """How many were sound, from the first."""
    journal_hash: str
    """The chain's hash after these."""


def verify(events: Iterable[Event], end: ChainEnd | None = None) -> VerifyResult:
    """Computes the chain of one game again, from its first event. Total: damage is a result, never an exception."""
    count, head, game_id = 0, GENESIS, ""
    try:
        for event in events:
            game_id = game_id or event.game_id
            wrong = _what_is_wrong(event, count + 1, head, game_id)
            if wrong:
                return VerifyResult(False, count + 1, f"event {count + 1} {wrong}", count, head)
            count = event.seq
            head = event.hash if event.kind in CHAINED else head
    except DamagedEventError as error:
        return VerifyResult(False, error.seq, str(error), count, head)
    if end is not None and count < end.events:
        text = f"event {count + 1} is missing: {end.events} were recorded, {count} are here"
        return VerifyResult(False, count + 1, text, count, head)
    if end is not None and (count > end.events or head != end.hash):
        bad = min(count, end.events + 1)
        return VerifyResult(
            False, bad, f"event {bad} is not the one at which the record says that it ends", count, head
        )
    return VerifyResult(True, None, f"{count} events, all as recorded", count, head)


def _what_is_wrong(event: Event, seq: int, head: str, game_id: str) -> str | None:
    """The first thing that does not fit in an event that should be number `seq` after `head`; None if all does."""
    if event.seq != seq:
        return f"is missing or out of order: number {event.seq} stands in its place"
    if event.game_id != game_id:
        return f"belongs to another game, {event.game_id}"
    if (event.kind is EventKind.GAME_STARTED) is not (seq == 1):
        return "should be the game's start" if seq == 1 else "starts the game a second time"
    if event.prev_hash != head:
        return "does not follow the one before it: the hash it names is another"
    return _wrong_content(event)


def _wrong_content(event: Event) -> str | None:
    try:
        if hash_text(body_of(event)) != event.hash:
            return "is not what was recorded: its content and its hash differ"
        if event.kind is EventKind.GAME_STARTED:
            check_start(event.payload)
    except BadInputError as error:
        return f"can't be what was recorded: {error}"
    return None
