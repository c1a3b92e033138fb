"""The taking of a deck's scans from the camera, on a page of its own, until somebody says that all cards are kept."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from companion.commands.ending import stopping
from companion.commands.table import say
from companion.decks.deck import DECK_FILE, builtin_deck, load_deck
from companion.errors import BadInputError
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
    stop = threading.Event()
    factory, python = _factory(source)
    server = EnrolServer(create_enrol_app(taking, lan=lan), port=port, lan=lan)
    with stopping(stop), Capture(factory, shown_source(source), python=python) as capture:
        server.start()
        server.greet(sys.stderr)
        feeding = threading.Thread(target=feed, args=(capture.reader(), taking, stop), name="taking", daemon=True)
        feeding.start()
        try:
            while not stop.wait(0.2) and not taking.done:
                pass
            stop.wait(CLOSING_S)
        finally:
            stop.set()
            server.close()
            feeding.join(2.0)
    if not taking.done:
        say(f"ended before all cards were kept; the scans are in {folder}, and the same command goes on with them")
    return taking.done


def expected_ids(folder: Path, game: str | None) -> tuple[str, ...]:
    """The cards of the directory's deck.toml, else of the deck that comes with the game; empty where neither is known."""
    if (folder / DECK_FILE).is_file():
        try:
            return tuple(load_deck(folder, game).cards)
        except BadInputError as error:
            say(f"warning: {error}")
    return tuple(builtin_deck(game).cards) if game is not None else ()


def _factory(source: str) -> tuple[CameraFactory, str | None]:
    if source == "virtual":
        return one_by_one_factory("hoshizora"), None
    return camera_factory(source), python_for(source)
