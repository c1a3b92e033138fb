"""What a settled table of 21 cards costs a frame, and a changed card from settle to observation.

Proxy cards, drawn with noise at 1280x720, seen by the watcher for some settled frames; then a hand exchanges one card after the
other, lays one on a bare place or on the end of a row, or takes one away.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.bench.drawn import OWN, drawn_deck
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, TableLook
from hardware.virtual.render import Renderer
from hardware.virtual.scene import CardOnTable, HandOverTable, Scene
from vision.frame import Frame
from vision.look import Look
from vision.observation import Observation, SceneReading
from vision.watcher import Watcher

BACK = "back"
TABLE_MM = (700.0, 420.0)
FRAME_NS = 33_333_333
TABLES = {"spread": 79.0, "rows": 44.0}
"""How far apart the cards lie, mm: nearer together than a card is wide, each covers a part of the one before it."""
SETTLED_FRAMES = 100


def laid_out(names: Sequence[str], step_mm: float, random: np.random.Generator) -> tuple[CardOnTable, ...]:
    """Three rows of seven; nearer together than a card is wide, each lies over the one before it."""
    left = TABLE_MM[0] / 2 - 3 * step_mm
    return tuple(
        CardOnTable(
            name,
            left + step_mm * (i % 7) + float(random.uniform(-2, 2)),
            80 + 130 * (i // 7) + float(random.uniform(-3, 3)),
            float(random.uniform(-4, 4)),
        )
        for i, name in enumerate(names)
    )


class CountedLook(Look):
    """A Look that counts its readings."""

    reads = 0

    def read(self, *args: Any, **more: Any) -> SceneReading:
        """As Look.read."""
        self.reads += 1
        return super().read(*args, **more)


class Film:
    """Frames at 30 a second, and what the watcher's work on each one cost."""

    def __init__(self, look: CountedLook, renderer: Renderer) -> None:
        self._look = look
        self._watcher = Watcher(look)
        self._renderer = renderer
        self._frames = 0

    def show(self, scene: Scene, frames: int) -> Iterator[tuple[float, tuple[object, ...]]]:
        """For each frame the milliseconds and what was told."""
        for _ in range(frames):
            image = self._renderer.render(scene, self._frames)
            frame = Frame(image, self._frames, self._frames * FRAME_NS)
            self._frames += 1
            start = time.process_time()
            told = self._watcher.feed(frame)
            yield 1000 * (time.process_time() - start), told

    def until_told(self, scene: Scene, most: int = 60) -> tuple[float, float, Observation | None]:
        """Milliseconds of all frames with a look, those of the frame that was told from, and what was told."""
        looks = 0.0
        for _ in range(most):
            before = self._look.reads
            for ms, told in self.show(scene, 1):
                looks += ms if self._look.reads > before else 0.0
                for one in told:
                    if isinstance(one, Observation):
                        return looks, ms, one
        return looks, 0.0, None


def _changed(
    cards: tuple[CardOnTable, ...], spare: list[str], number: int, random: np.random.Generator
) -> tuple[tuple[CardOnTable, ...], tuple[float, float]]:
    """The next table, and where a hand was at work: exchanged, taken away, laid again, in turns."""
    place = int(random.integers(len(cards) - 1))
    old = cards[place]
    if number % 3 == 1:
        spare.append(old.art)
        return (*cards[:place], *cards[place + 1 :]), (old.x_mm, old.y_mm)
    bare = _bare_place(cards) if number % 3 == 2 else None
    new = replace(old, art=spare.pop(0), angle_deg=float(random.uniform(-4, 4)))
    if bare is not None:
        new = replace(new, x_mm=bare[0], y_mm=bare[1])
        return (*cards, new), bare
    spare.append(old.art)
    new = replace(new, x_mm=old.x_mm + float(random.uniform(-2, 2)), y_mm=old.y_mm + float(random.uniform(-2, 2)))
    return (*cards[:place], new, *cards[place + 1 :]), (new.x_mm, new.y_mm)


