"""Tables of cards by chance, mild ones and hard ones, for measuring how well cards are read.

A hard table has some hardships of the kind that a home has: a tilted camera, sleeves, glare, a bent card, a hand, rows that
overlap, little or coloured light, blur. Each picture follows from the seed and its number alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from companion.virtual.stage import SKINS
from hardware.camera.base import Image
from hardware.virtual.dice import DieOnTable, lying_at
from hardware.virtual.lens import VirtualCameraModel
from hardware.virtual.look import Ground, Lamp, Photo, TableLook
from hardware.virtual.placing import lying, outline_px, size_of
from hardware.virtual.render import Renderer
from hardware.virtual.scene import CardOnTable, Finish, HandOverTable, Scene
from hardware.virtual.sprites import MARKER_MARGIN_MM, MARKER_MM
from hardware.virtual.truth import is_back

Random = np.random.Generator


class Hardship(StrEnum):
    """What makes a picture hard."""

    TILT = "tilt"
    """The camera leans 8 to 15 degrees."""
    SLEEVES = "sleeves"
    GLARE = "glare"
    """A lamp mirrors in the cards."""
    BEND = "bend"
    HAND = "hand"
    """A hand lies over cards."""
    OVERLAP = "overlap"
    """Cards lie over each other, down to a visible third."""
    DIM = "dim"
    """50 to 120 lux."""
    BRIGHT = "bright"
    """2,000 lux and an exposure for something darker."""
    COLOUR = "colour"
    """Lamp light or evening sky that the camera hardly takes back."""
    DEFOCUS = "defocus"
    MOTION = "motion"
    JPEG = "jpeg"
    SMALL = "small"
    """1280 x 720 instead of 1920 x 1080."""
    DICE = "dice"
    """Dice lie on the cards."""


_COMMON: tuple[Hardship, ...] = tuple(kind for kind in Hardship if kind is not Hardship.DICE)


TABLES_MM = ((700.0, 420.0), (700.0, 420.0), (600.0, 400.0))
GROUND_BGRS: dict[Ground, tuple[tuple[int, int, int], ...]] = {
    Ground.PLAIN: ((128, 130, 132), (226, 230, 232), (44, 42, 40), (90, 110, 130)),
    Ground.WOOD: ((58, 92, 138), (96, 140, 184), (30, 46, 72), (150, 178, 200)),
    Ground.FELT: ((72, 92, 44), (40, 36, 120), (96, 60, 30), (48, 46, 44)),
    Ground.CLOTH: ((118, 140, 158), (196, 202, 206), (140, 110, 128), (70, 66, 90)),
}
"""Middle colours that table tops have, from light to dark."""


@dataclass(frozen=True, slots=True)
class CardTable:
    """One table of one deck's cards, as a camera sees it."""

    name: str
    deck: str
    scene: Scene
    look: TableLook
    camera: VirtualCameraModel
    hardships: frozenset[Hardship]

    def renderer(self, art: Mapping[str, Image]) -> Renderer:
        """Draws it with the deck's pictures."""
        return Renderer(art, self.look, self.camera)


def hard_table(deck: str, art: Mapping[str, Image], card_mm: tuple[float, float], seed: int, number: int) -> CardTable:
    """A table with three hardships, and now and then dice on the cards."""
    random = np.random.default_rng((seed, number, 71))
    picked = frozenset(_COMMON[int(n)] for n in random.choice(len(_COMMON), 3, replace=False))
    if {Hardship.DIM, Hardship.BRIGHT} <= picked:
        # A room is one or the other.
        others = [kind for kind in _COMMON if kind not in picked]
        picked = picked - {Hardship.BRIGHT} | {others[int(random.integers(len(others)))]}
    if np.random.default_rng((seed, number, 79)).random() < 0.2:
        picked = picked | {Hardship.DICE}
    return _table(f"hard-{number:04d}", deck, art, card_mm, picked, random)


def mild_table(deck: str, art: Mapping[str, Image], card_mm: tuple[float, float], seed: int, number: int) -> CardTable:
    """A table as a careful owner sets it up: no hardship but, every other time, a row that overlaps a little."""
    random = np.random.default_rng((seed, number, 73))
    return _table(f"mild-{number:04d}", deck, art, card_mm, frozenset(), random)


