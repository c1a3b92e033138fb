"""Where things come to lie on a virtual table: what every game's stage knows of cards and hands, as places in millimetres.

Film and stills ask the same stage, so that both show the same table. Chance is drawn anew for each thing by its name, so that
nothing depends on the order in which places are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from calibration.zones import Zone
from hardware.virtual.scene import CardOnTable, HandOverTable, Point, Scene

SKINS: tuple[tuple[int, int, int], ...] = ((128, 158, 206), (62, 92, 142), (150, 178, 226))
"""Of the seats' hands in turn, blue-green-red."""
ASKEW_DEG, OUT_MM = 12.0, 12.0
"""How much more askew, and how far out of their places, cards lie where the clumsiness is 2."""
AHEAD_MM = 26.0
"""How far a carried card's middle lies ahead of the fingertip."""


@dataclass(frozen=True, slots=True)
class StageSettings:
    """How tidy the table is."""

    table_mm: tuple[float, float] = (700.0, 420.0)
    clumsiness: float = 0.4
    """0: everything in its place; 1: cards well askew, lines that miss their stars' middles, hands resting everywhere; above 1
    cards also leave their places, and lie over their neighbours' edges."""
    seed: int = 0


class Stage:
    """Places of one game. Cards stay inside their zones up to a clumsiness of 1."""

    def __init__(self, sides: Mapping[str, float], settings: StageSettings) -> None:
        """`sides`: seat, clockwise, to the direction from the table to its body, degrees clockwise from up."""
        self.settings = settings
        self.seats = tuple(sides)
        self._sides = dict(sides)

    def chance(self, *what: object) -> Random:
        """A stream of chance of its own for a named thing."""
        return Random(f"{self.settings.seed}:{':'.join(map(str, what))}")

    def empty(self) -> Scene:
        """The table before anything is played."""
        return Scene(self.settings.table_mm)

    def lay_in(self, zone: Zone, art: str, *name: object, turn_deg: float = 0.0) -> CardOnTable:
        """A card in a zone, a little askew by the chance of its name; `turn_deg` is how it is meant to lie."""
        chance = self.chance(*name)
        mess = self.settings.clumsiness
        over = max(0.0, mess - 1)
        angle = _bounded(chance.gauss(0, 1.2 + 3.0 * mess), 9.0 + ASKEW_DEG * over)
        x, y = zone.centre
        # The card's turned corners stay in the zone.
        half_w, half_h = _half_extent(angle + turn_deg)
        room_x = max(0.0, zone.width_mm / 2 - half_w) + OUT_MM * over
        room_y = max(0.0, zone.height_mm / 2 - half_h) + OUT_MM * over
        shift = 1.0 + 5.0 * mess
        x += _bounded(chance.gauss(0, shift), room_x)
        y += _bounded(chance.gauss(0, shift), room_y)
        return CardOnTable(art, round(x, 1), round(y, 1), round(angle + turn_deg, 1))

    def hand(self, seat: str, tip: Point, lean_deg: float = 0.0) -> HandOverTable:
        """A seat's hand with its fingertip at a place, reaching in from the seat's side."""
        from_deg = self._sides[seat] + lean_deg
        return HandOverTable(tip[0], tip[1], from_deg % 360, SKINS[self.seats.index(seat) % len(SKINS)])

    def away(self, hand: HandOverTable, carrying: bool = False) -> HandOverTable:
        """Where that hand comes from and goes to: outside the picture, with what it carries."""
        width, height = self.settings.table_mm
        out_x, out_y = direction(hand.from_deg)
        reach = 110.0 + (AHEAD_MM + 60 if carrying else 0)
        # How far along the arm the table's edge is.
        steps = []
        if abs(out_x) > 0.2:
            steps.append(((width if out_x > 0 else 0.0) - hand.tip_x_mm) / out_x)
        if abs(out_y) > 0.2:
            steps.append(((height if out_y > 0 else 0.0) - hand.tip_y_mm) / out_y)
        length = max(0.0, min(steps)) + reach
        return HandOverTable(hand.tip_x_mm + out_x * length, hand.tip_y_mm + out_y * length, hand.from_deg, hand.skin)

    def holding(self, seat: str, card: CardOnTable, lean_deg: float = 0.0) -> HandOverTable:
        """The seat's hand when its fingers hold a card at its place."""
        hand = self.hand(seat, (card.x_mm, card.y_mm), lean_deg)
        out_x, out_y = direction(hand.from_deg)
        return HandOverTable(card.x_mm + out_x * AHEAD_MM, card.y_mm + out_y * AHEAD_MM, hand.from_deg, hand.skin)


def side_of(zone: Zone, table_mm: tuple[float, float]) -> float:
    """Direction from a zone to the nearest edge of the table, degrees clockwise from up."""
    width, height = table_mm
    x, y = zone.centre
    edges = ((y, 0.0), (width - x, 90.0), (height - y, 180.0), (x, 270.0))
    return min(edges, key=lambda edge: edge[0])[1]


def direction(deg: float) -> Point:
    """Unit vector of a direction, degrees clockwise from up."""
    return math.sin(math.radians(deg)), -math.cos(math.radians(deg))


def _bounded(value: float, bound: float) -> float:
    return max(-bound, min(bound, value))


def _half_extent(angle_deg: float) -> tuple[float, float]:
    """Half the width and height of the upright box round a turned card of 63 x 88 mm."""
    cos, sin = abs(math.cos(math.radians(angle_deg))), abs(math.sin(math.radians(angle_deg)))
    return (63 * cos + 88 * sin) / 2, (63 * sin + 88 * cos) / 2
