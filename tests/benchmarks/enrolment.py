"""How long a large deck takes to enrol: the real command over scans of 63 x 88 mm at 10 px/mm, drawn in many styles.

Run: python tests/benchmarks/enrolment.py [CARDS]; prints one JSON line. A third of the cards are near copies of another, so that
there are confusable pairs to be found.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

import cv2
import numpy as np

from companion.virtual.styles import STYLES
from vision.frame import Image

SCAN_PX = (630, 880)
PROGRAM = Path(sys.executable).with_name("hoshiban")


def faces() -> list[Image]:
    """Every face of every style of poker size, at the scans' own size."""
    drawn = [kind.draw() for kind in STYLES.values() if kind.card_mm == (63.0, 88.0)]
    upright = [picture for deck in drawn for name, picture in deck.items() if picture.shape[0] > picture.shape[1]]
    return [cv2.resize(picture, SCAN_PX, interpolation=cv2.INTER_CUBIC).astype(np.uint8) for picture in upright]


def write_scans(folder: Path, cards: int) -> None:
    """So many scans with the grain of a scanner, and a back; once all faces are used, with a small mark that tells them apart."""
    random = np.random.default_rng(7)
    known = faces()
    for n, face in enumerate(islice(cycle(known), cards)):
        marked = face.copy()
        if n >= len(known) or n % 3 == 0:
            place = (int(random.integers(80, 550)), int(random.integers(80, 800)))
            cv2.circle(marked, place, 30, tuple(int(v) for v in random.integers(0, 255, 3)), -1)
        grain = random.normal(0, 2.0, marked.shape)
        cv2.imwrite(str(folder / f"card-{n:03d}.png"), np.clip(marked + grain, 0, 255).astype(np.uint8))
    cv2.imwrite(str(folder / "back.png"), known[-1][::-1])


def main() -> None:
    cards = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as home:
        scans = Path(home) / "scans"
        scans.mkdir()
        write_scans(scans, cards)
        own = {f"HOSHIBAN_{name}": str(Path(home) / name) for name in ("DATA", "CACHE", "CONFIG")}
        taken = []
        for _ in range(2):  # the second time from the cache
            begun = time.perf_counter()
            words = [PROGRAM, "enrol", scans, "--deck", "large"]
            done = subprocess.run(words, env={**os.environ, **own}, check=True, capture_output=True, text=True)
            taken.append(round(time.perf_counter() - begun, 2))
    line = {
        "cards": cards,
        "enrol_s": taken[0],
        "again_s": taken[1],
        "confusable": len(json.loads(done.stdout)["confusable"]),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
