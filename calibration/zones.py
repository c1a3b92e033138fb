"""Zones of the table: named rectangles in millimetres, from a layout file or from a profile.

    [zones]
    board = [200, 60, 300, 300]
    play.A = [60, 65, 100, 130]

A dotted name belongs to a seat, in the order A, B, C of the seats; it may stand in quotes or be a table of its own. A table
`[seats]` may say at which side each sits, or at which angle a card lies upright for them; see calibration.seats.
"""

from __future__ import annotations

import math
import string
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.errors import BadProfileError

Size = tuple[float, float]
"""Width and height, mm."""
SIDES: Mapping[str, float] = {"bottom": 0.0, "left": 90.0, "right": 270.0, "top": 180.0}
"""The angle of a card that lies upright for a player at that side of the table, degrees clockwise."""
OFF_TABLE_MM = 0.5
"""A zone may reach over the table's edge by a rounding, no more."""


@dataclass(frozen=True, slots=True)
class Zone:
    """An upright rectangle of the table, mm from the table's top left corner."""

    x_mm: float
    y_mm: float
    """Its own top left corner."""
    width_mm: float
    height_mm: float

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle, mm."""
        return self.x_mm + self.width_mm / 2, self.y_mm + self.height_mm / 2

    def contains(self, x_mm: float, y_mm: float) -> bool:
        """True for a point inside it or on its edge."""
        return 0 <= x_mm - self.x_mm <= self.width_mm and 0 <= y_mm - self.y_mm <= self.height_mm


@dataclass(frozen=True, slots=True)
class Layout:
    """The zones of one table, by name. `source` is the file that they came from, for messages."""

    zones: Mapping[str, Zone] = field(default_factory=dict)
    source: str = "layout"
    directions: Mapping[str, float] = field(default_factory=dict)
    """By seat letter, the angle of a card that lies upright for its player, degrees clockwise: those that the file states."""

    def zone(self, name: str) -> Zone:
        """The zone of that name. Raises BadProfileError where there is none."""
        found = self.zones.get(name)
        if found is None:
            there = ", ".join(sorted(self.zones)) or "none at all"
            raise BadProfileError(f"{self.source}: zones.{name}: is missing; there are {there}")
        return found

    def seat_zone(self, kind: str, seat: int) -> Zone:
        """A seat's own zone, such as `play.B` of ("play", 1); seats count from 0 in the order in which players are named.

        Raises BadProfileError where there is none.
        """
        return self.zone(f"{kind}.{seat_letter(seat)}")

    def seats(self, kind: str) -> int:
        """How many seats have a zone of this kind, counted from A without a gap."""
        return next(seat for seat in range(27) if seat == 26 or f"{kind}.{seat_letter(seat)}" not in self.zones)

    def check_table(self, table_mm: Size) -> None:
        """Raises BadProfileError where a zone reaches off a table of that size."""
        for name, zone in self.zones.items():
            right, bottom = zone.x_mm + zone.width_mm, zone.y_mm + zone.height_mm
            slack = OFF_TABLE_MM
            if min(zone.x_mm, zone.y_mm) < -slack or right > table_mm[0] + slack or bottom > table_mm[1] + slack:
                raise BadProfileError(
                    f"{self.source}: zones.{name}: reaches to ({right:g}, {bottom:g}) mm from "
                    f"({zone.x_mm:g}, {zone.y_mm:g}) mm, off the table of {table_mm[0]:g} x {table_mm[1]:g} mm"
                )


def load_layout(path: str | Path, table_mm: Size | None = None, required: Collection[str] = ()) -> Layout:
    """The zones of a layout file (TOML, `[zones]`).

    Raises BadProfileError naming the file and the field: unreadable or no TOML (with its line), wrong types, unknown keys,
    zones missing that `required` names, zones off the table where `table_mm` is given.
    """
    raw = read_toml(path)
    unknown = sorted(set(raw) - {"zones", "seats"})
    if unknown:
        raise BadProfileError(f"{path}: {unknown[0]}: is not known in a layout, which holds only [zones] and [seats]")
    if "zones" not in raw:
        raise BadProfileError(
            f"{path}: zones: is missing; a layout holds [zones] with lines like: board = [200, 60, 300, 300]"
        )
    directions = parse_directions(raw.get("seats", {}), str(path))
    layout = Layout(parse_zones(raw["zones"], str(path)), str(path), directions)
    for name in required:
        layout.zone(name)
    if table_mm is not None:
        layout.check_table(table_mm)
    return layout


def parse_zones(raw: object, source: str) -> dict[str, Zone]:
    """Zones from decoded TOML, nested tables flattened to dotted names, in the file's order. Raises BadProfileError."""
    if not isinstance(raw, dict):
        raise BadProfileError(f"{source}: zones: must be a table of name = [x, y, width, height] in mm")
    zones: dict[str, Zone] = {}
    for name, value in _flat(raw, ""):
        if name in zones:
            raise BadProfileError(f"{source}: zones.{name}: is there twice")
        zones[name] = _zone(value, f"{source}: zones.{name}")
    return zones


def parse_directions(raw: object, source: str) -> dict[str, float]:
    """By seat letter the angle of a card that lies upright, degrees from 0 to 360, from decoded TOML.

    Raises BadProfileError.
    """
    if not isinstance(raw, dict):
        raise BadProfileError(f"{source}: seats: must be a table of seat = side or degrees")
    found: dict[str, float] = {}
    for seat, value in raw.items():
        if len(seat) != 1 or seat not in string.ascii_uppercase:
            raise BadProfileError(f"{source}: seats.{seat}: seats are named A, B, C in the order of the players")
        if isinstance(value, str) and value in SIDES:
            found[seat] = SIDES[value]
        elif _is_length(value):
            found[seat] = float(value) % 360
        else:
            raise BadProfileError(
                f"{source}: seats.{seat}: must be {', '.join(SIDES)}, or the degrees (clockwise) at which a card lies upright, "
                f"not {_shown(value)}"
            )
    return found


def read_toml(path: str | Path) -> dict[str, Any]:
    """A TOML file decoded. Raises BadProfileError naming the file, and the line where it is no TOML."""
    try:
        return tomllib.loads(Path(path).read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise BadProfileError(f"{path}: no such file") from None
    except OSError as error:
        raise BadProfileError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise BadProfileError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise BadProfileError(f"{path}: is not valid TOML: {error}") from None


def seat_letter(seat: int) -> str:
    """A for the first seat (0), B for the second. Raises BadProfileError past Z."""
    if not 0 <= seat < len(string.ascii_uppercase):
        raise BadProfileError(f"seat {seat + 1}: seats go from A to Z")
    return string.ascii_uppercase[seat]


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _zone(value: object, where: str) -> Zone:
    numbers = value if isinstance(value, list | tuple) else ()
    if len(numbers) != 4 or not all(_is_length(number) for number in numbers):
        raise BadProfileError(f"{where}: must be [x, y, width, height] in mm, four numbers, not {_shown(value)}")
    x, y, width, height = (float(number) for number in numbers)
    if width <= 0 or height <= 0:
        raise BadProfileError(f"{where}: width and height must be more than 0 mm, not {width:g} x {height:g}")
    return Zone(x, y, width, height)


def _is_length(number: Any) -> bool:
    # TOML's true is Python's 1, and TOML has inf and nan: none of them is a length.
    return isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
