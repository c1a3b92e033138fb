"""`hoshiban enrol-die DIR --die NAME`: makes a named die from pictures of its faces, and says which faces are easily confused."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import click
from tqdm import tqdm

from vision.dice.enrolled import EnrolledDie, find_pictures
from vision.dice.faces import likeness
from vision.dice.store import check_die_name, install_die, kept_die

CONFUSABLE = 0.96
"""Likeness of two faces' symbols from which on a person is warned."""


@click.command("enrol-die")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--die", "name", required=True, help="The name by which --symbols will find it.")
@click.option(
    "--sides", type=click.Choice(["8", "10"]), default=None, help="How many sides it has; any die's where not told."
)
def enrol_die(directory: Path, name: str, sides: str | None) -> None:
    """Make a named die from the pictures in DIRECTORY: <face>.jpg or .png, further ones of a face <face>-2.jpg.

    A picture is a photograph of the die lying with that face up, from straight above on a plain ground, or a flat
    picture of the symbol alone. A face without a symbol is named blank; with flat pictures it need not be shown.
    """
    check_die_name(name)
    pictures = find_pictures(directory)
    with tqdm(total=len(pictures), file=sys.stderr, unit="picture", desc=f"enrolling {name}") as bar:
        die = kept_die(directory, name, int(sides) if sides else None, lambda _path: _one_more(bar))
    where = install_die(directory, name, int(sides) if sides else None)
    _report(die, where)


def _one_more(bar: tqdm[object]) -> None:
    bar.update(1)


def _report(die: EnrolledDie, where: Path) -> None:
    pairs = _confusable(die)
    line = {
        "die": die.name,
        "sides": die.sides,
        "faces": [face.name for face in die.faces],
        "pictures": sum(len(face.symbols) for face in die.faces),
        "colour": list(die.colour) if die.colour is not None else None,
        "directory": str(where),
        "confusable": [{"a": a, "b": b, "likeness": round(score, 3)} for a, b, score in pairs],
    }
    click.echo(json.dumps(line, ensure_ascii=False))
    for a, b, _ in pairs:
        click.echo(f"warning: the faces {a} and {b} look much alike: they may stay unread", err=True)
    click.echo(f"{die.name}: {len(die.faces)} faces enrolled, kept in {where}", err=True)


def _confusable(die: EnrolledDie) -> list[tuple[str, str, float]]:
    found = []
    for one, other in itertools.combinations(die.faces, 2):
        score = max((likeness(a, b).score for a in one.symbols for b in other.symbols), default=-1.0)
        if score >= CONFUSABLE:
            found.append((one.name, other.name, score))
    return found
