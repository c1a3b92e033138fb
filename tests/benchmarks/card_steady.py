"""What a settled table costs a frame, and a changed card from settle to observation.

`python -m tests.benchmarks.card_steady [--table spread|rows] [--changes N] [--frames N]` prints one JSON line: 21 proxy cards,
drawn by the project's own renderer with noise at 1280x720, seen by the watcher for some settled frames; then a hand exchanges
one card after the other, lays one on a bare place (`spread`) or on the end of a row, or takes one away. Milliseconds of one
thread's own time, all of the watcher's work on a frame (markers, motion, cards): `settled` a frame once the table is told;
`change` the frames with a look, together: one that reads the change before the table counts as settled, one that confirms it
when it does; `settle_to_told` the latter alone, from the settled picture to the observation; `first_ms` as `change`, for a
table of which nothing is known.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from companion.decks.proxies import BACK, draw_deck
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, TableLook
from hardware.virtual.render import Renderer
from hardware.virtual.scene import CardOnTable, HandOverTable, Scene
from vision.cards.deck import CARD_MM, EnrolledDeck, make_reference
from vision.frame import Frame
from vision.look import Look
from vision.observation import Observation, SceneReading
from vision.watcher import Watcher

TABLE_MM = (700.0, 420.0)
FRAME_NS = 33_333_333
_STEP_MM = {"spread": 79.0, "rows": 44.0}


def proxies() -> tuple[EnrolledDeck, dict[str, np.ndarray]]:
    """The proxy deck, enrolled, and its pictures."""
    art = draw_deck("hoshizora")
    references = [
        make_reference(picture, None if name == BACK else name, CARD_MM, name)
        for name, picture in sorted(art.items(), key=lambda item: (item[0] == BACK, item[0]))
    ]
    return EnrolledDeck("proxies", CARD_MM, tuple(references), "proxies"), art


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
    return {
        "median_ms": round(float(np.median(values)), 2),
        "p95_ms": round(float(np.percentile(values, 95)), 2),
        "n": len(values),
    }


def main() -> None:
    """Prints the line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", choices=sorted(_STEP_MM), default="spread")
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--changes", type=int, default=12)
    parser.add_argument("--seed", type=int, default=3)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    random = np.random.default_rng(asked.seed)
    deck, art = proxies()
    names = [str(name) for name in random.permutation([name for name in art if name != BACK])]
    cards = laid_out([*names[:18], BACK, BACK, BACK], _STEP_MM[asked.table], random)
    spare = names[18:]
    renderer = Renderer(art, TableLook(ground=Ground.FELT, noise=2.0), VirtualCameraModel(table_mm=TABLE_MM))
    film = Film(CountedLook(TABLE_MM, [deck], want_board=False), renderer)

    scene = Scene(TABLE_MM, cards)
    first, _, told = film.until_told(scene)
    first_right, wrong = _right(told, cards)
    settled = [ms for ms, _ in film.show(scene, asked.frames)]
    changes, confirmed, right, shown, missed = [], [], 0, 0, 0
    for number in range(asked.changes):
        cards, place = _changed(cards, spare, number, random)
        hand = HandOverTable(*place, 180.0 if place[1] > TABLE_MM[1] / 2 else 0.0)
        for _ in film.show(replace(scene, cards=cards, hands=(hand,)), 6):
            pass
        scene = Scene(TABLE_MM, cards)
        looks, last, told = film.until_told(scene)
        if told is None:
            missed += 1
            continue
        changes.append(looks)
        confirmed.append(last)
        good, bad = _right(told, cards)
        right, wrong, shown = right + good, wrong + bad, shown + len(cards)
    line = {
        "table": asked.table,
        "cards": len(cards),
        "first_ms": round(first, 1),
        "first_right": first_right,
        "settled": _spread(settled),
        "change": _spread(changes),
        "settle_to_told": _spread(confirmed),
        "right_after_changes": f"{right} of {shown}",
        "wrong": wrong,
        "not_told": missed,
    }
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
