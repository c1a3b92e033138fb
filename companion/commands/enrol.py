"""`hoshiban enrol DIR --deck NAME`: makes a named deck from reference scans, and says which cards are easily confused."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click
from tqdm import tqdm

from companion.commands.enrol_report import report_page
from companion.commands.options import GAMES, TableSize
from companion.decks.deck import DECK_FILE, load_deck
from companion.errors import BadInputError
from companion.files import write_whole
from companion.web.server import PORT
from vision.cards import EnrolledDeck, enrol_deck
from vision.cards.confusable import ConfusablePair, confusable_pairs
from vision.cards.deck import CARD_MM, find_scans
from vision.cards.store import check_deck_name, data_directory, install_deck, resolve_deck, stated_size
from vision.scans import LARGEST_MM, SMALLEST_MM, card_size

__all__ = ["enrol", "parse_size", "resolve_deck"]


@click.command()
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@click.option("--deck", "name", required=True, help="The name by which --deck will find it.")
@click.option(
    "--size",
    metavar="WxH",
    help="A card's size in mm, or its sleeve's where cards were scanned in sleeves; else card_mm of its deck.toml, or 63x88.",
)
@click.option(
    "--report",
    metavar="OUT.html",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a page that shows each easily confused pair, and what separates the two.",
)
@click.option(
    "--camera",
    "source",
    metavar="SRC",
    help="Take the scans now, a card at a time, on a page: a camera as in serve, a directory of pictures, or virtual.",
)
@click.option("--game", type=click.Choice(GAMES), help="With --camera: the game whose cards' ids are suggested.")
@click.option(
    "--table", "table_mm", type=TableSize(), help="With --camera: size of the table whose markers are in the picture."
)
@click.option("--port", type=int, default=PORT, show_default=True, help="With --camera: the page's port.")
@click.option("--lan", is_flag=True, help="With --camera: let phones and tablets of the local network open the page.")
def enrol(
    directory: Path | None,
    name: str,
    size: str | None,
    report: Path | None,
    source: str | None,
    game: str | None,
    table_mm: tuple[float, float] | None,
    port: int,
    lan: bool,
) -> None:
    """Make a named deck from the scans in DIRECTORY: <card-id>.png or .jpg, and back.png.

    Further pictures of one face are <card-id>@2.png, several different backs back-<name>.png. With --camera the scans are taken
    first, and kept in DIRECTORY or, without one, with this user's data.
    """
    check_deck_name(name)
    if directory is None:
        if source is None:
            raise click.UsageError("give the DIRECTORY of the scans, or --camera to take them now")
        directory = data_directory() / "scans" / name
    size_mm = parse_size(size) if size is not None else stated_size(directory) or CARD_MM
    if source is not None:
        from companion.commands.enrol_camera import expected_ids, take_scans

        ids = expected_ids(directory, game)
        if not take_scans(directory, name, source, size_mm, ids=ids, table_mm=table_mm, port=port, lan=lan):
            raise SystemExit(1)
    enrol_scans(directory, name, size_mm, report)


def enrol_scans(directory: Path, name: str, size_mm: tuple[float, float], report: Path | None) -> None:
    """Enrols a directory's scans under a name and says what came of it. Raises BadDeckScansError, BadInputError."""
    scans = find_scans(directory)
    # Only on a terminal: a log needs no bar.
    with tqdm(total=2 * len(scans), file=sys.stderr, unit="scan", desc=f"enrolling {name}", disable=None) as bar:
        deck = enrol_deck(directory, name, size_mm, lambda done, _total, _file: _show(bar, done))
        pairs = confusable_pairs(deck, lambda done, _total: _show(bar, len(scans) + done))
    where = install_deck(directory, name, size_mm)
    if report is not None:
        write_whole(report, lambda stream: stream.write(report_page(deck, pairs).encode()))
    copies = _copies(directory)
    _say(deck, pairs, where, copies)


def _copies(directory: Path) -> int | None:
    """How many cards the deck has with all copies; None without a deck.toml.

    Says what is wrong with the cards' data, which need not be finished for the cards to be recognised.
    """
    if not (directory / DECK_FILE).is_file():
        return None
    try:
        return sum(card.copies for card in load_deck(directory).cards.values())
    except BadInputError as error:
        click.echo(f"warning: {error}", err=True)
        return None


def parse_size(text: str) -> tuple[float, float]:
    """Millimetres from "63x88". Raises BadInputError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*[x×]\s*(\d+(?:\.\d+)?)", text.strip())
    if match is None:
        raise BadInputError(f"--size {text}: give a card's width and height in mm, such as 63x88")
    size = card_size((float(match[1]), float(match[2])))
    if size is None:
        raise BadInputError(f"--size {text}: a card's sides must lie between {SMALLEST_MM:g} and {LARGEST_MM:g} mm")
    return size


def _show(bar: tqdm[object], done: int) -> None:
    bar.update(done - bar.n)


def _say(deck: EnrolledDeck, pairs: tuple[ConfusablePair, ...], where: Path, copies: int | None) -> None:
    line = {
        "deck": deck.name,
        "cards": len(deck.cards),
        "copies": copies,
        "backs": sum(reference.card is None for reference in deck.references),
        "size_mm": list(deck.size_mm),
        "directory": str(where),
        "confusable": [
            {
                "a": pair.first,
                "b": pair.second,
                "turned": pair.turned,
                "difference": pair.difference,
                "where_mm": list(pair.where_mm),
                "where": pair.where,
            }
            for pair in pairs
        ],
    }
    click.echo(json.dumps(line, ensure_ascii=False))
    for warning in deck.warnings:
        click.echo(f"warning: {warning}", err=True)
    for pair in pairs:
        click.echo(str(pair), err=True)
    click.echo(f"{deck.name}: {len(deck.cards)} cards enrolled, kept in {where}", err=True)