def _bare_place(cards: Sequence[CardOnTable]) -> tuple[float, float]:
    """Where a card lies furthest from all others."""
    places = [(float(x), float(y)) for x in range(110, int(TABLE_MM[0]) - 100, 6) for y in (80, 210, 340)]
    return max(places, key=lambda place: min(np.hypot(card.x_mm - place[0], card.y_mm - place[1]) for card in cards))


def _right(observation: Observation | None, cards: Sequence[CardOnTable]) -> tuple[int, int]:
    """How many cards are read right, and how many wrong."""
    right = wrong = 0
    for reading in observation.scene.cards if observation is not None else ():
        if reading.face is None:
            continue
        nearest = min(cards, key=lambda card: np.hypot(card.x_mm - reading.x_mm, card.y_mm - reading.y_mm))
        if (reading.card or BACK) == nearest.art:
            right += 1
        else:
            wrong += 1
    return right, wrong


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {"n": 0}
    return {
        "median_ms": round(float(np.median(values)), 2),
        "p95_ms": round(float(np.percentile(values, 95)), 2),
        "n": len(values),
    }


def steady(changes: int, seed: int) -> dict[str, Any]:
    """The set's line, each kind of table by its name. Milliseconds of one thread's own time, all of the watcher's work on a frame
    (markers, motion, cards): `settled` a frame once the table is told; `change` the frames with a look, together: one that reads
    the change before the table counts as settled, one that confirms it when it does; `settle_to_told` the latter alone, from the
    settled picture to the observation; `first_ms` as `change`, for a table of which nothing is known.
    """
    return {"set": "steady"} | {table: _measured(table, changes, seed) for table in TABLES}


@dataclass(slots=True)
class _Changes:
    """What a run of changes came to."""

    looks: list[float]
    confirmed: list[float]
    right: int = 0
    wrong: int = 0
    shown: int = 0
    missed: int = 0


def _measured(table: str, changes: int, seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    deck = drawn_deck(OWN)
    names = [str(name) for name in random.permutation([name for name in deck.art if name != BACK])]
    cards = laid_out([*names[:18], BACK, BACK, BACK], TABLES[table], random)
    renderer = Renderer(deck.art, TableLook(ground=Ground.FELT, noise=2.0), VirtualCameraModel(table_mm=TABLE_MM))
    film = Film(CountedLook(TABLE_MM, [deck.enrolled], want_board=False), renderer)
    first, _, told = film.until_told(Scene(TABLE_MM, cards))
    first_right, first_wrong = _right(told, cards)
    settled = [ms for ms, _ in film.show(Scene(TABLE_MM, cards), SETTLED_FRAMES)]
    found = _played(film, cards, names[18:], changes, random)
    return {
        "cards": len(cards),
        "first_ms": round(first, 1),
        "first_right": first_right,
        "settled": _spread(settled),
        "change": _spread(found.looks),
        "settle_to_told": _spread(found.confirmed),
        "shown_after_changes": found.shown,
        "right_after_changes": found.right,
        "wrong": first_wrong + found.wrong,
        "not_told": found.missed,
    }


def _played(
    film: Film, cards: tuple[CardOnTable, ...], spare: list[str], changes: int, random: np.random.Generator
) -> _Changes:
    found = _Changes([], [])
    for number in range(changes):
        cards, place = _changed(cards, spare, number, random)
        hand = HandOverTable(*place, 180.0 if place[1] > TABLE_MM[1] / 2 else 0.0)
        for _ in film.show(Scene(TABLE_MM, cards, hands=(hand,)), 6):
            pass
        looks, last, told = film.until_told(Scene(TABLE_MM, cards))
        if told is None:
            found.missed += 1
            continue
        found.looks.append(looks)
        found.confirmed.append(last)
        good, bad = _right(told, cards)
        found.right, found.wrong, found.shown = found.right + good, found.wrong + bad, found.shown + len(cards)
    return found
