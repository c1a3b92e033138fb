"""Decks full of pictures: dark cards of a fantasy game, portraits, cloudy landscapes, abstract prints to the edge."""

from __future__ import annotations

import numpy as np

from companion.virtual.styles.backs import crest, nebula, rosette, woven
from companion.virtual.styles.canvas import Canvas, Colour, Random, blob, clouds, ellipse, ramp, shaded, star
from hardware.camera.base import Image

POKER = (63.0, 88.0)
TAROT = (70.0, 120.0)
MINI = (44.0, 68.0)
SQUARE = (70.0, 70.0)
Deck = dict[str, Image]


def _any_colour(random: Random, low: int = 40, high: int = 240) -> Colour:
    b, g, r = (int(v) for v in random.integers(low, high, 3))
    return b, g, r


def prints() -> Deck:
    """Dark cards with one picture of a family, a title and rows of fine print."""
    deck = {}
    for number in range(16):
        random = np.random.default_rng(900 + number)
        card = Canvas(POKER, (44, 30, 26))
        card.frame(2.3, (150, 190, 210), 0.5)
        middle = (31.5, 35.0)
        for ring in range(4):
            radius = 18.75 - 4.25 * ring
            card.ring(middle, (radius, radius), _any_colour(random, 60, 255), None if ring % 2 else 1.5)
        for _ in range(7):
            end = (float(random.uniform(7.5, 55.5)), float(random.uniform(17.5, 52.5)))
            card.line([middle, end], (200, 230, 240), 0.6)
        card.text(f"No {number + 1}", (20.0, 10.0), 5.0, (220, 230, 240))
        card.print_rows((5.5, 58.0, 52.0, 25.0), 4.2, (200, 210, 215), random)
        deck[f"print-{number + 1:02}"] = card.image
    deck["back"] = woven(POKER, (90, 40, 30), (40, 20, 15))
    return deck


def portraits() -> Deck:
    """Faces of one family on a soft ground: brows, eyes and mouth tell them apart, and several cards share a name."""
    deck = {}
    for number in range(18):
        random = np.random.default_rng(300 + number)
        shift = (number % 3) * np.array([25, -20, -35])
        ground = tuple(int(v) for v in np.array([170, 190, 200]) + shift)
        card = Canvas(POKER, (ground[0], ground[1], ground[2]))
        base = np.array(ground, np.float32)
        card.paint(
            np.linspace(0.75, 1.1, card.image.shape[0], dtype=np.float32)[:, None, None]
            * base
            * np.ones((1, card.image.shape[1], 1), np.float32)
        )
        card.ring((31.5, 41.0), (18.8, 25.0), (140 + 8 * (number % 4), 180, 225))
        for side in (-1, 1):
            eye = (31.5 + side * 7.8, 37.5 + float(random.uniform(-1.9, 1.9)))
            card.ring(eye, (3.8, float(random.uniform(1.0, 3.2))), (250, 250, 250))
            card.ring(eye, (1.25, 1.25), (60, 40, 30))
            tilt = float(random.uniform(-2.75, 2.75))
            card.line([(eye[0] - 4.2, eye[1] - 6.2 + tilt), (eye[0] + 4.2, eye[1] - 6.2 - tilt)], (40, 50, 60), 1.5)
        bend = float(random.uniform(-5, 5))
        x = np.linspace(-1, 1, 20)
        card.line(np.stack([31.5 + 8.1 * x, 53.8 + bend * (1 - x * x)], axis=1), (60, 60, 160), 1.25)
        half = ellipse(60)[30:]
        card.shape(half, (31.5, 23.8), (20.0, 10.0), _any_colour(random, 20, 200))
        card.box(7.5, 72.5, 48.0, 10.0, (240, 240, 235))
        card.text("AEIOU"[number % 5] + "ra" + "lmnst"[number % 5] + "a", (31.5, 77.5), 5.6, (50, 50, 50))
        deck[f"face-{number + 1:02}"] = card.image
    deck["back"] = woven(POKER, (40, 90, 130), (60, 140, 190))
    return deck


