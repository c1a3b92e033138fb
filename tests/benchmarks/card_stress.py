"""Cards that can hardly be read: a wrong id above the acting threshold is the fault counted here, recall comes second.

`python -m tests.benchmarks.card_stress [SHARED] [--pictures N]` prints a JSON line for each kind of harm: cards shown, right
ones, wrong ones; `stranger` lines show cards that are not enrolled (one of the same deck, and one of another deck), of which
every name stated is wrong. Decks are drawn here, and those of SHARED where it is there; grounds and harm are drawn.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "vision" / "cards"))
from card_styles import STYLES
from drawn_cards import TABLE_MM, Drawn, Image, Laid, deck_scans, draw_table, plain, wood

from companion.decks.proxies import draw_deck
from vision.cards import CardReader
from vision.cards.deck import CARD_MM, EnrolledDeck, make_reference, read_scan
from vision.observation import CardReading, PoseState
from vision.table import TablePose

Random = np.random.Generator
Quad = NDArray[np.float64]
Harm = Callable[[Image, Quad, Random], Image]
"""Harms a picture; the quad is the outline of one of its cards, px."""
_REACH_MM = 10.0
_GROUNDS = (wood, plain(35), plain(120), plain(215))
_STEP_MM = 77.0


def inside(quad: Quad, at: tuple[float, float]) -> tuple[int, int]:
    """The pixel at a place of a card, 0 to 1 across and down."""
    (x, y) = at
    top, bottom = quad[0] + (quad[1] - quad[0]) * x, quad[3] + (quad[2] - quad[3]) * x
    place = top + (bottom - top) * y
    return round(float(place[0])), round(float(place[1]))


def _cut(image: Image, quad: Quad, harmed: Image) -> Image:
    """The harmed picture inside one card, the clear one elsewhere."""
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, quad.round().astype(np.int32), 1)
    mask = cv2.erode(mask, np.ones((9, 9), np.uint8))
    return np.where(mask[..., None] > 0, harmed, image).astype(np.uint8)


def _defocus(image: Image, _quad: Quad, random: Random) -> Image:
    return _as_image(cv2.GaussianBlur(image, (0, 0), float(random.uniform(1.0, 6.0))))


def _smeared(image: Image, quad: Quad, random: Random) -> Image:
    scale = float(np.linalg.norm(quad[3] - quad[0])) / 150
    return _cut(image, quad, _as_image(cv2.GaussianBlur(image, (0, 0), scale * float(random.uniform(2.0, 9.0)))))


def _motion(image: Image, _quad: Quad, random: Random) -> Image:
    length = int(random.integers(5, 30))
    kernel = np.zeros((length, length), np.float32)
    turn = float(random.uniform(0, np.pi))
    middle, reach = (length - 1) / 2, (length - 1) / 2
    ends = [
        (round(middle + s * reach * float(np.cos(turn))), round(middle + s * reach * float(np.sin(turn))))
        for s in (-1, 1)
    ]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1)
    return _as_image(cv2.filter2D(image, -1, kernel / kernel.sum()))


def _noise(image: Image, _quad: Quad, random: Random) -> Image:
    return _as_image(image + random.normal(0, float(random.uniform(15, 60)), image.shape))


def _dim(image: Image, _quad: Quad, random: Random) -> Image:
    return _as_image(image * float(random.uniform(0.06, 0.25)) + random.normal(0, 5, image.shape))


def _jpeg(image: Image, _quad: Quad, random: Random) -> Image:
    coded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(6, 22))])[1]
    return _as_image(cv2.imdecode(coded, cv2.IMREAD_COLOR))


def _glare(image: Image, quad: Quad, random: Random) -> Image:
    spot = np.zeros(image.shape[:2], np.float32)
    size = float(np.linalg.norm(quad[3] - quad[0]))
    axes = (round(size * float(random.uniform(0.15, 0.5))), round(size * float(random.uniform(0.1, 0.3))))
    cv2.ellipse(spot, inside(quad, _some_place(random)), axes, float(random.uniform(0, 180)), 0, 360, 1.0, -1)
    spot = np.asarray(cv2.GaussianBlur(spot, (0, 0), size / 14), np.float32)
    return _as_image(image + 330 * spot[..., None])


def _finger(image: Image, quad: Quad, random: Random) -> Image:
    harmed = image.copy()
    size = float(np.linalg.norm(quad[3] - quad[0]))
    place = inside(quad, _some_place(random))
    turn = float(random.uniform(0, 2 * np.pi))
    far = (round(place[0] + 2 * size * float(np.cos(turn))), round(place[1] + 2 * size * float(np.sin(turn))))
    thick = max(4, round(size * float(random.uniform(0.2, 0.45))))
    cv2.line(harmed, place, far, (120, 160, 215), thick, cv2.LINE_AA)
    return harmed


def _overexposed(image: Image, _quad: Quad, random: Random) -> Image:
    return _as_image(image.astype(np.float32) * float(random.uniform(1.2, 2.6)))


def _some_place(random: Random) -> tuple[float, float]:
    """A card's middle, or the corner where its figure stands."""
    return ((0.5, 0.45), (0.15, 0.12), (0.5, 0.7))[int(random.integers(0, 3))]


