"""One game at one table: which rules, seats, cards, zones and pictures; and the journal entry that it starts or goes on with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from calibration.zones import Layout
from companion.adjudicator.desk import GameDesk
from companion.adjudicator.games import kit_of
from companion.adjudicator.hoshi_battle.desk import DuelDesk, monotonic_us
from companion.adjudicator.record import Record
from companion.adjudicator.told import Said, Told
from companion.decks import Deck
from companion.duel.reports import Source
from companion.errors import BadInputError
from companion.games.start import Start, start_json
from companion.journal import EventKind, Journal, NewEvent
from companion.journal.clock import SystemClock
from companion.journal.ids import new_game_id
from companion.rules.penalties import HouseRule
from companion.service.arena_beside import ArenaConfig
from companion.service.eyes import EyesConfig
from companion.service.virtual_duel import DuelScript
from hardware.camera.base import CameraFactory

Json = Any


def _same(t_ns: int) -> int:
    return t_ns


def _unheard(_said: Said) -> None:
    """Nobody writes down what people say."""


@dataclass(frozen=True, slots=True)
class Session:
    """All that a game needs to be seen and judged."""

    game: str
    seats: tuple[str, ...]
    lead: str
    deck: Deck
    """The cards' attributes, for the rules."""
    layout: Layout
    source: str
    """Where the pictures come from, as people may read it: an address without its secrets."""
    factory: CameraFactory
    eyes: EyesConfig
    settings: Mapping[str, Json] = field(default_factory=dict)
    """Table settings that differ from their defaults."""
    house: tuple[HouseRule, ...] = ()
    """What the table takes for a breach."""
    card_pictures: Mapping[str, Path] = field(default_factory=dict)
    python: str | None = None
    """Interpreter of the capture child, where it is not this one."""
    pace_s: float = 0.0
    """Least time between two pictures of a recording, to show it as if it were live."""
    recorded: bool = False
    """The source ends, and comes again from its beginning when it is opened again."""
    told: tuple[Told, ...] = ()
    """What people say while a recording's pictures come."""
    told_time: Callable[[int], int] = _same
    """When that is, for a picture's time."""
    arena: ArenaConfig | None = None
    """Of a duel: how the Arena is seen, in the source's pictures."""
    sensors: tuple[Source, ...] = ()
    """Of a duel: what the table has."""
    clock: Callable[[], int] = monotonic_us
    """Of a duel: now, microseconds on the clock of its pictures."""
    duel: DuelScript | None = None
    """Of a duel at a virtual table: what is played there."""


def open_desk(
    journal: Journal,
    session: Session,
    *,
    announce: Callable[[dict[str, Json]], None],
    warn: Callable[[str], None],
    resume: bool,
    heard: Callable[[Said], None] = _unheard,
) -> tuple[GameDesk, Session, bool]:
    """The desk of a new game, or of the journal's last one where it is the same and not over.

    Returns the desk, the session (which passes over what a recording showed before), and whether the game goes on.
    Raises BadInputError where the session doesn't fit the game.
    """
    if session.lead not in session.seats:
        raise BadInputError(f"--lead {session.lead}: is none of the players {', '.join(session.seats)}")
    kit_of(session.game)  # a game that can't be watched is refused before anything is written
    start = Start(session.game, session.seats, session.lead, session.deck.cards, session.settings, session.house)
    if resume and (record := _unfinished(journal, session)) is not None:
        if session.recorded and record.last_picture is not None:
            eyes = replace(session.eyes, resume_after_ns=record.last_picture[1])
            session = replace(session, eyes=eyes, told=_untold(session.told, record))
        return _desk(journal, record, session, announce, warn, heard), session, True
    game_id = new_game_id(session.game, SystemClock().wall_ns())
    payload = {
        **start_json(start),
        "source": session.source,
    }
    started = journal.append([NewEvent(EventKind.GAME_STARTED, game_id, payload)]).wait()
    return _desk(journal, Record(started[0]), session, announce, warn, heard), session, False


def _desk(
    journal: Journal,
    record: Record,
    session: Session,
    announce: Callable[[dict[str, Json]], None],
    warn: Callable[[str], None],
    heard: Callable[[Said], None],
) -> GameDesk:
    pictures = session.card_pictures
    if session.game == "hoshi-battle":
        return DuelDesk(
            journal,
            record,
            session.layout,
            sources=session.sensors,
            clock=session.clock,
            announce=announce,
            warn=warn,
            card_pictures=pictures,
            heard=heard,
        )
    return GameDesk(journal, record, session.layout, announce=announce, warn=warn, card_pictures=pictures, heard=heard)


def _unfinished(journal: Journal, session: Session) -> Record | None:
    """The journal's last game, where it has no outcome yet and is this session's."""
    last = journal.last_game()
    if last is None or last.game != session.game or tuple(last.seats) != session.seats:
        return None
    events = list(journal.events(last.game_id))
    started = events[0].payload
    if session.recorded and started.get("source") != session.source:
        return None
    if not session.recorded and started.get("lead") != session.lead:
        return None
    record = Record.of(events)
    return None if record.outcome() is not None else record


def _untold(told: tuple[Told, ...], record: Record) -> tuple[Told, ...]:
    """What of a recording's told acts the record doesn't hold yet."""
    left = list(told)
    for entry in record.entries:
        if left and entry.by == left[0].said.who and record.start.book.facts.to_json(entry.fact) == left[0].said.act:
            left.pop(0)
    return tuple(left)
