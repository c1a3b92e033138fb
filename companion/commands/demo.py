"""`hoshiban demo`: whole games on the virtual table, through the real pipeline, on the page or as JSON lines."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from companion.adjudicator.games import GAMES
from companion.commands.ending import stopping
from companion.commands.options import Players
from companion.commands.serve import answering, run_session, stay
from companion.commands.table import journal_option, parse_settings, say, setting_option, virtual_session
from companion.commands.watch import watch_session
from companion.errors import BadInputError, BusyError
from companion.games.book import book_of
from companion.journal import Journal
from companion.service.clock_watch import ClockWatch
from companion.service.relay import DeskRelay
from companion.service.session import open_desk
from companion.virtual.faults import TableFaults, faults_at_hand
from companion.virtual.table import VirtualTable
from companion.web.faults import add_faults
from companion.web.server import PORT, PageServer

WALK = ("hoshizora", "shuhari", "ahuha")
"""In which order the games are shown."""
DUELS = "hoshi-battle"
PLAYERS = ("Ami", "Ben", "Cho")
OUTCOME_S = 8.0
"""How long a game's end stays on the page before the next game."""


@click.command()
@click.option(
    "--game", type=click.Choice(GAMES), help="Only this game; usually a short one of each, one after the other."
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same game.")
@click.option("--players", type=Players(), default=",".join(PLAYERS), show_default=True, help="Seats, clockwise.")
@click.option("--headless", is_flag=True, help="No page: print the events of hoshiban watch, as fast as it goes.")
@click.option(
    "--speed", type=click.FloatRange(0.1, 20), default=2.0, show_default=True, help="Of the game on the page."
)
@click.option("--revoke", is_flag=True, help="Let a player once not play what the own hand obliges to.")
@click.option(
    "--variant", is_flag=True, help="Play by the optional rule: line elimination (Hoshizora), together (Ahuha)."
)
@setting_option
@journal_option
@click.option("--port", type=int, default=None, help=f"The page's port; {PORT} or the next free one unless told.")
@click.option("--lan", is_flag=True, help="Let phones and tablets of the local network open the page.")
def demo(
    game: str | None,
    seed: int,
    players: tuple[str, ...],
    headless: bool,
    speed: float,
    revoke: bool,
    variant: bool,
    settings: tuple[str, ...],
    journal_path: Path | None,
    port: int | None,
    lan: bool,
) -> None:
    """Play games on the virtual table: drawn, seen, judged and shown as real ones.

    The games are kept only where --journal names a file.
    """
    if game == DUELS and players == PLAYERS:
        players = players[:2]  # a game of three takes a quarter of an hour
    wish = VirtualTable(seed=seed, seats=players, revoke=revoke, variant=variant, short=True)
    tables = [replace(wish, game=game)] if game is not None else _walk(wish)
    if settings and game is None:
        raise BadInputError("--setting: is a setting of one game; name it with --game")
    told = parse_settings(settings)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="hoshiban-demo-"))
        path = journal_path or Path(folder) / "journal.db"
        if headless:
            journal = stack.enter_context(Journal.open(path))
            raise SystemExit(max(watch_session(virtual_session(table, told), journal) for table in tables))
        faults = stack.enter_context(faults_at_hand())
        journal = stack.enter_context(Journal.open(path, clock=faults.clock))
        relay = DeskRelay(_setting(tables[0]))
        server = _server(relay, port, lan=lan)
        add_faults(server.app, faults)
        stop = threading.Event()
        stack.enter_context(stopping(stop))
        stack.enter_context(answering(server))
        _open_browser(server.url)
        _show(tables, told, Showing(journal, relay, faults, speed), stop)


@dataclass(frozen=True, slots=True)
class Showing:
    """Where games are shown, and how fast."""

    journal: Journal
    relay: DeskRelay
    faults: TableFaults
    speed: float


def _walk(wish: VirtualTable) -> list[VirtualTable]:
    """A table for each game that can be played as it is wished for. Raises BadInputError, as the first game does, for none."""
    tables, refused = [], None
    for game in WALK:
        table = replace(wish, game=game)
        try:
            table.setup()
            table.settings()
            tables.append(table)
        except BadInputError as error:
            refused = refused or error
    if refused is not None and not tables:
        raise refused
    return tables


def _show(tables: Sequence[VirtualTable], told: dict[str, Any], where: Showing, stop: threading.Event) -> None:
    """Plays one game after the other on the page, and leaves the last one there."""
    for number, table in enumerate(tables, start=1):
        where.relay.turn_to(_setting(table))
        session = virtual_session(table, told, speed=where.speed, faults=where.faults)
        desk, session, _ = open_desk(where.journal, session, announce=lambda _event: None, warn=say, resume=False)
        where.relay.turn_to(desk)
        watch = ClockWatch(desk, where.faults.clock)
        run_session(session, desk, stop, watch)
        if number == len(tables):
            stay(desk, stop, watch)
        elif stop.wait(OUTCOME_S):
            return


def _setting(table: VirtualTable) -> str:
    return f"The table is being set for {book_of(table.game).title}"


def _server(desk: DeskRelay, port: int | None, *, lan: bool) -> PageServer:
    """The page on the port that was named, else on the usual one or any free one."""
    if port is not None:
        return PageServer(desk, port=port, lan=lan)
    try:
        return PageServer(desk, port=PORT, lan=lan)
    except BusyError:
        return PageServer(desk, port=0, lan=lan)


def _open_browser(url: str) -> None:
    """Opens the page where there is a desktop to open it on."""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(url)