def _clear(image: Image, _quad: Quad, _random: Random) -> Image:
    return image


def _as_image(values: NDArray[np.generic]) -> Image:
    return np.clip(np.asarray(values, np.float32), 0, 255).astype(np.uint8)


HARMS: dict[str, Harm] = {
    "clear": _clear,
    "defocus": _defocus,
    "smeared": _smeared,
    "motion": _motion,
    "small": _clear,
    "noise": _noise,
    "dim": _dim,
    "jpeg": _jpeg,
    "glare": _glare,
    "finger": _finger,
    "overexposed": _overexposed,
}


def is_back(name: str) -> bool:
    """Whether a scan of this name shows a back."""
    return name.partition("-")[0] == "back"


def enrolled(name: str, scans: dict[str, Image]) -> EnrolledDeck:
    """A deck of scans in memory; "back" is its back."""
    references = [
        make_reference(scan, None if is_back(card) else card, CARD_MM, card)
        for card, scan in sorted(scans.items(), key=lambda item: (is_back(item[0]), item[0]))
    ]
    return EnrolledDeck(name, CARD_MM, tuple(references), name)


def decks(shared: Path | None) -> dict[str, dict[str, Image]]:
    found = {"plain": deck_scans(), "proxies": draw_deck("hoshizora")} | {n: draw() for n, draw in STYLES.items()}
    for folder in sorted((shared / "decks").iterdir()) if shared is not None else ():
        found[folder.name] = {path.stem: read_scan(path) for path in sorted(folder.glob("*.png"))}
    return found


def scene(scans: dict[str, Image], names: Sequence[str], kind: str, random: Random) -> tuple[Drawn, list[Laid]]:
    """A table with these cards in a row, apart or just overlapping."""
    step = _STEP_MM if random.random() < 0.8 else 50.0
    laid = [
        Laid(
            scans[n],
            110 + step * i,
            float(random.uniform(140, 175)),
            float(random.uniform(0, 360)) if step > 60 else 3.0 * i,
        )
        for i, n in enumerate(names)
    ]
    card_px = random.uniform(60, 82) if kind == "small" else random.uniform(130, 215)
    scale = card_px / 88
    size = (round(TABLE_MM[0] * scale + 110), round(TABLE_MM[1] * scale + 90))
    drawn = draw_table(
        laid,
        ground=_GROUNDS[int(random.integers(0, 4))],
        tilt=float(random.uniform(-0.4, 0.8)),
        noise=float(random.uniform(1, 3)),
        size_px=size,
    )
    return drawn, laid


