"""The append-only event log: storage, hash chain, export and verification."""

from companion.journal.clock import Clock, SystemClock
from companion.journal.events import CHAINED, Event, EventKind, NewEvent, canonical, journal_hash
from companion.journal.export import ExportedGame, ExportError, exported, read_export, verify_export, write_export
from companion.journal.ids import new_game_id
from companion.journal.journal import GameRow, Journal, JournalReader, export_game
from companion.journal.observations import Observation, ObservationRef
from companion.journal.verify import ChainEnd, DamagedEventError, VerifyResult, verify
from companion.journal.writer import Ticket

__all__ = [
    "CHAINED",
    "ChainEnd",
    "Clock",
    "DamagedEventError",
    "Event",
    "EventKind",
    "ExportError",
    "ExportedGame",
    "GameRow",
    "Journal",
    "JournalReader",
    "NewEvent",
    "Observation",
    "ObservationRef",
    "SystemClock",
    "Ticket",
    "VerifyResult",
    "canonical",
    "export_game",
    "exported",
    "journal_hash",
    "new_game_id",
    "read_export",
    "verify",
    "verify_export",
    "write_export",
]