def sparse_table(
    name: str,
    deck: str,
    card_mm: tuple[float, float],
    names: Sequence[str],
    card_px: float,
    random: Random,
) -> CardTable:
    """A small table with these few cards on it, in sight at about this height, in px, of 88 mm of card."""
    table_mm = (500.0, 400.0)
    scale = card_px / 88
    camera = VirtualCameraModel(
        size=(round(570 * scale), round(450 * scale)),
        table_mm=table_mm,
        tilt_deg=float(random.uniform(0, 5)),
        tilt_toward_deg=float(random.uniform(0, 360)),
    )
    spots = _scattered(card_mm, table_mm, random)
    if len(spots) < len(names) or random.random() < 0.2:
        # A fan in which each card covers a part of the one before.
        spots = [(150 + 42.0 * n, 200.0, 3.0 * n) for n in range(len(names))]
    cards = tuple(
        CardOnTable(name, round(x, 2), round(y, 2), round(angle, 2), finish=_finish(None, False, False, random))
        for name, (x, y, angle) in zip(names, spots, strict=False)
    )
    look = _look(camera, card_mm, cards, frozenset(), random)
    return CardTable(name, deck, Scene(table_mm, cards), look, camera, frozenset())


def _table(
    name: str,
    deck: str,
    art: Mapping[str, Image],
    card_mm: tuple[float, float],
    hard: frozenset[Hardship],
    random: Random,
) -> CardTable:
    camera = _camera(hard, random)
    cards = _cards(art, card_mm, camera, hard, random)
    hands = (_hand(cards, camera.table_mm, random),) if Hardship.HAND in hard and cards else ()
    look = _look(camera, card_mm, cards, hard, random)
    dice = _dice(cards, random) if Hardship.DICE in hard else ()
    return CardTable(name, deck, Scene(camera.table_mm, cards, hands=hands, dice=dice), look, camera, hard)


def _camera(hard: frozenset[Hardship], random: Random) -> VirtualCameraModel:
    small = Hardship.SMALL in hard
    tilt = random.uniform(8, 15) if Hardship.TILT in hard else random.uniform(0, 6)
    return VirtualCameraModel(
        size=(1280, 720) if small else (1920, 1080),
        table_mm=TABLES_MM[int(random.integers(len(TABLES_MM)))],
        height_mm=float(random.uniform(800, 1200)),
        tilt_deg=float(tilt),
        tilt_toward_deg=float(random.uniform(0, 360)),
        roll_deg=float(random.uniform(-3, 3)),
    )


def _look(
    camera: VirtualCameraModel,
    card_mm: tuple[float, float],
    cards: Sequence[CardOnTable],
    hard: frozenset[Hardship],
    random: Random,
) -> TableLook:
    ground = list(Ground)[int(random.integers(len(Ground)))]
    colours = GROUND_BGRS[ground]
    if Hardship.DIM in hard:
        lux, exposure = random.uniform(50, 120), 0.0
    elif Hardship.BRIGHT in hard:
        lux, exposure = random.uniform(1500, 2000), random.uniform(0.2, 0.55)
    else:
        lux, exposure = random.uniform(200, 1000), random.uniform(-0.25, 0.1)
    if Hardship.COLOUR in hard:
        kelvin = random.uniform(2400, 3000) if random.random() < 0.6 else random.uniform(7500, 10000)
        balanced = random.uniform(0.35, 0.7)
    else:
        kelvin, balanced = random.uniform(3500, 6500), random.uniform(0.8, 1.0)
    turn = random.uniform(0, 2 * math.pi)
    shift = random.uniform(2.0, 4.5) if Hardship.MOTION in hard else 0.0
    photo = Photo(
        lux=float(lux),
        kelvin=float(kelvin),
        balanced=float(balanced),
        exposure_ev=float(exposure),
        lamps=_lamps(camera, card_mm, cards if Hardship.GLARE in hard else (), random),
        lamp_share=float(random.uniform(0.1, 0.7)),
        defocus_px=float(random.uniform(1.0, 2.0)) if Hardship.DEFOCUS in hard else 0.0,
        motion_px=(shift * math.cos(turn), shift * math.sin(turn)),
    )
    quality = random.integers(28, 50) if Hardship.JPEG in hard else random.integers(82, 96)
    return TableLook(
        ground=ground,
        ground_bgr=colours[int(random.integers(len(colours)))],
        vignette=float(random.uniform(0.05, 0.25)),
        blur_px=float(random.uniform(0.4, 0.7)),
        jpeg_quality=int(quality),
        card_mm=card_mm,
        card_corner_mm=float(random.uniform(2.0, 3.5)),
        shadow=float(random.uniform(0.2, 0.5)),
        seed=int(random.integers(1 << 30)),
        photo=photo,
    )


