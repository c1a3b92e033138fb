"""What a settled picture shows of a Hoshizora table, in the game's own terms: a spot a seat, and the star board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from calibration.zones import Layout, Zone
from companion.rules.hoshizora.facts import Colour, Line, Star
from vision.observation import BoardReading, CardReading, DoubtReason, Face, Polygon, SceneReading

STARS = 12
SPOT_MARGIN_MM = 10.0
"""A card counts as lying on a spot whose edge its middle passes by no more than this."""


class Shows(StrEnum):
    """What lies on a seat's play spot."""

    EMPTY = "empty"
    DOWN = "down"
    UP = "up"
    UNREAD = "unread"
    """A card of which face or identity is not sure."""
    CROWDED = "crowded"
    """More than one card."""
    HIDDEN = "hidden"
    """Something lies over the spot."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A seat's play spot."""

    seat: str
    shows: Shows
    index: int | None = None
    """Of its card in the scene."""
    reading: CardReading | None = None

    @property
    def card(self) -> str | None:
        """The card that lies open, if it was read."""
        return self.reading.card if self.shows is Shows.UP and self.reading is not None else None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two stars, a < b."""

    a: int
    b: int

    def __str__(self) -> str:
        return f"{self.a}-{self.b}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a star lies on the board."""

    x_mm: float
    y_mm: float
    square: int | None
    """None where it lies on a line between squares."""

    def star(self, n: int) -> Star:
        """The star of that number at this place."""
        return Star(n, self.x_mm, self.y_mm, self.square)


@dataclass(frozen=True, slots=True)
class StarBoard:
    """The star board as read, in its own frame: mm from its top left corner."""

    stars: tuple[Star, ...]
    """Those whose number is known, by number."""
    unread: tuple[Place, ...]
    """Where stars lie whose number is not known."""
    lines: Mapping[Line, float]
    """With the confidence of each."""
    doubts: Mapping[Pair, tuple[DoubtReason, Colour | None, float]]
    """Pairs of which it can't be said whether a line joins them."""

    @property
    def whole(self) -> bool:
        """Whether all twelve stars are in sight, each with its own number."""
        return len(self.stars) == STARS == len({star.n for star in self.stars}) and not self.unread


@dataclass(frozen=True, slots=True)
class HoshizoraTable:
    """Everything that matters of a scene."""

    spots: tuple[Spot, ...]
    """By seat, clockwise from the first."""
    board: StarBoard | None
    covered: bool = False
    """Something lies over the table that will go away again; what is hidden without it stays hidden."""


def table_of(scene: SceneReading, seats: Sequence[str], layout: Layout) -> HoshizoraTable:
    """Reads a scene. Raises BadProfileError where a seat has no play zone."""
    spots = tuple(_spot(scene, seat, layout.seat_zone("play", place)) for place, seat in enumerate(seats))
    return HoshizoraTable(spots, star_board(scene.board) if scene.board is not None else None, bool(scene.hidden_mm))


def star_board(board: BoardReading) -> StarBoard:
    """The board in its own frame. Its outline on the table is a square, so a least-squares affine map is exact enough."""
    to_board = _board_frame(board)
    stars: list[Star] = []
    unread: list[Place] = []
    for star in board.stars:
        x, y = to_board(star.x_mm, star.y_mm)
        place = Place(round(x, 1), round(y, 1), star.square)
        if star.n is None:
            unread.append(place)
        else:
            stars.append(place.star(star.n))
    missing = set(range(1, STARS + 1)) - {star.n for star in stars}
    if len(unread) == len(missing) == 1 and len(stars) == STARS - 1:
        # The last number by elimination: the magnets are one set of 1 to 12.
        stars.append(unread.pop().star(missing.pop()))
    return StarBoard(
        stars=tuple(sorted(stars, key=lambda star: star.n)),
        unread=tuple(unread),
        lines={Line(line.a, line.b, Colour(line.colour)): line.confidence for line in board.lines},
        doubts={
            Pair(doubt.a, doubt.b): (doubt.reason, Colour(doubt.colour) if doubt.colour else None, doubt.confidence)
            for doubt in board.doubts
        },
    )


def _spot(scene: SceneReading, seat: str, zone: Zone) -> Spot:
    lying = [(index, card) for index, card in enumerate(scene.cards) if _lies_on(card, zone)]
    if len(lying) > 1:
        return Spot(seat, Shows.CROWDED)
    if not lying:
        covered = any(_overlaps(polygon, zone) for polygon in scene.hidden_mm)
        return Spot(seat, Shows.HIDDEN if covered else Shows.EMPTY)
    index, card = lying[0]
    if card.face is Face.DOWN:
        return Spot(seat, Shows.DOWN, index, card)
    if card.card is not None:
        return Spot(seat, Shows.UP, index, card)
    return Spot(seat, Shows.UNREAD, index, card)


def _lies_on(card: CardReading, zone: Zone) -> bool:
    m = SPOT_MARGIN_MM
    return zone.x_mm - m <= card.x_mm <= zone.x_mm + zone.width_mm + m and (
        zone.y_mm - m <= card.y_mm <= zone.y_mm + zone.height_mm + m
    )


def _overlaps(polygon: Polygon, zone: Zone) -> bool:
    """Whether a polygon covers any part of a zone worth speaking of: a corner of it inside, or a point of a grid on the zone."""
    if any(zone.contains(x, y) for x, y in polygon):
        return True
    steps = np.linspace(0.1, 0.9, 5)
    return any(
        _inside(polygon, zone.x_mm + u * zone.width_mm, zone.y_mm + v * zone.height_mm) for u in steps for v in steps
    )


def _inside(polygon: Polygon, x: float, y: float) -> bool:
    """Even-odd rule."""
    inside = False
    for (x1, y1), (x2, y2) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            inside = not inside
    return inside


def _side(board: BoardReading) -> float:
    corners = np.asarray(board.outline_mm, np.float64)
    return float(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1).mean())


def _board_frame(board: BoardReading) -> Callable[[float, float], tuple[float, float]]:
    """The map from the table to the board's own frame, mm."""
    side = _side(board)
    corners = np.column_stack([np.asarray(board.outline_mm, np.float64), np.ones(4)])
    square = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float64)
    matrix = np.linalg.lstsq(corners, square, rcond=None)[0]

    def to_board(x_mm: float, y_mm: float) -> tuple[float, float]:
        x, y = np.array([x_mm, y_mm, 1.0]) @ matrix
        return float(x), float(y)

    return to_board
