"""`hoshiban demo`: a whole game on the virtual table, through the real pipeline, on the page or as JSON lines."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from pathlib import Path

import click

from calibration.profile import default_profile
from companion.adjudicator.games import GAMES
from companion.commands.options import Players
from companion.commands.serve import serve_session
from companion.commands.table import journal_option, make_session, parse_settings, setting_option
from companion.commands.watch import watch_session
from companion.decks.proxies import write_deck
from companion.errors import BusyError
from companion.journal import Journal
from companion.service.session import Session, open_desk
from companion.virtual.camera import virtual_factory
from companion.virtual.table import VirtualTable
from companion.web.desk import Desk
from companion.web.server import PORT, PageServer

TABLE_MM = (700.0, 420.0)
"""The virtual table's size."""


@click.command()
@click.option("--game", type=click.Choice(GAMES), default=GAMES[0], show_default=True, help="Which game is played.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same game.")
@click.option("--players", type=Players(), default="Ami,Ben,Cho", show_default=True, help="Seats, clockwise.")
@click.option("--headless", is_flag=True, help="No page: print the events of hoshiban watch, as fast as it goes.")
@click.option(
    "--speed", type=click.FloatRange(0.1, 20), default=2.0, show_default=True, help="Of the game on the page."
)
@click.option("--revoke", is_flag=True, help="Let a player once not follow the stated colour.")
@click.option("--variant", is_flag=True, help="Play with line elimination.")
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
    with tempfile.TemporaryDirectory(prefix="hoshiban-demo-") as folder:
        session = _session(
            game,
            seed,
            players,
            Path(folder),
            revoke=revoke,
            variant=variant,
            settings=settings,
            live=not headless,
            speed=speed,
        )
        with Journal.open(journal_path or Path(folder) / "journal.db") as journal:
            if headless:
                raise SystemExit(watch_session(session, journal))
            desk, session, _ = open_desk(journal, session, announce=lambda _event: None, resume=False)
            server = _server(desk, port, lan=lan)
            serve_session(session, desk, server, on_page=_open_browser)


def _session(
    game: str,
    seed: int,
    players: tuple[str, ...],
    folder: Path,
    *,
    revoke: bool,
    variant: bool,
    settings: tuple[str, ...],
    live: bool,
    speed: float,
) -> Session:
    """The virtual table's session, with the project's own cards written out for the enrolment, as real scans would be."""
    table = VirtualTable(game=game, seed=seed, revoke=revoke, variant=variant)
    deck = folder / "deck"
    write_deck(game, deck)
    chosen = {"line_elimination": True, **parse_settings(settings)} if variant else parse_settings(settings)
    return make_session(
        game=game,
        seats=players,
        lead=None,
        table_mm=TABLE_MM,
        decks=[str(deck)],
        layout=table.layout(),
        settings=chosen,
        source="virtual",
        profile=default_profile(TABLE_MM),
        factory=virtual_factory(table, recorded=not live, speed=speed),
    )


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
