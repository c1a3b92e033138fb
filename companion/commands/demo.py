"""`hoshiban demo`: a whole game on the virtual table, through the real pipeline, on the page or as JSON lines."""

from __future__ import annotations

import contextlib
import os
import tempfile
import webbrowser
from pathlib import Path

import click

from companion.adjudicator.games import GAMES
from companion.commands.options import Players
from companion.commands.serve import serve_session
from companion.commands.table import journal_option, parse_settings, say, setting_option, virtual_session
from companion.commands.watch import watch_session
from companion.errors import BusyError
from companion.journal import Journal
from companion.service.session import open_desk
from companion.virtual.faults import faults_at_hand
from companion.virtual.table import VirtualTable
from companion.web.desk import Desk
from companion.web.faults import add_faults
from companion.web.server import PORT, PageServer


@click.command()
@click.option("--game", type=click.Choice(GAMES), default=GAMES[0], show_default=True, help="Which game is played.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same game.")
@click.option("--players", type=Players(), default="Ami,Ben,Cho", show_default=True, help="Seats, clockwise.")
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
    game: str,
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
    """Play a game on the virtual table: drawn, seen, judged and shown as a real one.

    The game is kept only where --journal names a file.
    """
    table = VirtualTable(game=game, seed=seed, seats=players, revoke=revoke, variant=variant, short=True)
    told = parse_settings(settings)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="hoshiban-demo-"))
        path = journal_path or Path(folder) / "journal.db"
        if headless:
            session = virtual_session(table, told)
            raise SystemExit(watch_session(session, stack.enter_context(Journal.open(path))))
        faults = stack.enter_context(faults_at_hand())
        session = virtual_session(table, told, speed=speed, faults=faults)
        journal = stack.enter_context(Journal.open(path, clock=faults.clock))
        desk, session, _ = open_desk(journal, session, announce=lambda _event: None, warn=say, resume=False)
        server = _server(desk, port, lan=lan)
        add_faults(server.app, faults)
        serve_session(session, desk, server, on_page=_open_browser, clock=faults.clock)


def _server(desk: Desk, port: int | None, *, lan: bool) -> PageServer:
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
