"""The taking from the camera, on a page of its own, of a deck's scans or of anything, until somebody says that all is kept."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from companion.commands.ending import stopping
from companion.commands.table import say
from companion.decks.deck import DECK_FILE, builtin_deck, load_deck
from companion.errors import BadInputError
from companion.service.offering import Offering
from companion.service.taking import Taking
from companion.service.taking_feed import feed
from companion.virtual.one_by_one import one_by_one_factory
from companion.web.enrol import create_enrol_app
from companion.web.server import AppServer
from hardware.camera.base import CameraFactory
from hardware.camera.capture import Capture
from hardware.camera.sources import camera_factory, python_for, shown_source

CLOSING_S = 1.0
"""How long the page may still ask after the last word, so that it shows it."""


class EnrolServer(AppServer):
    """The page on a port."""

    title = "The page for taking cards"


def take_scans(
    folder: Path,
    name: str,
    source: str,
    size_mm: tuple[float, float],
    *,
    ids: Sequence[str] = (),
    table_mm: tuple[float, float] | None = None,
    port: int,
    lan: bool,
) -> bool:
    """Fills the directory with scans; False where it was ended before somebody said that all cards are kept.

    `ids` are the cards to be expected. Raises the error trees' errors, a line each.
    """
    taking = Taking(folder, name, size_mm, ids, table_mm)
    server = EnrolServer(create_enrol_app(taking, lan=lan), port=port, lan=lan)
    run_taking(taking, server, source, one_by_one_factory("hoshizora"))
    if not taking.done:
        say(f"ended before all cards were kept; the scans are in {folder}, and the same command goes on with them")
    return taking.done


def run_taking(
    taking: Offering, server: AppServer, source: str, virtual: CameraFactory, tick: Callable[[], None] = lambda: None
) -> None:
    """Serves the page and feeds it pictures until the taking is done or the command is told to stop.

    `virtual` opens the source of that name; `tick` is called now and then, and once more at the end.
    """
    stop = threading.Event()
    factory, python = (virtual, None) if source == "virtual" else (camera_factory(source), python_for(source))
    with stopping(stop), Capture(factory, shown_source(source), python=python) as capture:
        server.start()
        server.greet(sys.stderr)
        feeding = threading.Thread(target=feed, args=(capture.reader(), taking, stop), name="taking", daemon=True)
        feeding.start()
        try:
            while not stop.wait(0.2) and not taking.done:
                tick()
            stop.wait(CLOSING_S)
        finally:
            stop.set()
            server.close()
            feeding.join(2.0)
            tick()


def expected_ids(folder: Path, game: str | None) -> tuple[str, ...]:
    """The cards of the directory's deck.toml, else of the deck that comes with the game; empty where neither is known."""
    if (folder / DECK_FILE).is_file():
        try:
            return tuple(load_deck(folder, game).cards)
        except BadInputError as error:
            say(f"warning: {error}")
    return tuple(builtin_deck(game).cards) if game is not None else ()
