"""`hoshiban serve`: the service over a live table, or over recorded pictures as if they were live."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import click

from companion.adjudicator.desk import GameDesk
from companion.adjudicator.games import GAMES
from companion.adjudicator.hoshi_battle.desk import DuelDesk
from companion.commands.ending import stopping
from companion.commands.options import Players, TableSize, profile_option
from companion.commands.table import (
    DUELS,
    TableAsked,
    duel_by_hand,
    journal_option,
    layout_or_fail,
    make_session,
    profile_of,
    say,
    table_options,
    virtual_session,
)
from companion.errors import BadInputError
from companion.journal import Journal
from companion.journal.clock import Clock, SystemClock
from companion.paths import default_journal
from companion.service.clock_watch import ClockWatch
from companion.service.duel_run import DuelRun
from companion.service.pipeline import Pipeline
from companion.service.recorder import Recorder
from companion.service.run import run_table
from companion.service.session import Session, open_desk
from companion.service.touching import feeling
from companion.virtual.faults import TableFaults, faults_at_hand
from companion.virtual.table import VirtualTable
from companion.virtual.table_game import table_game
from companion.web.faults import add_faults
from companion.web.server import PORT, PageServer
from vision.cards.store import deck_directory

BY_HAND = "hand"
"""The source of a duel that no camera sees."""


@click.command()
@click.option(
    "--camera", "source", help="picamera, /dev/video0, an http or rtsp stream, a video, a directory, or virtual."
)
@click.option("--game", type=click.Choice(GAMES), help="The game that is played; usually the profile's.")
@click.option("--players", type=Players(), help="The seats' names in clockwise order; usually the profile's.")
@click.option("--table", "table_mm", type=TableSize(), help="Size of the table in mm; usually the profile's.")
@table_options
@profile_option
@journal_option
@click.option("--port", type=int, default=PORT, show_default=True, help="The page's port.")
@click.option("--lan", is_flag=True, help="Let phones and tablets of the local network open the page.")
@click.option(
    "--viewers", type=click.IntRange(1, 1000), default=200, show_default=True, help="Pages that may watch at once."
)
@click.option(
    "--record", type=click.Path(path_type=Path, file_okay=False), help="Keep the settled pictures in this directory."
)
@click.option(
    "--pace", type=click.FloatRange(0, 3600), default=0.0, help="Seconds between two pictures of a recording."
)
@click.option("--pad", "pad_port", metavar="PORT", help="The contact pad's serial port, or virtual.")
@click.option("--new", "fresh", is_flag=True, help="Start a new game, even where the last one is not over.")
def serve(
    source: str | None,
    game: str | None,
    players: tuple[str, ...] | None,
    table_mm: tuple[float, float] | None,
    asked: TableAsked,
    profile: Path | None,
    journal_path: Path | None,
    port: int,
    lan: bool,
    viewers: int,
    record: Path | None,
    pace: float,
    pad_port: str | None,
    fresh: bool,
) -> None:
    """Watch a table and show its page."""
    by_hand = game == DUELS and source is None
    known = profile_of(profile, VirtualTable().table_mm if source == "virtual" or by_hand else table_mm)
    source = source or (BY_HAND if by_hand else known.camera.source)
    seats = players or known.seats
    chosen = game or known.game
    if not source:
        raise BadInputError("no camera: give --camera, or set it in the profile")
    if not seats:
        raise BadInputError("no players: give --players A,B,C in clockwise order")
    if chosen is None:
        raise BadInputError(f"no game: give --game, one of {', '.join(GAMES)}")
    with contextlib.ExitStack() as stack:
        pad_port = pad_port or known.pad.port
        faults, clock = None, None
        if source == "virtual":
            faults = stack.enter_context(faults_at_hand(has_pad=pad_port == "virtual"))
            pad_port, clock = faults.pad_port or pad_port, faults.clock
            session = _virtual(chosen, seats, asked, faults, keep_pictures=record is not None)
        elif by_hand:
            session = duel_by_hand(seats, asked, has_pad=bool(pad_port))
        else:
            session = make_session(
                game=chosen,
                seats=seats,
                table_mm=table_mm,
                asked=asked,
                source=source,
                profile=known,
                pace_s=pace,
                keep_pictures=record is not None,
            )
        if not by_hand:
            layout_or_fail(chosen, session.layout, len(seats))
        recorder = _recorder(record, session)
        journal = stack.enter_context(Journal.open(journal_path or default_journal(), clock=clock))
        heard = {"heard": recorder.hear} if recorder is not None else {}
        desk, session, resumed = open_desk(
            journal, session, announce=lambda _event: None, warn=say, resume=not fresh, **heard
        )
        say(f"game {desk.game_id} goes on" if resumed else f"game {desk.game_id} begins")
        server = PageServer(desk, port=port, lan=lan, stream_cap=viewers)
        if faults is not None:
            add_faults(server.app, faults)
        duel = (
            DuelRun(session, desk, faults.pad if faults is not None else None) if isinstance(desk, DuelDesk) else None
        )
        pins = known.panel.pins(seats)
        if duel is None:
            stack.enter_context(feeling(pad_port, pins, desk, journal))
        else:
            senses = duel.senses
            stack.enter_context(feeling(pad_port, pins, desk, journal, senses.pad, senses.pad_alive, duel.at_the_panel))
        serve_session(session, desk, server, recorder=recorder, clock=clock, duel=duel)


def serve_session(
    session: Session,
    desk: GameDesk,
    server: PageServer,
    *,
    recorder: Recorder | None = None,
    clock: Clock | None = None,
    duel: DuelRun | None = None,
) -> None:
    """Runs the pipeline and the page until the service is told to stop. A source that ends leaves the page up.

    `clock` is the journal's, where it is not the system's.
    """
    stop = threading.Event()
    with stopping(stop), answering(server):
        watch = ClockWatch(desk, clock or SystemClock())
        run_session(session, desk, stop, watch, recorder, duel)
        stay(desk, stop, watch)


@contextlib.contextmanager
def answering(server: PageServer) -> Iterator[None]:
    """The page answers, and says where, while the block runs."""
    server.start()
    try:
        server.greet(sys.stderr)
        yield
    finally:
        server.close()


def run_session(
    session: Session,
    desk: GameDesk,
    stop: threading.Event,
    watch: ClockWatch,
    recorder: Recorder | None = None,
    duel: DuelRun | None = None,
) -> None:
    """Sees and judges a session until its pictures end or `stop` is set. `duel`: what a duel needs, where it is made already."""
    if isinstance(desk, DuelDesk):
        (duel or DuelRun(session, desk)).run(say, stop, watch.look)
        return
    pipeline = Pipeline(session.factory, session.eyes, session.source, pace_s=session.pace_s, python=session.python)
    with pipeline:
        run_table(
            pipeline,
            desk,
            say=say,
            recorder=recorder,
            stop=stop,
            source=session.eyes.source,
            told=session.told,
            told_time=session.told_time,
            on_word=watch.look,
        )


def stay(desk: GameDesk, stop: threading.Event, watch: ClockWatch) -> None:
    """Leaves a game that is over on the page until `stop` is set."""
    while not stop.wait(1.0):
        desk.tick()
        watch.look()


def _virtual(
    game: str,
    seats: tuple[str, ...],
    asked: TableAsked,
    faults: TableFaults,
    *,
    keep_pictures: bool,
) -> Session:
    """A table that plays by itself, at its own pace, with the first of the decks or the project's proxies."""
    deck = str(deck_directory(asked.decks[0])) if asked.decks else None
    rule = table_game(game).variant
    variant = bool(rule) and rule.items() <= asked.settings.items()
    table = VirtualTable(game=game, seats=seats, deck=deck, variant=variant, short=True)
    return virtual_session(table, asked.settings, speed=1.0, keep_pictures=keep_pictures, faults=faults)


def _recorder(directory: Path | None, session: Session) -> Recorder | None:
    if directory is None:
        return None
    return Recorder(
        directory,
        game=session.game,
        seats=session.seats,
        lead=session.lead,
        table_mm=session.eyes.table_mm,
        layout=session.layout,
        decks=[Path(deck) for deck in session.eyes.decks],
        settings=session.settings,
    )
