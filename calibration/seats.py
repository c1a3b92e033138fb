"""How a card lies for the player whose place it is in: upright, sideways or upside down, and by how many degrees.

A seat's direction is the angle of a card that lies upright for its player: 0 for a player at the bottom of the table (greatest
y), who has the card's top pointing to y = 0; 90 at the left (x = 0), 180 at the top, 270 at the right. A layout may state it:

    [seats]
    A = "left"
    B = 225

Where it does not, a seat sits at the table's edge that is nearest to the middle of its zones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from calibration.zones import SIDES, Layout, Size, Zone, seat_letter

CLEAR_DEG = 30.0
"""A card further than this from a quarter turn lies askew: neither this way nor that."""


class Way(StrEnum):
    """How a card lies, seen from its seat."""

    UPRIGHT = "upright"
    SIDEWAYS = "sideways"
    UPSIDE_DOWN = "upside down"


@dataclass(frozen=True, slots=True)
class Lie:
    """A card seen from the seat whose zone its middle lies in."""

    seat: str
    """The seat's letter, as in the layout; A for the first player."""
    angle_deg: float | None
    """Clockwise from upright, 0 to 360, as the player sees it: at 90 the card's top points to the player's right hand. None where
    the card's own angle is unknown."""
    way: Way | None
    """None where the angle is unknown, or too far from every quarter turn."""

    @property
    def top_points(self) -> str | None:
        """For a card that lies sideways: "left" or "right", as the player sees it."""
        if self.way is not Way.SIDEWAYS or self.angle_deg is None:
            return None
        return "right" if self.angle_deg < 180 else "left"


@dataclass(frozen=True, slots=True)
class Seats:
    """The places of the players at one table."""

    zones: tuple[tuple[str, Zone], ...]
    """The seats' letters with their zones, in the layout's order; a seat may have several."""
    directions: Mapping[str, float]
    """The angle of a card that lies upright, by seat, degrees."""

    @classmethod
    def of(cls, layout: Layout, table_mm: Size) -> Seats:
        """Of a layout on a table of that size."""
        zones = tuple((seat, zone) for name, zone in layout.zones.items() if (seat := _seat_of(name)) is not None)
        seats = dict.fromkeys(seat for seat, _ in zones)
        found = {seat: _nearest_side([zone for s, zone in zones if s == seat], table_mm) for seat in seats}
        return cls(zones, {**found, **layout.directions})

    def seat_at(self, x_mm: float, y_mm: float) -> str | None:
        """The seat in whose zone a place of the table lies; the first where zones overlap, None where there is none."""
        return next((seat for seat, zone in self.zones if zone.contains(x_mm, y_mm)), None)

    def lie(self, x_mm: float, y_mm: float, angle_deg: float | None) -> Lie | None:
        """How a card lies for its player, by its middle and its angle on the table; None outside all seats' zones."""
        seat = self.seat_at(x_mm, y_mm)
        if seat is None:
            return None
        if angle_deg is None:
            return Lie(seat, None, None)
        seen = (angle_deg - self.directions[seat]) % 360 % 360
        return Lie(seat, seen, way_of(seen))


def way_of(seen_deg: float) -> Way | None:
    """How a card lies by its angle as its player sees it, degrees clockwise from upright; None too far from any quarter turn."""
    quarter = round(seen_deg / 90)
    if abs(seen_deg - 90 * quarter) > CLEAR_DEG:
        return None
    return (Way.UPRIGHT, Way.SIDEWAYS, Way.UPSIDE_DOWN, Way.SIDEWAYS)[quarter % 4]


def _seat_of(zone: str) -> str | None:
    """The seat of a dotted zone's name such as `play.A`, `play.A.left`; None for the table's own zones."""
    letters = [part for part in zone.split(".")[1:] if len(part) == 1 and part in _LETTERS]
    return letters[0] if letters else None


_LETTERS = frozenset(seat_letter(seat) for seat in range(26))


def _nearest_side(zones: list[Zone], table_mm: Size) -> float:
    """The direction of the side whose edge is nearest to the zones' common middle; of equally near ones the first of SIDES."""
    area = sum(zone.width_mm * zone.height_mm for zone in zones)
    x, y = (sum(zone.centre[axis] * zone.width_mm * zone.height_mm for zone in zones) / area for axis in (0, 1))
    away = {"bottom": table_mm[1] - y, "left": x, "right": table_mm[0] - x, "top": y}
    return SIDES[min(SIDES, key=lambda side: away[side])]
