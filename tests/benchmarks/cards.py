"""Card figures on the shared pictures and on drawn ones, as JSON lines: `python -m tests.benchmarks.cards [SHARED]`.

A set's line: cards at least half visible, how many were right (identity and face), wrong ones above the acting threshold,
cards invented, tops told the wrong way, median and worst place (mm) and angle (degrees) errors, milliseconds a picture.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.cards import CardReader, enrol_deck
from vision.observation import CardReading, Polygon
from vision.table import locate_table

_REACH_MM = 8.0


@dataclass
class Tally:
    """What a set of pictures came to."""

    cards: int = 0
    right: int = 0
    wrong: int = 0
    invented: int = 0
    wrong_top: int = 0
    place_mm: list[float] = field(default_factory=list)
    angle_deg: list[float] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)

    def add(self, readings: Sequence[CardReading], truth: Sequence[dict[str, Any]]) -> None:
        left = list(readings)
        for card in truth:
            counts = card["visible"] >= 0.5
            self.cards += counts
            found = min(left, key=lambda r: np.hypot(r.x_mm - card["x"], r.y_mm - card["y"]), default=None)
            if found is None or np.hypot(found.x_mm - card["x"], found.y_mm - card["y"]) > _REACH_MM:
                continue
            left.remove(found)
            if found.face is None:
                continue
            if found.card != card["card"] or (found.face == "up") != card["face_up"]:
                self.wrong += 1
                continue
            self.right += counts
            self.place_mm.append(float(np.hypot(found.x_mm - card["x"], found.y_mm - card["y"])))
            if found.angle_deg is not None:
                off = abs((found.angle_deg - card["angle"] + 180) % 360 - 180)
                self.angle_deg.append(float(min(off, 180 - off)))
                self.wrong_top += off > 90
        self.invented += sum(reading.face is not None for reading in left)

    def line(self, name: str) -> str:
        return json.dumps(
            {
                "set": name,
                "cards": self.cards,
                "right": self.right,
                "recall": round(self.right / max(self.cards, 1), 4),
                "wrong": self.wrong,
                "invented": self.invented,
                "wrong_top": self.wrong_top,
                "place_mm": [round(float(np.median(self.place_mm)), 3), round(max(self.place_mm), 3)],
                "angle_deg": [round(float(np.median(self.angle_deg)), 3), round(max(self.angle_deg), 3)],
                "ms": [round(float(np.median(self.ms)), 1), round(max(self.ms), 1)],
            }
        )


def shared_sets(shared: Path) -> Iterator[tuple[str, Path, list[Path]]]:
    """Name, deck directory and pictures of each set."""
    yield "game", shared / "decks" / "hoshizora", sorted((shared / "footage" / "hoshizora-game-2").glob("*.jpg"))
    for deck in ("ahuha", "hoshizora", "shuhari", "hoshi-heroes"):
        yield deck, shared / "decks" / deck, sorted((shared / "footage" / "cards").glob(f"{deck}-*.jpg"))


def board_of(truth: dict[str, Any]) -> list[Polygon]:
    board = truth.get("board")
    if not board:
        return []
    (x, y), side = board["origin_mm"], board["side_mm"]
    return [((x, y), (x + side, y), (x + side, y + side), (x, y + side))]


def measure(deck: Path, pictures: Sequence[Path]) -> Tally:
    reader, tally = CardReader([enrol_deck(deck)]), Tally()
    for picture in pictures:
        truth = json.loads(picture.with_suffix(".json").read_text())
        image = cv2.imread(str(picture))
        pose = locate_table(image, tuple(truth["table_mm"]))
        start = time.perf_counter()
        readings = reader.read(image, pose, ignore_mm=board_of(truth))
        tally.ms.append(1000 * (time.perf_counter() - start))
        tally.add(readings, truth.get("cards", []))
    return tally


def measure_drawn(pictures: int = 40) -> Tally:
    """Cards that no one tuned on: numbers and blobs drawn here, on grounds, light, noise and tilt by chance."""
    import tempfile

    sys.path.insert(0, str(Path(__file__).parents[1] / "vision" / "cards"))
    from drawn_cards import TABLE_MM, Laid, deck_scans, draw_table, plain, wood

    scans, random, tally = deck_scans(), np.random.default_rng(7), Tally()
    with tempfile.TemporaryDirectory() as folder:
        for name, scan in scans.items():
            cv2.imwrite(str(Path(folder) / f"{name}.png"), scan)
        reader = CardReader([enrol_deck(Path(folder))])
    grounds = [wood, plain(35), plain(120), plain(230)]
    for number in range(pictures):
        names = random.choice(sorted(scans), 4, replace=False)
        step = random.uniform(48, 85)
        laid = [
            Laid(scans[n], 105 + step * i, random.uniform(130, 180), random.uniform(0, 360))
            for i, n in enumerate(names)
        ]
        drawn = draw_table(
            laid,
            ground=grounds[number % 4],
            tilt=random.uniform(-0.5, 1),
            light=random.uniform(0.35, 1.1),
            noise=random.uniform(1, 6),
        )
        pose = locate_table(drawn.image, TABLE_MM)
        start = time.perf_counter()
        readings = reader.read(drawn.image, pose)
        tally.ms.append(1000 * (time.perf_counter() - start))
        tally.add(
            readings, [_truth(n, card, laid[i + 1 :]) for i, (n, card) in enumerate(zip(names, laid, strict=True))]
        )
    return tally


def _truth(name: str, card: Any, above: Sequence[Any]) -> dict[str, Any]:
    def outline(laid: Any, grow: float = 1.0) -> np.ndarray:
        box = cv2.boxPoints(((laid.x, laid.y), (63 * grow, 88 * grow), laid.angle))
        return (box * 4).round().astype(np.int32)

    mask = np.zeros((1600, 2400), np.uint8)
    cv2.fillConvexPoly(mask, outline(card), 1)
    whole = mask.sum()
    for other in above:
        cv2.fillConvexPoly(mask, outline(other), 0)
    face = name != "back"
    return {
        "card": str(name) if face else None,
        "face_up": face,
        "x": card.x,
        "y": card.y,
        "angle": card.angle,
        "visible": float(mask.sum()) / float(whole),
    }


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    cv2.setNumThreads(1)
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[3] / "shared"
    if shared.is_dir():
        for name, deck, pictures in shared_sets(shared):
            _say(measure(deck, pictures).line(name))
    _say(measure_drawn().line("drawn"))


if __name__ == "__main__":
    main()
