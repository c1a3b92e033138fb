"""`hoshiban enrol-die DIR --die NAME`: makes a named die from pictures of its faces, and says which faces are easily confused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tqdm import tqdm

from companion.web.server import PORT
from vision.dice.enrolled import EnrolledDie, find_pictures
from vision.dice.selftest import alike_faces
from vision.dice.store import check_die_name, install_die, kept_die

if TYPE_CHECKING:
    from companion.service.die_taking import Enrolled


@click.command("enrol-die")
@click.argument("directory", required=False, type=click.Path(path_type=Path))
@click.option(
    "--die", "name", default="", help="The name by which --symbols will find it; with --camera the page asks for it."
)
@click.option(
    "--sides", type=click.Choice(["8", "10"]), default=None, help="How many sides it has; any die's where not told."
)
@click.option(
    "--camera",
    "source",
    metavar="SRC",
    help="Take the pictures now, a face at a time, on a page: a camera as in serve, a directory of pictures, or virtual.",
)
@click.option("--port", type=int, default=PORT, show_default=True, help="With --camera: the page's port.")
@click.option("--lan", is_flag=True, help="With --camera: let phones and tablets of the local network open the page.")
def enrol_die(directory: Path | None, name: str, sides: str | None, source: str | None, port: int, lan: bool) -> None:
    """Make a named die from the pictures in DIRECTORY: <face>.jpg or .png, further ones of a face <face>-2.jpg.

    A picture is a photograph of the die lying with that face up, from straight above on a plain ground, or a flat
    picture of the symbol alone. A face without a symbol is named blank; with flat pictures it need not be shown.
    With --camera the pictures are taken on a page, die after die, and kept with this user's data until each is enrolled,
    or in DIRECTORY.
    """
    known = int(sides) if sides else None
    if source is not None:
        from companion.commands.enrol_die_camera import take_dice

        if name:
            check_die_name(name)
        if not take_dice(directory, name, known, source, _tell, port=port, lan=lan):
            raise SystemExit(1)
        return
    if not name:
        raise click.UsageError("give --die NAME, or --camera to take the pictures on a page")
    if directory is None:
        raise click.UsageError("give the DIRECTORY of the pictures, or --camera to take them now")
    check_die_name(name)
    pictures = find_pictures(directory)
    with tqdm(total=len(pictures), file=sys.stderr, unit="picture", desc=f"enrolling {name}") as bar:
        die = kept_die(directory, name, known, lambda _path: _one_more(bar))
    where = install_die(directory, name, known)
    _report(die, where)


def _tell(enrolled: Enrolled) -> None:
    _report(enrolled.die, enrolled.where)


def _one_more(bar: tqdm[object]) -> None:
    bar.update(1)


def _report(die: EnrolledDie, where: Path) -> None:
    pairs = alike_faces(die)
    line = {
        "die": die.name,
        "sides": die.sides,
        "faces": [face.name for face in die.faces],
        "pictures": sum(len(face.symbols) for face in die.faces),
        "colour": list(die.colour) if die.colour is not None else None,
        "directory": str(where),
        "confusable": [{"a": pair.a, "b": pair.b, "likeness": round(pair.likeness, 3)} for pair in pairs],
    }
    click.echo(json.dumps(line, ensure_ascii=False))
    for pair in pairs:
        click.echo(f"warning: the faces {pair.a} and {pair.b} look much alike: they may stay unread", err=True)
    click.echo(f"{die.name}: {len(die.faces)} faces enrolled, kept in {where}", err=True)