def _lamps(
    camera: VirtualCameraModel, card_mm: tuple[float, float], over: Sequence[CardOnTable], random: Random
) -> tuple[Lamp, ...]:
    """One lamp: its mirror image lies over one of the cards `over`, or beside the table where there are none."""
    width, height = camera.table_mm
    if over:
        card = over[int(random.integers(len(over)))]
        place = (card.x_mm + random.uniform(-25, 25), card.y_mm + random.uniform(-25, 25))
    else:
        side = (-1) ** int(random.integers(2))
        place = (width / 2 + side * random.uniform(0.75, 1.1) * width, random.uniform(0, 1) * height)
    # What blinds hides less than a card; what only veils may lie over several.
    blinding = bool(random.random() < 0.5)
    share = random.uniform(0.4, 0.75) if blinding else random.uniform(1.0, 2.5)
    level = random.uniform(12, 26) if blinding else random.uniform(3, 9)
    eye_x, eye_y, eye_h = camera.eye_mm
    high = float(random.uniform(900, 2200))
    away = (eye_h + high) / eye_h
    return (
        Lamp(
            eye_x + (place[0] - eye_x) * away,
            eye_y + (place[1] - eye_y) * away,
            high,
            share * card_mm[0] * away,
            share * card_mm[0] * random.uniform(0.5, 1.0) * away,
            float(level),
        ),
    )


def _cards(
    art: Mapping[str, Image],
    card_mm: tuple[float, float],
    camera: VirtualCameraModel,
    hard: frozenset[Hardship],
    random: Random,
) -> tuple[CardOnTable, ...]:
    names = _dealt(art, random)
    table_mm = camera.table_mm
    if Hardship.OVERLAP in hard:
        places = _rows(card_mm, table_mm, float(random.uniform(0.38, 0.62)), random)
    elif random.random() < 0.5:
        places = _scattered(card_mm, table_mm, random)
    else:
        places = _rows(card_mm, table_mm, float(random.uniform(0.85, 1.25)), random)
    sleeve = float(random.uniform(1.0, 2.5)) if Hardship.SLEEVES in hard else None
    shine = Hardship.GLARE in hard
    laid: list[CardOnTable] = []
    for name, (x, y, angle) in zip(names, places, strict=False):
        finish = _finish(sleeve, Hardship.BEND in hard, shine, random)
        card = CardOnTable(name, round(x, 2), round(y, 2), round(angle % 360, 2), finish=finish)
        if _clear_of_markers(card, size_of(art[name], card_mm), camera):
            laid.append(card)
    return tuple(laid)


def _dealt(art: Mapping[str, Image], random: Random) -> list[str]:
    """The deck's cards in a shuffled order, each once, and about one back to five of them."""
    faces = [name for name in art if not is_back(name)]
    backs = [name for name in art if is_back(name)]
    names = [faces[int(n)] for n in random.permutation(len(faces))]
    return [backs[int(random.integers(len(backs)))] if backs and random.random() < 0.18 else name for name in names]


Spot = tuple[float, float, float]
"""x and y of a card's middle, mm, and its angle."""


def _rows(card_mm: tuple[float, float], table_mm: tuple[float, float], step: float, random: Random) -> list[Spot]:
    """Rows whose cards follow each other by a share of their width; what comes later lies over what was there."""
    width, height = card_mm
    downward = step < 0.8 and random.random() < 0.25
    along = (height if downward else width) * step
    spots: list[Spot] = []
    lanes = max(1, int((table_mm[0 if downward else 1] - 40) / ((width if downward else height) * 1.3)))
    room = table_mm[1 if downward else 0] - 60 - 1.1 * (height if downward else width)
    for lane in range(min(lanes, 3)):
        across = (lane + 0.5) * table_mm[0 if downward else 1] / min(lanes, 3) + float(random.uniform(-6, 6))
        most = int(room / along) + 1
        count = min(most, int(random.integers(3, 7)))
        start = 30 + 0.55 * (height if downward else width) + float(random.uniform(0, 1)) * (room - (count - 1) * along)
        order = range(count) if random.random() < 0.7 else reversed(range(count))
        for n in order:
            at = start + n * along
            x, y = (across, at) if downward else (at, across)
            angle = float(random.normal(0, 4)) + float(random.choice([0, 0, 0, 90, 180, 180, 270]))
            spots.append((x + float(random.normal(0, 2)), y + float(random.normal(0, 4)), angle))
    return spots