def fantasy() -> Deck:
    """Dark frames with a title, a cost, a picture of a beast on cloudy ground, and a box of rules; four families of colour."""
    families: tuple[tuple[Colour, Colour], ...] = (
        ((40, 26, 60), (90, 60, 170)),
        ((50, 60, 22), (130, 170, 60)),
        ((70, 36, 20), (190, 110, 50)),
        ((34, 34, 34), (140, 140, 150)),
    )
    deck = {}
    for number in range(28):
        random = np.random.default_rng((number, 977))
        dark, bright = families[number % 4]
        card = Canvas(POKER, (20, 18, 18))
        card.box(2.5, 2.5, 58.0, 83.0, dark)
        card.box(4.5, 4.5, 54.0, 7.0, bright)
        card.text("".join(chr(65 + int(c)) for c in random.integers(0, 26, 7)), (26.0, 8.0), 3.6, (20, 18, 18))
        card.ring((54.0, 8.0), (3.6, 3.6), (210, 235, 245))
        card.text(str(1 + number % 9), (54.0, 8.0), 4.2, (30, 30, 30), 0.18)
        size = (54.0, 37.0)
        card.paint(shaded(clouds(random, size, 14.0), dark, _any_colour(random, 30, 160), bright), 4.5, 13.0)
        body = _any_colour(random, 20, 230)
        x, y = 31.5 + float(random.uniform(-8, 8)), 32.0 + float(random.uniform(-3, 4))
        for n in range(int(random.integers(3, 8))):
            card.shape(
                blob(random, 7),
                (x + float(random.uniform(-9, 9)), y + float(random.uniform(-7, 9))),
                float(random.uniform(2.5, 6.5)),
                body if n % 3 else _any_colour(random, 20, 230),
            )
        for side in (-1, 1):
            card.ring((x + side * 2.2, y - 5.0), (1.0, 0.8), (90, 230, 250))
        card.box(4.5, 13.0, 54.0, 37.0, bright, 0.5)
        card.box(4.5, 52.0, 54.0, 27.0, (206, 222, 228))
        card.print_rows((6.5, 54.0, 50.0, 23.0), 3.7, (40, 40, 46), random)
        card.text(f"{number % 6}L{(number * 5) % 7}", (51.0, 82.0), 3.6, (220, 235, 240))
        deck[f"beast-{number + 1:02d}"] = card.image
    deck["back"] = nebula(POKER, 5, (40, 20, 24), (90, 40, 60), (60, 60, 120), (150, 170, 210))
    return deck


def scenery() -> Deck:
    """Landscapes with no frame and no letters, grainy as photographs are."""
    deck = {}
    for number in range(20):
        random = np.random.default_rng((number, 613))
        card = Canvas(POKER, (0, 0, 0))
        sky = ramp(POKER, _any_colour(random, 90, 250), _any_colour(random, 120, 250))
        card.paint(sky + 40 * (clouds(random, POKER, 24.0)[..., None] - 0.5))
        card.ring((float(random.uniform(8, 55)), float(random.uniform(8, 30))), (4.0, 4.0), (215, 245, 252))
        x = np.linspace(0, 63, 80)
        for layer in range(4):
            waves = sum(
                float(random.uniform(1, 5))
                / (k + 1)
                * np.sin(x / 63 * 2 * np.pi * (k + 1) + float(random.uniform(0, 6)))
                for k in range(5)
            )
            hill = np.stack([x, 34 + 13 * layer + waves], axis=1)
            card.polygon(np.concatenate([hill, [[63, 88], [0, 88]]]), _any_colour(random, 20, 190 - 30 * layer))
        grain = random.normal(0, 9, card.image.shape).astype(np.float32)
        light = 0.8 + 0.4 * clouds(random, POKER, 9.0)[..., None]
        card.paint(card.image.astype(np.float32) * light + grain)
        deck[f"view-{number + 1:02d}"] = card.image
    deck["back"] = nebula(POKER, 9, (120, 90, 60), (170, 150, 120), (90, 120, 110))
    return deck