def harmed_scene(
    scans: dict[str, Image], names: Sequence[str], kind: str, random: Random
) -> tuple[Image, TablePose, list[Laid]]:
    """The picture, its true pose, and where the cards lie."""
    drawn, laid = scene(scans, names, kind, random)
    image = drawn.image
    everywhere = kind in ("defocus", "motion", "noise", "dim", "jpeg", "overexposed")
    for card in laid[:1] if everywhere else laid[:2] if kind == "finger" else laid:
        turn = np.radians(card.angle)
        own = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
        corners = own @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + (card.x, card.y)
        image = HARMS[kind](image, drawn.px([(float(x), float(y)) for x, y in corners]), random)
    return image, TablePose(np.linalg.inv(drawn.to_px), TABLE_MM, PoseState.LIVE), laid


def count(
    readings: Sequence[CardReading], names: Sequence[str], laid: Sequence[Laid], known: bool
) -> tuple[int, list[tuple[str, str, float]]]:
    """How many were right, and the wrong ones with their confidence; every stated name of an unknown card is wrong."""
    right, wrong = 0, []
    for reading in readings:
        if reading.face is None:
            continue
        gap = [float(np.hypot(reading.x_mm - c.x, reading.y_mm - c.y)) for c in laid]
        nearest = int(np.argmin(gap))
        shown = names[nearest] if gap[nearest] <= _REACH_MM else "nothing"
        stated = reading.card or "back"
        if known and stated == ("back" if is_back(shown) else shown):
            right += 1
        else:
            wrong.append((shown, stated, reading.confidence))
    return right, wrong


def trials(
    all_decks: dict[str, dict[str, Image]], pictures: int, seed: int
) -> Iterator[tuple[str, str, CardReader, tuple[Image, TablePose, list[Laid]], list[str], bool]]:
    """Kind of harm, deck, reader, scene, names, and whether the cards are enrolled."""
    random = np.random.default_rng(seed)
    names_of = list(all_decks)
    ready = {name: enrolled(name, scans) for name, scans in all_decks.items()}
    for name, scans in all_decks.items():
        reader = CardReader([ready[name]])
        for kind in HARMS:
            for _ in range(pictures):
                names = [str(n) for n in random.choice(sorted(scans), 4, replace=False)]
                yield kind, name, reader, harmed_scene(scans, names, kind, random), names, True
        for kind in ("clear", "jpeg", "defocus", "clear"):
            for _ in range(pictures):
                names = [str(n) for n in random.choice(sorted(scans), 4, replace=False)]
                rest = tuple(r for r in ready[name].references if (r.card or "back") not in names)
                poorer = CardReader([replace(ready[name], references=rest)])
                yield "stranger of the deck", name, poorer, harmed_scene(scans, names, kind, random), names, False
        others = [other for other in names_of if other != name]
        for _ in range(2 * pictures):
            other = all_decks[str(random.choice(others))]
            names = ["back", *(str(n) for n in random.choice(sorted(other), 3, replace=False))]
            yield "stranger", name, reader, harmed_scene(other, names, "clear", random), names, False


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("shared", nargs="?", type=Path, default=Path(__file__).resolve().parents[3] / "shared")
    parser.add_argument("--pictures", type=int, default=1, help="of each kind of harm for each deck")
    parser.add_argument("--seed", type=int, default=3)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    shown: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    shared = asked.shared if asked.shared.is_dir() else None
    for kind, deck, reader, (image, pose, laid), names, known in trials(decks(shared), asked.pictures, asked.seed):
        right, wrong = count(reader.read(image, pose), names, laid, known)
        total = shown[kind]
        total[0], total[1], total[2] = total[0] + len(names), total[1] + right, total[2] + len(wrong)
        for card, stated, confidence in wrong:
            sys.stderr.write(f"{kind}: {deck}: {card} read as {stated} with {confidence:.3f}\n")
    shown["all"] = [sum(column) for column in zip(*shown.values(), strict=True)]
    for kind, (cards, right, wrong_ones) in shown.items():
        sys.stdout.write(json.dumps({"harm": kind, "cards": cards, "right": right, "wrong": wrong_ones}) + "\n")


if __name__ == "__main__":
    main()
