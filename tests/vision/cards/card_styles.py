"""Decks in other styles than the plain numbers of `drawn_cards`: pips, symbols, dark cards of fine print, faces of one family."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
from drawn_cards import SCAN_PX_PER_MM, Image

Colour = tuple[int, int, int]
WIDTH, HEIGHT = 63 * SCAN_PX_PER_MM, 88 * SCAN_PX_PER_MM
SUITS: dict[str, Colour] = {
    "coral": (80, 90, 225),
    "moss": (60, 130, 70),
    "plum": (120, 50, 110),
    "slate": (110, 90, 70),
}


def pips() -> dict[str, Image]:
    """As playing cards: as many discs, squares, triangles or crosses as the small figure in the corners says."""
    deck = {}
    for suit, (name, colour) in enumerate(SUITS.items()):
        for rank in range(1, 10):
            card = _sheet((246, 250, 248))
            for place in range(rank):
                column, row = place % 3, place // 3
                _symbol(card, suit, (125 + 127 * column, 170 + 180 * row), 42, colour)
            _corner(card, str(rank), colour)
            deck[f"{name}-{rank}"] = card
    deck["back"] = _woven((150, 90, 40), (235, 225, 210))
    return deck


def symbols() -> dict[str, Image]:
    """One to three symbols in four forms, three colours, filled or open: cards that differ in one trait."""
    deck = {}
    colours: list[Colour] = [(60, 60, 200), (70, 150, 60), (150, 60, 120)]
    for count, form, (hue, colour), full in itertools.product((1, 2, 3), range(4), enumerate(colours), (True, False)):
        card = _sheet((250, 250, 250))
        for place in range(count):
            middle = (WIDTH // 2, HEIGHT // 2 + 200 * place - 100 * (count - 1))
            _symbol(card, form, middle, 80, colour, full)
        deck[f"s{count}{'adtx'[form]}{hue}{'f' if full else 'o'}"] = card
    deck["back"] = _woven((60, 60, 60), (160, 160, 160))
    return deck


def prints() -> dict[str, Image]:
    """Dark cards with one picture of a family, a title and rows of fine print."""
    deck = {}
    for number in range(16):
        random = np.random.default_rng(900 + number)
        card = _sheet((44, 30, 26))
        cv2.rectangle(card, (18, 18), (WIDTH - 19, HEIGHT - 19), (150, 190, 210), 4)
        middle = (WIDTH // 2, 280)
        for ring in range(4):
            colour = tuple(int(v) for v in random.integers(60, 255, 3))
            cv2.circle(card, middle, 150 - 34 * ring, colour, -1 if ring % 2 else 12, cv2.LINE_AA)
        for _ in range(7):
            end = (int(random.integers(60, WIDTH - 60)), int(random.integers(140, 420)))
            cv2.line(card, middle, end, (200, 230, 240), 5, cv2.LINE_AA)
        _text(card, f"No. {number + 1}", (50, 100), 2.0, 5, (220, 230, 240))
        for row in range(6):
            words = "".join(chr(97 + int(c)) if c < 26 else " " for c in random.integers(0, 30, 26))
            _text(card, words, (44, 480 + 34 * row), 0.75, 2, (200, 210, 215))
        deck[f"print-{number + 1:02}"] = card
    deck["back"] = _woven((90, 40, 30), (40, 20, 15))
    return deck


def portraits() -> dict[str, Image]:
    """Faces of one family on a soft ground: brows, eyes and mouth tell them apart, and two cards share a name."""
    deck = {}
    for number in range(18):
        random = np.random.default_rng(300 + number)
        ramp = np.linspace(0.75, 1.1, HEIGHT, dtype=np.float32)[:, None, None]
        ground = np.array([170, 190, 200], np.float32) + (number % 3) * np.array([25, -20, -35], np.float32)
        card = np.clip(ramp * ground * np.ones((HEIGHT, WIDTH, 1), np.float32), 0, 255).astype(np.uint8)
        skin = (140 + 8 * (number % 4), 180, 225)
        cv2.ellipse(card, (WIDTH // 2, 330), (150, 200), 0, 0, 360, skin, -1, cv2.LINE_AA)
        for side in (-1, 1):
            eye = (WIDTH // 2 + side * 62, 300 + int(random.integers(-15, 15)))
            cv2.ellipse(card, eye, (30, int(random.integers(8, 26))), 0, 0, 360, (250, 250, 250), -1, cv2.LINE_AA)
            cv2.circle(card, eye, 10, (60, 40, 30), -1, cv2.LINE_AA)
            tilt = int(random.integers(-22, 22))
            cv2.line(card, (eye[0] - 34, eye[1] - 50 + tilt), (eye[0] + 34, eye[1] - 50 - tilt), (40, 50, 60), 12)
        bend = int(random.integers(-40, 40))
        cv2.ellipse(
            card,
            (WIDTH // 2, 430),
            (65, abs(bend) + 4),
            0,
            0 if bend > 0 else 180,
            180 if bend > 0 else 360,
            (60, 60, 160),
            10,
            cv2.LINE_AA,
        )
        cv2.ellipse(
            card, (WIDTH // 2, 190), (160, 80), 0, 180, 360, tuple(int(v) for v in random.integers(20, 200, 3)), -1
        )
        cv2.rectangle(card, (60, 580), (WIDTH - 60, 660), (235, 240, 240), -1)
        _text(card, "AEIOU"[number % 5] + "ra" + "lmnst"[number % 5] + "a", (130, 640), 2.2, 5, (50, 50, 50))
        deck[f"face-{number + 1:02}"] = card
    deck["back"] = _woven((40, 90, 130), (60, 140, 190))
    return deck


STYLES = {"pips": pips, "symbols": symbols, "prints": prints, "portraits": portraits}


def _sheet(paper: Colour) -> Image:
    return np.full((HEIGHT, WIDTH, 3), paper, np.uint8)


def _symbol(card: Image, form: int, middle: tuple[int, int], size: int, colour: Colour, full: bool = True) -> None:
    x, y = middle
    corners = {
        0: [(np.cos(a) * size + x, np.sin(a) * size + y) for a in np.linspace(0, 2 * np.pi, 40)],
        1: [(x - size, y - size), (x + size, y - size), (x + size, y + size), (x - size, y + size)],
        2: [(x, y - size), (x + size, y + size), (x - size, y + size)],
        3: [(x, y - size), (x + size, y), (x, y + size), (x - size, y)],
    }[form]
    points = [np.round(corners).astype(np.int32)]
    if full:
        cv2.fillPoly(card, points, colour, cv2.LINE_AA)
    else:
        cv2.polylines(card, points, True, colour, 10, cv2.LINE_AA)


def _corner(card: Image, text: str, colour: Colour) -> None:
    _text(card, text, (24, 82), 2.2, 6, colour)
    corner = card[16:100, 16:100][::-1, ::-1].copy()
    card[HEIGHT - 100 : HEIGHT - 16, WIDTH - 100 : WIDTH - 16] = corner


def _text(card: Image, text: str, origin: tuple[int, int], scale: float, thick: int, colour: Colour) -> None:
    cv2.putText(card, text, origin, cv2.FONT_HERSHEY_COMPLEX, scale, colour, thick, cv2.LINE_AA)


def _woven(dark: Colour, light: Colour) -> Image:
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
    across, down = columns - (WIDTH - 1) / 2, rows - (HEIGHT - 1) / 2
    lit = ((across + down) // 26 + (across - down) // 26) % 2 < 1
    card = np.where(lit[..., None], light, dark).astype(np.uint8)
    cv2.rectangle(card, (0, 0), (WIDTH - 1, HEIGHT - 1), (238, 238, 238), 36)
    return card
