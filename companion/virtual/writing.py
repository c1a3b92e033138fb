"""Writes a virtual game to a directory: pictures with the truth beside each, the deck, the layout, the game's own truth."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import cv2

from companion.decks.deck import DECK_FILE
from companion.decks.proxies import write_deck
from companion.errors import BadInputError
from companion.rules.hoshizora.ending import outcome
from companion.rules.hoshizora.facts import Line
from companion.virtual.players import GameScript
from companion.virtual.table import VirtualTable, load_scans
from hardware.camera.base import Image

JPEG_QUALITY = 92
CODECS = {".mp4": "mp4v", ".avi": "MJPG", ".mkv": "MJPG"}

Progress = Callable[[str], None]
"""Called with the name of each picture that is written."""


def game_truth(script: GameScript) -> dict[str, Any]:
    """What happened in the game, as JSON can hold it: star places on the board, tricks, and last the outcome."""
    state, setup = script.final, script.setup
    steps: list[dict[str, Any]] = []
    for record in state.done:
        step: dict[str, Any] = {
            "trick": record.number,
            "lead": record.lead,
            "played": dict(record.played),
            "majority": record.majority,
            "winner": record.winner,
            "drawn": [_line(line) for line in record.drawn],
            "points": record.points,
        }
        if setup.settings.line_elimination:
            step["erased"] = [_line(line) for line in record.erased]
        steps.append(step)
    ended = outcome(state)
    revoke = script.revokes[0] if script.revokes else None
    steps.append(
        {
            "revoke": None
            if revoke is None
            else {
                "player": revoke.player,
                "trick": revoke.trick,
                "card": revoke.card,
                "colour": revoke.colour,
                "proved_at": revoke.proved_at,
                "proof": revoke.proof,
            },
            "final": dict(zip(setup.seats, state.bids, strict=True)),
            "won": state.won,
            "points": state.points,
            "outcome": None
            if ended is None
            else {"winners": list(ended.winners), "decided_by": ended.decided_by, "bids": dict(ended.bids)},
        }
    )
    return {"stars": {str(star.n): [star.x_mm, star.y_mm, star.square] for star in script.stars}, "steps": steps}


def write_game(table: VirtualTable, folder: Path, progress: Progress | None = None) -> int:
    """Writes the settled pictures, as JPEG with their truth as JSON, and all that `watch` needs to judge them.

    Returns the number of pictures. Raises BadInputError where the table can't be set, the folder holds other pictures already
    or can't be written.
    """
    script = table.script()
    director = table.director(script)
    renderer = table.renderer()
    try:
        _prepare(table, script, folder)
        number = 0
        for number, still in enumerate(director.stills(), start=1):
            name = f"{still.name}.jpg"
            _write_jpeg(folder / name, renderer.render(still.scene, number))
            truth = renderer.truth(still.scene) | {"image": name, "step": still.name.split("-", 1)[1]}
            (folder / f"{still.name}.json").write_text(json.dumps(truth) + "\n")
            if progress is not None:
                progress(name)
    except OSError as error:
        raise BadInputError(f"{folder}: can't be written: {error.strerror or error}") from error
    return number


def write_video(table: VirtualTable, file: Path, progress: Progress | None = None) -> int:
    """Writes the whole film as a video; the suffix says how: .mp4 (MPEG-4), .avi or .mkv (Motion JPEG).

    Returns the number of pictures. Raises BadInputError for another suffix, or where the file can't be written.
    """
    codec = CODECS.get(file.suffix.lower())
    if codec is None:
        raise BadInputError(f"{file}: a video's name ends in {', '.join(CODECS)}")
    if not file.parent.is_dir():
        raise BadInputError(f"{file}: there is no directory {file.parent}")
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*codec), table.timing.fps, table.size)
    if not writer.isOpened():
        raise BadInputError(f"{file}: can't be written as a video")
    number = 0
    try:
        for number, picture in enumerate(film_pictures(table), start=1):
            writer.write(picture)
            if progress is not None:
                progress(f"{file.name} {number}")
    finally:
        writer.release()
    return number


def film_pictures(table: VirtualTable) -> Iterator[Image]:
    """The whole film, picture by picture. Raises BadInputError where the table can't be set."""
    renderer = table.renderer()
    for number, shown in enumerate(table.director().film()):
        yield renderer.render(shown.scene, number)


def _prepare(table: VirtualTable, script: GameScript, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(path.suffix == ".jpg" for path in folder.iterdir()):
        raise BadInputError(f"{folder}: holds pictures already; name a new or an empty directory")
    with as_file(files("companion.virtual") / "data" / f"{table.game}.toml") as layout:
        shutil.copyfile(layout, folder / "layout.toml")
    (folder / "game.json").write_text(json.dumps(game_truth(script), indent=1) + "\n")
    if table.deck is None:
        write_deck(table.game, folder / "deck")
        return
    scans = folder / "deck"
    scans.mkdir(exist_ok=True)
    for card, picture in load_scans(Path(table.deck)).items():
        (scans / f"{card}.png").write_bytes(cv2.imencode(".png", picture)[1].tobytes())
    source = Path(table.deck) / DECK_FILE
    if source.is_file():
        shutil.copyfile(source, scans / DECK_FILE)


def _write_jpeg(path: Path, picture: Image) -> None:
    path.write_bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes())


def _line(line: Line) -> dict[str, Any]:
    return {"a": line.a, "b": line.b, "colour": line.colour}
