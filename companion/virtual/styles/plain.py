"""Decks on plain paper: pips, symbols, digits and single signs."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from companion.virtual.styles.backs import crest, rosette, woven
from companion.virtual.styles.canvas import Canvas, Colour, Place, ellipse, star
from hardware.camera.base import Image

POKER = (63.0, 88.0)
JAPANESE = (59.0, 86.0)
Deck = dict[str, Image]

_SUITS: dict[str, Colour] = {
    "coral": (80, 90, 225),
    "moss": (60, 130, 70),
    "plum": (120, 50, 110),
    "slate": (110, 90, 70),
}
_FORMS: tuple[NDArray[np.float64], ...] = (
    ellipse(40),
    np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
    np.array([(0.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
    np.array([(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]),
)
"""Disc, square, triangle, diamond."""


def pips() -> Deck:
    """As many discs, squares, triangles or diamonds as the small figure in the corners says."""
    deck = {}
    for suit, (name, colour) in enumerate(_SUITS.items()):
        for rank in range(1, 10):
            card = Canvas(POKER, (246, 250, 248))
            for place in range(rank):
                middle = (15.5 + 16.0 * (place % 3), 21.5 + 22.5 * (place // 3))
                card.shape(_FORMS[suit], middle, 5.25, colour)
            card.text(str(rank), (6.6, 7.3), 5.8, colour)
            card.turned_copy(2.0, 2.0, 10.5, 10.5)
            deck[f"{name}-{rank}"] = card.image
    deck["back"] = woven(POKER, (150, 90, 40), (235, 225, 210))
    return deck


def symbols() -> Deck:
    """One to three symbols in four forms, three colours, filled or open: cards that differ in one trait."""
    deck = {}
    colours: list[Colour] = [(60, 60, 200), (70, 150, 60), (150, 60, 120)]
    for count, form, (hue, colour), full in itertools.product((1, 2, 3), range(4), enumerate(colours), (True, False)):
        card = Canvas(POKER, (250, 250, 250))
        for place in range(count):
            middle = (31.5, 44 + 25 * place - 12.5 * (count - 1))
            card.shape(_FORMS[form], middle, 10.0, colour, None if full else 1.25)
        deck[f"s{count}{'adtx'[form]}{hue}{'f' if full else 'o'}"] = card.image
    deck["back"] = woven(POKER, (60, 60, 60), (160, 160, 160))
    return deck


def _heart() -> NDArray[np.float64]:
    t = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    x = 16 * np.sin(t) ** 3
    y = -(13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    return np.stack([x / 16, y / 16], axis=1)


def _stem() -> NDArray[np.float64]:
    return np.array([(-0.1, 0.3), (0.1, 0.3), (0.4, 1.05), (-0.4, 1.05)])


def _suit(card: Canvas, suit: str, middle: Place, size: float, colour: Colour, turn: float) -> None:
    match suit:
        case "hearts":
            card.shape(_heart(), middle, size, colour, turn=turn)
        case "diamonds":
            card.shape(_FORMS[3] * np.array([0.75, 1.0]), middle, size, colour, turn=turn)
        case "spades":
            card.shape(_heart() * np.array([1.0, -0.9]) - np.array([0.0, 0.1]), middle, size, colour, turn=turn)
            card.shape(_stem(), middle, size, colour, turn=turn)
        case _:
            for x, y in ((0.0, -0.5), (-0.52, 0.2), (0.52, 0.2)):
                leaf = ellipse(30) * 0.48 + np.array([x, y])
                card.shape(leaf, middle, size, colour, turn=turn)
            card.shape(_stem(), middle, size, colour, turn=turn)


_ROWS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((0, -1), (0, 1)),
    3: ((0, -1), (0, 0), (0, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    7: ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    8: ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (0, 0.5), (-1, 1), (1, 1)),
    9: ((-1, -1), (1, -1), (-1, -0.33), (1, -0.33), (0, 0), (-1, 0.33), (1, 0.33), (-1, 1), (1, 1)),
    10: (
        *((-1, -1), (1, -1), (0, -0.66), (-1, -0.33), (1, -0.33)),
        *((-1, 0.33), (1, 0.33), (0, 0.66), (-1, 1), (1, 1)),
    ),
}


def french() -> Deck:
    """Playing cards from 1 to 10 in four suits, indices at both ends; many look the same both ways round."""
    deck = {}
    inks: dict[str, Colour] = {
        "hearts": (40, 30, 190),
        "diamonds": (40, 30, 190),
        "spades": (34, 30, 30),
        "clubs": (34, 30, 30),
    }
    for suit, ink in inks.items():
        for rank, places in _ROWS.items():
            card = Canvas(POKER, (250, 252, 252))
            for x, y in places:
                _suit(
                    card, suit, (31.5 + 12.5 * x, 44 + 27 * y), 5.2 if rank > 1 else 11.0, ink, 180.0 if y > 0 else 0.0
                )
            card.text(str(rank), (5.8, 7.4), 6.6, ink, 0.17)
            _suit(card, suit, (5.8, 15.2), 2.6, ink, 0.0)
            card.turned_copy(1.5, 2.5, 9.0, 16.5)
            deck[f"{suit}-{rank}"] = card.image
    deck["back"] = rosette(POKER, (60, 40, 160), (235, 235, 245))
    return deck


def digits() -> Deck:
    """One design in which nothing but a number differs, in the middle and small in one corner."""
    deck = {}
    for number in range(1, 31):
        card = Canvas(JAPANESE, (224, 236, 240))
        card.frame(3.0, (70, 120, 40), 0.7)
        for n, radius in enumerate((21.0, 18.5, 12.0)):
            card.ring(card.middle, (radius, radius), ((190, 214, 200), (70, 120, 40), (246, 250, 250))[n])
        card.text(str(number), card.middle, 9.0, (70, 120, 40), 0.16)
        card.text(str(number), (8.5, 9.0), 4.6, (70, 120, 40), 0.16)
        card.shape(star(5, 0.45), (50.0, 77.0), 4.0, (60, 170, 220))
        deck[f"no-{number:02d}"] = card.image
    deck["back"] = woven(JAPANESE, (70, 120, 40), (120, 180, 90), 5.0)
    return deck


def signs() -> Deck:
    """White cards with a single thin sign in the middle and nothing else."""
    deck = {}
    for number in range(24):
        random = np.random.default_rng((number, 431))
        card = Canvas(POKER, (248, 248, 250))
        ink: Colour = ((40, 36, 34), (150, 80, 40), (50, 60, 180))[number % 3]
        knots = random.uniform((-1.0, -1.2), (1.0, 1.2), (4 + number % 3, 2))
        card.line(knots * 13 + np.array([31.5, 44.0]), ink, 1.4)
        x, y = (float(v) for v in random.uniform(-0.8, 0.8, 2))
        card.ring((31.5 + 13 * x, 44 + 15 * y), (3.2, 3.2), ink, 1.2 if number % 2 else None)
        deck[f"sign-{number + 1:02d}"] = card.image
    deck["back"] = crest(POKER, (248, 248, 250), (60, 54, 50), "Hosi")
    return deck
