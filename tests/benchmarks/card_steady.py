"""What a settled table costs a frame, and a changed card from settle to observation.

`python -m tests.benchmarks.card_steady [--table spread|rows] [--changes N] [--frames N]` prints one JSON line: 21 proxy cards,
drawn by the project's own renderer with noise at 1280x720, seen by the watcher for some settled frames; then a hand exchanges
one card after the other. Milliseconds of one thread's own time: `settled` a frame once the table is told (markers, motion,
cards), `change` all looks from the first that finds the table still to the observation, `look` the dearest one frame of
these, `first` the same as `change` for the table that nothing is known of.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

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
from vision.observation import Observation
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


class Film:
    """Frames at 30 a second, and what the watcher's work on each one cost."""

    def __init__(self, watcher: Watcher, renderer: Renderer) -> None:
        self._watcher = watcher
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
        """All the milliseconds from the first look to the observation, those of the dearest frame, the observation."""
        spent: list[float] = []
        for ms, told in self.show(scene, most):
            spent.append(ms)
            for one in told:
                if isinstance(one, Observation):
                    usual = float(np.median(spent))
                    looks = [cost for cost in spent if cost > 1.5 * usual + 1.0] or [ms]
                    return sum(looks), max(looks), one
        return sum(spent), max(spent), None


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
    parser.add_argument("--changes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=3)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    random = np.random.default_rng(asked.seed)
    deck, art = proxies()
    names = [str(name) for name in random.permutation([name for name in art if name != BACK])]
    cards = laid_out([*names[:18], BACK, BACK, BACK], _STEP_MM[asked.table], random)
    spare = names[18:]
    renderer = Renderer(art, TableLook(ground=Ground.FELT, noise=2.0), VirtualCameraModel(table_mm=TABLE_MM))
    film = Film(Watcher(Look(TABLE_MM, [deck], want_board=False)), renderer)

    scene = Scene(TABLE_MM, cards)
    first, _, told = film.until_told(scene)
    first_right, wrong = _right(told, cards)
    settled = [ms for ms, _ in film.show(scene, asked.frames)]
    changes, looks, right, missed = [], [], 0, 0
    for number in range(asked.changes):
        place = int(random.integers(0, 7) * 3 % 7 + 7 * (number % 3))
        spare.append(cards[place].art)
        new = replace(cards[place], art=spare.pop(0), angle_deg=float(random.uniform(-4, 4)))
        cards = (*cards[:place], new, *cards[place + 1 :])
        hand = HandOverTable(new.x_mm, new.y_mm, 180.0 if new.y_mm > 200 else 0.0)
        for _ in film.show(replace(scene, hands=(hand,)), 6):
            pass
        scene = Scene(TABLE_MM, cards)
        all_looks, one_look, told = film.until_told(scene)
        if told is None:
            missed += 1
            continue
        changes.append(all_looks)
        looks.append(one_look)
        good, bad = _right(told, cards)
        right, wrong = right + good, wrong + bad
    line = {
        "table": asked.table,
        "cards": len(cards),
        "first_ms": round(first, 1),
        "first_right": first_right,
        "settled": _spread(settled),
        "change": _spread(changes),
        "look": _spread(looks),
        "right_after_changes": f"{right} of {len(changes) * len(cards)}",
        "wrong": wrong,
        "not_told": missed,
    }
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
