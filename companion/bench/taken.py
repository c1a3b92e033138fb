"""Pictures on disk with their truth beside them, as sets of shots."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.bench.cards import Shot
from companion.bench.cards_tally import ShownCard
from companion.errors import BadInputError
from hardware.camera.directory import read_picture
from hardware.errors import HardwareError
from vision.cards import enrol_deck
from vision.errors import VisionError


def footage(folder: Path) -> Iterator[Shot]:
    """The pictures of SHARED/footage/cards, each with its own deck. Raises BadInputError."""
    yield from _taken(folder, "cards")


def game(folder: Path) -> Iterator[Shot]:
    """The pictures of a whole game, SHARED/footage/hoshizora-game-2. Raises BadInputError."""
    yield from _taken(folder, "hoshizora-game-2", "hoshizora")


def _taken(shared: Path, name: str, deck: str | None = None) -> Iterator[Shot]:
    folder = shared / "footage" / name
    pictures = sorted(folder.glob("*.jpg"))
    if not pictures:
        raise BadInputError(
            f"--shared {shared}: no pictures in {folder}; name the folder that holds footage/ and decks/"
        )
    for picture in pictures:
        truth = _truth(picture.with_suffix(".json"))
        deck_folder = shared / "decks" / (deck or str(truth.get("game")))
        try:
            image, enrolled = read_picture(picture), enrol_deck(deck_folder)
            width, height = truth["table_mm"]
            shown = tuple(ShownCard.of(card) for card in truth.get("cards", []))
        except (HardwareError, VisionError) as error:
            raise BadInputError(f"--shared {shared}: {error}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise BadInputError(f"{picture.with_suffix('.json')}: not a truth file ({error!r})") from error
        kinds = tuple(str(truth[key]) for key in ("table", "light") if key in truth)
        yield Shot(picture.name, image, (float(width), float(height)), (enrolled,), shown, kinds)


def _truth(path: Path) -> dict[str, Any]:
    try:
        truth = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadInputError(f"{path}: the picture's truth can't be read: {error}") from error
    if not isinstance(truth, dict):
        raise BadInputError(f"{path}: not a truth file")
    return truth
