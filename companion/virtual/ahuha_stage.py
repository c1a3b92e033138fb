"""Where things come to lie on Ahuha Ahukaha's virtual table: Field, Homes, frozen cards, helper cards."""

from __future__ import annotations

from calibration.seats import Seats
from calibration.zones import Layout, Zone, seat_letter
from companion.adjudicator.ahuha.table import ASITA, FIELD, FROZEN, HOME, TIGIRI, YONO_TIGIRI
from companion.errors import BadInputError
from companion.rules.ahuha.facts import Orientation
from companion.rules.ahuha.setup import ROUNDS, SEATS, AhuhaSetup
from companion.virtual.stage import Stage, StageSettings
from hardware.virtual.scene import CardOnTable

BACK = "back"
PLACE_MM = 95.0
"""Least width and height of a card's place in a Home: it may lie sideways."""
TURN_DEG = {Orientation.UPRIGHT: 0.0, Orientation.HORIZONTAL: 90.0, Orientation.INVERTED: 180.0}


class AhuhaStage(Stage):
    """Places of one game, by place of the table (0 to 2, clockwise), and its hands by letter: who sits there is not asked."""

    def __init__(self, layout: Layout, setup: AhuhaSetup, settings: StageSettings) -> None:
        """Raises BadProfileError where the layout lacks a zone, BadInputError where a Home is too small for a series."""
        found = Seats.of(layout, settings.table_mm).directions
        self._directions = [round(found[seat_letter(n)] / 90) % 4 * 90.0 for n in range(SEATS)]
        self._field, self._frozen = ([layout.seat_zone(kind, n) for n in range(SEATS)] for kind in (FIELD, FROZEN))
        self._homes = [home_places(layout.seat_zone(HOME, n), self._directions[n]) for n in range(SEATS)]
        self._tigiri = [layout.zones.get(f"{TIGIRI}.{seat_letter(n)}") for n in range(SEATS)]
        self._helpers = {kind: card for card, kind in setup.helpers.items()}
        short = min(len(places) for places in self._homes)
        if short < ROUNDS:
            raise BadInputError(f"virtual table: a Home has room for {short} cards, and a series has {ROUNDS}")
        super().__init__({letter(n): (self._directions[n] + 180) % 360 for n in range(SEATS)}, settings)

    def field(self, place: int, art: str, *when: object) -> CardOnTable:
        """A card in the Field, as its player sees it upright."""
        return self.lay_in(self._field[place], art, "field", place, *when, turn_deg=self._directions[place])

    def frozen(self, place: int, *when: object) -> CardOnTable:
        """The frozen card on the left of a place."""
        return self.lay_in(self._frozen[place], BACK, "frozen", place, *when)

    def home(self, place: int, spot: int, art: str, way: Orientation, *when: object) -> CardOnTable:
        """A card in a Home, 0-based from its player's left; sideways its top points to the player's right."""
        turn = (self._directions[place] + TURN_DEG[way]) % 360
        return self.lay_in(self._homes[place][spot], art, "home", place, spot, *when, turn_deg=turn)

    def asita(self, place: int, *when: object) -> CardOnTable | None:
        """The Asita card as the eighth card of a Home; None where the deck has none or the Home no room for it."""
        if ASITA not in self._helpers or len(self._homes[place]) <= ROUNDS:
            return None
        return self.home(place, ROUNDS, self._helpers[ASITA], Orientation.UPRIGHT, "asita", *when)

    def tigiri(self, place: int, seat: str) -> CardOnTable | None:
        """A player's Yono Tigiri card; None where the deck has none or the layout no spot for it."""
        zone = self._tigiri[place]
        if YONO_TIGIRI not in self._helpers or zone is None:
            return None
        art = self._helpers[YONO_TIGIRI]
        return self.lay_in(zone, art, "tigiri", place, seat, turn_deg=self._directions[place])


def letter(place: int) -> str:
    """Whose hand it is that reaches in from a place."""
    return seat_letter(place)


def home_places(zone: Zone, direction_deg: float) -> list[Zone]:
    """The places for single cards in a Home, from its player's left to right, the far row first."""
    along_y = direction_deg % 180 == 90
    width, height = (zone.height_mm, zone.width_mm) if along_y else (zone.width_mm, zone.height_mm)
    columns, rows = int(width // PLACE_MM), int(height // PLACE_MM)
    if not columns or not rows:
        return []
    wide, high = width / columns, height / rows
    places = []
    for row in range(rows):
        for column in range(columns):
            u, v = column * wide, row * high
            x, y = {
                0.0: (u, v),
                90.0: (height - v - high, u),
                180.0: (width - u - wide, height - v - high),
                270.0: (v, width - u - wide),
            }[direction_deg]
            size = (high, wide) if along_y else (wide, high)
            places.append(Zone(zone.x_mm + x, zone.y_mm + y, *size))
    return places