def abstract() -> Deck:
    """Few large shapes in loud colours to the very edge; two cards in three share their colours."""
    deck = {}
    for number in range(20):
        random = np.random.default_rng((number, 271))
        shades = np.random.default_rng((number // 3, 277))
        card = Canvas(POKER, _any_colour(shades))
        inks = [_any_colour(shades, 10, 250) for _ in range(4)]
        for n in range(6):
            place = (float(random.uniform(0, 63)), float(random.uniform(0, 88)))
            outline = (ellipse(50), star(4, 0.6), np.array([(-1.0, -0.4), (1.0, -0.4), (1.0, 0.4), (-1.0, 0.4)]))[n % 3]
            card.shape(outline, place, float(random.uniform(8, 24)), inks[n % 4], turn=float(random.uniform(0, 360)))
        deck[f"loud-{number + 1:02d}"] = card.image
    deck["back"] = crest(POKER, (60, 30, 120), (240, 210, 240), "Loud")
    return deck


def arcana() -> Deck:
    """Tall cards of 70 x 120 mm with a numeral over a framed picture and a name below."""
    deck = {}
    for number in range(1, 23):
        random = np.random.default_rng((number, 353))
        card = Canvas(TAROT, (206, 226, 236))
        card.box(6.0, 12.0, 58.0, 94.0, (60, 60, 70), 0.7)
        card.paint(ramp((56.0, 92.0), _any_colour(random, 120, 240), _any_colour(random, 120, 240)), 7.0, 13.0)
        card.shape(
            star(12, 0.6), (35.0, 32.0), float(random.uniform(8, 14)), (70, 200, 240), turn=float(random.uniform(0, 30))
        )
        for _ in range(int(random.integers(1, 4))):
            x = 35 + float(random.uniform(-16, 16))
            card.shape(blob(random, 6, 0.2), (x, 78.0), (float(random.uniform(5, 9)), 19.0), _any_colour(random))
            card.ring((x, 57.0), (4.2, 4.8), (150, 190, 225))
        card.text(str(number), (35.0, 7.0), 5.2, (60, 60, 70))
        card.text("".join(chr(65 + int(c)) for c in random.integers(0, 26, 8)), (35.0, 112.0), 4.6, (60, 60, 70))
        deck[f"arcanum-{number:02d}"] = card.image
    deck["back"] = rosette(TAROT, (110, 60, 30), (210, 190, 160))
    return deck


def goods() -> Deck:
    """Mini cards of 44 x 68 mm: an icon of a good and how many of it; the number is all that differs within a good."""
    deck = {}
    for good in range(5):
        random = np.random.default_rng((good, 199))
        ground, ink = _any_colour(random, 130, 240), _any_colour(random, 20, 120)
        icon = blob(random, 5 + good, 0.5)
        for count in range(1, 6):
            card = Canvas(MINI, (240, 246, 248))
            card.box(2.0, 2.0, 40.0, 64.0, ground)
            card.shape(icon, (22.0, 30.0), 12.0, ink)
            card.shape(icon, (22.0, 30.0), 8.0, ground, 0.8)
            card.text(str(count), (22.0, 55.0), 10.0, ink, 0.17)
            card.text(str(count), (7.0, 8.0), 5.0, ink, 0.17)
            deck[f"good-{good + 1}-{count}"] = card.image
    deck["back"] = woven(MINI, (40, 60, 90), (90, 130, 170), 2.5)
    return deck


def maps() -> Deck:
    """Landscape prints: coasts and places on cards that lie on their long side, with a title along the top."""
    size = (88.0, 63.0)
    deck = {}
    for number in range(18):
        random = np.random.default_rng((number, 757))
        card = Canvas(size, (226, 238, 242))
        sea = shaded(
            clouds(random, (82.0, 48.0), 20.0, 4),
            (170, 130, 60),
            (190, 160, 100),
            (120, 190, 170),
            (90, 150, 120),
            (130, 190, 220),
        )
        card.paint(sea, 3.0, 12.0)
        for _ in range(6):
            place = (float(random.uniform(8, 80)), float(random.uniform(16, 56)))
            card.ring(place, (1.3, 1.3), (40, 40, 190))
            card.text(
                "".join(chr(97 + int(c)) for c in random.integers(0, 26, 5)),
                (place[0], place[1] + 3.2),
                2.2,
                (40, 40, 50),
            )
        card.box(3.0, 12.0, 82.0, 48.0, (60, 80, 90), 0.5)
        card.text("".join(chr(65 + int(c)) for c in random.integers(0, 26, 9)), (44.0, 7.0), 4.2, (60, 80, 90))
        card.text(str(number + 1), (80.0, 7.0), 4.2, (40, 40, 190))
        deck[f"map-{number + 1:02d}"] = card.image
    deck["back"] = crest(size, (90, 110, 60), (220, 235, 225), "Mapa")
    return deck


def tiles() -> Deck:
    """Square cards of 70 mm: islands in a sea, a number in one corner."""
    deck = {}
    for number in range(1, 21):
        random = np.random.default_rng((number, 541))
        card = Canvas(SQUARE, (170, 140, 90))
        for _ in range(6):
            place = (float(random.uniform(6, 64)), float(random.uniform(6, 64)))
            size, turf = float(random.uniform(4, 12)), _any_colour(random, 60, 200)
            card.shape(blob(random), place, size * 1.15, (190, 220, 230))
            card.shape(blob(random), place, size, turf)
        card.ring((12.0, 12.0), (7.5, 7.5), (235, 240, 245))
        card.text(str(number), (12.0, 12.0), 7.0, (60, 50, 40))
        deck[f"tile-{number:02d}"] = card.image
    deck["back"] = rosette(SQUARE, (90, 60, 40), (190, 170, 150))
    return deck
