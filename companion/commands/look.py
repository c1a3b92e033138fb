"""`hoshiban look PICTURE...`: what stands in single pictures, one JSON line each."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from companion.commands.options import deck_option, table_option
from companion.errors import BadInputError
from hardware.camera.directory import read_picture
from hardware.errors import HardwareError
from vision.cards.store import resolve_deck
from vision.errors import VisionError
from vision.frame import Frame
from vision.look import Look, scene_json


@click.command()
@click.argument("pictures", nargs=-1, required=True, metavar="PICTURE...")
@table_option
@deck_option
@click.option("--symbols", metavar="DIR", help="Pictures of the die symbols.")
@click.option("--no-board", is_flag=True, help="Look for no star board.")
def look(
    pictures: tuple[str, ...],
    table_mm: tuple[float, float],
    decks: tuple[str, ...],
    symbols: str | None,
    no_board: bool,
) -> None:
    """Read cards and the star board in each PICTURE and print one JSON line a picture.

    A picture that can't be read is told on stderr and leaves the others alone; the exit status is then 2.
    """
    _check_symbols(symbols)
    looker = Look(table_mm, [resolve_deck(deck) for deck in decks], want_board=not no_board)
    failed = False
    for picture in pictures:
        try:
            line = _look_at(looker, Path(picture))
        except (VisionError, HardwareError) as error:
            # What the picture's reader says names the file already, what the eyes say does not.
            text = str(error) if str(Path(picture)) in str(error) else f"{picture}: {error}"
            sys.stderr.write(f"hoshiban: {text}\n")
            failed = True
            continue
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    if failed:
        raise SystemExit(2)


def _check_symbols(symbols: str | None) -> None:
    if symbols is None:
        return
    if not Path(symbols).is_dir():
        raise BadInputError(f"--symbols {symbols}: no such directory; name the one with the symbols' pictures")
    sys.stderr.write("hoshiban: dice are not read by this version; --symbols changes nothing yet\n")


def _look_at(looker: Look, picture: Path) -> str:
    frame = Frame(read_picture(picture), 0, 0, name=picture.name, settled=True)
    # Each picture may be of another table or camera: no pose is carried over.
    looker.forget()
    return json.dumps(scene_json(picture.name, looker.read(frame)), ensure_ascii=False)
