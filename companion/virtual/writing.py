"""Writes a virtual game to a directory: pictures with the truth beside each, the deck, the layout, the game's own truth."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import cv2

from companion.adjudicator.told import told_lines
from companion.decks.deck import DECK_FILE
from companion.decks.proxies import write_deck
from companion.errors import BadInputError
from companion.virtual.film import TimedFilms, told_in_stills
from companion.virtual.table import VirtualTable, load_scans
from hardware.camera.base import Image

JPEG_QUALITY = 92
TOLD_FILE = "told.jsonl"
"""What people say while the pictures come (companion.adjudicator.told)."""
CODECS = {".mp4": "mp4v", ".avi": "MJPG", ".mkv": "MJPG"}

Progress = Callable[[str], None]
"""Called with the name of each picture that is written."""


def write_game(table: VirtualTable, folder: Path, progress: Progress | None = None) -> int:
    """Writes the settled pictures, as JPEG with their truth as JSON, and all that `watch` needs to judge them.

    Returns the number of pictures. Raises BadInputError where the table can't be set, the folder holds other pictures already
    or can't be written.
    """
    script = table.script()
    director = table.director(script)
    renderer = table.renderer()
    try:
        _prepare(table, table.truth(script) | (director.truth() if isinstance(director, TimedFilms) else {}), folder)
        number = 0
        stills = list(director.stills())
        if told := told_in_stills(stills):
            (folder / TOLD_FILE).write_text(told_lines(told))
        for number, still in enumerate(stills, start=1):
            name = f"{still.name}.jpg"
            _write_jpeg(folder / name, renderer.render(still.scene, number))
            truth = renderer.truth(still.scene) | {"image": name, "step": still.name.split("-", 1)[1]}
            if still.t_us is not None:
                truth["t_us"] = still.t_us
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


def _prepare(table: VirtualTable, truth: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(path.suffix == ".jpg" for path in folder.iterdir()):
        raise BadInputError(f"{folder}: holds pictures already; name a new or an empty directory")
    with as_file(files("companion.virtual") / "data" / f"{table.game}.toml") as layout:
        shutil.copyfile(layout, folder / "layout.toml")
    (folder / "game.json").write_text(json.dumps(truth, indent=1) + "\n")
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
