"""Where things come to lie on the virtual table: a script's cards, stars, lines and hands as places in millimetres.

Film and stills ask the same stage, so that both show the same table. Chance is drawn anew for each thing by its name, so that
nothing depends on the order in which places are asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

from calibration.zones import Layout, Zone
from companion.rules.hoshizora.facts import Line, Star
from hardware.virtual.scene import BoardOnTable, CardOnTable, HandOverTable, Point, Scene, Smudge, StarOnBoard, Stroke

SKINS: tuple[tuple[int, int, int], ...] = ((128, 158, 206), (62, 92, 142), (150, 178, 226))
"""Of the seats' hands in turn, blue-green-red."""
AHEAD_MM = 26.0
"""How far a carried card's middle lies ahead of the fingertip."""


@dataclass(frozen=True, slots=True)
class StageSettings:
    """How tidy the table is."""

    table_mm: tuple[float, float] = (700.0, 420.0)
    clumsiness: float = 0.4
    """0: everything in its place; 1: cards well askew, lines that miss their stars' middles, hands resting everywhere."""
    dark_board: bool = False
    board_angle_deg: float = 0.0
    seed: int = 0


class Stage:
    """Places of one game. Cards stay inside their play spots, whatever the clumsiness."""

    def __init__(
        self, layout: Layout, seats: tuple[str, ...], stars: tuple[Star, ...], settings: StageSettings
    ) -> None:
        """Raises BadProfileError where the layout lacks the board or a play spot."""
        self.settings = settings
        self.seats = seats
        self._board_zone = layout.zone("board")
        self._spots = {seat: layout.seat_zone("play", n) for n, seat in enumerate(seats)}
        self._turn = math.radians(settings.board_angle_deg)
        self.stars = {star.n: self.on_table(star.x_mm, star.y_mm) for star in stars}
        self.board = BoardOnTable(
            self._board_zone.x_mm,
            self._board_zone.y_mm,
            min(self._board_zone.width_mm, self._board_zone.height_mm),
            settings.board_angle_deg,
            settings.dark_board,
            tuple(
                StarOnBoard(star.n, *self.stars[star.n], self.chance("star", star.n).uniform(-12, 12)) for star in stars
            ),
        )

    def chance(self, *what: object) -> Random:
        """A stream of chance of its own for a named thing."""
        return Random(f"{self.settings.seed}:{':'.join(map(str, what))}")

    def empty(self) -> Scene:
        """The table with the board and its stars."""
        return Scene(self.settings.table_mm, board=self.board)

    def on_table(self, x_mm: float, y_mm: float) -> Point:
        """A point of the board, mm from its top left corner, on the table."""
        scale = min(self._board_zone.width_mm, self._board_zone.height_mm) / 300
        u, v = x_mm * scale, y_mm * scale
        cos, sin = math.cos(self._turn), math.sin(self._turn)
        # Whole hundredths keep crossings what they are on the board.
        return (
            round(self._board_zone.x_mm + u * cos - v * sin, 2),
            round(self._board_zone.y_mm + u * sin + v * cos, 2),
        )

    def card(self, seat: str, trick: int, art: str) -> CardOnTable:
        """A seat's card of a trick (8: its bid) on its play spot, a little askew."""
        zone = self._spots[seat]
        chance = self.chance("card", seat, trick)
        mess = self.settings.clumsiness
        angle = _bounded(chance.gauss(0, 1.2 + 3.0 * mess), 9.0)
        x, y = zone.centre
        # The card's turned corners stay in the zone.
        half_w, half_h = _half_extent(angle)
        room_x = max(0.0, zone.width_mm / 2 - half_w)
        room_y = max(0.0, zone.height_mm / 2 - half_h)
        shift = 1.0 + 5.0 * mess
        x += _bounded(chance.gauss(0, shift), room_x)
        y += _bounded(chance.gauss(0, shift), room_y)
        return CardOnTable(art, round(x, 1), round(y, 1), round(angle, 1))

    def stroke(self, line: Line, trick: int) -> Stroke:
        """A line's stroke, drawn whole, from star to star."""
        chance = self.chance("line", line.a, line.b, trick)
        miss = 1.4 * self.settings.clumsiness
        ends = [
            (round(x + chance.uniform(-miss, miss), 2), round(y + chance.uniform(-miss, miss), 2))
            for x, y in (self.stars[line.a], self.stars[line.b])
        ]
        if chance.random() < 0.5:
            ends.reverse()
        return Stroke(line.colour.value, ends[0], ends[1], round(chance.uniform(2.0, 3.2), 2))

    def smudges(self, stroke: Stroke) -> tuple[Smudge, ...]:
        """What wiping a stroke out leaves."""
        chance = self.chance("smudge", stroke.start, stroke.end)
        (x0, y0), (x1, y1) = stroke.start, stroke.end
        number = max(2, round(math.hypot(x1 - x0, y1 - y0) / 45))
        found = []
        for n in range(number):
            share = (n + 0.5) / number + chance.uniform(-0.08, 0.08)
            found.append(
                Smudge(
                    stroke.colour,
                    round(x0 + (x1 - x0) * share + chance.uniform(-5, 5), 1),
                    round(y0 + (y1 - y0) * share + chance.uniform(-5, 5), 1),
                    round(chance.uniform(12, 22), 1),
                    round(chance.uniform(0.05, 0.05 + 0.08 * (0.5 + self.settings.clumsiness)), 3),
                )
            )
        return tuple(found)

    def hand(self, seat: str, tip: Point, lean_deg: float = 0.0) -> HandOverTable:
        """A seat's hand with its fingertip at a place, reaching in from the seat's side."""
        from_deg = self._side(self._spots[seat]) + lean_deg
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

    def _side(self, zone: Zone) -> float:
        """Direction from a play spot to the nearest edge of the table, degrees clockwise from up."""
        width, height = self.settings.table_mm
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