def _scattered(card_mm: tuple[float, float], table_mm: tuple[float, float], random: Random) -> list[Spot]:
    """Cards at any angle that hardly touch each other."""
    reach = math.hypot(*card_mm)
    spots: list[Spot] = []
    for _ in range(150):
        x = float(random.uniform(0.5 * reach + 5, table_mm[0] - 0.5 * reach - 5))
        y = float(random.uniform(0.5 * reach + 5, table_mm[1] - 0.5 * reach - 5))
        if all(math.hypot(x - other[0], y - other[1]) > 0.88 * reach for other in spots):
            spots.append((x, y, float(random.uniform(0, 360))))
        if len(spots) == 12:
            break
    return spots


def _finish(sleeve_mm: float | None, bend: bool, shine: bool, random: Random) -> Finish:
    film = sleeve_mm is not None
    # Linen cards shine in no light; a table where a lamp glares is one of coated cards.
    coated = (0.02, 0.045, 0.02, 0.1) if shine else (0.004, 0.03, 0.08, 0.25)
    gloss = random.uniform(0.035, 0.055) if film else random.uniform(*coated[:2])
    rough = random.uniform(0.015, 0.05) if film else random.uniform(*coated[2:])
    bow, turn = 0.0, 0.0
    if bend and random.random() < 0.75:
        bow = float(random.uniform(0.8, 3.0)) * (1 if random.random() < 0.6 else -1)
        turn = float(random.choice([0, 90])) + float(random.uniform(-15, 15))
    lean = (0.8, 0.8) if film else (0.4, 0.4)
    return Finish(
        gloss=float(gloss),
        rough=float(rough),
        wavy_deg=float(random.uniform(0.2, 0.9)) if film else 0.15,
        lean_deg=(float(random.normal(0, lean[0])), float(random.normal(0, lean[1]))),
        bow_mm=bow,
        bow_turn_deg=turn,
        sleeve_mm=sleeve_mm,
        seed=int(random.integers(1 << 30)),
    )


def _clear_of_markers(card: CardOnTable, size_mm: tuple[float, float], camera: VirtualCameraModel) -> bool:
    """Whether a card leaves the markers and their white margins in sight."""
    sleeve = 2 * ((card.finish.sleeve_mm if card.finish is not None else None) or 0.0)
    grown = (size_mm[0] + sleeve, size_mm[1] + sleeve)
    outline = outline_px(camera, lying(card, size_mm), grown).astype(np.float32)
    side, edge = MARKER_MM, MARKER_MARGIN_MM
    for x in (0.0, camera.table_mm[0] - side):
        for y in (0.0, camera.table_mm[1] - side):
            square = np.array([(-edge, -edge), (side + edge, -edge), (side + edge, side + edge), (-edge, side + edge)])
            marker = camera.project(square + np.array([x, y])).astype(np.float32)
            if cv2.intersectConvexConvex(cv2.convexHull(outline), marker)[0] > 0:
                return False
    return True


def _dice(cards: Sequence[CardOnTable], random: Random) -> tuple[DieOnTable, ...]:
    """Two to four dice with numbers, most of them on cards."""
    dice = []
    for _ in range(int(random.integers(2, 5)) if cards else 0):
        card = cards[int(random.integers(len(cards)))]
        sides, size = int(random.choice([8, 10])), float(random.uniform(14, 18))
        x, y = card.x_mm + float(random.uniform(-40, 40)), card.y_mm + float(random.uniform(-45, 45))
        top, yaw = int(random.integers(sides)), float(random.uniform(0, 2 * math.pi))
        b, g, r = (int(v) for v in random.integers(15, 235, 3))
        ink = (238, 238, 238) if b + g + r < 380 else (30, 30, 34)
        faces = tuple(str(n + 1) for n in range(sides))
        dice.append(DieOnTable(sides, lying_at(sides, size, top, x, y, yaw), size, (b, g, r), ink, faces))
    return tuple(dice)


def _hand(cards: Sequence[CardOnTable], table_mm: tuple[float, float], random: Random) -> HandOverTable:
    """A hand whose fingers lie over a card, reaching in from a side where it leaves the markers in sight."""
    card = cards[int(random.integers(len(cards)))]
    width, height = table_mm
    # From below or above where the arm clears the corners, else from the nearer side.
    if 150 < card.x_mm < width - 150:
        from_deg = 180.0 if card.y_mm > height / 3 else 0.0
    else:
        from_deg = 270.0 if card.x_mm < width / 2 else 90.0
    skin = SKINS[int(random.integers(len(SKINS)))]
    x, y = card.x_mm + float(random.uniform(-25, 25)), card.y_mm + float(random.uniform(-15, 25))
    return HandOverTable(x, y, (from_deg + float(random.uniform(-18, 18))) % 360, skin)
