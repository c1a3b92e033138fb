"""Shows sets of pictures to the eyes as `hoshiban look` does, and counts what they make of the cards."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from companion.bench.cards_tally import Miss, ShownCard, Tally
from companion.decks.proxies import draw_deck
from companion.errors import BadInputError
from companion.virtual.card_tables import CardTable, hard_table
from hardware.camera.base import Image
from hardware.camera.directory import read_picture
from hardware.errors import HardwareError
from hardware.virtual.truth import is_back
from vision.cards import CardReader, EnrolledDeck, enrol_deck
from vision.cards.deck import CARD_MM, make_reference
from vision.errors import VisionError
from vision.frame import Frame
from vision.look import Look, ReadsCards
from vision.observation import CardReading, Polygon
from vision.table import TablePose

Size = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A picture and what it shows."""

    name: str
    image: Image
    table_mm: Size
    decks: tuple[EnrolledDeck, ...]
    """What the reader knows."""
    shown: tuple[ShownCard, ...]
    kinds: tuple[str, ...] = ()
    """What is special about it, for figures by kind."""


class TimedReader:
    """A card reader that adds up one thread's own time."""

    def __init__(self, reader: ReadsCards) -> None:
        self._reader = reader
        self.ms = 0.0

    def read(
        self, image: Image, pose: TablePose, ignore_mm: Sequence[Polygon] = (), hidden_mm: Sequence[Polygon] = ()
    ) -> tuple[CardReading, ...]:
        """As the reader's own."""
        start = time.process_time()
        readings = self._reader.read(image, pose, ignore_mm, hidden_mm)
        self.ms += 1000 * (time.process_time() - start)
        return readings


MakeReader = Callable[[tuple[EnrolledDeck, ...]], ReadsCards]
OnMisses = Callable[[Shot, Sequence[Miss]], None]


def measure(shots: Iterator[Shot], make_reader: MakeReader = CardReader, on_misses: OnMisses | None = None) -> Tally:
    """Shows each picture to a look of its own, as single pictures are read; readers are kept by what they know."""
    tally = Tally()
    looks: dict[tuple[Any, ...], tuple[Look, TimedReader]] = {}
    for shot in shots:
        key = (shot.table_mm, *(deck.digest for deck in shot.decks))
        if key not in looks:
            reader = TimedReader(make_reader(shot.decks))
            looks[key] = (Look(shot.table_mm, cards=reader), reader)
        look, reader = looks[key]
        readings, cards_ms, look_ms = _looked(look, reader, shot)
        misses = tally.add(shot.shown, readings, shot.kinds)
        tally.ms.append(cards_ms)
        tally.look_ms.append(look_ms)
        if on_misses is not None and misses:
            on_misses(shot, misses)
    return tally


def _looked(look: Look, reader: TimedReader, shot: Shot) -> tuple[tuple[CardReading, ...] | None, float, float]:
    """What was read, None where the table was not found; milliseconds for the cards and for all."""
    look.forget()
    reader.ms = 0.0
    start = time.process_time()
    try:
        readings = look.read(Frame(shot.image, 0, 0, name=shot.name, settled=True)).cards
    except VisionError:
        readings = None
    return readings, reader.ms, 1000 * (time.process_time() - start)


# Sets on disk


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


# Drawn sets


@dataclass(frozen=True, slots=True, eq=False)
class DrawnDeck:
    """A deck drawn by code, and enrolled."""

    art: Mapping[str, Image]
    card_mm: Size
    enrolled: EnrolledDeck


@cache
def drawn_deck(name: str) -> DrawnDeck:
    """A deck by its name."""
    art, card_mm = draw_deck("hoshizora"), CARD_MM
    references = [
        make_reference(picture, None if is_back(card) else card, card_mm, card)
        for card, picture in sorted(art.items(), key=lambda item: (is_back(item[0]), item[0]))
    ]
    return DrawnDeck(art, card_mm, EnrolledDeck(name, card_mm, tuple(references), f"drawn {name}"))


HARD_DECKS = ("proxies",)


def hard(pictures: int, seed: int) -> Iterator[Shot]:
    """Tables with hardships, the decks in turn."""
    for number in range(pictures):
        name = HARD_DECKS[number % len(HARD_DECKS)]
        deck = drawn_deck(name)
        yield drawn_shot(hard_table(name, deck.art, deck.card_mm, seed, number), deck)


def drawn_shot(table: CardTable, deck: DrawnDeck) -> Shot:
    """A drawn table's picture with the renderer's truth."""
    renderer = table.renderer(deck.art)
    cards = renderer.truth(table.scene).get("cards", [])
    kinds = (*sorted(table.hardships), table.look.ground.value, f"deck {table.deck}")
    return Shot(
        table.name,
        renderer.render(table.scene),
        table.scene.table_mm,
        (deck.enrolled,),
        tuple(ShownCard.of(card) for card in cards),
        kinds,
    )
