"""`hoshiban enrol DIR --deck NAME`: makes a named deck from reference scans, and says which cards are easily confused."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click
from tqdm import tqdm

from companion.decks.deck import DECK_FILE, load_deck
from companion.errors import BadInputError
from vision.cards import EnrolledDeck, enrol_deck
from vision.cards.confusable import ConfusablePair, confusable_pairs
from vision.cards.deck import CARD_MM, find_scans
from vision.cards.store import check_deck_name, install_deck, resolve_deck, stated_size

__all__ = ["enrol", "parse_size", "resolve_deck"]


@click.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--deck", "name", required=True, help="The name by which --deck will find it.")
@click.option("--size", default=None, metavar="WxH", help="A card's size in mm; 63x88 unless told otherwise.")
def enrol(directory: Path, name: str, size: str | None) -> None:
    """Make a named deck from the scans in DIRECTORY: <card-id>.png or .jpg, and back.png."""
    check_deck_name(name)
    size_mm = parse_size(size) if size is not None else stated_size(directory) or CARD_MM
    scans = find_scans(directory)
    with tqdm(total=len(scans), file=sys.stderr, unit="scan", desc=f"enrolling {name}") as bar:
        deck = enrol_deck(directory, name, size_mm, lambda done, _total, _file: _show(bar, done))
        _show(bar, len(scans))
    where = install_deck(directory, name, size_mm)
    _report(deck, confusable_pairs(deck), where)
    _report_data(directory)


def _report_data(directory: Path) -> None:
    """Says what is wrong with the cards' data, which need not be finished for the cards to be recognised."""
    if not (directory / DECK_FILE).is_file():
        return
    try:
        load_deck(directory)
    except BadInputError as error:
        click.echo(f"warning: {error}", err=True)


def parse_size(text: str) -> tuple[float, float]:
    """Millimetres from "63x88". Raises BadInputError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*[x×]\s*(\d+(?:\.\d+)?)", text.strip())
    if match is None:
        raise BadInputError(f"--size {text}: give a card's width and height in mm, such as 63x88")
    width, height = float(match[1]), float(match[2])
    if min(width, height) < 20 or max(width, height) > 250:
        raise BadInputError(f"--size {text}: a card's sides must lie between 20 and 250 mm")
    return width, height


def _show(bar: tqdm[object], done: int) -> None:
    bar.update(done - bar.n)


def _report(deck: EnrolledDeck, pairs: tuple[ConfusablePair, ...], where: Path) -> None:
    line = {
        "deck": deck.name,
        "cards": len(deck.cards),
        "backs": len(deck.references) - len(deck.cards),
        "size_mm": list(deck.size_mm),
        "directory": str(where),
        "confusable": [
            {"a": p.first, "b": p.second, "difference": p.difference, "where_mm": list(p.where_mm)} for p in pairs
        ],
    }
    click.echo(json.dumps(line, ensure_ascii=False))
    for warning in deck.warnings:
        click.echo(f"warning: {warning}", err=True)
    for pair in pairs:
        click.echo(str(pair), err=True)
    click.echo(f"{deck.name}: {len(deck.cards)} cards enrolled, kept in {where}", err=True)
