"""Shows sets of pictures to the eyes as `hoshiban look` does, and counts what they make of the cards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from companion.bench.cards_tally import Miss, ShownCard, Tally
from hardware.camera.base import Image
from vision.cards import CardReader, EnrolledDeck
from vision.errors import VisionError
from vision.frame import Frame
from vision.look import Look, ReadsCards
from vision.observation import CardReading, Polygon
from vision.table import TablePose

Size = tuple[float, float]
READERS = 20
"""Kept at a time: as many decks as a set goes through in turn."""


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
    """Shows each picture to a look of its own, as single pictures are read; the last readers are kept by what they know."""
    tally = Tally()
    readers: dict[tuple[str, ...], TimedReader] = {}
    for shot in shots:
        key = tuple(deck.digest for deck in shot.decks)
        if key not in readers and len(readers) == READERS:
            del readers[next(iter(readers))]
        if key not in readers:
            readers[key] = TimedReader(make_reader(shot.decks))
        reader = readers[key]
        readings, cards_ms, look_ms = _looked(Look(shot.table_mm, cards=reader), reader, shot)
        misses = tally.add(shot.shown, readings, shot.kinds)
        tally.ms.append(cards_ms)
        tally.look_ms.append(look_ms)
        if on_misses is not None and misses:
            on_misses(shot, misses)
    return tally


def _looked(look: Look, reader: TimedReader, shot: Shot) -> tuple[tuple[CardReading, ...] | None, float, float]:
    """What was read, None where the table was not found; milliseconds for the cards and for all."""
    reader.ms = 0.0
    start = time.process_time()
    try:
        readings = look.read(Frame(shot.image, 0, 0, name=shot.name, settled=True)).cards
    except VisionError:
        readings = None
    return readings, reader.ms, 1000 * (time.process_time() - start)
