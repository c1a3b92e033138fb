"""Draws decks and tables with known truth: the picture is composed with a known homography, markers included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.outlines import Placement

Image = NDArray[np.uint8]
TABLE_MM = (500.0, 320.0)
CARD_MM = (63.0, 88.0)
SCAN_PX_PER_MM = 8


@dataclass(frozen=True)
class Laid:
    """A card on a drawn table: its scan, its middle, degrees clockwise."""

    scan: Image
    x: float
    y: float
    angle: float = 0.0


def draw_number(text: str, colour: tuple[int, int, int], paper: tuple[int, int, int] = (244, 248, 250)) -> Image:
    """A plain playing card: number in two corners and large in the middle; only the digits tell two apart."""
    card = np.full((88 * SCAN_PX_PER_MM, 63 * SCAN_PX_PER_MM, 3), paper, np.uint8)
    height, width = card.shape[:2]
    cv2.rectangle(card, (20, 20), (width - 21, height - 21), colour, 4)
    _centred(card, text, (width // 2, height // 2), 8.0, 22, colour)
    _centred(card, text, (75, 80), 2.2, 7, colour)
    card[height - 150 : height - 25, width - 140 : width - 25] = card[25:150, 25:140][::-1, ::-1]
    return card


def draw_picture(seed: int) -> Image:
    """A card with a scene of blobs and strokes."""
    random = np.random.default_rng(seed)
    card = np.full((88 * SCAN_PX_PER_MM, 63 * SCAN_PX_PER_MM, 3), random.integers(150, 240, 3), np.uint8)
    for _ in range(40):
        place = (int(random.integers(40, 460)), int(random.integers(40, 660)))
        colour = tuple(int(v) for v in random.integers(0, 255, 3))
        cv2.ellipse(card, place, (int(random.integers(10, 90)), int(random.integers(10, 60))), 30, 0, 360, colour, -1)
    cv2.rectangle(card, (0, 0), (card.shape[1] - 1, card.shape[0] - 1), (235, 235, 235), 24)
    return card


def draw_sign(seed: int) -> Image:
    """A white card with one small sign of strokes in its middle, and a thin grey line around it."""
    random = np.random.default_rng(seed)
    card = np.full((88 * SCAN_PX_PER_MM, 63 * SCAN_PX_PER_MM, 3), (244, 248, 250), np.uint8)
    strokes = (random.integers(-60, 60, (4, 2)) + np.array([252, 340])).astype(np.int32)
    cv2.polylines(card, [strokes], False, (60, 50, 40), 12, cv2.LINE_AA)
    cv2.circle(card, strokes[0].tolist(), 16, (60, 50, 40), -1 if seed % 2 else 8, cv2.LINE_AA)
    cv2.rectangle(card, (0, 0), (card.shape[1] - 1, card.shape[0] - 1), (150, 150, 150), 5)
    return card


def draw_back(symmetrical: bool = True) -> Image:
    card = np.full((88 * SCAN_PX_PER_MM, 63 * SCAN_PX_PER_MM, 3), (110, 40, 25), np.uint8)
    height, width = card.shape[:2]
    # The frame and the rings' middle lie so that half a turn gives the very same picture.
    middle = (width / 2 - 0.5, height / 2 - 0.5)
    rows, columns = np.mgrid[0:height, 0:width]
    card[(np.hypot((columns - middle[0]) / 0.8, rows - middle[1]) % 50 < 10)] = (90, 200, 235)
    cv2.rectangle(card, (0, 0), (width - 1, height - 1), (225, 225, 225), 40)
    if not symmetrical:
        cv2.circle(card, (width // 2, 130), 70, (240, 240, 240), -1)
    return card


def _centred(
    card: Image, text: str, middle: tuple[int, int], scale: float, thick: int, colour: tuple[int, int, int]
) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, thick)
    origin = (middle[0] - width // 2, middle[1] + height // 2)
    cv2.putText(card, text, origin, cv2.FONT_HERSHEY_DUPLEX, scale, colour, thick, cv2.LINE_AA)


def wood(shape: tuple[int, int], seed: int = 1) -> Image:
    random = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(random.normal(0, 1, shape).astype(np.float32), (0, 0), sigmaX=40, sigmaY=1.5)
    grain = grain / grain.std() * 14
    return np.clip(np.array([70, 105, 150]) + grain[..., None], 0, 255).astype(np.uint8)


def plain(level: int) -> Callable[[tuple[int, int]], Image]:
    return lambda shape: np.full((*shape, 3), level, np.uint8)


@dataclass(frozen=True)
class Drawn:
    """A drawn picture and its exact homography from table mm to px."""

    image: Image
    to_px: NDArray[np.float64]

    def px(self, points: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
        return cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(-1, 1, 2), self.to_px).reshape(-1, 2)


def draw_table(
    cards: Sequence[Laid] = (),
    ground: Callable[[tuple[int, int]], Image] = wood,
    tilt: float = 0.0,
    light: float = 1.0,
    noise: float = 2.0,
    covered: Sequence[int] = (),
    cover: Sequence[tuple[float, float, float, float]] = (),
    size_px: tuple[int, int] = (1280, 820),
    card_mm: tuple[float, float] = CARD_MM,
) -> Drawn:
    """The table from above; `cover` are x, y, width, height mm of a dark thing that lies over everything."""
    width, height = TABLE_MM
    w, h = size_px
    lean = 60 * tilt
    corners = np.array([[60 + lean, 40], [w - 70 - lean, 50], [w - 50, h - 45], [45, h - 35]], np.float64)
    table = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    to_px = cv2.findHomography(table, corners)[0]
    canvas = ground((h, w)).astype(np.float32)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for marker, (x, y) in enumerate([(0, 0), (width - 40, 0), (width - 40, height - 40), (0, height - 40)]):
        if marker in covered:
            continue
        paper = np.full((480, 480, 3), 235, np.uint8)
        paper[40:440, 40:440] = cv2.aruco.generateImageMarker(dictionary, marker, 400)[..., None] // 255 * 210 + 20
        canvas = _laid(canvas, paper, to_px, (x + 20, y + 20), 0.0, (48.0, 48.0))
    for card in cards:
        long_way = card.scan.shape[1] > card.scan.shape[0]
        canvas = _laid(canvas, card.scan, to_px, (card.x, card.y), card.angle, card_mm[::-1] if long_way else card_mm)
    for x, y, across, down in cover:
        quad = cv2.perspectiveTransform(
            np.array([[[x, y]], [[x + across, y]], [[x + across, y + down]], [[x, y + down]]], np.float64), to_px
        )
        cv2.fillPoly(canvas, [quad.round().astype(np.int32)], (60, 90, 140))
    # A lens blurs light, not grey levels.
    exposure = cv2.GaussianBlur((canvas / 255) ** 2.2, (0, 0), 0.7) * light**2.2
    canvas = 255 * np.clip(exposure, 0, 1) ** (1 / 2.2)
    canvas += np.random.default_rng(5).normal(0, noise, canvas.shape)
    return Drawn(np.clip(canvas, 0, 255).astype(np.uint8), to_px)


def _laid(
    canvas: NDArray[np.float32],
    scan: Image,
    to_px: NDArray[np.float64],
    middle: tuple[float, float],
    angle: float,
    size_mm: tuple[float, float],
) -> NDArray[np.float32]:
    height, width = scan.shape[:2]
    turn = np.radians(angle)
    to_mm = np.array(
        [[np.cos(turn), -np.sin(turn), middle[0]], [np.sin(turn), np.cos(turn), middle[1]], [0, 0, 1]]
    ) @ np.array([[size_mm[0] / width, 0, -size_mm[0] / 2], [0, size_mm[1] / height, -size_mm[1] / 2], [0, 0, 1]])
    # Scan pixel middles lie at +0.5; picture pixel middles at whole numbers.
    matrix = to_px @ to_mm @ np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    size = (canvas.shape[1], canvas.shape[0])
    soft = cv2.GaussianBlur(scan, (0, 0), 0.35 * width / (size_mm[0] * 2.3))
    picture = cv2.warpPerspective(soft, matrix, size, flags=cv2.INTER_LINEAR)
    mask = cv2.warpPerspective(np.full((height, width), 1.0, np.float32), matrix, size, flags=cv2.INTER_LINEAR)[
        ..., None
    ]
    return (canvas * (1 - mask) + picture * mask).astype(np.float32)


RED, BLUE = (40, 40, 200), (190, 80, 30)


def deck_scans() -> dict[str, Image]:
    scans = {f"red-{n}": draw_number(str(n), RED) for n in (1, 3, 5, 6, 8, 9)}
    scans |= {f"blue-{n}": draw_number(str(n), BLUE) for n in (6, 9)}
    return scans | {f"art-{n}": draw_picture(n) for n in (1, 2)} | {"back": draw_back()}


def view_with(colour: tuple[int, int, int], place: Placement, noise: float = 1.5) -> np.ndarray:
    """A grey ground, two large things in red and in green that are as bright, and a card in one colour."""
    view = np.full((320, 500, 3), 120, np.float32)
    view[20:120, 20:160] = (120, 84, 180)
    view[200:300, 20:160] = (120, 156, 60)
    corners = place.corners_mm(*CARD_MM) - 0.5
    cv2.fillConvexPoly(view, (corners * 16).round().astype(np.int32), colour, cv2.LINE_AA, shift=4)
    view += np.random.default_rng(3).normal(0, noise, view.shape)
    return np.clip(view, 0, 255).astype(np.uint8)
