"""A small table drawn with plain shapes, films of it, and a plain reader that knows where to look.

The reader's readings are apart from the code under test; only what hides the table is asked of vision.hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.frame import Frame, Image
from vision.hands import find_reach, hidden_areas
from vision.observation import (
    BoardReading,
    CardReading,
    Colour,
    DoubtReason,
    Face,
    LineReading,
    Observation,
    PairDoubt,
    Point,
    Polygon,
    PoseState,
    Quad,
    SceneReading,
    StarReading,
)
from vision.table import TablePose, pose_of_corners
from vision.watcher import Watcher

TABLE_MM = (700.0, 420.0)
SIZE = (640, 360)
PX_PER_MM = 0.8
ORIGIN_PX = (40.0, 12.0)
BOARD_MM = (200.0, 60.0, 300.0)
STARS: dict[int, Point] = {
    1: (230.0, 90.0),
    2: (340.0, 100.0),
    3: (460.0, 95.0),
    4: (240.0, 210.0),
    5: (350.0, 220.0),
    6: (470.0, 200.0),
    7: (250.0, 330.0),
    8: (360.0, 320.0),
    9: (460.0, 335.0),
}
CARD_BGR = (40, 200, 230)
RED_BGR = (50, 45, 205)


@dataclass(frozen=True)
class Table:
    """What lies on the drawn table; mm. The hand reaches in from the bottom of the picture to its tip."""

    cards: tuple[Point, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    scratch: tuple[Point, Point] | None = None
    """A single thin stroke anywhere."""
    hand: Point | None = None
    skin: tuple[int, int, int] = (120, 150, 195)
    shift_px: Point = (0.0, 0.0)
    light: float = 1.0
    light_slope: float = 0.0
    """Change of light from left to right, as a share."""

    def with_(self, **changes: object) -> Table:
        return replace(self, **changes)  # type: ignore[arg-type]


def px(point: Point, shift: Point = (0.0, 0.0)) -> tuple[int, int]:
    return (
        round(ORIGIN_PX[0] + point[0] * PX_PER_MM + shift[0]),
        round(ORIGIN_PX[1] + point[1] * PX_PER_MM + shift[1]),
    )


@lru_cache(maxsize=8)
def draw(table: Table) -> NDArray[np.float32]:
    """The picture without noise, grey levels."""
    rng = np.random.default_rng(5)
    grain = cv2.GaussianBlur(rng.normal(0, 40, (SIZE[1], SIZE[0], 1)).astype(np.float32), (0, 0), 2.0)
    picture = np.float32((96, 110, 84)) + grain[..., None]
    if any(table.shift_px):
        picture = np.roll(picture, (round(table.shift_px[1]), round(table.shift_px[0])), (0, 1))
    picture = np.ascontiguousarray(picture, np.float32)
    x, y, side = BOARD_MM
    s = table.shift_px
    cv2.rectangle(picture, px((x, y), s), px((x + side, y + side), s), (228, 232, 230), -1)
    for a, b in table.lines:
        cv2.line(picture, px(STARS[a], s), px(STARS[b], s), RED_BGR, 2, cv2.LINE_AA)
    if table.scratch is not None:
        cv2.line(picture, px(table.scratch[0], s), px(table.scratch[1], s), RED_BGR, 2, cv2.LINE_AA)
    for star in STARS.values():
        cv2.circle(picture, px(star, s), 7, (60, 180, 225), -1, cv2.LINE_AA)
    for card in table.cards:
        cv2.rectangle(
            picture, px((card[0] - 31.5, card[1] - 44), s), px((card[0] + 31.5, card[1] + 44), s), CARD_BGR, -1
        )
    if table.hand is not None:
        tip, down = px(table.hand, s), (px(table.hand, s)[0] + 25, SIZE[1] + 40)
        cv2.line(picture, tip, down, table.skin, 44, cv2.LINE_AA)
    ramp = 1.0 + table.light_slope * np.linspace(-1, 1, SIZE[0], dtype=np.float32)[None, :, None]
    return cv2.GaussianBlur(picture, (0, 0), 0.6) * table.light * ramp


_NOISE = [np.random.default_rng(n).normal(0, 1, (SIZE[1], SIZE[0], 3)).astype(np.float32) for n in range(5)]


def shot(table: Table, seed: int, noise: float = 4.0) -> Image:
    """The picture with noise."""
    noisy = draw(table) if noise <= 0 else draw(table) + noise * np.roll(_NOISE[seed % 5], 7 * (seed // 5), axis=0)
    return np.clip(noisy, 0, 255).astype(np.uint8)


class PlainReader:
    """Reads the drawn table by asking the few places where something may lie."""

    def __init__(self) -> None:
        self.looks = 0
        self.shift: Point = (0.0, 0.0)

    def locate(self, _frame: Frame) -> TablePose:
        width, height = TABLE_MM
        a, b, c, d = (px(p, self.shift) for p in ((0, 0), (width, 0), (width, height), (0, height)))
        quad: Quad = (a, b, c, d)
        return pose_of_corners(quad, TABLE_MM)

    def read(
        self,
        frame: Frame,
        hidden_mm: Sequence[Polygon] = (),
        pose: TablePose | None = None,
        before: object = None,
    ) -> SceneReading:
        self.looks += 1
        pose = pose or self.locate(frame)
        board = self._board(frame.image, pose, hidden_mm)
        reach = find_reach(frame.image, pose)
        hidden = tuple(hidden_mm)
        if reach is not None:
            hidden += hidden_areas(reach, pose, board)
            board = self._board(frame.image, pose, hidden)
        return SceneReading(PoseState.LIVE, TABLE_MM, self._cards(frame.image, pose), board, hidden)

    def _board(self, image: Image, pose: TablePose, hidden_mm: Sequence[Polygon]) -> BoardReading:
        covered = np.zeros(image.shape[:2], np.uint8)
        for area in hidden_mm:
            cv2.fillPoly(covered, [np.round(pose.to_px(list(area))).astype(np.int32)], 255)
        lines, doubts = [], []
        for a in STARS:
            for b in STARS:
                if a < b:
                    points = np.linspace(STARS[a], STARS[b], 80)[12:-12]
                    u, v = np.round(pose.to_px(points)).astype(int).T
                    if covered[v, u].any():
                        doubts.append(PairDoubt(a, b, DoubtReason.HIDDEN))
                        continue
                    blue, _, red = image[v, u].astype(int).T
                    if (red - blue > 60).mean() > 0.85:
                        lines.append(LineReading(a, b, Colour.RED, 1.0))
        x, y, side = BOARD_MM
        outline: Quad = ((x, y), (x + side, y), (x + side, y + side), (x, y + side))
        stars = tuple(StarReading(n, *place, 0, 1.0) for n, place in STARS.items())
        return BoardReading(outline, False, stars, tuple(lines), tuple(doubts), 0, len(lines))

    def _cards(self, image: Image, pose: TablePose) -> tuple[CardReading, ...]:
        mask = cv2.inRange(image, np.array((0, 160, 180)), np.array((90, 240, 255)))
        mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((25, 25), np.uint8))
        _, _, stats, middles = cv2.connectedComponentsWithStats(mask)
        nowhere: Quad = ((0, 0), (0, 0), (0, 0), (0, 0))
        return tuple(
            CardReading("yellow", Face.UP, *(float(v) for v in pose.to_mm(middle[None])[0]), 0.0, nowhere, 1.0)
            for stat, middle in zip(stats[1:], middles[1:], strict=True)
            if stat[cv2.CC_STAT_AREA] > 1500
        )


@dataclass
class Film:
    """Feeds pictures to a watcher at a steady rate and keeps what it tells."""

    watcher: Watcher
    reader: PlainReader
    fps: float = 25.0
    t_ns: int = 1_000_000_000
    count: int = 0
    told: list[object] = field(default_factory=list)
    spoil: Callable[[Image, int], Image] | None = None
    """What else happens to each picture, given its number."""

    def play(self, tables: Iterable[Table], noise: float = 4.0) -> list[object]:
        """What is told while these are shown, a picture each."""
        told: list[object] = []
        for table in tables:
            told += self.show(shot(table, self.count, noise))
        return told

    def hold(self, table: Table, seconds: float, noise: float = 4.0) -> list[object]:
        """What is told while this stands still."""
        return self.play([table] * round(seconds * self.fps), noise)

    def show(self, image: Image) -> list[object]:
        spoiled = image if self.spoil is None else self.spoil(image, self.count)
        told = list(self.watcher.feed(Frame(spoiled, self.count, self.t_ns)))
        self.count += 1
        self.t_ns += round(1e9 / self.fps)
        self.told += told
        return told

    def observations(self) -> list[Observation]:
        return [event for event in self.told if isinstance(event, Observation)]


def hand_path(*stops: Point, step_mm: float = 25.0) -> list[Point]:
    """Places of a hand that goes from stop to stop."""
    path: list[Point] = []
    for (x0, y0), (x1, y1) in pairwise(stops):
        steps = max(1, round(float(np.hypot(x1 - x0, y1 - y0)) / step_mm))
        path += [(x0 + (x1 - x0) * n / steps, y0 + (y1 - y0) * n / steps) for n in range(steps)]
    return [*path, stops[-1]]


@pytest.fixture
def film() -> Film:
    """A film of the drawn table, with a watcher that looks with the plain reader."""
    reader = PlainReader()
    return Film(Watcher(reader), reader)


@pytest.fixture
def stage() -> SimpleNamespace:
    """The drawn table's tools, for tests that make their own film or reader."""
    return SimpleNamespace(Table=Table, Film=Film, PlainReader=PlainReader, shot=shot, hand_path=hand_path, px=px)
