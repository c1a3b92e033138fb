"""`hoshiban decks print`: proxy cards as sheets of paper to print on both sides and cut."""

from __future__ import annotations

from pathlib import Path

import click

from companion.decks.deck import parse_deck
from companion.decks.proxies import CARD_MM, PROXY_GAMES, deck_text, draw_deck, draw_stickers
from companion.decks.sheets import Duplex, Paper, Sheet
from companion.errors import BadInputError
from companion.games.book import book_of


@click.command("print")
@click.argument("file", metavar="OUT.pdf", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--game", type=click.Choice(PROXY_GAMES), required=True, help="Whose proxy cards.")
@click.option(
    "--paper",
    type=click.Choice([paper.value for paper in Paper]),
    default=Paper.A4.value,
    show_default=True,
    help="What the printer holds.",
)
@click.option(
    "--duplex",
    type=click.Choice([duplex.value for duplex in Duplex]),
    default=Duplex.LONG_EDGE.value,
    show_default=True,
    help="About which edge the printer turns a sheet; none leaves the backs out.",
)
def print_sheets(file: Path, game: str, paper: str, duplex: str) -> None:
    """Writes the project's own proxy cards of a game to OUT.pdf, in true size, with cut marks and backs that fit.

    Hoshi Battle's file ends with stickers for two dice or more.
    Print at 100 %, without fitting to the page, and measure the rule at the right edge.
    """
    from companion.decks.sheet_pdf import sheets_pdf

    sheet = Sheet.of(Paper(paper), CARD_MM)
    deck = parse_deck(deck_text(game), "proxies", game, game).cards
    cards = [card for card, data in deck.items() for _ in range(data.copies)]
    art, sticker_sheet = draw_deck(game), draw_stickers(game)
    stickers = [] if sticker_sheet is None else ["stickers"]
    if sticker_sheet is not None:
        art["stickers"] = sticker_sheet
    pdf = sheets_pdf(f"{book_of(game).title}, proxy cards", cards, art, sheet, Duplex(duplex), stickers)
    try:
        file.write_bytes(pdf)
    except OSError as error:
        raise BadInputError(f"{file}: can't be written ({error.strerror})") from None
    sheets = -(-len(cards) // sheet.cards)
    more = ", and stickers for the dice on one more" if stickers else ""
    click.echo(
        f"{len(cards)} cards on {sheets} sheets{more} in {file}: print at 100 %, then measure the rule", err=True
    )
