"""`hoshiban look PICTURE...`: what stands in single pictures, one JSON line each."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
import cv2

from calibration.seats import Seats
from calibration.zones import load_layout
from companion.commands.options import PointMm, deck_option, layout_option, profile_option, table_option
from companion.errors import BadInputError
from companion.files import write_whole
from hardware.camera.directory import read_picture
from hardware.errors import HardwareError
from vision.cards import CardReader
from vision.cards.store import resolve_deck
from vision.dice.reader import DiceReader
from vision.dice.store import resolve_die
from vision.drawing import ExplainedCard, draw_scene
from vision.errors import VisionError
from vision.frame import Frame, Image
from vision.look import Look, scene_json
from vision.observation import SceneReading


@click.command()
@click.argument("pictures", nargs=-1, required=True, metavar="PICTURE...")
@table_option
@deck_option
@layout_option
@click.option(
    "--symbols",
    multiple=True,
    metavar="DIR|NAME",
    help="Pictures of the die symbols, or an enrolled die; with it dice and the string loop are looked for.",
)
@click.option(
    "--loop",
    "loop_at_mm",
    type=PointMm(),
    help="Where several loops lie: a point on or in the one that counts, mm; usually what `hoshiban enrol-loop` kept.",
)
@profile_option
@click.option("--no-board", is_flag=True, help="Look for no star board.")
@click.option(
    "--explain",
    metavar="OUT.png",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw what was found, what each card was held against, and why one was refused; of several pictures OUT-<name>.png.",
)
def look(
    pictures: tuple[str, ...],
    table_mm: tuple[float, float],
    decks: tuple[str, ...],
    layout: Path | None,
    symbols: tuple[str, ...],
    loop_at_mm: tuple[float, float] | None,
    profile: Path | None,
    no_board: bool,
    explain: Path | None,
) -> None:
    """Read cards, the star board and dice in each PICTURE and print one JSON line a picture.

    With --layout each card also says in whose place it lies ("seat") and how it lies for that player ("way": upright, sideways
    with "top_points" left or right, upside down; null where it can't be told).

    A picture that can't be read is told on stderr and leaves the others alone; the exit status is then 2.
    """
    dice = DiceReader([resolve_die(named) for named in symbols]) if symbols else None
    seats = Seats.of(load_layout(layout, table_mm), table_mm) if layout is not None else None
    reader = CardReader([resolve_deck(deck) for deck in decks])
    if dice is not None and loop_at_mm is None:
        loop_at_mm = _kept_loop(profile, table_mm)
    looker = Look(table_mm, cards=reader, want_board=not no_board, dice=dice, loop_at_mm=loop_at_mm)
    failed = False
    for picture in pictures:
        try:
            frame = Frame(read_picture(Path(picture)), 0, 0, name=Path(picture).name, settled=True)
            # Each picture may be of another table or camera: no pose is carried over.
            looker.forget()
            scene = looker.read(frame)
            line = json.dumps(_told(frame.name, scene, seats), ensure_ascii=False)
            if explain is not None:
                drawn = _drawn(looker, reader, frame, scene)
                _save(
                    drawn, explain if len(pictures) == 1 else explain.with_stem(f"{explain.stem}-{Path(picture).stem}")
                )
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


def _kept_loop(path: Path | None, table_mm: tuple[float, float]) -> tuple[float, float] | None:
    """The point of the loop that a profile keeps, mm; None where it has none, or is of a table of another size."""
    # What plays at tables takes a while to load, and most pictures are looked at without it.
    from companion.commands.table import profile_of

    profile = profile_of(path, table_mm)
    return profile.arena.at_mm if profile.table.size_mm == table_mm else None


def _told(name: str, scene: SceneReading, seats: Seats | None) -> dict[str, Any]:
    """The picture's line; with seats, how each card lies for the player whose place it is in."""
    line = scene_json(name, scene)
    if seats is None:
        return line
    for card, told in zip(scene.cards, line["cards"], strict=True):
        lie = seats.lie(card.x_mm, card.y_mm, card.angle_deg)
        told["seat"] = lie.seat if lie is not None else None
        told["way"] = lie.way if lie is not None else None
        told["top_points"] = lie.top_points if lie is not None else None
        told["seat_angle_deg"] = (
            round(lie.angle_deg, 1) % 360 if lie is not None and lie.angle_deg is not None else None
        )
    return line


def _drawn(looker: Look, reader: CardReader, frame: Frame, scene: SceneReading) -> Image:
    """The picture with what was found in it, and each card beside what it was held against."""
    pose = looker.locate(frame)
    board = (scene.board.outline_mm,) if scene.board is not None else ()
    found = reader.explain(frame.image, pose, board, scene.hidden_mm)
    cards = [
        ExplainedCard(reading, card.picture(frame.image, pose), card.scan, card.doubt, reader.acting)
        for reading, card in found
    ]
    return draw_scene(frame.image, pose, scene, cards)


def _save(picture: Image, path: Path) -> None:
    """Raises BadInputError where it can't be written, or has no picture's suffix."""
    if path.suffix.lower() != ".png":
        raise BadInputError(f"--explain {path}: the picture is written as PNG; name it such as found.png")
    write_whole(path, lambda stream: stream.write(cv2.imencode(".png", picture)[1].tobytes()))
