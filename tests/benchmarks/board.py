"""Reads random drawn boards, and the shared footage where it is given, and says in JSON lines how much was right.

    .venv/bin/python tests/benchmarks/board.py [--boards 200] [--first SEED] [--shared DIR] [--verbose]

A board is right when every star is found with its number and square, every line with its colour, no line or star is invented and
no pair is in doubt. The last lines give the shares and the time a picture, on one thread.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vision" / "board"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import chance_boards
import drawn_boards

from vision.board.reader import BoardReader
from vision.errors import PoseLostError
from vision.observation import BoardReading
from vision.table import locate_table


@dataclass(frozen=True)
class Truth:
    """What a picture shows."""

    name: str
    image: np.ndarray
    table_mm: tuple[float, float]
    stars: dict[int, tuple[float, float, int]]
    lines: set[tuple[int, int, str]]
    points: int
    board: bool = True


def drawn(first: int, count: int) -> Iterator[Truth]:
    """Boards from the renderer; every tenth is followed by a table of cards and no board."""
    for seed in range(first, first + count):
        scene = chance_boards.random_scene(seed)
        if seed % 3 == 0:
            scene.cards = [(90.0, 120.0, 5.0), (90.0, 300.0, -8.0), (620.0, 130.0, 88.0), (615.0, 290.0, 3.0)]
        stars = {n: (x, y, drawn_boards.square_of(scene, (x, y))) for n, (x, y) in scene.stars.items()}
        lines = {(min(s.a, s.b), max(s.a, s.b), s.colour) for s in scene.strokes}
        image = drawn_boards.draw(scene)
        yield Truth(f"drawn-{seed}", image, scene.table_mm, stars, lines, len(lines) + drawn_boards.crossings(scene))
        if seed % 10 == 0:
            scene.with_board = False
            random = np.random.default_rng(seed)
            spots = [(x, y) for x in (120, 220, 320, 430, 540) for y in (90, 210, 330)]
            scene.cards = [
                (x + random.uniform(-8, 8), y + random.uniform(-8, 8), random.normal(0, 20)) for x, y in spots
            ]
            yield Truth(f"bare-{seed}", drawn_boards.draw(scene), scene.table_mm, {}, set(), 0, False)


def footage(shared: Path) -> Iterator[Truth]:
    """The pictures of `shared`/footage with their truth; those without a board must give none."""
    for path in sorted((shared / "footage").rglob("*.jpg")):
        facts = json.loads(path.with_suffix(".json").read_text())
        board = facts.get("board")
        stars = {s["n"]: (s["x"], s["y"], s["square"]) for s in board["stars"]} if board else {}
        lines = {(x["a"], x["b"], x["colour"]) for x in board["lines"]} if board else set()
        name = f"{path.parent.name}/{path.stem}"
        table = (float(facts["table_mm"][0]), float(facts["table_mm"][1]))
        yield Truth(name, cv2.imread(str(path)), table, stars, lines, board["points"] if board else 0, bool(board))


def judge(truth: Truth, reading: BoardReading | None) -> dict[str, object]:
    """What is wrong with a reading, by kind; empty where nothing is."""
    if reading is None or not truth.board:
        return {} if (reading is None) != truth.board else {"board": "missed" if truth.board else "invented"}
    faults: dict[str, object] = {}
    wrong, unread, off, squares = [], [], [], []
    for star in reading.stars:
        near = min(truth.stars, key=lambda n: np.hypot(truth.stars[n][0] - star.x_mm, truth.stars[n][1] - star.y_mm))
        x, y, square = truth.stars[near]
        distance = float(np.hypot(x - star.x_mm, y - star.y_mm))
        if distance > 4:
            faults.setdefault("phantom_star", (round(star.x_mm), round(star.y_mm)))
        elif star.n is None:
            unread.append((near, round(star.confidence, 2)))
        elif star.n != near:
            wrong.append((near, star.n, round(star.confidence, 2)))
        if 0.7 < distance <= 4:
            off.append((near, round(distance, 2)))
        if distance <= 4 and square != star.square:
            squares.append((near, square, star.square))
    lines = {(line.a, line.b, str(line.colour)) for line in reading.lines}
    missing, phantom = truth.lines - lines, lines - truth.lines
    found = {
        "wrong_number": wrong, "unread": unread, "off": off, "square": squares, "missing_line": sorted(missing),
        "phantom_line": sorted(phantom), "doubt": [(d.a, d.b, str(d.reason)) for d in reading.doubts],
    }  # fmt: skip
    faults.update({key: value for key, value in found.items() if value})
    if len(reading.stars) < len(truth.stars):
        faults["stars"] = len(reading.stars)
    if reading.points != truth.points:
        faults["points"] = (truth.points, reading.points)
    return faults


def say(**facts: object) -> None:
    """One JSON line on standard output."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Runs the boards and prints one JSON line a fault (or a picture, with --verbose) and the shares."""
    parser = argparse.ArgumentParser(description="measure the board reader")
    parser.add_argument("--boards", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    reader = BoardReader()
    for kind, source in (
        ("drawn", drawn(options.first, options.boards)), ("footage", footage(options.shared) if options.shared else ()),
    ):  # fmt: skip
        kinds: dict[str, int] = {}
        times, right, boards = [], 0, 0
        for truth in source:
            try:
                pose = locate_table(truth.image, truth.table_mm)
            except PoseLostError:
                continue
            began = time.process_time()
            reading = reader.read(truth.image, pose)
            times.append(time.process_time() - began)
            faults = judge(truth, reading)
            boards += 1
            right += set(faults) <= {"off"}
            for key in faults:
                kinds[key] = kinds.get(key, 0) + 1
            if faults or options.verbose:
                say(picture=truth.name, **faults)
        if boards:
            spread = np.percentile(np.array(times) * 1000, [50, 95])
            say(set=kind, pictures=boards, right=right, share=round(right / boards, 4), faults=kinds,
                ms_median=round(float(spread[0]), 1), ms_95=round(float(spread[1]), 1))  # fmt: skip


if __name__ == "__main__":
    main()
